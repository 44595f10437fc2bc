"""Estimates under priors: Firth's (Heinze & Ploner 2003), and log-F, which is two rows a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates.stationary_point import PenalisedEnd, StationaryPoint, bracket_of_end
from separatrix.data import Floats, InputError, Labels, Sample, dense, read_arrays
from separatrix.exact.signed_block import homogeneous
from separatrix.inference.estimates import Estimates, OfArrays, likelihood
from separatrix.inference.figures import chi2_tail
from separatrix.inference.intervals.intervals import quantile
from separatrix.inference.maximum import Maximum
from separatrix.learners.penalised_likelihood import ENDS_TOL, Columns
from separatrix.said import Said
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


LOG_F = (
    "log-F({m:g}, {m:g}) priors say of each coefficient but the intercept, before the data, that "
    "the odds ratio of one unit of its column lies between {low:.3g} and {high:.3g} with 95 %. "
    "They are the wrong choice for columns in units of another size (scale them first) and for "
    "effects known to be stronger."
)


def prior_rows(
    X: ArrayLike,
    y: ArrayLike,
    *,
    m: float = 1.0,
    fit_intercept: bool = True,
    sample_weight: ArrayLike = None,
) -> tuple[Floats, Labels, Floats]:
    """Return rows, labels and weights whose maximum likelihood fit is the estimate under log-F.

    Fit them by ``LogisticRegression(fit_intercept=False)``: the constant is their first column.

    Parameters
    ----------
    X : (N, d) rows
    y : (N,) labels of two kinds
    m : float
        Of log-F(m, m), the prior of all but the intercept (Greenland & Mansournia 2015).
    fit_intercept : bool
    sample_weight : (N,) or None

    Raises
    ------
    InputError
        For data or options that cannot be used.

    Examples
    --------
    >>> from separatrix import LogisticRegression
    >>> X, y = [[0], [0], [0], [1], [1], [1]], list("nnnyyy")
    >>> rows, labels, weight = prior_rows(X, y)
    >>> model = LogisticRegression(fit_intercept=False).fit(rows, labels, sample_weight=weight)
    >>> model.coef_.round(3).tolist(), model.certificate_.verify(rows, labels)
    ([[-1.691, 3.381]], True)
    """
    sample = read_arrays(X, y, sample_weight)
    sample = log_f_rows(sample, _positive(m), float(fit_intercept))
    return sample.X, sample.classes[(sample.y > 0.0).astype(np.intp)], sample.weight


def log_f_rows(sample: Sample, m: float, x0: float) -> Sample:
    """Return the sample for x0 = 0, its constant a column, with two rows a column: log-F(m, m)."""
    rows, d = homogeneous(dense(sample.X, "pseudo-rows"), x0), sample.d
    units = np.hstack((np.zeros((d, rows.shape[1] - d)), np.eye(d)))
    return Sample(
        np.vstack((rows, units, units)),
        np.concatenate((sample.y, np.ones(d), -np.ones(d))),
        sample.classes,
        np.concatenate((sample.weight, np.full(2 * d, m / 2.0))),
        0.0,
    )


def log_f_estimates(rows: Rows, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return estimates and profile intervals under log-F(m, m); `options` may hold m, else 1."""
    from scipy.stats import f

    m, sample = _positive(options.get("m", 1.0)), rows.whole()
    first = int(rows.x0)  # after the constant, which is a column of the rows made
    names = options.get("names") or [f"x{j + 1}" for j in range(sample.d)]
    made = log_f_rows(sample, m, rows.x0)
    known = {"maximum": Maximum.of(made), "names": [*["(Intercept)"][:first], *names]}
    found = likelihood(Rows.of(made), level, known)
    prior = partial(log_f_rows, m=m, x0=rows.x0)
    proofs = tuple(OfArrays(proof, sample.weight, prior) for proof in found.proofs)
    low, high = (float(f.ppf(tail, m, m)) for tail in (0.025, 0.975))  # of e^b, by the prior
    note = Said(LOG_F, m=m, low=low, high=high)
    fields = "estimate", "standard_error", "lower", "upper", "chi2", "p", "brackets"
    of_columns = {name: getattr(found, name)[first:] for name in fields}
    return replace(found, proofs=proofs, notes=(note, *found.notes), **of_columns)


def _positive(m: Untyped) -> float:
    if isinstance(m, bool) or not isinstance(m, int | float) or not 0.0 < m < np.inf:
        raise InputError(f"m={m!r} must be a positive finite number.")
    return float(m)
