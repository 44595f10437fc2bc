"""Sizes at which the faster forms of a walk pay. They decide speed alone, never a path."""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.kernels.walks.quantised import TILE_ROWS
from separatrix.trace import CAPACITY


@dataclass(frozen=True)
class Tuning:
    """Slices of compiled work, the float filter and the parallel scan."""

    slice_updates: int = 65536
    slice_multiplications: int = 2**22
    trace_capacity: int = CAPACITY
    # A filter costs as much as some passes, and room. What was not short so far may well be long:
    # passes, and multiplications, before there is one
    filter_passes: int = 3
    filter_multiplications: int = 2**20
    small_table: int = 2**16  # numbers in a table whose passes are over in microseconds: then ...
    loading: int = 2**24  # ... multiplications, for its code has to be compiled, or loaded, too
    visits_per_update: int = 64  # fewer between two mistakes: then there is nothing to filter
    faster: int = 8  # times as many visits in a slice of work with a filter
    filter_bytes: int = 2**30  # larger tables are read as they are
    scan_multiplications: int = 2**22  # of rows ahead: milliseconds; waking threads takes a tenth
    scan_share: int = 8  # of a pass without a mistake, after which its rest may well have none


@dataclass(frozen=True)
class PocketTuning(Tuning):
    """The ways to count all rows; where one overtakes another was measured at 2 <= d <= 50."""

    slice_multiplications: int = 2**25
    slice_visits: int = 16384  # of the ratchet
    gram_rows: int = 768  # up to here adding a row of the Gram matrix is cheaper than scoring all
    few_updates: int = 16  # fewer do not pay for a copy of the rows
    ahead: int = 64  # weights counted together
    threaded_multiplications: int = 2**23  # in a block: below, threads cost more than they save
    least_steps: float = 2.0**14  # steps in R^2 that leave few rows in doubt
    tile_rows: int = TILE_ROWS
