"""Brackets of ends shown with bounds of rounding: of rows that are read in blocks.

Let H be the Hessian at the maximum c*, p some z'H^-1 z, and s bound the share of curvature of rows
with more. By self-concordance (Bach 2010) for all |e|_H <= r

    l(c + e) <= l(c) + g.e - k e'He / 2,  k = (1 - s) exp(-p^(1/2) (|c - c*|_H + r)),

whose maximum over f.e = dv is at most m dv + G / (2 k), m and G of Newton's step that keeps f.c.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg
from scipy.special import expit

from separatrix.cached import cached_property
from separatrix.data import Floats, Sample
from separatrix.inference.intervals.faces import Going, Indices
from separatrix.inference.intervals.search import FEWEST, Near, Picked, RowsInColumns, rows_picked
from separatrix.learners.logistic.newton import Place, Read
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_tiles

EPS = float(np.finfo(np.float64).eps)
OPERATIONS = 8.0  # roundings of a score beside those of its sum, and of an error
SPARE = 1e-6  # relative, of slopes
REACH = 0.1  # r
STRETCHES = 4.0 ** np.arange(6, -9, -1)  # p, of which the best is taken
FOUND, CHECKED = 2.0, 1.0  # roundings of a fall for which there is room: a check has its own
MARGIN = 8.0  # roundings of a fall, between an end and the value inside
LEAST_MARGIN = 1e-9  # of q
WIDEST = 1e-3  # of q, by which falls on both sides of an end may differ


@dataclass(frozen=True)
class Bounds:
    """What bounds the likelihood near its maximum."""

    near: Near
    weight: float = np.nan  # of all rows
    # (1+d,) sums of weight |z| over the rows, z in the coordinates of the scaling
    sizes: Floats = field(default_factory=lambda: np.empty(0))
    lost: Floats = field(default_factory=lambda: np.empty(0))  # s of each of `STRETCHES`
    above: float = 0.0  # by how much l* may be above what it is taken for

    @classmethod
    def at_top(cls, table: Rows, place: Place, top: Floats, hessian: Floats) -> Bounds:
        """Return those around the maximum of a table."""
        found = cls.of(table, place, top, hessian)
        return replace(found, above=found._above_base())

    @classmethod
    def below(cls, table: Rows, place: Place, top: Bounds | None) -> Bounds:
        """Return those around a place whose likelihood is below l*, which is 0 without a top."""
        level, unsure = (0.0, 0.0) if top is None else top.level
        read = Read.of(table, place)
        found = cls.of(table, place, place.c, read.hessian, level + read.value)
        return replace(found, above=unsure + found._unsure(read.value))

    @cached_property
    def level(self) -> tuple[float, float]:
        """The likelihood at the base of these, the maximum, by a further read, and its doubt."""
        value = Read.of(self.near.table, replace(self.near.place, c=self.near.base)).value
        return -value, self.above + self._unsure(value)

    @classmethod
    def of(
        cls, table: Rows, place: Place, base: Floats, hessian: Floats, short: float = 0.0
    ) -> Bounds:
        lower = scipy.linalg.cholesky(hessian, lower=True)
        half = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        every = max(1, table.n // FEWEST)
        parts = table.map(_sizes, place, half, every)
        width = place.scaling.scale.size
        sizes = np.zeros(width + 1 + STRETCHES.size)
        for stack, _ in parts:
            for of_tile in stack:
                sizes += of_tile
        weight, few = float(sizes[width]), [few for _, few in parts]
        near = Near.by(few, every, weight, table, place, base, short, hessian)
        return cls(near, weight, sizes[:width], (1.0 + SPARE) * sizes[width + 1 :])

    @cached_property
    def tile_roundings(self) -> float:
        """How many roundings a sum over all rows may have, one in another."""
        return TILE + self.near.table.n / TILE + OPERATIONS

    @cached_property
    def doubt(self) -> float:
        """The largest |e|_(H^-1) of the roundings e of a gradient."""
        k, basis = self.sizes.size, self.near.place.basis
        sizes = EPS * (self.tile_roundings + 2.0 * OPERATIONS * k) * self.sizes
        if basis is not None:
            sizes = np.append(0.0, np.abs(basis).T @ sizes)
        inverse = scipy.linalg.cho_solve(self.near.factor, np.eye(len(self.near.hessian)))
        return float(sizes @ np.sqrt(np.diag(inverse)))

    def _reach(self, c: Floats) -> float:
        return float(np.abs(self.near.place.line(c)) @ self.sizes)

    def around(self, c: Floats) -> tuple[tuple[Floats, bool], float, float]:
        """Return the factor of a Hessian, k around a line, and `doubt`."""
        return self.near.factor, self.bend(c), self.doubt

    def functional(self, j: int) -> Floats:
        return np.asarray(self.near.back[j])

    def coefficient(self, j: int, c: Floats) -> tuple[float, float]:
        """Return coefficient j of a line, and by how much rounding may change it."""
        f, w = self.near.of_line[j], self.near.place.line(c)
        return float(f @ w), EPS * (w.size + OPERATIONS) * float(np.abs(f) @ np.abs(w))

    def bend(self, c: Floats) -> float:
        moved = c - self.near.place.c
        far = np.sqrt(moved @ self.near.hessian @ moved) + REACH
        return float(((1.0 - self.lost) * np.exp(-np.sqrt(STRETCHES) * far)).max())

    def rounding(self, c: Floats) -> float:
        """Return by how much rounding may change the fall from the base to a line."""
        top = self.near.base
        scores = self._reach(c) + self._reach(top)
        errors = scores + 2.0 * np.log(2.0) * self.weight
        found = (2.0 * len(self.near.hessian) + OPERATIONS) * scores + OPERATIONS * errors
        found += self.tile_roundings * self._reach(c - top)
        return float(EPS * found)

    def _unsure(self, value: float) -> float:
        """Return by how much rounding may change the sum of errors of the base, and its place."""
        return self.rounding(self.near.base) + EPS * self.tile_roundings * abs(value)

    def _above_base(self) -> float:
        pulls = self.near.read(self.near.base[:, np.newaxis])[1][:, 0]
        gain = float(pulls @ scipy.linalg.cho_solve(self.near.factor, pulls))
        bend = self.bend(self.near.base)
        lean = np.sqrt(max(0.0, gain)) + self.doubt
        return lean * lean / (2.0 * bend) if lean <= bend * REACH / 8.0 else np.inf

    def bracket(  # noqa: PLR0917  # one end
        self,
        j: int,
        side: int,
        c: Floats,
        value: float,
        pulls: Floats,
        q: float,
        margin: float,
        times: float,
    ) -> tuple[float, float] | None:
        """Return values of coefficient j inside and outside beside an end; None if not shown."""
        rounding, short = times * self.rounding(c), 0.5 * q + value - self.near.short
        if not rounding + self.above <= short <= 0.5 * margin:
            return None
        f = self.functional(j)
        factor, bend, doubt = self.around(c)
        solved = scipy.linalg.cho_solve(factor, np.column_stack((pulls, f)))
        newton, u = solved.T
        s = float(f @ u)
        slope = float(f @ newton) / s
        towards = newton - slope * u
        lean = np.sqrt(max(0.0, float(towards @ pulls))) + doubt
        steep = -slope * side * (1.0 - SPARE) - doubt / np.sqrt(s)
        if not (steep > 0.0 and lean <= bend * REACH / 8.0):
            return None
        rest = short + rounding + lean * lean / (2.0 * bend)
        away = (1.0 + SPARE) * rest / steep
        if not (2.0 * rest <= margin and away / np.sqrt(s) <= bend * REACH / 8.0):
            return None
        at, parts = self.coefficient(j, c)
        return float(at - side * parts), float(at + side * (away + parts))

    def margins(self, j: int, q: float) -> Floats:
        """Return how far inside of either end (2,) of a coefficient's interval to look for it."""
        u = scipy.linalg.cho_solve(self.near.factor, self.near.back[j])
        root = np.sqrt(q / float(self.near.back[j] @ u))
        return np.array([self.margin(self.near.base + side * root * u, q) for side in (-1.0, 1.0)])

    def margin(self, c: Floats, q: float) -> float:
        """Return how far inside of an end near a line to look for it."""
        return max(LEAST_MARGIN * q, MARGIN * (self.rounding(c) + self.above))


