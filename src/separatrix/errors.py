"""What is minimised: the error of one answer, as a function of the agreement a = y s.

Choose the hypothesis set (lines) and one of these, and the algorithm follows: the 0/1 error gives
PLA and the pocket, the perceptron error gives PLA again by online descent, the squared error gives
linear regression, the cross-entropy gives logistic regression. E_in is always the *mean* over rows.

Pointwise, 0/1 <= squared and 0/1 <= cross-entropy / ln 2. The perceptron error does *not* bound 0/1
from above (at a = 0 it is 0 where 0/1 is 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import expit

from separatrix._types import ArrayLike
from separatrix.data import Floats, InputError, read_arrays
from separatrix.kernels.exact import signed_scores


class ErrorMeasure(Protocol):
    """One number per row as a function of a = y s: (N,) -> (N,)."""

    @property
    def name(self) -> str:
        """The name in tables and in `GradientDescent(error=...)`."""

    def value(self, a: Floats) -> Floats:
        """Return err(a)."""


class Differentiable(ErrorMeasure, Protocol):
    """An error measure that gradient descent can follow."""

    def slope(self, a: Floats) -> Floats:
        """Return err'(a)."""


@dataclass(frozen=True, slots=True)
class ZeroOne:
    """[a <= 0]: 1 for a mistake, else 0. Piecewise constant, so its slope is 0 or undefined."""

    name: ClassVar[str] = "zero_one"

    def value(self, a: Floats) -> Floats:
        """Return 1 where a <= 0 (a zero score is a mistake, whatever y is), else 0."""
        return (np.asarray(a) <= 0.0).astype(np.float64)


@dataclass(frozen=True, slots=True)
class PerceptronError:
    """max(0, -a): online gradient descent on it is the PLA update."""

    name: ClassVar[str] = "perceptron"

    def value(self, a: Floats) -> Floats:
        """Return max(0, -a)."""
        return np.maximum(0.0, -np.asarray(a, dtype=np.float64)) + 0.0  # no -0.0

    def slope(self, a: Floats) -> Floats:
        """Return -1 for a <= 0 (h'(0) = 1: a zero score is a mistake to be corrected), else 0."""
        return np.where(np.asarray(a) <= 0.0, -1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Squared:
    """(1 - a)^2 = (y - s)^2 for y = -1 or +1: minimised by the pseudo-inverse in one step."""

    name: ClassVar[str] = "squared"
    largest_curvature: ClassVar[float] = 2.0

    def value(self, a: Floats) -> Floats:
        """Return (1 - a)^2."""
        return np.asarray((1.0 - np.asarray(a)) ** 2)

    def slope(self, a: Floats) -> Floats:
        """Return -2 (1 - a)."""
        return np.asarray(-2.0 * (1.0 - np.asarray(a)))

    def curvature(self, a: Floats) -> Floats:
        """Return 2."""
        return np.full(np.shape(a), 2.0)


@dataclass(frozen=True, slots=True)
class CrossEntropy:
    """ln(1 + e^-a): minus the log-likelihood of P(y | x) = 1 / (1 + e^(-y s))."""

    name: ClassVar[str] = "cross_entropy"
    largest_curvature: ClassVar[float] = 0.25

    def value(self, a: Floats) -> Floats:
        """Return ln(1 + e^-a), without overflow."""
        return np.asarray(np.logaddexp(0.0, -np.asarray(a, dtype=np.float64)))

    def slope(self, a: Floats) -> Floats:
        """Return -theta(-a)."""
        return np.asarray(-expit(-np.asarray(a, dtype=np.float64)))

    def curvature(self, a: Floats) -> Floats:
        """Return theta(a) theta(-a)."""
        a = np.asarray(a, dtype=np.float64)
        return np.asarray(expit(a) * expit(-a))


MEASURES: dict[str, ErrorMeasure] = {
    measure.name: measure for measure in (ZeroOne(), PerceptronError(), Squared(), CrossEntropy())
}


def error_table(w: Floats, X: ArrayLike, y: ArrayLike) -> dict[str, float]:
    """Return E_in of one line under every error measure.

    Parameters
    ----------
    w : array (1+d,)
        Weights, w_0 first.
    X : array (N, d)
    y : array (N,)
        Two labels; the second in sorted order is +1.

    Returns
    -------
    dict
        Measure name -> mean error. The 0/1 error counts exact signs.
    """
    sample = read_arrays(X, y)
    weights = np.asarray(w, dtype=np.float64)
    if weights.shape != (sample.d + 1,):
        raise InputError(
            f"w has shape {weights.shape}; X has {sample.d} columns, so w needs {sample.d + 1} "
            "numbers, w_0 first."
        )
    agreements = sample.y * signed_scores(sample.rows, sample.n, weights, 1.0)
    return {name: float(measure.value(agreements).mean()) for name, measure in MEASURES.items()}
