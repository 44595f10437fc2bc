"""Check a separatrix proof file against its table, trusting neither the file nor who made it.

    python verify.py PROOF TABLE [--time-limit SECONDS]

Needs Python 3.11+ and its standard library, nothing else: copy this one file to wherever you trust.
It reads the table again, as the proof says that it is to be read, and answers

- VERIFIED, followed by what was checked, in words made here from the numbers checked here: the
  words in the proof file are for people and prove nothing; that they are others is said;
- REFUTED, when the proof does not hold;
- CANNOT CHECK, when it is not such a proof, not about this table, or a limit was met.

The exit code is 0, 1, 3; 2 for wrong use.

The rows: z_n = y_n (1, x_n), y_n = +1 for yes and -1 for no; without an intercept y_n (0, x_n).
A double is a whole number times a power of two, so each column is a power of two times whole
numbers (`Table.scaled`), and all is decided on these: no rounding, no tolerance. Doubles are only
used where a claim is about doubles (PLA, standardised columns); logarithms are rounded outwards.

Contents
    The proof file          `read_proof`; `Part`, the one way in which its members are read
    The table               `records` of the file, `read_table` of rows
    Several questions       `questions`: what a rule asks about the classes of a table
    Exact arithmetic        `whole`, `Line`, `combination`, `rank_at_least`
    Claims on separation    lines, refusals, margins, coefficients that diverge
    Claims on runs of PLA   and its bound on updates
    Claims on optima        least squares and logistic regression, by duality
    Claims on mistakes      of a line; of all lines, by rows that contradict each other
    The fewest mistakes     of all lines, by boxes: read this last
    Answers                 `CHECKS`, all kinds of claims; `statements`, the words; the command line

`proof.schema.json` says what each claim holds.
"""

from __future__ import annotations

import base64
import codecs
import csv
import gc
import hashlib
import io
import json
import math
import re
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import chain
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

VERIFIED, REFUTED, USAGE, CANNOT_CHECK = 0, 1, 2, 3

FORMAT = "separatrix proof"
VERSION, SEVERAL = 1, 2  # of one yes / no question; of several
MOST_CLASSES = 100
LARGEST_PROOF = 2**28  # bytes
LARGEST_TABLE = 2**32
LONGEST_NUMBER = 2**16  # hexadecimal digits
# in these a text may look like another one to whoever opens the file
NO_PLAIN_TEXT = {"utf-7", "unicode-escape", "raw-unicode-escape", "idna", "punycode"}
LONGEST_FIELD = 131_072  # characters of one cell
MOST_FEATURES = 100_000

