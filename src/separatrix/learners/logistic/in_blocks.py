"""The cross-entropy of a table in blocks: Newton's method, one read of the rows for each iterate.

A read at c gives the value, the gradient and the Hessian, summed over tiles in the order of the
rows, and the gap that the *step before* certifies there: from c' with the step s the dual point is
alpha = sigma(-a') - D' Z s, which meets the equalities because s solves Newton's equations, and its
gap at c is sum weight KL(alpha, sigma(-a)). So no array of all rows is kept, and no read is spent
on the certificate alone. Newton's method begins at the minimiser on a few runs of rows. Where its
Hessian is near to singular, without a penalty, it goes on in orthonormal columns, which the
triangle of a tall-skinny QR decomposition gives; columns that others make up are left out of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix.data import Floats, Sample
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
from separatrix.learners.least_squares.normal_equations import doubles
from separatrix.learners.logistic.certify import bends, divergences
from separatrix.learners.logistic.drawn_rows import LARGEST_SPREAD, Subsample, minimised_on
from separatrix.learners.logistic.far_columns import ROUNDINGS
from separatrix.learners.logistic.fisher import LeftOut, errors_of
from separatrix.learners.logistic.objective import Scaling
from separatrix.learners.logistic.problem import no_minimiser
from separatrix.scale import Block, Rows
from separatrix.separation.decide import Separability, separability_of
from separatrix.tiles import TILE, one_blas_thread, stack_of_runs, stack_of_tiles

RUNS = 16  # of rows, at even steps through the table, from which a start is found
START_NUMBERS = 1 << 20  # in these runs together
ROWS_PER_COLUMN = 4  # at least
ROUNDING = 1e-13  # of the value, relative
SUSPICIOUS_STEPS = 10
DOUBT = 1.0  # of tol: a smaller decrease of the value would be certified where a minimiser exists
LEAST_DOUBT = 1e-14
SPREADS = 8.0  # of a column about its centre: as far as most rows are
SHORTEST = 2.0**-20  # part of a step
EPS = float(np.finfo(np.float64).eps)

ENOUGH = 1e-12  # twice what a last step gains of the log-likelihood: it need not be read again
SMALL_GAIN = 1e-4  # likewise, where rounding ends the steps: a longer one is not taken unread
MOST_STEPS = 100

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

    def columns(self, X: Floats) -> Floats:
        """Return the columns (n, k) of rows X (n, d) in which c are weights."""
        found = np.empty((len(X), self.scaling.scale.size))
        found[:, 0] = self.x0
        np.subtract(X, self.scaling.centre[1:], out=found[:, 1:])
        found[:, 1:] *= self.scaling.scale[1:]
        if self.basis is None:
            return found
        return np.column_stack((np.zeros(len(X)), found @ self.basis))

    def errors(self, lower: Floats) -> Floats:
        """Return standard errors (1+d,) from the lower factor of the Hessian; NaN if penalised."""
        if self.scaling.penalised or (self.basis is not None and not self.basis.size):
            return np.full(self.scaling.scale.size, np.nan)
        if self.basis is None:
            return errors_of(lower, self.scaling, self.x0)
        back = np.array([self.scaling.weights(column) for column in self.basis.T])
        half = scipy.linalg.solve_triangular(lower[1:, 1:], back, lower=True, check_finite=False)
        errors = np.sqrt((half * half).sum(axis=0))
        return np.where(errors > 0.0, errors, np.nan)

    def tolerance(self, n: int) -> float:
        """Return about what the rounding of sums over n rows may add to a relative gap.

        And that of the weights in the user's units: an error e in the scores costs at most e^2 / 2
        (see `far_columns.matters`).
        """
        scaling = self.scaling
        sizes = np.append(1.0, np.abs(scaling.centre[1:]) + SPREADS / scaling.scale[1:])
        of_scores = ROUNDINGS * EPS * float(np.abs(self.weights) @ sizes)
        return EPS * (TILE + n / TILE) + 0.5 * of_scores**2

    def moved(self, t: float, before: Floats, step: Floats) -> Place:
        """Return the place at t times a step from another."""
        return replace(self, c=before + t * step, before=before, step=step)


@dataclass(frozen=True, slots=True)
class Read:
    """What a read of all rows gives at a place."""

    place: Place
    value: float  # sum of errors and penalty
    gradient: Floats
    hessian: Floats
    n_wrong: int  # rows with a <= 0, in floats
    gap: float  # relative, certified by the step that led there, with its tolerance
    weight: Floats  # (2,) of no rows and of yes rows
    misses: Floats  # (2,) of these, the sums of weight (1 - probability of the right answer)

    @classmethod
    def of(cls, table: Rows, place: Place) -> Read:
        """Read all rows."""
        k, penalty, c = place.c.size, place.penalty, place.c
        sums = table.sum(_sums, place)
        G = sums[SINGLE + k :].reshape(k, k)
        value = float(sums[ERROR] + 0.5 * (penalty @ (c * c)))
        gap = np.inf
        if place.before is not None and place.step is not None and value > 0.0:
            short = place.before + place.step - c  # of where the dual point is the best one
            gap = float(sums[DIVERGENCE] + 0.5 * (penalty @ (short * short))) / value
            gap += place.tolerance(table.n)
        return cls(
            place,
            value,
            sums[SINGLE : SINGLE + k] + penalty * c,
            G + np.triu(G, 1).T + np.diag(penalty),
            int(sums[WRONG]),
            gap if gap >= 0.0 else np.inf,  # NaN included
            _by_label(sums[WEIGHT], sums[EXCESS]),
            _by_label(sums[MISS], sums[MISS_EXCESS]),
        )

    def factor(self) -> Floats | None:
        """Return the lower Cholesky factor of the Hessian; None where it is near to singular."""
        lower, failed = lapack.dpotrf(self.hessian, lower=1)
        left = np.diag(lower) / np.sqrt(np.diag(self.hessian))
        return None if failed or not left.min() * LARGEST_SPREAD >= 1.0 else lower


@dataclass(frozen=True, slots=True)
class GapInBlocks:
    """The claim that a line's sum of errors is within gap of the least, checked in floats."""

    place: Place  # the line, and Newton's step that led there
    gap: float  # (sum - lower bound) / sum, in floats, and the tolerance
    tolerance: float  # about what rounding may make of it

    def verify(self, table: Rows, y: None = None, tol: float = 1e-8) -> bool:  # noqa: ARG002
        """Whether two reads of the table find a gap of at most max(gap, tol), but for rounding."""
        place = self.place
        if place.before is None or place.step is None:
            return False
        with one_blas_thread(), np.errstate(all="ignore"):
            at = Read.of(table, replace(place, c=place.before, before=None, step=None))
            unmet = np.abs(at.hessian @ place.step + at.gradient)
            found = Read.of(table, place)
            gap = found.gap + float(np.abs(place.c) @ unmet) / found.value
        return gap <= max(self.gap, tol) + self.tolerance


