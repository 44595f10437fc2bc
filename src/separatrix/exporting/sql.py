"""A fitted line as a SELECT: the score and the answer of `predict` where the table lives.

Steps, each a part of one WITH: the cells as numbers (fills, levels, products), the scores of the
lines, the votes where they vote, the answer. All is summed in the order of `predict`, in doubles.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, SeparatrixWarning
from separatrix.exporting.cells import Cells, of_row
from separatrix.exporting.dialects import DIALECTS, TERMS_IN_A_SUM, Dialect, decimal, identifier
from separatrix.model import Lines, TableModel, lines_of, table_of
from separatrix.tables import CategoryEncoding, NumberEncoding
from separatrix.tables.monomials import Term
from separatrix.tables.recipes import COMMAS_IN_SQL, Levels, Recipe, has_decimal_commas, sources_of
from separatrix.tables.wording import shown

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
    each). Categories, products of columns, filled values and all readings of text (dates, amounts,
    levels folded or grouped) are part of it. A row that `predict`
    would refuse (a value missing that the model does not fill, a level never seen, a cell that is
    not a number, an infinite one) gets NULL for both, and so does one whose score leaves float64's
    range: `predict` alone finds the sign of that.

    Parameters
    ----------
    model : a fitted line, or scikit-learn's OneVsRestClassifier or OneVsOneClassifier of lines
        Learned from a table (``load(path)``), or from arrays; columns without names are x1, x2, ...
    table : str
        The table's name, exactly.
    dialect : "any", "sqlite", "duckdb", "postgresql" or "sqlserver"
        "any" runs in the first three; their own do more with numbers kept as text. That of SQL
        Server (2022) has not been run.
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
        When the model is not a line, when the database cannot have a name, and by "any" for
        numbers with a decimal comma.

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
    lines = lines_of(model)
    way = DIALECTS[dialect]
    known = table_of(model) or TableModel(lines.encoding, "", ())
    kept = [f'{of_row(name)} AS "k{j}"' for j, name in enumerate(keep, 1)]
    cells = Cells(way, known, kept)
    path = [table] if schema is None else [schema, table]
    refuse_names(cells, lines, path, keep)
    return _Select(lines, cells, table, schema, tuple(keep)).statement()


@dataclass(frozen=True, slots=True)
class _Select:
    """One SELECT in the making: cells x1, x2, ..., sums s1_1, ..., and what comes out."""

    lines: Lines
    cells: Cells
    table: str
    schema: str | None
    keep: tuple[str, ...]

    def statement(self) -> str:
        first, *further = self.cells.steps
        path = [self.table] if self.schema is None else [self.schema, self.table]
        source = f"{'.'.join(map(identifier, path))} AS {identifier('t')}"
        steps = [("cells", first, source)]
        sums = self._sums()
        more = [(f"cells{k}", parts) for k, parts in enumerate(further, 2)]
        more += [(f"sums{k}", parts) for k, parts in enumerate(sums, 1)]
        lines = [f"s{len(sums)}_{i}" for i in range(1, len(self.lines.weights) + 1)]
        scores = lines
        if self.lines.pairs:
            more += [("votes", self._votes(lines)), ("joint", self._joint())]
            scores = [f"j{k}" for k in range(1, len(self.lines.classes) + 1)]
        for name, parts in more:
            steps.append((name, ["*", *parts], self._named(steps[-1][0])))
        # products read a cell many times, votes a score, readings a text: it is worked out once
        again = self.lines.encoding.monomials is not None or self.lines.pairs or further
        how = self.cells.way.materialized if again else ""
        with_ = ", ".join(
            f"{self._named(name)} AS {how}(\n{_select(parts, source)}\n)"
            for name, parts, source in steps
        )
        out = self._out(lines, scores[-1:] if self.lines.two else scores)
        note = f"/* {self.lines.note} */\n" if self.lines.note else ""
        return f"{note}WITH {with_}\n{_select(out, self._named(steps[-1][0]))}\n"

    def _named(self, step: str) -> str:
        """Return a step's name, unlike that of the table: a step must not read itself."""
        return identifier(step if not self.table.lower().startswith(step[:4]) else f"of_{step}")

    def _sums(self) -> list[list[str]]:
        """Return for each part of the sum what it adds to every score: (parts, lines)."""
        lines = [self._terms(weights[1:]) for weights in self.lines.weights]
        before = [self.cells.double(weights[0]) for weights in self.lines.weights]
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
            pairs = zip(terms, map(self.cells.double, weights), strict=True)
            guards = [f'"g{j}"' for j in range(1, self.cells.n_guards + 1)]
            return [f"{_product(term)} * {w}" for term, w in pairs] + guards
        made, w = [], iter(weights.tolist())
        for j, column in enumerate(encoding.columns, 1):
            if isinstance(column, NumberEncoding):
                made.append(f'"x{j}" * {self.cells.double(next(w))}')
            else:
                points = [0.0, *(next(w) for _ in column.levels[1:])]
                made.append(self.cells.points(f'"x{j}"', column.levels, points))
        return made

    def _says_yes(self, lines: Sequence[str], i: int) -> str:
        """Return the condition under which line i says yes; `lines` are the columns of scores."""
        least = self.cells.double(self.lines.least_score) if self.lines.least_score else "0"
        return f"{identifier(lines[i])} {'>=' if self.lines.zero_is_yes[i] else '>'} {least}"

    def _votes(self, lines: Sequence[str]) -> list[str]:
        """Return for each label its votes and what its lines add up to; see `Lines.pairs`."""
        one, zero = self.cells.double(1.0), self.cells.double(0.0)
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
        one, three = self.cells.double(1.0), self.cells.double(3.0)
        return [
            f'"v{k}" + "c{k}" / ({three} * (abs("c{k}") + {one})) AS "j{k}"'
            for k in range(1, len(self.lines.classes) + 1)
        ]

    def _out(self, lines: Sequence[str], scores: Sequence[str]) -> list[str]:
        """Return the columns that come out: what is kept, the answer, the scores."""
        kept = [f'"k{j}" AS {identifier(name)}' for j, name in enumerate(self.keep, 1)]
        columns = [identifier(score) for score in scores]
        finite = " AND ".join(self.cells.way.finite.format(v=column) for column in columns)
        names = [label_literal(label, self.cells.way) for label in self.lines.classes.tolist()]
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


