"""What a walk of PLA leaves: a line, counts, a trace, a proof, or advice."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from separatrix._types import Untyped
from separatrix.certificates import Multipliers, Separation
from separatrix.data import Floats, Sample
from separatrix.exact.integers import exact_scores
from separatrix.exact.signed_block import signed
from separatrix.kernels.exact import count_mistakes, signed_scores
from separatrix.learners._parameters import Integers, column_sizes
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.run import Run
from separatrix.trace import Trace

FAR_APART = 10.0  # column sizes
SMALL = 1e-290  # below this a score's float may have lost digits to underflow


def certificate(run: Run) -> Separation | Multipliers | None:
    """Return what PLA's run proves, in units of eta."""
    if run.stopped is Stopped.CLEAN_PASS:
        return _separation(run)
    return multipliers(*run.updates_of_rows(), run.question.x0)


def _separation(run: Run) -> Separation | None:
    """Return the separating weights a clean pass proves: w, or by sign(0) = +-1 with w_0 moved."""
    x0, v = run.question.x0, run.progress.v
    if run.question.tie == 0.0:
        return Separation(v.copy(), x0)
    found = run.of_blocks(_side_and_least, v)
    side = next((side for side, _ in found if side), 0.0)
    if not side:
        return Separation(v.copy(), x0)
    if x0 == 0.0:
        return None
    least = min(least for _, least in found)
    if least > SMALL:  # a score's float is off by less than half of it
        nudge = Fraction(2) ** (math.frexp(least)[1] - 3)
    else:
        nudge = min(s for s in run.of_blocks(_least_exactly, v) if s is not None) / 2
    weights = [Fraction(float(w)) for w in v]
    return Separation((weights[0] + int(side) * nudge, *weights[1:]), x0)


def _side_and_least(sample: Sample, v: Floats) -> tuple[float, float]:
    """Return the label of the rows with score 0 (0.0: none), and the least agreement of others."""
    agreements = sample.y * signed_scores(sample.rows, sample.n, v, sample.x0)
    on_the_line = agreements == 0.0
    side = float(sample.y[on_the_line][0]) if on_the_line.any() else 0.0
    return side, float(agreements[~on_the_line].min(initial=np.inf))


def _least_exactly(sample: Sample, v: Floats) -> Fraction | None:
    """Return the least size of a score that is not 0; None where there is none."""
    keep = signed_scores(sample.rows, sample.n, v, sample.x0) != 0.0
    others = sample.at(keep)
    weights = [Fraction(float(w)) for w in v]
    scores = exact_scores(signed(others), weights) if others.n else []
    return min(map(abs, scores), default=None)


def multipliers(rows: Integers, times: Integers, x0: float) -> Multipliers | None:
    """Return updates per row as a bound on every margin; None when there were none."""
    if rows.size == 0:
        return None
    return Multipliers(tuple(rows.tolist()), tuple(times.tolist()), x0)


def adopt(learner: Untyped, run: Run, weights: Floats) -> None:
    """Give a line the weights (1+d,) that a run found, its counts, its trace and its end."""
    learner._adopt(run.table, weights)
    adopt_counts(learner, run)
    end, x0 = run.progress.v.copy(), run.question.x0
    learner.trace_ = Trace(run.start, run.eta, run.visited(), run.n_updates, end, x0)


def adopt_counts(learner: Untyped, run: Run) -> None:
    """Give a learner what every run leaves; a run in blocks may have no counts."""
    if run.progress.counts.size:
        learner.counts_ = run.progress.counts
    learner.n_updates_, learner.n_iter_ = run.n_updates, run.n_passes
    learner.stopped_ = run.stopped


def ways_on(run: Run, weights: Floats) -> str:
    """Return what helps where PLA did not end by itself, and what each gives on these rows."""
    found = run.of_blocks(_sizes_and_mistakes, weights)
    sizes, mistakes = np.max([part[0] for part in found], axis=0), sum(part[1] for part in found)
    sizes = sizes[sizes > 0.0]
    with np.errstate(over="ignore"):
        apart = sizes.max() / sizes.min() if sizes.size else 1.0
    if apart >= FAR_APART:
        scaling = (
            f"The largest values of the columns differ by a factor of {apart:.3g}: dividing each "
            "column by its own may take far fewer updates (if a line separates the rows)."
        )
    else:
        scaling = (
            f"The columns differ in size by a factor of {apart:.3g} only: scaling them helps "
            "little."
        )
    return (
        "This does not say whether the data are separable: separatrix.separability does, with a "
        f"proof. The last line makes {mistakes:,} mistakes in {run.table.n:,} rows; Pocket keeps "
        f"the best line that it meets. {scaling}"
    )


def _sizes_and_mistakes(sample: Sample, weights: Floats) -> tuple[Floats, int]:
    """Return the largest size in each column (d,), and the mistakes of a line."""
    mistakes = count_mistakes(sample.rows, sample.y, weights, 1.0)
    return column_sizes(sample.X).astype(np.float64), int(mistakes)
