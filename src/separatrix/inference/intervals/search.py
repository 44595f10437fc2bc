"""The search for all ends of intervals at once: every read of the rows serves all lines.

In coordinates c with b_j = f.c, H the information and g the gradient, a step is
H^-1 (g - mu f) + (dv / s) H^-1 f, s = f H^-1 f, mu = f H^-1 g / s, with dv such that the signed
root of 2 (l* - l_j), almost linear in v, becomes what it should be (Venzon & Moolgavkar 1988).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy.special import expit

from separatrix.data import Floats
from separatrix.kernels.smooth.sigmoid import pulls_and_errors
from separatrix.learners.logistic.newton import Place, Read
from separatrix.scale import Block, Rows
from separatrix.tiles import one_blas_thread, stack_of_tiles

SIDES = (-1, 1)
MOST_READS, MOST_STEPS = 16, 100  # of rows in blocks, and in memory
BLOCK = 512  # rows of a tile at a time: what stands in the cache
FEWEST = 4096  # rows that an approximate Hessian is made of
SMALL_GAIN = 1e-7  # of a log-likelihood: what is left of it after a statistic counts it in
NEAR = 1.0  # a gain from which on the value of a coefficient is moved
LONGEST_STEP, LONGEST_START = 3.0, 20.0  # in scores: beyond, the quadratic model says little
FAR = 40.0  # a score beyond which a change by a part of it moves no likelihood
SHRUNK = 0.1  # what is left of an error after a step that was a good one
STALLED, PATIENCE = 0.5, 4  # what is left of an error that does not shrink, and after which step
CHEAP = 3e7  # multiplications of Hessians that cost less than steps without them
WIDEN = 8.0
CLOSE = 4.0  # the fall of a likelihood from which a search along a direction of recession begins
DOUBLING = 2.0 ** np.arange(-1, 21)
Picked = tuple[Floats, Floats, Floats]  # columns, labels and weights of some rows


@dataclass(frozen=True)
class RowsInColumns:
    """Rows in memory, in the columns M (N, k) that a search works in."""

    M: Floats
    y: Floats
    weight: Floats

    def summed(self, C: Floats) -> Floats:
        """Return gradients of lines, and below them log-likelihoods less that of the last line."""
        total = np.zeros((C.shape[0] + 1, C.shape[1]))
        for start in range(0, self.y.size, BLOCK):
            block = slice(start, start + BLOCK)
            M, y, weight = self.M[block], self.y[block], self.weight[block]
            a = C.T @ M.T
            errors = np.empty(a.shape)
            pulls_and_errors(a, y, weight, errors)
            total[:-1] += M.T @ a.T
            total[-1] -= (errors - errors[-1]) @ weight
        return total

    def changes(self, steps: Floats, C: Floats) -> Floats:
        """Return the largest change of a score of each step (T,), far ones in their own units."""
        largest = np.zeros(C.shape[1])
        for start in range(0, self.y.size, BLOCK):
            M = self.M[start : start + BLOCK]
            moves, far = np.abs(M @ steps), M @ C
            if not max(far.max(), -far.min()) <= FAR:
                moves /= np.maximum(1.0, np.abs(far) / FAR)
            np.maximum(largest, moves.max(axis=0), out=largest)
        return largest

    def at(self, c: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood of a line, and its gradient."""
        a = self.y * (self.M @ c)
        value = 0.0 - float(self.weight @ np.logaddexp(0.0, -a))
        return value, np.asarray(self.M.T @ (self.weight * expit(-a) * self.y))

    def fall(self, C: Floats) -> Floats:
        """Return twice the fall of the log-likelihood of lines C (k, T) from 0."""
        return np.array([-2.0 * self.at(c)[0] for c in C.T])

    def curvature(self, c: Floats) -> Floats:
        sigma = expit(self.M @ c)
        return np.asarray(self.weight * sigma * (1.0 - sigma))

    def hessian(self, c: Floats) -> Floats:
        return np.asarray((self.M * self.curvature(c)[:, np.newaxis]).T @ self.M)


