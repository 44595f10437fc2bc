"""The end of a coefficient that diverges, from an optimum of the rows that stay without it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from separatrix.data import Floats
from separatrix.inference.intervals.search import Accept, Aim, Near, Search, towards_the_limit
from separatrix.inference.maximum import Maximum, label_weights, without_columns
from separatrix.learners.logistic.reads import optimum_in_blocks, place_of, well_posed
from separatrix.scale import Rows


@dataclass(frozen=True)
class Alone:
    """A coefficient among the rows that stay where it diverges, and their likelihood without it."""

    j: int
    near: Near
    chi2: float  # of "w_j is 0"
    weights: Floats  # (1+d,) the best with w_j = 0
    value: float  # its log-likelihood

    @classmethod
    def of(cls, j: int, rows: Rows, left_out: Iterable[int], of: Maximum) -> Alone:
        weights, errors = most_likely_without(rows, [j, *left_out])
        chi2 = max(0.0, 2.0 * (of.log_likelihood + errors))
        read = well_posed(rows, place_of(rows, weights), left_out)
        place = replace(read.place, before=None, step=None)
        near = Near.of(rows, place, place.c, of.log_likelihood + read.value, read.hessian)
        near = replace(near, exactly=not near.all_at_hand)
        return cls(j, near, chi2, weights, 0.0 - read.value)

    def end(  # noqa: PLR0917
        self, side: int, recession: Floats, accept: Accept, room: float, rounding: float,
        q: float, widest: float, most: int,
    ) -> tuple[float, float] | None:  # fmt: skip
        """Return the values beside the end, searched from far along a direction of recession."""
        near = self.near
        search = Search(near, q, accept, rounding, widest, most, always=True)
        scores = near.plain @ near.place.scaling.coordinates(recession)
        for start in (towards_the_limit(near.fall, near.base, near.few.M, scores), near.base):
            if not search.ends:
                search.found([Aim(self.j, side, room, start)])
        return search.ends.get((self.j, side))


def most_likely_without(rows: Rows, away: list[int]) -> tuple[Floats, float]:
    """Return the most likely line (1+d,) with some coefficients 0, and its sum of errors."""
    fewer, weights = without_columns(rows, away), np.zeros(rows.d + 1)
    if not fewer.d and not fewer.x0:
        return weights, float(np.log(2.0) * rows.sum(label_weights).sum())
    best = optimum_in_blocks(fewer)
    kept = [0, *(i for i in range(1, rows.d + 1) if i not in away)]
    weights[kept] = best.weights
    return weights, best.value
