"""The lines in a fitted model, and the columns they are about: what leaves for elsewhere.

An export writes a score as the sum w_0 + w_1 x_1 + ... in the order of the features, which is the
order of `predict`: the same doubles come out wherever doubles are added as IEEE 754 says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Labels
from separatrix.learners._linear import LinearClassifier
from separatrix.model.joining import parts_of, rule_of, table_of
from separatrix.model.kinds import VERDICTS
from separatrix.tables import Encoding, NumberEncoding

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
            raise _no_line(type(part).__name__)
        if not hasattr(part, "coef_"):
            raise InputError(f"this {type(part).__name__} is not fitted yet: call fit first.")
    weights = [np.concatenate((part.intercept_, part.coef_[0])) for part in parts]
    table = table_of(model)
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


def _no_line(name: str) -> InputError:
    why = WHY_NO_LINE.get(name, "it is no line of this library's")
    return InputError(f"a {name} cannot be written as a line: {why}.")
