"""Ways of estimating the coefficients of a logistic regression, a function each: to `Estimates`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from separatrix._types import Untyped
from separatrix.data import InputError, Sample
from separatrix.inference.estimates import Estimates, likelihood, wald

Method = Callable[[Sample, float, float, Mapping[str, Untyped]], Estimates]


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