BLANKS = " \t\n\r\v\f"
# what may stand for a missing value or label: nothing else lets a proof leave rows out
MISSING = frozenset(("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "."))
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
HEXADECIMAL = re.compile(r"-?[0-9a-f]+(?:/[0-9a-f]+)?")

ONE = Fraction(1)
PRIME = 2**61 - 1

Json = Any
Row = Sequence[int]
Vector = Sequence[Fraction]


class Refuted(Exception):  # noqa: N818  # an answer, not an error
    """The proof does not hold."""


class CannotCheck(Exception):  # noqa: N818  # likewise
    """Nothing can be said, for this reason."""


# ---------------------------------------------------------------------- the proof file


def read_proof(data: bytes) -> Part:
    """Return the parsed file; `CannotCheck` for anything but one strict JSON object."""
    if len(data) > LARGEST_PROOF:
        raise CannotCheck(f"the proof has {len(data):,} bytes, more than {LARGEST_PROOF:,}")
    try:
        proof = json.loads(
            data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_finite,
            parse_float=_finite,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise CannotCheck(f"the proof is not the JSON it should be: {error}") from None
    if not isinstance(proof, dict) or proof.get("format") != FORMAT:
        raise CannotCheck(f'the proof does not say "format": "{FORMAT}"')
    if proof.get("version") not in (VERSION, SEVERAL) or isinstance(proof["version"], bool):
        raise CannotCheck(
            f"the proof's version is neither {VERSION} nor {SEVERAL}: use the verify.py it came "
            "with"
        )
    return Part(proof)


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no finite number")
    return value


def rational(value: Json) -> Fraction:
    """Return a number of the proof: a JSON number (a double, exactly), or "p/q" in hexadecimal."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str) and len(value) <= LONGEST_NUMBER and HEXADECIMAL.fullmatch(value):
        above, _, below = value.partition("/")
        if not below or int(below, 16):
            return Fraction(int(above, 16), int(below, 16) if below else 1)
    raise CannotCheck("a number in the proof is none")


class Part:
    """An object in the proof, whose members are read as what they must be, or not at all."""

    def __init__(self, data: Json, name: str = "") -> None:
        if not isinstance(data, dict):
            raise CannotCheck("a part of the proof is of the wrong kind")
        self.data, self.name = data, name

    def has(self, key: str) -> bool:
        """Return whether there is such a member."""
        return self.data.get(key) is not None

    def get(self, key: str, kind: type) -> Json:
        """Return a member of that kind."""
        value = self.data.get(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise CannotCheck(f"{key!r} in the proof is missing or of the wrong kind")
        return value

    def part(self, key: str) -> Part:
        """Return an object."""
        return Part(self.data.get(key))

    def parts(self, key: str) -> list[Part]:
        """Return a list of objects."""
        return [Part(data) for data in self.get(key, list)]

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.get(key, list)
        if not all(isinstance(value, str) for value in values):
            raise CannotCheck(f"{key!r} in the proof is no list of text")
        return tuple(values)

    def number(self, key: str) -> Fraction:
        """Return a number."""
        return rational(self.data.get(key))

    def numbers(self, key: str, size: int) -> list[Fraction]:
        """Return a list of `size` numbers."""
        return _numbers(self.data.get(key), key, size)

    def vectors(self, key: str, size: int) -> list[list[Fraction]]:
        """Return a list of lists of `size` numbers."""
        return [_numbers(values, key, size) for values in self.get(key, list)]

    def place(self, names: Sequence[str]) -> int:
        """Return "index", the place of a column of the file."""
        index: int = self.get("index", int)
        if not 0 <= index < len(names):
            raise CannotCheck("the proof names a column that the table lacks")
        return index

    def rows(self, key: str, table: Table) -> list[int]:
        """Return rows of the table, by their place."""
        rows: list[int] = self.get(key, list)
        if not all(type(n) is int and 0 <= n < table.n for n in rows):
            raise CannotCheck("the proof names a row that the table lacks")
        return rows

    def multipliers(self, table: Table) -> tuple[list[int], list[Fraction]]:
        """Return different rows, one at least, and their positive whole multipliers."""
        rows = self.rows("rows", table)
        multipliers = self.numbers("multipliers", len(rows))
        if not rows:
            raise CannotCheck("the proof lacks the rows that multipliers stand on")
        if len(set(rows)) != len(rows):
            raise CannotCheck("the multipliers stand on one row twice")
        if not all(a > 0 and a.denominator == 1 for a in multipliers):
            raise Refuted("a multiplier is not a positive whole number")
        return rows, multipliers

    def line(self, table: Table) -> Line:
        """Return the line of the claim."""
        if not any(weights := self.numbers("weights", table.width)):
            raise Refuted("all weights of the line are zero")
        return Line(table, weights)


def _numbers(values: Json, key: str, size: int) -> list[Fraction]:
    if not isinstance(values, list):
        raise CannotCheck(f"{key!r} in the proof is missing or of the wrong kind")
    if len(values) != size:
        raise CannotCheck(f"{key!r} has {len(values)} numbers where {size} belong")
    return [rational(value) for value in values]


# ---------------------------------------------------------------------- the table


@dataclass
class Table:
    """The rows that the claims are about.

    Parameters
    ----------
    points : (x_0, x_1, ..., x_d) of each row, x_0 = 1 with an intercept, else 0
    y : +1 or -1 of each; where several questions are asked, its class, from 1 on
    weights : of each
    lines : where each row starts in the file, from 1
    names : of the d + 1 columns, "intercept" first
    unused : names of the file's columns that are neither features nor the label nor the weight
    n_read : rows in the file
    """

    label: str
    intercept: bool
    names: list[str]
    unused: list[str]
    weighed_by: str = ""
    points: list[list[float]] = field(default_factory=list)
    y: list[int] = field(default_factory=list)
    weights: list[Fraction] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    n_read: int = 0
    n_filled: int = 0
    deadline: float = math.inf

    @property
    def n(self) -> int:
        """How many rows."""
        return len(self.y)

    @property
    def width(self) -> int:
        """How many weights a line has, d + 1."""
        return len(self.names)

    @property
    def indices(self) -> range:
        """Those of the weights that are not 0 for want of an intercept."""
        return range(0 if self.intercept else 1, self.width)

    @cached_property
    def scaled(self) -> tuple[list[Row], list[Fraction]]:
        """Whole rows and a unit for each column, a power of two, such that z_nj = row[j] unit[j].

        Each unit is the greatest that leaves the column whole.
        """
        columns, units = [], []
        for column in zip(*self.points, strict=True):
            self.look_at_the_clock()
            values, below = whole(column)
            common = math.gcd(*values)
            power = common & -common or 1
            columns.append([y * a // power for y, a in zip(self.y, values, strict=True)])
            units.append(Fraction(power, below))
        return list(zip(*columns, strict=True)), units

    def rows(self) -> Iterator[Row]:
        """Yield the whole rows, with a look at the clock now and then."""
        for n, z in enumerate(self.scaled[0]):
            if n % 1024 == 0:
                self.look_at_the_clock()
            yield z

    def look_at_the_clock(self) -> None:
        """Stop when the time is up."""
        if time.monotonic() > self.deadline:
            raise CannotCheck("the time limit was met")

    def where(self, rows: Sequence[int], most: int = 12) -> str:
        """Return "lines 3, 5 and 8", shortened."""
        lines = [str(self.lines[n]) for n in rows]
        if len(lines) == 1:
            return f"line {lines[0]}"
        if len(lines) > most:
            lines[most:] = [f"{len(lines) - most} more"]
        return f"lines {', '.join(lines[:-1])} and {lines[-1]}"


def records(data: bytes, dialect: Json) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which it starts, fields) of every record that is not blank."""
    how = Part(dialect)
    delimiter, quote = how.get("delimiter", str), how.get("quote", str)
    blanks = delimiter == "whitespace"
    odd = not blanks and (len(delimiter) != 1 or delimiter.isalnum() or delimiter in "+-.\r\n")
    if odd or quote.isalnum() or quote in ("+", "-", ".") or delimiter == quote:
        raise CannotCheck("the proof separates or quotes cells by what can be part of a number")
    try:
        encoding = codecs.lookup(how.get("encoding", str)).name
        if encoding in NO_PLAIN_TEXT:
            raise CannotCheck("the proof reads the table in an encoding of escapes")
        text = data.decode(encoding).removeprefix("\ufeff")
    except (LookupError, ValueError):
        raise CannotCheck("the table is not text in the encoding that the proof names") from None
    lines: Iterable[str] = io.StringIO(text, newline="")
    if blanks:
        lines = (f"{line.strip(BLANKS)}\n".replace("\t", " ") for line in lines)
    csv.field_size_limit(LONGEST_FIELD)
    try:
        reader = csv.reader(
            lines,
            delimiter=" " if blanks else delimiter,
            skipinitialspace=blanks,
            quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            strict=True,
        )
        start = 1
        for fields in reader:
            blank = not fields or (len(fields) == 1 and fields[0] and not fields[0].strip(BLANKS))
            if not blank:
                yield start, fields
            start = reader.line_num + 1
    except (csv.Error, TypeError, ValueError) as error:
        raise CannotCheck(f"the table cannot be read as the proof says: {error}") from None


class Column:
    """How one column of the file becomes features: numbers as they are, levels as 0 and 1."""

    def __init__(self, told: Part, names: Sequence[str], decimal: str) -> None:
        self.index, self.decimal = told.place(names), decimal
        self.name = names[self.index]
        self.levels = told.texts("levels") if told.has("levels") else None
        if self.levels is not None and not 0 < len(self.levels) == len(set(self.levels)):
            raise CannotCheck("the levels of a column are not some different texts")
        self.missing = frozenset(told.texts("missing"))
        if not self.missing <= MISSING:
            raise CannotCheck("the proof takes a value for a missing one")
        self.instead: list[float] | None = None  # of what is missing
        if told.has("fill"):
            fill = told.data["fill"]
            if not (type(fill) is float if self.levels is None else fill in self.levels):
                raise CannotCheck("a column is filled with something that it cannot hold")
            self.instead = [fill] if self.levels is None else self.read(fill, 0)

    def features(self) -> list[str]:
        """Return names of the features; the first level has none."""
        return [self.name] if self.levels is None else [f"{self.name}={v}" for v in self.levels[1:]]

    def read(self, cell: str, line: int) -> list[float]:
        """Return the features of a cell."""
        if self.levels is None:
            return [number(cell, self.decimal, line)]
        if cell not in self.levels:
            raise CannotCheck(f"line {line}: {self.name[:40]!r} has a level that the proof lacks")
        return [float(cell == level) for level in self.levels[1:]]


def number(cell: str, decimal: str, line: int) -> float:
    """Return the double nearest to what is written."""
    if decimal != ".":
        cell = cell.replace(".", "\0").replace(decimal, ".")
    if not NUMBER.fullmatch(cell):
        raise CannotCheck(f"line {line}: a cell is no number")
    value = float(cell)
    if not math.isfinite(value):
        raise CannotCheck(f"line {line}: a number is too large")
    return value


def read_table(data: bytes, proof: Json, deadline: float = math.inf) -> Table:
    """Return the rows of the table as the proof says they are to be read."""
    told = Part(proof).part("table")
    if hashlib.sha256(data).hexdigest() != told.get("sha256", str):
        raise CannotCheck("this is not the table of the proof: its SHA-256 is another one")
    dialect, label = told.part("dialect"), told.part("label")
    header, decimal = dialect.get("header", bool), dialect.get("decimal", str)
    found = records(data, dialect.data)
    first = next(found, (0, []))
    names = [
        cell if header and cell.strip(BLANKS) else f"column {k}"
        for k, cell in enumerate(first[1], 1)
    ]
    columns = [Column(part, names, decimal) for part in told.parts("columns")]
    features = ["intercept", *chain.from_iterable(column.features() for column in columns)]
    if not columns or len(features) - 1 > MOST_FEATURES:
        raise CannotCheck("the proof makes no features of the table, or too many")
    classes = classes_of(Part(proof))
    answer, signs = label.place(names), _signs(label, classes)
    weight = told.part("weight").place(names) if told.has("weight") else None
    used = {answer, weight, *(column.index for column in columns)}
    table = Table(
        names[answer], Part(proof).get("intercept", bool), features,
        [name for k, name in enumerate(names) if k not in used],
        "" if weight is None else names[weight], deadline=deadline,
    )  # fmt: skip
    for line, fields in found if header else chain([first], found):
        if len(fields) != len(names):
            raise CannotCheck(f"line {line} of the table has {len(fields)} fields")
        table.n_read += 1
        cells = _cells(columns, fields)
        if cells is None:
            continue
        sign = signs.get(fields[answer])
        share = 1.0
        if weight is not None and sign != 0:
            share = number(fields[weight].strip(BLANKS), decimal, line)
        if sign == 0 or share == 0.0:
            continue
        if sign is None or share < 0.0:
            raise CannotCheck(f"line {line}: an unknown label or a negative weight")
        # only now: rows that take no part may hold levels that no other row has
        values = chain.from_iterable(
            column.instead or () if cell is None else column.read(cell, line)
            for column, cell in zip(columns, cells, strict=True)
        )
        table.points.append([1.0 if table.intercept else 0.0, *values])
        table.y.append(sign)
        table.weights.append(ONE if weight is None else Fraction(share))
        table.lines.append(line)
        table.n_filled += None in cells
    return table if classes else _two_sided(table)


def _two_sided(table: Table) -> Table:
    """Return the table, if it has rows of both sides."""
    if {1, -1} - set(table.y):
        raise CannotCheck("the table has no yes rows, or no no rows, when read as the proof says")
    return table


def _signs(label: Part, classes: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return +1 for the labels that mean yes, -1 for no, 0 for those that say nothing.

    Of several classes the labels of the first mean 1, those of the second 2, and so on.
    """
    means = dict(enumerate(classes, 1)) or {1: label.texts("yes"), -1: label.texts("no")}
    means[0] = label.texts("unlabelled")
    signs = {text: sign for sign, texts in means.items() for text in texts}
    if len(signs) < sum(len(set(texts)) for texts in means.values()):
        raise CannotCheck("one label stands for two things")
    if not {text.strip(BLANKS) for text in means[0]} <= MISSING:
        raise CannotCheck("the proof takes a label for a missing one")
    return signs


def _cells(columns: Sequence[Column], fields: Sequence[str]) -> list[str | None] | None:
    """Return the cells of a row, None for one to be filled in; None when a gap stays."""
    cells: list[str | None] = []
    for column in columns:
        cell = fields[column.index].strip(BLANKS)
        missing = cell in column.missing
        if missing and column.instead is None:
            return None
        cells.append(None if missing else cell)
    return cells


# ---------------------------------------------------------------------- several questions


class Question(NamedTuple):
    """One yes / no question: the words that ask it, its rows, and what is claimed of them."""

    name: str
    words: list[str]
    table: Table
    claims: list[Json]


def classes_of(proof: Part) -> list[tuple[str, ...]]:
    """Return the labels of each class; none where the proof is about one question."""
    if proof.data.get("version") != SEVERAL:
        return []
    classes = [part.texts("texts") for part in proof.part("table").part("label").parts("classes")]
    if not 3 <= len(classes) <= MOST_CLASSES:
        raise CannotCheck(f"the proof is not about 3 to {MOST_CLASSES} classes")
    return classes


def asked_by(rule: str, k: int) -> list[tuple[list[int], int]]:
    """Return which questions a rule asks about k classes, in order: (no, yes)."""
    if rule == "ova":
        return [([no for no in range(k) if no != yes], yes) for yes in range(k)]
    if rule == "ovo":
        return [([no], yes) for no in range(k) for yes in range(no + 1, k)]
    raise CannotCheck("the proof names no rule by which several questions are asked")


def questions(proof: Part, table: Table) -> Iterator[Question]:
    """Yield the questions of the proof: those that its rule asks, each once, or the only one.

    What is asked follows from the classes alone, so that a proof can leave none out, and in a
    question no row but those of the classes that it is not about.
    """
    classes = classes_of(proof)
    if not classes:
        yield Question("", [], table, proof.get("claims", list))
        return
    rule, given = proof.get("multiclass", str), proof.parts("questions")
    asked = asked_by(rule, len(classes))
    if len(given) != len(asked):
        raise CannotCheck(f"the proof has {len(given)} questions where {len(asked)} belong")
    for number, (part, (no, yes)) in enumerate(zip(given, asked, strict=True), 1):
        name = f"question {number}"
        against = tuple(chain.from_iterable(classes[k] for k in no))
        if (part.texts("yes"), part.texts("no")) != (classes[yes], against):
            raise CannotCheck(f"{name} is not the one that belongs there")
        rest = "the rest" if rule == "ova" else _class(against)
        of_both = _two_sided(_asking(table, no, yes))
        words = _asks(_class(classes[yes]), rest, of_both, table.n - of_both.n)
        claims = part.get("claims", list)
        yield Question(name, [f"Question {number} of {len(asked)}: {words}"], of_both, claims)


def _asking(table: Table, no: Sequence[int], yes: int) -> Table:
    """Return the rows of some classes: +1 for that of yes, -1 for those of no."""
    table.look_at_the_clock()
    sign = {**{k + 1: -1 for k in no}, yes + 1: 1}
    rows = [n for n, k in enumerate(table.y) if k in sign]
    return replace(
        table, points=[table.points[n] for n in rows], y=[sign[table.y[n]] for n in rows],
        weights=[table.weights[n] for n in rows], lines=[table.lines[n] for n in rows],
    )  # fmt: skip


def _class(texts: Sequence[str]) -> str:
    """Return the name of a class: all of its labels, so that none is hidden among others."""
    return f"class {_quoted(texts, len(texts))}"


def _asks(label: str, rest: str, table: Table, n_left_out: int) -> str:
    n_yes = table.y.count(1)
    out = f"; {several(n_left_out, 'row')} left out, of neither class" if n_left_out else ""
    return f"{label} (yes, {n_yes:,} rows) against {rest} (no, {table.n - n_yes:,} rows){out}."


# ---------------------------------------------------------------------- exact arithmetic


def whole(values: Iterable[float | Fraction]) -> tuple[list[int], int]:
    """Return whole numbers and the least denominator > 0 such that values = numbers / it."""
    ratios = [value.as_integer_ratio() for value in values]
    denominators = {q for _, q in ratios}
    below = math.lcm(*denominators)
    times = {q: below // q for q in denominators}
    return [p * times[q] for p, q in ratios], below


def dot(v: Iterable[Fraction], w: Iterable[Fraction]) -> Fraction:
    """Return v.w."""
    return sum(map(mul, v, w), Fraction(0))


def total(values: Iterable[Fraction]) -> Fraction:
    """Return the sum; adding up numerators for each denominator first is what makes it quick."""
    above: Counter[int] = Counter()
    for value in values:
        above[value.denominator] += value.numerator
    return sum((Fraction(p, q) for q, p in above.items()), Fraction(0))


class Line:
    """A line w (1+d,); the agreement y_n w.x_n of row n with it is scores[n] / below."""

    def __init__(self, table: Table, weights: Vector) -> None:
        if not table.intercept and weights[0]:
            raise CannotCheck("the line has an intercept and the proof is about lines without")
        self.table, self.weights = table, weights
        self.whole, self.below = whole(map(mul, weights, table.scaled[1]))

    def score(self, n: int) -> int:
        """Return the agreement of row n times `below`."""
        return sum(map(mul, self.whole, self.table.scaled[0][n]))

    @cached_property
    def scores(self) -> list[int]:
        """The same of all rows."""
        return [sum(map(mul, self.whole, z)) for z in self.table.rows()]

    def agreement(self, n: int) -> Fraction:
        """Return the agreement of row n."""
        return Fraction(self.scores[n], self.below)

    def least(self) -> Fraction:
        """Return the least agreement."""
        return Fraction(min(self.scores), self.below)

    def mistakes(self) -> list[int]:
        """Return the rows that are not strictly on their own side."""
        return [n for n, a in enumerate(self.scores) if a <= 0]

    def squared_margin(self) -> Fraction:
        """Return (min z.w / |w|)^2 of a line that must separate the rows."""
        if wrong := self.mistakes():
            where = f"the row at {self.table.where(wrong[:1])} is not on its own side of it"
            raise Refuted(f"the line does not separate the rows: {where}")
        return self.least() ** 2 / dot(self.weights, self.weights)

    def must_have_no_row_on_its_wrong_side(self) -> None:
        """Refute the proof unless Z w >= 0."""
        for n, a in enumerate(self.scores):
            if a < 0:
                raise Refuted(f"the row at {self.table.where([n])} is on the wrong side of a line")


def largest_squared_length(table: Table) -> Fraction:
    """Return R^2 = max |(1, x_n)|^2."""
    squares, below = whole(unit * unit for unit in table.scaled[1])
    return Fraction(max(sum(map(mul, squares, map(mul, z, z))) for z in table.rows()), below)


def combination(table: Table, rows: Sequence[int], multipliers: Vector) -> list[Fraction]:
    """Return sum lambda_n z_n, numerators added up for each denominator first."""
    sums: dict[int, list[int]] = {}
    z = table.scaled[0]
    for k, (n, a) in enumerate(zip(rows, multipliers, strict=True)):
        p, q = a.numerator, a.denominator
        before = sums.get(q, [0] * table.width)
        sums[q] = [s + p * v for s, v in zip(before, z[n], strict=True)]
        if k % 1024 == 0:
            table.look_at_the_clock()
    columns = zip(*([Fraction(s, q) for s in part] for q, part in sums.items()), strict=True)
    return [unit * sum(c, Fraction(0)) for unit, c in zip(table.scaled[1], columns, strict=True)]


def rank_at_least(vectors: Iterable[Iterable[float | Fraction]]) -> int:
    """Return a number that the rank is not below: the rank modulo a prime.

    A minor of whole numbers that is not 0 modulo a prime is not 0.
    """
    left = [[a % PRIME for a in whole(vector)[0]] for vector in vectors]
    rank = 0
    for j in range(len(left[0]) if left else 0):
        pivot = next((i for i, row in enumerate(left) if row[j]), None)
        if pivot is None:
            continue
        base = left.pop(pivot)
        inverse = pow(base[j], -1, PRIME)
        for i, row in enumerate(left):
            if row[j]:
                factor = row[j] * inverse % PRIME
                left[i] = [(a - factor * b) % PRIME for a, b in zip(row, base, strict=True)]
        rank += 1
    return rank


# ---------------------------------------------------------------------- claims on separation


def check_separable(table: Table, claim: Part) -> list[str]:
    """Z w > 0; with it R^2, the squared margin of w, and PLA's mistake bound (Novikoff 1962)."""
    rho_squared = claim.line(table).squared_margin()
    radius_squared = largest_squared_length(table)
    return [
        f"The {table.n:,} rows are linearly separable: the line of {claim.name} has every one of "
        "them strictly on its own side.",
        f"Its squared margin is {short(rho_squared)} and the squared radius of the rows "
        f"{short(radius_squared)}, {in_space(table)}: PLA from zero makes at most "
        f"{several(math.floor(radius_squared / rho_squared), 'update')}.",
    ]


def refused(table: Table, claim: Part) -> list[int]:
    """Return the rows that a claim shows to contradict each other.

    Sum lambda z = 0 with lambda > 0: the agreements of any line with these rows, times lambda, add
    up to 0, so that they are not all positive (Gordan 1873), and all 0 if none is negative.
    """
    rows, multipliers = claim.multipliers(table)
    if any(combination(table, rows, multipliers)):
        raise Refuted("the multipliers do not cancel the rows")
    return rows


def check_refused(table: Table, claim: Part) -> list[str]:
    """Check that some rows contradict each other."""
    return [
        f"No line separates the {table.n:,} rows: those at {table.where(refused(table, claim))} "
        "contradict each other, since a positive combination of them, each signed by its answer, "
        "is zero."
    ]


def check_touching(table: Table, claim: Part) -> list[str]:
    """Check a refusal, and a w with Z w >= 0, Z w != 0 (Albert & Anderson 1984)."""
    line = claim.line(table)
    line.must_have_no_row_on_its_wrong_side()
    on_it = line.scores.count(0)
    if on_it == table.n:
        raise Refuted("every row is on the line")
    return [
        *check_refused(table, claim),
        f"The rows are quasi-completely separated: the line of {claim.name} has no row on its "
        f"wrong side, {table.n - on_it:,} on their own side and {on_it:,} on it. So logistic "
        "regression without a penalty has no finite optimum.",
    ]


def check_overlapping(table: Table, claim: Part) -> list[str]:
    """Check a refusal whose rows span all rows: then Z w >= 0 forces Z w = 0.

    It is 0 on the rows of the refusal, hence on all that they span.
    """
    refusal = check_refused(table, claim)
    silent = all_that_vanish(table, claim, "null_space", claim.rows("rows", table))
    rank = len(table.indices) - rank_at_least(silent)
    return [
        *refusal,
        "The rows overlap: every line that has no row on its wrong side has all of them on it "
        f"(rank {rank}). So logistic regression has a finite optimum: no coefficient diverges.",
    ]


def all_that_vanish(
    table: Table, claim: Part, key: str, rows: Sequence[int]
) -> list[list[Fraction]]:
    """Return vectors that span all w with z.w = 0 on some rows (null_space: on all rows).

    They vanish there, and their rank and that of the rows add up to the number of weights. With a
    null_space, which vanishes on all rows, these have no higher rank than the some, which span all.
    """
    vectors = claim.vectors(key, table.width)
    for vector in vectors:
        line = Line(table, vector)
        if any(line.scores if key == "null_space" else map(line.score, rows)):
            raise Refuted("a vector said to vanish on some rows does not")
    rank = rank_at_least(table.scaled[0][n] for n in rows)
    if rank + rank_at_least(vectors) < len(table.indices):
        raise Refuted("the vectors do not span all that vanish on some rows")
    return vectors


def check_margin(table: Table, claim: Part) -> list[str]:
    """Bound the largest margin from both sides."""
    below = claim.line(table).squared_margin()
    above = margin_at_most(table, *claim.multipliers(table))
    return [
        f"The largest margin of any line, squared, lies between {short(below)} and {short(above)}, "
        f"{in_space(table)}; the line of {claim.name} has the former."
    ]


def check_margin_at_most(table: Table, claim: Part) -> list[str]:
    """Bound every margin."""
    seen, how = as_seen(table, claim)
    return [_no_margin_above(seen, *claim.multipliers(seen)) + how]


def margin_at_most(table: Table, rows: Sequence[int], multipliers: Vector) -> Fraction:
    """Return the square of |sum lambda z| / sum lambda, for lambda > 0.

    For any w with |w| = 1, min z.w <= sum lambda z.w / sum lambda, which is no more than that.
    """
    pull = combination(table, rows, multipliers)
    return dot(pull, pull) / sum(multipliers) ** 2


def _no_margin_above(table: Table, rows: Sequence[int], multipliers: Vector) -> str:
    above = margin_at_most(table, rows, multipliers)
    return f"No line has a squared margin above {short(above)}, {in_space(table)}"


def as_seen(table: Table, claim: Part) -> tuple[Table, str]:
    """Return the rows as a learner saw them, (x 2^-e - mean) / spread in doubles, and the end."""
    if not claim.has("columns"):
        return table, "."
    told = claim.parts("columns")
    if len(told) != table.width - 1:
        raise CannotCheck("'columns' does not tell of every feature")
    try:
        scales = [
            (-c.get("exponent", int), float(c.number("mean")), float(c.number("spread")))
            for c in told
        ]
        pairs = ((x[0], zip(x[1:], scales, strict=True)) for x in table.points)
        points = [[x0, *((math.ldexp(v, e) - m) / s for v, (e, m, s) in x)] for x0, x in pairs]
    except (OverflowError, ZeroDivisionError):
        raise CannotCheck("a column cannot be standardised as the proof says") from None
    if not all(map(math.isfinite, chain.from_iterable(points))):
        raise CannotCheck("a column cannot be standardised as the proof says")
    how = f"; for columns standardised by the means and spreads of {claim.name}, in doubles."
    return replace(table, points=points), how


def check_diverging(table: Table, claim: Part) -> list[str]:
    """Say which coefficients diverge, and where to (Albert & Anderson 1984).

    Coefficient j diverges when w_j != 0 for some w with Z w >= 0, unless w_j != 0 for some w with
    Z w = 0 (then it is aliased). Rows that cancel are 0 on every such w: it lies in what is free.
    """
    silent = all_that_vanish(table, claim, "null_space", claim.rows("independent", table))
    if claim.get("rows", list):
        free = all_that_vanish(table, claim, "free", refused(table, claim))
    else:
        free = [[Fraction(i == j) for i in range(table.width)] for j in table.indices]
    lines = claim.vectors("lines", table.width)
    for weights in lines:
        Line(table, weights).must_have_no_row_on_its_wrong_side()
    shown = _directions(table, claim, free)
    aliased, finite, found = [], [], []
    for j in table.indices:
        name = table.names[j]
        ways = {w[j] > 0 for w in lines if w[j]}
        if any(v[j] for v in silent):
            aliased.append(name)
        elif len(ways) == 2:
            found.append(f"{_quoted([name])} (either way)")
        elif ways:
            way = "upwards" if ways == {True} else "downwards"
            found.append(f"{_quoted([name])} ({way if j in shown else 'direction not shown'})")
        elif any(v[j] for v in free):
            raise Refuted(f"it is open whether {_quoted([name])} diverges")
        else:
            finite.append(name)
    text = f"Coefficients that diverge in logistic regression without a penalty: {_some(found)}."
    if found and finite:
        text += f" The others do not: {_quoted(finite)}."
    if aliased:
        text += " Columns that are collinear, whose coefficients no score determines: "
        text += f"{_quoted(aliased)}."
    return [text]


def _directions(table: Table, claim: Part, free: Sequence[Vector]) -> set[int]:
    """Return the coefficients that have one sign on all w with Z w >= 0.

    Shown by lambda > 0 such that sum lambda z.w = times w_j, or -times w_j, for every free w.
    """
    shown = set()
    for told in claim.parts("directions"):
        j, way = told.get("index", int), told.get("direction", int)
        if j not in table.indices or way not in (1, -1):
            raise CannotCheck("the proof names a coefficient or a direction that there is none of")
        pull, (times,) = combination(table, *told.multipliers(table)), told.numbers("times", 1)
        if times <= 0:
            raise Refuted("a coefficient is bounded by a multiple of it that is not positive")
        if any(dot(pull, v) != way * times * v[j] for v in free):
            raise Refuted("the rows do not bound the coefficient that they are to bound")
        shown.add(j)
    return shown


# ---------------------------------------------------------------------- claims on runs of PLA


def check_pla(table: Table, claim: Part) -> list[str]:
    """Replay PLA: every update met a mistake; at the end a bound on T, or on every margin."""
    seen, how = as_seen(table, claim)
    visited = claim.rows("visited", table)
    try:
        first = list(map(float, claim.numbers("start", table.width)))
        start, v = ([Fraction(a) for a in w] for w in (first, _replayed(seen, first, visited)))
    except (OverflowError, ValueError):
        raise CannotCheck("the weights of PLA leave the range of doubles") from None
    since = f"the start of {claim.name}" if any(start) else "zero"
    text = f"PLA from {since} made {several(len(visited), 'update')}, each on a row that was a "
    wrong = len(Line(seen, v).mistakes()) if any(v) else table.n
    if not wrong:
        target = claim.numbers("target", table.width) if claim.has("target") else v
        bound = _updates_at_most(seen, Line(seen, target), start)
        return [f"{text}mistake then, and ended without any mistake. {bound}{how}"]
    text += f"mistake then, and was cut short with {several(wrong, 'mistake')} left."
    if not visited:
        return [text]
    counts = Counter(visited)
    above = _no_margin_above(seen, list(counts), list(map(Fraction, counts.values())))
    return [f"{text} {above}{how}"]


def _replayed(table: Table, v: list[float], visited: Sequence[int]) -> list[float]:
    """Return the weights at the end, in doubles as PLA has them."""
    rows, units = table.scaled
    scale = whole(units)[0]
    for t, n in enumerate(visited):
        # y v.x, times what makes it whole: exact, where PLA itself has a sum of doubles
        if sum(map(mul, map(mul, whole(v)[0], scale), rows[n])) > 0:
            raise Refuted(f"update {t + 1:,} of PLA was made on a row that was no mistake")
        v = [a + table.y[n] * x for a, x in zip(v, table.points[n], strict=True)]
        if t % 1024 == 0:
            table.look_at_the_clock()
    return v


def _updates_at_most(table: Table, line: Line, start: Vector) -> str:
    """Return PLA's mistake bound by a separating line w, from any start (SPEC section 2), in words.

    With w.v_T >= w.v_0 + T m, m = min z.w, and |v_T|^2 <= |v_0|^2 + T R^2, T is at most the larger
    root of (w.v_0 + T m)^2 = |w|^2 (|v_0|^2 + T R^2): rational but for one square root.
    """
    w, margin, R2 = line.weights, line.squared_margin(), largest_squared_length(table)
    w2, along = dot(w, w), dot(w, start)
    a, b = margin * w2, 2 * line.least() * along - w2 * R2  # a T^2 + b T + c <= 0
    c = along**2 - w2 * dot(start, start)
    bound = floor_of_root(-b, b * b - 4 * a * c, 2 * a)
    return (
        f"In exact arithmetic it makes at most {counted(bound)}: the squared margin of a line is "
        f"{short(margin)} and the squared radius of the rows {short(R2)}, {in_space(table)}"
    )


def floor_of_root(p: Fraction, square: Fraction, q: Fraction) -> int:
    """Return floor((p + sqrt(square)) / q), q > 0, exactly."""
    unit = math.lcm(p.denominator, square.denominator, q.denominator)
    # all whole once multiplied by it, and floor(r / whole) = floor(floor(r) / whole)
    return (int(p * unit) + math.isqrt(int(square * unit * unit))) // int(q * unit)


# ---------------------------------------------------------------------- claims on optima


def check_least_squares(table: Table, claim: Part) -> list[str]:
    """RSS(w) against the dual value 2 v.y - v.v of a v with A'v = 0, which no RSS is below."""
    line = Line(table, claim.numbers("weights", table.width))  # an optimum may be at w = 0
    told = list(zip(table.y, table.weights, claim.numbers("dual", table.n), strict=True))
    if any(combination(table, range(table.n), [y * m * v for y, m, v in told])):
        raise Refuted("the residuals in the proof are not orthogonal to the columns")
    # y - s is 1 - a, but for a sign that squaring takes away
    squares = (m * (line.below - a) ** 2 for m, a in zip(table.weights, line.scores, strict=True))
    primal = total(squares) / line.below**2
    gap = _gap(primal, total(m * v * (2 * y - v) for y, m, v in told))
    return [
        "No line has a sum of squared residuals (answers as -1 and +1) more than a relative "
        f"{short(gap)} below that of the line of {claim.name}, {short(primal)}."
    ]


def _gap(primal: Fraction, dual: Fraction) -> Fraction:
    if dual > primal:
        raise Refuted("a bound from below is above what the line attains")
    return (primal - dual) / primal if primal else Fraction(0)


DIGITS = 60
OUTWARD = Decimal(10) ** -35  # per term; far above the rounding of so many digits and terms


def check_logistic(table: Table, claim: Part) -> list[str]:
    """Sum m ln(1 + e^-a) (+ |c|^2 / (2 C)) against its dual, logarithms bounded outwards."""
    line, dual = Line(table, claim.numbers("weights", table.width)), claim.numbers("dual", table.n)
    C = claim.number("C") if claim.has("C") else None
    if C is not None and C <= 0:
        raise CannotCheck("C is not positive")
    if not all(0 <= a <= 1 for a in dual):
        raise Refuted("a dual share is not between 0 and 1")
    pulls = combination(table, range(table.n), list(map(mul, table.weights, dual)))
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        above = below = Decimal(0)
        for n, m in enumerate(map(_decimal, table.weights)):
            above += m * _error_above(_decimal(line.agreement(n)))
            below += m * _entropy_below(dual[n])
            if n % 256 == 0:
                table.look_at_the_clock()
        above, below = above * (1 + OUTWARD), below * (1 - OUTWARD)
        if C is not None:
            penalty, pulled = dot(line.weights[1:], line.weights[1:]), dot(pulls[1:], pulls[1:])
            above += _decimal(penalty / (2 * C)) * (1 + OUTWARD)
            below -= _decimal(pulled * C / 2) * (1 + OUTWARD)
    # the dual is about shares that pull no weight without a penalty: with one, w_0
    if any(pulls[: 1 if C is not None else None]):
        raise Refuted("the dual shares do not balance")
    gap = _gap(Fraction(above), Fraction(below))
    penalised = "" if C is None else f" plus |w|^2 / (2 C), C = {short(C)}, w_0 left out,"
    return [
        f"No line has a sum of cross-entropies (natural logarithms){penalised} more than a "
        f"relative {short(gap)} below that of the line of {claim.name}, which is at most "
        f"{short(Fraction(above))}."
    ]


def _decimal(value: Fraction) -> Decimal:
    """Return a decimal; of very long numbers the first 512 bits, which is far beyond DIGITS."""
    p, q = value.numerator, value.denominator
    above, below = (max(0, a.bit_length() - 512) for a in (p, q))
    return Decimal(p >> above) / Decimal(q >> below) * Decimal(2) ** (above - below)


def _error_above(a: Decimal) -> Decimal:
    """Return at least ln(1 + e^-a) = max(0, -a) + ln(1 + e^-|a|)."""
    tail = (-abs(a)).exp() if abs(a) < 1000 else Decimal(0)  # e^-1000 is below OUTWARD
    return max(Decimal(0), -a) + (1 + tail).ln() + OUTWARD * (1 + abs(a))


def _entropy_below(share: Fraction) -> Decimal:
    """Return at most -share ln share - (1 - share) ln (1 - share), and not below 0."""
    if not 0 < share < 1:
        return Decimal(0)
    p, q = _decimal(share), _decimal(1 - share)
    return max(Decimal(0), -(p * p.ln() + q * q.ln()) - OUTWARD)


# ---------------------------------------------------------------------- claims on mistakes


def check_mistakes(table: Table, claim: Part) -> list[str]:
    """Count the rows with z.w <= 0."""
    wrong = claim.line(table).mistakes()
    weight = total(table.weights[n] for n in wrong)
    more = "" if weight == len(wrong) else f", which weigh {short(weight)}"
    return [
        f"The line of {claim.name} makes {several(len(wrong), 'mistake')} on the {table.n:,} "
        f"rows{more} (rows on the line counted as wrong)."
    ]


def check_cores(table: Table, claim: Part) -> list[str]:
    """Refusals that share the weight of the rows: each core costs any line its share."""
    cores = claim.parts("cores")
    left = list(table.weights)
    bound = Fraction(0)
    for core in cores:
        share = core.number("share")
        if share <= 0:
            raise Refuted("a set of rows that contradict each other has no positive share")
        for n in refused(table, core):
            left[n] -= share
            if left[n] < 0:
                raise Refuted(f"the row at {table.where([n])} is used above its weight")
        bound += share
    least = f"mistakes that weigh {short(bound)}"
    if all(w == 1 for w in table.weights):
        least = several(math.ceil(bound), "mistake")
    return [
        f"Every line makes at least {least} (rows on the line counted), since "
        f"{several(len(cores), 'set')} of rows contradict each other."
    ]


def check_fewest(table: Table, claim: Part) -> list[str]:
    """Weigh the mistakes of a line, and show what those of every line weigh at least."""
    costs = {-1: claim.get("cost_wrong_yes", float), 1: claim.get("cost_wrong_no", float)}
    unit = claim.number("unit")
    if unit <= 0 or min(costs.values()) <= 0.0:
        raise CannotCheck("a unit or a cost is not positive")
    # in doubles, as weights and costs are
    weights = [Fraction(float(w) * costs[y]) for w, y in zip(table.weights, table.y, strict=True)]
    if not all(weights):
        raise CannotCheck("a weight times its cost is too small for a double")
    wrong = claim.line(table).mistakes()
    above = total(weights[n] for n in wrong)
    proof = unpacked(claim.get("proof", str))
    floors = [math.floor(w / unit) for w in weights]
    below = unit * mistakes_shown(whole_rows(table), floors, proof, table.look_at_the_clock)
    if below > above:
        raise Refuted("a bound from below is above what the line attains")
    line = f"the line of {claim.name}"
    if not wrong:
        return [f"{line.capitalize()} makes no mistake on the {table.n:,} rows."]
    told = "no line has less" if below == above else "the least of all lines is open between them"
    told += " (rows on a line count as wrong)"
    if all(w == 1 for w in weights):
        text = f"Every line makes at least {several(int(below), 'mistake')} on the {table.n:,} rows"
        found = [f"{text}, and {line} makes {int(above):,}: {told}."]
    else:
        text = f"The mistakes of every line weigh at least {short(below)}"
        found = [f"{text}, and those of {line} {short(above)}: {told}."]
    if set(costs.values()) != {1.0}:
        yes, no = (short(Fraction(costs[y])) for y in (-1, 1))
        found.append(
            f"There a wrong yes counts {yes}-fold, a wrong no {no}-fold, each product rounded to "
            "a double."
        )
    return found


# ---------------------------------------------------------------------- the fewest mistakes
#
# For every w != 0 the rows with z.w <= 0 weigh at least so much: shown in whole numbers by a proof
#
#     [columns, relations, lemmas]     or [] for the mistakes that are plain from merging rows
#
# columns     say all there is to say about the rows left after merging (`merged`), because
# relations   give for every other column j a vector b, b[j] != 0, zero in all other columns not
#             chosen, with z.b = 0 for each of the rows: its part of a score can be made up for
# lemmas      each about some of the rows and for all of their directions; the last about all rows:
#             [bound, parts, cores] is shown by `packed`, and by boxes (`Boxes`)
#             [rows, columns, relations, chart, bound, faces]
#
# rows        whose mistakes are counted, by their place; [] stands for all of them
# columns, relations     as above, for these rows, among the columns chosen above
# chart       r x r integers, not singular: w = chart v; every direction v meets the surface of the
#             cube max |v_j| = 1, whose 2 r faces are cut into boxes, products of intervals
# bound       what is shown
# faces       for each face (v_0 = 1, v_0 = -1, v_1 = 1, ...) the steps that close its boxes: that
#             show that the rows wrong at any one point of a box weigh as much as the bound

CUT, CLOSED, COVERED, PACKED, LEMMA, SPLIT = range(6)
REACH = 1 << 50  # the length that stands for 1 in positions of box ends
LARGEST_TREE = 2**26  # bytes, unpacked
MOST_OPEN = 2**24  # rows of boxes that wait

Lemma = tuple[set[int], int]  # rows, and the weight of the mistakes that all lines make there


class Box(NamedTuple):
    """A box: what is known of it without another look at all rows."""

    low: list[int]
    high: list[int]
    wrong: int  # weight of the rows that are wrong in all of it
    rows: list[tuple[int, int, int]]  # those wrong in a part of it: place, greatest, least score


def require(condition: bool) -> None:
    """Refute the proof unless the condition holds."""
    if not condition:
        raise Refuted("what is said to show that every line makes so many mistakes does not")


def whole_rows(table: Table) -> list[Row]:
    """Return z_n, each column times the least power of two that makes it whole."""
    return [z[table.indices.start :] for z in table.scaled[0]]


def mistakes_shown(
    rows: Sequence[Row],
    weights: Sequence[int],
    proof: Json,
    look_at_the_clock: Callable[[], None] = lambda: None,
) -> int:
    """Return a weight that the proof shows the mistakes of every w to have.

    Parameters
    ----------
    rows : N rows of integers, z_n with each column multiplied by a positive number
    weights : N integers >= 0
    proof : as above, in nested lists of integers

    Raises
    ------
    Refuted, CannotCheck
    """
    try:
        base, kept = merged(rows, weights)
        if not proof:
            return base
        columns, relations, parts = _integers(proof)
        short = reduced([z for z, _ in kept], columns, relations)
        kept = [(z, weight) for z, (_, weight) in zip(short, kept, strict=True)]
        lemmas: list[Lemma] = []
        for lemma in parts:
            look_at_the_clock()
            if len(lemma) == 3:
                bound, amounts, cores = lemma
                lemmas.append(packed(kept, bound, amounts, cores, look_at_the_clock))
            else:
                lemmas.append(Boxes(kept, lemma, lemmas).closed(look_at_the_clock))
        everything, bound = lemmas[-1]
        require(len(everything) == len(kept))
        return base + max(0, bound)
    except (LookupError, TypeError, ValueError, StopIteration, AttributeError, RecursionError):
        raise CannotCheck("the proof about the mistakes of every line has another form") from None


def unpacked(text: str) -> Json:
    """Return the JSON in a compressed member, which may not be a bomb."""
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(text, validate=True), LARGEST_TREE)
        if not stream.eof or stream.unused_data:
            raise CannotCheck(f"a compressed part is cut short, or over {LARGEST_TREE:,} bytes")
        return json.loads(data)
    except (ValueError, RecursionError, zlib.error) as error:
        raise CannotCheck(f"a compressed part is not what it should be: {error}") from None


def _integers(item: Json) -> Json:
    """Return nested lists of integers, those written in hexadecimal read."""
    if isinstance(item, list):
        return [_integers(a) for a in item]
    if type(item) is int:
        return item
    value = rational(item) if isinstance(item, str) else Fraction(1, 2)
    if value.denominator != 1:
        raise CannotCheck("the proof about the mistakes of every line holds what is no integer")
    return value.numerator


def merged(rows: Sequence[Row], weights: Sequence[int]) -> tuple[int, list[tuple[Row, int]]]:
    """Return the weight of the mistakes that all lines make, and the rows left with weights.

    A row of zeros is a mistake of every line; of rows z and -z one always is, so the lesser weight
    counts and the rest stays. Equal rows become one. In the order of their first appearance.
    """
    base = 0
    net: dict[tuple[int, ...], int] = {}  # the weight of z less that of -z
    for row, weight in zip(rows, weights, strict=True):
        first = next((a for a in row if a), 0)
        if first == 0:
            base += weight
        elif weight:
            sign = 1 if first > 0 else -1
            key = tuple(sign * a for a in row)
            before = net.get(key, 0)
            if before * sign < 0:
                base += min(abs(before), weight)
            net[key] = before + sign * weight
    return base, [([a if w > 0 else -a for a in z], abs(w)) for z, w in net.items() if w]


def reduced(rows: Sequence[Row], columns: Row, relations: Sequence[Row]) -> list[Row]:
    """Return the rows in the chosen columns, once the relations show that these suffice."""
    width = len(rows[0])
    require(len(set(columns)) == len(columns) and all(0 <= j < width for j in columns))
    others = [j for j in range(width) if j not in columns]
    require(len(relations) == len(others))
    for j, relation in zip(others, relations, strict=True):
        require(len(relation) == width and relation[j] != 0)
        require(all(relation[i] == 0 for i in others if i != j))
        require(not any(sum(map(mul, z, relation)) for z in rows))
    return [[z[j] for j in columns] for z in rows]


def packed(
    kept: Sequence[tuple[Row, int]],
    bound: int,
    parts: int,
    cores: Json,
    look_at_the_clock: Callable[[], None] = lambda: None,
) -> Lemma:
    """Return all rows and the bound that cores show which share no weight.

    A core is [amount, row, multiplier, row, multiplier, ...]: its combination vanishes, so that one
    of its rows is wrong for every w, and takes amount / parts from the weight of each of its rows.
    Cores are in a list, or in two by cases, [row, cores, cores]: for all w that are wrong on the
    row, whose weight counts and is used up, and for the others, to whom it gives as often as asked.
    """
    require(parts > 0)
    rows, whole = [z for z, _ in kept], [weight * parts for _, weight in kept]
    cases = [(cores, whole, 0)]
    while cases:
        look_at_the_clock()
        cores, left, shown = cases.pop()
        if cores and isinstance(cores[0], int):
            row, if_wrong, if_right = cores
            require(0 <= row < len(rows))
            before, after = left[:row], left[row + 1 :]
            cases.append((if_wrong, [*before, 0, *after], shown + left[row]))
            cases.append((if_right, [*before, sum(whole), *after], shown))
            continue
        left = left[:]
        for amount, *pairs in cores:
            look_at_the_clock()
            core = pairs[::2]
            require(amount >= 0 and not any(_pull(rows, core, pairs[1::2])))
            for i in core:
                left[i] -= amount
                require(left[i] >= 0)
            shown += amount
        require(shown > (bound - 1) * parts)
    return set(range(len(kept))), bound


def _pull(rows: Sequence[Row], core: Row, multipliers: Row) -> list[int]:
    """Return sum multiplier row: for no w is it below the score of each of these rows."""
    require(all(a >= 0 for a in multipliers) and any(multipliers))
    require(len(set(core)) == len(core) and all(0 <= i < len(rows) for i in core))
    pairs = list(zip(core, multipliers, strict=True))
    return [sum(a * rows[i][j] for i, a in pairs) for j in range(len(rows[0]))]


class Boxes:
    """A lemma shown by boxes: its rows in their chart, by row and by column, and their weights."""

    def __init__(
        self, kept: Sequence[tuple[Row, int]], parts: Sequence[Json], lemmas: Sequence[Lemma]
    ) -> None:
        rows, columns, relations, chart, self.bound, self.faces = parts
        self.lemmas = lemmas
        self.ids: Row = rows or list(range(len(kept)))
        require(len(set(self.ids)) == len(self.ids))
        require(all(0 <= i < len(kept) for i in self.ids))
        self.weight = [kept[i][1] for i in self.ids]
        short = reduced([kept[i][0] for i in self.ids], columns, relations)
        require(len(chart) == len(columns) and all(len(line) == len(chart) for line in chart))
        require(rank_at_least(chart) == len(chart) and len(self.faces) == 2 * len(chart))
        turned = list(zip(*chart, strict=True))
        charted = [[sum(map(mul, z, line)) for line in turned] for z in short]
        # rows of the same bit length, so that multipliers of cores are small
        bits = [max(map(abs, z)).bit_length() for z in charted]
        most = max(bits)
        self.rows = [[a << most - b for a in z] for z, b in zip(charted, bits, strict=True)]
        self.columns = list(zip(*self.rows, strict=True))

        reaches = [sum(map(abs, z)) * REACH for z in self.rows]
        size, spans = len(chart), [(i, s, -s) for i, s in enumerate(reaches)]
        self.cube = Box([-REACH] * size, [REACH] * size, 0, spans)

    def closed(self, look_at_the_clock: Callable[[], None]) -> Lemma:
        """Return what is shown once the steps close each face."""
        for number, steps in enumerate(self.faces):
            side = REACH if number % 2 == 0 else -REACH
            face = self._part(self.cube, number // 2, side, side)
            self._close(face, iter(steps), look_at_the_clock)
        return set(self.ids), self.bound

    def _close(
        self, face: Box, steps: Iterator[int], look_at_the_clock: Callable[[], None]
    ) -> None:
        """Do what the steps say, the last box first, until no box is open and no step is left."""
        stack = [] if face.wrong >= self.bound else [face]
        while stack:
            look_at_the_clock()
            if sum(len(box.rows) for box in stack) > MOST_OPEN:
                raise CannotCheck("too many boxes of lines wait to be looked at")
            box = stack.pop()
            what, j, cells = _step(steps)
            while what == CUT:
                box = self._cut(box, j, *divmod(cells, 64))
                what, j, cells = _step(steps)
            if what == SPLIT:
                stack += self._halves(box, j, cells)
            elif what == COVERED:
                middle = box.low[j] + cells * _cell(box, j)
                self._close_part(box, j, box.low[j], middle)
                self._close_part(box, j, middle, box.high[j])
            else:
                shown = box.wrong
                if what == PACKED:
                    shown = self._packed(box, steps)
                elif what == LEMMA:
                    shown = self._by_lemma(box, *self.lemmas[j])
                require(shown >= self.bound and what in (CLOSED, PACKED, LEMMA))
        require(next(steps, None) is None)

    def _part(self, box: Box, j: int, a: int, b: int) -> Box:
        """Return the part of the box where v_j is in [a, b]."""
        low, high, wrong, rows = box
        require(low[j] <= a <= b <= high[j])
        z, weight = self.columns[j], self.weight
        up, down = a - low[j], high[j] - b
        kept = []
        for i, most, least in rows:
            q = z[i]
            top, bottom = (
                (most - q * down, least + q * up) if q > 0 else (most + q * up, least - q * down)
            )
            if top <= 0:
                wrong += weight[i]
            elif bottom <= 0:
                kept.append((i, top, bottom))
        return Box([*low[:j], a, *low[j + 1 :]], [*high[:j], b, *high[j + 1 :]], wrong, kept)

    def _close_part(self, box: Box, j: int, a: int, b: int) -> None:
        """Require that the rows wrong in all of a part suffice."""
        require(self._part(box, j, a, b).wrong >= self.bound)

    def _cut(self, box: Box, j: int, at_low: int, at_high: int) -> Box:
        """Return the box without slabs of so many cells at its ends, which are closed."""
        low, high, cell = box.low[j], box.high[j], _cell(box, j)
        a, b = low + at_low * cell, high - at_high * cell
        if at_low:
            self._close_part(box, j, low, a)
        if at_high:
            self._close_part(box, j, b, high)
        return self._part(box, j, a, b)

    def _halves(self, box: Box, j: int, kept: int) -> list[Box]:
        """Return the halves that stay open, of the bits of `kept`; the others are closed."""
        low, high, cell = box.low[j], box.high[j], _cell(box, j)
        middle = low + cell * ((high - low) // cell // 2)
        halves = [self._part(box, j, low, middle), self._part(box, j, middle, high)]
        require(all(half.wrong >= self.bound or kept >> k & 1 for k, half in enumerate(halves)))
        return [half for k, half in enumerate(halves) if kept >> k & 1]

    def _packed(self, box: Box, steps: Iterator[int]) -> int:
        """Return what cores show: at any one point of the box a row of each is wrong.

        The greatest value of their combination is not positive. No weight is counted twice.
        """
        shown, spent = box.wrong, Counter[int]()
        while size := next(steps):
            require(size > 0)
            pairs = [(next(steps), next(steps)) for _ in range(size)]
            core = [i for i, _ in pairs]
            require(_greatest(_pull(self.rows, core, [a for _, a in pairs]), box) <= 0)
            least = min(self.weight[i] - spent[i] for i in core)
            shown += least
            spent.update(dict.fromkeys(core, least))
        # what was counted already, as wrong in all of the box, was counted whole
        return shown - sum(spent[i] for i in self._all_wrong(box, spent))

    def _by_lemma(self, box: Box, rows: set[int], bound: int) -> int:
        """Return what all directions, hence all points of the box, make on some rows, and more."""
        require(rows <= set(self.ids))
        counted = self._all_wrong(box, [i for i, name in enumerate(self.ids) if name in rows])
        return box.wrong - sum(self.weight[i] for i in counted) + bound

    def _all_wrong(self, box: Box, ids: Iterable[int]) -> list[int]:
        """Return those of some rows that are wrong in all of a box."""
        still_open = {i for i, _, _ in box.rows}
        return [i for i in ids if i not in still_open and _greatest(self.rows[i], box) <= 0]


def _greatest(z: Row, box: Box) -> int:
    """Return the greatest value of z.v in the box."""
    return sum([a * (b if a > 0 else c) for a, b, c in zip(z, box.high, box.low, strict=True)])


def _cell(box: Box, j: int) -> int:
    """Return the power of two that goes 32 to 63 times into a side."""
    side = box.high[j] - box.low[j]
    require(side >= 64)
    return 1 << side.bit_length() - 6


def _step(steps: Iterator[int]) -> tuple[int, int, int]:
    """Return what to do, with which axis or lemma, and with how many cells."""
    what, j, cells = next(steps), next(steps), next(steps)
    require(j >= 0)
    return what, j, cells


# ---------------------------------------------------------------------- answers

CHECKS: dict[str, Callable[[Table, Part], list[str]]] = {
    "separable": check_separable,
    "not separable": check_refused,
    "touching": check_touching,
    "overlapping": check_overlapping,
    "margin": check_margin,
    "margin at most": check_margin_at_most,
    "PLA": check_pla,
    "diverging": check_diverging,
    "mistakes": check_mistakes,
    "mistakes at least": check_cores,
    "fewest mistakes": check_fewest,
    "least squares": check_least_squares,
    "logistic": check_logistic,
}


def statements(proof_data: bytes, table_data: bytes, deadline: float = math.inf) -> list[str]:
    """Return what the proof proves about the table, in words made from what was checked.

    Raises
    ------
    Refuted, CannotCheck
    """
    proof = read_proof(proof_data)
    table = read_table(table_data, proof.data, deadline)
    found = [_about(table, proof)]
    for question in questions(proof, table):
        found += [*question.words, *checked(question)]
    return found


def checked(question: Question) -> list[str]:
    """Return what the claims of a question prove, in words.

    Raises
    ------
    Refuted, CannotCheck
    """
    if not question.claims:
        raise CannotCheck(f"{question.name or 'the proof'} claims nothing")
    found: list[str] = []
    for k, data in enumerate(question.claims, 1):
        claim = Part(data, ", ".join(filter(None, (question.name, f"claim {k}"))))
        kind = claim.get("kind", str)
        if kind not in CHECKS:
            raise CannotCheck(f"this version knows no claim of the kind {kind[:40]!r}")
        try:
            found += CHECKS[kind](question.table, claim)
        except (Refuted, CannotCheck) as why:
            why.add_note(f"{claim.name}, {kind}")
            raise
    return found


OTHER_WORDS = (
    "(The words in the proof file are other ones, and were not checked: only these above count.)"
)


def _about(table: Table, proof: Part) -> str:
    """Return which rows, columns and question the claims are about."""
    left_out = table.n_read - table.n
    parts = [
        _question(table, proof),
        f"The rows: {table.n:,} of {table.n_read:,}"
        + (f"; {left_out:,} lack a value, a label or weight." if left_out else "."),
        f"The {table.width - 1:,} features: {_quoted(table.names[1:])}"
        + (f"; columns left out: {_quoted(table.unused)}." if table.unused else "."),
        "Numbers are the doubles nearest to what is written.",
    ]
    if table.n_filled:
        parts.append(f"In {several(table.n_filled, 'row')} a missing value is filled in.")
    if table.weighed_by:
        parts.append(f"Rows weigh what column {_quoted([table.weighed_by])} says.")
    if not table.intercept:
        parts.append("Lines go through the origin.")
    return " ".join(parts)


def _question(table: Table, proof: Part) -> str:
    """Return what is asked of which column."""
    column = f"column {_quoted([table.label])}"
    if classes := classes_of(proof):
        counts = Counter(table.y)
        held = [f"{_quoted(texts)} ({counts[k]:,} rows)" for k, texts in enumerate(classes, 1)]
        return (
            f"The classes: {column} holds {_some(held)}. Each question below stands alone: nothing "
            "is claimed of what their lines answer together."
        )
    yes, n_yes = sorted(proof.part("table").part("label").texts("yes")), table.y.count(1)
    return (
        f"The question: is {column} {_quoted(yes)} (yes, {n_yes:,} rows) or not (no, "
        f"{table.n - n_yes:,} rows)?"
    )


def in_space(table: Table) -> str:
    """Return in which space lengths are measured."""
    return "measured in (1, x)" if table.intercept else "measured in x"


def counted(n: int) -> str:
    """Return "2,000", or about as much where that is very long."""
    return f"{n:,}" if abs(n) < 10**40 else short(Fraction(n))


def several(n: int, what: str) -> str:
    """Return "1 mistake" or "2,000 mistakes"."""
    return f"{counted(n)} {what}{'' if n == 1 else 's'}"


def short(value: Fraction) -> str:
    """Return a rational as it is, or to six digits where that is longer."""
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"about {_decimal(value):.6g}".lower()


def _some(found: Sequence[str], most: int = 12) -> str:
    """Return a list, shortened after a few."""
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return (", ".join(found[:most]) or "none") + more


def _quoted(names: Sequence[str], most: int = 12) -> str:
    """Return names in quotes; ones that are long, or could play tricks on the eye, in ASCII."""
    safe = [len(name) <= 40 and name.isprintable() for name in names]
    shown = [repr(n) if good else ascii(n[:40]) for n, good in zip(names, safe, strict=True)]
    return _some(shown, most)


def check_files(proof: str, table: str, time_limit: float | None = None) -> tuple[int, str]:
    """Return the exit code and the answer for two files; never an exception."""
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    try:
        proof_data, table_data = _bytes(proof, LARGEST_PROOF), _bytes(table, LARGEST_TABLE)
        found = statements(proof_data, table_data, deadline)
        words = json.loads(proof_data).get("claim")  # read only to say whether they are others
    except Refuted as why:
        return REFUTED, f"REFUTED: {why}{_in_which_claim(why)}."
    except CannotCheck as why:
        return CANNOT_CHECK, f"CANNOT CHECK: {why}{_in_which_claim(why)}."
    except (MemoryError, RecursionError, ArithmeticError) as error:
        return CANNOT_CHECK, f"CANNOT CHECK: too large for this machine ({type(error).__name__})."
    return VERIFIED, "\n".join(["VERIFIED", *found, *([] if words == found else [OTHER_WORDS])])


def _in_which_claim(why: Exception) -> str:
    return "".join(f" ({note})" for note in getattr(why, "__notes__", []))


def _bytes(path: str, most: int) -> bytes:
    try:
        if not Path(path).is_file():
            raise CannotCheck(f"{path!r} is no file")
        if Path(path).stat().st_size > most:
            raise CannotCheck(f"{path!r} is larger than {most:,} bytes")
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise CannotCheck(f"{path!r} cannot be read: {error}") from None


def main(arguments: list[str]) -> int:
    """Run as a script."""
    gc.disable()  # nothing here goes round in circles, and looking for that takes a while
    limit = None
    if len(arguments) == 4 and arguments[2] == "--time-limit":
        try:
            limit = float(arguments[3])
        except ValueError:
            arguments = []
    if arguments in (["-h"], ["--help"]):
        sys.stdout.write(f"{__doc__}")
        return VERIFIED
    if len(arguments) != 2 and limit is None:
        sys.stderr.write("use: verify.py PROOF TABLE [--time-limit SECONDS]\n")
        return USAGE
    code, answer = check_files(arguments[0], arguments[1], limit)
    sys.stdout.buffer.write((answer + "\n").encode("utf-8", "backslashreplace"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
