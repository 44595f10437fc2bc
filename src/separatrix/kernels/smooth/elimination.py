"""Normal equations of rows of which the last number may be that of a level, in one read of them.

The columns of a categorical variable have at most one number in a row, so their block of M' D M is
diagonal: taking it out costs what the rows' own numbers cost. Every sum goes on in the order of the
rows from what the rows before gave, so that its bytes do not depend on how they are cut.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Floats, Rows

Counts = NDArray[np.int64]


@compiled
def survey(
    rows: Rows, y: Floats, weight: Floats, nearest: Counts, counts: Counts, ends: Floats,
    sums: Floats
) -> None:  # fmt: skip
    """Note what each column holds in rows of a positive weight.

    That is the `nearest` column (d,) to the left in one of its rows, or -1, the `counts` (2, d) of
    numbers of another sign than y and of the same, their least and largest, and their sums.
    """
    data, indices, indptr = rows
    low, high = ends
    for i in range(y.size):
        before = np.int64(-1)
        if not weight[i] > 0.0:
            continue
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j, x = indices[p], data[p]
            nearest[j] = max(nearest[j], before)
            before = np.int64(j)
            counts[1 if x * y[i] > 0.0 else 0, j] += 1
            low[j], high[j] = min(low[j], x), max(high[j], x)
            sums[j] += x


@compiled
def arrange(
    rows: Rows, weight: Floats, place: NDArray[np.uint32], centre: Floats, scale: Floats, k: int,
    made: Rows
) -> None:  # fmt: skip
    """Write sparse rows with column j at place[j], if there is one, that from k on last.

    Those that are centred go first, in full, the constant as 0 - (-1). Rows without a weight are
    empty.
    """
    data, indices, indptr = rows
    to, at, ends = made
    q = np.uint64(0)
    for i in range(weight.size):
        if weight[i] > 0.0:
            first = to[np.int64(q) :]
            for t in range(centre.size):
                first[t] = -centre[t] * scale[t]
                at[q] = t
                q += np.uint64(1)
            last, of_last = scale.size, 0.0
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                j, x = place[indices[p]], data[p]
                if j < centre.size:
                    first[j] = (x - centre[j]) * scale[j]
                elif j < k:
                    to[q], at[q] = x * scale[j], j
                    q += np.uint64(1)
                elif j < scale.size:
                    last, of_last = int(j), x * scale[j]
            if last < scale.size:
                to[q], at[q] = of_last, last
                q += np.uint64(1)
        ends[i + 1] = q


@compiled
def combine(rows: Rows, factors: Floats, out: Floats) -> None:
    """Add to `out` the sum of factor x over sparse rows."""
    data, indices, indptr = rows
    for i in range(factors.size):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            out[indices[p]] += factors[i] * data[p]


@compiled
def add_products(rows: Rows, d: Floats, G: Floats) -> None:
    """Add to the lower half of G (k, k) the sum of d x x', x the first k columns of sparse rows."""
    data, indices, indptr = rows
    for i in range(d.size):
        first = np.uint64(indptr[i])
        for p in range(first, np.uint64(indptr[i + 1])):
            if indices[p] >= G.shape[0]:
                break
            a = d[i] * data[p]
            of_p = G[indices[p]]
            for q in range(first, p + np.uint64(1)):
                of_p[indices[q]] += a * data[q]


@compiled
def add_levels(rows: Rows, k: int, d: Floats, D: Floats, known: Rows, made: Rows) -> int:
    """Add to D (m,) the sums of d x x of the levels; return how many numbers `made` has.

    These are the sums of d x z of each level, z the first k columns, as sparse rows (m, k): those
    `known`, and those of these rows.
    """
    data, indices, indptr = rows
    of_known, met_before, begins = known
    to, at, ends = made
    starts = np.zeros(D.size + 2, np.int64)
    for i in range(d.size):
        last = int(indptr[i + 1]) - 1
        if last >= indptr[i] and indices[last] >= k:
            starts[np.int64(indices[last]) - k + 2] += 1
    for level in range(2, D.size + 2):
        starts[level] += starts[level - 1]
    order = np.empty(starts[-1], np.int64)
    for i in range(d.size):
        last = int(indptr[i + 1]) - 1
        if last >= indptr[i] and indices[last] >= k:
            at_level = np.int64(indices[last]) - k + 1
            order[starts[at_level]] = i
            starts[at_level] += 1
    cross, seen = np.zeros(k), np.full(k, -1)
    q = 0
    for level in range(D.size):
        first = q
        for p in range(begins[level], begins[level + 1]):
            j = met_before[p]
            cross[j], seen[j], at[q] = of_known[p], level, j
            q += 1
        total = D[level]
        for place in range(starts[level], starts[level + 1]):
            i = order[place]
            last = int(indptr[i + 1]) - 1
            factor = d[i] * data[last]
            total += factor * data[last]
            for p in range(np.uint64(indptr[i]), np.uint64(last)):
                j = indices[p]
                if seen[j] != level:
                    cross[j], seen[j], at[q] = 0.0, level, j
                    q += 1
                cross[j] += factor * data[p]
        D[level] = total
        for p in range(first, q):
            to[p] = cross[at[p]]
        ends[level + 1] = q
    return q


@compiled
def eliminate(cross: Rows, D: Floats, S: Floats) -> None:
    """Take from the lower half of S (k, k) what the levels explain: c c' / D, c (k,) of each."""
    data, indices, indptr = cross
    for level in range(D.size):
        if not D[level] > 0.0:
            continue
        for s in range(indptr[level], indptr[level + 1]):
            j = indices[s]
            of_j, a = S[j], data[s] / D[level]
            for t in range(indptr[level], indptr[level + 1]):
                if indices[t] <= j:
                    of_j[indices[t]] -= a * data[t]
