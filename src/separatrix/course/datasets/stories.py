"""The two examples of the course, on made people: who gets a credit card, and who graduates.

Columns are as a bank or a university would have them, mixed and in their own units. The target is a
line whose weights suit those units, and whose threshold lies half a unit beside every score that
can occur: no row is on the line, and no rounding decides an answer.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.course.datasets.points import (
    BLANKS,
    MISSING,
    POINTS,
    ROWS,
    flips,
    make_noisy,
    make_separable,
    number,
    stream,
    whole_number,
)
from separatrix.data import Floats, InputError, require_memory
from separatrix.notebook import places

Cell = int | float | str | None
MOST_ROWS_NAMED = 20


@dataclass(frozen=True, eq=False)
class MadeTable:
    """Columns as a file would have them, and the target on the features that `read_table` makes."""

    columns: dict[str, list[Cell]]  # numbers or text; None where a value is missing
    label: str  # name of the label column
    labels: list[str]
    intercept: float  # w_0 of the target: minus its threshold
    # "column" for numbers, "column=level" for categories, the first level in sorted order being the
    # baseline; 0 for features that the target does not use
    weights: dict[str, float]
    flipped: NDArray[np.bool_]  # (N,) which rows' labels are not the target's

    @property
    def target(self) -> str:
        """The target in words: "approved is yes if annual_salary - 2 current_debt > 100"."""
        terms = [(name, w) for name, w in self.weights.items() if w]
        total = " ".join(_term(name, w, first=k == 0) for k, (name, w) in enumerate(terms))
        return f"{self.label} is yes if {total} > {_plain(-self.intercept)}, else no"

    @property
    def about(self) -> str:
        """The target, what it does not use, and which labels were flipped: sentences."""
        sentences = [f"The known target: {self.target}."]
        unused = [name for name, w in self.weights.items() if not w]
        if unused:
            sentences.append(f"It does not look at {', '.join(unused)}.")
        if self.flipped.any():
            rows = (np.flatnonzero(self.flipped) + 1).tolist()
            named = places(rows, MOST_ROWS_NAMED)
            what = "label was" if len(rows) == 1 else "labels were"
            sentences.append(f"{len(rows):,} {what} turned round, in row {named}.")
        return " ".join(sentences)

    def to_csv(self) -> str:
        """Return the table as CSV text; numbers read back to the same doubles."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, self.label])
        writer.writerows(zip(*self.columns.values(), self.labels, strict=True))
        return text.getvalue()

    def to_parquet(self) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = io.BytesIO()
        pq.write_table(pa.table({**self.columns, self.label: self.labels}), file)
        return file.getvalue()


def points_table(
    X: Floats, y: NDArray[np.int64], target: Floats, flipped: NDArray[np.bool_] | None = None
) -> MadeTable:
    """Return points (N, d) with labels (N,) and their target (1+d,) as a table of x1, x2, ..."""
    names = [f"x{j}" for j in range(1, X.shape[1] + 1)]
    return MadeTable(
        columns={name: X[:, j].tolist() for j, name in enumerate(names)},
        label="label",
        labels=np.where(y > 0, "yes", "no").tolist(),
        intercept=float(target[0]),
        weights=dict(zip(names, target[1:].tolist(), strict=True)),
        flipped=np.zeros(len(y), dtype=bool) if flipped is None else flipped,
    )


def _term(name: str, weight: float, *, first: bool) -> str:
    """Return "+ 2 name"; categories as "+ 2 [column=level]"."""
    sign = ("-" if first else "- ") if weight < 0 else ("" if first else "+ ")
    factor = "" if abs(weight) == 1 else f"{_plain(abs(weight))} "
    return f"{sign}{factor}{f'[{name}]' if '=' in name else name}"


def _plain(number: float) -> str:
    """Return the shortest text that reads back to the same double, whole numbers without .0."""
    return repr(number + 0.0).removesuffix(".0")


FEWEST_ROWS = 10
Columns = dict[str, NDArray[Any]]  # numbers, or text