@dataclass(frozen=True, slots=True)
class FitInBlocks:
    """Where Newton's method ended."""

    weights: Floats  # (1+d,), w_0 first
    n_steps: int  # steps taken over all rows; there is one read more
    certificate: GapInBlocks  # with the gap at `weights`
    standard_errors: Floats  # (1+d,), NaN with a penalty
    singular: bool  # whether rounding decides Newton's steps
    left_out: LeftOut = field(default_factory=dict)
    separability: Separability | None = None


def minimised_in_blocks(  # noqa: PLR0917  # the parameters of a learner
    table: Rows,
    x0: float,
    C: float,
    tol: float,
    max_iter: int,
    start: Floats,
    factors: Floats,
) -> FitInBlocks:
    """Minimise the cross-entropy of a table in blocks, up to a certified relative gap of tol."""
    with one_blas_thread(), np.errstate(all="ignore"):
        place, doubtful = _first_place(table, x0, C, start, factors)
        unasked = not np.isfinite(C)
        if doubtful:
            proof = separability_of(table, x0)
            if no_minimiser(proof):
                return _no_fit(place, proof)
            unasked = False
        doubt = max(DOUBT * tol, LEAST_DOUBT) if unasked else 0.0
        fit, columns = _newton(table, place, tol, max_iter, doubt), None
        if fit.singular and not np.isfinite(C) and not fit.certificate.gap <= tol:
            columns = _Independent.of(table, place)
            fit = _further(table, fit, columns.place(place), tol, max_iter, doubt)
        if unasked and not fit.certificate.gap <= tol:
            proof = separability_of(table, x0)
            if no_minimiser(proof):
                return replace(fit, separability=proof)
            fit = _further(table, fit, fit.certificate.place, tol, max_iter, 0.0)
        return fit if columns is None else columns.of_all(fit, x0)


