"""PLA on scores alone: a row's update adds its row of the Gram matrix to the scores of all rows."""

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Floats, Rows, score_in_order
from separatrix.kernels.walks.perceptron import (
    CLEAN_PASS,
    GOING_ON,
    PASSES,
    PASSES_SPENT,
    POSITION,
    STREAK,
    UPDATES,
    UPDATES_SPENT,
)

# a row of the Gram matrix is wanted that is not at hand; the walk goes on where it stands
ROW_WANTED = 5


@compiled
def products(rows: Rows, n: int, w: Floats) -> Floats:
    """Return x_i.w of all n rows for w (1+d,) with w_0 = 0: (n,), summed in column order."""
    values = np.empty(n)
    for i in range(n):
        values[i] = score_in_order(rows, i, w, 0.0)
    return values


@compiled
def walk_on_gram(
    cache: Floats,
    slots: NDArray[np.int64],
    y: Floats,
    order: NDArray[np.int64],
    restart: bool,
    scores: Floats,
    tie: float,
    state: NDArray[np.int64],
    alpha: NDArray[np.int64],
    visited: NDArray[np.int64],
    max_updates: int,
    max_passes: int,
    max_visits: int,
) -> tuple[int, int]:
    """Go on walking as `walk_in_order` does, on scores (N,).

    ``cache[slots[i]]`` is row i of the Gram matrix, where slots[i] >= 0. On ROW_WANTED the row is
    ``order[state[POSITION]]``. Changes scores, state and alpha (updates per row) in place and
    writes the rows of the updates into `visited`; returns why the slice ended and how many.
    """
    n = y.size
    made = 0
    for _ in range(max_visits):
        if state[STREAK] == n:
            return CLEAN_PASS, made
        p = state[POSITION]
        if p == 0 and state[PASSES] == max_passes:
            return PASSES_SPENT, made
        i = order[p]
        s = scores[i]
        h = tie if s == 0.0 else (1.0 if s > 0.0 else -1.0)
        if h != y[i] and state[UPDATES] < max_updates and slots[i] < 0:
            return ROW_WANTED, made
        if p == 0:
            state[PASSES] += 1
        if h == y[i]:
            state[STREAK] += 1
            state[POSITION] = (p + 1) % n
            continue
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        row = cache[slots[i]]
        for j in range(n):
            scores[j] += y[i] * row[j]
        alpha[i] += 1
        visited[made] = i
        made += 1
        state[UPDATES] += 1
        state[STREAK] = 0
        state[POSITION] = 0 if restart else (p + 1) % n
        if made == visited.size:
            break
    return GOING_ON, made


@compiled
def walk_on_gram_at_random(
    cache: Floats,
    slots: NDArray[np.int64],
    y: Floats,
    scores: Floats,
    tie: float,
    state: NDArray[np.int64],
    alpha: NDArray[np.int64],
    visited: NDArray[np.int64],
    draws: Floats,
    max_updates: int,
    max_passes: int,
) -> tuple[int, int]:
    """Go on walking as `walk_at_random` does, on scores (N,); as `walk_on_gram` otherwise.

    `draws` are uniform in [0, 1), one per update. On ROW_WANTED the row is ``state[POSITION]``, and
    its draw has not been used.
    """
    n = y.size
    found = np.empty(n, dtype=np.int64)
    made = 0
    while made < draws.size:
        if state[PASSES] == max_passes:
            return PASSES_SPENT, made
        n_found = 0
        for j in range(n):
            h = tie if scores[j] == 0.0 else (1.0 if scores[j] > 0.0 else -1.0)
            if h != y[j]:
                found[n_found] = j
                n_found += 1
        state[PASSES] += 1
        if n_found == 0:
            state[STREAK] = n
            return CLEAN_PASS, made
        if state[UPDATES] == max_updates:
            return UPDATES_SPENT, made
        i = found[int(draws[made] * n_found)]
        state[POSITION] = i
        if slots[i] < 0:
            state[PASSES] -= 1
            return ROW_WANTED, made
        row = cache[slots[i]]
        for j in range(n):
            scores[j] += y[i] * row[j]
        alpha[i] += 1
        visited[made] = i
        made += 1
        state[UPDATES] += 1
    return GOING_ON, made
