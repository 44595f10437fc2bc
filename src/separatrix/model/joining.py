"""A line as a model, and lines joined by scikit-learn's own two rules for many classes.

"ova" (one against all, scikit-learn's `OneVsRestClassifier`): one line for each class against the
rest; the class whose line gives the greatest score is the answer, the first on a tie. "ovo"
(`OneVsOneClassifier`): one line for each pair (i, k), i < k, in row order; every line votes, and
the sum of the scores for a class decides among equal votes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError, Labels
from separatrix.model.kinds import TableModel

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
    module = type(model).__module__
    for rule, name in RULES.items():
        if type(model).__name__ == name and module.startswith("sklearn."):
            return rule
    return None


def parts_of(model: Untyped, rule: str) -> list[Any]:
    """Return the fitted learners of such a classifier."""
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
