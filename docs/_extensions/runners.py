"""How a block of each kind is run, and compared with what the page shows."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fences import Block, without_options

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# the command as a function, so that it is this interpreter's and this checkout's
SHELL = """\
python() { "$HANDBOOK_PYTHON" "$@"; }
separatrix() { python -m separatrix "$@"; }
"""
# a command of ours in which bash has nothing to do
OURS = re.compile(r"separatrix [\w \n./:,=\\-]*")
ONLY_ONCE = "separatrix: compiling kernels"  # said on a new installation, which a page is not about


@dataclass
class Run:
    """What a page's blocks have done so far."""

    page: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    wrong: list[str] = field(default_factory=list)
    pictures: list[tuple[str, bytes]] = field(default_factory=list)  # ".svg" or ".gif", and it
    outputs: dict[int, str] = field(default_factory=dict)  # first line of a block -> its new text

    def blame(self, line: int, what: str) -> None:
        """Note that something on this line is not as shown."""
        self.wrong.append(f"{self.page.name}:{line}: {what}")


def _doctests(run: Run, block: Block) -> None:
    test = doctest.DocTestParser().get_doctest(
        block.text, run.names, run.page.name, str(run.page), block.line - 1
    )
    if not test.examples:
        run.blame(block.line, "python without >>> would not be executed")
        return
    runner = _Recorder(optionflags=FLAGS, verbose=False)
    said = io.StringIO()
    runner.run(test, out=said.write, clear_globs=False)
    run.names.update(test.globs)
    if runner.failures:
        run.blame(block.line, said.getvalue())
    source = block.text.splitlines()
    shown = []
    for example, printed in runner.seen:
        gap = example.lineno > 0 and not source[example.lineno - 1].strip()
        shown += [""] * gap + _as_shown(example, printed)
    run.outputs[block.line] = "\n".join(shown)


class _Recorder(doctest.DocTestRunner):
    """Runs examples and remembers what each printed."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self.seen: list[tuple[doctest.Example, str]] = []

    def report_success(self, out, test, example, got) -> None:  # noqa: ANN001
        # what is shown with "..." stays as it is
        self.seen.append((example, example.want if example.want else got))

    def report_failure(self, out, test, example, got) -> None:  # noqa: ANN001
        self.seen.append((example, got))
        super().report_failure(out, test, example, got)

    def report_unexpected_exception(self, out, test, example, exc_info) -> None:  # noqa: ANN001
        name = exc_info[0].__name__
        self.seen.append(
            (example, f"Traceback (most recent call last):\n    ...\n{name}: {exc_info[1]}\n")
        )
        super().report_unexpected_exception(out, test, example, exc_info)


def _as_shown(example: doctest.Example, printed: str) -> list[str]:
    first, *rest = example.source.splitlines()
    code = [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
    return [*code, *(line or "<BLANKLINE>" for line in printed.splitlines())]


def _console(run: Run, block: Block) -> None:
    shown: list[str] = []
    for part in filter(None, re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE)):
        command, _, wanted = part.partition("\n")
        while command.endswith("\\"):
            more, _, wanted = wanted.partition("\n")
            command += "\n" + more
        if not command.startswith("$ "):
            run.blame(block.line, f"expected '$ command', found {command!r}")
            return
        got = (_ours if OURS.fullmatch(command[2:]) else _shell)(command[2:])
        same = doctest.OutputChecker().check_output(
            wanted.rstrip() + "\n", got.rstrip() + "\n", FLAGS
        )
        if not same:
            run.blame(block.line, f"{command}\nshown:\n{wanted}\nprinted:\n{got}")
        shown += [command, *(wanted if same else got).rstrip().splitlines()]
    run.outputs[block.line] = "\n".join(shown)


PLAIN = {"NO_COLOR": "1", "COLUMNS": "100", "PYTHONWARNINGS": "ignore"}


def _ours(command: str) -> str:
    """Run our own command line here: a process of its own takes a second to start."""
    from separatrix import cli

    before, argv, said = dict(os.environ), sys.argv, io.StringIO()
    os.environ.update(PLAIN)
    sys.argv = shlex.split(command)  # which the next command to type is made from
    try:
        with (
            contextlib.redirect_stdout(said), contextlib.redirect_stderr(said),
            contextlib.suppress(SystemExit), warnings.catch_warnings(action="ignore"),
        ):  # fmt: skip
            cli.main(sys.argv[1:])
    finally:
        sys.argv = argv
        os.environ.clear()
        os.environ.update(before)
    return _printed(said.getvalue())


def _shell(command: str) -> str:
    environment = {**os.environ, **PLAIN, "HANDBOOK_PYTHON": sys.executable}
    done = subprocess.run(  # noqa: S603  # the page's own command
        ["bash", "-c", SHELL + command],  # noqa: S607
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        timeout=600,  # kernels may have to be compiled
        check=False,
    )
    return _printed(done.stdout)


def _printed(text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if not line.startswith(ONLY_ONCE))


def _picture(run: Run, block: Block) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    plt.close("all")
    before = set(Path().glob("*.gif"))
    code = "\n".join(without_options(block.text))
    try:
        exec(compile(code, f"{run.page.name}:{block.line}", "exec"), run.names)  # noqa: S102
    except Exception as error:  # whatever it is, it is the page's
        run.blame(block.line, f"{type(error).__name__}: {error}")
    drawn: list[tuple[str, bytes]] = [
        (".gif", film.read_bytes()) for film in sorted(set(Path().glob("*.gif")) - before)
    ]
    for number in plt.get_fignums():
        with io.BytesIO() as svg, mpl.rc_context({"svg.hashsalt": "handbook"}):
            figure = plt.figure(number)
            figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
            drawn.append((".svg", svg.getvalue()))
    plt.close("all")
    if len(drawn) != 1:
        run.blame(block.line, f"a picture is one figure or film; this drew {len(drawn)}")
    if not block.argument:
        run.blame(block.line, "a picture needs a text for those who cannot see it")
    run.pictures.append(drawn[0] if drawn else (".svg", b""))


def _file(run: Run, block: Block) -> None:
    Path(block.argument).write_text(block.text + "\n", encoding="utf-8")


RUNNERS: dict[str, Callable[[Run, Block], None]] = {
    "python": _doctests,
    "console": _console,
    "{picture}": _picture,
    "{file}": _file,
}
