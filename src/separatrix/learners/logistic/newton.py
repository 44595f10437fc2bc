"""Newton's method for the cross-entropy, one read of all rows for each iterate.

A read at c gives value, gradient and Hessian, and the gap that the step s *before* certifies there:
alpha = sigma(-a') - D' Z s meets the equalities because s solves Newton's equations. Where the
Hessian is near to singular it goes on in orthonormal columns, from a tall-skinny QR decomposition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, in_full
from separatrix.kernels.rows import add_block, scores_of_block
from separatrix.kernels.smooth import normal_equations
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.least_squares.least_squares import (
    Factors,
    factorised,
    padded,
    power_of_two_scale,
    put_under,
    triangle_of,
)
from separatrix.learners.logistic.drawn_rows import Few, Subsample, cholesky
from separatrix.learners.logistic.objective import (
    Scaling,
    bends,
    dual_divergences,
    weighed,
)
from separatrix.learners.logistic.problem import (
    EPS,
    ROUNDINGS,
    LeftOut,
    LogisticFit,
    Problem,
    no_minimiser,
)
from separatrix.scale import Block, Rows
from separatrix.separation.decide import Separability
from separatrix.tiles import TILE, one_blas_thread, stack_of_runs, stack_of_tiles

START_ROWS = 4096  # of which the columns' centres and spreads are taken
ROUNDING = 1e-13  # of the value, relative
SUSPICIOUS_STEPS = 10
LEAST_DOUBT = 1e-14  # a smaller decrease of the value would be certified where a minimiser exists
SHRUNK = 0.01  # of a gap, what a step leaves of it near a minimiser: quadratically less
SHORTEST = 2.0**-20  # part of a step

ENOUGH = 1e-15  # twice what a last step gains of the log-likelihood: it need not be read again
SMALL_GAIN = 1e-4  # likewise, where rounding ends the steps: a longer one is not taken unread
MOST_STEPS = 100
UNCHANGED = 1e-9  # of all weight: less is the rounding of another sum of the same rows
AT_ONCE = 1e7  # multiplications up to which standard errors cost little beside their fit

# of a read, before the gradient and the Hessian
ERROR, WRONG, DIVERGENCE, WEIGHT, EXCESS, MISS, MISS_EXCESS, SINGLE = range(8)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a read of all rows takes place, and what led there."""

    scaling: Scaling  # coordinates
    x0: float  # 1.0 with an intercept, 0.0 without
    factors: Floats  # (2,) by which the weights of rows of either label are multiplied
    c: Floats  # (1+d,)
    before: Floats | None = None
    step: Floats | None = None
    basis: Floats | None = None

    @property
    def penalty(self) -> Floats:
        """The penalty of each coordinate."""
        if self.basis is None:
            return self.scaling.penalty
        return Scaling.identity(self.c.size, 0.0, np.inf).penalty

    @property
    def plain(self) -> Place:
        """The same line in the columns themselves."""
        return replace(self, c=self.line(self.c), before=None, step=None, basis=None)

    def line(self, c: Floats) -> Floats:
        """Return the line (1+d,) of c in the coordinates of the scaling."""
        return c if self.basis is None else self.basis @ c[1:]

    @property
    def weights(self) -> Floats:
        """The line (1+d,) in the user's units."""
        return self.scaling.weights(self.plain.c)

    @property
    def back(self) -> Floats:
        """What makes weights of coordinates, (1+d, k): weights are back @ c."""
        units = np.eye(self.c.size)
        if self.basis is not None:
            units = np.column_stack((np.zeros(len(self.basis)), self.basis))
        return np.array([self.scaling.weights(column) for column in units.T]).T

    def columns(self, X: Points) -> Floats:
        """Return the columns (n, k) of rows X (n, d) in which c are weights."""
        found = np.empty((X.shape[0], self.scaling.scale.size))
        found[:, 0] = self.x0
        self.scaling.write(X, found)
        if self.basis is None:
            return found
        return np.column_stack((np.zeros(len(found)), found @ self.basis))

    def errors(self, lower: Floats) -> Floats:
        """Return standard errors (1+d,) from the lower factor of the Hessian; NaN if penalised."""
        if self.scaling.penalised or (self.basis is not None and not self.basis.size):
            return np.full(self.scaling.scale.size, np.nan)
        basis, lower = (
            (np.eye(len(lower)), lower) if self.basis is None else (self.basis, lower[1:, 1:])
        )
        back = basis.T.copy()  # less the scales: their squares overflow
        back[:, 0] = [self.scaling.weights(column)[0] for column in basis.T]
        half = lapack.dtrtrs(lower, back, lower=1)[0]
        errors = np.sqrt((half * half).sum(axis=0))
        errors[0] *= self.x0
        errors[1:] *= self.scaling.scale[1:]
        return np.where(errors > 0.0, errors, np.nan)

    @property
    def largest(self) -> float:
        """About the largest sum of |w_j x_j| that a score is made of."""
        return float(np.abs(self.weights) @ self.scaling.sizes)

    def tolerance(self, n: int) -> float:
        """Return about what the rounding of sums over n rows may add to a relative gap."""
        return tolerance_of(n, self.largest)

    def over(self, table: Rows) -> Rows:
        """Return the rows that are read."""
        return table

    def read(self, table: Rows) -> Read:
        return Read.of(table, self)

    def moved(self, t: float, before: Floats, step: Floats) -> Place:
        """Return the place at t times a step from another."""
        return replace(self, c=before + t * step, before=before, step=step)


