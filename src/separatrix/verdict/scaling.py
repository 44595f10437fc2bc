"""Rows to learn from, and their columns at mean 0 and standard deviation 1 for PLA and pocket.

A sparse table stays sparse: its columns that are mostly zeros, such as those of categories, keep
their zeros and are divided by their largest size instead, so that a level's 1 stays 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Floats, Points, Sample
from separatrix.learners.least_squares.collinear import collinear_columns
from separatrix.separation.decide import Separability, separability_of

LARGEST_EXPONENT = 1000  # of a weight in the units of the table


@dataclass(frozen=True, slots=True)
class Scaling:
    """x -> (x 2^-exponent - mean) / spread per column; constant columns keep their size."""

    exponent: NDArray[np.int64]
    mean: Floats
    spread: Floats

    def apply(self, X: Points) -> Points:
        """Return X (N, d) standardised; of a sparse table only columns with a mean are filled."""
        if sp.issparse(X):
            centred = np.flatnonzero(self.mean)
            filled = self._columns(centred).apply(X[:, centred].toarray())
            return _without(X, centred, self) + _placed(filled, centred, X.shape[1])
        seen = _shrunk(X, self.exponent)
        seen -= self.mean
        seen /= self.spread
        return seen

    def _columns(self, columns: NDArray[np.int64]) -> Scaling:
        """Return the scaling of some columns."""
        return Scaling(self.exponent[columns], self.mean[columns], self.spread[columns])

    def undo(self, weights: Floats) -> Floats:
        """Return the same line (1+d,) for the columns as they were, up to a power of two."""
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


def _without(X: sp.csr_array, columns: NDArray[np.int64], scaling: Scaling) -> sp.csr_array:
    """Return the other columns of a sparse table scaled, zeros in these."""
    there = np.isin(X.indices, columns, invert=True)
    ends = np.append(0, np.cumsum(there))[X.indptr]
    places = X.indices[there]
    data = _shrunk(X.data[there], scaling.exponent[places]) / scaling.spread[places]
    return sp.csr_array((data, places, ends.astype(X.indptr.dtype)), shape=X.shape)


def _placed(values: Floats, columns: NDArray[np.int64], d: int) -> sp.csr_array:
    """Return values (N, k) in these of d columns, zeros elsewhere."""
    n, k = values.shape
    places, ends = np.tile(columns, n).astype(np.int32), np.arange(n + 1, dtype=np.int32) * k
    return sp.csr_array((values.ravel(), places, ends), shape=(n, d))


def standardisation(X: Points, weight: Floats | None) -> Scaling:
    """Return how the columns of rows X (N, d) are scaled."""
    if sp.issparse(X):
        largest = np.asarray(abs(X).max(axis=0).todense()).ravel()
        exponent = np.frexp(largest)[1].astype(np.int64)
        mean = np.zeros(X.shape[1])
        spread = np.where(largest == 0.0, 1.0, _shrunk(largest, exponent))
        full = np.flatnonzero(2 * np.bincount(X.indices, minlength=X.shape[1]) >= X.shape[0])
        of_full = standardisation(X[:, full].toarray(), weight)
        exponent[full], mean[full], spread[full] = of_full.exponent, of_full.mean, of_full.spread
        return Scaling(exponent, mean, spread)
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

    sample: Sample  # with an intercept, and every weight positive
    proof: Separability | None = None  # of whether they are separable, where it is known
    expected: str = ""  # the likely verdict on that; "" for none

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
        return standardisation(self.sample.X, self.sample.weight)

    @cached_property
    def standardised(self) -> TrainingRows:
        """The rows with standardised columns."""
        X = self.scaling.apply(self.sample.X)
        return TrainingRows(replace(self.sample, X=X))