@dataclass(frozen=True)
class Near:
    """Rows near a line, in the coordinates of a place."""

    table: Rows
    place: Place
    base: Floats  # (k,) the line: the maximum, or where a search begins
    short: float  # l* - l(base)
    hessian: Floats  # (k, k) at the place, which is near the line
    plain: Floats  # (n, 1+d) a few rows, in the columns of the scaling
    few: RowsInColumns  # the same
    share: float  # how many rows each of the few stands for
    every: int  # how many rows there are to each of the few
    exactly: bool = False  # whether all rows are read for a Hessian elsewhere

    @property
    def all_at_hand(self) -> bool:
        return self.every == 1

    @classmethod
    def of(  # noqa: PLR0917
        cls, parts: list[Picked], every: int, weight: float, table: Rows, place: Place,
        base: Floats, short: float, hessian: Floats,
    ) -> Near:  # fmt: skip
        """Return those of which every so-many-th row is known, in the columns themselves."""
        plain, y, own = (np.concatenate([part[k] for part in parts]) for k in range(3))
        M, some = plain, float(own.sum())
        if place.basis is not None:  # all at once: a product's rounding depends on how many
            M = np.column_stack((np.zeros(len(M)), M @ place.basis))
        share = weight / some if every > 1 and some else 1.0
        few = RowsInColumns(M, y, own)
        return cls(table, place, base, short, hessian, plain, few, share, every)

    @cached_property
    def back(self) -> Floats:
        """What makes weights of coordinates: (1+d, k)."""
        return self.place.back

    @cached_property
    def of_line(self) -> Floats:
        """What makes weights of lines in the coordinates of the scaling: (1+d, 1+d)."""
        return self.place.plain.back

    @cached_property
    def factor(self) -> tuple[Floats, bool]:
        found: tuple[Floats, bool] = scipy.linalg.cho_factor(self.hessian)
        return found

    def factor_at(
        self, c: Floats, more: RowsInColumns | None = None, *, closely: bool = True
    ) -> tuple[Floats, bool]:
        """Return the factor of about the Hessian at a line, with that of more rows."""
        k, H = self.base.size, self.hessian
        if self.exactly:
            H = Read.of(self.table, replace(self.place, c=c)).hessian
        elif closely:
            H = self.share * self.few.hessian(c[:k])
            if not self.all_at_hand:
                H = self.hessian + (H - self.share * self.few.hessian(self.base))
        if more is not None:
            own = more.hessian(c)
            own[:k, :k] += H
            H = own
        largest = float(np.abs(np.diag(H)).max(initial=0.0)) or 1.0
        for ridge in (0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-10):
            try:
                lower = scipy.linalg.cholesky(H + ridge * largest * np.eye(len(H)), lower=True)
            except (scipy.linalg.LinAlgError, ValueError):
                continue
            return np.asarray(lower), True
        return self.factor

    def read(self, C: Floats) -> tuple[Floats, Floats]:
        """Return log-likelihoods of lines C (k, T), less that of the base, and gradients (k, T)."""
        lines = np.column_stack([self.place.line(c) for c in (*C.T, self.base)])
        total = self.table.sum(_lines, self.place.plain, lines)
        pulls, basis = total[:-1, :-1], self.place.basis
        if basis is not None:
            pulls = np.vstack((np.zeros(pulls.shape[1]), basis.T @ pulls))
        elif not self.place.x0:
            pulls[0] = 0.0
        return total[-1, :-1], pulls

    def fall(self, C: Floats) -> Floats:
        """Return twice the fall of the log-likelihood of lines C (k, T) from l*."""
        return np.asarray(2.0 * (self.short - self.read(C)[0]))