def tolerance_of(n: int, largest: float) -> float:
    """Return about what rounding may add to a relative gap of n rows, with such scores."""
    return EPS * (TILE + n / TILE) + 0.5 * (ROUNDINGS * EPS * largest) ** 2


def gap_at(place: Untyped, divergence: float, value: float) -> float:
    """Return the relative gap that the step to a place certifies there; inf for none."""
    if place.before is None or place.step is None or not value > 0.0:
        return np.inf
    short = place.before + place.step - place.c  # of where the dual point is the best one
    gap = (divergence + 0.5 * float(place.penalty @ (short * short))) / value
    return gap if gap >= 0.0 else np.inf  # NaN included


@dataclass(frozen=True, slots=True)
class Read:
    """What a read of all rows gives at a place."""

    place: Untyped  # `Place`, or that of `levels`
    value: float  # sum of errors and penalty
    gradient: Floats
    hessian: Untyped  # (k, k)
    n_wrong: int  # rows with a <= 0, in floats
    gap: float  # relative, certified by the step that led there, but for rounding
    totals: Floats  # (4,) of weight, and of weight (1 - probability of the right answer)

    @classmethod
    def of(cls, table: Rows, place: Place) -> Read:
        k, penalty, c = place.c.size, place.penalty, place.c
        sums = table.sum(_sums, place)
        G = sums[SINGLE + k :].reshape(k, k)
        hessian = np.where(np.tri(k, k, -1, dtype=bool), G.T, G)
        hessian.flat[:: k + 1] += penalty
        value = float(sums[ERROR] + 0.5 * (penalty @ (c * c)))
        return cls(
            place,
            value,
            sums[SINGLE : SINGLE + k] + penalty * c,
            hessian,
            int(sums[WRONG]),
            gap_at(place, float(sums[DIVERGENCE]), value),
            sums[WEIGHT:SINGLE],
        )

    @property
    def weight(self) -> Floats:
        """The weight (2,) of no rows and of yes rows."""
        return _by_label(*self.totals[:2])

    @property
    def misses(self) -> Floats:
        """The sums (2,) over these of weight (1 - probability of the right answer)."""
        return _by_label(*self.totals[2:])

    def newton(self) -> tuple[Floats | None, Floats | None]:
        """Return the lower factor of the Hessian, None where near to singular, and Newton's step.

        There is no step then, unless columns are orthonormal: curvature nearly vanishes.
        """
        lower = cholesky(self.hessian)
        if lower is not None:
            return lower, np.asarray(lapack.dpotrs(lower, -self.gradient, lower=1)[0])
        if self.place.basis is None or not np.isfinite(self.hessian).all():
            return None, None
        ridge, eye = 0.0, np.eye(self.gradient.size)
        while True:
            lower, failed = lapack.dpotrf(self.hessian + ridge * eye, lower=1)
            if not failed:
                return None, np.asarray(lapack.dpotrs(lower, -self.gradient, lower=1)[0])
            ridge = max(1e-16 * float(np.abs(np.diag(self.hessian)).max()), 10.0 * ridge)

    def unmet(self, step: Floats) -> Floats:
        """Return by how much a step misses Newton's equations."""
        return np.asarray(np.abs(self.hessian @ step + self.gradient))


