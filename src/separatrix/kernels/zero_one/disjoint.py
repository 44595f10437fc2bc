"""Disjoint cores: sets of rows that no line puts right together and that share no weight.

Every line is wrong on a row of each, so that their amounts add up to a lower bound of the fewest
mistakes. Rows come in an order in which neighbours are likely to contradict each other. Some are
kept in a pool, and a linear program (`cores.solve`) looks for a core among them: D + 1 rows at
most. Rows whose weight is used up leave the pool, and others come in. Where the pool holds no core
it grows, up to a size, and then the rows that are longest in it leave.

The program proposes. A core of D + 1 rows is certain where the multipliers that solve the equations
are positive beyond their error (`surely_cancels`); what that leaves open is decided elsewhere, in
whole numbers.
"""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.error_bound import UNDERFLOWN, UNIT_ROUNDOFF, compiled_score_error
from separatrix.kernels.zero_one.cores import ZERO, Floats, Integers, Program, solve

FEWEST, MOST = 48, 256  # rows in the pool: while it holds cores, and at the most
AT_LEAST, AT_MOST = 2, 12  # times D, where that is more: below 2 D few sets of rows hold a core


@part
def sizes_of_pool(dimension: int) -> tuple[int, int]:
    """Return how many rows the pool has while it holds cores, and at the most."""
    return max(FEWEST, AT_LEAST * dimension + 6), max(MOST, AT_MOST * dimension)


@compiled
def pack(
    program: Program, Z: Floats, rows: Floats, order: Integers, left: Integers, cores: Integers,
    sizes: Integers, amounts: Integers, is_sure: NDArray[np.bool_]
) -> int:  # fmt: skip
    """Pack cores greedily; return how many there are.

    Parameters
    ----------
    program : room for the most rows of the pool, and D more
    Z : (D, m) rows by column, no longer than about 1: what the linear program works on
    rows : (m, D) the same rows before that, exact: each is a positive multiple of those of Z but
        for rounding, no number above 1
    order : the rows that take part
    left : (m,) weight that no core has yet; changed
    cores : (m, D + 1) written: the rows of each core; sizes, amounts : (m,) how many these are,
        and the weight that each of them gives
    is_sure : (m,) written: whether it surely is a core
    """
    D, n = Z.shape[0], order.size
    fewest, most = sizes_of_pool(D)
    no_scores, half = np.zeros(Z.shape[1]), np.ones(D)
    room = np.empty((D, 2 * D))
    pool, n_pool, n_taken, n_cores, wanted = program.active, 0, 0, 0, fewest
    while True:
        while n_pool < wanted and n_taken < n:
            pool[n_pool] = order[n_taken]
            n_pool += 1
            n_taken += 1
        if n_pool < 2:
            return n_cores
        found, size = solve(program, Z, no_scores, n_pool, half)
        if found == ZERO and size > 0:
            amount = left[program.support[0]]
            for i in range(size):
                amount = min(amount, left[program.support[i]])
            for i in range(size):
                left[program.support[i]] -= amount
                cores[n_cores, i] = program.support[i]
            sizes[n_cores], amounts[n_cores] = size, amount
            is_sure[n_cores] = surely_cancels(rows, program.support, size, room)
            n_cores += 1
            kept = 0
            for i in range(n_pool):
                if left[pool[i]] > 0:
                    pool[kept] = pool[i]
                    kept += 1
            n_pool = kept
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


@compiled
def surely_cancels(rows: Floats, core: Integers, size: int, room: Floats) -> bool:
    """Return whether D + 1 rows surely have multipliers > 0, one line of them, that cancel them.

    A holds the first D rows by column, b is the last, and A x = -b is solved with an approximate
    inverse R. With E = I - R A, |E| <= alpha < 1, A is not singular, and |x - x*| is at most
    |R (A x + b)| / (1 - alpha), all norms the largest (Rump 1999, INTLAB). Each sum is bounded
    with the error of its own rounding.

    Parameters
    ----------
    room : (D, 2 D), written
    """
    D = rows.shape[1]
    if size != D + 1:
        return False
    for j in range(D):
        for i in range(D):
            room[i, j] = rows[core[j], i]
            room[i, D + j] = 1.0 if i == j else 0.0
    if not invert(room):
        return False
    x, off = np.empty(D), np.empty(D)
    solve_with(room, rows, core, x, off)
    radius, least = 0.0, np.inf
    for i in range(D):
        of_row, moved = 0.0, 0.0
        for j in range(D):
            total = -1.0 if i == j else 0.0
            magnitude = -total
            other = rows[core[j]]
            for k in range(D):
                product = room[i, D + k] * other[k]
                total += product
                magnitude += abs(product)
            of_row += abs(total)
            of_row += compiled_score_error(D + 1, magnitude, UNIT_ROUNDOFF, UNDERFLOWN)
        for k in range(D):
            moved += abs(room[i, D + k]) * off[k]
        if not (of_row < 0.25 and moved < np.inf):  # nor where one is not a number
            return False
        radius, least = max(radius, moved), min(least, x[i])
    return least > 2.0 * radius + UNDERFLOWN  # 1 / (1 - alpha) and all rounding are below 2


@part
def solve_with(room: Floats, rows: Floats, core: Integers, x: Floats, off: Floats) -> None:
    """Write x = -R b, and of each equation of A x = -b how far it is off, rounded outwards."""
    D = rows.shape[1]
    last = rows[core[D]]
    for i in range(D):
        x[i] = 0.0
        for k in range(D):
            x[i] -= room[i, D + k] * last[k]
    for i in range(D):
        total, magnitude = last[i], abs(last[i])
        for j in range(D):
            product = rows[core[j], i] * x[j]
            total += product
            magnitude += abs(product)
        off[i] = abs(total) + compiled_score_error(D + 1, magnitude, UNIT_ROUNDOFF, UNDERFLOWN)


@part
def invert(room: Floats) -> bool:
    """Turn (A, I) into (I, about the inverse of A), with row pivots; False where A is singular."""
    D = room.shape[0]
    for c in range(D):
        pivot = c
        for i in range(c + 1, D):
            if abs(room[i, c]) > abs(room[pivot, c]):
                pivot = i
        if not abs(room[pivot, c]) > 0.0:
            return False
        if pivot != c:
            for j in range(2 * D):
                room[c, j], room[pivot, j] = room[pivot, j], room[c, j]
        factor = 1.0 / room[c, c]
        for j in range(2 * D):
            room[c, j] *= factor
        for i in range(D):
            q = room[i, c]
            if i != c and q != 0.0:
                for j in range(2 * D):
                    room[i, j] -= q * room[c, j]
    return True
