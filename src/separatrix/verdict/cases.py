"""A table as features, and the yes / no questions that are asked of its rows."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Labels, Points, Sample
from separatrix.model import RULES, n_questions
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables import ClassTable, Encoding, Table, fit_encoding
from separatrix.tables.wording import counted
from separatrix.tiles import one_blas_thread

MOST_QUESTIONS = 100

Codes = NDArray[np.int64]
ONE_QUESTION = (
    "the table was read as one yes / no question: leave multiclass out, or read it with "
    "read_classes."
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Label `no`, or label `yes`? Positions among the labels; `no` is None for all others."""

    no: int | None
    yes: int

    def of(self, data: ClassTable) -> Table:
        """Return the table of the question."""
        if self.no is None:
            base, no = data.base, f"not {data.names[self.yes]}"
        else:
            base, no = data.base.take(self.rows(data.codes)), data.names[self.no]
        y = self.signs(data.codes[self.rows(data.codes)])
        return replace(base, no=no, yes=data.names[self.yes], y=y)

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


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Features X (N, d) of rows, which label each has, and its weight."""

    X: Points  # (N, d)
    codes: Codes  # int64 array (N,) Each row's label, a position in `names`
    weight: Floats  # (N,) Ones when there were none
    names: tuple[str, ...]  # the labels

    def asked(self, pair: Pair, classes: Labels) -> Sample:
        """Return the rows that a question is about, with its answers."""
        rows = pair.rows(self.codes)
        of = self if rows.size == self.codes.size else self.at(rows)
        return Sample(of.X, pair.signs(of.codes), classes, of.weight)

    def at(self, rows: Codes) -> CodedRows:
        return replace(self, X=self.X[rows], codes=self.codes[rows], weight=self.weight[rows])


def coded(table: Table | ClassTable) -> ClassTable:
    """Return a table of two labels as one of labels: no is 0 and yes is 1."""
    return table if isinstance(table, ClassTable) else ClassTable.of_two(table)


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


@dataclass(frozen=True, repr=False)
class Question:
    """A question, its rows as features, and the proof of whether a line answers it."""

    table: Table
    encoding: Encoding  # how its columns became features
    classes: Labels  # the labels as the user has them, no first
    named: bool  # whether the columns had names, or were given x1, x2,
    sample: Sample
    separability: Separability  # checked exactly

    def __repr__(self) -> str:
        size = f"{counted(self.sample.n, 'row')}, {counted(self.sample.d, 'feature')}"
        about = f"{self.table.yes} or {self.table.no}"
        return f"<Question: {about}, {size}, {self.separability.verdict}>"

    @property
    def points(self) -> Points:
        """The features (N, d)."""
        return self.sample.X

    @property
    def witness_lines(self) -> tuple[int, ...]:
        """Where the rows of the refusal stand in the file."""
        return tuple(self.table.lines[self._of_refusal].tolist())

    @property
    def witness_files(self) -> tuple[str, ...]:
        """The file of each of them; "" where the table is one file."""
        return tuple(map(self.table.file_of, self._of_refusal.tolist()))

    @property
    def _of_refusal(self) -> NDArray[np.int64]:
        refusal = self.separability.refusal
        return self.table.positions(() if refusal is None else refusal.rows)


@dataclass(frozen=True, slots=True)
class BestOfPla:
    """The line of best margin known on the standardised columns that PLA sees."""

    weights: tuple[Fraction, ...]  # (1+d,) exact, w_0 first
    mistake_bound: int  # floor(R^2 / rho^2): what PLA's updates do not exceed there

    @classmethod
    def of(cls, standardised: Sample | Rows) -> BestOfPla | None:
        """Return it; None where standardising left no separating line."""
        proof = decided(standardised)
        bound, weights = proof.mistake_bound, proof.exact_weights
        return None if bound is None or weights is None else cls(weights, bound)


def decided(rows: Sample | Rows) -> Separability:
    """Return whether rows are separable, proven: nothing unchecked is reported."""
    with one_blas_thread() if isinstance(rows, Rows) else nullcontext():
        proof = separability_of(rows)
        against = (rows, None) if isinstance(rows, Rows) else (rows.X, rows.y)
        if proof.verdict != "undecided" and not proof.verify(*against):
            raise RuntimeError(
                "separability: the certificate did not verify; please report this table"
            )
    return proof