@dataclass(frozen=True, slots=True)
class GapInBlocks:
    """The claim that a line's sum of errors is within gap of the least, checked in floats."""

    place: Untyped  # `Place`, or that of `levels`
    gap: float  # (sum - lower bound) / sum, in floats, and the tolerance
    tolerance: float  # about what rounding may make of it

    @classmethod
    def of(cls, place: Untyped, gap: float, n: int) -> GapInBlocks:
        """Return the claim for a gap found in floats over n rows."""
        tolerance = place.tolerance(n)
        return cls(replace(place, before=None, step=None), gap + tolerance, tolerance)

    def verify(self, table: Rows, y: None = None, tol: float = 1e-8) -> bool:  # noqa: ARG002
        """Whether two reads of the table find a gap of at most max(gap, tol), but for rounding.

        The first gives Newton's step, the second what the dual point made of it proves.
        """
        place = self.place
        with one_blas_thread(), np.errstate(all="ignore"):
            table = place.over(table)
            read = place.read(table)
            _, step = read.newton()
            if step is None:
                return False
            found = replace(place, before=place.c, step=step).read(table)
            gap = found.gap + np.abs(place.c) @ read.unmet(step) / found.value
        return bool(gap <= max(self.gap, tol) + self.tolerance)


def gap_of_moves(few: Subsample, c: Floats, of_rows: Floats, moved: Floats) -> float:
    """Return the gap at c, times the value, with the shares of a few rows moved (n,)."""
    penalty = few.scaling.penalty
    left = few.scaling.combination(-of_rows) - few.combination(moved)
    free = penalty == 0.0
    short = np.divide((left - penalty * c) ** 2, penalty, out=np.zeros_like(c), where=~free)
    few.at(c)
    own = few.source.sigma
    moves = -few.y * moved / few.weight
    bound = bends(moves, moves / own, moves / (1.0 - own))
    if bound is None:
        return np.inf
    unmet = float(np.abs(c[free]) @ np.abs(left[free]))
    return float(few.weight @ bound) + 0.5 * float(short.sum()) + unmet


def newton(problem: Problem, first: Read, spent: int = 0) -> LogisticFit:
    """Minimise the cross-entropy from a read on, up to a certified gap, after some steps."""
    table, place = problem.rows, cast("Place", first.place)
    columns: list[_Independent] = []

    def independent(at: Place) -> tuple[Rows, Read]:
        columns.append(_Independent.of(table, at, problem.collinear))
        return table, columns[0].place(at).read(table)

    end, proof = minimised(problem, table, first, spent, independent)
    weights, errors = end.read.place.weights, end.errors
    left_out: LeftOut = {}
    misjudged = False
    if columns:
        weights, errors = columns[0].of_all(weights, errors, place.x0)
        left_out, rank = columns[0].left_out, columns[0].factors.rank
        if problem.in_memory and rank < table.d + int(place.x0):
            if proof is None and problem.overlap_rank is None:
                proof = problem.separability
            misjudged = rank != (problem.overlap_rank if proof is None else proof.rank)
    fit = fit_of(problem, end, proof)
    doubtful = fit.doubtful or misjudged
    return replace(
        fit, weights=weights, standard_errors=errors, left_out=left_out, doubtful=doubtful
    )


def fit_of(problem: Problem, end: End, proof: Separability | None) -> LogisticFit:
    """Return the fit that steps ended in, without standard errors."""
    place, gap = end.read.place, end.read.gap
    return LogisticFit(
        place.weights,
        np.inf if proof is not None and no_minimiser(proof) else gap,
        end.n_steps,
        doubtful=end.lower is None and not problem.penalised,
        separability=proof,
        claim=GapInBlocks.of(place, gap, problem.rows.n),
    )


