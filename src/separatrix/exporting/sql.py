"""A fitted line as a SELECT: the score and the answer of `predict` where the table lives.

Steps, each a part of one WITH: the cells as numbers (fills, levels, products), the scores of the
lines, the votes where they vote, the answer. All is summed in the order of `predict`, in doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.exporting.dialects import (
    DIALECTS,
    TERMS_IN_A_SUM,
    Dialect,
    decimal,
    identifier,
    text,
)
from separatrix.exporting.names import refuse_names
from separatrix.model import Lines, lines_of, refuse_recipes
from separatrix.tables import MISSING_TOKENS, CategoryEncoding, NumberEncoding, missing_beside
from separatrix.tables.monomials import Term

ANSWER = "answer"


def to_sql(
    model: Untyped,
    table: str,
    *,
    dialect: str = "any",
    schema: str | None = None,
    keep: Sequence[str] = (),
) -> str:
    """Return a SELECT whose rows are the answer and the score of each row of a database table.

    The columns are those of `predict`: ``answer``, ``score`` (many labels: ``score_of_<label>`` for
    each). Categories, products of columns and filled values are part of it. A row that `predict`
    would refuse (a value missing that the model does not fill, a level never seen, a cell that is
    not a number, an infinite one) gets NULL for both, and so does one whose score leaves float64's
    range: `predict` alone finds the sign of that.

    Parameters
    ----------
    model : a fitted line, or scikit-learn's OneVsRestClassifier or OneVsOneClassifier of lines
        Learned from a table (``load(path)``), or from arrays; columns without names are x1, x2, ...
    table : str
        The table's name, exactly.
    dialect : "any", "sqlite", "duckdb" or "postgresql"
        "any" runs in all three; their own are shorter, and do more with numbers kept as text.
    schema : str or None
        Where the table is, if it must be said.
    keep : names
        Columns of the table to hand through before the answer, such as its key: a database promises
        no order of rows.

    Returns
    -------
    str
        One statement, with a line feed behind it and no semicolon, so that it can stand in a view.

    Raises
    ------
    InputError
        When the model is not a line, or when the database cannot have a name.

    Warns
    -----
    SeparatrixWarning
        For names that the database shortens.

    Notes
    -----
    The sum runs in the order of `predict`, w_0 first, so the score is the same double. The answer
    goes by the sign of that double, a zero by the sign(0) of the learner; of a model with a
    threshold P it is yes where that double is above ln(P / (1 - P)), as `predict` says. `predict`
    takes the exact sign where a score is smaller than its own rounding error, at most 2 (d + 3)
    2^-53 (|w_0| + sum |w_j x_j|): only there can the two differ. They differ on no row of the
    tests' public tables.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> model = Perceptron().fit([[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(to_sql(model, "visits", keep=["id"]).splitlines()[-1].strip())
    FROM "sums1"
    """
    if dialect not in DIALECTS:
        raise InputError(f"dialect={dialect!r} is not known; choose one of {', '.join(DIALECTS)}.")
    if isinstance(keep, str):
        raise InputError("keep is a list of column names, not one name: [name].")
    refuse_recipes(model, "SQL")
    lines = lines_of(model)
    way = DIALECTS[dialect]
    refuse_names(way, lines, [table] if schema is None else [schema, table], keep)
    return _Select(lines, way, table, schema, tuple(keep)).statement()


@dataclass(frozen=True, slots=True)
class _Select:
    """One SELECT in the making: cells x1, x2, ..., sums s1_1, ..., and what comes out."""

    lines: Lines
    way: Dialect
    table: str
    schema: str | None
    keep: tuple[str, ...]

    def statement(self) -> str:
        """Return the whole of it."""
        steps = [("cells", [*self._kept(), *self._cells()], self._source())]
        sums = self._sums()
        more = [(f"sums{k}", parts) for k, parts in enumerate(sums, 1)]
        lines = [f"s{len(sums)}_{i}" for i in range(1, len(self.lines.weights) + 1)]
        scores = lines
        if self.lines.pairs:
            more += [("votes", self._votes(lines)), ("joint", self._joint())]
            scores = [f"j{k}" for k in range(1, len(self.lines.classes) + 1)]
        for name, parts in more:
            steps.append((name, ["*", *parts], self._named(steps[-1][0])))
        # products read a cell many times, and votes a score: it is worked out once
        again = self.lines.encoding.monomials is not None or self.lines.pairs
        how = "MATERIALIZED " if again else ""
        with_ = ", ".join(
            f"{self._named(name)} AS {how}(\n{_select(parts, source)}\n)"
            for name, parts, source in steps
        )
        out = self._out(lines, scores[-1:] if self.lines.two else scores)
        note = f"/* {self.lines.note} */\n" if self.lines.note else ""
        return f"{note}WITH {with_}\n{_select(out, self._named(steps[-1][0]))}\n"

    def _source(self) -> str:
        path = [self.table] if self.schema is None else [self.schema, self.table]
        return f"{'.'.join(map(identifier, path))} AS {identifier('t')}"

    def _named(self, step: str) -> str:
        """Return a step's name, unlike that of the table: a step must not read itself."""
        return identifier(step if not self.table.lower().startswith(step[:4]) else f"of_{step}")

    def _kept(self) -> list[str]:
        return [f'{_of_row(name)} AS "k{j}"' for j, name in enumerate(self.keep, 1)]

    def _cells(self) -> list[str]:
        """Return the cells: numbers, and levels as text; with products, levels as 0 and 1."""
        encoding = self.lines.encoding
        made = []
        for column in encoding.columns:
            if isinstance(column, NumberEncoding):
                made.append(self._number(column))
            elif encoding.monomials is None:
                made.append(self._level(column))
            else:
                made += self._indicators(column)
        cells = [f'{cell} AS "x{j}"' for j, cell in enumerate(made, 1)]
        return cells + [f'{guard} AS "g{j}"' for j, guard in enumerate(self._guards(), 1)]

    def _guards(self) -> list[str]:
        """Return zeros, NULL where a column of one level, which makes no feature, holds another."""
        if self.lines.encoding.monomials is None:
            return []
        return [
            self._points(self._level(column), column.levels, [0.0])
            for column in self.lines.encoding.columns
            if isinstance(column, CategoryEncoding) and len(column.levels) == 1
        ]

    def _number(self, column: NumberEncoding) -> str:
        cell = _of_row(column.name)
        number = self.way.number.format(c=cell)
        if column.fill is None:
            return number
        absent = self._absent(cell, MISSING_TOKENS)
        return f"CASE WHEN {absent} THEN {self._double(column.fill)} ELSE {number} END"

    def _level(self, column: CategoryEncoding) -> str:
        cell = _of_row(column.name)
        written = self.way.text.format(c=cell)
        if column.fill is None:
            return written
        absent = self._absent(cell, missing_beside(column.levels))
        return f"CASE WHEN {absent} THEN {text(column.fill)} ELSE {written} END"

    def _indicators(self, column: CategoryEncoding) -> list[str]:
        level = self._level(column)
        known = ", ".join(map(text, column.levels))
        one, zero = self._double(1.0), self._double(0.0)
        return [
            f"CASE WHEN {level} = {text(name)} THEN {one} WHEN {level} IN ({known}) THEN {zero} END"
            for name in column.levels[1:]
        ]

    def _absent(self, cell: str, tokens: Sequence[str]) -> str:
        written = self.way.text.format(c=cell)
        return f"{cell} IS NULL OR {written} IN ({', '.join(map(text, tokens))})"

    def _sums(self) -> list[list[str]]:
        """Return for each part of the sum what it adds to every score: (parts, lines)."""
        lines = [self._terms(weights[1:]) for weights in self.lines.weights]
        before = [self._double(weights[0]) for weights in self.lines.weights]
        parts = []
        for k, start in enumerate(range(0, max(len(lines[0]), 1), TERMS_IN_A_SUM), 1):
            part = []
            for i, terms in enumerate(lines, 1):
                some = terms[start : start + TERMS_IN_A_SUM]
                part.append("\n    + ".join([before[i - 1], *some]) + f' AS "s{k}_{i}"')
                before[i - 1] = f'"s{k}_{i}"'
            parts.append(part)
        return parts

    def _terms(self, weights: Floats) -> list[str]:
        """Return what one line adds to w_0, in the order of the features; weights (d,)."""
        encoding = self.lines.encoding
        if encoding.monomials is not None:
            terms = encoding.monomials.terms
            products = [
                f"{_product(term)} * {self._double(w)}"
                for term, w in zip(terms, weights, strict=True)
            ]
            return products + [f'"g{j}"' for j in range(1, len(self._guards()) + 1)]
        made, w = [], iter(weights.tolist())
        for j, column in enumerate(encoding.columns, 1):
            if isinstance(column, NumberEncoding):
                made.append(f'"x{j}" * {self._double(next(w))}')
            else:
                points = [0.0, *(next(w) for _ in column.levels[1:])]
                made.append(self._points(f'"x{j}"', column.levels, points))
        return made

    def _points(self, cell: str, levels: Sequence[str], points: Sequence[float]) -> str:
        whens = " ".join(
            f"WHEN {text(level)} THEN {self._double(w)}"
            for level, w in zip(levels, points, strict=True)
        )
        return f"CASE {cell} {whens} END"

    def _says_yes(self, lines: Sequence[str], i: int) -> str:
        """Return the condition under which line i says yes; `lines` are the columns of scores."""
        least = self._double(self.lines.least_score) if self.lines.least_score else "0"
        return f"{identifier(lines[i])} {'>=' if self.lines.zero_is_yes[i] else '>'} {least}"

    def _votes(self, lines: Sequence[str]) -> list[str]:
        """Return for each label its votes and what its lines add up to; see `Lines.pairs`."""
        one, zero = self._double(1.0), self._double(0.0)
        made = []
        for k in range(len(self.lines.classes)):
            votes, total = [], [zero]
            for i, yes in self.lines.of_label(k):
                counts = (one, zero) if yes else (zero, one)
                says = self._says_yes(lines, i)
                votes.append(f"CASE WHEN {says} THEN {counts[0]} ELSE {counts[1]} END")
                total.append(f"{'+' if yes else '-'} {identifier(lines[i])}")
            made.append(f'{" + ".join(votes)} AS "v{k + 1}"')
            made.append(f'{" ".join(total)} AS "c{k + 1}"')
        return made

    def _joint(self) -> list[str]:
        """Return the score of each label from these."""
        one, three = self._double(1.0), self._double(3.0)
        return [
            f'"v{k}" + "c{k}" / ({three} * (abs("c{k}") + {one})) AS "j{k}"'
            for k in range(1, len(self.lines.classes) + 1)
        ]

    def _out(self, lines: Sequence[str], scores: Sequence[str]) -> list[str]:
        """Return the columns that come out: what is kept, the answer, the scores."""
        kept = [f'"k{j}" AS {identifier(name)}' for j, name in enumerate(self.keep, 1)]
        columns = [identifier(score) for score in scores]
        finite = " AND ".join(self.way.finite.format(v=column) for column in columns)
        names = [label_literal(label) for label in self.lines.classes.tolist()]
        if self.lines.two:
            choice = f"CASE WHEN {self._says_yes(lines, 0)} THEN {names[1]} ELSE {names[0]} END"
        else:
            choice = _greatest(columns, names)
        answer = f"CASE WHEN {finite} THEN {choice} END AS {identifier(ANSWER)}"
        shown = [
            f"CASE WHEN {finite} THEN {column} END AS {identifier(name)}"
            for column, name in zip(columns, self.lines.score_names, strict=True)
        ]
        return [*kept, answer, *shown]

    def _double(self, value: float) -> str:
        return self.way.double.format(v=decimal(value))


