"""The mistakes of a line, counted again: what a pocket claims."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Sample, read_arrays
from separatrix.exact.integers import Floats
from separatrix.kernels.exact import signed_scores


@dataclass(frozen=True, slots=True)
class Recount:
    """The line is wrong on rows that weigh so much, a row on the line counted as wrong.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    n_errors : the weights of the rows it is wrong on, added up
    sample_weight : (N,)
    x0 : 1.0 with an intercept, 0.0 without
    """

    weights: Floats
    n_errors: float
    sample_weight: Floats
    x0: float = 1.0

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether the count is right, every sign exact, up to the rounding of its sum.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        sample = read_arrays(X, y)
        mass = np.asarray(self.sample_weight, dtype=np.float64)
        if mass.shape != (sample.n,) or not (np.isfinite(mass).all() and (mass >= 0.0).all()):
            return False
        wrong = self.wrong(sample)
        if wrong is None or not math.isfinite(self.n_errors):
            return False
        rounding = 0.0 if (mass == np.rint(mass)).all() else 2.0**-52 * sample.n
        counted = math.fsum(mass[wrong])
        return abs(counted - self.n_errors) <= rounding * counted

    def wrong(self, sample: Sample) -> Untyped:
        """Return which rows (N,) the line is wrong on; None when it is no line for them."""
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (sample.d + 1,) or not np.isfinite(weights).all():
            return None
        if self.x0 not in (0.0, 1.0):
            return None
        return sample.y * signed_scores(sample.rows, sample.n, weights, self.x0) <= 0.0