@dataclass(frozen=True, slots=True)
class Story:
    """How people are drawn, and the question about them."""

    draw: Callable[[np.random.Generator, int], Columns]
    label: str
    intercept: float
    weights: dict[str, float]

    def answers(self, columns: Columns) -> NDArray[np.bool_]:
        """Return which rows (n,) the target says yes to."""
        score = np.full(len(next(iter(columns.values()))), self.intercept)
        for feature, weight in self.weights.items():
            name, is_level, level = feature.partition("=")
            score += weight * ((columns[name] == level) if is_level else columns[name])
        yes: NDArray[np.bool_] = score > 0.0
        return yes


def make_credit(
    n: int = 500, seed: int = 0, *, flip: float = 0.0, missing: float = 0.0
) -> MadeTable:
    """Return n made applicants for a credit card, and whether the bank approves of them.

    The target uses everything but gender; all its scores are whole numbers.

    Parameters
    ----------
    n : int, from 10 up
    seed : int, from 0 up
    flip : float in [0, 1]
        Probability that an answer is flipped; with few rows, one label may be left.
    missing : float in [0, 1]
        Share of cells left empty; the first row of each level of a category stays whole, so that
        the features are the same.

    Raises
    ------
    InputError
        For invalid parameters.

    Examples
    --------
    >>> made = make_credit(100)
    >>> list(made.columns)[:3], made.label, sorted(set(made.labels))
    (['age', 'gender', 'annual_salary'], 'approved', ['no', 'yes'])
    """
    return _made(_CREDIT, n, seed, flip, missing)


def make_graduation(
    n: int = 500, seed: int = 0, *, flip: float = 0.0, missing: float = 0.0
) -> MadeTable:
    """Return n made students, and whether they graduate. Parameters as of `make_credit`.

    The target uses everything but the programme; no score is closer to 0 than about 0.25.

    Raises
    ------
    InputError
        For invalid parameters.

    Examples
    --------
    >>> make_graduation(100).target[:48]
    'graduates is yes if credits - 8 failed_courses +'
    """
    return _made(_GRADUATION, n, seed, flip, missing)


def _made(story: Story, n: int, seed: int, flip: float, missing: float) -> MadeTable:
    n = whole_number(ROWS, n, FEWEST_ROWS)
    missing = number(MISSING, missing, most=1)
    require_memory(1500 * n, f"Making {n:,} rows")
    draw, turned = stream(seed, POINTS), flips(n, flip, seed)
    yes = np.zeros(n, dtype=bool)
    while yes.all() or not yes.any():  # both answers occur
        columns = story.draw(draw, n)
        yes = story.answers(columns)
    blank = stream(seed, BLANKS).random((len(columns), n)) < missing
    for values in columns.values():
        if values.dtype.kind == "U":
            blank[:, np.unique(values, return_index=True)[1]] = False  # the first of each level
    made = {
        name: [None if lost else v for v, lost in zip(values.tolist(), gone, strict=True)]
        for (name, values), gone in zip(columns.items(), blank, strict=True)
    }
    return MadeTable(
        columns=made,
        label=story.label,
        labels=np.where(yes != turned, "yes", "no").tolist(),
        intercept=story.intercept,
        weights=dict(story.weights),
        flipped=turned,
    )


# ---------------------------------------------------------------------- people


def _applicants(draw: np.random.Generator, n: int) -> Columns:
    age = 18.0 + np.floor(58.0 * draw.random(n) ** 1.4)
    in_job = np.floor((age - 17.0) * draw.random(n) ** 2.0)
    in_residence = np.floor(np.minimum(age, 40.0) * draw.random(n) ** 2.0)
    salary = np.exp(10.4 + 0.45 * _bell(draw, n)) + 600.0 * np.minimum(in_job, 20.0)
    salary = 100.0 * np.floor(np.clip(salary, 12_000.0, 250_000.0) / 100.0)
    debt = np.maximum(draw.random(n) - 0.25, 0.0) ** 1.5 * salary
    return {
        "age": age.astype(np.int64),
        "gender": _levels(draw, n, ("female", "male"), (0.5, 0.5)),
        "annual_salary": salary.astype(np.int64),
        "years_in_residence": in_residence.astype(np.int64),
        "years_in_job": in_job.astype(np.int64),
        "current_debt": (100.0 * np.floor(debt / 100.0)).astype(np.int64),
        "home": _levels(draw, n, ("mortgage", "own", "parents", "rent"), (0.3, 0.2, 0.1, 0.4)),
    }