def minimised(
    problem: Problem, table: Rows, first: Untyped, spent: int = 0,
    independent: Callable[[Place], tuple[Rows, Read]] | None = None
) -> tuple[End, Separability | None]:  # fmt: skip
    """Return where Newton's steps from a read end, and whether rows are separable, where asked.

    `independent` gives rows in independent columns, where the Hessian is near to singular, and a
    read of them at a place.
    """
    tol, proof = problem.tol, None
    unasked = not problem.penalised and problem.overlap_rank is None
    doubt = max(tol, LEAST_DOUBT) if unasked else 0.0

    def over(now: Untyped, _: float) -> bool:
        return bool(now.gap <= tol)

    def ended(first: Untyped, spent: int, doubt: float) -> End:
        nonlocal table
        while True:  # a function that calls itself would keep the rows until garbage is collected
            end = descended(table, first, over, problem.max_iter - spent, doubt)
            end = replace(end, n_steps=spent + end.n_steps)
            stuck = end.step is None and not (problem.penalised or end.read.gap <= tol)
            if not (independent and stuck and end.read.place.basis is None):
                return end
            table, first = independent(end.read.place)
            spent = end.n_steps

    end = ended(first, spent, doubt)
    # a line far out along a direction of recession is certified, too, where curvature vanishes
    if unasked and (end.lower is None or not end.read.gap <= tol):
        proof = problem.separability
        if no_minimiser(proof):
            return end, proof
        end = ended(end.read, end.n_steps, 0.0)
    if end.step is not None and end.read.gap <= tol:
        # the step at hand doubles the digits, unless rounding takes more
        last, steps = end.read.place.moved(1.0, end.read.place.c, end.step).read(table), end.n_steps
        if unasked and proof is None and not last.gap <= SHRUNK * end.read.gap:
            proof = problem.separability
            if no_minimiser(proof):
                return end, proof
        if last.gap <= tol:
            end = End(last, None, None) if problem.penalised else _ending(last)
            end = replace(end, n_steps=steps + 1)
    return end, proof


@dataclass(frozen=True, slots=True)
class FisherInformation:
    """The rows and the line of a fit, from which standard errors can be found later."""

    table: Rows
    place: Place
    of_rows: Floats  # (1+d,) the gradient of all errors with respect to the weights

    @property
    def cheap(self) -> bool:
        """Whether to find standard errors at once, rather than to keep the rows."""
        return bool(self.table.n * float(self.of_rows.size) ** 2 <= AT_ONCE)

    def standard_errors(self) -> Floats:
        """Return standard errors (1+d,), from one read; NaN where the Hessian is singular."""
        with one_blas_thread(), np.errstate(all="ignore"):
            read = Read.of(self.table, self.place)
            moved = np.abs(read.gradient - self.place.scaling.combination(self.of_rows)).max()
            unsure = UNCHANGED + ROUNDINGS * EPS * self.place.largest
            if not moved <= unsure * read.weight.sum():
                raise InputError(
                    "standard errors are found from the rows when first asked for, and the arrays "
                    "that were given to fit have changed since. Fit again, or ask before changing."
                )
            return End(read, cholesky(read.hessian), None).errors


@dataclass(frozen=True, slots=True)
class End:
    """Where steps ended: the last read, the factor of the Hessian there, and Newton's step on."""

    read: Read
    lower: Floats | None
    step: Floats | None
    n_steps: int = 0

    @property
    def errors(self) -> Floats:
        """Standard errors (1+d,); NaN where the Hessian is near to singular."""
        place = self.read.place
        if self.lower is None:
            return np.full(place.scaling.scale.size, np.nan)
        errors: Floats = place.errors(self.lower)
        return errors

    @property
    def gain(self) -> float:
        """Twice what the step on is to gain."""
        return 0.0 if self.step is None else -float(self.read.gradient @ self.step)


def descended(
    table: Rows, first: Untyped, over: Callable[[Untyped, float], bool], max_iter: int, doubt: float
) -> End:
    """Return where Newton's steps end, at the latest once over(read, gain of the step on)."""
    steps, t = 0, 1.0
    end = _ending(first)
    while end.step is not None and not over(end.read, end.gain) and steps < max_iter:
        now = end.read
        if doubt and (now.n_wrong == 0 or steps >= SUSPICIOUS_STEPS):
            break
        later = now.place.moved(t, now.place.c, end.step).read(table)
        steps += 1
        if not later.value <= now.value * (1.0 + ROUNDING):
            t *= 0.5
            if t < SHORTEST:
                break
            continue
        stuck = later.value >= now.value and not later.gap < 0.5 * now.gap
        if doubt and not over(later, np.inf):
            stuck = stuck or now.value - later.value <= doubt * later.value
        end, t = _ending(later), 1.0
        if stuck:
            break
    return replace(end, n_steps=steps)


def _ending(now: Untyped) -> End:
    return End(now, *now.newton())


@dataclass(frozen=True, slots=True)
class Optimum:
    """The most likely line of a table that has one, as near as doubles come to it."""

    read: Read  # at a place that is within a step of it, which gains hardly anything
    place: Place  # the end of that step
    value: float  # the least sum of errors
    weights: Floats
    standard_errors: Floats
    rank: int  # how many coefficients can be chosen freely
    undetermined: frozenset[int] = frozenset()
    left_out: frozenset[int] = frozenset()


