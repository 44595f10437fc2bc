"""Dense or sparse: the content of a table chooses, so that both forms of it give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data.points import Floats, Points, dense

# A sparse row costs an index for each number, and no arithmetic on whole vectors: passes over
# one-hot tables of 64 to 512 columns are as fast in either form where one number in eight is not
# zero. With fewer columns a dense row is a few cache lines and what is counted here would cost more
# than it saves; a table of LARGE numbers would not fit.
SPARSE_SHARE = 8
WIDE = 128
LARGE = 2**26  # numbers, 512 MiB
COUNTED = 256  # rows at a time


def in_form(points: Points) -> Points:
    """Return finite points (N, d) as canonical CSR where mostly zeros in many columns."""
    n, d = points.shape
    if sp.issparse(points):
        if is_sparse(n, d, points.nnz):
            return points
        return dense(points, "the table")
    if not (may_be_sparse(n, d) and _mostly_zeros(points)):
        return points
    return sp.csr_array(points)


def may_be_sparse(n: int, d: int) -> bool:
    return d >= WIDE or n * d >= LARGE


def is_sparse(n: int, d: int, nonzeros: int) -> bool:
    """Whether a table of n rows and d columns with this many nonzeros is sparse."""
    return may_be_sparse(n, d) and SPARSE_SHARE * nonzeros <= n * d


def nonzeros_in(points: Points) -> int:
    """Return how many numbers of rows differ from zero."""
    return int(points.nnz if sp.issparse(points) else np.count_nonzero(points))


def in_full(points: Points) -> Floats:
    return np.asarray(points.toarray() if sp.issparse(points) else points)


def rows_at(points: Points, rows: NDArray[np.int64]) -> Points:
    """Return some rows; `take` copies whole rows, twice as fast as an index does."""
    return points[rows] if sp.issparse(points) else points.take(rows, axis=0)


def stacked(parts: Sequence[Points]) -> Points:
    """Return rows below one another, all of them dense or all sparse."""
    if len(parts) == 1:
        return parts[0]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _mostly_zeros(points: np.ndarray) -> bool:
    """Whether at most one number in SPARSE_SHARE differs from zero; a dense table ends it early."""
    most = points.size // SPARSE_SHARE
    found = 0
    for start in range(0, points.shape[0], COUNTED):
        found += int(np.count_nonzero(points[start : start + COUNTED]))
        if found > most:
            return False
    return True


def disjoint_runs(X: sp.csr_array) -> tuple[range, ...]:
    """Return the runs of neighbouring columns of which every row has at most one nonzero.

    The columns of a one-hot category are such a run. From the left each run is as long as it can
    be; those of one column are left out. O(nnz).
    """
    before = np.full(X.indices.size, -1, dtype=X.indices.dtype)
    before[1:] = X.indices[:-1]
    starts = X.indptr[:-1]
    before[starts[starts < X.indptr[1:]]] = -1
    nearest = np.full(X.shape[1], -1, dtype=X.indices.dtype)  # to the left, in any of its rows
    np.maximum.at(nearest, X.indices, before)
    return runs_between(nearest)


def runs_between(nearest: NDArray[np.signedinteger[Any]]) -> tuple[range, ...]:
    """Return the runs of `disjoint_runs` from the nearest column left of each that meets it."""
    runs, start = [], 0
    for j in np.flatnonzero(nearest >= 0).tolist():
        if nearest[j] >= start:
            runs.append(range(start, j))
            start = j
    runs.append(range(start, nearest.size))
    return tuple(run for run in runs if len(run) > 1)
