"""Real tables by name: those bundled with scikit-learn, each as one yes / no question.

"wine_0" is one class against the others, "wine_0_1" one against another. The class named last is
yes: labels are such that it comes second in sorted order.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from separatrix.data import Floats, InputError, Labels, shortened

BREAST_CANCER = "breast_cancer"
# family: names of its classes, what their labels begin with, and the label of all others
FAMILIES = {
    "iris": (("setosa", "versicolor", "virginica"), "", "another species"),
    "wine": (("0", "1", "2"), "wine ", "another wine"),
    "digits": (tuple("0123456789"), "digit ", "another digit"),
}
QUESTIONS = {  # name: family, class, and perhaps the other class
    "_".join((family, *chosen)): (family, *chosen)
    for family, (classes, _, _) in FAMILIES.items()
    for k in (1, 2)
    for chosen in itertools.combinations(classes, k)
}


class Demo(NamedTuple):
    """A real table."""

    X: Floats  # (N, d)
    y: Labels  # (N,) of two labels; the second in sorted order is yes, as for every learner
    feature_names: tuple[str, ...]


def load_demo(name: str) -> Demo:
    """Return one of scikit-learn's bundled real tables as a yes / no question.

    "breast_cancer" (malignant or not); "iris_setosa", "wine_0", "digits_8", ... (one class against
    all others); "iris_versicolor_virginica", "wine_0_1", "digits_3_8", ... (one against another).

    Raises
    ------
    InputError
        For another name, with those there are.

    Examples
    --------
    >>> X, y, names = load_demo("iris_setosa")
    >>> X.shape, sorted(set(y.tolist())), names[0]
    ((150, 4), ['another species', 'setosa'], 'sepal length (cm)')
    """
    if name == BREAST_CANCER:
        X, target, names = _bundled(BREAST_CANCER)
        return Demo(X, np.where(target == 0, "malignant", "benign"), names)
    if name not in QUESTIONS:
        raise InputError(
            f"there is no demonstration table {shortened(repr(name))}. The names are "
            f"{BREAST_CANCER}, {', '.join(QUESTIONS)}."
        )
    family, *chosen = QUESTIONS[name]
    classes, prefix, others = FAMILIES[family]
    X, target, names = _bundled(family)
    labels = np.array([others] * len(classes), dtype=object)
    for one in chosen:
        labels[classes.index(one)] = prefix + one
    y = labels[target].astype(str)
    if len(chosen) == 1:
        return Demo(X, y, names)
    of_these = y != others
    return Demo(np.ascontiguousarray(X[of_these]), y[of_these], names)


def _bundled(table: str) -> tuple[Floats, Labels, tuple[str, ...]]:
    """Return rows, class numbers and column names."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{table}")()
    names = tuple(str(name) for name in bunch.feature_names)
    return np.ascontiguousarray(bunch.data, dtype=np.float64), bunch.target, names
