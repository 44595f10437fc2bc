"""What a model is: a line, and lines joined by scikit-learn's own two rules for many classes.

What a file may hold is a closed list of learners, with what they know of the table. "ova" (one
against all, scikit-learn's `OneVsRestClassifier`): one line for each class against the rest; the
class whose line gives the greatest score is the answer, the first on a tie. "ovo"
(`OneVsOneClassifier`): one line for each pair (i, k), i < k, in row order; every line votes, and
the sum of the scores for a class decides among equal votes.
"""

from __future__ import annotations

import copy
import itertools
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Labels, Points
from separatrix.learners._linear import LinearClassifier
from separatrix.tables import Dialect, Encoding, NumberEncoding
from separatrix.tables.recipes import Recipe
from separatrix.tables.scan import codec_of

FORMAT = "separatrix model"
VERDICTS = dict.fromkeys(("Verdict", "MulticlassVerdict"), "pass its model, v.model instead of v")
VERSION = 2  # 1 had no SHA-256
LARGEST_FILE = 32 * 2**20


LEARNERS = {  # and where each is found: a command imports the one or two that it uses
    "AveragedPerceptron": "voting",
    "Baseline": "baseline",
    "CoordinateDescent01": "coordinate_descent_01",
    "DualPerceptron": "dual_perceptron",
    "FirthLogisticRegression": "firth_logistic_regression",
    "GradientDescent": "gradient_descent",
    "LinearRegression": "linear_regression",
    "LinearRegressionClassifier": "linear_regression",
    "LogisticRegression": "logistic_regression",
    "MarginPerceptron": "margin_perceptron",
    "MinimumErrorClassifier": "minimum_error_classifier",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "Pocket": "pocket",
    "RatchetPocket": "pocket",
    "VotedPerceptron": "voting",
}


def learner_called(name: str) -> Untyped:
    """Return the class of a learner, one of `LEARNERS`."""
    return getattr(import_module(f"separatrix.learners.{LEARNERS[name]}"), name)


# fitted arrays (1+d,) beside the weights that predictions need
FURTHER = {"LogisticRegression": ("direction_", "finite_weights_")}

OF_A_LEARNER = {"learner", "parameters", "weights", "further"}
OF_A_FILE = {"format", "version", "sha256", "labels", "features", "table"}
OF_A_JOINED_FILE = {*OF_A_FILE, "rule", "models"}