def _no_fit(place: Place, proof: Separability) -> FitInBlocks:
    """Return that no minimiser exists, where that is so before any step is taken."""
    claim, nothing = GapInBlocks(place, np.inf, 0.0), np.full(place.c.size, np.nan)
    return FitInBlocks(place.weights, 0, claim, nothing, singular=False, separability=proof)


def _further(  # noqa: PLR0917  # parameters of `_newton`
    table: Rows, fit: FitInBlocks, place: Place, tol: float, max_iter: int, doubt: float
) -> FitInBlocks:
    """Return where Newton's method leads from another place, with the steps of a fit before."""
    later = _newton(table, place, tol, max_iter - fit.n_steps, doubt)
    return replace(later, n_steps=later.n_steps + fit.n_steps)


def _newton(table: Rows, place: Place, tol: float, max_iter: int, doubt: float) -> FitInBlocks:
    """Return where Newton's method leads."""
    end = _descended(table, place, lambda now, _: now.gap <= tol, max_iter, doubt)
    now, nothing = end.read, np.full(table.d + 1, np.nan)
    return FitInBlocks(
        now.place.weights,
        end.n_steps,
        GapInBlocks(now.place, now.gap, now.place.tolerance(table.n)),
        nothing if end.lower is None else now.place.errors(end.lower),
        singular=end.lower is None,
    )


@dataclass(frozen=True, slots=True)
class _End:
    """Where steps ended: the last read, the factor of the Hessian there, and Newton's step on."""

    read: Read
    lower: Floats | None
    step: Floats | None
    n_steps: int = 0

    @property
    def gain(self) -> float:
        """Twice what the step on is to gain."""
        return 0.0 if self.step is None else -float(self.read.gradient @ self.step)


def _descended(
    table: Rows,
    place: Place,
    over: Callable[[Read, float], bool],
    max_iter: int,
    doubt: float,
) -> _End:
    """Return where Newton's steps end: as `_newton`, once over(read, gain of the step on)."""
    steps, t = 0, 1.0
    end = _ending(Read.of(table, place))
    while end.step is not None and not over(end.read, end.gain) and steps < max_iter:
        now = end.read
        if doubt and (now.n_wrong == 0 or steps >= SUSPICIOUS_STEPS):
            break
        later = Read.of(table, now.place.moved(t, now.place.c, end.step))
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


def _ending(now: Read) -> _End:
    lower = now.factor()
    return _End(now, lower, None if lower is None else _step(lower, now))


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


def optimum_in_blocks(table: Rows, x0: float, at: Place | None = None) -> Optimum:
    """Return the most likely line of rows that have one, from one or two reads near it."""
    with one_blas_thread(), np.errstate(all="ignore"):
        place = _at_zero(table, x0) if at is None else at.plain
        end, columns = _optimal(table, place), None
        if end.lower is None:
            columns = _Independent.of(table, place)
            end = _optimal(table, columns.place(place))
        now, gain = end.read, 0.0
        last = now.place
        if end.step is not None and end.gain <= SMALL_GAIN:
            last, gain = last.moved(1.0, last.c, end.step), end.gain
        nothing = np.full(table.d + 1, np.nan)
        errors = nothing if end.lower is None else now.place.errors(end.lower)
        claim = GapInBlocks(last, now.gap, now.place.tolerance(table.n))
        fit = FitInBlocks(last.weights, end.n_steps, claim, errors, singular=end.lower is None)
        value = now.value - 0.5 * gain
        if columns is None:
            return Optimum(now, last, value, fit.weights, errors, table.d + int(x0))
        fit, away = columns.of_all(fit, x0), frozenset(columns.left_out)
        return Optimum(
            now,
            last,
            value,
            fit.weights,
            fit.standard_errors,
            columns.factors.rank,
            columns.undetermined(x0),
            away,
        )


def _at_zero(table: Rows, x0: float) -> Place:
    """Return the line whose weights are 0, in columns as some runs of rows show them."""
    some = _runs(table, np.ones(2))
    return Place(Scaling.of(some.X, x0, np.inf), x0, np.ones(2), np.zeros(table.d + 1))


