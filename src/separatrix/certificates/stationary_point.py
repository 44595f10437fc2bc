"""Where Firth's penalised likelihood has a local maximum, and where its profiles have fallen.

Nothing here says "the largest of all": F is not known to be concave, and only neighbourhoods are
enclosed (`exact.penalised_balls`). In them there is one stationary point, and F bends down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from separatrix._later import flint
from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import whole_number
from separatrix.certificates.statement import ODD, doubles
from separatrix.data import Floats, Sample, read_arrays
from separatrix.exact.penalised_balls import OneMaximum, PenalisedBalls, at_precisions
from separatrix.exact.signed_block import homogeneous

SHARES = (1e-7, 1e-6, 1e-5)  # of the fall that is wanted: half the width of a bracket
LEAST_RADIUS = 1e-9


@dataclass(frozen=True, slots=True)
class StationaryPoint:
    """The claim that F has one stationary point near a line, a strict local maximum."""

    weights: Floats  # (1+d,) The line, w_0 first; 0 for columns that are not among `columns`.
    sample_weight: Floats  # (N,)
    columns: tuple[int, ...]  # independent ones, as indices in (1+d,): F is that of lines on them
    radius: float  # of the neighbourhood, in standard errors from the curvature of F
    x0: float = 1.0  # 1.0 with an intercept, else 0.0

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Whether it is proven, in ball arithmetic from scratch.

        Costs some D^2 microseconds per row, D the number of columns; D^3 where that leaves doubt.
        """
        found = self.proven_of(read_arrays(X, y))
        return bool(found is not None and found.radius <= self.radius)

    def enclosure(self, X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats] | None:
        """Return proven bounds (1+d,), (1+d,) of the maximum's coefficients; None if none."""
        found = self.proven_of(read_arrays(X, y))
        if found is None:
            return None
        far = np.zeros(len(self.weights))
        far[list(self.columns)] = found.radius * found.reach
        weights = np.asarray(self.weights)
        lower, upper = (np.nextafter(weights + s * far, s * math.inf) for s in (-1.0, 1.0))
        still = far == 0.0
        return np.where(still, weights, lower), np.where(still, weights, upper)

    def proven_of(self, sample: Sample) -> OneMaximum | None:
        """Return the neighbourhood, for data already checked; None where none is proven."""
        for precision in at_precisions():
            with precision:
                balls = self.balls(sample, self.weights)
                if balls is None:
                    return None
                found = balls.one_maximum(balls.coordinates(self._on_columns(self.weights)))
            if found is not None:
                return found
        return None

    def balls(self, sample: Sample, line: Floats, last: int | None = None) -> PenalisedBalls | None:
        """Return F about a line, coefficient `last` in (1+d,) being the last coordinate's."""
        try:
            weights = doubles(line, sample.d + 1)
            m = doubles(self.sample_weight, sample.n)
            columns = [whole_number(j) for j in self.columns]
        except ODD:
            return None
        first = 0 if self.x0 else 1
        known = range(first, sample.d + 1)
        others = np.delete(weights, columns) if all(j in known for j in columns) else [1.0]
        if self.x0 not in (0.0, 1.0) or not (m >= 0.0).all() or np.any(others):
            return None
        if not columns or len({*columns}) != len(columns) or last not in (None, *columns):
            return None
        table = homogeneous(sample.X, self.x0)[:, [j - first for j in columns]]
        present = m > 0.0
        place = None if last is None else columns.index(last)
        return PenalisedBalls(
            table[present], sample.y[present], m[present], weights[columns], place
        )

    def _on_columns(self, line: Floats) -> Floats:
        return np.asarray(line, dtype=np.float64)[list(self.columns)]


@dataclass(frozen=True, slots=True)
class PenalisedEnd:
    """The claim that a profile of F falls by q / 2 between two values of a coefficient.

    The top is the local maximum at `point`. Near `line` F has one maximum for each value of the
    coefficient between the two; at `inside` it has fallen by at most q / 2, at `outside` by more.
    """

    point: StationaryPoint
    column: int  # index in (1+d,) of the coefficient
    q: float  # twice the fall, a quantile of chi-square
    line: Floats  # (1+d,) near the end
    inside: float  # inside, outside: the two values
    outside: float

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Whether it is proven, in ball arithmetic from scratch."""
        sample = read_arrays(X, y)
        top = self.point.proven_of(sample)
        return top is not None and self.holds(sample, top)

    def holds(self, sample: Sample, top: OneMaximum) -> bool:
        """Whether it is proven for data already checked, the maximum's neighbourhood known."""
        for precision in at_precisions():
            with precision:
                if self._holds(sample, top):
                    return True
        return False

    def _holds(self, sample: Sample, top: OneMaximum) -> bool:
        balls = self.point.balls(sample, self.line, self.column)
        if balls is None or not (math.isfinite(self.inside) and math.isfinite(self.outside)):
            return False
        at_top = balls.coordinates(self.point._on_columns(self.point.weights))
        near = [v.mid() for v in balls.coordinates(self.point._on_columns(self.line))]
        inside, outside = (balls.last_coordinate(v) for v in (self.inside, self.outside))
        try:
            height = balls.at(at_top, value=True).value
            within = balls.at([*near[:-1], inside], value=True).value
        except ZeroDivisionError:
            return False
        fall = flint.arb(self.q) / 2
        if not within >= height + top.excess - fall:
            return False
        found = balls.one_maximum([*near[:-1], outside], between=inside.union(outside))
        return found is not None and bool(found.value + found.excess < height - fall)


def bracket_of_end(  # noqa: PLR0917  # one caller
    point: StationaryPoint, sample: Sample, top: OneMaximum, column: int, line: Floats, q: float
) -> PenalisedEnd | None:
    """Return the narrowest of a few brackets of an end, proven; None where none is."""
    with at_precisions()[0]:
        balls = point.balls(sample, line, column)
        if balls is None:
            return None
        slope = balls.slope_of_last(balls.coordinates(point._on_columns(line)))
    v, side = float(line[column]), -math.copysign(1.0, slope)
    if not math.isfinite(slope) or slope == 0.0:
        return None
    claim = partial(PenalisedEnd, point, column, q, line)
    for share in SHARES:
        far = side * share * q / abs(2.0 * slope)
        end = claim(v - far, v + far)
        if end.inside != end.outside and end.holds(sample, top):
            return end
    return None
