"""Rows of results as JSON lines: each is written when it is done, so a stopped run can go on.

A row of a benchmark has the `line` that it is a turn or a seed of, and `figures` by their names, of
which less is better: `compare` reads these.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BEFORE = " (before)"  # ends the name of a line of another checkout, which took turns with ours
MORE_IS_BETTER = {"best peer / ours"}
Row = dict[str, Any]


class Journal:
    """The rows of a file by their names, a later one instead of an earlier of the same name.

    Parameters
    ----------
    path : of the file; None keeps rows in memory alone
    code : what the rows are about: those of other code are not taken for done
    """

    def __init__(self, path: Path | None, code: str = "") -> None:
        self.path, self.code = path, code
        self.rows: dict[str, Row] = {}
        if path is not None and path.exists():
            self.rows = rows_of(path)
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)  # a line that was cut short

    def done(self, name: str) -> Row | None:
        """Return the row of this name that needs no second run, if there is one."""
        row = self.rows.get(name)
        return row if row is not None and row["code"] == self.code else None

    def once(self, name: str, measured: Callable[[], Row]) -> Row:
        """Return the row of this name, measured now where it is not done."""
        return self.done(name) or self.add(name, measured())

    def add(self, name: str, found: Row) -> Row:
        """Keep a row, in the file too before this returns."""
        row = self.rows[name] = {"row": name, "code": self.code, **found}
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(json.dumps(row).encode() + b"\n")
        return row


def rows_of(path: Path) -> dict[str, Row]:
    """Return the whole lines of a file by the names of their rows."""
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    return {row["row"]: row for row in map(json.loads, whole.splitlines())}


def stamp(source: Path) -> str:
    """Return a short hash of the names and texts of all modules of a folder."""
    found = sha256()
    for path in sorted(source.rglob("*.py")):
        found.update(f"{path.relative_to(source)} {sha256(path.read_bytes()).hexdigest()}".encode())
    return found.hexdigest()[:12]


def stop_as_by_ctrl_c() -> None:
    """Let SIGTERM end this process as Ctrl-C does, with what is done and without its children."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run_whole(
    command: Sequence[str],
    seconds: float | None = None,
    **options: Any,  # noqa: ANN401
) -> subprocess.CompletedProcess[str]:
    """Run a command as `subprocess.run` does; nothing that it has started outlives this call."""
    process = subprocess.Popen(command, text=True, start_new_session=True, **options)
    try:
        said, errors = process.communicate(timeout=seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return subprocess.CompletedProcess(command, process.returncode, said, errors)
