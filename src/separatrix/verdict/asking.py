"""Which yes / no questions a table of many labels is asked, and of which rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError
from separatrix.model import RULES, n_questions
from separatrix.tables import ClassTable, Table
from separatrix.verdict.folds import ClassFold, Fold

MOST_QUESTIONS = 100

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Asked:
    """Label `no`, or label `yes`? Positions among the labels; `no` is None for all others."""

    no: int | None
    yes: int

    def of(self, data: ClassTable) -> Table:
        """Return the question of a table."""
        return data.against_rest(self.yes) if self.no is None else data.against(self.no, self.yes)

    def rows(self, codes: Codes) -> Codes:
        """Return the rows that are asked about."""
        if self.no is None:
            return np.arange(codes.size)
        return np.flatnonzero((codes == self.no) | (codes == self.yes))

    def inside(self, fold: ClassFold) -> Fold:
        """Return the question in a fold."""
        train, held = self.rows(fold.codes), self.rows(fold.codes_held)
        return Fold(
            X=fold.X[train],
            y=self.signs(fold.codes[train]),
            weight=None if fold.weight is None else fold.weight[train],
            X_held=fold.X_held[held],
            y_held=self.signs(fold.codes_held[held]),
            weight_held=None if fold.weight_held is None else fold.weight_held[held],
        )

    def signs(self, codes: Codes) -> Floats:
        """Return y (N,)."""
        return np.where(codes == self.yes, 1.0, -1.0)


def questions_of(rule: str | None, data: ClassTable) -> list[Asked]:
    """Return the questions of a rule.

    Raises
    ------
    InputError
        For another rule, and for more questions than anybody would read.
    """
    if rule is None or rule not in RULES:
        raise InputError(
            f'multiclass={rule!r} is not known; choose "ova" (each label against the rest) or '
            '"ovo" (each against each).'
        )
    k = len(data.names)
    count = n_questions(rule, k)
    if count > MOST_QUESTIONS:
        other = "" if rule == "ova" or k > MOST_QUESTIONS else ' "ova" asks one for each label.'
        raise InputError(
            f"{k:,} labels make {count:,} yes / no questions; at most {MOST_QUESTIONS} are asked."
            f"{other} Is it a column of labels? Else join rare labels into one first."
        )
    if rule == "ova":
        return [Asked(None, yes) for yes in range(k)]
    return [Asked(no, yes) for no in range(k) for yes in range(no + 1, k)]
