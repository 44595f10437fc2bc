"""The end of a coefficient that diverges, from an optimum of the rows that stay without it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from separatrix.data import Floats
from separatrix.inference.intervals.bounds import (
    FOUND,
    WIDEST,
    Bounds,
    EndInBlocks,
    EndsOnFace,
    Level,
)
from separatrix.inference.intervals.search import (
    MOST_READS,
    Accept,
    Aim,
    Near,
    Search,
    towards_the_limit,
)
from separatrix.inference.maximum import Maximum, label_weights, without_columns
from separatrix.learners.logistic.reads import optimum_in_blocks, place_of, well_posed
from separatrix.scale import Rows

NEARBY = 1e-3  # of q: a fall that is so near to it may be shown from where it is


@dataclass(frozen=True)
class Alone:
    """A coefficient among the rows that stay where it diverges, and their likelihood without it."""

    j: int
    near: Near
    chi2: float  # of "w_j is 0"
    weights: Floats  # (1+d,) a line: of the maximum where it has one, else the best with w_j = 0
    value: float  # its log-likelihood
    direction: Floats | None  # (m, 1+d) along which all other rows go

    @classmethod
    def of(
        cls,
        j: int,
        rows: Rows,
        direction: Floats | None,
        left_out: Iterable[int],
        of: Maximum,
    ) -> Alone:
        weights, errors = most_likely_without(rows, [j, *left_out], of.x0)
        chi2 = max(0.0, 2.0 * (of.log_likelihood + errors))
        if of.optimum is not None:
            weights = of.optimum.weights
        read = well_posed(rows, place_of(rows, of.x0, weights), left_out)
        place = replace(read.place, before=None, step=None)
        near = Near.of(rows, place, place.c, of.log_likelihood + read.value, read.hessian)
        near = replace(near, exactly=not near.all_at_hand)
        return cls(j, near, chi2, weights, 0.0 - read.value, direction)

    def end(  # noqa: PLR0917
        self,
        side: int,
        q: float,
        recession: Floats,
        accept: Accept,
        room: float,
        rounding: float,
        widest: float,
        most: int,
    ) -> tuple[float, float] | None:
        """Return the values beside the end, searched from far along a direction of recession."""
        near = self.near
        search = Search(near, q, accept, rounding, widest, most, of_columns=True, always=True)
        scores = near.plain @ near.place.scaling.coordinates(recession)
        for start in (towards_the_limit(near.fall, near.base, near.few.M, scores), near.base):
            if not search.ends:
                search.found([Aim(self.j, side, room, start)])
        return search.ends.get((self.j, side))

    def end_in_blocks(
        self, side: int, q: float, recession: Floats, level: Level
    ) -> EndsOnFace | None:
        """Return the end as bounds around it show it."""
        shown: list[EndsOnFace] = []

        def accept(
            j: int, side: int, c: Floats, value: float, *_: object
        ) -> tuple[float, float] | None:
            if not abs(2.0 * (self.near.short - value) - q) <= NEARBY * q:
                return None
            place = replace(self.near.place, c=c)
            end = _shown_from(Bounds.below(self.near.table, place, level), j, side, q)
            if end is not None:
                shown.append(EndsOnFace(place, self.direction, (end,)))
            return np.nan, np.nan

        room = 0.1 * NEARBY * q
        self.end(side, q, recession, accept, room, room, room, MOST_READS)
        return shown[0] if shown else None


def _shown_from(bounds: Bounds, j: int, side: int, q: float) -> EndInBlocks | None:
    """Return an end that is near the base of bounds."""
    lines, margin = [bounds.near.base], bounds.margin(q)
    if margin > WIDEST * q:
        return None

    def accept(  # noqa: PLR0917
        j: int, side: int, c: Floats, value: float, pulls: Floats, margin: float, _: bool
    ) -> tuple[float, float] | None:
        lines[0] = c.copy()
        return bounds.bracket(j, side, c, value, pulls, q, min(2.0 * margin, WIDEST * q), FOUND)

    search = Search(bounds.near, q, accept, margin, WIDEST * q, MOST_READS)
    found = search.found([Aim(j, side, margin, bounds.near.base)]).ends.get((j, side))
    return None if found is None else EndInBlocks(j, side, lines[0], *found)


def most_likely_without(rows: Rows, away: list[int], x0: float) -> tuple[Floats, float]:
    """Return the most likely line (1+d,) with some coefficients 0, and its sum of errors."""
    fewer, x0 = without_columns(rows, away, x0)
    weights = np.zeros(rows.d + 1)
    if not fewer.d and not x0:
        return weights, float(np.log(2.0) * rows.sum(label_weights).sum())
    best = optimum_in_blocks(fewer, x0)
    kept = [0, *(i for i in range(1, rows.d + 1) if i not in away)]
    weights[kept] = best.weights
    return weights, best.value
