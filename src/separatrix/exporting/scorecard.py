"""A line as a card of whole points, and exactly how many decisions the rounding changed.

Every number column gets a step in its own units, every level of a category its points; the scale
and the threshold are those with the fewest changed decisions on the given rows. Which decisions
change is decided in exact arithmetic, row by row.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates.exact import UNIT_ROUNDOFF, exact_scores
from separatrix.certificates.lines import exact_signs
from separatrix.data import Floats, InputError, dense, to_points
from separatrix.kernels.exact import signed_scores
from separatrix.model import Lines, lines_of
from separatrix.tables import CategoryEncoding, Rows, Table, read_rows, take
from separatrix.tables.wording import counted, shown

FORMAT = "separatrix scorecard"
VERSION = 1
MOST_POINTS = 10_000
MOST_SHOWN = 12
STEPS_IN_A_RANGE = 10

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the card.

    Parameters
    ----------
    column : str
        A column, or a product of columns ("a b", "a^2") of a model with --degree.
    level : str or None
        The level that has these points; None for a number.
    step : Fraction or None
        So many units of a number have these points, half of them half of these; None for a level.
    points : int
    """

    column: str
    level: str | None
    step: Fraction | None
    points: int


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Whole points that stand for a line: yes iff they add up to more than the threshold.

    Parameters
    ----------
    no, yes : str
        The labels.
    entries : tuple of Entry
        In the order of the columns.
    threshold : int
    n_rows : int
        Rows of the table it was made for.
    changed : tuple of int
        Where the rows stand whose decision is not the model's: all of them, decided exactly.
    line_word : "line" or "row"
    weights : tuple of Fraction (1+d,)
        The card as a line over the encoded features, exactly: minus the threshold first.
    """

    no: str
    yes: str
    entries: tuple[Entry, ...]
    threshold: int
    n_rows: int
    changed: tuple[int, ...]
    line_word: str
    weights: tuple[Fraction, ...]

    @property
    def n_changed(self) -> int:
        """How many decisions differ from the model's on the rows given."""
        return len(self.changed)

    def decide(self, X: Any) -> NDArray[np.bool_]:  # noqa: ANN401  # any array
        """Return for encoded rows X (N, d) whether the card says yes, exactly: (N,)."""
        return _above(self.weights, dense(to_points(X), "the rows"))

    def to_text(self) -> str:
        """Return the card as people use it."""
        named = [
            (shown(e.column) if e.level is None else f"{shown(e.column)} = {shown(e.level)}", e)
            for e in self.entries
        ]
        wide = max([len(name) for name, _ in named], default=0)
        rows = [
            f"  {name:<{wide}}  {e.points:>{len(str(-MOST_POINTS))}}{_for_every(e)}"
            for name, e in named
        ]
        return "\n".join([
            f"Scorecard: {shown(self.yes)} if the points add up to more than {self.threshold}, "
            f"else {shown(self.no)}.",
            "",
            *rows,
            "",
            "Numbers count in proportion: half a step, half the points.",
            f"{self._changes()}",
            "",
        ])  # fmt: skip

    def _changes(self) -> str:
        rows = counted(self.n_rows, "row")
        if not self.changed:
            return f"On {rows} every decision is the model's (counted exactly)."
        some = ", ".join(map(str, self.changed[:MOST_SHOWN]))
        more = f" and {self.n_changed - MOST_SHOWN:,} more" if self.n_changed > MOST_SHOWN else ""
        return (
            f"On {rows} {counted(self.n_changed, 'decision')} changed against the model (counted "
            f"exactly): {self.line_word} {some}{more}."
        )

    def to_json(self) -> str:
        """Return the card as JSON; steps are text, because 0.1 is no double."""
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
            "rows": self.n_rows,
            "changed": self.n_changed,
            f"changed_{self.line_word}s": list(self.changed),
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def scorecard(model: Any, table: Any, points: int = 100) -> Scorecard:  # noqa: ANN401  # any learner of ours, any rows
    """Return the card of whole points that changes the fewest decisions of a line on these rows.

    Parameters
    ----------
    model : a fitted line with two labels
    table : Table, Rows or array (N, d)
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
        When the model is no line of two labels, or the rows are not those of its columns.

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
    says_yes = signed_scores(X, len(X), lines.weights[0], 1.0) > 0.0
    steps = _steps(lines, X)
    threshold, whole, wrong = _fewest_changes(lines.weights[0], steps, X, says_yes, points)
    return Scorecard(
        no=lines.labels[0],
        yes=lines.labels[1],
        entries=tuple(_entries(lines, steps, whole)),
        threshold=threshold,
        n_rows=len(X),
        changed=tuple(int(n) for n in where[wrong]),
        line_word=word,
        weights=_weights(threshold, whole, steps),
    )


def card_for_file(
    model: Any,  # noqa: ANN401
    path: str,
    points: int,
    **options: Any,  # noqa: ANN401  # those of read_rows
) -> Scorecard:
    """Return the card for the rows of a file; they need no labels."""
    table = getattr(model, "table_", None)
    if table is None:
        raise InputError(
            "this model was learned from arrays, not from a table: it knows no columns. Use "
            "separatrix.scorecard(model, X) in Python."
        )
    rows = read_rows(path, table.encoding, known_extra=table.extra, match_names=True, **options)
    return scorecard(model, rows, points)


def _rows(lines: Lines, table: Any) -> tuple[Floats, Indices, str]:  # noqa: ANN401
    """Return the features (N, d) of rows, where they stand, and the word for that."""
    if not isinstance(table, Table | Rows):
        X = np.ascontiguousarray(dense(to_points(table), "the rows"))
        if X.shape[1] != len(lines.encoding.feature_names):
            raise InputError(
                f"the rows have {X.shape[1]} columns and the model has "
                f"{len(lines.encoding.feature_names)} features. Give the table it knows: "
                "read_table(path, ...)."
            )
        return X, np.arange(1, len(X) + 1), "row"
    complete = lines.encoding.complete(table.columns)
    X = lines.encoding.encode(take(table.columns, complete), table.lines[complete], table.line_word)
    return X, table.lines[complete], table.line_word


# ---------------------------------------------------------------------- steps and scales


def _steps(lines: Lines, X: Floats) -> list[Fraction]:
    """Return a step for every feature (d,): a tenth of its range, brought down to 1, 2 or 5.

    Times a power of ten; of whole numbers never less than 1, of a level's 0 and 1 just that.
    """
    levels = set()
    if lines.encoding.monomials is None:
        ends = np.cumsum([0, *(len(c.feature_names) for c in lines.encoding.columns)])
        for start, column in zip(ends, lines.encoding.columns, strict=False):
            if isinstance(column, CategoryEncoding):
                levels |= set(range(start, start + len(column.feature_names)))
    return [Fraction(1) if j in levels else _nice_step(X[:, j]) for j in range(X.shape[1])]


def _nice_step(values: Floats) -> Fraction:
    size = float(values.max() / STEPS_IN_A_RANGE - values.min() / STEPS_IN_A_RANGE)
    if not size > 0.0:  # a constant column
        size = abs(float(values[0])) / STEPS_IN_A_RANGE
    if not size > 0.0:
        return Fraction(1)
    exponent = math.floor(math.log10(size))
    leading = max((k for k in (1, 2, 5) if k * Fraction(10) ** exponent <= size), default=1)
    step = leading * Fraction(10) ** exponent
    whole = bool((values == np.floor(values)).all())
    return max(step, Fraction(1)) if whole else step  # nobody has a tenth of a child


def _fewest_changes(
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
        threshold = _best_threshold(
            _reached(whole, steps, X), says_yes, _nearest_double(size * level)
        )
        changed = np.flatnonzero(_above(_weights(threshold, whole, steps), X) != says_yes)
        if best is None or len(changed) < len(best[2]):
            best = threshold, whole, changed
        if len(changed) == 0:
            break
    assert best is not None  # noqa: S101  # size 1 was tried
    return best


def _nearest_double(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _reached(whole: list[int], steps: list[Fraction], X: Floats) -> Floats:
    """Return for each row the least whole number that is not below its points: (N,).

    From that threshold on the row is a no. Points within their rounding error of a whole number are
    added up exactly.
    """
    each = _weights(0, whole, steps)[1:]
    floats = np.array([_nearest_double(w) for w in each])
    with np.errstate(over="ignore", invalid="ignore"):
        totals = X @ floats
        slack = (len(each) + 10) * 4 * UNIT_ROUNDOFF * (np.abs(X) @ np.abs(floats)) + 1e-290
    if not np.isfinite(slack).all():
        raise InputError("the values are too large to be counted in whole points: rescale them.")
    reached: Floats = np.ceil(totals)
    close = np.flatnonzero(~(np.abs(totals - np.rint(totals)) > slack))
    reached[close] = [math.ceil(total) for total in exact_scores(X[close], each)]
    return reached


def _best_threshold(reached: Floats, says_yes: NDArray[np.bool_], wished: float) -> int:
    """Return the whole threshold with the fewest changes; of equals the nearest to the wished."""
    candidates = np.unique(np.append(reached, reached.min() - 1.0))
    yes, no = np.sort(reached[says_yes]), np.sort(reached[~says_yes])
    lost = np.searchsorted(yes, candidates, side="right")
    gained = no.size - np.searchsorted(no, candidates, side="right")
    distance = np.abs(candidates - wished)
    return int(candidates[np.lexsort((candidates, distance, lost + gained))[0]])


def _weights(threshold: int, whole: list[int], steps: list[Fraction]) -> tuple[Fraction, ...]:
    each = (p / step for p, step in zip(whole, steps, strict=True))
    return (Fraction(-threshold), *each)


def _above(weights: tuple[Fraction, ...], X: Floats) -> NDArray[np.bool_]:
    """Return whether each row's points exceed the threshold, exactly: (N,)."""
    return exact_signs(np.hstack([np.ones((len(X), 1)), X]), weights) > 0


# ---------------------------------------------------------------------- the card


def _entries(lines: Lines, steps: list[Fraction], whole: list[int]) -> list[Entry]:
    if lines.encoding.monomials is not None:
        names = lines.encoding.feature_names
        return [Entry(n, None, s, p) for n, s, p in zip(names, steps, whole, strict=True)]
    made, rest = [], iter(zip(steps, whole, strict=True))
    for column in lines.encoding.columns:
        if isinstance(column, CategoryEncoding):
            made.append(Entry(column.name, column.levels[0], None, 0))
            made += [Entry(column.name, level, None, next(rest)[1]) for level in column.levels[1:]]
        else:
            step, p = next(rest)
            made.append(Entry(column.name, None, step, p))
    return made


def _for_every(entry: Entry) -> str:
    return "" if entry.step is None else f"  for every {_plain(entry.step)}"


def _plain(step: Fraction) -> str:
    """Return a step as decimal text: it is 1, 2 or 5 times a power of ten."""
    if step >= 1:
        return str(step.numerator) if step < 10**16 else f"{float(step):g}"
    return f"{float(step):g}"