def _students(draw: np.random.Generator, n: int) -> Columns:
    ability = _bell(draw, n)
    gpa = np.rint(100.0 * np.clip(2.8 + 0.5 * ability, 1.0, 4.0)) / 100.0
    failed = np.floor(np.maximum(1.8 - 1.2 * ability + 1.3 * _bell(draw, n), 0.0))
    earned = 6.0 * np.floor(np.clip(24.0 + 4.0 * _bell(draw, n) + 2.0 * ability, 5.0, 40.0))
    attendance = np.rint(np.clip(78.0 + 6.0 * ability + 12.0 * _bell(draw, n), 20.0, 100.0))
    return {
        "credits": earned.astype(np.int64),
        "failed_courses": failed.astype(np.int64),
        "gpa": gpa,
        "attendance_percent": attendance.astype(np.int64),
        "job": _levels(draw, n, ("full-time", "no job", "part-time"), (0.15, 0.45, 0.4)),
        "programme": _levels(draw, n, ("arts", "engineering", "science"), (0.3, 0.4, 0.3)),
    }


def _bell(draw: np.random.Generator, n: int) -> Floats:
    """Return n numbers of mean 0 and variance 1, nearly normal: sums of twelve even ones."""
    return np.asarray(draw.random((12, n)).sum(axis=0) - 6.0)


def _levels(
    draw: np.random.Generator, n: int, levels: Sequence[str], shares: Sequence[float]
) -> NDArray[np.str_]:
    """Return n levels in about these shares; every level occurs."""
    codes = np.searchsorted(np.cumsum(shares)[:-1], draw.random(n), side="right")
    codes[: len(levels)] = np.arange(len(levels))
    mixed = np.argsort(draw.random(n), kind="stable")
    return np.array(levels)[codes[mixed]]


# every term is a multiple of 100, so no score is nearer to 0 than 50
_CREDIT = Story(
    _applicants,
    "approved",
    -43_050.0,
    {
        "age": 100.0,
        "gender=male": 0.0,
        "annual_salary": 1.0,
        "years_in_residence": 500.0,
        "years_in_job": 1_500.0,
        "current_debt": -2.0,
        "home=own": 8_000.0,
        "home=parents": -4_000.0,
        "home=rent": -6_000.0,
    },
)

# every term is a multiple of 0.5 but for the rounding of the mean grade
_GRADUATION = Story(
    _students,
    "graduates",
    -360.25,
    {
        "credits": 1.0,
        "failed_courses": -8.0,
        "gpa": 50.0,
        "attendance_percent": 1.0,
        "job=no job": 20.0,
        "job=part-time": 12.0,
        "programme=engineering": 0.0,
        "programme=science": 0.0,
    },
)


_MAKERS: dict[str, tuple[Callable[..., MadeTable], str]] = {  # and the options that each has
    "separable": (lambda **how: points_table(*make_separable(**how)), "rows columns margin seed"),
    "noisy": (lambda **how: points_table(*make_noisy(**how)), "rows columns margin seed flip"),
    "credit": (make_credit, "rows flip missing seed"),
    "graduation": (make_graduation, "rows flip missing seed"),
}


def made_by_name(name: str, options: Mapping[str, Any]) -> MadeTable:
    """Return what the maker called `name` makes with these options (without dashes)."""
    maker, known = _MAKERS[name]
    for option in options:
        if option not in known.split():
            have = ", ".join(f"--{o}" for o in known.split())
            raise InputError(f"`make {name}` has no --{option}; it has {have}.")
    called = {"rows": "n", "columns": "d"}
    return maker(**{called.get(option, option): value for option, value in options.items()})
