"""Firth's penalised likelihood in ball arithmetic (Johansson 2017): where one maximum is.

Let -F's Hessian be at least mu K on |L'(c - c0)| <= r, K = L L', mu > 0, F as in `learners/firth`.
Where |L^-1 grad F(c0)| <= mu r, F has exactly one stationary point there, a maximum, no further
from c0 than |L^-1 grad F(c0)| / mu, and exceeds F(c0) by at most |L^-1 grad F(c0)|^2 / (2 mu).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix._later import flint
from separatrix.exact.integers import Floats

Ball = Any  # flint.arb ships no types
Matrix = Any  # flint.arb_mat

PRECISIONS = (128, 256)  # bits
WIDENING = (4.0, 64.0)  # radii that are tried, in lengths of the step to the maximum
LEAST = 1e-12  # radius, in units of the spread


@dataclass(frozen=True, slots=True)
class At:
    """What is known on a box of lines."""

    value: Ball  # F, up to a constant of the coordinates
    score: list[Ball]  # D balls, the gradient
    bound: Matrix  # (D, D), at most the Hessian of -F


@dataclass(frozen=True, slots=True)
class OneMaximum:
    """A neighbourhood of a line that holds one stationary point, which is a maximum of F."""

    radius: float
    reach: Floats  # (D,) its distance in each coefficient is at most radius times this
    value: Ball  # F at the line
    excess: Ball  # an upper bound of what F at the maximum exceeds that by


class PenalisedBalls:
    """F of a table, in coordinates c, b = F c, in which the information at a line is nearly 1."""

    def __init__(
        self, table: Floats, y: Floats, m: Floats, line: Floats, last: int | None = None
    ) -> None:
        d = table.shape[1]
        self.d, self.last = d, last
        self.order = [k for k in range(d) if k != last] + ([] if last is None else [last])
        scale = np.ldexp(1.0, -np.frexp(np.abs(table).max(axis=0))[1])
        root = np.sqrt(m) / (2.0 * np.cosh(np.clip(table @ line, -1400.0, 1400.0) / 2.0))
        R = np.linalg.qr((table * scale * root[:, np.newaxis])[:, self.order], mode="r")
        self._back = np.zeros((d, d))
        self._back[self.order] = np.triu(np.linalg.inv(R)) * scale[self.order, np.newaxis]
        self._back_balls = _balls(self._back)
        self._rows = _balls(table) * self._back_balls
        self._across = self._rows.transpose()
        self._entries = self._rows.tolist()
        self._yes, self._m = (y > 0.0).tolist(), [flint.arb(v) for v in m.tolist()]

    def coordinates(self, b: Floats) -> list[Ball]:
        """Return c for the coefficients b (D,)."""
        found = self._back_balls.solve(_balls(b[:, np.newaxis]))
        return [found[k, 0] for k in range(self.d)]

    def at(self, c: list[Ball], *, value: bool = False, full: bool = False) -> At:
        """Return what is known on the box c; with `full` the Hessian itself, not only a bound."""
        a = [row[0] for row in (self._rows * flint.arb_mat([[v] for v in c])).tolist()]
        p, q = [1 / (1 + (-s).exp()) for s in a], [1 / (1 + s.exp()) for s in a]
        v = [s * t for s, t in zip(p, q, strict=True)]
        d = [m * t for m, t in zip(self._m, v, strict=True)]
        information = self._weighted(d)
        inverse = information.inv()
        spread = [
            sum((s * t for s, t in zip(row, other, strict=True)), flint.arb(0))
            for row, other in zip((self._rows * inverse).tolist(), self._entries, strict=True)
        ]
        residuals, bent = [], []
        for n, yes in enumerate(self._yes):
            bias = d[n] * spread[n] * (q[n] - p[n]) / 2
            residuals.append([self._m[n] * (q[n] if yes else -p[n]) + bias])
            bent.append(d[n] * (1 + spread[n] * (3 * v[n] - flint.arb(0.5))))
        score = self._across * flint.arb_mat(residuals)
        bound = self._weighted(bent)
        if full:
            slope = [s * (q[n] - p[n]) for n, s in enumerate(d)]
            bound += self._traces(inverse, slope) / 2
        height = flint.arb(0)
        if value:
            chances = (
                m * (p[n] if yes else q[n]).log()
                for n, (m, yes) in enumerate(zip(self._m, self._yes, strict=True))
            )
            height = sum(chances, flint.arb(0)) + information.det().log() / 2
        return At(height, [score[k, 0] for k in range(self.d)], bound)

    def last_coordinate(self, v: float) -> Ball:
        """Return the last coordinate of lines whose coefficient `last` is v."""
        return flint.arb(v) / flint.arb(float(self._back[self.order[-1], -1]))

    def slope_of_last(self, c: list[Ball]) -> float:
        """Return the slope of F in coefficient `last` at the line c, rounded."""
        try:
            score = self.at([v.mid() for v in c]).score
        except ZeroDivisionError:
            return float("nan")
        return float(score[-1].mid()) / float(self._back[self.order[-1], -1])

    def one_maximum(self, c: list[Ball], between: Ball | None = None) -> OneMaximum | None:
        """Return the neighbourhood of c that holds one maximum; None where none is proven."""
        free = self.d if between is None else self.d - 1
        c = [v.mid() for v in c]
        if free == 0:
            return OneMaximum(0.0, np.zeros(self.d), self.at(c, value=True).value, flint.arb(0))
        box = c if between is None else [*c[:-1], between]
        for full in (False, True):
            try:
                there = self.at(c, value=True, full=full)
                score = there.score if between is None else self.at(box).score
                found = self._one_maximum(box, free, there, score, full)
            except (ZeroDivisionError, np.linalg.LinAlgError):
                found = None
            if found is not None:
                return found
        return None

    def _one_maximum(
        self, box: list[Ball], free: int, there: At, score: list[Ball], full: bool
    ) -> OneMaximum | None:
        K = np.array([[float(there.bound[k, j].mid()) for j in range(free)] for k in range(free)])
        inverse = np.linalg.inv(np.linalg.cholesky((K + K.T) / 2.0))
        white = _balls(inverse)
        step = white * flint.arb_mat([[g] for g in score[:free]])
        length = _length([step[k, 0] for k in range(free)])
        reach = np.zeros(self.d)
        reach[:free] = np.sqrt((inverse * inverse).sum(axis=0)) * (1.0 + 1e-9)
        for widening in WIDENING:
            radius = widening * float(length.upper()) + LEAST
            wide = [
                flint.arb(v, r * radius) for v, r in zip(box[:free], reach.tolist(), strict=False)
            ]
            around = self.at(wide + box[free:], full=full).bound
            left = flint.arb_mat([[around[k, j] for j in range(free)] for k in range(free)])
            mu = 1 - _largest_row_sum(white * left * white.transpose())
            if not mu > 0:
                return None
            if length <= mu * radius:
                distance = float((length / mu).upper()) * (1.0 + 1e-15)
                user = np.abs(self._back[:, :free] @ inverse.T)
                far = np.sqrt((user * user).sum(axis=1)) * (1.0 + 1e-9)
                return OneMaximum(distance, far, there.value, length * length / (2 * mu))
        return None

    def _weighted(self, factors: list[Ball]) -> Matrix:
        """Return sum factors x x' (D, D)."""
        return self._across * flint.arb_mat(
            [[v * f for v in row] for row, f in zip(self._entries, factors, strict=True)]
        )

    def _traces(self, inverse: Matrix, slope: list[Ball]) -> Matrix:
        """Return tr(I^-1 I_k I^-1 I_l) (D, D), I_k = sum slope x_k x x'."""
        parts = []
        for k in range(self.d):
            bent = [row[k] * s for row, s in zip(self._entries, slope, strict=True)]
            parts.append(inverse * self._weighted(bent))
        flat = flint.arb_mat([part.entries() for part in parts])
        turned = flint.arb_mat([part.transpose().entries() for part in parts])
        return flat * turned.transpose()


def at_precisions() -> Any:  # noqa: ANN401  # flint's context managers
    """Return the precisions to work with, one after the other: `with at(): ...`."""
    return [flint.ctx.workprec(bits) for bits in PRECISIONS]


def _balls(values: Floats) -> Matrix:
    return flint.arb_mat([[flint.arb(v) for v in row] for row in values.tolist()])


def _length(values: list[Ball]) -> Ball:
    return sum((v * v for v in values), flint.arb(0)).upper().sqrt()


def _largest_row_sum(A: Matrix) -> Ball:
    """Return an upper bound of the largest |row| of A - 1, in sums of sizes."""
    largest = flint.arb(0)
    for k, row in enumerate(A.tolist()):
        total = sum(
            (abs(v - 1 if j == k else v).upper() for j, v in enumerate(row)), flint.arb(0)
        ).upper()
        largest = total if total > largest else largest
    return largest