def optimum_in_blocks(table: Rows, at: Place | None = None) -> Optimum:
    """Return the most likely line of rows that have one, from one or two reads near it."""
    with one_blas_thread(), np.errstate(all="ignore"):
        place = place_of(table) if at is None else at.plain
        end, columns = _optimal(table, place), None
        if end.lower is None:
            columns = _Independent.of(table, place, collinear_of(table))
            end = _optimal(table, columns.place(place))
        now, gain = end.read, 0.0
        last = now.place
        if end.step is not None and end.gain <= SMALL_GAIN:
            last, gain = last.moved(1.0, last.c, end.step), end.gain
        weights, errors, value = last.weights, end.errors, now.value - 0.5 * gain
        if columns is None:
            return Optimum(now, last, value, weights, errors, table.d + int(table.x0))
        weights, errors = columns.of_all(weights, errors, table.x0)
        rank, away = columns.factors.rank, frozenset(columns.left_out)
        undetermined = columns.undetermined(table.x0)
        return Optimum(now, last, value, weights, errors, rank, undetermined, away)


def place_of(table: Rows, weights: Floats | None = None) -> Place:
    """Return a line (1+d,), or that whose weights are 0, in columns as some rows show them."""
    few = Few.drawn(table, START_ROWS, np.ones(2)).sample
    scaling = Scaling.of(in_full(few.X), table.x0, np.inf)
    c = np.zeros(table.d + 1) if weights is None else scaling.coordinates(weights)
    return Place(scaling, table.x0, np.ones(2), c)


def well_posed(table: Rows, place: Place, left_out: Iterable[int]) -> Read:
    """Return a read at a line, in orthonormal columns where others are near to dependent."""
    with one_blas_thread(), np.errstate(all="ignore"):
        read = Read.of(table, place)
        if cholesky(read.hessian) is not None:
            return read
        columns = _Independent.of(table, place, dict.fromkeys(left_out, ()))
        return Read.of(table, columns.place(place))


def _optimal(table: Rows, place: Place) -> End:
    """Return where steps end that each gain something."""
    return descended(table, place.read(table), lambda _, gain: gain <= ENOUGH, MOST_STEPS, 0.0)


@dataclass(frozen=True, slots=True)
class _Independent:
    """Columns of a table that make up all others, exactly or but for rounding."""

    factors: Factors  # of the columns that are not left out, times `scale`
    scale: Floats
    kept: NDArray[np.int64]  # (k,) these columns, of (1+d,)
    left_out: LeftOut  # the others, made up but for rounding
    scaling: Scaling

    @classmethod
    def of(cls, table: Rows, place: Place, left_out: LeftOut) -> _Independent:
        """Find them by a read, less those that others make up but for rounding."""
        kept = np.array([j for j in range(table.d + 1) if j not in left_out])
        triangle = table.reduce(_triangles, put_under, np.zeros((0, table.d + 1)), place)[:, kept]
        scale = power_of_two_scale(triangle)
        return cls(factorised(triangle * scale, table.n), scale, kept, left_out, place.scaling)

    def place(self, before: Place) -> Place:
        """Return a place in orthonormal columns, at the scores of another one."""
        factors, width = self.factors, self.scaling.scale.size
        basic = factors.basic
        basis = np.zeros((width, factors.rank))
        basis[self.kept[basic]] = factors.inverse * self.scale[basic, np.newaxis]
        c = factors.R @ (before.c[self.kept] / self.scale)[factors.pivot]
        return Place(self.scaling, before.x0, before.factors, np.append(0.0, c), basis=basis)

    @property
    def null_space(self) -> Floats:
        """Return lines (1+d, m), in the user's units, that vanish on all rows."""
        found = np.zeros((self.scaling.scale.size, self.factors.R.shape[1] - self.factors.rank))
        found[self.kept] = self.factors.null_space() * self.scale[:, np.newaxis]
        for column in found.T:
            column[:] = self.scaling.weights(column)
        return found

    def undetermined(self, x0: float) -> frozenset[int]:
        """Return the indices in (1+d,) of columns that are left out or make up one another."""
        found = {*self.left_out, *self.kept[self.factors.collinear()].tolist()} - {0}
        null = self.null_space
        parts = self.scaling.sizes @ np.abs(null)
        if x0 and (np.abs(null[0]) > np.sqrt(EPS) * parts).any():
            found.add(0)
        return frozenset(found)

    def of_all(self, weights: Floats, errors: Floats, x0: float) -> tuple[Floats, Floats]:
        """Return the shortest weights (1+d,), and no errors of those not determined."""
        w, errors, null = weights.copy(), errors.copy(), self.null_space
        if null.size and np.isfinite(null).all() and np.isfinite(w).all():
            w -= null @ np.linalg.lstsq(null, w, rcond=None)[0]
            w[0] *= x0
        errors[list(self.undetermined(x0))] = np.nan
        return w, errors


