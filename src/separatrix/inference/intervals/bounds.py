"""Brackets of ends shown with bounds of rounding: of rows that are read in blocks.

Let H be the Hessian at the maximum c*, p some z'H^-1 z, and s bound the share of curvature of rows
with more. By self-concordance (Bach 2010) for all |e|_H <= r

    l(c + e) <= l(c) + g.e - k e'He / 2,  k = (1 - s) exp(-p^(1/2) (|c - c*|_H + r)),

whose maximum over f.e = dv is at most m dv + G / (2 k), m and G of Newton's step that keeps f.c.
A row's sigma(-a) grows at most by exp(|z|_(H^-1) |c - c*|_H): the rounding of rows that are surely
right counts by what is left of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg

from separatrix.cached import cached_property
from separatrix.data import Floats, Sample
from separatrix.inference.intervals.faces import Going, Indices
from separatrix.inference.intervals.search import FEWEST, Near, Picked, RowsInColumns, rows_picked
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.logistic.newton import Place, Read
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_tiles

EPS = float(np.finfo(np.float64).eps)
OPERATIONS = 8.0  # roundings of a score beside those of its sum, and of an error
SPARE = 1e-6  # relative, of slopes
REACHES = np.array([0.1, 1e-3, 1e-5])  # r, of which the first is taken that is enough
STRETCHES = 4.0 ** np.append([14, 12, 10, 8], np.arange(6, -9, -1))  # p, the best is taken
WITHIN = np.array([0.5, 3.0, 6.0, np.inf])  # |c - c*|_H: that near a row can be so wrong at most
MATTERS = 1e-18  # how wrong a row can be, of 1: steps are made of those with more, if few
MOST = 2 * FEWEST  # such rows
FOUND, CHECKED = 2.0, 1.0  # roundings of a fall for which there is room: a check has its own
MARGIN = 8.0  # roundings of a fall, between an end and the value inside
LEAST_MARGIN = 1e-9  # of q
WIDEST = 1e-3  # of q, by which falls on both sides of an end may differ


@dataclass(frozen=True)
class Bounds:
    """What bounds the likelihood near its maximum."""

    near: Near
    # (4, 3+2d) of each of `WITHIN`: m = weight times the largest sigma(-a), and over the rows the
    # sums of m |z|, z in the coordinates of the scaling, of m |z| |z|_(H^-1), and of m
    sizes: Floats = field(default_factory=lambda: np.empty(0))
    lost: Floats = field(default_factory=lambda: np.empty(0))  # s of each of `STRETCHES`
    above: float = 0.0  # by how much l* may be above what it is taken for

    @classmethod
    def at_top(cls, table: Rows, read: Read, top: Floats) -> Bounds:
        """Return those around the maximum of a table, by a read near it."""
        found = cls.of(table, read, top)
        return replace(found, above=found._above_base())

    @classmethod
    def below(cls, table: Rows, read: Read, top: Bounds | None) -> Bounds:
        """Return those around a read whose likelihood is below l*, which is 0 without a top."""
        level, unsure = (0.0, 0.0) if top is None else top.level
        found = cls.of(table, read, read.place.c, level + read.value)
        return replace(found, above=unsure + found._unsure(read.value))

    @cached_property
    def level(self) -> tuple[float, float]:
        """The likelihood at the base of these, the maximum, by a further read, and its doubt."""
        value = Read.of(self.near.table, replace(self.near.place, c=self.near.base)).value
        return -value, self.above + self._unsure(value)

    @classmethod
    def of(cls, table: Rows, read: Read, base: Floats, short: float = 0.0) -> Bounds:
        place = replace(read.place, before=None, step=None)
        lower = scipy.linalg.cholesky(read.hessian, lower=True)
        half = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        every = max(1, table.n // FEWEST)
        parts = table.map(_sizes, place, half, every)
        total = np.zeros(parts[0][0].shape[1])
        for stack, _, _ in parts:
            for of_tile in stack:
                total += of_tile
        total *= 1.0 + SPARE
        sizes, lost = total[: -STRETCHES.size].reshape(WITHIN.size, -1), total[-STRETCHES.size :]
        few, rows = [few for _, few, _ in parts], np.concatenate([rows for _, _, rows in parts])
        if every > 1 and 0 < rows.size <= MOST:
            some = table.some(rows)
            few, every = [(place.plain.columns(some.X), some.y, some.weight)], 1
        near = Near.of(few, every, float(sizes[-1, -1]), table, place, base, short, read.hessian)
        return cls(near, sizes, lost)

    @cached_property
    def tile_roundings(self) -> float:
        """How many roundings a sum over all rows may have, one in another."""
        return TILE + self.near.table.n / TILE + OPERATIONS

    def _far(self, c: Floats) -> float:
        moved = c - self.near.place.c
        return float(np.sqrt(max(float(moved @ self.near.hessian @ moved), 0.0)))

    def _sizes(self, c: Floats) -> tuple[Floats, Floats, float]:
        """Return the sums over the rows that hold between the place and a line."""
        found = self.sizes[int(np.searchsorted(WITHIN[:-1], (1.0 + SPARE) * self._far(c)))]
        k = found.size // 2
        return found[:k], found[k : 2 * k], float(found[-1])

    def doubt(self, c: Floats) -> float:
        """Return the largest |e|_(H^-1) of the roundings e of a gradient."""
        (sizes, stretched, _), basis = self._sizes(c), self.near.place.basis
        k, line = sizes.size, np.abs(self.near.place.line(c))
        sizes = (self.tile_roundings + 2.0 * OPERATIONS * k) * sizes
        if basis is not None:
            sizes = np.append(0.0, np.abs(basis).T @ sizes)
        own = sizes @ self._spread + (2.0 * k + OPERATIONS) * (line @ stretched)
        return float(EPS * own)

    @cached_property
    def _spread(self) -> Floats:
        inverse = scipy.linalg.cho_solve(self.near.factor, np.eye(len(self.near.hessian)))
        return np.asarray(np.sqrt(np.diag(inverse)))

    def around(self, c: Floats) -> tuple[tuple[Floats, bool], Floats, float]:
        """Return the factor of a Hessian, k around a line for each of `REACHES`, and `doubt`."""
        return self.near.factor, self.bends(c), self.doubt(c)

    def functional(self, j: int) -> Floats:
        return np.asarray(self.near.back[j])

    def coefficient(self, j: int, c: Floats) -> tuple[float, float]:
        """Return coefficient j of a line, and by how much rounding may change it."""
        f, w = self.near.of_line[j], self.near.place.line(c)
        return float(f @ w), EPS * (w.size + OPERATIONS) * float(np.abs(f) @ np.abs(w))

    def bends(self, c: Floats) -> Floats:
        kept = np.exp(-np.sqrt(STRETCHES) * (self._far(c) + REACHES[:, np.newaxis]))
        return np.asarray(((1.0 - self.lost) * kept).max(axis=1))

    def rounding(self, c: Floats) -> float:
        """Return by how much rounding may change the fall from the base to a line."""
        top, line = self.near.base, self.near.place.line
        sizes, _, weight = self._sizes(max(c, top, key=self._far))
        scores = float((np.abs(line(c)) + np.abs(line(top))) @ sizes)
        errors = 2.0 * scores + 4.0 * np.log(2.0) * weight
        found = (2.0 * len(self.near.hessian) + OPERATIONS) * scores + OPERATIONS * errors
        found += self.tile_roundings * float(np.abs(line(c - top)) @ sizes)
        return float(EPS * found)

    def _unsure(self, value: float) -> float:
        """Return by how much rounding may change the sum of errors of the base, and its place."""
        return self.rounding(self.near.base) + EPS * self.tile_roundings * abs(value)

    def _above_base(self) -> float:
        pulls = self.near.read(self.near.base[:, np.newaxis])[1][:, 0]
        gain = float(pulls @ scipy.linalg.cho_solve(self.near.factor, pulls))
        lean = np.sqrt(max(0.0, gain)) + self.doubt(self.near.base)
        near = (bend for r, bend in _each(self.bends(self.near.base)) if lean <= bend * r / 8.0)
        return next((lean * lean / (2.0 * bend) for bend in near), np.inf)

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
        factor, bends, doubt = self.around(c)
        solved = scipy.linalg.cho_solve(factor, np.column_stack((pulls, f)))
        newton, u = solved.T
        s = float(f @ u)
        slope = float(f @ newton) / s
        towards = newton - slope * u
        lean = np.sqrt(max(0.0, float(towards @ pulls))) + doubt
        steep = -slope * side * (1.0 - SPARE) - doubt / np.sqrt(s)
        for reach, bend in _each(bends) if steep > 0.0 else ():
            rest = short + rounding + lean * lean / (2.0 * bend)
            away = (1.0 + SPARE) * rest / steep
            if 2.0 * rest <= margin and max(lean, away / np.sqrt(s)) <= bend * reach / 8.0:
                at, parts = self.coefficient(j, c)
                return float(at - side * parts), float(at + side * (away + parts))
        return None

    def margins(self, j: int, q: float) -> Floats:
        """Return how far inside of either end (2,) of a coefficient's interval to look for it."""
        u = scipy.linalg.cho_solve(self.near.factor, self.near.back[j])
        root = np.sqrt(q / float(self.near.back[j] @ u))
        return np.array([self.margin(self.near.base + side * root * u, q) for side in (-1.0, 1.0)])

    def margin(self, c: Floats, q: float) -> float:
        """Return how far inside of an end near a line to look for it."""
        return max(LEAST_MARGIN * q, MARGIN * (self.rounding(c) + self.above))


