"""Ways of estimating the coefficients of a logistic regression, a function each: to `Estimates`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from separatrix._loading import load
from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.inference.estimates import Estimates, likelihood, wald
from separatrix.scale import Rows

Method = Callable[[Rows, float, float, Mapping[str, Untyped]], Estimates]


def _of(module: str, function: str) -> Method:
    """Return a method whose module, with what it imports, is loaded when it is first used."""

    def method(rows: Rows, x0: float, level: float, options: Mapping[str, Untyped]) -> Estimates:
        found = getattr(load(f"separatrix.inference.{module}"), function)
        return found(rows, x0, level, options)  # type: ignore[no-any-return]

    return method


METHODS: dict[str, Method] = {
    "likelihood": likelihood,
    "wald": wald,
    "exact": _of("exact_conditional", "exact_estimates"),
    "firth": _of("firth", "firth_estimates"),
    "log-f": _of("pseudo_rows", "log_f_estimates"),
}
IN_BLOCKS = "likelihood", "wald"  # with a `maximum` of rows in blocks


def method_named(name: str) -> Method:
    if name not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}; it is {name!r}.")
    return METHODS[name]
