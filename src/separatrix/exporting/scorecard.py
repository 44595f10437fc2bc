"""A line as a card of whole points, and exactly how many decisions the rounding changed.

Every number column gets a step in its own units, every level of a category its points; the scale
and the threshold are those with the fewest changed decisions on the given rows. Which decisions
change is decided in exact arithmetic, row by row.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, dense, to_points
from separatrix.exact.integers import exact_scores, nearest_double
from separatrix.exact.signed_block import exact_signs, homogeneous
from separatrix.kernels.error_bound import score_error
from separatrix.kernels.exact import signed_scores
from separatrix.model import STRONGEST_FIRST, Lines, lines_of, strengths, table_of
from separatrix.notebook import data_frame, places
from separatrix.tables import CategoryEncoding, NewRows, Table, read_rows, take
from separatrix.tables.files.source import read_source
from separatrix.tables.recipes import MISSING_LEVEL, Dates, Levels, Recipe
from separatrix.tables.wording import counted, shown

FORMAT = "separatrix scorecard"
VERSION = 1
MOST_POINTS = 10_000
MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the card."""

    column: str  # a column, or a product of columns ("a b", "a^2") of a model with --degree
    level: str | None  # the level that has these points; None for a number
    step: Fraction | None  # `step` units of the number score `points`, proportionally
    points: int


