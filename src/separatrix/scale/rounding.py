"""Integers that are others in float64: the warning of arrays, for rows that are read in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data.points import LARGEST_EXACT_INTEGER, changed_row, warn_integers

Changed = dict[int, tuple[int, int]]  # of a column: its first such row and value


def changed_integers(columns: Sequence[NDArray[Any]], start: int = 0) -> Changed:
    """Return the first integer of each column (n,) that is another one in float64."""
    found: Changed = {}
    for j, values in enumerate(columns):
        row = changed_row(values)
        if row is not None:
            found[j] = start + row, int(values[row])
    return found


def changed_of_rows(X: NDArray[Any], start: int = 0) -> Changed:
    """Return those of rows X (n, d); at once where no integer is that large."""
    small = X.dtype.itemsize < 8 or X.dtype.kind not in "iu" or not X.size
    if small or (X.min() >= -LARGEST_EXACT_INTEGER and X.max() <= LARGEST_EXACT_INTEGER):
        return {}
    return changed_integers(list(X.T), start)


def warn_changed(found: Iterable[Changed], names: Sequence[str]) -> None:
    """Warn once of each column, by what parts of the rows, in order, have in them."""
    first: Changed = {}
    for part in found:
        first = part | first
    for j in sorted(first):
        row, value = first[j]
        warn_integers(names[j], row, np.int64(value) if value < 2**63 else np.uint64(value))
