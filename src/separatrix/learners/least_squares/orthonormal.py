"""Orthonormal columns of a table, and the way back to the user's units."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from separatrix.data import Floats, Sample
from separatrix.learners.least_squares.least_squares import (
    augmented,
    factorised,
    power_of_two_scale,
    shortest,
)


class OrthonormalColumns:
    """Columns M (N, rank), Q of the pivoted QR: cut to the rank."""

    def __init__(self, of: Sample) -> None:
        table = augmented(of)
        self.scale = power_of_two_scale(table)
        self._factors = factorised(table * self.scale)
        self.M, self.basic = self._factors.Q, self._factors.basic  # of independent columns

    @property
    def near_singular(self) -> bool:
        """Whether some column may be collinear, in exact arithmetic or but for rounding."""
        return self._factors.near_singular

    def weights(self, c: Floats) -> Floats:
        """Return the shortest w with scores Q c."""
        return shortest(self.basic_weights(c), self._factors, self.scale)

    def basic_weights(self, c: Floats) -> Floats:
        """Return the w with scores Q c that is 0 off a basis of the columns."""
        factors = self._factors
        w = np.zeros(self.scale.size)
        w[self.basic] = scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], c, check_finite=False
        )
        return np.asarray(w * self.scale)

    def spread(self, lower: Floats) -> Floats:
        """Return standard errors (1+d,), from the factor of the information; NaN if collinear."""
        errors = np.full(self.scale.size, np.nan)
        back = self._factors.inverse.T
        half = scipy.linalg.solve_triangular(lower, back, lower=True, check_finite=False)
        errors[self.basic] = np.sqrt((half * half).sum(axis=0)) * self.scale[self.basic]
        errors[self._factors.collinear()] = np.nan
        return errors

    def back(self) -> Floats:
        """Return the weights (1+d, rank) of each column of M; NaN for collinear columns."""
        factors = self._factors
        weights = np.full((self.scale.size, factors.rank), np.nan)
        if factors.rank:
            weights[self.basic] = factors.inverse * self.scale[self.basic, np.newaxis]
            weights[factors.collinear()] = np.nan
        return weights

    def log_determinant(self) -> float:
        """Return ln det(A'A) / 2 of the independent columns A of the table, in the user's units."""
        sizes = np.abs(np.diag(self._factors.R))
        return float((np.log(sizes) - np.log(self.scale[self.basic])).sum())
