"""Whether the parts of a model file agree: what no fit could have written is refused."""

from __future__ import annotations

import codecs
import math
from dataclasses import replace

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError
from separatrix.learners.baseline import Baseline
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.learners.voted_perceptron import VotedPerceptron
from separatrix.model.joining import why_no_threshold
from separatrix.model.kinds import Origin, TableModel
from separatrix.model.strict import Unusable
from separatrix.tables import CategoryEncoding, Dialect, Monomials
from separatrix.tables.files.formats import TEXT_FORMATS
from separatrix.tables.monomials import MOST_PRODUCTS
from separatrix.tables.options import Reading

LIBSVM = Dialect("whitespace", "", header=False, quote="", decimal=".")


def refuse_other_learner(learner: Untyped) -> None:
    """Raise `Unusable` where a learner's numbers are not such as its parameters allow."""
    if getattr(learner, "probability_threshold_", None) and why_no_threshold(learner):
        raise Unusable("a threshold is of models that give probabilities")
    if isinstance(learner, VotedPerceptron):
        _, _, _, start, x0 = learner._walk
        if bool(x0) != bool(learner.fit_intercept):
            raise Unusable("intercept is not what the parameter fit_intercept says")
        constants = start[:1]
    elif hasattr(learner, "intercept_"):
        constants = np.atleast_1d(learner.intercept_)
    else:
        return
    if isinstance(learner, LogisticRegression):
        _refuse_other_limit(learner)
        if learner.direction_ is not None:
            parts = (constants, learner.direction_[:, 0], learner.finite_weights_[:1])
            constants = np.concatenate(parts)
    if not getattr(learner, "fit_intercept", True) and constants.any():
        raise Unusable("fit_intercept is false, and w_0 is not 0")
    if isinstance(learner, Baseline):
        right = learner.answer in (1, -1) and learner.intercept_[0] == learner.answer
        if not right or learner.coef_.any():
            raise Unusable("its weights are not those of the parameter answer")


def _refuse_other_limit(learner: LogisticRegression) -> None:
    if learner.direction_ is None:
        if learner.finite_weights_.tolist() != [learner.intercept_[0], *learner.coef_[0]]:
            raise Unusable("finite_weights_ are not the weights, and there is no direction_")
        return
    if learner.C not in (None, math.inf):
        raise Unusable("with a penalty (C is finite) no direction_ diverges")
    if not learner.direction_.any():
        raise Unusable("direction_ is 0")


def refuse_other_table(table: TableModel, features: tuple[str, ...] | None) -> None:
    """Raise `Unusable` where columns, terms, names and roles contradict each other."""
    encoding = table.encoding
    names = [column.name for column in encoding.columns]
    _refuse_twice(names, "a column")
    _refuse_twice(table.extra, "a name in extra")
    if table.label not in table.extra or set(names) & set(table.extra):
        raise Unusable("extra must name the label and no feature column")
    for column in encoding.columns:
        if isinstance(column, CategoryEncoding):
            baseline, others = column.levels[:1], column.levels[1:]
            if list(others) != sorted(set(others) - set(baseline)):
                raise Unusable("levels after the first are not in ascending order, each once")
    if encoding.monomials is not None:
        _refuse_other_terms(encoding.monomials, len(encoding.plain_names))
    if features is not None and features != encoding.feature_names:
        raise Unusable("features are not those that the table's columns make")
    if table.origin is not None:
        if table.origin.weight is not None and table.origin.weight not in table.extra:
            raise Unusable("extra must name the column of weights")
        _refuse_other_dialect(table.origin)


def _refuse_other_terms(monomials: Monomials, d: int) -> None:
    if math.comb(d + min(monomials.degree, MOST_PRODUCTS + 1), d) - 1 > MOST_PRODUCTS:
        raise Unusable(f"degree {monomials.degree} of {d} features makes too many products")
    _refuse_twice(monomials.terms, "a term")


def _refuse_other_dialect(origin: Origin) -> None:
    dialect = origin.dialect
    if (dialect is None) != (origin.format not in TEXT_FORMATS):
        raise Unusable(f"a dialect is of text, and the format is {origin.format}")
    if dialect is None:
        return
    if origin.format == "svmlight" and replace(dialect, encoding="") != LIBSVM:
        raise Unusable("dialect is not that of a LIBSVM file")
    marks = [dialect.delimiter, dialect.decimal, dialect.quote]
    try:
        Reading(
            delimiter=dialect.delimiter, quote=dialect.quote, decimal=dialect.decimal
        ).refuse_dialect()
        text = codecs.lookup(dialect.encoding)._is_text_encoding
    except (InputError, LookupError, ValueError) as error:
        raise Unusable(f"dialect cannot be used: {error}") from None
    if not text or len(set(marks)) < len(marks):
        raise Unusable("dialect contradicts itself")


def _refuse_twice(values: ArrayLike, what: str) -> None:
    if len(set(values)) < len(values):
        raise Unusable(f"{what} stands twice")
