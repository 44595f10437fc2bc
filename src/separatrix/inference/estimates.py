"""What a method finds of each coefficient: by maximum likelihood, and of linear regressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from scipy.special import erfc, ndtri, stdtr, stdtrit

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, Sample, read_arrays
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.figures import LinearFigures
from separatrix.inference.intervals.by_reads import IntervalsInBlocks
from separatrix.inference.intervals.intervals import likelihood_intervals
from separatrix.inference.maximum import Maximum, Spread, columns_at, standard_errors
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.least_squares.least_squares import least_squares
from separatrix.learners.logistic.newton import GapInBlocks, place_of, well_posed
from separatrix.scale import Rows


@dataclass(frozen=True)
class Estimates:
    """What a method finds for each coefficient of (1+d,), w_0 first."""

    estimate: Floats  # (1+d,) +inf or -inf where infinite, NaN where not determined
    standard_error: Floats  # (1+d,) NaN where there is none
    lower: Floats
    upper: Floats
    chi2: Floats
    p: Floats
    log_likelihood: float  # of the estimate, or its supremum
    brackets: Floats | None = None
    notes: Sequence[str] = ()  # sentences What the method assumes, and when it is the wrong choice
    proofs: Sequence[Untyped] = ()  # what has a `verify(X, y)`
    ratio: Callable[[Sequence[int]], float] | None = None  # by which columns are tested together


@dataclass(frozen=True, slots=True)
class OfArrays:
    """What is proven of rows that arrays hold, or of those that a prior makes of them."""

    proof: Untyped  # what has a `verify(X, y)`, or of reads a `verify(rows)`
    sample_weight: Floats
    prior: Callable[[Sample], Sample] | None = None

    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Whether it holds again of X, y with these weights, or of a table."""
        if isinstance(X, Rows):
            return bool(self.proof.verify(X))
        sample = read_arrays(X, y, self.sample_weight)
        sample = sample if self.prior is None else self.prior(sample)
        if isinstance(self.proof, GapInBlocks | IntervalsInBlocks):
            return self.proof.verify(Rows.of(sample))
        return bool(self.proof.verify(sample.X, sample.y))

    @classmethod
    def of(cls, proof: Untyped, sample_weight: Floats) -> Untyped:
        """Return what arrays with these weights are asked to show, where reads show it."""
        by_reads = isinstance(proof, GapInBlocks | IntervalsInBlocks)
        return cls(proof, sample_weight) if by_reads else proof


def wald(_: Rows, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return maximum likelihood with Wald's intervals: estimate -+ z standard errors."""
    found: Maximum = options["maximum"]
    estimate = found.estimates()
    errors = found.standard_errors(options.get("spread") or Spread())
    far = normal_quantile(level) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimate / errors
    return Estimates(
        estimate, errors, estimate - far, estimate + far, z * z, two_sided(z),
        found.log_likelihood, notes=(WALD,), proofs=[found.certificate],
    )  # fmt: skip


WALD = (
    "Wald's intervals and tests take the log-likelihood for a parabola: poor in small samples, "
    "and undefined where an estimate is infinite."
)


def likelihood(rows: Rows, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return maximum likelihood with likelihood (profile) intervals and ratio tests."""
    found: Maximum = options["maximum"]
    intervals = likelihood_intervals(found, level)
    proofs = [p for p in (intervals.certificate, intervals.by_reads) if p is not None]
    names = ["(Intercept)", *(options.get("names") or [f"x{j + 1}" for j in range(rows.d)])]
    open_ends = [f"{names[j]}: not decided, {why}." for j, why in intervals.reasons.items()]
    return Estimates(
        found.estimates(), found.standard_errors(options.get("spread") or Spread()),
        intervals.lower, intervals.upper, intervals.chi2, two_sided(np.sqrt(intervals.chi2)),
        found.log_likelihood, intervals.brackets, [LIKELIHOOD, *open_ends],
        proofs or [found.certificate],
    )  # fmt: skip


LIKELIHOOD = (
    "Likelihood intervals hold the values that the data do not make implausible: twice the fall of "
    "the log-likelihood stays below the chi-square quantile. They need no finite estimate."
)


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| <= z) = level for a standard normal Z."""
    return float(ndtri(0.5 + level / 2.0))


def two_sided(z: Floats) -> Floats:
    return np.asarray(erfc(np.abs(z) / np.sqrt(2.0)))


NOTE = (
    "Intervals and tests of a linear regression are exact under independent normal errors of one "
    "variance."
)


def linear_estimates(
    sample: Sample, level: float, spread: Spread
) -> tuple[Estimates, LinearFigures]:
    """Return estimates with t intervals and tests, and the figures of the model."""
    keep = sample.weight > 0.0
    sample, spread = sample.at(keep), spread.only(keep)
    y, weight, x0 = sample.y, sample.weight, sample.x0
    solution = least_squares(Rows.of(sample))
    rows, n = Rows.of(replace(sample, y=np.ones(sample.n))), float(weight.sum())
    left_out = collinear_of(rows)
    place = well_posed(rows, place_of(rows), left_out).place
    A, back = columns_at(place, sample)
    squares = float(weight @ solution.residuals**2)
    centre = float(np.average(y, weights=weight)) if x0 else 0.0
    null_squares = float(weight @ (y - centre) ** 2)
    figures = LinearFigures(n, A.shape[1], int(x0), squares, null_squares)
    estimate, open_ones = solution.weights, set[int]()
    if A.shape[1] < sample.d + int(x0):
        root = np.sqrt(weight)
        c = scipy.linalg.lstsq(A * root[:, np.newaxis], y * root, check_finite=False)[0]
        estimate, open_ones = back @ c, {*left_out, *SignedRows(rows).aliased}
    with np.errstate(all="ignore"):
        errors = standard_errors(
            place, sample, weight, solution.residuals, spread, n=n, parameters=A.shape[1],
            variance=figures.sigma**2,
        )  # fmt: skip
        estimate[list(open_ones)] = errors[list(open_ones)] = np.nan
        degrees = figures.degrees
        if spread.groups is not None:
            degrees = float(np.unique(spread.groups).size - 1)
        t = estimate / errors
        far = (
            float(stdtrit(degrees, 0.5 + level / 2.0)) * errors if degrees > 0 else errors * np.nan
        )
        p = 2.0 * stdtr(degrees, -np.abs(t)) if degrees > 0 else t * np.nan
    made = Estimates(
        estimate, errors, estimate - far, estimate + far, t * t, p, figures.log_likelihood,
        notes=() if not spread.usual else (NOTE,),
    )  # fmt: skip
    return made, figures
