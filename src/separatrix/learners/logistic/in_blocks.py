"""The cross-entropy of a table in blocks: Newton's method, one read of the rows for each iterate.

A read at c gives the value, the gradient and the Hessian, summed over tiles in the order of the
rows, and the gap that the *step before* certifies there: from c' with the step s the dual point is
alpha = sigma(-a') - D' Z s, which meets the equalities because s solves Newton's equations, and its
gap at c is sum weight KL(alpha, sigma(-a)). So no array of all rows is kept, and no read is spent
on the certificate alone. Newton's method begins at the minimiser on a few runs of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack

from separatrix.data import Floats, Sample
from separatrix.kernels.exact import count_mistakes
from separatrix.kernels.rows import add_block, scores_of_block
from separatrix.kernels.smooth import normal_equations
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.least_squares.in_blocks import doubles
from separatrix.learners.logistic.certify import bends, divergences
from separatrix.learners.logistic.drawn_rows import LARGEST_SPREAD, Subsample, minimised_on
from separatrix.learners.logistic.far_columns import ROUNDINGS
from separatrix.learners.logistic.fisher import errors_of
from separatrix.learners.logistic.objective import Scaling
from separatrix.scale import Block, BlockedTable
from separatrix.tiles import TILE, one_blas_thread, stack_of_runs, stack_of_tiles

RUNS = 16  # of rows, at even steps through the table, from which a start is found
START_NUMBERS = 1 << 20  # in these runs together
ROWS_PER_COLUMN = 4  # at least
ROUNDING = 1e-13  # of the value, relative
SPREADS = 8.0  # of a column about its centre: as far as most rows are
SHORTEST = 2.0**-20  # part of a step
EPS = float(np.finfo(np.float64).eps)

# of a read, before the gradient and the Hessian
ERROR, WRONG, DIVERGENCE, SINGLE = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where a read of all rows takes place, and what led there.

    Parameters
    ----------
    scaling : coordinates
    x0 : 1.0 with an intercept, 0.0 without
    factors : (2,) by which the weights of rows of either label are multiplied
    c : (1+d,)
    before, step : (1+d,) the place of the read before, and Newton's step there; None at the first
    """

    scaling: Scaling
    x0: float
    factors: Floats
    c: Floats
    before: Floats | None = None
    step: Floats | None = None

    def tolerance(self, n: int) -> float:
        """Return about what the rounding of sums over n rows may add to a relative gap.

        And that of the weights in the user's units: an error e in the scores costs at most e^2 / 2
        (see `far_columns.matters`).
        """
        scaling = self.scaling
        sizes = np.append(1.0, np.abs(scaling.centre[1:]) + SPREADS / scaling.scale[1:])
        of_scores = ROUNDINGS * EPS * float(np.abs(scaling.weights(self.c)) @ sizes)
        return EPS * (TILE + n / TILE) + 0.5 * of_scores**2

    def moved(self, t: float, before: Floats, step: Floats) -> Place:
        """Return the place at t times a step from another."""
        return replace(self, c=before + t * step, before=before, step=step)


@dataclass(frozen=True, slots=True)
class Read:
    """What a read of all rows gives at a place.

    Parameters
    ----------
    value : sum of errors and penalty
    gradient, hessian : (1+d,), (1+d, 1+d)
    n_wrong : rows with a <= 0, in floats
    gap : relative, certified by the step that led there, with its tolerance; inf at the first place
    """

    place: Place
    value: float
    gradient: Floats
    hessian: Floats
    n_wrong: int
    gap: float

    @classmethod
    def of(cls, table: BlockedTable, place: Place) -> Read:
        """Read all rows."""
        k, penalty, c = place.c.size, place.scaling.penalty, place.c
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
        )

    def factor(self) -> Floats | None:
        """Return the lower Cholesky factor of the Hessian; None where it is near to singular."""
        lower, failed = lapack.dpotrf(self.hessian, lower=1)
        left = np.diag(lower) / np.sqrt(np.diag(self.hessian))
        return None if failed or not left.min() * LARGEST_SPREAD >= 1.0 else lower


@dataclass(frozen=True, slots=True)
class GapInBlocks:
    """The claim that a line's sum of errors is within gap of the least, checked in floats.

    The dual point that shows it is given by two places, and takes a read of the rows to make: its
    equalities hold up to the rounding of sums, and nothing is proven beyond that.

    Parameters
    ----------
    place : the line, and Newton's step that led there
    gap : (sum - lower bound) / sum, in floats, and the tolerance
    tolerance : about what rounding may make of it
    """

    place: Place
    gap: float
    tolerance: float

    def verify(self, table: BlockedTable, tol: float = 1e-8) -> bool:
        """Whether a read of the table finds a gap of at most max(gap, tol), but for rounding."""
        with one_blas_thread(), np.errstate(all="ignore"):
            found = Read.of(table, self.place).gap
        return found <= max(self.gap, tol) + self.tolerance


@dataclass(frozen=True, slots=True)
class FitInBlocks:
    """Where Newton's method ended.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    n_steps : steps taken over all rows; there is one read more
    certificate : with the gap at `weights`
    standard_errors : (1+d,), NaN with a penalty
    separated : whether a line was met, in floats, that puts every row on its own side
    singular : whether rounding decides Newton's steps: columns are collinear, or nearly
    """

    weights: Floats
    n_steps: int
    certificate: GapInBlocks
    standard_errors: Floats
    separated: bool
    singular: bool


