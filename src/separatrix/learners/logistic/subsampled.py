"""The cross-entropy on many rows: Newton's steps on few of them, then few reads of all.

On nested samples of the rows Newton's method finds a line and the Cholesky factor of a Hessian that
is nearly that of all rows. With it as the metric, limited-memory BFGS needs a handful of passes
over all rows. The dual point of the certificate is theta(-a), moved on the *sampled* rows alone:
with v = H_S^-1 (minus gradient) and D_S the sampled curvatures, alpha = theta(-a) - D_S Z v meets
the equalities exactly as a fresh Hessian's would, at a gap that is larger by the sampling rate. So
no Hessian of all rows is ever formed.

Where samples will not do (a column that is constant in them, separable data), they grow up to all
rows; where all rows will not do either, the caller's careful method has to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, Sample
from separatrix.learners.logistic.fisher import Ask, Information, LogisticFit, Look, no_minimiser
from separatrix.learners.logistic.lbfgs import Pairs
from separatrix.learners.logistic.objective import Passes
from separatrix.learners.logistic.quantised import Coarse, approached, coarse_pays
from separatrix.learners.logistic.subsample import (
    Factor,
    Part,
    Units,
    dense_rows,
    factor_of,
    settled_on,
    units_of,
)
from separatrix.tiles import one_blas_thread

FEWEST = 2000  # rows of a sample
MEMORY = 10  # pairs that BFGS remembers
PATIENCE = 4  # passes in which the decrease must fall by HEADWAY
HEADWAY = 0.05
MOST_STEPS = 30  # without a penalty: after these it is time to ask if a minimiser exists
REFINEMENTS = 8  # of the multipliers that make the dual point's equalities hold
ROUNDING = 1e-12  # relative, of what is left of them


class _Table:
    """All rows: the sum of errors with its penalty in the units of the samples."""

    def __init__(self, sample: Sample, x0: float, units: Units) -> None:
        self.sample, self.x0, self.units = sample, x0, units
        self.passes = Passes(sample.X, sample.y, sample.weight, x0, curved=False)
        self.raw = np.zeros(sample.d + 1)

    def value(self, c: Floats) -> tuple[float, Floats]:
        """Return the sum with its penalty, and minus its gradient, at c."""
        error, self.raw = self.passes.at(self.units.weights(c))
        penalty = self.units.penalty
        pull = self.units.pulled(self.raw) - penalty * c
        return error + 0.5 * float(penalty @ (c * c)), pull

    def certified(
        self, c: Floats, value: float, pull: Floats, factor: Factor
    ) -> tuple[float, Floats]:
        """Return the relative gap at c, the place of the last pass, and the dual point (N,)."""
        penalty, theta = self.units.penalty, self.passes.theta
        part, rows = factor.part, factor.part.chosen
        free = penalty == 0.0
        pulled = self.units.pulled(self.raw)
        v = factor.solve(pull)
        for _ in range(REFINEMENTS):
            moved = factor.curvature * part.scores(v, self.units)
            left = pulled - part.pull(moved, self.units)
            if np.abs(left[free]).max(initial=0.0) <= ROUNDING * np.abs(pull).max():
                break
            v += factor.solve(np.where(free, left, 0.0))
        own = theta[rows]
        moves = -part.y * moved / part.weight
        up, down = moves / own, moves / (1.0 - own)
        if not max(np.abs(up).max(), np.abs(down).max()) <= 0.5:
            return np.inf, theta
        theta[rows] = own + moves
        # P - D = sum KL(alpha, theta) + |left - penalty c|^2 / (2 penalty), where KL is at most
        # move^2 (1 + |move|) / 2, each relative to theta and to 1 - theta, for moves below a half
        bends = moves * (up * (1.0 + np.abs(up)) + down * (1.0 + np.abs(down)))
        short = np.divide((left - penalty * c) ** 2, penalty, out=np.zeros_like(c), where=~free)
        return 0.5 * float(part.weight @ bends + short.sum()) / value, theta


def sizes(sample: Sample) -> list[int]:
    """Return how many rows the nested samples have, the last as the metric for all rows."""
    k = sample.d + 1
    n, last = max(FEWEST, 10 * k), max(64 * k, sample.n // 12)
    found = []
    while 3 * n < last:
        found.append(n)
        n *= 6
    return [*found, last]


def subsampled(  # noqa: PLR0917  # as `newton`
    sample: Sample, x0: float, C: float, tol: float, max_iter: int, start: Floats,
    ask: Ask, look: Look,
) -> LogisticFit | None:  # fmt: skip
    """Minimise the cross-entropy as `newton` does; None where samples of the rows will not do.

    Samples without mistakes grow towards all rows in vain where these are separable. So that is
    asked as soon as a line makes no mistake on all rows, or on the sample that is to stand for
    them; it costs a few reads of all rows.
    """
    with one_blas_thread(), np.errstate(all="ignore"):
        table, place = _begun(sample, x0, C, start, max_iter, look)
        while True:
            if place.factor is not None:
                fit = _descend(table, place, tol, max_iter)
                if fit is not None:
                    return fit
            if place.apart and no_minimiser(ask()):
                return LogisticFit(
                    table.units.weights(place.c), table.passes.theta, np.inf, place.steps,
                    separability=ask(),
                )  # fmt: skip
            if place.part.whole or (not table.units.penalised and place.factor is None and look()):
                return None
            place.part = Part(sample, 4 * len(place.part.chosen), x0)
            place.part.value(place.c, table.units)
            place.factor, place.pairs = factor_of(place.part, table.units), None


@dataclass(slots=True)
class _Place:
    """Where the search is: coordinates, the sample that is its metric, and steps on all rows.

    Pairs come along where a coarse table led here; the factor is missing where the sample's Hessian
    is near to singular, or where no minimiser seems to exist: `apart` says that a line makes no
    mistake on the sample or on all rows, in floats.
    """

    c: Floats
    part: Part
    factor: Factor | None
    pairs: Pairs | None = None
    steps: int = 0
    apart: bool = False


def _begun(  # noqa: PLR0917  # one caller
    sample: Sample, x0: float, C: float, start: Floats, max_iter: int, look: Look
) -> tuple[_Table, _Place]:
    """Return the table, and the place to which samples or coarse rows lead."""
    levels = sizes(sample)
    few = levels[-1] > sample.n // 2  # a sample that will do is most of the rows
    coarse = coarse_pays(sample)
    first = part = Part(sample, FEWEST if few and coarse else levels[0], x0)
    units = units_of(dense_rows(part.rows), x0, C)
    table, c, steps = _Table(sample, x0, units), units.coordinates(start), 0
    factor, pairs = None, None
    if few and coarse:
        c, pairs, steps = approached(Coarse(first, units, sample), c, None, max_iter)
        part = Part(sample, 2 * (sample.d + 1), x0)
        part.value(c, units)
        return table, _Place(c, part, factor_of(part, units), pairs, steps)
    for size in levels:
        part = part if size == levels[0] else Part(sample, size, x0)
        found = settled_on(part, units, c, 0.1 * (sample.d + 1) * part.rate)
        c, factor = (c, None) if found is None else found
        if factor is None and not (part.apart or units.penalised) and look():
            break  # no sample will do
    apart = factor is None and part.apart and not units.penalised
    if coarse and factor is not None:
        c, pairs, steps = approached(Coarse(first, units, sample), c, factor.solve, max_iter)
    return table, _Place(c, part, factor, pairs, steps, apart)


def _descend(table: _Table, place: _Place, tol: float, max_iter: int) -> LogisticFit | None:
    """Move the place down; return the certified line, or None where that gets too slow."""
    factor = place.factor
    assert factor is not None  # noqa: S101  # the caller looked
    pairs = place.pairs or Pairs(MEMORY, factor.solve, rough=False)
    value, pull = table.value(place.c)
    trail: list[float] = []
    while True:
        if table.passes.apart and not table.units.penalised:
            place.apart = True
            return None
        decrease, last = float(pull @ factor.solve(pull)), place.steps >= max_iter
        if not np.isfinite(decrease):
            return None
        trail.append(decrease)
        if last or factor.part.rate * decrease <= 4.0 * tol * value:
            gap, alpha = table.certified(place.c, value, pull, factor)
            if last or gap <= tol:
                return _fit(table, place, alpha, gap)
        if len(trail) > MOST_STEPS and not table.units.penalised:
            return None
        if len(trail) > PATIENCE and decrease > HEADWAY * trail[-1 - PATIENCE]:
            return None
        moved = _line_search(table, place, pairs.step(pull), value, pull)
        if moved is None:
            return None
        step, value, turned = moved
        pairs.add(step, pull - turned)
        pull = turned


def _line_search(
    table: _Table, place: _Place, step: Floats, value: float, pull: Floats
) -> tuple[Floats, float, Floats] | None:
    """Move the place along the step, or half of it, ...; return that and `value`, or None."""
    slope, t = float(step @ pull), 1.0
    while t > 1e-3:
        moved, turned = table.value(place.c + t * step)
        if moved <= value - 1e-4 * t * slope + 1e-14 * value:
            place.c, place.steps = place.c + t * step, place.steps + 1
            return t * step, moved, turned
        t *= 0.5
    return None


def _fit(table: _Table, place: _Place, alpha: Floats, gap: float) -> LogisticFit:
    """Return the fit at the place, with standard errors at once where they cost little."""
    w, steps = table.units.weights(place.c), place.steps
    if table.units.penalised:  # a penalised estimate is biased: it has no such standard errors
        return LogisticFit(w, alpha, gap, steps, np.full(w.size, np.nan))
    known = Information(table.sample, table.x0, table.units, w, table.raw)
    if known.cheap:
        return LogisticFit(w, alpha, gap, steps, known.standard_errors())
    return LogisticFit(w, alpha, gap, steps, None, known)
