"""Cores, which are infeasible subsets: rows that no point of a box puts right together.

For rows z_k and the box |v_j - c_j| <= h_j, exactly one of two things holds (a matrix game):
some v in the box has z_k.v > 0 for all k, or some lambda >= 0, sum lambda = 1, has
max_v (sum lambda_k z_k).v <= 0 over the box. The second side is a linear program,

    min  sum_k lambda_k z_k.c + sum_j h_j |sum_k lambda_k z_kj|,   sum lambda = 1,   lambda >= 0,

with one equation for each coordinate of the box that has a width. It is solved by the primal
simplex on a dense tableau (Dantzig 1951). The tableau only proposes: what counts is recomputed from
the rows, rounded outwards.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# what the program found
CORE, POINT, ZERO, UNKNOWN = 0, 1, 2, 3

MOST_PIVOTS = 300
SMALL = 1e-9  # of a reduced cost or a pivot
POSITIVE = 1e-9  # of a multiplier


class Program(NamedTuple):
    """Scratch of the linear program."""

    # (D + 2, rows + D + 1): the equations, then the reduced costs; the last column in use holds the
    # right side
    tableau: Floats
    # (D + 1,) of each equation the basic variable: k < rows lambda_k; rows + a the positive part of
    # equation a; -(a + 1) its negative part
    basis: Integers
    wide: Integers  # (D,) the coordinates of the box that have a width
    active: Integers  # (rows,) the rows that take part
    support: Integers  # support, multipliers: (D + 1,) the core found, as positions in `active`
    multipliers: Floats
    point: Floats  # (D,) the point found, in units of the box's half widths around its centre


def new_program(dimension: int, most_rows: int) -> Program:
    """Return room for programs of at most this number of rows."""
    return Program(
        np.empty((dimension + 2, most_rows + dimension + 2)),
        np.empty(dimension + 2, dtype=np.int64),
        np.empty(dimension + 1, dtype=np.int64),
        np.empty(most_rows, dtype=np.int64),
        np.empty(dimension + 2, dtype=np.int64),
        np.empty(dimension + 2),
        np.empty(dimension),
    )


@part_any_order
def _add_multiple(a: float, x: Floats, y: Floats, n: int) -> None:
    for k in range(n):
        y[k] += a * x[k]


@part_any_order
def _scale(a: float, x: Floats, n: int) -> None:
    for k in range(n):
        x[k] *= a


@compiled
def solve(program: Program, Z: Floats, s: Floats, n_active: int, h: Floats) -> tuple[int, int]:
    """Find a core among the first n_active rows of `program.active`.

    Parameters
    ----------
    Z : (D, m) rows by column; s : (m,) their scores at the centre of the box
    h : (D,) half widths of the box

    Returns
    -------
    found : CORE, POINT, ZERO (a core whose combination seems to vanish) or UNKNOWN
    size : how many rows the core has
    """
    n_wide, widest = 0, 0.0
    for j in range(h.size):
        if h[j] > 0.0:
            widest = max(widest, h[j])
            program.wide[n_wide] = j
            n_wide += 1
    largest = set_up(program, Z, s, n_active, h, n_wide)
    tolerance = 1e-13 + 1e-11 * (largest + widest)
    right = n_active + n_wide
    cost = program.tableau[n_wide + 1]
    for _ in range(MOST_PIVOTS):
        if -cost[right] < -tolerance:
            return CORE, write_support(program, n_active, n_wide)
        entering, side = best_entering(cost, n_active, n_wide, largest)
        if entering < 0:
            break
        if not bring_in(program, entering, side, n_active, n_wide):
            return UNKNOWN, 0
    else:
        return UNKNOWN, 0
    if -cost[right] > tolerance:
        for j in range(h.size):
            program.point[j] = 0.0
        for a in range(n_wide):
            program.point[program.wide[a]] = min(1.0, max(-1.0, 1.0 - cost[n_active + a]))
        return POINT, 0
    for a in range(n_wide + 1):
        basic = program.basis[a]
        if (basic < 0 or basic >= n_active) and program.tableau[a, right] > SMALL:
            return UNKNOWN, 0  # the box takes part: not a combination that vanishes
    return ZERO, write_support(program, n_active, n_wide)


@part
def set_up(program: Program, Z: Floats, s: Floats, n_active: int, h: Floats, n_wide: int) -> float:
    """Write the tableau of the basis {the row of least score}; return the largest score."""
    tableau, active, basis = program.tableau, program.active, program.basis
    right = n_active + n_wide
    cost, last = tableau[n_wide + 1], tableau[n_wide]
    first, least, largest = 0, math.inf, 0.0
    for k in range(n_active):
        score = s[active[k]]
        cost[k] = score
        last[k] = 1.0
        largest = max(largest, abs(score))
        if score < least:
            least, first = score, k
    for k in range(n_active, right):
        cost[k], last[k] = 1.0, 0.0
    cost[right], last[right] = 0.0, 1.0
    basis[n_wide] = first
    for a in range(n_wide):
        j = program.wide[a]
        equation, z, width = tableau[a], Z[j], h[j]
        for k in range(n_active):
            equation[k] = z[active[k]] * width
        for k in range(n_active, right + 1):
            equation[k] = 0.0
        equation[n_active + a] = -1.0
        q = equation[first]
        _add_multiple(-q, last, equation, right + 1)
        if q >= 0.0:
            basis[a] = n_active + a
            _scale(-1.0, equation, right + 1)
        else:
            basis[a] = -(a + 1)
    _add_multiple(-cost[first], last, cost, right + 1)
    for a in range(n_wide):
        _add_multiple(-1.0, tableau[a], cost, right + 1)
    return largest


@part
def best_entering(cost: Floats, n_active: int, n_wide: int, largest: float) -> tuple[int, float]:
    """Return the variable of least reduced cost and its side; -1 when none is negative."""
    entering, side, least = -1, 1.0, -SMALL
    best, k_best = 0.0, -1
    for k in range(n_active):
        if cost[k] < best:
            best, k_best = cost[k], k
    if k_best >= 0 and best < -SMALL * largest:
        entering, least = k_best, best / largest
    for a in range(n_wide):
        q = cost[n_active + a]
        if q < least:
            entering, side, least = n_active + a, 1.0, q
        if 2.0 - q < least:  # the negative part: its column is minus that of the positive part
            entering, side, least = n_active + a, -1.0, 2.0 - q
    return entering, side


@part
def bring_in(program: Program, entering: int, side: float, n_active: int, n_wide: int) -> bool:
    """Bring a variable into the basis; False when no equation bounds it."""
    tableau, right = program.tableau, n_active + n_wide
    leaving, least, size = -1, math.inf, 0.0
    for a in range(n_wide + 1):
        q = tableau[a, entering] * side
        if q > SMALL:
            ratio = tableau[a, right] / q
            if ratio < least - 1e-13 or (ratio < least + 1e-13 and q > size):
                leaving, least, size = a, ratio, q
    if leaving < 0:
        return False
    pivot = tableau[leaving]
    _scale(1.0 / (pivot[entering] * side), pivot, right + 1)
    for a in range(n_wide + 2):
        if a == leaving:
            continue
        q = tableau[a, entering] * side
        if side < 0.0 and a == n_wide + 1:
            q += 2.0
        if q != 0.0:
            _add_multiple(-q, pivot, tableau[a], right + 1)
    program.basis[leaving] = entering if side > 0.0 else -(entering - n_active + 1)
    pivot[right] = max(pivot[right], 0.0)
    return True


@part
def write_support(program: Program, n_active: int, n_wide: int) -> int:
    """Write the rows with a positive multiplier; return how many there are."""
    size, right = 0, n_active + n_wide
    for a in range(n_wide + 1):
        basic = program.basis[a]
        if 0 <= basic < n_active and program.tableau[a, right] > POSITIVE:
            program.support[size] = program.active[basic]
            program.multipliers[size] = program.tableau[a, right]
            size += 1
    return size


@part
def holds(
    support: Integers, multipliers: Floats, size: int, Z: Floats, s: Floats, slack: Floats,
    h: Floats
) -> bool:  # fmt: skip
    """Return whether sum lambda_k z_k is negative on the whole box, rounded outwards."""
    total, top = 0.0, 0.0
    for i in range(size):
        k = support[i]
        top += s[k] * multipliers[i]
        total += multipliers[i]
        top += slack[k] * multipliers[i]
    for j in range(h.size):
        g = 0.0
        for i in range(size):
            g += multipliers[i] * Z[j, support[i]]
        top += abs(g) * h[j]
    return top + 2.0**-50 * (h.size + 2) ** 2 * total < 0.0


# Pricing: cores of small dual value, which make the linear program over all cores larger. Rows z_k
# have dual values p_k >= 0. A core is the support of a vertex of
#
#     {lambda >= 0 : sum lambda_k z_k = 0, sum lambda_k = 1},
#
# and its price is the sum of p_k over its support. To find the least is NP-hard; so a vertex of
# least sum_k c_k lambda_k is taken, for costs c like the dual values, and from it every step goes
# to that neighbour whose price is least. The caller is `_price` in `zero_one/branch_and_price.py`.

MOST_STEPS = 60  # from the vertex of least cost
ARTIFICIAL = 5.0  # the price of a basic variable that is not a row: it leaves first
DEGENERATE = 1e-12


@part
def _least_cost(program: Program, n: int, dimension: int, largest: float, most: int) -> int:
    """Go to the vertex of least cost; return the pivots made, `most` when it was not reached."""
    cost = program.tableau[dimension + 1]
    for pivots in range(most):
        entering, side = best_entering(cost, n, dimension, largest)
        if entering < 0:
            return pivots
        if not bring_in(program, entering, side, n, dimension):
            return most
    return most


@part
def _vanishes(program: Program, n: int, dimension: int) -> bool:
    """Return whether rows alone make up the vertex: their combination seems to vanish."""
    for a in range(dimension + 1):
        basic = program.basis[a]
        if (basic < 0 or basic >= n) and program.tableau[a, n + dimension] > POSITIVE:
            return False
    return True


@part
def _cheapest_neighbour(
    program: Program, duals: Floats, n: int, dimension: int, least: Floats, leaving: Floats
) -> int:
    """Return the row that makes the vertex cheaper by taking the place of another; -1 if none."""
    tableau, basis, right = program.tableau, program.basis, n + dimension
    for k in range(n):
        least[k], leaving[k] = math.inf, 0.0
    for a in range(dimension + 1):
        equation, left = tableau[a], tableau[a, right]
        basic = basis[a]
        price = duals[basic] if 0 <= basic < n else ARTIFICIAL
        for k in range(n):
            if equation[k] > SMALL and left < least[k] * equation[k]:
                least[k], leaving[k] = left / equation[k], price
    most, best = SMALL, -1
    for k in range(n):
        if least[k] > DEGENERATE and leaving[k] - duals[k] > most:
            most, best = leaving[k] - duals[k], k
    return best


@compiled
def cheap_core(
    program: Program, Z: Floats, costs: Floats, duals: Floats, h: Floats, most: int
) -> tuple[int, int]:
    """Find a core of small price among all rows, which `program.active` has to number.

    Parameters
    ----------
    Z : (D, n) rows by column
    costs : (n,) from 0 to 1: which vertex to begin with; duals : (n,)
    h : (D,) cost of a combination that does not vanish: much more than 1
    most : pivots

    Returns
    -------
    size : of the core in `program.support`; 0 for none
    pivots : made
    """
    dimension, n = Z.shape
    for j in range(dimension):
        program.wide[j] = j
    largest = max(set_up(program, Z, costs, n, h, dimension), SMALL)
    pivots = _least_cost(program, n, dimension, largest, most)
    if pivots == most or not _vanishes(program, n, dimension):
        return 0, pivots
    least, leaving = np.empty(n), np.empty(n)
    for _ in range(MOST_STEPS):
        k = _cheapest_neighbour(program, duals, n, dimension, least, leaving)
        if k < 0 or not bring_in(program, k, 1.0, n, dimension):
            break
        pivots += 1
    return write_support(program, n, dimension), pivots
