"""Pricing: cores of small dual value, which make the linear program over all cores larger.

Rows z_k have dual values p_k >= 0. A core is the support of a vertex of

    {lambda >= 0 : sum lambda_k z_k = 0, sum lambda_k = 1},

and its price is the sum of p_k over its support. To find the least is NP-hard; so a vertex of least
sum_k c_k lambda_k is taken, for costs c like the dual values, and from it every step goes to that
neighbour whose price is least. The simplex and its tableau are those of `cores.py`; the caller is
`_price` in `zero_one/branch_and_price.py`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part
from separatrix.kernels.zero_one.cores import (
    POSITIVE,
    SMALL,
    Program,
    best_entering,
    bring_in,
    set_up,
    write_support,
)

Floats = NDArray[np.float64]

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