def _by_label(total: float, excess: float) -> Floats:
    """Return the sums (2,) over no rows and yes rows, of their sum and of yes less no."""
    return np.array([0.5 * (total - excess), 0.5 * (total + excess)])


def _triangles(block: Block, place: Place) -> Floats:
    """Return R of root weight (x0, scaled x) for each tile: (tiles, 1+d, 1+d)."""
    of = block.sample
    root = np.sqrt(weighed(of, place.factors))

    def part(tile: slice) -> Floats:
        A = padded(tile.stop - tile.start, of.d + 1)
        rows = A[: tile.stop - tile.start]
        rows[:, 0] = place.x0
        place.scaling.write(of.X[tile], A)
        rows *= root[tile, np.newaxis]
        return triangle_of(A)

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


def _sums(block: Block, place: Place) -> Floats:
    """Return for each tile what `Read` is made of: (tiles, 7 + k + k^2), k = 1 + d."""
    of, basis, line = block.sample, place.basis, place.line(place.c)
    weights = weighed(of, place.factors)
    x0, k = place.x0 if basis is None else 0.0, place.c.size
    nothing, ones, zero = np.zeros(k - 1), np.ones(k - 1), np.zeros(1)

    def part(start: int, stop: int) -> Floats:
        found = np.zeros((-(-(stop - start) // TILE), SINGLE + k + k * k))
        table = np.empty((min(TILE, stop - start), of.d))
        a, sigma, curve, error = np.empty((4, len(table)))
        for sums, first in zip(found, range(start, stop, TILE), strict=True):
            rows = slice(first, min(first + TILE, stop))
            n = rows.stop - first
            y, weight, Z = of.y[rows], weights[rows], table[:n]
            place.scaling.write(of.X[rows], Z)
            scores_of_block(Z, 0, n, line, place.x0, a)  # of columns in a basis less is lost so
            a[:n] *= y
            logistic_parts(a[:n], sigma, curve, error)
            sums[ERROR] = weight @ error[:n]
            sums[WRONG] = np.count_nonzero(~(a[:n] > 0.0))
            signed = weight * y
            sums[WEIGHT], sums[EXCESS] = weight.sum(), signed.sum()
            sums[MISS], sums[MISS_EXCESS] = weight @ sigma[:n], signed @ sigma[:n]
            sums[DIVERGENCE] = _divergence(place, Z, y, weight, (a[:n], sigma[:n], curve[:n]))
            if basis is not None:
                Z = np.ascontiguousarray(Z @ basis[1:] + place.x0 * basis[0])
            add_block(Z, 0, n, -(weight * sigma[:n] * y), sums[SINGLE : SINGLE + k], x0)
            root = np.sqrt(weight * curve[:n])
            G = normal_equations.gram(Z, y, root, 0, n, nothing, ones, zero)[:k, :k]
            if not x0:
                G[0] = 0.0
            sums[SINGLE + k :] = G.ravel()  # of which the upper half counts
        return found

    with one_blas_thread(), np.errstate(all="ignore"):
        return stack_of_runs(block.n, part)


def _divergence(
    place: Place, Z: Floats, y: Floats, weight: Floats, at: tuple[Floats, Floats, Floats]
) -> float:
    """Return sum weight KL(alpha, sigma(-a)), or a little more; inf for no dual point."""
    if place.before is None or place.step is None:
        return np.inf
    before, along = np.empty((2, y.size))
    scores_of_block(Z, 0, y.size, place.line(place.before), place.x0, before)
    scores_of_block(Z, 0, y.size, place.line(place.step), place.x0, along)
    return float(weight @ dual_divergences(y * before, y * along, *at))


def yes_rows(block: Block) -> Floats:
    """Return how many rows of a block say yes: (1, 1)."""
    return np.array([[np.count_nonzero(block.sample.y > 0.0)]])
