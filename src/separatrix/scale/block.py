"""A block: some rows of a table, next to one another, in memory."""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.data import Sample


@dataclass(frozen=True, slots=True)
class Block:
    """Rows start, ..., stop - 1 of a table.

    Parameters
    ----------
    start : index of its first row in the table, a multiple of `TILE`
    sample : the rows; X (n, d) is C-ordered float64 or float32, finite, and may be read-only
    """

    start: int
    sample: Sample

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.sample.n

    @property
    def stop(self) -> int:
        """The index of the row after its last one."""
        return self.start + self.sample.n