@dataclass(frozen=True, slots=True)
class Scorecard:
    """A line as a card of whole points: yes if and only if they add up to more than the threshold.

    Parameters
    ----------
    no, yes : str
        The labels.
    entries : tuple of Entry
        The strongest column first, as in reports.
    threshold : int
    n_rows : int
        Rows of the table it was made for.
    changed : tuple of int
        Where the rows stand whose decision is not the model's: all of them, decided exactly.
    line_word : "line" or "row"
    weights : tuple of Fraction (1+d,)
        The card as a line over the encoded features, exactly: minus the threshold first.
    taken_as : tuple of (column, value)
        What a missing value counts as, besides the points of "COLUMN (missing)" if there are any;
        columns that are not filled are left out.
    days_since : tuple of (column, date)
        The day 0 of columns of days, as 2025-08-31.
    blank_earns : tuple of (column, points, rows)
        "COLUMN (missing)" where leaving COLUMN blank adds points, and the rows that are so.
    """

    no: str
    yes: str
    entries: tuple[Entry, ...]
    threshold: int
    n_rows: int
    changed: tuple[int, ...]
    line_word: str
    weights: tuple[Fraction, ...]
    taken_as: tuple[tuple[str, float | str], ...] = ()
    days_since: tuple[tuple[str, str], ...] = ()
    blank_earns: tuple[tuple[str, int, tuple[int, ...]], ...] = ()

    def to_frame(self) -> Untyped:
        """Return the card as a data frame: column, level, units, points (for each of those)."""
        return data_frame({
            "column": [entry.column for entry in self.entries],
            "level": [entry.level for entry in self.entries],
            "units": [None if e.step is None else float(e.step) for e in self.entries],
            "points": [entry.points for entry in self.entries],
        })  # fmt: skip

    @property
    def n_changed(self) -> int:
        """How many decisions differ from the model's on the rows given."""
        return len(self.changed)

    def decide(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return for encoded rows X (N, d) whether the card says yes, exactly: (N,)."""
        return above(self.weights, dense(to_points(X), "the rows"))

    def to_text(self) -> str:
        """Return the card as people use it."""
        named = [
            (shown(e.column) if e.level is None else f"{shown(e.column)} = {shown(e.level)}", e)
            for e in self.entries
        ]
        wide = max([len(name) for name, _ in named], default=0)
        rows = [
            f"  {name:<{wide}}  {e.points:>{len(str(-MOST_POINTS))}}"
            + ("" if e.step is None else f"  for every {_plain(e.step)}")
            for name, e in named
        ]
        return "\n".join([
            f"Scorecard: {shown(self.yes)} if the points add up to more than {self.threshold}, "
            f"else {shown(self.no)}.",
            "",
            *rows,
            "",
            STRONGEST_FIRST,
            "Numbers count in proportion: half a step, half the points.",
            *(f"{shown(name)} counts the days since {day}." for name, day in self.days_since),
            *(
                f"{shown(name)} missing: taken as {shown(v) if isinstance(v, str) else _number(v)}"
                f"{self._beside(name)}."
                for name, v in self.taken_as
            ),
            *(
                f"Warning: a missing value adds {points} points ({shown(name)}), which rests on "
                f"{counted(len(rows), 'row')} of {self.n_rows:,} ({self._at(rows)})."
                for name, points, rows in self.blank_earns
            ),
            self._changes(),
            "",
        ])  # fmt: skip

    def _beside(self, name: str) -> str:
        """Return that a missing value has points of its own, too."""
        indicator = f"{name.removesuffix(' (days)')} {MISSING_LEVEL}"
        there = any(e.column == indicator for e in self.entries)
        return f", and {shown(indicator)} is 1 (otherwise 0)" if there else ""

    def _at(self, where: tuple[int, ...]) -> str:
        return f"{self.line_word} {places(where, MOST_SHOWN)}"

    def _changes(self) -> str:
        rows = counted(self.n_rows, "row")
        if not self.changed:
            return f"On {rows} every decision is the model's (counted exactly)."
        changed = f"{counted(self.n_changed, 'decision')} changed against the model"
        return f"On {rows} {changed} (counted exactly): {self._at(self.changed)}."

    def to_json(self) -> str:
        """Return the card as JSON; steps are text, because 0.1 is not a double."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "no": self.no,
            "yes": self.yes,
            "threshold": self.threshold,
            "points": [
                {"column": e.column, "level": e.level, "points": e.points}
                if e.step is None
                else {"column": e.column, "step": _plain(e.step), "points": e.points}
                for e in self.entries
            ],
            **({"missing_taken_as": dict(self.taken_as)} if self.taken_as else {}),
            **({"days_since": dict(self.days_since)} if self.days_since else {}),
            "rows": self.n_rows,
            "changed": self.n_changed,
            f"changed_{self.line_word}s": list(self.changed),
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def scorecard(model: Untyped, table: Untyped, points: int = 100) -> Scorecard:
    """Return the card of whole points that changes the fewest decisions of a line on these rows.

    Parameters
    ----------
    model : a fitted line with two labels
    table : Table, NewRows or array (N, d)
        From `read_table`, for a model of a table (rows that lack a value it does not fill are left
        out); for a model of arrays the features.
    points : int
        The most points that one step or level may have: all scales from 1 up to it are tried; of
        equals the smallest is taken.

    Returns
    -------
    Scorecard
        With `n_changed`, the exact number of changed decisions, and `changed`, where they stand.

    Raises
    ------
    InputError
        When the model is not a line of two labels, or the rows are not those of its columns.

    Examples
    --------
    >>> from separatrix import LinearRegressionClassifier
    >>> X = [[0.0, 1.0], [1.0, 5.0], [3.0, 2.0], [4.0, 4.0]]
    >>> card = scorecard(LinearRegressionClassifier().fit(X, [0, 0, 1, 1]), X)
    >>> card.n_changed, [entry.points for entry in card.entries]
    (0, [1, 0])
    """
    lines = lines_of(model)
    if not lines.two:
        raise InputError("a card is about one yes / no question; this model answers many labels.")
    if type(points) is not int or not 1 <= points <= MOST_POINTS:
        raise InputError(f"points={points!r} must be a whole number from 1 to {MOST_POINTS:,}.")
    X, where, word = _rows(lines, table)
    if len(X) == 0:
        raise InputError("there is no row to count changed decisions on.")
    scores = signed_scores(X, len(X), lines.weights[0], 1.0)
    says_yes = scores >= 0.0 if lines.zero_is_yes[0] else scores > lines.least_score
    steps = steps_of(lines, X)
    known = table_of(model)
    recipes = () if known is None else known.recipes
    used = {column.name for column in lines.encoding.columns}
    dates = [recipe for recipe in recipes if recipe.names[0] in used]
    line = lines.weights[0].copy()
    line[0] -= lines.least_score
    threshold, whole, wrong = fewest_changes(line, steps, X, says_yes, points)
    order = np.argsort(-strengths(lines.encoding, line[1:], X), kind="stable")
    made = _entries(lines, steps, whole)
    entries = tuple(entry for k in order.tolist() for entry in made[k])
    return Scorecard(
        no=lines.labels[0],
        yes=lines.labels[1],
        entries=entries,
        threshold=threshold,
        n_rows=len(X),
        changed=tuple(int(n) for n in where[wrong]),
        line_word=word,
        weights=weights_of(threshold, whole, steps),
        taken_as=_taken_as(lines, recipes),
        days_since=tuple((r.names[0], r.how.first) for r in dates if isinstance(r.how, Dates)),
        blank_earns=_blank_earns(lines, recipes, entries, X, where),
    )


def card_for_file(model: Untyped, path: str, points: int, **options: Untyped) -> Scorecard:
    """Return the card for the rows of a file; they need no labels."""
    table = table_of(model)
    if table is None:
        raise InputError(
            "this model was learned from arrays, not from a table: it knows no columns. Use "
            "separatrix.scorecard(model, X) in Python."
        )
    source = read_source(path)
    rows = read_rows(
        source, table.encoding, known_extra=table.extra, recipes=table.recipes, match_names=True,
        **table.read_as(options, source.data),
    )  # fmt: skip
    return scorecard(model, rows, points)


def _rows(lines: Lines, table: Untyped) -> tuple[Floats, Indices, str]:
    """Return the features (N, d) of rows, where they stand, and the word for that."""
    if not isinstance(table, Table | NewRows):
        X = np.ascontiguousarray(dense(to_points(table), "the rows"))
        if X.shape[1] != (d := len(lines.encoding.feature_names)):
            raise InputError(
                f"the rows have {X.shape[1]} columns and the model has {d} features. Give the "
                "table it knows: read_table(path, ...)."
            )
        return X, np.arange(1, len(X) + 1), "row"
    complete = lines.encoding.complete(table.columns)
    X = lines.encoding.encode(take(table.columns, complete), table.lines[complete], table.line_word)
    return dense(X, "a card"), table.lines[complete], table.line_word


# ---------------------------------------------------------------------- the card


def _entries(lines: Lines, steps: list[Fraction], whole: list[int]) -> list[list[Entry]]:
    if lines.encoding.monomials is not None:
        names = lines.encoding.feature_names
        return [[Entry(n, None, s, p)] for n, s, p in zip(names, steps, whole, strict=True)]
    made, rest = [], iter(zip(steps, whole, strict=True))
    for column in lines.encoding.columns:
        if isinstance(column, CategoryEncoding):
            others = [Entry(column.name, n, None, next(rest)[1]) for n in column.levels[1:]]
            made.append([Entry(column.name, column.levels[0], None, 0), *others])
        else:
            step, p = next(rest)
            made.append([Entry(column.name, None, step, p)])
    return made


def _blank_earns(
    lines: Lines, recipes: Sequence[Recipe], entries: Sequence[Entry], X: Floats, where: Indices
) -> tuple[tuple[str, int, tuple[int, ...]], ...]:
    """Return the indicators of missing numbers with positive points, and where they are 1."""
    names = list(lines.encoding.feature_names)
    indicators = {r.names[-1] for r in recipes if r.indicator}
    return tuple(
        (e.column, e.points, tuple(int(n) for n in where[X[:, names.index(e.column)] != 0.0]))
        for e in entries
        if e.column in indicators and e.points > 0
    )


def _taken_as(lines: Lines, recipes: Sequence[Recipe]) -> tuple[tuple[str, float | str], ...]:
    """Return what a missing value of each column that is filled counts as."""
    never = {r.names[-1] for r in recipes if r.indicator}
    never |= {r.column for r in recipes if isinstance(r.how, Levels) and r.how.missing}
    return tuple(
        (column.name, column.fill)
        for column in lines.encoding.columns
        if column.fill is not None and column.name not in never
    )


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 10**16 else repr(value)


def _plain(step: Fraction) -> str:
    """Return a step as decimal text: it is 1, 2 or 5 times a power of ten."""
    return str(step.numerator) if 1 <= step < 10**16 else f"{float(step):g}"


STEPS_IN_A_RANGE = 10

Indices = NDArray[np.int64]


def steps_of(lines: Lines, X: Floats) -> list[Fraction]:
    """Return a step for every feature (d,): a tenth of its range, brought down to 1, 2 or 5."""
    levels = [False] * X.shape[1]
    if lines.encoding.monomials is None:
        columns = lines.encoding.columns
        levels = [isinstance(c, CategoryEncoding) for c in columns for _ in c.feature_names]
    pairs = zip(levels, X.T, strict=True)
    return [Fraction(1) if is_level else _nice_step(x) for is_level, x in pairs]


def _nice_step(values: Floats) -> Fraction:
    size = float(values.max() / STEPS_IN_A_RANGE - values.min() / STEPS_IN_A_RANGE)
    size = size if size > 0.0 else abs(float(values[0])) / STEPS_IN_A_RANGE  # a constant column
    if not size > 0.0:
        return Fraction(1)
    exponent = math.floor(math.log10(size))
    leading = max((k for k in (1, 2, 5) if k * Fraction(10) ** exponent <= size), default=1)
    step = leading * Fraction(10) ** exponent
    whole = bool((values == np.floor(values)).all())
    return max(step, Fraction(1)) if whole else step  # a tenth of a child means nothing


def fewest_changes(
    weights: Floats, steps: list[Fraction], X: Floats, says_yes: NDArray[np.bool_], most: int
) -> tuple[int, list[int], Indices]:
    """Return threshold, points (d,) and changed rows of the scale with the fewest changes."""
    exact = [Fraction(w) * step for w, step in zip(weights[1:].tolist(), steps, strict=True)]
    top = max(map(abs, exact), default=Fraction(0)) or Fraction(1)
    shares = [value / top for value in exact]
    level = -Fraction(float(weights[0])) / top
    best: tuple[int, list[int], Indices] | None = None
    tried = set()
    for size in range(1, most + 1):
        whole = [round(size * share) for share in shares]
        if tuple(whole) in tried:
            continue
        tried.add(tuple(whole))
        reached = _reached(whole, steps, X)
        candidates = np.unique(np.append(reached, reached.min() - 1.0))
        yes, no = np.sort(reached[says_yes]), np.sort(reached[~says_yes])
        lost = np.searchsorted(yes, candidates, side="right")
        gained = no.size - np.searchsorted(no, candidates, side="right")
        distance = np.abs(candidates - nearest_double(size * level))
        threshold = int(candidates[np.lexsort((candidates, distance, lost + gained))[0]])
        changed = np.flatnonzero(above(weights_of(threshold, whole, steps), X) != says_yes)
        if best is None or len(changed) < len(best[2]):
            best = threshold, whole, changed
        if len(changed) == 0:
            break
    assert best is not None  # noqa: S101  # size 1 was tried
    return best


def _reached(whole: list[int], steps: list[Fraction], X: Floats) -> Floats:
    """Return for each row its points rounded up to a whole number: (N,)."""
    each = weights_of(0, whole, steps)[1:]
    floats = np.array([nearest_double(w) for w in each])
    with np.errstate(over="ignore", invalid="ignore"):
        totals = X @ floats
        slack = score_error(len(each), np.abs(X) @ np.abs(floats))
    if not np.isfinite(slack).all():
        raise InputError("the values are too large to be counted in whole points: rescale them.")
    reached: Floats = np.ceil(totals)
    close = np.flatnonzero(~(np.abs(totals - np.rint(totals)) > slack))
    reached[close] = [math.ceil(total) for total in exact_scores(X[close], each)]
    return reached


def weights_of(threshold: int, whole: list[int], steps: list[Fraction]) -> tuple[Fraction, ...]:
    """Return a card as a line (1+d,), exactly: minus the threshold first."""
    each = (p / step for p, step in zip(whole, steps, strict=True))
    return (Fraction(-threshold), *each)


def above(weights: tuple[Fraction, ...], X: Floats) -> NDArray[np.bool_]:
    """Return whether each row's points exceed the threshold, exactly: (N,)."""
    return exact_signs(homogeneous(X, 1.0), weights) > 0
