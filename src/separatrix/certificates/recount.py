"""The mistakes of a line, counted again: what a pocket claims."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates.fields import ODD, doubles, unless_odd
from separatrix.data import Sample, read_arrays
from separatrix.exact.integers import Floats, fractions_of
from separatrix.kernels.exact import signed_scores


@dataclass(frozen=True, slots=True)
class Recount:
    """The claim that a line makes mistakes of weight `n_errors`; a row on the line counts as one.

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
        return self._holds(read_arrays(X, y))

    @unless_odd(False)
    def _holds(self, sample: Sample) -> bool:
        mass, wrong = doubles(self.sample_weight, sample.n), self.wrong(sample)
        if wrong is None or (mass < 0.0).any():
            return False
        rounding = 0.0 if (mass == np.rint(mass)).all() else 2.0**-52 * sample.n
        counted = math.fsum(mass[wrong])
        (off,) = fractions_of([self.n_errors])
        return abs(off - Fraction(counted)) <= rounding * counted

    def wrong(self, sample: Sample) -> Untyped:
        """Return which rows (N,) the line is wrong on; None when it does not fit them."""
        try:
            weights = doubles(self.weights, sample.d + 1)
        except ODD:
            return None
        if self.x0 not in (0.0, 1.0):
            return None
        return sample.y * signed_scores(sample.rows, sample.n, weights, float(self.x0)) <= 0.0
