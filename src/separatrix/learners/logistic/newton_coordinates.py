"""Coordinates in which Newton's method works, and the way back to the user's units."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from separatrix.data import Floats
from separatrix.learners.least_squares.least_squares import factorised, power_of_two_scale, shortest


class ScaledColumns:
    """Columns M (N, 1+d), each divided by a power of two: for a penalty, which pins c down.

    M c = (x0, X) w, as in `OrthonormalColumns`.
    """

    def __init__(self, table: Floats) -> None:
        self.scale = power_of_two_scale(table)
        self.M = table * self.scale

    def coordinates(self, weights: Floats) -> Floats:
        """Return w in scaled units."""
        return np.asarray(weights / self.scale)

    @property
    def near_singular(self) -> bool:
        """Return False: a penalty pins every coordinate down."""
        return False

    def weights(self, c: Floats) -> Floats:
        """Return c in the table's units."""
        return np.asarray(c * self.scale)

    def spread(self, hessian: Floats) -> Floats:
        """Return NaN: a penalised estimate is biased, so it has no such standard errors."""
        return np.full(len(hessian), np.nan)


class OrthonormalColumns:
    """Columns M (N, rank), Q of the pivoted QR: without a penalty they are cut to the rank once."""

    def __init__(self, table: Floats) -> None:
        self.scale = power_of_two_scale(table)
        self._table = table
        self._factors = factorised(table * self.scale)
        self.M = self._factors.Q

    def coordinates(self, weights: Floats) -> Floats:
        """Return Q' times the scores of `weights`."""
        return np.asarray(self.M.T @ (self._table @ weights))

    @property
    def near_singular(self) -> bool:
        """Whether some column may be collinear, in exact arithmetic or but for rounding."""
        return self._factors.near_singular

    def weights(self, c: Floats) -> Floats:
        """Return the shortest w with scores Q c."""
        factors = self._factors
        w = np.zeros(self.scale.size)
        w[factors.pivot[: factors.rank]] = scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], c, check_finite=False
        )
        return shortest(w * self.scale, factors, self.scale)

    def spread(self, hessian: Floats) -> Floats:
        """Return sqrt diag of the inverse information; NaN for collinear columns."""
        factors = self._factors
        errors = np.full(self.scale.size, np.nan)
        if factors.rank == 0:
            return errors
        T = scipy.linalg.solve_triangular(
            factors.R[:, : factors.rank], np.eye(factors.rank), check_finite=False
        )
        try:
            lower = scipy.linalg.cholesky(hessian, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            return errors
        half = scipy.linalg.solve_triangular(lower, T.T, lower=True, check_finite=False)
        basic = factors.pivot[: factors.rank]
        errors[basic] = np.sqrt((half * half).sum(axis=0)) * self.scale[basic]
        errors[factors.collinear()] = np.nan
        return errors


Basis = ScaledColumns | OrthonormalColumns
