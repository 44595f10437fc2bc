"""The lines in a fitted model, and the columns they are about: what leaves for elsewhere.

An export writes a score as the sum w_0 + w_1 x_1 + ... in the order of the features, which is the
order of `predict`: the same doubles come out wherever doubles are added as IEEE 754 says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.data import Floats, InputError, Labels
from separatrix.learners._linear import LinearClassifier
from separatrix.model.joining import parts_of, rule_of
from separatrix.tables import Encoding, NumberEncoding

WHY_NO_LINE: Mapping[str, str] = {
    "VotedPerceptron": "it answers by the votes of many lines, which no one line replaces; "
    "AveragedPerceptron is their mean, and a line",
    "DualPerceptron": "it answers by kernels with the rows it keeps, not by weights of columns; "
    "with a linear kernel, Perceptron walks the same path and has weights",
    "LinearRegression": "it gives a number and no yes or no; LinearRegressionClassifier is the "
    "same line with answers",
    "OneVsOneClassifier": "its answer is a vote over all pairs of labels, and no score decides it; "
    "--multiclass ova (OneVsRestClassifier) has a score for each label, and the greatest decides",
}


@dataclass(frozen=True, slots=True)
class Lines:
    """One line for two labels, or one for each of many.

    Parameters
    ----------
    encoding : Encoding
        How columns become features.
    classes : array (2,) or (K,)
        Two labels: yes, the second, iff the score is positive, or not negative where
        `zero_is_yes`. More: the greatest score decides, of equals the first.
    weights : float64 array (1, 1+d) or (K, 1+d)
        w_0 first.
    zero_is_yes : tuple of bool, one for each line
        Whether it says yes to a score of zero: after learning with sign(0) = +1.
    named : bool
        Whether the columns had names, or are called x1, x2, ...
    of_a_table : bool
        Whether the model knows a table's columns, or was learned from arrays.
    """

    encoding: Encoding
    classes: Labels
    weights: Floats
    zero_is_yes: tuple[bool, ...]
    named: bool
    of_a_table: bool

    @property
    def two(self) -> bool:
        """Whether there are two labels, and so one score."""
        return len(self.weights) == 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels as text: what `predict` writes."""
        return tuple(str(label) for label in self.classes)

    @property
    def score_names(self) -> tuple[str, ...]:
        """The names that `predict` gives to the columns of scores."""
        return ("score",) if self.two else tuple(f"score_of_{label}" for label in self.labels)


def lines_of(model: Any) -> Lines:  # noqa: ANN401  # any learner of ours
    """Return the lines of a fitted model.

    Raises
    ------
    InputError
        When it has none, saying why and what has.
    """
    rule = rule_of(model)
    if rule == "ovo":
        raise _no_line("OneVsOneClassifier")
    parts = [model] if rule is None else parts_of(model, rule)
    for part in parts:
        if not isinstance(part, LinearClassifier):
            raise _no_line(type(part).__name__)
        if not hasattr(part, "coef_"):
            raise InputError(f"this {type(part).__name__} is not fitted yet: call fit first.")
    weights = [np.concatenate((part.intercept_, part.coef_[0])) for part in parts]
    table = getattr(model, "table_", None)
    names = getattr(model, "feature_names_in_", None)
    if table is not None:
        encoding = table.encoding
    else:
        d = weights[0].size - 1
        plain = [f"x{j}" for j in range(1, d + 1)] if names is None else [str(n) for n in names]
        encoding = Encoding(tuple(NumberEncoding(name, None) for name in plain))
    return Lines(
        encoding=encoding,
        classes=model.classes_,
        weights=np.array(weights),
        # of two labels joined by a rule scikit-learn answers, and yes only where s > 0
        zero_is_yes=tuple(rule is None and part.sign_of_zero_ == 1 for part in parts),
        named=table is not None or names is not None,
        of_a_table=table is not None,
    )


def _no_line(name: str) -> InputError:
    why = WHY_NO_LINE.get(name, "it is no line of this library's")
    return InputError(f"a {name} cannot be written as a line: {why}.")