def _optimal(table: Rows, place: Place) -> _End:
    """Return where steps end that each gain something."""
    return _descended(table, place, lambda _, gain: gain <= ENOUGH, MOST_STEPS, 0.0)


@dataclass(frozen=True, slots=True)
class _Independent:
    """Columns of a table that make up all others, exactly or but for rounding."""

    factors: Factors  # of the columns that are not left out, times `scale`
    scale: Floats
    kept: NDArray[np.int64]  # (k,) these columns, of (1+d,)
    left_out: LeftOut  # the others, made up but for rounding
    scaling: Scaling

    @classmethod
    def of(cls, table: Rows, place: Place) -> _Independent:
        """Find them: a read, and another where columns are collinear but for rounding."""
        left_out = collinear_of(table, place.x0)
        kept = np.array([j for j in range(table.d + 1) if j not in left_out])
        triangle = table.reduce(_triangles, put_under, np.zeros((0, table.d + 1)), place)[:, kept]
        scale = power_of_two_scale(triangle)
        return cls(factorised(triangle * scale, table.n), scale, kept, left_out, place.scaling)

    def place(self, before: Place) -> Place:
        """Return a place in orthonormal columns, at the scores of another one."""
        factors, width = self.factors, self.scaling.scale.size
        basic = factors.pivot[: factors.rank]
        basis = np.zeros((width, factors.rank))
        inverse = scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], np.eye(factors.rank), check_finite=False
        )
        basis[self.kept[basic]] = inverse * self.scale[basic, np.newaxis]
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
        parts = np.abs(self.scaling.centre) @ np.abs(null) + np.abs(null[0])
        if x0 and (np.abs(null[0]) > np.sqrt(EPS) * parts).any():
            found.add(0)
        return frozenset(found)

    def of_all(self, fit: FitInBlocks, x0: float) -> FitInBlocks:
        """Return the fit with the shortest weights, and no errors of those not determined."""
        w, errors, null = fit.weights.copy(), fit.standard_errors.copy(), self.null_space
        if null.shape[1]:
            w -= null @ np.linalg.lstsq(null, w, rcond=None)[0]
            w[0] *= x0
        errors[list(self.undetermined(x0))] = np.nan
        return replace(fit, weights=w, standard_errors=errors, left_out=self.left_out)


def _by_label(total: float, excess: float) -> Floats:
    """Return the sums (2,) over no rows and yes rows, of their sum and of yes less no."""
    return np.array([0.5 * (total - excess), 0.5 * (total + excess)])


def _triangles(block: Block, place: Place) -> Floats:
    """Return R of root weight (x0, scaled x) for each tile: (tiles, 1+d, 1+d)."""
    of, scaling = block.sample, place.scaling
    root = np.sqrt(of.weight * place.factors[(of.y > 0.0).astype(np.intp)])

    def part(tile: slice) -> Floats:
        A = padded(tile.stop - tile.start, of.d + 1)
        rows = A[: tile.stop - tile.start]
        rows[:, 0] = place.x0
        rows[:, 1:] = (of.X[tile] - scaling.centre[1:]) * scaling.scale[1:]
        rows *= root[tile, np.newaxis]
        return triangle_of(A)

    with one_blas_thread():
        return stack_of_tiles(block.n, part)


def _step(lower: Floats, at: Read) -> Floats:
    """Return Newton's step; of coordinates that stay 0 without an intercept it is 0."""
    return np.asarray(lapack.dpotrs(lower, -at.gradient, lower=1)[0])


def _first_place(
    table: Rows, x0: float, C: float, start: Floats, factors: Floats
) -> tuple[Place, bool]:
    """Return the minimiser on some runs of rows, or the start where none is found."""
    few = _runs(table, factors)
    few = few.only(few.weight > 0.0)
    rows = Subsample(few, few.n, x0, C)
    place = Place(rows.scaling, x0, factors, rows.scaling.coordinates(start))
    if (few.y == few.y[0]).all():
        return place, False
    found = minimised_on(rows, place.c, 0.1 * (few.d + 1) * table.n / few.n)
    if found is None:
        return place, not np.isfinite(C) and no_minimiser(separability_of(few, x0))
    return replace(place, c=found[0]), False


