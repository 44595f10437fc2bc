"""What every yes / no learner does once it has scores, and every linear one once it has weights."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from separatrix._types import ArrayLike, Untyped
from separatrix.data import (
    Floats,
    InputError,
    Labels,
    Sample,
    SeparatrixWarning,
    as_rows,
    constant_of,
    read_points,
    read_sample,
    refuse_missing,
)
from separatrix.kernels.exact import signed_scores
from separatrix.scale import Rows, with_constant
from separatrix.scale.opening import is_beyond_memory, table_in_blocks


class NotConvergedWarning(SeparatrixWarning, ConvergenceWarning):  # type: ignore[misc]
    """A limit on updates, passes or time ended the fit before it converged."""


class NotKeptError(InputError, AttributeError):
    """An attribute that takes all rows, asked of a learner that read them in blocks."""


class InBlocks:
    """A fit of a table in blocks, which keeps no array of all its rows: none of `_of_all_rows`."""

    _of_all_rows: tuple[str, ...] = ()
    _n_in_blocks: int

    def _note_blocks(self, table: Rows, *, numbers: bool = False) -> None:
        """Note the columns of a table in blocks, and forget what an earlier fit kept."""
        if numbers != (table.classes is None):
            raise InputError(
                "the table in blocks holds labels, and LinearRegression fits numbers: give it the "
                "files, as fit(path, column), or use LinearRegressionClassifier."
                if numbers
                else f"the table in blocks holds numbers, and {type(self).__name__} learns labels: "
                "use LinearRegression."
            )
        for name in (*self._of_all_rows, "_rows"):
            self.__dict__.pop(name, None)
        self.n_features_in_, self._n_in_blocks = table.d, table.n
        self.feature_names_in_ = np.array(table.names, dtype=object)

    def __getattr__(self, name: str) -> Untyped:
        if name in type(self)._of_all_rows and "_n_in_blocks" in self.__dict__:
            raise NotKeptError(
                f"{name} takes all {self._n_in_blocks:,} rows at once, and they were read in "
                "blocks. Fit arrays to have it."
            )
        return object.__getattribute__(self, name)  # raises as without this method, cause included


class YesNoClassifier(InBlocks, ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]  # untyped bases
    """Yes iff the score is positive; `decision_function` is what a learner has to say.

    A learner that learned with a `sign_of_zero` answers a zero score by it: +1 is yes; -1, and
    "mistake", are no. E_in counts a zero score as a mistake in any case.
    For three labels or more: scikit-learn's `OneVsRestClassifier` or `OneVsOneClassifier`.
    """

    classes_: Labels
    sign_of_zero_: int | str = "mistake"  # -1, 1 or "mistake": what the fit went by
    probability_threshold_: float | None = None  # of a model's answers; no fit has one

    def fit(self, X: ArrayLike, y: ArrayLike = None) -> Self:
        """Learn from rows X (N, d) and labels y (N,), or from what `separatrix.open_table` returns.

        Raises
        ------
        InputError
            For data or parameters that cannot be used, and blocks where all rows must be in memory.
        """
        if is_beyond_memory(X):
            return self._fit_blocks(table_in_blocks(X, y))
        return self._learn(self._read(X, y))

    def fit_sample(self, sample: Sample) -> Self:
        """Learn from a checked sample, without names; its weights count where `fit` has some."""
        self._note_columns(sample)
        return self._learn(with_constant(sample, constant_of(self)))

    def _note_columns(self, sample: Sample) -> None:
        """Note how many columns a checked sample has; names of an earlier fit are dropped."""
        self.n_features_in_ = sample.d
        self.__dict__.pop("feature_names_in_", None)

    def _read(self, X: ArrayLike, y: ArrayLike) -> Sample:
        """Return the checked sample of a fit, and note its columns."""
        return read_sample(self, X, y)

    def _learn(self, sample: Sample) -> Self:
        """Learn from a checked sample."""
        return self._learn_rows(Rows.of(sample))

    def _fit_blocks(self, rows: Rows) -> Self:
        """Learn from a table in blocks; a checkpoint keeps what was asked."""
        asked = sorted(self.get_params().items())
        name = f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in asked)})"
        with rows.journal.part(name):
            self._note_blocks(rows)
            return self._learn_rows(with_constant(rows, constant_of(self)))

    @abstractmethod
    def _learn_rows(self, rows: Rows) -> Self:
        """Learn from rows in memory, or in blocks."""

    @abstractmethod
    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of rows X (N, d): (N,)."""

    def predict(self, X: ArrayLike) -> Labels:
        """Return the answers (N,): ``classes_[1]`` ("yes") where s > 0, else ``classes_[0]``.

        With ``sign_of_zero=1`` where s >= 0; with a model's threshold P where s > ln(P / (1 - P)).
        """
        scores = self.decision_function(X)
        yes = scores >= 0.0 if self.sign_of_zero_ == 1 else scores > self._least_score
        return self.classes_[yes.astype(np.intp)]

    @property
    def _least_score(self) -> float:
        """The score above which a row is yes: 0, or that of the threshold."""
        p = self.probability_threshold_
        return 0.0 if p is None else math.log(p) - math.log1p(-p)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> float:
        """Return the part of the rows X (N, d) whose answer is y (N,), as scikit-learn counts."""
        refuse_missing(y, sample_weight)
        return float(super().score(X, y, sample_weight))

    def _take_labels(self, sample: Sample | Rows) -> None:
        """Take the labels of a fit, and what it went by where a score was zero."""
        self.classes_ = np.asarray(sample.classes)
        for name in ("table_", "probability_threshold_", "standardised_"):
            self.__dict__.pop(name, None)
        rule = getattr(self, "sign_of_zero", None)
        if rule is not None:
            self.sign_of_zero_ = "mistake" if rule == "mistake" else int(rule)

    def __sklearn_tags__(self) -> Untyped:
        """Return scikit-learn's tags: two classes, sparse input welcome."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(YesNoClassifier):
    """A line: yes iff w.x > 0, or w.x >= 0 by sign(0) = +1; the sign of every score is exact."""

    coef_: Floats
    intercept_: Floats

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores s = w.x of rows X (N, d): (N,), each with its exact sign."""
        points = read_points(self, X)
        if points.shape[1] != self.coef_.shape[1]:
            raise InputError(
                f"X has {points.shape[1]} columns and the weights of this learner are for "
                f"{self.coef_.shape[1]}."
            )
        return signed_scores(as_rows(points), points.shape[0], self._weights(), 1.0)

    @property
    def threshold_(self) -> float:
        """-w_0: yes iff the weighted sum of the features exceeds it."""
        return -float(self.intercept_[0])

    def _weights(self) -> Floats:
        return np.concatenate((self.intercept_, self.coef_[0]))

    def _adopt(self, sample: Sample | Rows, weights: Floats) -> None:
        """Take weights (1+d,), w_0 first, in scikit-learn's shapes."""
        if not np.isfinite(weights).all():
            raise InputError(
                "the weights overflow float64: some columns of X are too large or too small for "
                "that. Multiply those columns by a power of two (exact, and the same question)."
            )
        self._take_labels(sample)
        self.coef_, self.intercept_ = in_shapes(weights)


def in_shapes(weights: Floats) -> tuple[Floats, Floats]:
    """Return weights (1+d,), w_0 first, in scikit-learn's shapes: (1, d) and (1,)."""
    return weights[np.newaxis, 1:].copy(), weights[:1].copy()
