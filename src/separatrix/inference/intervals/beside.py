"""Ends of coefficients that diverge, from the rows that go: each adds few of them to the others.

On the face of a coefficient stay the rows of the face of all lines, whose Hessian H is known there,
and some that go from it: in their columns, to which a few exact lines are added that vanish on all
others, the likelihood near an end is bounded as it is in `bounds`, by H with theirs at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from separatrix.data import Floats, Sample
from separatrix.inference.intervals.bounds import EPS, OPERATIONS, REACH, SPARE, STRETCHES, Bounds
from separatrix.inference.intervals.faces import Indices
from separatrix.inference.intervals.going import Going
from separatrix.inference.intervals.search import RowsInColumns


@dataclass(frozen=True, kw_only=True)
class Beside(Bounds):
    """What bounds the likelihood where some rows stay beside those of other bounds."""

    going: Going
    direction: tuple[int, ...]  # along which they stay: how often each line is in it
    own: tuple[int, ...]  # which lines are coordinates
    rows: Sample  # these rows
    members: Indices  # where they are among those that go
    more: RowsInColumns  # the same, in the coordinates of the others and then in `own`
    lines: Floats  # (1+d, p) what makes weights of the last coordinates
    plain_sizes: Floats  # (1+d,) sums of weight |z| over these rows, as those of the others

    @classmethod
    def of(  # type: ignore[override]
        cls, at: Bounds, going: Going, direction: tuple[int, ...], own: tuple[int, ...]
    ) -> Beside | None:
        """Return them for the rows that stay along a direction; None where one is against it."""
        kinds = going.staying(direction)
        if kinds is None:
            return None
        members = np.flatnonzero(np.isin(going.kind, kinds))
        weights, scores = going.in_doubles
        rows, place = going.rows.at(members), at.near.place
        plain = place.plain.columns(rows.X)
        columns = plain if place.basis is None else place.columns(rows.X)
        own_scores = scores[going.kind[members]][:, list(own)] * rows.y[:, np.newaxis]
        more = RowsInColumns(np.column_stack((columns, own_scores)), rows.y, rows.weight)
        known = {name: getattr(at, name) for name in ("near", "weight", "sizes", "lost", "above")}
        return cls(
            **known, going=going, direction=direction, own=own, rows=rows, members=members,
            more=more, lines=weights[list(own)].T, plain_sizes=rows.weight @ np.abs(plain),
        )  # fmt: skip

    def scores(self, recession: Floats) -> Floats:
        return np.asarray(self.rows.X @ recession[1:] + self.rows.x0 * recession[0])

    @cached_property
    def _sizes(self) -> Floats:
        """Sums of weight |z| over these rows in all coordinates."""
        k, basis, plain = self.near.base.size, self.near.place.basis, self.plain_sizes
        own = self.more.weight @ np.abs(self.more.M[:, k:])
        return np.append(plain if basis is None else np.append(0.0, np.abs(basis).T @ plain), own)

    def _parts(self, c: Floats) -> tuple[Floats, Floats]:
        k = self.near.base.size
        return c[:k], c[k:]

    def around(self, c: Floats) -> tuple[tuple[Floats, bool], float, float]:
        more, k = self.more, self.near.base.size
        H = more.hessian(c)
        H[:k, :k] += self.near.hessian
        lower = scipy.linalg.cholesky(H, lower=True)
        half = scipy.linalg.solve_triangular(lower, more.M.T, lower=True)
        squares = (half * half).sum(axis=0)
        curvature = more.curvature(c) * squares
        lost = (1.0 + SPARE) * np.array([curvature[squares > p].sum() for p in STRETCHES])
        near = np.exp(-np.sqrt(STRETCHES) * REACH)
        bend = float((np.minimum(self.bend(c[:k]), near) - near * lost).max())
        inverse = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        sizes = EPS * (more.y.size + 2.0 * OPERATIONS * c.size) * self._sizes
        return (lower, True), bend, self.doubt + float(sizes @ np.sqrt((inverse**2).sum(axis=0)))

    def functional(self, j: int) -> Floats:
        return np.append(self.near.back[j], self.lines[j])

    def coefficient(self, j: int, c: Floats) -> tuple[float, float]:
        own, e = self._parts(c)
        at, parts = super().coefficient(j, own)
        sizes = float(np.abs(self.lines[j]) @ np.abs(e))
        return at + float(self.lines[j] @ e), parts + EPS * (e.size + OPERATIONS) * sizes

    def rounding(self, c: Floats) -> float:
        own, e = self._parts(c)
        scores = float(np.abs(self.near.place.line(own)) @ self.plain_sizes)
        scores += float(np.abs(e) @ self._sizes[own.size :])
        found = (2.0 * c.size + OPERATIONS) * scores
        found += (OPERATIONS + self.more.y.size) * -self.more.at(c)[0]
        return super().rounding(own) + EPS * found
