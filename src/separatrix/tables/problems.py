"""What is wrong with a table, collected so that it is said at once and not one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from separatrix.data import InputError, typed
from separatrix.tables.wording import MOST_NAMES


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