def label_literal(label: object, way: Dialect) -> str:
    """Return a label as SQL: text quoted, numbers bare, truth values as such."""
    if isinstance(label, str):
        return way.text_of(label)
    if isinstance(label, bool):
        return way.truth[label]
    return decimal(label) if isinstance(label, float) else str(label)


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


def refuse_names(cells: Cells, lines: Lines, path: Sequence[str], keep: Sequence[str]) -> None:
    """Raise `InputError` for what this database cannot read; warn of what it shortens."""
    way, recipes = cells.way, cells.table.recipes
    sources = sources_of([column.name for column in lines.encoding.columns], recipes)
    read = [*dict.fromkeys([*sources, *keep])]
    out = [*keep, "answer", *lines.score_names]
    for name in path:
        if not name:
            raise InputError("the table's name is empty: say which table holds the rows.")
    for name in [*path, *read, *out, *_texts(lines, recipes)]:
        if "\0" in name:
            raise InputError(f"{shown(name)} holds a NUL character, which no database can have.")
    numbers = any(isinstance(c, NumberEncoding) for c in lines.encoding.columns)
    if numbers and not way.is_text and has_decimal_commas(recipes, cells.table.decimal):
        raise InputError(COMMAS_IN_SQL)
    if "" in read and not way.empty_names:
        raise InputError(f"{way.name} has no columns with an empty name: rename it, learn again.")
    n_columns = len(keep) + len(lines.encoding.plain_names) + len(lines.weights) + cells.n
    n_columns += 3 * len(lines.classes) if lines.pairs else 0
    if n_columns > way.most_columns:
        raise InputError(
            f"this model needs {n_columns:,} columns in one SELECT, and {way.name} has at most "
            f"{way.most_columns:,}. Learn from fewer columns (--drop)."
        )
    _refuse_same(way, read, "are one name to it, and the model tells them apart")
    _refuse_same(way, out, "would both come out of the SELECT; keep the one under another name")
    names = [*path, *read, *out]
    long = [n for n in names if way.longest_name and len(n.encode()) > way.longest_name]
    if long:
        warnings.warn(
            f"{way.name} cuts names off behind {way.longest_name} bytes, here {len(long)} of them "
            f"(first {shown(long[0])}, {len(long[0].encode()):,} bytes): the SELECT finds the "
            "column if its table was made with the same long name.",
            SeparatrixWarning,
            stacklevel=4,
        )


def _texts(lines: Lines, recipes: Sequence[Recipe]) -> list[str]:
    categories = [c for c in lines.encoding.columns if isinstance(c, CategoryEncoding)]
    kept = [r.how.kept or () for r in recipes if isinstance(r.how, Levels)]
    return [*lines.labels, *(level for c in categories for level in c.levels), *chain(*kept)]


def _refuse_same(way: Dialect, names: Iterable[str], why: str) -> None:
    first: dict[str, str] = {}
    for name in names:
        key = way.fold(name)
        if key in first:
            raise InputError(
                f"{way.name}: the columns {shown(first[key])} and {shown(name)} {why}. Rename one."
            )
        first[key] = name
