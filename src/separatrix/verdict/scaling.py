"""Columns at mean 0 and standard deviation 1; sparse ones of mostly zeros keep these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Floats, Points, Sample
from separatrix.kernels.rows import standardised
from separatrix.scale import Source
from separatrix.scale.view import SameRows

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
        with np.errstate(over="ignore"):  # columns of subnormal numbers only
            factor = np.ldexp(1.0, -self.exponent)
        if not np.isfinite(factor).all():
            X, factor = np.ldexp(X, -self.exponent), np.ones_like(factor)
        return standardised(np.ascontiguousarray(X), factor, self.mean, self.spread)

    def _columns(self, columns: NDArray[np.int64]) -> Scaling:
        return Scaling(self.exponent[columns], self.mean[columns], self.spread[columns])

    def undo(self, weights: Floats) -> Floats:
        """Return the same line (1+d,) for the columns as they were, up to a power of two."""
        slopes = weights[1:] / self.spread
        intercept = weights[0] - float(slopes @ self.mean)
        _, sizes = np.frexp(slopes)
        shift = max(0, int((sizes - self.exponent).max(initial=0)) - LARGEST_EXPONENT)
        return np.append(np.ldexp(intercept, -shift), np.ldexp(slopes, -self.exponent - shift))


def shrunk(X: Floats, exponent: NDArray[np.int64]) -> Floats:
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
    data = shrunk(X.data[there], scaling.exponent[places]) / scaling.spread[places]
    return sp.csr_array((data, places, ends.astype(X.indptr.dtype)), shape=X.shape)


def _placed(values: Floats, columns: NDArray[np.int64], d: int) -> sp.csr_array:
    """Return values (N, k) in these of d columns, zeros elsewhere."""
    n, k = values.shape
    places, ends = np.tile(columns, n).astype(np.int32), np.arange(n + 1, dtype=np.int32) * k
    return sp.csr_array((values.ravel(), places, ends), shape=(n, d))


def standardised_rows(base: Source, scaling: Scaling) -> Source:
    """Return rows with standardised columns, as PLA and pocket see them."""
    nnz = None if base.nnz is None else base.nnz + base.n * int(np.count_nonzero(scaling.mean))
    return SameRows(base, partial(_scaled, scaling=scaling), dtype=np.dtype(np.float64), nnz=nnz)


def _scaled(rows: Sample, scaling: Scaling) -> Sample:
    return replace(rows, X=scaling.apply(rows.X))


def full_columns(rows: Sample, columns: NDArray[np.int64]) -> Sample:
    """Return sparse rows with some of their columns, dense."""
    return replace(rows, X=rows.X[:, columns].toarray())
