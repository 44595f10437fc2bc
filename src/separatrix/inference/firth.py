"""Firth's estimates, penalised profile ends and ratio tests (Heinze & Ploner 2003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from separatrix._types import Untyped
from separatrix.certificates.stationary_point import PenalisedEnd, StationaryPoint, bracket_of_end
from separatrix.inference.estimates import Estimates
from separatrix.inference.figures import chi2_tail
from separatrix.inference.intervals.intervals import quantile
from separatrix.learners.firth.penalised_likelihood import ENDS_TOL, Columns
from separatrix.scale import Rows

FIRTH = (
    "Firth's penalty (Jeffreys's prior) takes away the first-order bias of maximum likelihood and "
    "keeps estimates finite under separation. The maximum is a local one, the best of several "
    "starts. It is the wrong choice for predicted probabilities, which lean towards 1/2 (use "
    "FLIC or FLAC), and where the data alone are to speak: then take likelihood intervals."
)

ENCLOSED = (
    "In ball arithmetic one local maximum is proven to lie near the estimate, and the brackets to "
    "hold the ends of its profiles."
)
NOT_ENCLOSED = (
    "The ends of the intervals are floats here, not proven (Python: enclose=True proves them, "
    "which takes longer)."
)
WORTH_IT = 1e5  # balls, some ten microseconds each


def firth_estimates(rows: Rows, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return Firth's estimates with their profile intervals and likelihood-ratio tests."""
    sample, q = rows.whole(), quantile(level)
    columns = Columns.of(sample)
    enclose = options.get("enclose")
    likelihood = columns.likelihood
    best = likelihood.best
    open_ones = np.isnan(likelihood.back).any(axis=1) | ~likelihood.back.any(axis=1)
    weights = np.where(open_ones, np.nan, likelihood.weights(best.c))
    k = weights.size
    ends, chi2 = np.full((2, k), np.nan), np.full(k, np.nan)
    point = columns.claim(best, ENDS_TOL, sample.weight)
    rank = len(point.columns)
    if enclose is None:
        enclose = sample.n * rank * (rank + 10) * 2 * rank <= WORTH_IT
    top = point.proven_of(sample) if enclose else None
    brackets = np.full((sample.d + 1, 2, 2), np.nan)
    proofs: list[StationaryPoint | PenalisedEnd] = [point]
    for j in np.flatnonzero(~open_ones).tolist():
        column = columns.kept[j]
        for i, side in enumerate((-1.0, 1.0)):
            ends[i, j], c = likelihood.end(j, side, q)
            if top is None or not np.isfinite(ends[i, j]):
                continue
            line, _ = columns.line(c)
            proven = bracket_of_end(point, sample, top, column, line, q)
            if proven is not None:
                brackets[column, i] = proven.inside, proven.outside
                ends[i, j] = proven.inside
                proofs.append(proven)
        chi2[j] = max(0.0, 2.0 * (best.value - likelihood.fixed([j]).value))
    found = [weights, likelihood.standard_errors(best.c), *ends, chi2]
    estimate, errors, lower, upper, chi2 = (columns.spread_out(v, np.nan) for v in found)
    p = np.array([chi2_tail(float(v), 1) if v == v else np.nan for v in chi2])  # noqa: PLR0124
    value = best.value + likelihood.basis.log_determinant()
    notes = [FIRTH, ENCLOSED if top is not None else NOT_ENCLOSED]

    def ratio(tested: Sequence[int]) -> float:
        inside = [columns.kept.index(j) for j in tested if j in columns.kept]
        return max(0.0, 2.0 * (best.value - likelihood.fixed(inside).value))

    return Estimates(
        estimate, errors, lower, upper, chi2, p, value, brackets, notes, proofs, ratio
    )  # fmt: skip
