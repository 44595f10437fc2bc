"""Disjoint cores: sets of rows that no line puts right together and that share no weight.

Every line is wrong on a row of each, so that their amounts add up to a lower bound of the fewest
mistakes. Rows come in an order in which neighbours are likely to contradict each other. Some are
kept in a pool, and the least point of their hull is sought (`min_norm_point`): where it is the
origin, the rows that make it up are a core, D + 1 at most. Rows whose weight is used up leave the
pool, and others come in. Where the pool holds no core it grows, up to a size, and then the rows
that are longest in it leave.

That proposes. A core of D + 1 rows with numbers in D columns is certain where the
multipliers that solve the equations are positive beyond their error (`surely_cancels`); what that
leaves open is decided elsewhere, in whole numbers.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order
from separatrix.kernels.error_bound import UNDERFLOWN, UNIT_ROUNDOFF, compiled_score_error
from separatrix.kernels.rows import Floats
from separatrix.kernels.separation.min_norm_point import least_point

FEWEST, MOST = 48, 256  # rows in the pool: while it holds cores, and at the most
Integers = NDArray[np.int64]

SLACK = 0.5  # of the level of rows in use: no line is sought that is better than right
SMALL = 1e-9  # of the origin, and of a weight
FIRST = 40.0  # over the columns: how much longer than the last row of the pool the first one is
AT_LEAST, AT_MOST = 2, 12  # times D, where that is more: below 2 D few sets of rows hold a core


@part
def sizes_of_pool(dimension: int) -> tuple[int, int]:
    """Return how many rows the pool has while it holds cores, and at the most."""
    return max(FEWEST, AT_LEAST * dimension + 6), max(MOST, AT_MOST * dimension)


@compiled
def pack(
    pool: Integers, unit: Floats, rows: Floats, order: Integers, left: Integers, cores: Integers,
    sizes: Integers, amounts: Integers, is_sure: NDArray[np.bool_]
) -> int:  # fmt: skip
    """Pack cores greedily; return how many there are.

    Parameters
    ----------
    pool : room for the most rows of the pool, and D more
    unit : (m, D) rows no longer than about 1: what the least point is of
    rows : (m, D) the same rows before that, exact: each is a positive multiple of those of `unit`
        but for rounding, no number above 1
    order : the rows that take part
    left : (m,) weight that no core has yet; changed
    cores : (m, D + 1) written: the rows of each core; sizes, amounts : (m,) how many these are,
        and the weight that each of them gives
    is_sure : (m,) written: whether it surely is a core
    """
    D, n = unit.shape[1], order.size
    fewest, most = sizes_of_pool(D)
    room, points, last = np.empty((D + 1, 2 * D)), np.empty((pool.size, D)), np.ones(pool.size)
    used, weights, rest = np.empty(D + 2, np.int64), np.empty(D + 2), np.empty(D + 1)
    n_pool, n_taken, n_cores, wanted = 0, 0, 0, fewest
    while True:
        while n_pool < wanted and n_taken < n:
            pool[n_pool] = order[n_taken]
            n_pool += 1
            n_taken += 1
        if n_pool < 2:
            return n_cores
        for i in range(n_pool):  # what came first is longest, and so likely taken
            length = 1.0 / (1.0 + FIRST * i / (n_pool * D))
            for j in range(D):
                points[i, j] = unit[pool[i], j] * length
        p = least_point(points[:n_pool], last, 1.0, SLACK, used, weights, 0, rest)
        size = write_core(pool, used, weights, rest, p, cores[n_cores])
        if size > 0:
            sizes[n_cores], amounts[n_cores] = size, taken(left, cores[n_cores, :size])
            is_sure[n_cores] = surely_cancels(rows, cores[n_cores], size, room)
            n_cores += 1
            n_pool = kept(pool, n_pool, left)
            wanted = min(most, max(fewest, n_pool + D // 2))  # of unlike weights few rows leave
        elif n_taken == n:
            return n_cores
        elif n_pool < most:
            wanted = min(most, n_pool + max(16, n_pool // 3))
        else:
            first = n_pool // 2
            for i in range(n_pool - first):
                pool[i] = pool[first + i]
            n_pool -= first
            wanted = n_pool + max(16, n_pool // 3)


@part
def write_core(
    pool: Integers, used: Integers, weights: Floats, rest: Floats, p: int, core: Integers
) -> int:
    """Write the rows whose weights make the origin; return how many, 0 where they do not."""
    D = rest.size - 1
    largest, heaviest, size = 0.0, 0.0, 0
    for j in range(D):
        largest = max(largest, abs(rest[j]))
    if p <= D and largest > SMALL:
        return 0
    for i in range(p):
        heaviest = max(heaviest, weights[i])
    for i in range(p):
        if weights[i] > SMALL * heaviest:
            core[size] = pool[used[i]]
            size += 1
    return size


@part
def taken(left: Integers, core: Integers) -> int:
    """Take from the rows of a core the weight that all of them have left; return it."""
    amount = left[core[0]]
    for n in core:
        amount = min(amount, left[n])
    for n in core:
        left[n] -= amount
    return int(amount)


@part
def kept(pool: Integers, n_pool: int, left: Integers) -> int:
    """Keep the rows of the pool that have weight left; return how many they are."""
    n = 0
    for i in range(n_pool):
        if left[pool[i]] > 0:
            pool[n] = pool[i]
            n += 1
    return n


@compiled
def surely_cancels(rows: Floats, core: Integers, size: int, room: Floats) -> bool:
    """Return whether rows surely have multipliers > 0, one line of them, that cancel them.

    Columns without a number ask for nothing, and D of them are left of D + 1 rows in general
    position. A holds the first D rows by column, b is the last, and A x = -b is solved with an
    approximate inverse R. With E = I - R A, |E| <= alpha < 1, A is not singular, and |x - x*| is at
    most |R (A x + b)| / (1 - alpha), all norms the largest (Rump 1999, INTLAB). Each sum is bounded
    with the error of its own rounding.

    Parameters
    ----------
    room : (D + 1, 2 D) for the D columns of `rows`, written
    """
    D = write_numbers(rows, core, size, room)
    if size != D + 1:
        return False
    few, R = room[:size, :D], room[:D, D : 2 * D]
    for i in range(D):
        for j in range(D):
            R[i, j] = few[j, i]
    if not invert(R):
        return False
    x, off = np.empty(D), np.empty(D)
    for i in range(D):
        x[i] = -product(R[i], few[D])[0]
    for i in range(D):
        total, magnitude = few[D, i], abs(few[D, i])
        for j in range(D):
            total += few[j, i] * x[j]
            magnitude += abs(few[j, i] * x[j])
        off[i] = abs(total) + compiled_score_error(D + 1, magnitude, UNIT_ROUNDOFF, UNDERFLOWN)
    radius, least = 0.0, np.inf
    for i in range(D):
        of_row, moved = 0.0, 0.0
        for j in range(D):
            total, magnitude = product(R[i], few[j])
            if i == j:
                total, magnitude = total - 1.0, magnitude + 1.0
            of_row += abs(total)
            of_row += compiled_score_error(D + 1, magnitude, UNIT_ROUNDOFF, UNDERFLOWN)
        for k in range(D):
            moved += abs(R[i, k]) * off[k]
        if not (of_row < 0.25 and moved < np.inf):  # nor where one is not a number
            return False
        radius, least = max(radius, moved), min(least, x[i])
    return least > 2.0 * radius + UNDERFLOWN  # 1 / (1 - alpha) and all rounding are below 2


@part
def write_numbers(rows: Floats, core: Integers, size: int, room: Floats) -> int:
    """Write the columns of some rows that hold a number; return how many do."""
    n_columns = 0
    for j in range(rows.shape[1]):
        there = False
        for i in range(size):
            room[i, n_columns] = rows[core[i], j]
            there = there or rows[core[i], j] != 0.0
        n_columns += there
    return n_columns


@part_any_order
def product(x: Floats, y: Floats) -> tuple[float, float]:
    """Return x.y, and the sum of its terms' sizes."""
    total, magnitude = 0.0, 0.0
    for k in range(x.size):
        total += x[k] * y[k]
        magnitude += abs(x[k] * y[k])
    return total, magnitude


@part
def invert(A: Floats) -> bool:
    """Turn A into about its inverse, in place, with row pivots; False where it is singular."""
    D = A.shape[0]
    pivots = np.empty(D, dtype=np.int64)
    for c in range(D):
        pivot = c
        for i in range(c + 1, D):
            if abs(A[i, c]) > abs(A[pivot, c]):
                pivot = i
        if not abs(A[pivot, c]) > 0.0:
            return False
        pivots[c] = pivot
        if pivot != c:
            for j in range(D):
                A[c, j], A[pivot, j] = A[pivot, j], A[c, j]
        factor, A[c, c] = 1.0 / A[c, c], 1.0
        for j in range(D):
            A[c, j] *= factor
        for i in range(D):
            q = A[i, c]
            if i != c and q != 0.0:
                A[i, c] = 0.0
                for j in range(D):
                    A[i, j] -= q * A[c, j]
    for c in range(D - 1, -1, -1):
        for i in range(D):
            A[i, c], A[i, pivots[c]] = A[i, pivots[c]], A[i, c]
    return True
