"""How messages name places and columns, for every file format, and problems are said at once."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix.data import InputError, joined, shortened, typed
from separatrix.said import Said

MOST_NAMES = 10
LONGEST_COMPARED = 200  # difflib is quadratic, and a name may be 10 kB long


@dataclass(frozen=True, slots=True)
class Place:
    """Where rows stand in their file."""

    name: str  # the file name shown to people; "" inside a program, where there is none
    line_word: str  # "line" or "row"
    lines: NDArray[np.int64]
    files: tuple[str, ...] = ()  # of each row, where they are of several

    def at(self, row: int, column: str) -> str:
        """Return "data.csv, line 3, column 'age'" for row `row` (0-based)."""
        name = self.files[row] if self.files else self.name
        file = f"{name}, " if name else ""
        return f"{file}{self.line_word} {int(self.lines[row])}, column {shown(column)}"


def shown(text: str) -> str:
    """Return text in quotes, control characters and direction marks escaped, shortened."""
    # cut before repr, so that 10 kB of control characters do not become 60 kB first
    return shortened(repr(text[:LONGEST_COMPARED]))


def plain(text: str, most: int = 60) -> str:
    """Return a name as it can be shown anywhere: no control or direction marks, not too long."""
    kept = (
        c if unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") else f"\\u{ord(c):04x}"
        for c in text
    )
    return shortened("".join(kept), most)


def listed(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """Return "'a', 'b' and 3 more"."""
    return joined([shown(name) for name in names], most)


def nearest(wanted: str, names: Sequence[str]) -> str:
    """Return a sentence that offers the column names most like `wanted`."""
    short = {name[:LONGEST_COMPARED].casefold(): name for name in names}
    close = difflib.get_close_matches(wanted[:LONGEST_COMPARED].casefold(), short, n=3, cutoff=0.5)
    if close:
        return f"Nearest: {listed(short[name] for name in close)}."
    return f"The columns are {listed(names)}."


def without(names: Iterable[str], others: Iterable[str]) -> list[str]:
    excluded = set(others)
    return [name for name in names if name not in excluded]


def counted(how_many: int, what: str) -> str:
    """Return "1 row", "2 rows"."""
    return Said(f"{{n:,}} {what}" if how_many == 1 else f"{{n:,}} {what}s", n=how_many)


class TableError(InputError):
    """Columns of a table that cannot be used as asked; `check` shows all of them."""


@dataclass(frozen=True, slots=True)
class Problems:
    """The refusals met while a file is read."""

    name: str  # the file name shown to people
    found: list[InputError] = field(default_factory=list)

    @contextmanager
    def noted(self) -> Iterator[None]:
        try:
            yield
        except InputError as problem:
            self.found.append(problem)

    def refuse(self) -> None:
        if self.found:
            one = len(self.found) == 1
            raise TableError(typed(self.found[0]) if one else self.listed()) from None

    def listed(self) -> str:
        shown = [f"  {k}. {typed(problem)}" for k, problem in enumerate(self.found[:MOST_NAMES], 1)]
        more = len(self.found) - MOST_NAMES
        return "\n".join([
            f"{self.name} has {len(self.found)} problems:", *shown,
            *([f"  and {more} more."] if more > 0 else []),
        ])  # fmt: skip