def minimised_in_blocks(  # noqa: PLR0917  # the parameters of a learner
    table: BlockedTable,
    x0: float,
    C: float,
    tol: float,
    max_iter: int,
    start: Floats,
    factors: Floats,
) -> FitInBlocks:
    """Minimise the cross-entropy of a table in blocks, up to a certified relative gap of tol.

    Parameters
    ----------
    start : (1+d,) weights
    factors : (2,) by which the weights of rows of either label are multiplied
    """
    with one_blas_thread(), np.errstate(all="ignore"):
        now = Read.of(table, _first_place(table, x0, C, start, factors))
        steps, t = 0, 1.0
        lower = now.factor()
        step = None if lower is None else _step(lower, now)
        while step is not None and not now.gap <= tol and steps < max_iter:
            if not np.isfinite(C) and now.n_wrong == 0:
                break
            later = Read.of(table, now.place.moved(t, now.place.c, step))
            steps += 1
            if not later.value <= now.value * (1.0 + ROUNDING):
                t *= 0.5
                if t < SHORTEST:
                    break
                continue
            stuck = later.value >= now.value and not later.gap < 0.5 * now.gap
            now, t = later, 1.0
            lower = now.factor()
            step = None if lower is None else _step(lower, now)
            if stuck:
                break
        return _ended(table, now, lower, steps)


def _step(lower: Floats, at: Read) -> Floats:
    """Return Newton's step; of coordinates that stay 0 without an intercept it is 0."""
    return np.asarray(lapack.dpotrs(lower, -at.gradient, lower=1)[0])


def _ended(table: BlockedTable, now: Read, lower: Floats | None, steps: int) -> FitInBlocks:
    scaling, x0 = now.place.scaling, now.place.x0
    errors = np.full(now.gradient.size, np.nan)
    if lower is not None and not scaling.penalised:
        errors = errors_of(lower, scaling, x0)
    return FitInBlocks(
        scaling.weights(now.place.c),
        steps,
        GapInBlocks(now.place, now.gap, now.place.tolerance(table.n)),
        errors,
        separated=now.n_wrong == 0,
        singular=lower is None,
    )


def _first_place(table: BlockedTable, x0: float, C: float, start: Floats, factors: Floats) -> Place:
    """Return the minimiser on some runs of rows, or the start where they have none."""
    few = _runs(table, factors)
    rows = Subsample(few, few.n, x0, C)
    c = rows.scaling.coordinates(start)
    if (few.y == few.y[0]).all():
        return Place(rows.scaling, x0, factors, c)
    found = minimised_on(rows, c, 0.1 * (few.d + 1) * table.n / few.n)
    return Place(rows.scaling, x0, factors, c if found is None else found[0])


def _runs(table: BlockedTable, factors: Floats) -> Sample:
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
    """Return for each tile what `Read` is made of: (tiles, 3 + k + k^2), k = 1 + d."""
    of, c, x0 = block.sample, place.c, place.x0
    k = c.size
    centre, scale = place.scaling.centre[1:], place.scaling.scale[1:]
    nothing, ones, zero = np.zeros(k - 1), np.ones(k - 1), np.zeros(1)

    def part(start: int, stop: int) -> Floats:
        found = np.zeros((-(-(stop - start) // TILE), SINGLE + k + k * k))
        table = np.empty((min(TILE, stop - start), k - 1))
        a, sigma, curve, error = np.empty((4, len(table)))
        for sums, first in zip(found, range(start, stop, TILE), strict=True):
            rows = slice(first, min(first + TILE, stop))
            n = rows.stop - first
            y, weight, Z = of.y[rows], of.weight[rows], table[:n]
            weight = weight * place.factors[(y > 0.0).astype(np.intp)]
            np.subtract(of.X[rows], centre, out=Z)
            Z *= scale
            scores_of_block(Z, 0, n, c, x0, a)
            a[:n] *= y
            logistic_parts(a[:n], sigma, curve, error)
            sums[ERROR] = weight @ error[:n]
            sums[WRONG] = np.count_nonzero(~(a[:n] > 0.0))
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
    scores_of_block(Z, 0, y.size, place.before, place.x0, before)
    scores_of_block(Z, 0, y.size, place.step, place.x0, step)
    before *= y
    logistic_parts(before, alpha, bend, _)
    alpha -= bend * (y * step)
    if not (alpha.min() >= 0.0 and alpha.max() <= 1.0):
        return np.inf
    moves = alpha - sigma
    bound = bends(moves, moves / sigma, moves * (sigma / curve))
    return float(weight @ (divergences(alpha, a) if bound is None else bound))


def wrong_rows(table: BlockedTable, weights: Floats, x0: float) -> int:
    """Return #{n : y_n w.x_n <= 0} of all rows, every sign exact."""
    return int(table.sum(_wrong, weights, x0)[0])


def _wrong(block: Block, weights: Floats, x0: float) -> Floats:
    of = block.sample

    def part(tile: slice) -> Floats:
        return np.array([count_mistakes(doubles(of.X[tile]), of.y[tile], weights, x0)])

    return stack_of_tiles(block.n, part)


def yes_rows(block: Block) -> Floats:
    """Return how many rows of a block say yes: (1, 1)."""
    return np.array([[np.count_nonzero(block.sample.y > 0.0)]])
