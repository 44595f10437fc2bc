"""The perceptron by iterative parameter mixing (McDonald, Hall & Mann 2010, section 4.2).

Why it stops: with w_f of margin rho > 0 and R = max |x|, shard i's pass of k_i updates raises
w_f.w by at least k_i rho |w_f| and |w|^2 by at most k_i R^2. So a mean of the shards' weights, by
mu_i >= 0 that add up to 1, raises w_f.w by at least rho |w_f| sum mu_i k_i, and, the square being
convex, |w|^2 by at most R^2 sum mu_i k_i: sum over epochs of sum mu_i k_i is at most (R / rho)^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from separatrix.plain.score import Labels, Row, Rows, SignOfZero, is_mistake, moved


class Mixed(NamedTuple):
    """The mixed weights, the updates of each shard in each epoch, and whether the last had none."""

    w: Row
    updates: list[list[int]]
    done: bool


def mixing_perceptron(
    X: Rows,
    y: Labels,
    shards: Sequence[range],
    epochs: int,
    *,
    sign_of_zero: SignOfZero = "mistake",
) -> Mixed:
    """Walk over the rows of each shard from the mixed weights; mix them by their updates; again."""
    w: Row = [0.0] * len(X[0])
    updates: list[list[int]] = []
    for _ in range(epochs):
        ends = [one_pass(X, y, shard, w, sign_of_zero) for shard in shards]
        updates.append([k for _, k in ends])
        all_updates = sum(updates[-1])
        if all_updates == 0:
            return Mixed(w, updates, True)
        w = [sum(k / all_updates * v[j] for v, k in ends) for j in range(len(w))]
    return Mixed(w, updates, False)


def one_pass(X: Rows, y: Labels, shard: range, w: Row, rule: SignOfZero) -> tuple[Row, int]:
    """Return the weights after PLA visited each row of a shard once, and its updates."""
    k = 0
    for n in shard:
        if is_mistake(w, X[n], y[n], rule):
            w, k = moved(w, y[n], X[n]), k + 1
    return w, k
