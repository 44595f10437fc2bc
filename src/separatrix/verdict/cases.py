"""A table as features, and the yes / no questions that are asked of its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.data import InputError
from separatrix.tables import ClassTable, Encoding, Table, fit_encoding
from separatrix.verdict.folds import CodedRows, coded
from separatrix.verdict.pairs import Pair, pairs_of

ONE_QUESTION = (
    "the table was read as one yes / no question: leave multiclass out, or read it with "
    "read_classes."
)


@dataclass(frozen=True, slots=True)
class Cases:
    """Rows with a weight, as features, and what is asked of them."""

    rule: str | None  # "ova", "ovo", or None for the one question of two labels
    table: Table | ClassTable
    encoding: Encoding  # how columns became features, for every question
    rows: CodedRows
    pairs: tuple[Pair, ...]  # what is asked, in the order of the rule

    @classmethod
    def of(cls, table: Table | ClassTable, rule: str | None, degree: int = 1) -> Cases:
        if isinstance(table, Table) and rule is not None:
            raise InputError(ONE_QUESTION)
        data = coded(table)
        base = data.base
        encoding = fit_encoding(base.columns, base.missing, degree)
        X = encoding.encode(base.columns, base.lines, base.line_word)
        if X.shape[1] == 0:
            raise InputError("no column is left to learn from: each has one value only.")
        weight = np.ones(base.y.size) if base.weight is None else base.weight
        pairs = pairs_of(rule, len(data.names))
        return cls(rule, table, encoding, CodedRows(X, data.codes, weight, data.names), pairs)

    @property
    def base(self) -> Table:
        """The rows, whatever is asked of them."""
        return coded(self.table).base

    def asked(self, pair: Pair) -> tuple[Table, str]:
        """Return the table of a question, and what sets it apart from others: "a or b: "."""
        if isinstance(self.table, Table):
            return self.table, ""
        table = pair.of(self.table)
        return table, f"{table.yes} or {table.no}: "
