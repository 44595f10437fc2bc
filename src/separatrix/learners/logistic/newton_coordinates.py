"""Coordinates in which Newton's method works, their Hessian, and the way back to user units."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from separatrix.data import Floats, InputError, Sample
from separatrix.learners.least_squares.least_squares import (
    augmented,
    factorised,
    power_of_two_scale,
    shortest,
)
from separatrix.tiles import tiled_sum

# Of the diagonal of the Hessian's Cholesky factor; its square is about the condition number.
LARGEST_SPREAD = 1e4


class Hessian:
    """H = M' diag(d) M + diag(penalty) (k, k), of dense columns M, summed tile by tile."""

    def __init__(self, M: Floats, d: Floats, penalty: Floats) -> None:
        def part(tile: slice) -> Floats:
            return np.asarray((M[tile] * d[tile, np.newaxis]).T @ M[tile])

        self.values = tiled_sum(len(d), part) + np.diag(penalty)
        self.ill_conditioned = False

    def solve(self, right: Floats) -> Floats:
        """Return H^-1 right, and note whether rounding decides it."""
        H, ridge = self.values, 0.0
        largest = float(np.abs(np.diag(H)).max(initial=0.0)) or 1.0
        while True:
            try:
                factor = scipy.linalg.cho_factor(H + ridge * np.eye(len(H)), check_finite=False)
            except scipy.linalg.LinAlgError:
                ridge = max(1e-16 * largest, 10.0 * ridge)
                continue
            diagonal = np.abs(np.diag(factor[0]))
            spread = float(diagonal.max(initial=1.0) / diagonal.min(initial=np.inf))
            self.ill_conditioned = ridge > 0.0 or spread > LARGEST_SPREAD
            return np.asarray(scipy.linalg.cho_solve(factor, right, check_finite=False))


class _DenseColumns:
    """What scaled and orthonormal columns M (N, k) share."""

    M: Floats
    penalty: Floats

    def combination(self, factors: Floats) -> Floats:
        return tiled_sum(len(factors), lambda tile: self.M[tile].T @ factors[tile])

    def hessian(self, d: Floats) -> Hessian:
        """Return M' diag(d) M + diag(penalty), for d (N,)."""
        return Hessian(self.M, d, self.penalty)


class ScaledColumns(_DenseColumns):
    """Columns M (N, 1+d), each divided by a power of two: for a penalty, which pins c down."""

    near_singular = rank_in_doubt = False  # a penalty pins every coordinate down

    def __init__(self, of: Sample, C: float) -> None:
        table = augmented(of)
        self.scale = power_of_two_scale(table)
        self.M = table * self.scale
        self.penalty = penalty_of(self.scale, C)
        self.penalty[0] = 0.0 if of.x0 else 1.0  # without an intercept its coordinate stays 0

    def coordinates(self, weights: Floats) -> Floats:
        """Return w in scaled units."""
        return np.asarray(weights / self.scale)

    def weights(self, c: Floats) -> Floats:
        """Return c in the table's units."""
        return np.asarray(c * self.scale)

    def spread(self, hessian: Hessian) -> Floats:
        """Return NaN: a penalised estimate is biased, so it has no such standard errors."""
        return np.full(len(hessian.values), np.nan)


class OrthonormalColumns(_DenseColumns):
    """Columns M (N, rank), Q of the pivoted QR: without a penalty they are cut to the rank once."""

    def __init__(self, of: Sample) -> None:
        table = augmented(of)
        self.scale = power_of_two_scale(table)
        self._table = table
        self._factors = factorised(table * self.scale)
        self.M, self.basic = self._factors.Q, self._factors.basic  # of independent columns
        self.penalty = np.zeros(self.M.shape[1])
        self.rank_in_doubt = bool(self.M.shape[1] < table.shape[1] - (0 if of.x0 else 1))

    def coordinates(self, weights: Floats) -> Floats:
        """Return Q' times the scores of `weights`."""
        return np.asarray(self.M.T @ (self._table @ weights))

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

    def spread(self, hessian: Hessian) -> Floats:
        """Return sqrt diag of the inverse information; NaN for collinear columns."""
        factors = self._factors
        errors = np.full(self.scale.size, np.nan)
        if factors.rank == 0:
            return errors
        try:
            lower = scipy.linalg.cholesky(hessian.values, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            return errors
        back = factors.inverse
        half = scipy.linalg.solve_triangular(lower, back.T, lower=True, check_finite=False)
        errors[self.basic] = np.sqrt((half * half).sum(axis=0)) * self.scale[self.basic]
        errors[factors.collinear()] = np.nan
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


Basis = ScaledColumns | OrthonormalColumns


def dense_columns(of: Sample, C: float) -> ScaledColumns | OrthonormalColumns:
    return ScaledColumns(of, C) if np.isfinite(C) else OrthonormalColumns(of)


def penalty_of(scale: Floats, C: float) -> Floats:
    penalty = scale**2 / C
    if not (np.isfinite(penalty).all() and (penalty > 0.0).all()):
        raise InputError(
            "some columns of X are too large or too small for a penalty on |w|^2, which "
            "leaves float64's range. Multiply those columns by a power of two."
        )
    return np.asarray(penalty)
