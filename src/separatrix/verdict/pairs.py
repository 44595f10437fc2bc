"""Which yes / no questions are asked of a table: one of two labels, several of more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError
from separatrix.model import RULES, n_questions
from separatrix.tables import ClassTable, Table

MOST_QUESTIONS = 100

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Label `no`, or label `yes`? Positions among the labels; `no` is None for all others."""

    no: int | None
    yes: int

    def of(self, data: ClassTable) -> Table:
        return data.against_rest(self.yes) if self.no is None else data.against(self.no, self.yes)

    def rows(self, codes: Codes) -> Codes:
        if self.no is None:
            return np.arange(codes.size)
        return np.flatnonzero((codes == self.no) | (codes == self.yes))

    def signs(self, codes: Codes) -> Floats:
        return np.where(codes == self.yes, 1.0, -1.0)


def pairs_of(rule: str | None, k: int) -> tuple[Pair, ...]:
    """Return the questions of a rule about k labels; None is the one question of two labels."""
    if rule is None and k == 2:
        return (Pair(0, 1),)
    if rule is None or rule not in RULES:
        raise InputError(
            f'multiclass={rule!r} is not known; choose "ova" (each label against the rest) or '
            '"ovo" (each against each).'
        )
    count = n_questions(rule, k)
    if count > MOST_QUESTIONS:
        other = "" if rule == "ova" or k > MOST_QUESTIONS else ' "ova" asks one for each label.'
        raise InputError(
            f"{k:,} labels make {count:,} yes / no questions; at most {MOST_QUESTIONS} are asked."
            f"{other} Is it a column of labels? Else join rare labels into one first."
        )
    if rule == "ova":
        return tuple(Pair(None, yes) for yes in range(k))
    return tuple(Pair(no, yes) for no in range(k) for yes in range(no + 1, k))