def _runs(table: Rows, factors: Floats) -> Sample:
    """Return runs of rows at even steps, with weights that make their sums stand for all."""
    n, d = table.shape
    size = max(START_NUMBERS // (d + 1), ROWS_PER_COLUMN * (d + 1))
    runs = max(1, min(RUNS, n // size))
    size = min(n, -(-size // runs))
    starts = [k * (n - size) // max(1, runs - 1) for k in range(runs)]
    parts = [table.source.read(start, start + size) for start in starts]
    X = np.concatenate([doubles(part.X) for part in parts])
    y = np.concatenate([part.y for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    weight = weight * factors[(y > 0.0).astype(np.intp)] * (n / len(y))
    return Sample(X, y, parts[0].classes, weight)


def _sums(block: Block, place: Place) -> Floats:
    """Return for each tile what `Read` is made of: (tiles, 7 + k + k^2), k = 1 + d."""
    of, c, basis = block.sample, place.c, place.basis
    x0, k = place.x0 if basis is None else 0.0, c.size
    centre, scale = place.scaling.centre[1:], place.scaling.scale[1:]
    nothing, ones, zero = np.zeros(k - 1), np.ones(k - 1), np.zeros(1)

    def part(start: int, stop: int) -> Floats:
        found = np.zeros((-(-(stop - start) // TILE), SINGLE + k + k * k))
        table = np.empty((min(TILE, stop - start), of.d))
        a, sigma, curve, error = np.empty((4, len(table)))
        for sums, first in zip(found, range(start, stop, TILE), strict=True):
            rows = slice(first, min(first + TILE, stop))
            n = rows.stop - first
            y, weight, Z = of.y[rows], of.weight[rows], table[:n]
            weight = weight * place.factors[(y > 0.0).astype(np.intp)]
            np.subtract(of.X[rows], centre, out=Z)
            Z *= scale
            if basis is not None:
                Z = np.ascontiguousarray(Z @ basis[1:] + place.x0 * basis[0])
            scores_of_block(Z, 0, n, c, x0, a)
            a[:n] *= y
            logistic_parts(a[:n], sigma, curve, error)
            sums[ERROR] = weight @ error[:n]
            sums[WRONG] = np.count_nonzero(~(a[:n] > 0.0))
            signed = weight * y
            sums[WEIGHT], sums[EXCESS] = weight.sum(), signed.sum()
            sums[MISS], sums[MISS_EXCESS] = weight @ sigma[:n], signed @ sigma[:n]
            sums[DIVERGENCE] = _divergence(place, Z, y, weight, (a[:n], sigma[:n], curve[:n]))
            add_block(Z, 0, n, -(weight * sigma[:n] * y), sums[SINGLE : SINGLE + k], x0)
            root = np.sqrt(weight * curve[:n])
            G = normal_equations.gram(Z, y, root, 0, n, nothing, ones, zero)[:k, :k]
            if not x0:
                G[0] = 0.0
            sums[SINGLE + k :] = np.triu(G).ravel()
        return found

    with one_blas_thread(), np.errstate(all="ignore"):
        return stack_of_runs(block.n, part)


def _divergence(
    place: Place, Z: Floats, y: Floats, weight: Floats, at: tuple[Floats, Floats, Floats]
) -> float:
    """Return sum weight KL(alpha, sigma(-a)), or a little more; inf where alpha is no dual point.

    Parameters
    ----------
    at : a, sigma(-a) and sigma(a) sigma(-a) (n,)
    """
    if place.before is None or place.step is None:
        return np.inf
    a, sigma, curve = at
    before, step, alpha, bend, _ = np.empty((5, y.size))
    x0 = place.x0 if place.basis is None else 0.0
    scores_of_block(Z, 0, y.size, place.before, x0, before)
    scores_of_block(Z, 0, y.size, place.step, x0, step)
    before *= y
    logistic_parts(before, alpha, bend, _)
    alpha -= bend * (y * step)
    if not (alpha.min() >= 0.0 and alpha.max() <= 1.0):
        return np.inf
    moves = alpha - sigma
    bound = bends(moves, moves / sigma, moves * (sigma / curve))
    return float(weight @ (divergences(alpha, a) if bound is None else bound))


def yes_rows(block: Block) -> Floats:
    """Return how many rows of a block say yes: (1, 1)."""
    return np.array([[np.count_nonzero(block.sample.y > 0.0)]])
