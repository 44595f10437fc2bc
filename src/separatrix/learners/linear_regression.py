"""Linear regression, and linear regression for classification: w = X^+ y (lecture 9).

For yes / no answers the same w is fitted to y = -1 / +1: its squared E_in bounds its 0/1 E_in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import LeastSquaresGap
from separatrix.data import (
    Floats,
    InputError,
    Sample,
    as_rows,
    constant_of,
    dense,
    read_points,
    read_regression,
    refuse_missing,
)
from separatrix.kernels.exact import signed_scores
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import CHANGED, KeepsRows, WeightedLinearClassifier
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.learners.least_squares.least_squares import least_squares, row_leverages
from separatrix.learners.least_squares.normal_equations import rows_of
from separatrix.scale import Rows, with_constant
from separatrix.scale.opening import is_beyond_memory, table_in_blocks

Finder = Callable[[], dict[int, tuple[int, ...]]]


@final
@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegression(KeepsRows, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Least squares for any X: minimum norm where columns are collinear or rows are few.

    Plain form: `separatrix.plain.linear_regression`. Of a table in blocks, read about three times,
    neither `residuals_` nor `certificate_` is kept.

    Parameters
    ----------
    fit_intercept : bool

    Attributes
    ----------
    coef_ : (d,), intercept_ : float
        As in scikit-learn. Where the rank falls short, the shortest w, w_0 counted.
    rank_ : int
        Of the table with its constant column, in floats; ``separability(X, y).rank`` is exact.
    collinear_ : {index in (1+d,): indices of the columns that make it up}
        Columns that are collinear but for rounding; none is left out.
    residuals_ : (N,)
        y - w.x on the rows of the fit.
    certificate_ : LeastSquaresGap
        ``certificate_.verify(X, y)`` proves the fit from scratch.
    stopped_ : Stopped

    Examples
    --------
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> round(model.intercept_, 9), model.coef_.round(9).tolist(), model.rank_
    (1.0, [2.0], 2)
    """

    fit_intercept: bool = True

    _of_all_rows = ("residuals_", "certificate_")

    def fit(self, X: ArrayLike, y: ArrayLike = None, sample_weight: ArrayLike = None) -> Self:
        """Learn from rows X (N, d), numbers y (N,) and weights (N,): k stands for k copies.

        Raises
        ------
        InputError
            For data that cannot be used.
        """
        if is_beyond_memory(X):
            rows = table_in_blocks(X, y, sample_weight, numbers=True)
            self._note_blocks(rows, numbers=True)
        else:
            points, target, weight = read_regression(self, X, y, sample_weight)
            self._rows = points, target, weight
            rows = rows_of(points, target, weight)
        weights = _solve(self, rows)
        self.intercept_, self.coef_ = float(weights[0]), weights[1:].copy()
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return w.x for rows X (N, d): (N,)."""
        points = read_points(self, X)
        weights = np.append(self.intercept_, self.coef_)
        return signed_scores(as_rows(points), points.shape[0], weights, 1.0)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> float:
        """Return R^2 on rows X (N, d) and numbers y (N,), as scikit-learn counts it."""
        refuse_missing(y, sample_weight)
        return float(super().score(X, y, sample_weight))

    def leverages(self, X: ArrayLike) -> Floats:
        """Return the diagonal of the hat matrix H = X X^+ of rows X (N, d), in [0, 1]: (N,)."""
        points = dense(read_points(self, X), "a dense table")
        return row_leverages(np.column_stack((np.full(len(points), constant_of(self)), points)))

    def summary(self, *, level: float = 0.95, **options: Untyped) -> Untyped:
        """Return the `CoefficientTable` of the rows of the fit: t intervals, sigma, R^2, F.

        Options are those of `separatrix.coefficient_table`: robust, groups, per.

        Raises
        ------
        InputError
            When the learner came from a pickle, or the rows have changed since.
        """
        X, target, weight = self._rows_of_fit()
        options |= {"level": level, "method": "least squares"}
        table = self._table_of(X, target, weight, **options)
        squares = float(weight @ self.residuals_**2)
        if not np.isclose(squares, table.deviance, rtol=1e-6, atol=1e-12 * float(target @ target)):
            raise InputError(CHANGED)
        return table

    def __sklearn_tags__(self) -> Untyped:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@final
@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegressionClassifier(WeightedLinearClassifier):
    """Linear regression on y = -1 / +1, used as a classifier.

    Plain form: `separatrix.plain.linear_regression`. A `sample_weight` of k stands for k copies of
    the row. Parameters and attributes are those of `LinearRegression`, but coef_ : (1, d),
    intercept_ : (1,).

    Examples
    --------
    >>> model = LinearRegressionClassifier().fit([[0.0], [1.0], [2.0], [3.0]], list("nnyy"))
    >>> model.predict([[0.5], [2.5]]).tolist(), round(model.threshold_, 9)
    (['n', 'y'], 1.2)
    """

    fit_intercept: bool = True

    _of_all_rows = ("residuals_", "certificate_")

    def fit_sample(self, sample: Sample, collinear: Finder | None = None) -> Self:
        """Learn from a checked sample; `collinear` returns its `collinear_of`, if known."""
        self._note_columns(sample)
        return self._learn_rows(Rows.of(sample), collinear)

    def _learn_rows(self, rows: Rows, collinear: Finder | None = None) -> Self:
        self._adopt(rows, _solve(self, rows, collinear))
        return self


def _solve(
    learner: LinearRegression | LinearRegressionClassifier, rows: Rows,
    collinear: Finder | None = None
) -> Floats:  # fmt: skip
    """Return the weights (1+d,), and note on the learner what else is known of them."""
    rows = with_constant(rows, constant_of(learner))
    solution = least_squares(rows)
    learner.rank_, learner.collinear_ = solution.rank, {}
    if solution.near_singular:
        learner.collinear_ = collinear_of(rows) if collinear is None else collinear()
    if (of := rows.in_memory) is not None:
        learner.residuals_ = solution.residuals
        learner.certificate_ = LeastSquaresGap(solution.weights, of.weight, of.classes, rows.x0)
    learner.stopped_, learner.n_iter_ = Stopped.ONE_STEP, 1
    return solution.weights
