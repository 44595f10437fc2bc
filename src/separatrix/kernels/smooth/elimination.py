"""The Schur complement of the columns of a categorical variable, in one read of the rows.

At most one of these columns differs from 0 in a row, so their block of Z' D Z is diagonal: taking
it out of the normal equations costs what the rows' own numbers cost.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.rows import Floats, Rows


@part
def _add_product(rows: Rows, i: int, last: int, factor: float, S: Floats, squares: Floats) -> None:
    """Add factor x x' to the lower half of S, x the numbers of sparse row i before `last`."""
    data, indices, indptr = rows
    first = np.uint64(indptr[i])
    for p in range(first, np.uint64(last)):
        a = factor * data[p]
        of_p = S[indices[p]]
        for q in range(first, p + np.uint64(1)):
            of_p[indices[q]] += a * data[q]
        squares[indices[p]] += a * data[p]


@compiled
def eliminate(
    rows: Rows, order: NDArray[np.int64], starts: NDArray[np.int64], d: Floats, S: Floats,
    D: Floats, squares: Floats
) -> None:  # fmt: skip
    """Add to the lower half of S (k, k) what sum d z z' leaves of the first k columns of the rows.

    Parameters
    ----------
    rows : sparse, indices ascending; the last of a row may be one of the m columns to eliminate,
        which are k, ..., k + m - 1
    order : (N,) the rows, those with column k first, then those with k + 1, ..., at last the others
    starts : (m + 1,) where those with each of these columns begin in it, and the others
    d : (N,) factors
    S : (k, k), D : (m,), squares : (k,)
        What is to be added to these blocks, such as a penalty. D becomes the diagonal eliminated,
        `squares` that of the first columns before anything is taken from it.
    """
    data, indices, indptr = rows
    k = S.shape[0]
    cross = np.zeros(k)
    met, seen = np.empty(k, np.int64), np.full(k, -1)
    for level in range(D.size):
        n_met, total = 0, D[level]
        for place in range(starts[level], starts[level + 1]):
            i = order[place]
            last = indptr[i + 1] - 1
            _add_product(rows, i, last, d[i], S, squares)
            factor = d[i] * data[last]
            total += factor * data[last]
            for p in range(np.uint64(indptr[i]), np.uint64(last)):
                j = indices[p]
                if seen[j] != level:
                    seen[j] = level
                    met[n_met] = j
                    n_met += 1
                cross[j] += factor * data[p]
        D[level] = total
        for s in range(n_met):
            j = met[s]
            a = cross[j] / total if total > 0.0 else 0.0
            of_j = S[j]
            for t in range(n_met):
                if met[t] <= j:
                    of_j[met[t]] -= a * cross[met[t]]
        for s in range(n_met):
            cross[met[s]] = 0.0
    for place in range(starts[D.size], order.size):
        i = order[place]
        _add_product(rows, i, indptr[i + 1], d[i], S, squares)
