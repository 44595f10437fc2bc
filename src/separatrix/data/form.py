"""Dense or sparse: the content of a table chooses, so that both forms of it give the same bytes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from separatrix.data.points import Points, dense

# A sparse row costs an index for each number, and no arithmetic on whole vectors: passes over
# one-hot tables of 64 to 512 columns are as fast in either form where one number in eight is not
# zero. With fewer columns a dense row is a few cache lines and what is counted here would cost more
# than it saves; a table of LARGE numbers would not fit.
SPARSE_SHARE = 8
WIDE = 128
LARGE = 2**26  # numbers, 512 MiB
COUNTED = 256  # rows at a time


def in_form(points: Points) -> Points:
    """Return finite points (N, d) as canonical CSR where it is mostly zeros in many columns.

    Others are dense. The form depends on N, d and the number of zeros only; indices are int32 where
    that holds them.

    Raises
    ------
    InputError
        For a sparse array without enough zeros that does not fit into memory as a dense one.
    """
    n, d = points.shape
    worth = d >= WIDE or n * d >= LARGE
    if sp.issparse(points):
        if worth and SPARSE_SHARE * points.nnz <= n * d:
            return _narrow(points)
        return dense(points, "the table")
    if not (worth and _mostly_zeros(points)):
        return points
    return _narrow(sp.csr_array(points))


def _mostly_zeros(points: np.ndarray) -> bool:
    """Whether at most one number in SPARSE_SHARE differs from zero; a dense table ends it early."""
    most = points.size // SPARSE_SHARE
    found = 0
    for start in range(0, points.shape[0], COUNTED):
        found += int(np.count_nonzero(points[start : start + COUNTED]))
        if found > most:
            return False
    return True


def _narrow(points: sp.csr_array) -> sp.csr_array:
    """Return the array with int32 indices where they fit: kernels are compiled for these."""
    if points.indices.dtype == np.int32 and points.indptr.dtype == np.int32:
        return points
    if max(points.nnz, *points.shape) > np.iinfo(np.int32).max:
        return points
    indices, ends = (a.astype(np.int32) for a in (points.indices, points.indptr))
    narrow = sp.csr_array((points.data, indices, ends), shape=points.shape)
    narrow.has_sorted_indices = narrow.has_canonical_format = True
    return narrow


def disjoint_runs(X: sp.csr_array) -> tuple[range, ...]:
    """Return the runs of neighbouring columns of which every row has at most one nonzero.

    The columns of a one-hot category are such a run. From the left each run is as long as it can
    be; those of one column are left out. O(nnz + d).

    Parameters
    ----------
    X : canonical CSR array (N, d)
    """
    before = np.full(X.indices.size, -1, dtype=X.indices.dtype)
    before[1:] = X.indices[:-1]
    starts = X.indptr[:-1]
    before[starts[starts < X.indptr[1:]]] = -1
    nearest = np.full(X.shape[1], -1, dtype=X.indices.dtype)  # to the left, in any row of column j
    np.maximum.at(nearest, X.indices, before)
    runs, start = [], 0
    for j, left in enumerate(nearest.tolist()):
        if left >= start:
            runs.append(range(start, j))
            start = j
    runs.append(range(start, X.shape[1]))
    return tuple(run for run in runs if len(run) > 1)
