"""Ways of estimating the coefficients of a logistic regression: a function and a row for each.

A method takes a checked sample, x0, the level of its intervals and options of its own, and returns
`Estimates`. Everything else of a coefficient table is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import erfc, ndtri

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.inference.design import Spread
from separatrix.inference.maximum import Maximum


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


Method = Callable[[Sample, float, float, Mapping[str, Untyped]], Estimates]


def wald(sample: Sample, x0: float, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return maximum likelihood with Wald's intervals: estimate -+ z standard errors."""
    found: Maximum = options.get("maximum") or Maximum.of(sample, x0)
    estimate = found.estimates()
    errors = found.standard_errors(options.get("spread") or Spread())
    far = normal_quantile(level) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimate / errors
    return Estimates(
        estimate, errors, estimate - far, estimate + far, z * z, two_sided(z),
        found.log_likelihood, notes=(WALD,), proofs=(found.certificate,),
    )  # fmt: skip


WALD = (
    "Wald's intervals and tests take the log-likelihood for a parabola: poor in small samples, "
    "and undefined where an estimate is infinite."
)


def likelihood(
    sample: Sample, x0: float, level: float, options: Mapping[str, Untyped]
) -> Estimates:
    """Return maximum likelihood with likelihood (profile) intervals and ratio tests."""
    found: Maximum = options.get("maximum") or Maximum.of(sample, x0)
    intervals = found.intervals(level)
    proof = found.certificate if intervals.certificate is None else intervals.certificate
    names = ["(Intercept)", *(options.get("names") or [f"x{j + 1}" for j in range(sample.d)])]
    open_ends = [f"{names[j]}: not decided, {why}." for j, why in intervals.reasons.items()]
    return Estimates(
        found.estimates(), found.standard_errors(options.get("spread") or Spread()),
        intervals.lower, intervals.upper, intervals.chi2, two_sided(np.sqrt(intervals.chi2)),
        found.log_likelihood, intervals.brackets, [LIKELIHOOD, *open_ends], (proof,),
    )  # fmt: skip


LIKELIHOOD = (
    "Likelihood intervals hold the values that the data do not make implausible: twice the fall of "
    "the log-likelihood stays below the chi-square quantile. They need no finite estimate."
)


def exact(sample: Sample, x0: float, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return exact conditional estimates: see `exact_conditional.exact_estimates`."""
    from separatrix.inference.exact_conditional import exact_estimates

    return exact_estimates(sample, x0, level, options)


def firth(sample: Sample, x0: float, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return Firth's estimates with profiles of the penalised likelihood: see `inference.firth`."""
    from separatrix.inference.firth import firth_estimates

    return firth_estimates(sample, x0, level, options)


def log_f(sample: Sample, x0: float, level: float, options: Mapping[str, Untyped]) -> Estimates:
    """Return estimates under log-F(m, m) priors: see `inference.pseudo_rows`."""
    from separatrix.inference.pseudo_rows import log_f_estimates

    return log_f_estimates(sample, x0, level, options)


METHODS: dict[str, Method] = {
    "likelihood": likelihood,
    "wald": wald,
    "exact": exact,
    "firth": firth,
    "log-f": log_f,
}
IN_BLOCKS: dict[str, Method] = {
    "likelihood": likelihood,
    "wald": wald,
}  # with a `maximum` of rows in blocks


def method_named(name: str) -> Method:
    if name not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}; it is {name!r}.")
    return METHODS[name]


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| <= z) = level for a standard normal Z."""
    return float(ndtri(0.5 + level / 2.0))


def two_sided(z: Floats) -> Floats:
    """Return P(|Z| >= |z|) for a standard normal Z."""
    return np.asarray(erfc(np.abs(z) / np.sqrt(2.0)))
