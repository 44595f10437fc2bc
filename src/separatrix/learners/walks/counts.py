"""Updates per row of a table: of one in blocks as long as few rows have any."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.learners._parameters import NO_LIMIT, NONE, Integers
from separatrix.scale import Rows

SHARE = 64  # of the budget of rows that counts of updates may take: many runs share it
OF_A_ROW = 96  # bytes of a row with updates: in the counts, and in a certificate


class Counts:
    """What the blocks of a walk left: the rows of its updates, and how many each row had."""

    def __init__(self, table: Rows) -> None:
        room = NO_LIMIT if table.in_memory is not None else table.budget // SHARE
        self.n_rows, self.most, self.fits = table.n, room // OF_A_ROW, 8 * table.n <= room
        self.kept: dict[str, Any] = {"visited": [], "counts": {}, "n": 0}

    def keep(self, kept: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
        """Add what a block left."""
        self.kept = kept
        rows, times, visited = state["updated"]
        if visited.size:
            kept["visited"].append(visited)
        if rows.size == 0 or kept["n"] < 0:
            return kept
        key, counts = str(state["block"]), kept["counts"]
        if key in counts:
            before, rows = counts[key], np.concatenate((counts[key][0], rows))
            kept["n"] -= before[0].size
            rows, places = np.unique(rows, return_inverse=True)
            times = np.bincount(places, np.concatenate((before[1], times))).astype(np.int64)
        kept["n"] += rows.size
        counts[key] = rows, times
        if kept["n"] > self.most:
            kept["n"] = -1
            counts.clear()
        return kept

    def rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had; none if too many."""
        parts = [part for _, part in sorted(self.kept["counts"].items(), key=lambda c: int(c[0]))]
        rows, times = zip((NONE, NONE), *parts, strict=True)
        return np.concatenate(rows), np.concatenate(times)

    def of_all_rows(self, rows: Integers, times: Integers) -> Integers:
        """Return the updates on each row (N,); none where that is too much to keep."""
        if self.kept["n"] < 0 or not self.fits:
            return NONE
        counts = np.zeros(self.n_rows, dtype=np.int64)
        counts[rows] = times
        return counts