def towards_the_limit(
    fall: Callable[[Floats], Floats], base: Floats, columns: Floats, scores: Floats
) -> Floats:
    """Return a line of which the fall is small, from one along scores of rows in columns (n, k)."""
    way = np.linalg.lstsq(columns, scores / (np.abs(scores).max() or 1.0), rcond=None)[0]
    along = np.append(np.zeros(base.size - way.size), way)
    times, C = np.append(0.0, DOUBLING), base[:, np.newaxis]
    for _ in range(2):
        C = base[:, np.newaxis] + times * along[:, np.newaxis]
        first = int(np.argmax(fall(C) < CLOSE))
        if first == 0:
            break
        C, times = C[:, first:], np.linspace(times[first - 1], times[first], 9)[1:]
    return np.asarray(C[:, 0])


@dataclass(eq=False)
class Aim:
    """A line on its way to an end, or (side 0) to the maximum with a coefficient of 0."""

    j: int  # of (1+d,)
    side: int
    room: float  # by how much the fall should be less than q
    f: Floats  # the coefficient as a functional of coordinates
    u: Floats  # H^-1 f, by the factor
    c: Floats
    more: RowsInColumns | None = None  # rows that only this line has, and their coordinates last
    factor: tuple[Floats, bool] = field(init=False)
    error: float = np.inf  # what the step before left
    tries: int = 0
    settled: bool = False  # whether further steps come no nearer
    closely: bool = False  # whether what moves the Hessian of the rows near it counts


# of an aim, its value and its pulls: values inside and outside
Accept = Callable[[Aim, float, Floats], tuple[float, float] | None]


