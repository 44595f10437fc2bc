"""Other rows made of those of a table in blocks, gone over as the table is."""

from __future__ import annotations

from typing import Any

from separatrix.cached import cached_property
from separatrix.scale.budget import rows_per_block
from separatrix.scale.rows import Rows
from separatrix.scale.source import Source
from separatrix.tiles import TILE


def seen_as(table: Rows, source: Source, share: float = 1.0) -> Rows:
    """Return a table of another view of the same rows, or a share of them, gone over as it is."""
    most = rows_per_block(source.d, source.dtype.itemsize, table.budget)
    of_share = max(1, round(share * table.rows_in_block / TILE)) * TILE
    made = Rows(
        source, memory=table.memory, back_end=table.back_end, journal=table.journal,
        rows_in_block=min(most, of_share),
    )  # fmt: skip
    made.progress, made.reads = table.progress, table.reads
    return made


class View(Source):
    """Rows made of those of another source."""

    def __init__(self, base: Source) -> None:
        self.base = base
        self.n, self.d, self.dtype = base.n, base.d, base.dtype
        self.classes, self.described = base.classes, base.described

    def span(self, start: int, stop: int) -> tuple[int, int]:
        return self.base.span(start, stop)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.base.names

    def refuse_changed(self) -> None:
        self.base.refuse_changed()

    def _key(self) -> tuple[Any, ...]:
        """Return what sets it apart from other views."""
        return ()

    @property
    def fingerprint(self) -> str:
        return f"{self.base.fingerprint} {type(self).__name__} {self._key()!r}"
