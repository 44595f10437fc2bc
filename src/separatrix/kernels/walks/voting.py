"""Sums over all the weights of a walk, without keeping them: an average, and votes."""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.exact import signed_score
from separatrix.kernels.rows import (
    Floats,
    Rows,
    add_row,
    certain_of,
    doubt,
    largest_squared_length,
    score,
    score_in_order,
)


@compiled
def add_aged(
    rows: Rows, y: Floats, visited: NDArray[np.int64], ages: Floats, total: Floats, x0: float
) -> None:
    """Add ages[k] y x of every visited row to the total (1+d,), in their order."""
    for k in range(visited.size):
        i = visited[k]
        add_row(rows, i, ages[k] * y[i], total, x0)


@compiled
def mistakes_of_updates(
    rows: Rows, y: Floats, visited: NDArray[np.int64], start: Floats, x0: float
) -> int:
    """Return how many of the updates on the visited rows had y v.x <= 0, every sign exact."""
    v = start.copy()
    wrong = 0
    for k in range(visited.size):
        i = visited[k]
        s = score_in_order(rows, i, v, x0)
        if not abs(s) > doubt(rows, i, v, x0):
            s = signed_score(rows, i, v, x0)
        if y[i] * s <= 0.0:
            wrong += 1
        add_row(rows, i, y[i], v, x0)
    return wrong


@compiled
def poll(
    rows: Rows, n: int, trained: Rows, signs: Floats, visited: NDArray[np.int64],
    votes: NDArray[np.int64], start: Floats, x0: float
) -> NDArray[np.int64]:  # fmt: skip
    """Return sum_k votes[k] sign(v_k.x) of n new rows (n,); v_{k+1} adds row visited[k] to v_k."""
    sums = np.zeros(n, dtype=np.int64)
    v = start.copy()
    radius_squared = largest_squared_length(rows, n, x0)
    for k in range(votes.size):
        if k > 0:
            i = visited[k - 1]
            add_row(trained, i, signs[i], v, x0)
        if votes[k] == 0:
            continue
        certain = certain_of(v, radius_squared)
        for j in range(n):
            s = score(rows, j, v, x0)
            if not abs(s) > certain:
                s = signed_score(rows, j, v, x0)
            if s > 0.0:
                sums[j] += votes[k]
            elif s < 0.0:
                sums[j] -= votes[k]
    return sums
