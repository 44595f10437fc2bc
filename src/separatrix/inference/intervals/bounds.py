"""Brackets of ends shown with bounds of rounding: of rows that are read in blocks.

Let H be the Hessian at the maximum c*, p some z'H^-1 z, and s bound the share of curvature of rows
with more. By self-concordance (Bach 2010) for all |e|_H <= r

    l(c + e) <= l(c) + g.e - k e'He / 2,  k = (1 - s) exp(-p^(1/2) (|c - c*|_H + r)),

whose maximum over f.e = dv is at most m dv + G / (2 k), m and G of Newton's step that keeps f.c.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy.special import expit

from separatrix.data import Floats
from separatrix.inference.intervals.search import FEWEST, Near, RowsInColumns, rows_picked
from separatrix.inference.maximum import rows_on
from separatrix.learners.logistic.reads import Place, Read
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, one_blas_thread, stack_of_tiles

EPS = float(np.finfo(np.float64).eps)
OPERATIONS = 8.0  # roundings of a score beside those of its sum, and of an error
SPARE = 1e-6  # relative, of slopes
REACH = 0.1  # r
STRETCHES = 4.0 ** np.arange(2, -9, -1)  # p, of which the best is taken
FOUND, CHECKED = 2.0, 1.0  # roundings of a fall for which there is room: a check has its own
MARGIN = 8.0  # roundings of a fall, between an end and the value inside
LEAST_MARGIN = 1e-9  # of q
WIDEST = 1e-3  # of q, by which falls on both sides of an end may differ


@dataclass(frozen=True)
class EndInBlocks:
    """A finite end of the interval of a coefficient."""

    index: int  # in (1+d,)
    side: int  # -1 for the lower end, +1 for the upper
    line: Floats  # (k,) in the coordinates of the proof, whose coefficient is inside
    inside: float
    outside: float


@dataclass(frozen=True)
class IntervalsInBlocks:
    """The claim that ends of likelihood intervals lie in brackets, shown in floats."""

    place: Place  # within a step of the maximum: coordinates, and where the Hessian is taken
    top: Floats  # (k,) the maximum
    q: float  # 2 (l* - l_j) at the ends
    ends: tuple[EndInBlocks, ...]
    of_line: Floats | None = None  # (m, 1+d) the line on which the rows are that have a part in it

    def verify(self, table: Rows, y: None = None) -> bool:  # noqa: ARG002
        """Whether three reads of a table show every end again. The table brings its labels."""
        rows = rows_on(table, self.of_line)
        with one_blas_thread(), np.errstate(all="ignore"):
            try:
                bounds = Bounds.of(rows, self.place, self.top, Read.of(rows, self.place).hessian)
            except scipy.linalg.LinAlgError:
                return False
            read = bounds.near.read(np.column_stack([end.line for end in self.ends]))
            for i, end in enumerate(self.ends):
                value, pulls = float(read.value[i]), read.pulls[:, i]
                found = bounds.bracket(
                    end.index, end.side, end.line, value, pulls, self.q, WIDEST * self.q, CHECKED
                )
                if found is None:
                    return False
                short, over = end.inside - found[0], end.outside - found[1]
                if not short * end.side <= 0.0 <= over * end.side:
                    return False
        return True


@dataclass(frozen=True)
class Bounds:
    """What bounds the likelihood near its maximum."""

    near: Near
    weight: float  # of all rows
    sizes: Floats  # (1+d,) sums of weight |z| over the rows, z in the coordinates of the scaling
    lost: Floats  # s of each of `STRETCHES`

    @classmethod
    def of(cls, table: Rows, place: Place, top: Floats, hessian: Floats) -> Bounds:
        lower = scipy.linalg.cholesky(hessian, lower=True)
        half = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        every = max(1, table.n // FEWEST)
        parts = table.map(_sizes, place, half, every)
        width = place.scaling.scale.size
        sizes = np.zeros(width + 1 + STRETCHES.size)
        for stack, _ in parts:
            for of_tile in stack:
                sizes += of_tile
        few = RowsInColumns(*(np.concatenate([few[k] for _, few in parts]) for k in range(3)))
        weight, some = float(sizes[width]), float(few.weight.sum())
        share = weight / some if every > 1 and some else 1.0
        near = Near(table, place, top, 0.0, hessian, few, share, every == 1)
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
        """Return a bound of sum weight |z.c| over all rows."""
        return float(np.abs(self.near.place.line(c)) @ self.sizes)

    def bend(self, c: Floats) -> float:
        """Return k around a line."""
        moved = c - self.near.place.c
        far = np.sqrt(moved @ self.near.hessian @ moved) + REACH
        return float(((1.0 - self.lost) * np.exp(-np.sqrt(STRETCHES) * far)).max())

    def rounding(self, c: Floats) -> float:
        """Return by how much rounding may change the fall from the maximum to a line."""
        top = self.near.base
        scores = self._reach(c) + self._reach(top)
        errors = scores + 2.0 * np.log(2.0) * self.weight
        found = (2.0 * len(self.near.hessian) + OPERATIONS) * scores + OPERATIONS * errors
        found += self.tile_roundings * self._reach(c - top)
        return float(EPS * found)

    @cached_property
    def above(self) -> float:
        """By how much l* may be above the likelihood at the maximum that was found."""
        pulls = self.near.read(self.near.base[:, np.newaxis]).pulls[:, 0]
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
        f = self.near.back[j]
        solved = scipy.linalg.cho_solve(self.near.factor, np.column_stack((pulls, f)))
        newton, u = solved.T
        s = float(f @ u)
        slope = float(f @ newton) / s
        towards = newton - slope * u
        bend = self.bend(c)
        lean = np.sqrt(max(0.0, float(towards @ pulls))) + self.doubt
        short, rounding = 0.5 * q + value, times * self.rounding(c)  # value is minus the fall
        steep = -slope * side * (1.0 - SPARE) - self.doubt / np.sqrt(s)
        if not (steep > 0.0 and lean <= bend * REACH / 8.0 and rounding + self.above <= short):
            return None
        rest = short + rounding + lean * lean / (2.0 * bend)
        away = (1.0 + SPARE) * rest / steep
        if not (2.0 * rest <= margin and away / np.sqrt(s) <= bend * REACH / 8.0):
            return None
        f, w = self.near.of_line[j], self.near.place.line(c)
        at, parts = float(f @ w), EPS * (w.size + OPERATIONS) * float(np.abs(f) @ np.abs(w))
        return float(at - side * parts), float(at + side * (away + parts))

    def margins(self, j: int, q: float) -> Floats:
        """Return how far inside of either end (2,) of a coefficient's interval to look for it."""
        u = scipy.linalg.cho_solve(self.near.factor, self.near.back[j])
        root = np.sqrt(q / float(self.near.back[j] @ u))
        both = [self.rounding(self.near.base + side * root * u) for side in (-1.0, 1.0)]
        return np.maximum(LEAST_MARGIN * q, MARGIN * (np.array(both) + self.above))


def _sizes(
    block: Block, place: Place, half: Floats, every: int
) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
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
        return stack_of_tiles(block.n, part), rows_picked(block, place, every)