LABEL_KINDS: Mapping[str, Callable[[Any], Any]] = {
    "text": str,
    "whole": int,
    "number": float,
    "truth": bool,
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The table a model was learned from, to be known again."""

    sha256: str  # of its bytes, in hexadecimal
    format: str  # one of `tables.files.formats.FORMATS`
    dialect: Dialect | None  # how its text was read; None for Parquet
    weight: str | None = None  # the column of row weights: rows of weight 0 took no part

    @property
    def options(self) -> dict[str, Any]:
        """What `read_table` needs to read such a file the same way."""
        if self.dialect is None or self.format != "csv":
            return {"format": self.format}
        return {"format": self.format, **asdict(self.dialect)}


@dataclass(frozen=True, slots=True)
class TableModel:
    """What a model learned from a table knows about tables."""

    encoding: Encoding  # how columns become features
    label: str  # the label's column
    # columns of the training table that are no features: label, weight, group, dropped ones
    extra: tuple[str, ...]
    origin: Origin | None = None  # that table; None when the model does not remember it
    recipes: tuple[Recipe, ...] = ()  # how some of its columns were read

    @property
    def decimal(self) -> str:
        """The decimal mark of the table that was learned from."""
        dialect = None if self.origin is None else self.origin.dialect
        return "." if dialect is None else dialect.decimal

    def read_as(self, asked: Mapping[str, Any], data: bytes) -> dict[str, Any]:
        """Return how new rows are read, of whose file some bytes are given: as asked, or alike."""
        dialect, encoding = self.origin and self.origin.dialect, asked.get("encoding")
        if encoding is None and dialect and codec_of(data, None) == "utf-8":
            try:
                getincrementaldecoder("utf-8")().decode(data)  # the last letter may be cut
            except UnicodeDecodeError:
                encoding = dialect.encoding
        return {**asked, "decimal": asked.get("decimal") or self.decimal, "encoding": encoding}


STRONGEST_FIRST = (
    "Strongest column first: |weight| times its standard deviation, the levels of a category "
    "together (the standard deviation of what the column adds to the score)."
)


def features_of(encoding: Encoding) -> list[slice]:
    """Return the features of each column, or of each product of columns."""
    if encoding.monomials is not None:
        return [slice(j, j + 1) for j in range(len(encoding.feature_names))]
    ends = itertools.accumulate((len(c.feature_names) for c in encoding.columns), initial=0)
    return [slice(*pair) for pair in itertools.pairwise(ends)]


def strengths(
    encoding: Encoding, weights: Floats, X: Points, row_weight: Floats | None = None
) -> Floats:
    """Return the strength of each of `features_of`, for weights (d,) and rows X (N, d)."""
    parts = features_of(encoding)
    if not sp.issparse(X):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.array([_deviation(X[:, part] @ weights[part], row_weight) for part in parts])
    owner = np.repeat(np.arange(len(parts)), [part.stop - part.start for part in parts])
    spread_out = (weights, (np.arange(weights.size), owner))
    added = X @ sp.csr_array(spread_out, shape=(weights.size, len(parts)))
    size = abs(added).max(axis=0).toarray().ravel()
    scaled = added.multiply(1.0 / np.where(size > 0.0, size, 1.0)).tocsr()
    of_rows = np.ones(X.shape[0]) if row_weight is None else row_weight
    mean, square = ((of_rows @ m) / of_rows.sum() for m in (scaled, scaled.multiply(scaled)))
    return np.asarray(size * np.sqrt(np.maximum(square - mean**2, 0.0)))


def strongest_first(
    encoding: Encoding, weights: Floats, X: Points, row_weight: Floats | None = None
) -> dict[int, list[int]]:
    """Return {column: its features}, the strongest column and its largest weight first."""
    found = strengths(encoding, weights, X, row_weight)
    parts = features_of(encoding)
    return {
        k: sorted(range(parts[k].start, parts[k].stop), key=lambda j: -abs(weights[j]))
        for k in np.argsort(-found, kind="stable").tolist()
    }


def _deviation(added: Floats, row_weight: Floats | None) -> float:
    """Return the standard deviation; divided first, as squares may leave float64's range."""
    size = float(np.abs(added).max(initial=0.0))
    if size == 0.0 or not np.isfinite(size):
        return size
    mean = np.average(added / size, weights=row_weight)
    return size * float(np.sqrt(np.average((added / size - mean) ** 2, weights=row_weight)))


RULES: Mapping[str, str] = {"ova": "OneVsRestClassifier", "ovo": "OneVsOneClassifier"}


def n_questions(rule: str, n_classes: int) -> int:
    """Return how many lines a rule joins; scikit-learn keeps one for two classes."""
    if rule == "ova" and n_classes > 2:
        return n_classes
    return n_classes * (n_classes - 1) // 2


def single(
    learner: Untyped,
    classes: Labels,
    feature_names: Sequence[str] | None = None,
    table: TableModel | None = None,
) -> Untyped:
    """Return a copy of a fitted learner that answers in these classes, for these columns."""
    model = copy.copy(learner)
    model.classes_ = classes
    return about(model, feature_names, table)


def joined(
    rule: str,
    learners: Sequence[Any],
    classes: Labels,
    feature_names: Sequence[str] | None = None,
    table: TableModel | None = None,
) -> Untyped:
    """Return scikit-learn's classifier of fitted learners, as its own `fit` would leave it."""
    from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

    parts = [_part(learner) for learner in learners]
    unfitted = type(parts[0])(**parts[0].get_params(deep=False))
    if rule == "ova":
        from sklearn.preprocessing import LabelBinarizer

        whole = OneVsRestClassifier(unfitted)
        whole.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(classes)
        whole.label_binarizer_.classes_ = classes  # `fit` has sorted them
        for part in parts if feature_names is not None else ():
            part.feature_names_in_ = np.array(feature_names, dtype=object)
    else:
        whole = OneVsOneClassifier(unfitted)
        whole.pairwise_indices_ = None
    vars(whole)["classes_"] = classes  # a property of the binarizer's in older versions
    whole.estimators_ = parts
    whole.n_features_in_ = parts[0].n_features_in_
    return about(whole, feature_names, table)


def table_of(model: Untyped) -> TableModel | None:
    """Return what a model knows about the table it was learned from; None for arrays."""
    return getattr(model, "table_", None)


def about(model: Untyped, feature_names: Sequence[str] | None, table: TableModel | None) -> Untyped:
    if feature_names is not None:
        model.feature_names_in_ = np.array(feature_names, dtype=object)
    model.table_ = table
    return model


def rule_of(model: object) -> str | None:
    """Return the rule of a classifier of scikit-learn's that joins lines; None for another."""
    rules = {name: rule for rule, name in RULES.items()}
    is_theirs = type(model).__module__.startswith("sklearn.")
    return rules.get(type(model).__name__) if is_theirs else None


def parts_of(model: Untyped, rule: str) -> list[Any]:
    if not hasattr(model, "estimators_"):
        raise InputError(f"this {RULES[rule]} is not fitted yet: call fit first.")
    if getattr(model, "multilabel_", False):
        raise InputError(
            f"this {RULES[rule]} answers with several labels at once; a model file holds one "
            "answer for a row. Save its estimators_ one by one."
        )
    return list(model.estimators_)


def with_threshold(model: Untyped, probability: float) -> Untyped:
    """Return a copy of a fitted model that answers yes above this probability of yes."""
    if not 0.0 < probability < 1.0:
        raise InputError(f"threshold={probability!r} is not between 0 and 1.")
    why = why_no_threshold(model)
    if why:
        raise InputError(f"a threshold is a probability, and {why}.")
    model = copy.copy(model)
    model.probability_threshold_ = float(probability)
    return model


def why_no_threshold(model: Untyped) -> str:
    """Return why a model cannot answer at a threshold, and the way out; "" where it can."""
    if rule_of(model) is not None:
        return "this model answers many labels: learn with --yes VALUE to ask about one of them"
    if not hasattr(model, "predict_proba"):
        return (
            f"a {type(model).__name__} gives none: learn with --learner logistic, or with "
            "--penalty 1 where logistic regression has no finite optimum"
        )
    if getattr(model, "direction_", None) is not None:
        return (
            "logistic regression has no finite optimum on the table of this model, so that its "
            "probabilities are limits: learn with --penalty 1"
        )
    return ""


def _part(learner: Untyped) -> Untyped:
    """Return a copy whose answers are 0 and 1, as scikit-learn's rules want them."""
    part = copy.copy(learner)
    part.classes_ = np.array([0, 1])
    for name in ("feature_names_in_", "table_"):
        if hasattr(part, name):
            delattr(part, name)
    return part


WHY_NO_LINE: Mapping[str, str] = {
    "VotedPerceptron": "it answers by the votes of many lines, which no one line replaces; "
    "AveragedPerceptron is their mean, and a line",
    "DualPerceptron": "it answers by kernels with the rows it keeps, not by weights of columns; "
    "with a linear kernel, Perceptron walks the same path and has weights",
    "LinearRegression": "it gives a number and no yes or no; LinearRegressionClassifier is the "
    "same line with answers",
    **VERDICTS,
}


@dataclass(frozen=True, slots=True)
class Lines:
    """One line for two labels, or one for each of many, or for each pair of them."""

    encoding: Encoding  # how columns become features
    # (2,) two labels: yes, the second, iff the score is above `least_score`, or not negative where
    # `zero_is_yes`. More: the label of the greatest score, the first on a tie
    classes: Labels
    # (M, 1+d) w_0 first. M = 1 for two labels; else a line for each label, whose score it gives, or
    # for each of the pairs
    weights: Floats
    # whether it says yes to a score of zero: after learning with sign(0) = +1
    zero_is_yes: tuple[bool, ...]
    named: bool  # whether the columns had names, or are called x1, x2, ...
    of_a_table: bool  # whether the model knows a table's columns, or was learned from arrays
    # the labels that each line decides between, where the lines vote. The score of a label is then
    # its votes v and, for equal votes, c / (3 (|c| + 1)): c adds up the scores of its lines, those
    # that say yes to another label with a minus, in their order (scikit-learn's rule)
    pairs: tuple[tuple[int, int], ...] = ()
    # of two labels: yes iff the score is greater, 0 but for a model that has a threshold
    least_score: float = 0.0
    # the penalty and the threshold of the model, of plain words and numbers; "" without
    note: str = ""

    @property
    def two(self) -> bool:
        """Whether there are two labels, and so one line and one score."""
        return len(self.weights) == 1

    def of_label(self, k: int) -> list[tuple[int, bool]]:
        """Return which lines label k has a part in, and whether it is what they call yes."""
        return [(i, k == pair[1]) for i, pair in enumerate(self.pairs) if k in pair]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels as text: what `predict` writes."""
        return tuple(str(label) for label in self.classes)

    @property
    def score_names(self) -> tuple[str, ...]:
        """The names that `predict` gives to the columns of scores."""
        return ("score",) if self.two else tuple(f"score_of_{label}" for label in self.labels)


def lines_of(model: Untyped) -> Lines:
    rule = rule_of(model)
    parts = [model] if rule is None else parts_of(model, rule)
    for part in parts:
        if not isinstance(part, LinearClassifier):
            name = type(part).__name__
            why = WHY_NO_LINE.get(name, "it is no line of this library's")
            raise InputError(f"a {name} cannot be written as a line: {why}.")
        if not hasattr(part, "coef_"):
            raise InputError(f"this {type(part).__name__} is not fitted yet: call fit first.")
    weights = [np.concatenate((part.intercept_, part.coef_[0])) for part in parts]
    table = table_of(model)
    names = getattr(model, "feature_names_in_", None)
    plain = [f"x{j}" for j in range(1, weights[0].size)] if names is None else map(str, names)
    numbers = Encoding(tuple(NumberEncoding(name, None) for name in plain))
    return Lines(
        encoding=numbers if table is None else table.encoding,
        classes=model.classes_,
        weights=np.array(weights),
        # "ova" compares scores, whatever the lines themselves answer; in "ovo" each one votes
        zero_is_yes=tuple(rule != "ova" and part.sign_of_zero_ == 1 for part in parts),
        named=table is not None or names is not None,
        of_a_table=table is not None,
        pairs=tuple(combinations(range(len(model.classes_)), 2)) if rule == "ovo" else (),
        least_score=parts[0]._least_score if rule is None else 0.0,
        note=_note(parts[0]),
    )


def _note(learner: Untyped) -> str:
    """Return the penalty of a learner and its threshold, in words that need no quoting."""
    said = []
    C = getattr(learner, "C", None)  # of a file it may be anything, and so may a variant
    if type(learner).__name__ == "FirthLogisticRegression":
        flic = " (FLIC)" if learner.variant == "flic" else ""
        said.append(f"logistic regression, penalty Firth{flic}")
    elif isinstance(C, float | int) and np.isfinite(C) and hasattr(learner, "standardised_"):
        of = " of standardised columns" if learner.standardised_ else ""
        said.append(f"logistic regression, penalty C={float(C):g}{of}")
    if learner.probability_threshold_ is not None:
        said.append(f"yes above a probability of {learner.probability_threshold_!r}")
    return "; ".join(said)
