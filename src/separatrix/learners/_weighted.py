"""What learners share that weigh rows: probabilities, standard errors, the rows of a summary."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import erfc, expit
from sklearn.utils.validation import check_is_fitted

from separatrix._loading import load
from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Points, constant_of, read_sample
from separatrix.learners._linear import InBlocks, LinearClassifier, YesNoClassifier
from separatrix.scale import Rows
from separatrix.scale.opening import is_beyond_memory, table_in_blocks

TABLES = "separatrix.inference.coefficient_table"  # a layer above: loaded when it is asked for
CHANGED = (
    "the arrays that were given to fit have changed since. Fit again, or ask for the summary "
    "before changing them."
)


def probabilities(scores: Floats) -> Floats:
    """Return P(no) and P(yes) of log odds (N,): (N, 2)."""
    return np.column_stack((expit(-scores), expit(scores)))


class KeepsRows(InBlocks):
    """A fit that keeps the arrays it was given, for a summary; no file or pickle has them."""

    _rows: Untyped = None

    def _rows_of_fit(self) -> Untyped:
        check_is_fitted(self)
        if self._rows is None and hasattr(self, "_n_in_blocks"):
            raise InputError(
                f"a summary is found from all rows at once, and these {self._n_in_blocks:,} were "
                "read in blocks. Fit arrays, or some of the rows, to have one."
            )
        if self._rows is None:
            raise InputError(
                "a summary is found from the rows of the fit, and neither a model file nor a "
                "pickle has them. Fit again, or use separatrix.coefficient_table(X, y)."
            )
        return self._rows

    def _table_of(self, X: Points, y: ArrayLike, weight: Floats, **options: Untyped) -> Untyped:
        """Return the `CoefficientTable` of the rows of the fit."""
        names, intercept = getattr(self, "feature_names_in_", None), constant_of(self) == 1.0
        return load(TABLES).coefficient_table(
            X, y, sample_weight=weight, feature_names=names, fit_intercept=intercept, **options
        )

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        return {name: value for name, value in state.items() if name != "_rows"}


class InMemory(YesNoClassifier):
    """A learner that needs all rows in memory."""

    _because = ""  # why

    def _fit_blocks(self, rows: Rows) -> Self:
        raise InputError(
            f"{type(self).__name__} needs all rows in memory{self._because}, and this table of "
            f"{rows.n:,} rows is read in blocks. LinearRegressionClassifier, LogisticRegression, "
            "GradientDescent, Perceptron, AveragedPerceptron, VotedPerceptron, MarginPerceptron, "
            "PassiveAggressive and Pocket learn in blocks; or take some of the rows."
        )

    _learn_rows = _fit_blocks


class WeightedLinearClassifier(LinearClassifier):
    """A line of a learner that weighs rows."""

    def fit(self, X: ArrayLike, y: ArrayLike = None, sample_weight: ArrayLike = None) -> Self:
        """Learn from rows X (N, d), labels y (N,), weights (N,); a table in blocks brings them.

        Raises
        ------
        InputError
            For data or parameters that cannot be used.
        """
        if is_beyond_memory(X):
            return self._fit_blocks(table_in_blocks(X, y, sample_weight))
        return self._learn(read_sample(self, X, y, sample_weight))


class WithStandardErrors(WeightedLinearClassifier):
    """A line whose weights have standard errors."""

    _standard_errors: Floats | None = None

    @property
    def standard_errors_(self) -> Floats:
        """Standard errors (1+d,) of the weights, w_0 first; NaN where there are none."""
        if self._standard_errors is None:
            raise AttributeError(
                "standard errors are known after `fit`, and no model file has them"
            )
        return self._standard_errors

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return P(classes_[0] | x) and P(classes_[1] | x) of rows X (N, d): (N, 2)."""
        return probabilities(self.decision_function(X))

    def _estimates(self) -> Floats:
        """Return what they are the standard errors of."""
        return self._weights()

    @property
    def z_scores_(self) -> Floats:
        """Weights over standard errors (1+d,)."""
        return np.asarray(self._estimates() / self.standard_errors_)

    @property
    def p_values_(self) -> Floats:
        """P(|Z| >= |z|), Z standard normal (1+d,): small where the weight is hardly 0 by chance."""
        return np.asarray(erfc(np.abs(self.z_scores_) / np.sqrt(2.0)))
