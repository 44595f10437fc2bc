"""Rows to learn from, and their columns at mean 0 and standard deviation 1 for PLA and pocket."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Sample, dense
from separatrix.learners.least_squares.collinear import collinear_columns
from separatrix.separation.decide import Separability, separability_of

LARGEST_EXPONENT = 1000  # of a weight in the units of the table


@dataclass(frozen=True, slots=True)
class Scaling:
    """x -> (x 2^-exponent - mean) / spread per column; constant columns keep their size.

    The power of two comes first, so that neither huge nor tiny columns leave float64's range.
    """

    exponent: NDArray[np.int64]
    mean: Floats
    spread: Floats

    def apply(self, X: Floats) -> Floats:
        """Return X (N, d) standardised."""
        seen = _shrunk(X, self.exponent)
        seen -= self.mean
        seen /= self.spread
        return seen

    def undo(self, weights: Floats) -> Floats:
        """Return the same line (1+d,) for the columns as they were, up to a power of two.

        That power is 1 unless a weight would leave float64's range.
        """
        slopes = weights[1:] / self.spread
        intercept = weights[0] - float(slopes @ self.mean)
        _, sizes = np.frexp(slopes)
        shift = max(0, int((sizes - self.exponent).max(initial=0)) - LARGEST_EXPONENT)
        return np.append(np.ldexp(intercept, -shift), np.ldexp(slopes, -self.exponent - shift))


def _shrunk(X: Floats, exponent: NDArray[np.int64]) -> Floats:
    """Return X 2^-exponent (N, d), a copy: a product rounds as `ldexp` does, in less time."""
    with np.errstate(over="ignore"):  # columns of subnormal numbers only
        factor = np.ldexp(1.0, -exponent)
    if np.isfinite(factor).all():
        return np.asarray(X * factor)
    return np.asarray(np.ldexp(X, -exponent))


def standardisation(X: Floats, weight: Floats | None) -> Scaling:
    """Return each column's (weighted) mean and standard deviation over rows X (N, d)."""
    exponent = np.frexp(np.abs(X).max(axis=0))[1].astype(np.int64)
    shrunk = _shrunk(X, exponent)
    mean = np.average(shrunk, axis=0, weights=weight)
    shrunk -= mean
    shrunk *= shrunk
    spread = np.sqrt(np.average(shrunk, axis=0, weights=weight))
    constant = (X[0] == X).all(axis=0) | (spread == 0.0)
    return Scaling(
        np.where(constant, 0, exponent),
        np.where(constant, 0.0, mean),
        np.where(constant, 1.0, spread),
    )


@dataclass(frozen=True)
class TrainingRows:
    """Rows to learn from, and what several learners ask of them: each found once, when asked for.

    Parameters
    ----------
    sample : with an intercept, and every weight positive
    proof : of whether they are separable, where it is known
    expected : the likely verdict on that; "" for none
    """

    sample: Sample
    proof: Separability | None = None
    expected: str = ""

    @cached_property
    def separability(self) -> Separability:
        """Whether they are separable."""
        return self.proof or separability_of(self.sample, 1.0, self.expected)

    @cached_property
    def collinear(self) -> dict[int, tuple[int, ...]]:
        """The columns that others make up but for rounding."""
        return collinear_columns(self.sample.X, 1.0)

    @cached_property
    def scaling(self) -> Scaling:
        """How their columns are standardised."""
        return standardisation(dense(self.sample.X, "the verdict"), self.sample.weight)

    @cached_property
    def standardised(self) -> TrainingRows:
        """The rows with standardised columns."""
        X = self.scaling.apply(dense(self.sample.X, "the verdict"))
        return TrainingRows(replace(self.sample, X=X))
