"""Whether the label column is there, by the file's first line: before anything is imported."""

from __future__ import annotations

import difflib
import os
import re
from typing import IO, Any

import click

from separatrix.cli.reading import see_every_column
from separatrix.cli.showing import say

LONGEST = 2**16  # bytes of a first line that is looked into
WRITTEN_SO = (",", ";", "\t", "|")
OF_THE_READER = ("encoding", "delimiter", "header", "query")
NAMELESS = re.compile(r"last|column \d+|\d+")  # names of columns that the first line does not name


def refuse_missing_label(path: str, file_format: str | None, options: dict[str, Any]) -> None:
    """Raise a usage error where a plain CSV file's first line shows that it has no such column."""
    label = options.get("label")
    if not label or NAMELESS.fullmatch(label) or file_format not in (None, "csv"):
        return
    if not path.endswith(".csv") or any(options.get(name) is not None for name in OF_THE_READER):
        return
    if not os.path.isfile(path):  # opening a FIFO would block
        return
    names = _names(path)
    if label.strip() in names:
        return
    close = difflib.get_close_matches(
        label.casefold(), {name.casefold(): name for name in names}, n=3, cutoff=0.5
    )
    by_case = {name.casefold(): name for name in names}
    if not close:
        return
    nearest = ", ".join(repr(by_case[name]) for name in close)
    raise _NoSuchColumn(
        f"{os.path.basename(path)} has no column {label!r} (--label). Nearest: {nearest}. "
        f"{see_every_column(path)}"
    )


class _NoSuchColumn(click.ClickException):
    """Said as the reader says it."""

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002  # click's
        """Print the error on stderr."""
        say(f"error: {self.message}")


def _names(path: str) -> list[str]:
    """Return the names in the first line; none where it is not plainly a line of names."""
    try:
        with open(path, "rb") as file:
            first = file.readline(LONGEST).decode("utf-8-sig").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        return []
    marks = [mark for mark in WRITTEN_SO if mark in first]
    if len(marks) != 1 or '"' in first or not first.isprintable():
        return []
    names = [name.strip() for name in first.split(marks[0])]
    return [] if any(not name or _is_number(name) for name in names) else names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
