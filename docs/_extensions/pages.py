"""Reads a page of the handbook and runs everything on it that claims to be output.

Kinds of fenced blocks, all on one page sharing one namespace and one temporary folder, in order:

- ``python``: doctests; what is shown must be what comes out.
- ``console``: ``$ `` commands, run by bash with both streams; likewise.
- ``{picture} alternative text``: Python that draws one matplotlib figure, or writes one GIF.
- ``{file} name``: a file of the page, written before what follows runs.

Any other kind must be in `NOT_CODE`: formulas, lists of pages, code included from `src`. Warnings
are printed as "Category: text", without the path and line that Python puts before them.
`python docs/_extensions/pages.py PAGE ...` writes into each page what its blocks print now: look at
the difference before keeping it.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fences import blocks
from runners import RUNNERS, Run

# what is included from src is tested there
NOT_CODE = frozenset({"{math}", "{toctree}", "{eval-rst}", "{literalinclude}", "{live}"})
TIMES = re.compile(r"\b[\d,.]+ (?=ms\b)")  # no two runs take the same time


def run_page(page: Path, *, leave_out: frozenset[str] = frozenset()) -> Run:
    """Run the blocks of a page in a folder of its own; `wrong` says what is not as shown."""
    run = Run(page)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _plain_warnings():
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.kind in leave_out:
                continue
            if block.kind in RUNNERS:
                RUNNERS[block.kind](run, block)
            elif block.kind not in NOT_CODE:
                run.blame(block.line, f"a block of {block.kind} would not be executed")
    return run


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    def show(message, category, *_: Any) -> None:  # noqa: ANN001, ANN401
        print(f"{category.__name__}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show  # type: ignore[assignment]  # put back by catch_warnings
        yield


def rewritten(page: Path, run: Run) -> str:
    """Return the page with every block showing what it printed in this run."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    new = {line: TIMES.sub("... ", shown) for line, shown in run.outputs.items()}
    for block in reversed(list(blocks(text))):
        if block.line in new:
            end = block.line - 1 + len(block.text.splitlines())
            lines[block.line - 1 : end] = new[block.line].splitlines()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name).resolve()
        done = run_page(page)
        page.write_text(rewritten(page, done), encoding="utf-8")
        print(f"{page.name}: {len(done.wrong)} blocks were not as shown")
        print("\n".join(done.wrong))