def _each(bends: Floats) -> Iterator[tuple[float, float]]:
    """Yield each of `REACHES` for which a bound holds, and k."""
    return ((r, k) for r, k in zip(REACHES.tolist(), bends.tolist(), strict=True) if k > 0.0)


def _sizes(block: Block, place: Place, half: Floats, every: int) -> tuple[Floats, Picked, Indices]:
    """Return sums over tiles (sizes, lost), every so-many-th row, and which matter, if few."""
    plain, of, w = place.plain, block.sample, place.line(place.c)
    matters = np.zeros(block.n, dtype=np.bool_)

    def part(tile: slice) -> Floats:
        rows, weight = plain.columns(of.X[tile]), of.weight[tile]
        z = rows if place.basis is None else place.columns(of.X[tile])
        squares = ((z @ half.T) ** 2).sum(axis=1)
        a, far = of.y[tile] * (rows @ w), np.sqrt(squares)
        sigma, curvature, error = np.empty((3, a.size))
        logistic_parts(a, sigma, curvature, error)
        wrong = np.exp(np.minimum(0.0, WITHIN[:-1, np.newaxis] * far - (a + error)))
        m = weight * np.vstack((wrong, np.ones(weight.size)))
        matters[tile] = m[1] > MATTERS
        size = np.abs(rows)
        sums = np.column_stack((m @ size, (m * far) @ size, m.sum(axis=1)))
        lost = (squares > STRETCHES[:, np.newaxis]) @ (weight * curvature * squares)
        return np.append(sums, lost)

    with one_blas_thread(), np.errstate(all="ignore"):
        sums = stack_of_tiles(block.n, part)
        found = block.start + np.flatnonzero(matters)[: MOST + 1]
        return sums, rows_picked(block, plain, every), found


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
        known = {name: getattr(at, name) for name in ("near", "sizes", "lost", "above")}
        return cls(
            **known, going=going, direction=direction, own=own, rows=rows, members=members,
            more=more, lines=weights[list(own)].T, plain_sizes=rows.weight @ np.abs(plain),
        )  # fmt: skip

    def scores(self, recession: Floats) -> Floats:
        return np.asarray(self.rows.X @ recession[1:] + self.rows.x0 * recession[0])

    @cached_property
    def _own_sizes(self) -> Floats:
        """Sums of weight |z| over these rows in all coordinates."""
        k, basis, plain = self.near.base.size, self.near.place.basis, self.plain_sizes
        own = self.more.weight @ np.abs(self.more.M[:, k:])
        return np.append(plain if basis is None else np.append(0.0, np.abs(basis).T @ plain), own)

    def _parts(self, c: Floats) -> tuple[Floats, Floats]:
        k = self.near.base.size
        return c[:k], c[k:]

    def around(self, c: Floats) -> tuple[tuple[Floats, bool], Floats, float]:
        more, k = self.more, self.near.base.size
        H = more.hessian(c)
        H[:k, :k] += self.near.hessian
        lower = scipy.linalg.cholesky(H, lower=True)
        half = scipy.linalg.solve_triangular(lower, more.M.T, lower=True)
        squares = (half * half).sum(axis=0)
        curvature = more.curvature(c) * squares
        lost = (1.0 + SPARE) * np.array([curvature[squares > p].sum() for p in STRETCHES])
        near = np.exp(-np.sqrt(STRETCHES) * REACHES[:, np.newaxis])
        bends = np.minimum(self.bends(c[:k])[:, np.newaxis], near) - near * lost
        inverse = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        sizes = EPS * (more.y.size + 2.0 * OPERATIONS * c.size) * self._own_sizes
        doubt = self.doubt(c[:k]) + float(sizes @ np.sqrt((inverse**2).sum(axis=0)))
        return (lower, True), bends.max(axis=1), doubt

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
        scores += float(np.abs(e) @ self._own_sizes[own.size :])
        found = (2.0 * c.size + OPERATIONS) * scores
        found += (OPERATIONS + self.more.y.size) * -self.more.at(c)[0]
        return super().rounding(own) + EPS * found