def _sizes(block: Block, place: Place, half: Floats, every: int) -> tuple[Floats, Picked]:
    """Return sums over tiles (weight |z|, weight, curvature beyond each stretch), and some rows."""
    plain, of, w = place.plain, block.sample, place.line(place.c)

    def part(tile: slice) -> Floats:
        rows, weight = plain.columns(of.X[tile]), of.weight[tile]
        z = rows if place.basis is None else place.columns(of.X[tile])
        squares = ((z @ half.T) ** 2).sum(axis=1)
        chance = expit(rows @ w)
        curvature = weight * chance * (1.0 - chance) * squares
        lost = [curvature[squares > p].sum() for p in STRETCHES]
        return np.concatenate((weight @ np.abs(rows), [weight.sum()], lost))

    with one_blas_thread(), np.errstate(all="ignore"):
        return stack_of_tiles(block.n, part), rows_picked(block, plain, every)


@dataclass(frozen=True, kw_only=True)
class Beside(Bounds):
    """What bounds the likelihood where some rows stay beside those of other bounds.

    On the face of a coefficient stay the rows of the face of all lines, whose Hessian H is known,
    and some that go from it: in their columns, to which a few exact lines are added that vanish on
    all others, the likelihood near an end is bounded by H with theirs at the end.
    """

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