def label_literal(label: object) -> str:
    """Return a label as SQL: text quoted, numbers bare, truth values as such."""
    if isinstance(label, str):
        return text(label)
    if isinstance(label, bool):
        return str(label).upper()
    return decimal(label) if isinstance(label, float) else str(label)


def _of_row(name: str) -> str:
    """Return a column behind its table's name: alone, SQLite reads an unknown one as text."""
    return f'"t".{identifier(name)}'


def _greatest(scores: Sequence[str], labels: Sequence[str]) -> str:
    """Return the label of the greatest score, the first on a tie; no score is NULL."""
    whens = []
    for k, label in enumerate(labels[:-1]):
        beats = " AND ".join(f"{scores[k]} >= {other}" for other in scores[k + 1 :])
        whens.append(f"WHEN {beats} THEN {label}")
    return f"CASE {' '.join(whens)} ELSE {labels[-1]} END"


def _product(term: Term) -> str:
    """Return a product of cells, rounded as the features are: from the last factor to the first."""
    product = f'"x{term[-1] + 1}"'
    for j in reversed(term[:-1]):
        product = f'({product} * "x{j + 1}")'
    return product


def _select(parts: Sequence[str], source: str) -> str:
    return "SELECT\n  " + ",\n  ".join(parts) + f"\nFROM {source}"