@dataclass
class Search:
    """The ends and statistics of coefficients near a line."""

    near: Near
    q: float
    accept: Accept
    rounding: float  # of a statistic
    widest: float  # of a room
    most: int  # reads
    always: bool = False  # whether the Hessian is found again for each step
    ends: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)
    statistics: dict[int, float] = field(default_factory=dict)

    def around(self, asked: Sequence[tuple[int, int, float]]) -> Search:
        """Look for ends and statistics, (j, side, room) each, from where a quadratic has them."""
        near, aims = self.near, []
        F = np.array([near.back[j] for j, _, _ in asked]).T
        U = scipy.linalg.cho_solve(near.factor, F) if asked else F
        for (j, side, room), f, u in zip(asked, F.T, U.T, strict=True):
            s = float(f @ u)
            if 0.0 < s < np.inf:
                dv = side * np.sqrt(self.q * s) if side else -float(f @ near.base)
                aims.append(Aim(j, side, room, f, u, near.base + dv / s * u))
        if aims:
            steps = np.column_stack([aim.c - near.base for aim in aims])
            sizes = near.few.changes(steps, np.repeat(near.base[:, np.newaxis], len(aims), axis=1))
            for aim, size in zip(aims, sizes, strict=True):
                if not size <= LONGEST_START:
                    aim.c = near.base + (aim.c - near.base) * (LONGEST_START / size)
        return self.found(aims)

    def found(self, lines: list[Aim]) -> Search:
        near, k = self.near, self.near.base.size
        for line in lines:
            line.factor = near.factor
        self.always |= near.all_at_hand and len(lines) * near.few.y.size * k * k <= CHEAP
        for _ in range(self.most):
            if lines:
                lines = self._read(lines)
        return self

    def _read(self, lines: list[Aim]) -> list[Aim]:
        """Return the lines that are to be read next, after what rows say of these."""
        near, left, steps, k = self.near, [], [], self.near.base.size
        C = np.column_stack([line.c[:k] for line in lines])
        values, slopes = near.read(C)
        shared = scipy.linalg.cho_solve(near.factor, np.where(np.isfinite(slopes), slopes, 0))
        for i, line in enumerate(lines):
            value, pulls = float(values[i]), slopes[:, i]
            if line.more is not None:
                own, lean = line.more.at(line.c)
                value, pulls = value + own, lean + np.append(pulls, np.zeros(line.c.size - k))
            if not (np.isfinite(value) and np.isfinite(pulls).all()):
                continue
            if line.side:
                found = self.accept(line, value, pulls)
                if found is not None:
                    self.ends[line.j, line.side] = found
                    continue
            if line.more is not None or (self.always and (line.tries or near.short)):
                self._refresh(line, closely=self.always or line.closely)
            newton = shared[:, i]
            if line.factor is not near.factor:
                newton = scipy.linalg.cho_solve(line.factor, pulls)
            step = self._step(line, value, pulls, newton)
            if step is None or not np.isfinite(step).all():
                continue
            left.append(line)
            steps.append(step)
        if left:
            self._move(left, steps)
        return left

    def _move(self, lines: list[Aim], steps: list[Floats]) -> None:
        k = self.near.base.size
        moves = np.column_stack([step[:k] for step in steps])
        sizes = self.near.few.changes(moves, np.column_stack([line.c[:k] for line in lines]))
        for line, step, of_near in zip(lines, steps, sizes.tolist(), strict=True):
            size = of_near
            if line.more is not None:
                more = line.more.changes(step[:, np.newaxis], line.c[:, np.newaxis])
                size = max(size, float(more[0]))
                line.factor, line.u = self.near.factor, line.f  # found again at each place
            line.c = line.c + step * min(1.0, LONGEST_STEP / max(size, LONGEST_STEP))
            line.tries += 1

    def _refresh(self, line: Aim, *, closely: bool = True) -> None:
        line.closely = closely
        line.factor = self.near.factor_at(line.c, line.more, closely=closely)
        line.u = scipy.linalg.cho_solve(line.factor, line.f)

    def _step(self, line: Aim, value: float, pulls: Floats, newton: Floats) -> Floats | None:
        """Return a line's step; None where it has ended."""
        f, u = line.f, line.u
        s = float(f @ u)
        if not 0.0 < s < np.inf:
            return None
        slope = float(f @ newton) / s
        towards = newton - slope * u
        gain = max(0.0, float(towards @ pulls))
        fall = 2.0 * (self.near.short - value) - gain
        if not line.side:
            dv = -float(f @ line.c)
            error = gain + abs(2.0 * slope * dv)
            if error <= max(self.rounding, SMALL_GAIN):
                self.statistics[line.j] = max(0.0, fall)
                return None
            if error > STALLED * line.error and line.tries > PATIENCE:
                return None  # a fit without the coefficient needs fewer reads
        else:
            root, aim = np.sqrt(max(fall, 0.0)), np.sqrt(self.q - line.room)
            error = gain + abs(fall - (self.q - line.room))
            if gain > NEAR and line.factor is not self.near.factor:
                dv = 0.0
            elif slope * line.side < 0.0 < root:
                dv = line.side * (aim - root) * root / abs(slope)
            else:
                dv = line.side * (aim + root) * np.sqrt(s)
            if error <= line.room and error > SHRUNK * line.error:
                line.room *= WIDEN if line.settled else 1.0  # it is there, and was not accepted
                line.settled = True
                if line.room > self.widest:
                    return None
        if error > SHRUNK * line.error:
            self._refresh(line)
        line.error = error
        return np.asarray(towards + dv / s * u)


def _lines(block: Block, place: Place, C: Floats) -> Floats:
    """Return gradients of lines, and below them log-likelihoods less that of the last line."""
    of = block.sample

    def part(tile: slice) -> Floats:
        return RowsInColumns(place.columns(of.X[tile]), of.y[tile], of.weight[tile]).summed(C)

    with one_blas_thread(), np.errstate(all="ignore"):
        return stack_of_tiles(block.n, part)


def rows_picked(block: Block, place: Place, every: int) -> Picked:
    """Return every so-many-th row of a table that has a weight: its columns, label and weight."""
    picked, of = np.arange(-block.start % every, block.n, every), block.sample
    picked = picked[of.weight[picked] > 0.0]
    return place.columns(of.X[picked]), of.y[picked], of.weight[picked]
