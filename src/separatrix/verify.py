"""Check a separatrix proof file against its table, trusting neither the file nor who made it.

    python verify.py PROOF TABLE [--time-limit SECONDS]

Needs Python 3.11+ and its standard library, nothing else: copy this one file to wherever you trust.
It reads the table again, as the proof says that it is to be read, and answers

- VERIFIED, followed by what was checked, in words made here from the numbers checked here: the
  words in the proof file are for people, and are never read;
- REFUTED, when the proof does not hold;
- CANNOT CHECK, when it is not such a proof, not about this table, or a limit was met.

The exit code is 0, 1, 3; 2 for wrong use. All decisions are made on whole numbers: a double is a
whole number times a power of two. Doubles decide only where a bound on their rounding error is
smaller than what they say (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).

The rows: z_n = y_n (1, x_n), y_n = +1 for yes and -1 for no; without an intercept z_n = y_n x_n.
What can be claimed of them is in CHECKS; what each claim holds, in `proof.schema.json`.
"""

from __future__ import annotations

import base64
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from operator import mul
from pathlib import Path
from typing import Any

VERIFIED, REFUTED, USAGE, CANNOT_CHECK = 0, 1, 2, 3

FORMAT, VERSION = "separatrix proof", 1
LARGEST_PROOF = 2**28  # bytes
LARGEST_TABLE = 2**32
LONGEST_NUMBER = 2**20  # hexadecimal digits
LONGEST_FIELD = 131_072  # characters of one cell
MOST_FEATURES = 100_000

BLANKS = " \t\n\r\v\f"
# what may stand for a missing value or label: nothing else lets a proof leave rows out
MISSING = frozenset(("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "."))
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
PLAIN = re.compile(r"[-+.0-9eE,]*")  # of such text `float` reads what NUMBER matches, nothing else
HEXADECIMAL = re.compile(r"-?[0-9a-f]+(?:/[0-9a-f]+)?")

ONE = Fraction(1)
ROUNDING = 2.0**-53
LEAST = 5e-324
PRIME = 2**61 - 1  # a rank modulo a prime is never above the rank


class Refuted(Exception):  # noqa: N818  # an answer, not an error
    """The proof does not hold."""


class CannotCheck(Exception):  # noqa: N818  # likewise
    """Nothing can be said, for this reason."""


# ---------------------------------------------------------------------- the proof file


def read_proof(data: bytes) -> dict[str, Any]:
    """Return the parsed file; `CannotCheck` for anything but one strict JSON object."""
    if len(data) > LARGEST_PROOF:
        raise CannotCheck(f"the proof has {len(data):,} bytes, more than {LARGEST_PROOF:,}")
    try:
        proof = json.loads(
            data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant,
            parse_float=_finite,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise CannotCheck(f"the proof is not the JSON it should be: {error}") from None
    if not isinstance(proof, dict) or proof.get("format") != FORMAT:
        raise CannotCheck(f'the proof does not say "format": "{FORMAT}"')
    if proof.get("version") != VERSION or isinstance(proof["version"], bool):
        raise CannotCheck(f"the proof's version is not {VERSION}: use the verify.py it came with")
    return proof


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def part(data: Any, key: str, kind: type | tuple[type, ...]) -> Any:  # noqa: ANN401
    """Return data[key], which must be of that kind; `CannotCheck` otherwise."""
    if not isinstance(data, dict) or key not in data:
        raise CannotCheck(f"the proof lacks {key!r}")
    value = data[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise CannotCheck(f"{key!r} in the proof is of the wrong kind")
    return value


def rational(value: Any) -> Fraction:  # noqa: ANN401
    """Return a number of the proof: a JSON number (a double, exactly), or "p/q" in hexadecimal."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str) and len(value) <= LONGEST_NUMBER and HEXADECIMAL.fullmatch(value):
        above, _, below = value.partition("/")
        if not below or int(below, 16):
            return Fraction(int(above, 16), int(below, 16) if below else 1)
    raise CannotCheck("a number in the proof is none")


def rationals(data: Any, key: str, size: int) -> list[Fraction]:  # noqa: ANN401
    """Return a list of `size` numbers."""
    values = part(data, key, list)
    if len(values) != size:
        raise CannotCheck(f"{key!r} has {len(values)} numbers where {size} belong")
    return [rational(value) for value in values]


# ---------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Column:
    """How one column of the file becomes features."""

    index: int
    name: str
    levels: tuple[str, ...] | None  # None: numbers
    fill: Any
    missing: frozenset[str]


@dataclass
class Table:
    """The rows that the claims are about.

    Parameters
    ----------
    points : (x_0, x_1, ..., x_d) of each row, x_0 = 1 with an intercept, else 0
    y : +1 or -1 of each
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

    @cached_property
    def squares(self) -> list[float]:
        """About |(1, x_n)|^2 of each row, off by a factor of 1 + 2 (d + 3) 2^-53 at most."""
        return [sum(map(mul, x, x)) for x in self.points]

    @cached_property
    def ordinary(self) -> bool:
        """Whether no square has over- or underflown."""
        return all(1e-200 < r < math.inf for r in self.squares)

    def look_at_the_clock(self) -> None:
        """Stop when the time is up."""
        if time.monotonic() > self.deadline:
            raise CannotCheck("the time limit was met")

    def where(self, rows: Sequence[int], most: int = 12) -> str:
        """Return "lines 3, 5 and 8", shortened."""
        lines = [str(self.lines[n]) for n in rows]
        if len(lines) > most:
            return f"lines {', '.join(lines[:most])} and {len(lines) - most} more"
        if len(lines) == 1:
            return f"line {lines[0]}"
        return f"lines {', '.join(lines[:-1])} and {lines[-1]}"


def records(data: bytes, dialect: Any) -> Iterator[tuple[int, list[str]]]:  # noqa: ANN401
    """Yield (line on which it starts, fields) of every record that is not blank."""
    delimiter, quote = part(dialect, "delimiter", str), part(dialect, "quote", str)
    blanks = delimiter == "whitespace"
    odd = not blanks and (len(delimiter) != 1 or delimiter.isalnum() or delimiter in "+-.\r\n")
    if odd or quote.isalnum() or quote in ("+", "-", ".") or delimiter == quote:
        raise CannotCheck("the proof separates or quotes cells by what can be part of a number")
    try:
        text = data.decode(part(dialect, "encoding", str)).removeprefix("\ufeff")
    except (LookupError, UnicodeError, ValueError):
        raise CannotCheck("the table is not text in the encoding that the proof names") from None
    if not blanks and "\r" not in text and not (quote and quote in text):
        split = text.split("\n")  # what a reader of CSV makes of such text, in a fourth of the time
        if max(map(len, split)) <= LONGEST_FIELD:
            yield from _unquoted(split, delimiter)
            return
    lines: Any = io.StringIO(text, newline="")
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


def _unquoted(lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for k, line in enumerate(lines, 1):
        if line:
            fields = line.split(delimiter)
            if len(fields) > 1 or line.strip(BLANKS):
                yield k, fields


def read_table(data: bytes, proof: dict[str, Any], deadline: float = math.inf) -> Table:
    """Return the rows of the table as the proof says they are to be read."""
    told = part(proof, "table", dict)
    if hashlib.sha256(data).hexdigest() != part(told, "sha256", str):
        raise CannotCheck("this is not the table of the proof: its SHA-256 is another one")
    dialect, label = part(told, "dialect", dict), part(told, "label", dict)
    found = records(data, dialect)
    first_line, first = next(found, (0, []))
    header = part(dialect, "header", bool)
    names = [
        cell if header and cell.strip(BLANKS) else f"column {k}" for k, cell in enumerate(first, 1)
    ]
    columns = _columns(part(told, "columns", list), names)
    label_index = _index(label, names)
    intercept = part(proof, "intercept", bool)
    weight = None if told.get("weight") is None else _index(told["weight"], names)
    used = {label_index, weight, *(column.index for column in columns)}
    unused = [name for k, name in enumerate(names) if k not in used]
    features = ["intercept", *_feature_names(columns)]
    table = Table(names[label_index], intercept, features, unused, deadline=deadline)
    table.weighed_by = "" if weight is None else names[weight]
    _fill(table, told, columns, (label_index, weight), _unread(first_line, first, found, header))
    if {1, -1} - set(table.y):
        raise CannotCheck("the table has no yes rows, or no no rows, when read as the proof says")
    return table


def _unread(
    line: int, first: list[str], found: Iterator[tuple[int, list[str]]], header: bool
) -> Iterator[tuple[int, list[str]]]:
    if not header:
        yield line, first
    for start, fields in found:
        if len(fields) != len(first):
            raise CannotCheck(f"line {start} of the table has {len(fields)} fields")
        yield start, fields


def _index(data: Any, names: list[str]) -> int:  # noqa: ANN401
    index = part(data, "index", int)
    if not 0 <= index < len(names):
        raise CannotCheck("the proof names a column that the table lacks")
    return int(index)


def _texts(data: Any, key: str) -> frozenset[str]:  # noqa: ANN401
    values = part(data, key, list)
    if not all(isinstance(value, str) for value in values):
        raise CannotCheck(f"{key!r} in the proof is no list of text")
    return frozenset(values)


def _columns(told: list[Any], names: list[str]) -> list[Column]:
    columns = []
    for column in told:
        levels = column.get("levels") if isinstance(column, dict) else None
        if levels is not None:
            levels = tuple(part(column, "levels", list))
            if not _texts(column, "levels") or len(set(levels)) != len(levels):
                raise CannotCheck("the levels of a column are not some different texts")
        fill = column.get("fill") if isinstance(column, dict) else None
        good = levels is None and type(fill) is float if levels is None else fill in levels
        if fill is not None and not good:
            raise CannotCheck("a column is filled with something that it cannot hold")
        index, missing = _index(column, names), _texts(column, "missing")
        if not missing <= MISSING:
            raise CannotCheck("the proof takes a value for a missing one")
        columns.append(Column(index, names[index], levels, fill, missing))
    if not columns or len(_feature_names(columns)) > MOST_FEATURES:
        raise CannotCheck("the proof makes no features of the table, or too many")
    return columns


def _feature_names(columns: list[Column]) -> list[str]:
    return [
        name
        for c in columns
        for name in ([c.name] if c.levels is None else [f"{c.name}={v}" for v in c.levels[1:]])
    ]


def _fill(
    table: Table,
    told: dict[str, Any],
    columns: list[Column],
    special: tuple[int, int | None],
    rows: Iterator[tuple[int, list[str]]],
) -> None:
    """Read row by row; rows with nothing to fill a gap, no label or weight 0 take no part."""
    label_index, weight_index = special
    signs = _signs(part(told, "label", dict))
    decimal = part(part(told, "dialect", dict), "decimal", str)
    if decimal not in (".", ","):
        raise CannotCheck("the decimal mark of the proof is neither a point nor a comma")
    start = [1.0 if table.intercept else 0.0]
    plain = decimal == "." and weight_index is None and all(c.levels is None for c in columns)
    for line, fields in rows:
        table.n_read += 1
        if table.n_read % 4096 == 0:
            table.look_at_the_clock()
        if plain and _took(table, columns, fields, signs.get(fields[label_index]), line):
            continue
        cells, filled = [], False
        for column in columns:
            cell = fields[column.index].strip(BLANKS)
            if cell in column.missing:
                if column.fill is None:
                    break
                cell, filled = column.fill, True
            cells.append(cell)
        else:
            sign = signs.get(fields[label_index])
            weight = "1" if weight_index is None or sign == 0 else fields[weight_index]
            share = _number(weight.strip(BLANKS), decimal, line)
            if sign == 0 or share == 0.0:
                continue
            if sign is None:
                raise CannotCheck(f"line {line}: the label is none that the proof knows")
            if share < 0.0:
                raise CannotCheck(f"line {line}: the weight is negative")
            point = list(start)  # rows that take no part may hold levels that no other row has
            for column, cell in zip(columns, cells, strict=True):
                _add_features(point, column, cell, decimal, line)
            table.points.append(point)
            table.y.append(sign)
            table.weights.append(Fraction(share))
            table.lines.append(line)
            table.n_filled += filled


def _took(
    table: Table, columns: list[Column], fields: list[str], sign: int | None, line: int
) -> bool:
    """Return whether a row was taken as it is: an answer, and finite numbers without a blank."""
    cells = [fields[column.index] for column in columns]
    if not sign or PLAIN.fullmatch(",".join(cells)) is None:
        return False
    try:
        point = [1.0 if table.intercept else 0.0, *map(float, cells)]
    except ValueError:
        return False
    if not math.isfinite(sum(point)):
        return False
    table.points.append(point)
    table.y.append(sign)
    table.weights.append(ONE)
    table.lines.append(line)
    return True


def _signs(label: dict[str, Any]) -> dict[str, int]:
    """Return +1 for the labels that mean yes, -1 for no, 0 for those that say nothing."""
    yes, no, unlabelled = (_texts(label, key) for key in ("yes", "no", "unlabelled"))
    if yes & no or yes & unlabelled or no & unlabelled:
        raise CannotCheck("one label stands for two things")
    if not {text.strip(BLANKS) for text in unlabelled} <= MISSING:
        raise CannotCheck("the proof takes a label for a missing one")
    return {**dict.fromkeys(yes, 1), **dict.fromkeys(no, -1), **dict.fromkeys(unlabelled, 0)}


def _add_features(point: list[float], column: Column, cell: Any, decimal: str, line: int) -> None:  # noqa: ANN401
    if column.levels is None:
        point.append(cell if isinstance(cell, float) else _number(cell, decimal, line))
        return
    if cell not in column.levels:
        raise CannotCheck(f"line {line}: {column.name[:40]!r} has a level that the proof lacks")
    point.extend(1.0 if cell == level else 0.0 for level in column.levels[1:])


def _number(cell: str, decimal: str, line: int) -> float:
    if decimal != ".":
        cell = cell.replace(".", "\0").replace(decimal, ".")
    if not NUMBER.fullmatch(cell):
        raise CannotCheck(f"line {line}: a cell is no number")
    value = float(cell)
    if not math.isfinite(value):
        raise CannotCheck(f"line {line}: a number is too large")
    return value


# ---------------------------------------------------------------------- exact scores


class Line:
    """A line w (1+d,), whose agreements y_n w.x_n are known exactly where it matters."""

    def __init__(self, table: Table, weights: Sequence[Fraction]) -> None:
        if not table.intercept and weights[0]:
            raise CannotCheck("the line has an intercept and the proof is about lines without")
        if not any(weights):
            raise Refuted("all weights of the line are zero")
        self.table, self.weights = table, weights
        self.below = math.lcm(*(w.denominator for w in weights))
        self.whole = [w.numerator * (self.below // w.denominator) for w in weights]
        # shrunk by a power of two, which changes no sign and keeps floats in their range
        self.shift = max(abs(w).bit_length() for w in self.whole)
        self.floats = [w / (1 << self.shift) for w in self.whole]
        self.sizes = [abs(w) for w in self.floats]
        self.usable = all(
            (f == 0.0) == (w == 0) and (f == 0.0 or abs(f) > 1e-290)
            for f, w in zip(self.floats, self.whole, strict=True)
        )

    @cached_property
    def scores(self) -> list[float]:
        """The scores of all rows over below 2^shift as floats."""
        return [sum(map(mul, self.floats, x)) for x in self.table.points]

    @cached_property
    def error(self) -> float:
        """A bound on the errors of all scores: sum |w_j x_nj| <= |w| |x_n|; infinite if unknown."""
        if not (self.usable and self.table.ordinary):
            return math.inf
        size = 1.01 * math.sqrt(sum(map(mul, self.floats, self.floats)) * max(self.table.squares))
        return 2.0 * (len(self.floats) + 3) * (ROUNDING * size + LEAST)

    def exact(self, n: int) -> tuple[int, int]:
        """Return (p, k): the agreement of row n is p / (self.below 2^k)."""
        terms = [x.as_integer_ratio() for x in self.table.points[n]]
        k = max(q.bit_length() for _, q in terms) - 1
        total = sum(
            w * (p << (k + 1 - q.bit_length())) for w, (p, q) in zip(self.whole, terms, strict=True)
        )
        return self.table.y[n] * total, k

    def agreement(self, n: int) -> Fraction:
        """Return the agreement of row n."""
        p, k = self.exact(n)
        return Fraction(p, self.below << k)

    def rough(self, n: int) -> tuple[float, float]:
        """Return the agreement of row n over below 2^shift as a float, and a bound on its error."""
        x, y = self.table.points[n], self.table.y[n]
        size = sum(map(mul, self.sizes, map(abs, x)))
        error = 2.0 * (len(x) + 3) * (ROUNDING * size + LEAST)
        return y * self.scores[n], error

    def signs(self) -> Iterator[int]:
        """Yield the exact sign of every agreement."""
        for n in range(self.table.n):
            if n % 4096 == 0:
                self.table.look_at_the_clock()
            if self.usable:
                a = self.table.y[n] * self.scores[n]
                if abs(a) > self.error:
                    yield 1 if a > 0 else -1
                    continue
                a, error = self.rough(n)
                if abs(a) > error:
                    yield 1 if a > 0 else -1
                    continue
            p, _ = self.exact(n)
            yield (p > 0) - (p < 0)

    def least(self) -> Fraction:
        """Return the least agreement, exactly."""
        if not self.usable:
            return min(self.agreement(n) for n in range(self.table.n))
        scores = list(map(mul, self.table.y, self.scores))
        near: Sequence[int] = range(self.table.n)
        if self.error < math.inf:
            most = min(scores) + 2 * self.error
            near = [n for n, a in enumerate(scores) if a <= most]
        found = [self.rough(n) for n in near]
        ceiling = min((a + error for a, error in found), default=math.inf)
        close = [n for n, (a, error) in zip(near, found, strict=True) if not a - error > ceiling]
        return min(self.agreement(n) for n in close)


def largest_squared_length(table: Table) -> Fraction:
    """Return R^2 = max |(1, x_n)|^2, exactly."""
    rough = table.squares
    if table.ordinary:
        floor = max(rough) * (1.0 - 4.0 * (table.width + 2) * ROUNDING)
        close: Sequence[int] = [n for n, r in enumerate(rough) if r >= floor]
    else:
        close = range(table.n)
    return max(sum((Fraction(v) ** 2 for v in table.points[n]), Fraction(0)) for n in close)


def combination(table: Table, rows: Sequence[int], multipliers: Sequence[int]) -> list[Fraction]:
    """Return sum lambda_n z_n."""
    totals = [0] * table.width
    scale = 1074  # every double is a whole number over 2^1074
    for n, a in zip(rows, multipliers, strict=True):
        for j, x in enumerate(table.points[n]):
            if x:
                p, q = x.as_integer_ratio()
                totals[j] += a * table.y[n] * (p << (scale + 1 - q.bit_length()))
    return [Fraction(total, 1 << scale) for total in totals]


def read_multipliers(table: Table, data: Any) -> tuple[list[int], list[int]]:  # noqa: ANN401
    """Return different rows and their positive whole multipliers."""
    rows = part(data, "rows", list)
    multipliers = rationals(data, "multipliers", len(rows))
    if not rows or not all(type(n) is int and 0 <= n < table.n for n in rows):
        raise CannotCheck("the multipliers stand on rows that the table lacks")
    if len(set(rows)) != len(rows):
        raise CannotCheck("the multipliers stand on one row twice")
    if not all(a > 0 and a.denominator == 1 for a in multipliers):
        raise Refuted("a multiplier is not a positive whole number")
    return rows, [int(a) for a in multipliers]


def rank_at_least(rows: Sequence[Sequence[float]]) -> int:
    """Return a number that the rank is not below: the rank modulo a prime."""
    left = [[_residue(x) for x in row] for row in rows]
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


def _residue(x: float | Fraction) -> int:
    p, q = x.as_integer_ratio()
    if q % PRIME == 0:
        raise CannotCheck("a denominator is a multiple of the prime that ranks are taken modulo")
    return p * pow(q, -1, PRIME) % PRIME


# ---------------------------------------------------------------------- the claims

Check = Callable[[Table, dict[str, Any]], list[str]]


def squared_length(vector: Sequence[Fraction]) -> Fraction:
    """Return |v|^2, exactly."""
    return sum((v * v for v in vector), Fraction(0))


def check_separable(table: Table, claim: dict[str, Any]) -> list[str]:
    """Z w > 0; with it R^2, the squared margin of w, and PLA's mistake bound."""
    line = Line(table, rationals(claim, "weights", table.width))
    for n, sign in enumerate(line.signs()):
        if sign <= 0:
            raise Refuted(f"the row at line {table.lines[n]} is not on its own side of the line")
    squared = sum((w * w for w in line.weights), Fraction(0))
    rho_squared, radius_squared = line.least() ** 2 / squared, largest_squared_length(table)
    return [
        f"The {table.n:,} rows are linearly separable: the line in the proof has every one of them "
        "strictly on its own side.",
        f"Its squared margin is {short(rho_squared)} and the squared radius of the rows "
        f"{short(radius_squared)}, {in_space(table)}: PLA from zero makes at most "
        f"{counted(math.floor(radius_squared / rho_squared))} updates.",
    ]


def check_refused(table: Table, claim: dict[str, Any]) -> list[str]:
    """Sum lambda z = 0 for some lambda >= 0, not all 0 (Gordan 1873)."""
    return [_refused(table, claim)]


def _refused(table: Table, claim: dict[str, Any]) -> str:
    rows, multipliers = read_multipliers(table, claim)
    if any(combination(table, rows, multipliers)):
        raise Refuted("the multipliers do not cancel the rows")
    return (
        f"No line separates the {table.n:,} rows: those at {table.where(rows)} contradict each "
        "other, since a positive combination of them, each signed by its answer, is zero."
    )


def check_touching(table: Table, claim: dict[str, Any]) -> list[str]:
    """Check a refusal, and a w with Z w >= 0, Z w != 0 (Albert & Anderson 1984)."""
    refused = _refused(table, claim)
    line = Line(table, rationals(claim, "weights", table.width))
    on_it = on_side = 0
    for n, sign in enumerate(line.signs()):
        if sign < 0:
            raise Refuted(f"the row at line {table.lines[n]} is on the wrong side of the line")
        on_it, on_side = on_it + (sign == 0), on_side + (sign > 0)
    if not on_side:
        raise Refuted("every row is on the line")
    return [
        refused,
        f"The rows are quasi-completely separated: the line in the proof has no row on its wrong "
        f"side, {on_side:,} on their own side and {on_it:,} on it. So logistic regression without "
        "a penalty has no finite optimum.",
    ]


def check_overlapping(table: Table, claim: dict[str, Any]) -> list[str]:
    """Check a refusal whose rows span all rows: then Z w >= 0 forces Z w = 0."""
    refused = _refused(table, claim)
    rows, _ = read_multipliers(table, claim)
    vectors = part(claim, "null_space", list)
    free = []
    for k in range(len(vectors)):
        vector = rationals({"null_space": vectors[k]}, "null_space", table.width)
        if not table.intercept:
            vector[0] = Fraction(0)
        line = Line(table, vector)
        if any(line.signs()):
            raise Refuted("a vector said to vanish on all rows does not")
        free.append(vector)
    width = table.width if table.intercept else table.width - 1
    above = width - rank_at_least(free)  # type: ignore[arg-type]  # fractions do as well
    if rank_at_least([table.points[n] for n in rows]) < above:
        raise Refuted("the contradicting rows do not span all rows")
    return [
        refused,
        f"The rows overlap: every line that has no row on its wrong side has all of them on it "
        f"(rank {above}). So logistic regression has a finite optimum: no coefficient diverges.",
    ]


def check_margin(table: Table, claim: dict[str, Any]) -> list[str]:
    """Bound the largest margin by min z.w / |w| and by |sum lambda z| / sum lambda."""
    line = Line(table, rationals(claim, "weights", table.width))
    least = line.least()
    if least <= 0:
        raise Refuted("the line does not separate the rows")
    below = least**2 / sum((w * w for w in line.weights), Fraction(0))
    rows, multipliers = read_multipliers(table, claim)
    total = combination(table, rows, multipliers)
    above = sum((v * v for v in total), Fraction(0)) / Fraction(sum(multipliers)) ** 2
    return [
        f"The largest margin of any line, squared, lies between {short(below)} and {short(above)}, "
        f"{in_space(table)}; the line in the proof has the former."
    ]


def check_margin_at_most(table: Table, claim: dict[str, Any]) -> list[str]:
    """Bound every margin by |sum lambda z| / sum lambda."""
    seen, how = as_seen(table, claim)
    rows, multipliers = read_multipliers(seen, claim)
    return [_no_margin_above(seen, rows, multipliers) + how]


def _no_margin_above(table: Table, rows: Sequence[int], multipliers: Sequence[int]) -> str:
    above = squared_length(combination(table, rows, multipliers)) / Fraction(sum(multipliers)) ** 2
    return f"No line has a squared margin above {short(above)}, {in_space(table)}"


SCALES = ("mean", "spread")


def as_seen(table: Table, claim: dict[str, Any]) -> tuple[Table, str]:
    """Return the rows as a learner saw them, (x 2^-e - mean) / spread in doubles, and the end."""
    if claim.get("columns") is None:
        return table, "."
    told = part(claim, "columns", list)
    if len(told) != table.width - 1:
        raise CannotCheck("'columns' does not tell of every feature")
    number = (int, float, str)
    try:
        scales = [
            (-part(c, "exponent", int), *(float(rational(part(c, k, number))) for k in SCALES))
            for c in told
        ]
        points = [
            [
                x[0],
                *((math.ldexp(v, e) - m) / s for v, (e, m, s) in zip(x[1:], scales, strict=True)),
            ]
            for x in table.points
        ]
    except (OverflowError, ZeroDivisionError):
        raise CannotCheck("a column cannot be standardised as the proof says") from None
    if not all(map(math.isfinite, (v for x in points for v in x))):
        raise CannotCheck("a column cannot be standardised as the proof says")
    return replace(table, points=points), (
        "; for columns standardised by the means and spreads in the proof, in doubles."
    )


def check_pla(table: Table, claim: dict[str, Any]) -> list[str]:
    """Replay PLA: every update met a mistake; at the end a bound on T, or on every margin."""
    seen, how = as_seen(table, claim)
    try:
        start = [float(v) for v in rationals(claim, "start", table.width)]
        v, counts = _replayed(seen, start, part(claim, "visited", list))
        exact = list(map(Fraction, v))
    except (OverflowError, ValueError):
        raise CannotCheck("the weights of PLA leave the range of doubles") from None
    T = sum(counts.values())
    since = "zero" if not any(start) else "the start in the proof"
    text = f"PLA from {since} made {T:,} updates, each on a row that was a mistake then, and "
    wrong = sum(s <= 0 for s in Line(seen, exact).signs()) if any(v) else table.n
    if not wrong:
        bound = _updates_at_most(seen, claim, exact, start)
        return [f"{text}ended without any mistake. {bound}{how}"]
    text += f"was cut short with {wrong:,} mistakes left."
    if T == 0:
        return [text]
    return [f"{text} {_no_margin_above(seen, list(counts), list(counts.values()))}{how}"]


def _replayed(
    table: Table, start: list[float], visited: list[Any]
) -> tuple[list[float], dict[int, int]]:
    """Return the weights at the end, in doubles as PLA has them, and the updates on each row."""
    counts: dict[int, int] = {}
    v = start
    for t, n in enumerate(visited):
        if type(n) is not int or not 0 <= n < table.n:
            raise CannotCheck("PLA is said to visit a row that the table lacks")
        if not _is_mistake(v, table.points[n], table.y[n]):
            raise Refuted(f"update {t + 1:,} of PLA was made on a row that was no mistake")
        v = [a + table.y[n] * x for a, x in zip(v, table.points[n], strict=True)]
        counts[n] = counts.get(n, 0) + 1
        if t % 4096 == 0:
            table.look_at_the_clock()
    return v, counts


def _is_mistake(v: list[float], x: list[float], y: int) -> bool:
    """Return whether y v.x <= 0, exactly."""
    terms = [a * b for a, b in zip(v, x, strict=True)]
    score, size = y * sum(terms), sum(map(abs, terms))
    if abs(score) > 2.0 * (len(x) + 3) * (ROUNDING * size + LEAST) and size < math.inf:
        return score < 0
    pairs = zip(v, x, strict=True)
    return y * sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0)) <= 0


def _updates_at_most(
    table: Table, claim: dict[str, Any], v: list[Fraction], start: list[float]
) -> str:
    """Return PLA's mistake bound by a separating line, from any start (SPEC section 2), in words.

    With w.v_T >= w.v_0 + T m, m = min z.w, and |v_T|^2 <= |v_0|^2 + T R^2, T is at most the larger
    root of (w.v_0 + T m)^2 = |w|^2 (|v_0|^2 + T R^2): rational but for one square root.
    """
    told = (
        rationals(claim, "target", table.width) if claim.get("target") else [Fraction(a) for a in v]
    )
    line = Line(table, told)
    least = line.least()
    if least <= 0:
        raise Refuted("the line that is to bound PLA's updates does not separate the rows")
    v_0 = [Fraction(a) for a in start]
    w2, R2 = squared_length(line.weights), largest_squared_length(table)
    along = sum((a * b for a, b in zip(line.weights, v_0, strict=True)), Fraction(0))
    a, b = least**2, 2 * least * along - w2 * R2  # a T^2 + b T + c <= 0
    c = along**2 - w2 * squared_length(v_0)
    bound = floor_of_root(-b, b * b - 4 * a * c, 2 * a)
    return (
        f"In exact arithmetic it makes at most {counted(bound)}: the squared margin of a line is "
        f"{short(a / w2)} and the squared radius of the rows {short(R2)}, {in_space(table)}"
    )


def floor_of_root(p: Fraction, square: Fraction, q: Fraction) -> int:
    """Return floor((p + sqrt(square)) / q), q > 0, exactly."""
    unit = math.lcm(p.denominator, square.denominator, q.denominator)
    whole = math.isqrt((square * unit * unit).__floor__())  # floor(sqrt) of unit^2 square
    # floor((p + r) / q) for r between whole / unit and (whole + 1) / unit
    guess = math.floor((p * unit + whole) / (q * unit))
    more = (guess + 1) * q - p
    return guess + 1 if more <= 0 or more * more <= square else guess


def check_diverging(table: Table, claim: dict[str, Any]) -> list[str]:
    """Say which coefficients diverge, and where to (Albert & Anderson 1984).

    Coefficient j diverges when w_j != 0 for some w with Z w >= 0, unless w_j != 0 for some w with
    Z w = 0 (then it is aliased). Rows that cancel are 0 on every such w: it lies in what is free.
    That w_j >= 0 on all of them is a combination of rows, multipliers >= 0, that equals w_j there.
    """
    silent = _all_that_vanish(table, claim, "null_space", part(claim, "independent", list))
    aliased = [j for j in _indices(table) if any(v[j] for v in silent)]
    rows: list[int] = []
    if part(claim, "rows", list):
        rows, multipliers = read_multipliers(table, claim)
        if any(combination(table, rows, multipliers)):
            raise Refuted("the multipliers do not cancel the rows")
    free = _all_that_vanish(table, claim, "free", rows) if rows else _units(table)
    lines = [_not_below(table, data) for data in part(claim, "lines", list)]
    shown = _directions(table, claim, free)
    words, finite = {1: "upwards", -1: "downwards"}, []
    found = []
    for j in _indices(table):
        signs = {(w[j] > 0) - (w[j] < 0) for w in lines} - {0}
        if j in aliased:
            continue
        if not signs and any(v[j] for v in free):
            raise Refuted(f"it is open whether {_quoted([table.names[j]])} diverges")
        if not signs:
            finite.append(table.names[j])
        elif len(signs) == 2:
            found.append(f"{_quoted([table.names[j]])} (either way)")
        else:
            way = words[min(signs)] if shown.get(j) == min(signs) else "direction not shown"
            found.append(f"{_quoted([table.names[j]])} ({way})")
    text = f"Coefficients that diverge in logistic regression without a penalty: {_some(found)}."
    if found and finite:
        text += f" The others do not: {_quoted(finite)}."
    if aliased:
        names = _quoted([table.names[j] for j in aliased])
        text += f" Columns that are collinear, whose coefficients no score determines: {names}."
    return [text]


def _some(found: Sequence[str], most: int = 12) -> str:
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return (", ".join(found[:most]) or "none") + more


def _indices(table: Table) -> range:
    """Return the indices of the coefficients that there are."""
    return range(0 if table.intercept else 1, table.width)


def _units(table: Table) -> list[list[Fraction]]:
    return [[Fraction(i == j) for i in range(table.width)] for j in _indices(table)]


def _all_that_vanish(
    table: Table,
    claim: dict[str, Any],
    key: str,
    rows: Any,  # noqa: ANN401
) -> list[list[Fraction]]:
    """Return vectors that span all w with z.w = 0 on some rows (null_space: on all rows)."""
    if not all(type(n) is int and 0 <= n < table.n for n in rows):
        raise CannotCheck("the proof names a row that the table lacks")
    vectors = [rationals({key: data}, key, table.width) for data in part(claim, key, list)]
    for vector in vectors:
        if not table.intercept and vector[0]:
            raise CannotCheck("a vector has an intercept and the proof is about lines without")
        line = Line(table, vector)
        everywhere = key == "null_space"
        scores = line.signs() if everywhere else (line.exact(n)[0] for n in rows)
        if any(scores):
            raise Refuted("a vector said to vanish on some rows does not")
    rank = rank_at_least([table.points[n] for n in rows])
    if rank + rank_at_least(vectors) < len(_indices(table)):  # type: ignore[arg-type]
        raise Refuted("the vectors do not span all that vanish on some rows")
    return vectors


def _not_below(table: Table, data: Any) -> list[Fraction]:  # noqa: ANN401
    """Return a line without a row on its wrong side."""
    weights = rationals({"lines": data}, "lines", table.width)
    if any(sign < 0 for sign in Line(table, weights).signs()):
        raise Refuted("a line said to have no row on its wrong side has one")
    return weights


def _directions(
    table: Table, claim: dict[str, Any], free: Sequence[Sequence[Fraction]]
) -> dict[int, int]:
    """Return the coefficients of which no line without wrong rows has the other sign."""
    shown = {}
    for told in part(claim, "directions", list):
        j, way = part(told, "index", int), part(told, "direction", int)
        if j not in _indices(table) or way not in (1, -1):
            raise CannotCheck("the proof names a coefficient or a direction that there is none of")
        rows, multipliers = read_multipliers(table, told)
        total = combination(table, rows, multipliers)
        times = rationals(told, "times", 1)[0]
        if times <= 0:
            raise Refuted("a coefficient is bounded by a multiple of it that is not positive")
        for v in free:
            score = sum((a * b for a, b in zip(total, v, strict=True)), Fraction(0))
            if score != way * times * v[j]:
                raise Refuted("the rows do not bound the coefficient that they are to bound")
        shown[j] = way
        table.look_at_the_clock()
    return shown


def check_mistakes(table: Table, claim: dict[str, Any]) -> list[str]:
    """Count the rows with z.w <= 0."""
    line = Line(table, rationals(claim, "weights", table.width))
    wrong = [n for n, sign in enumerate(line.signs()) if sign <= 0]
    return [
        f"The line in the proof makes {_counted(table, wrong)} (rows on the line counted as wrong)."
    ]


def _counted(table: Table, rows: Sequence[int]) -> str:
    weight = sum((table.weights[n] for n in rows), Fraction(0))
    text = f"{several(len(rows), 'mistake')} on the {table.n:,} rows"
    return text if weight == len(rows) else f"{text}, which weigh {short(weight)}"


def check_cores(table: Table, claim: dict[str, Any]) -> list[str]:
    """Refusals that share the weight of the rows: each core costs any line its share."""
    cores = part(claim, "cores", list)
    spent: dict[int, Fraction] = {}
    bound = Fraction(0)
    for core in cores:
        rows, multipliers = read_multipliers(table, core)
        share = rational(part(core, "share", (int, float, str)))
        if share <= 0 or any(combination(table, rows, multipliers)):
            raise Refuted("a set of rows said to contradict each other does not")
        for n in rows:
            spent[n] = spent.get(n, Fraction(0)) + share
            if spent[n] > table.weights[n]:
                raise Refuted(f"the row at line {table.lines[n]} is used above its weight")
        bound += share
        table.look_at_the_clock()
    least = f"mistakes that weigh {short(bound)}"
    if all(w == 1 for w in table.weights):
        least = several(math.ceil(bound), "mistake")
    return [
        f"Every line makes at least {least} (rows on the line counted), since "
        f"{several(len(cores), 'set')} of rows contradict each other."
    ]


class Sum:
    """A sum of fractions, exactly: numerators are added up for each denominator."""

    def __init__(self) -> None:
        self.parts: dict[int, int] = {}

    def add(self, above: int, below: int) -> None:
        """Add above / below."""
        self.parts[below] = self.parts.get(below, 0) + above

    def total(self) -> Fraction:
        """Return the sum."""
        return sum((Fraction(a, b) for b, a in self.parts.items()), Fraction(0))


def pull_of(table: Table, shares: Sequence[Fraction]) -> list[Fraction]:
    """Return sum_n share_n x_n, exactly."""
    sums = [Sum() for _ in range(table.width)]
    for n, share in enumerate(shares):
        p, q = share.numerator, share.denominator
        for column, x in zip(sums, table.points[n], strict=True):
            if x:
                a, b = x.as_integer_ratio()
                column.add(p * a, q * b)
        if n % 1024 == 0:
            table.look_at_the_clock()
    return [column.total() for column in sums]


def check_least_squares(table: Table, claim: dict[str, Any]) -> list[str]:
    """RSS(w) against the dual value 2 v.y - v.v of a v with A'v = 0, which no RSS is below."""
    line = Line(table, rationals(claim, "weights", table.width))
    dual = rationals(claim, "dual", table.n)
    primal_sum, value_sum = Sum(), Sum()
    for n, (y, m) in enumerate(zip(table.y, table.weights, strict=True)):
        p, k = line.exact(n)
        q = line.below << k
        v, below = dual[n].numerator, dual[n].denominator
        # y - s is 1 - p / q, but for a sign that squaring takes away
        primal_sum.add(m.numerator * (q - p) ** 2, m.denominator * q * q)
        value_sum.add(m.numerator * (2 * v * y * below - v * v), m.denominator * below * below)
        if n % 256 == 0:
            table.look_at_the_clock()
    if any(pull_of(table, [m * a for m, a in zip(table.weights, dual, strict=True)])):
        raise Refuted("the residuals in the proof are not orthogonal to the columns")
    primal, value = primal_sum.total(), value_sum.total()
    gap = _gap(primal, value)
    return [
        "No line has a sum of squared residuals (answers as -1 and +1) more than a relative "
        f"{short(gap)} below that of the line in the proof, {short(primal)}."
    ]


def _gap(primal: Fraction, dual: Fraction) -> Fraction:
    if dual > primal:
        raise Refuted("a bound from below is above what the line attains")
    return (primal - dual) / primal if primal else Fraction(0)


DIGITS = 45
OUTWARD = Decimal(10) ** -(DIGITS - 10)  # above the rounding of DIGITS in sums of 10^9 terms
LONG = 2**18  # bits, so that nothing leaves the range of Decimal


def check_logistic(table: Table, claim: dict[str, Any]) -> list[str]:
    """Sum m ln(1 + e^-a) (+ |c|^2 / (2 C)) against its dual, logarithms bounded outwards."""
    line = Line(table, rationals(claim, "weights", table.width))
    dual = rationals(claim, "dual", table.n)
    strength = claim.get("C")
    C = None if strength is None else rational(strength)
    if C is not None and C <= 0:
        raise CannotCheck("C is not positive")
    ratios = (a.as_integer_ratio() for a in (*dual, *line.weights, C or ONE))
    if max(map(int.bit_length, (line.below, *(a for pair in ratios for a in pair)))) > LONG:
        raise CannotCheck("a number is too long for logarithms")
    if not all(0 <= a <= 1 for a in dual):
        raise Refuted("a dual share is not between 0 and 1")
    signed = (m * y for m, y in zip(table.weights, table.y, strict=True))
    pulls = pull_of(table, [m * a for m, a in zip(signed, dual, strict=True)])
    with localcontext() as context:
        context.prec = DIGITS
        above = below = Decimal(0)
        for n in range(table.n):
            m = _decimal(table.weights[n])
            p, k = line.exact(n)
            above += m * _error_above(Decimal(p) / Decimal(line.below << k))
            below += m * _entropy_below(dual[n])
            if n % 256 == 0:
                table.look_at_the_clock()
        above, below = above * (1 + OUTWARD), below * (1 - OUTWARD)
        if C is not None:
            penalty = _decimal(sum((w * w for w in line.weights[1:]), Fraction(0)) / (2 * C))
            pulled = _decimal(sum((p * p for p in pulls[1:]), Fraction(0)) * C / 2)
            above += penalty * (1 + OUTWARD)
            below -= pulled * (1 + OUTWARD)
            pulls = pulls[:1] if table.intercept else []
        if any(pulls):
            raise Refuted("the dual shares do not balance")
        gap = _gap(Fraction(above), Fraction(below))
        penalised = "" if C is None else f" plus |w|^2 / (2 C), C = {short(C)}, w_0 left out,"
        return [
            f"No line has a sum of cross-entropies (natural logarithms){penalised} more than a "
            f"relative {short(gap)} below that of the line in the proof, which is at most "
            f"{short(Fraction(above))}."
        ]


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


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
#             [bound, parts, cores] is shown by `packed`, and by boxes
#             [rows, columns, relations, chart, bound, faces]
#
# rows        whose mistakes are counted, by their place; [] stands for all of them
# columns, relations     as above, for these rows, among the columns chosen above
# chart       r x r integers, not singular: w = chart v; every direction v meets the surface of the
#             cube max |v_j| = 1, whose 2 r faces are cut into boxes
# bound       what is shown
# faces       for each face (v_0 = 1, v_0 = -1, v_1 = 1, ...) what `Face` does with its boxes
#
# A box is a product of intervals; a row is wrong in all of it when the greatest value of its score
# there is not positive.

CUT, CLOSED, COVERED, PACKED, LEMMA, SPLIT = range(6)
REACH = 1 << 50  # the length that stands for 1 in positions of box ends
LARGEST_TREE = 2**26  # bytes, unpacked
MOST_OPEN = 2**24  # rows of boxes that wait

Row = list[int]
Lemma = tuple[frozenset[int], int]  # rows, and the weight of the mistakes that all lines make there
# a box: its ends, the weight of the rows wrong in all of it, and the open rows with the greatest
# and the least value of their scores in it
Box = tuple[Row, Row, int, list[tuple[int, int, int]]]


def require(condition: bool) -> None:
    """Refute the proof unless the condition holds."""
    if not condition:
        raise Refuted("what is said to show that every line makes so many mistakes does not")


def mistakes_shown(
    rows: Sequence[Row],
    weights: Sequence[int],
    proof: Any,  # noqa: ANN401
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
                lemmas.append(packed(kept, *lemma))
            else:
                problem = Problem(kept, lemma)
                for number, steps in enumerate(problem.faces):
                    Face(problem, lemmas, look_at_the_clock).follow(number, iter(steps))
                lemmas.append((frozenset(problem.ids), problem.bound))
        everything, bound = lemmas[-1]
        require(len(everything) == len(kept))
        return base + max(0, bound)
    except (LookupError, TypeError, ValueError, StopIteration, AttributeError, RecursionError):
        raise CannotCheck("the proof about the mistakes of every line has another form") from None


def merged(rows: Sequence[Row], weights: Sequence[int]) -> tuple[int, list[tuple[Row, int]]]:
    """Return the weight of the mistakes that all lines make, and the rows left with weights.

    A row of zeros is a mistake of every line; of rows z and -z one always is, so the lesser weight
    counts and the rest stays. Equal rows become one. In the order of their first appearance.
    """
    base = 0
    net: dict[tuple[int, ...], int] = {}
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


def packed(kept: Sequence[tuple[Row, int]], bound: int, parts: int, cores: Sequence[Row]) -> Lemma:
    """Return all rows and the bound that cores show which share no weight.

    A core is [amount, row, multiplier, row, multiplier, ...]: its combination vanishes, so that one
    of its rows is wrong for every w, and takes amount / parts from the weight of each of its rows.
    """
    require(parts > 0)
    left = [weight * parts for _, weight in kept]
    total = 0
    for amount, *pairs in cores:
        rows, multipliers = pairs[::2], pairs[1::2]
        require(amount >= 0 and all(a >= 0 for a in multipliers) and any(multipliers))
        require(len(set(rows)) == len(rows) and all(0 <= i < len(kept) for i in rows))
        require(not any(combined([kept[i][0] for i in rows], multipliers)))
        for i in rows:
            left[i] -= amount
            require(left[i] >= 0)
        total += amount
    require(total > (bound - 1) * parts)
    return frozenset(range(len(kept))), bound


def combined(rows: Sequence[Row], multipliers: Sequence[int]) -> Row:
    """Return sum multiplier row."""
    pairs = list(zip(rows, multipliers, strict=True))
    return [sum(a * row[j] for row, a in pairs) for j in range(len(rows[0]))]


class Problem:
    """One lemma: the rows in its chart, as columns, and their weights."""

    def __init__(self, kept: Sequence[tuple[Row, int]], parts: Sequence[Any]) -> None:
        rows, columns, relations, chart, self.bound, self.faces = parts
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
        self.columns = [list(column) for column in zip(*self.rows, strict=True)]


class Face:
    """The boxes of one face, the last one first."""

    def __init__(
        self, problem: Problem, lemmas: Sequence[Lemma], look_at_the_clock: Callable[[], None]
    ) -> None:
        self.problem, self.lemmas, self.look_at_the_clock = problem, lemmas, look_at_the_clock
        self.stack: list[Box] = []
        self.waiting = 0

    def follow(self, number: int, steps: Iterator[int]) -> None:
        """Do what the proof says until no box is left."""
        self._begin(number)
        while self.stack:
            self.look_at_the_clock()
            box = self.stack.pop()
            self.waiting -= len(box[3])
            what, j, cells = self._step(steps)
            while what == CUT:
                box = self._cut(j, cells // 64, cells % 64, box)
                what, j, cells = self._step(steps)
            if what == CLOSED:
                require(box[2] >= self.problem.bound)
            elif what == COVERED:
                low, high = box[0][j], box[1][j]
                middle = low + cells * _cell(low, high)
                self._close_slab(j, low, middle, box)
                self._close_slab(j, middle, high, box)
            elif what == PACKED:
                self._close_by_cores(box, steps)
            elif what == LEMMA:
                self._close_by_lemma(box, j)
            else:
                require(what == SPLIT)
                self._split(j, cells, box)
        require(next(steps, None) is None)

    def _step(self, steps: Iterator[int]) -> tuple[int, int, int]:
        what, j, cells = next(steps), next(steps), next(steps)
        require(j >= 0 and (j < len(self.problem.columns) or what == LEMMA))
        return what, j, cells

    def _wait(self, box: Box) -> None:
        """Put a box on the stack."""
        self.stack.append(box)
        self.waiting += len(box[3])
        if self.waiting > MOST_OPEN:
            raise CannotCheck("too many boxes of lines wait to be looked at")

    def _begin(self, number: int) -> None:
        """Put the whole face on the stack, unless it reaches the bound already."""
        fixed, side = number // 2, REACH if number % 2 == 0 else -REACH
        low, high = [-REACH] * len(self.problem.columns), [REACH] * len(self.problem.columns)
        low[fixed] = high[fixed] = side
        wrong, rows = 0, []
        for i, z in enumerate(self.problem.rows):
            middle = z[fixed] * side
            reach = (sum(map(abs, z)) - abs(z[fixed])) * REACH
            if middle + reach <= 0:
                wrong += self.problem.weight[i]
            elif middle - reach <= 0:
                rows.append((i, middle + reach, middle - reach))
        if wrong < self.problem.bound:
            self._wait((low, high, wrong, rows))

    def _cut(self, j: int, at_low: int, at_high: int, box: Box) -> Box:
        """Return the box without slabs of so many cells, which reach the bound."""
        low, high = box[0][j], box[1][j]
        cell = _cell(low, high)
        a, b = low + at_low * cell, high - at_high * cell
        if at_low:
            self._close_slab(j, low, a, box)
        if at_high:
            self._close_slab(j, b, high, box)
        return self._narrowed(j, a, b, box)

    def _close_slab(self, j: int, a: int, b: int, box: Box) -> None:
        """Require that rows of enough weight are wrong where v_j is in [a, b] at an end."""
        low, high, wrong, rows = box
        require(low[j] <= a <= b <= high[j] and (a == low[j] or b == high[j]))
        z, weight = self.problem.columns[j], self.problem.weight
        move = high[j] - b if a == low[j] else low[j] - a
        wrong += sum([weight[i] for i, top, _ in rows if top <= z[i] * move])
        require(wrong >= self.problem.bound)

    def _narrowed(self, j: int, a: int, b: int, box: Box) -> Box:
        """Return the part of the box where v_j is in [a, b]."""
        low, high, wrong, rows = box
        require(low[j] <= a <= b <= high[j])
        z, weight = self.problem.columns[j], self.problem.weight
        up, down = a - low[j], high[j] - b
        kept = []
        for i, top, least in rows:
            q = z[i]
            new, lowest = (
                (top - q * down, least + q * up) if q > 0 else (top + q * up, least - q * down)
            )
            if new <= 0:
                wrong += weight[i]
            elif lowest <= 0:
                kept.append((i, new, lowest))
        return [*low[:j], a, *low[j + 1 :]], [*high[:j], b, *high[j + 1 :]], wrong, kept

    def _split(self, j: int, kept: int, box: Box) -> None:
        """Halve the box; halves not kept must reach the bound, the others come next."""
        low, high = box[0][j], box[1][j]
        cell = _cell(low, high)
        middle = low + cell * ((high - low) // cell // 2)
        for side, (a, b) in enumerate(((low, middle), (middle, high))):
            half = self._narrowed(j, a, b, box)
            if kept >> side & 1:
                self._wait(half)
            else:
                require(half[2] >= self.problem.bound)

    def _close_by_cores(self, box: Box, steps: Iterator[int]) -> None:
        """Each core has a row that is wrong at any one point of the box; no weight counts twice."""
        low, high, wrong, _ = box
        spent: dict[int, int] = {}
        while size := next(steps):
            require(size > 0)
            core = [(next(steps), next(steps)) for _ in range(size)]
            ids = [i for i, _ in core]
            require(all(0 <= i < len(self.problem.rows) and a >= 0 for i, a in core))
            require(any(a > 0 for _, a in core) and len(set(ids)) == size)
            together = combined([self.problem.rows[i] for i in ids], [a for _, a in core])
            require(_greatest(together, low, high) <= 0)
            least = min(self.problem.weight[i] - spent.get(i, 0) for i in ids)
            wrong += least
            for i in ids:
                spent[i] = spent.get(i, 0) + least
        # what was counted already, as wrong in all of the box, was counted whole
        wrong -= sum(spent[i] for i in self._all_wrong(box, spent))
        require(wrong >= self.problem.bound)

    def _close_by_lemma(self, box: Box, number: int) -> None:
        """All directions, hence all points of the box, make the lemma's mistakes on its rows."""
        ids, bound = self.lemmas[number]
        mine = self.problem.ids
        require(ids <= set(mine))
        counted = self._all_wrong(box, [i for i, name in enumerate(mine) if name in ids])
        require(box[2] - sum(self.problem.weight[i] for i in counted) + bound >= self.problem.bound)

    def _all_wrong(self, box: Box, ids: Iterable[int]) -> list[int]:
        """Return those of some rows that are wrong in all of a box."""
        low, high, _, rows = box
        still_open = {i for i, _, _ in rows}
        z = self.problem.rows
        return [i for i in ids if i not in still_open and _greatest(z[i], low, high) <= 0]


def _greatest(z: Row, low: Row, high: Row) -> int:
    """Return the greatest value of z.v in the box."""
    return sum([a * (b if a > 0 else c) for a, b, c in zip(z, high, low, strict=True)])


def _cell(low: int, high: int) -> int:
    """Return the power of two that goes 32 to 63 times into a side."""
    require(high - low >= 64)
    return 1 << (high - low).bit_length() - 6


def whole_rows(table: Table) -> list[Row]:
    """Return z_n, each column times the least power of two that makes it whole."""
    columns = []
    for column in list(zip(*table.points, strict=True))[0 if table.intercept else 1 :]:
        ratios = [x.as_integer_ratio() for x in column]
        lowest = min([(p & -p).bit_length() - q.bit_length() for p, q in ratios if p], default=0)
        shifts = [1 - lowest - q.bit_length() for _, q in ratios]
        columns.append(
            [p << s if s >= 0 else p >> -s for (p, _), s in zip(ratios, shifts, strict=True)]
        )
    rows = zip(*columns, strict=True)
    return [[y * a for a in row] for y, row in zip(table.y, rows, strict=True)]


def unpacked(text: str) -> Any:  # noqa: ANN401
    """Return the JSON in a compressed member, which may not be a bomb."""
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(text, validate=True), LARGEST_TREE)
        if not stream.eof or stream.unused_data:
            raise CannotCheck(f"a compressed part is cut short, or over {LARGEST_TREE:,} bytes")
        return json.loads(data)
    except (ValueError, RecursionError, zlib.error) as error:
        raise CannotCheck(f"a compressed part is not what it should be: {error}") from None


def _integers(item: Any) -> Any:  # noqa: ANN401
    """Return nested lists of integers, those written in hexadecimal read."""
    if isinstance(item, list):
        return [_integers(a) for a in item]
    if type(item) is int:
        return item
    value = rational(item) if isinstance(item, str) else Fraction(1, 2)
    if value.denominator != 1:
        raise CannotCheck("the proof about the mistakes of every line holds what is no integer")
    return value.numerator


def check_fewest(table: Table, claim: dict[str, Any]) -> list[str]:
    """Weigh the mistakes of a line, and show what those of every line weigh at least."""
    wrong_yes, wrong_no = (part(claim, key, float) for key in ("cost_wrong_yes", "cost_wrong_no"))
    unit = rational(part(claim, "unit", (int, str)))
    if unit <= 0 or wrong_yes <= 0.0 or wrong_no <= 0.0:
        raise CannotCheck("a unit or a cost is not positive")
    costs = {1: wrong_no, -1: wrong_yes}
    pairs = zip(table.weights, table.y, strict=True)
    weights = [Fraction(float(w) * costs[y]) for w, y in pairs]
    if not all(weights):
        raise CannotCheck("a weight times its cost is too small for a double")
    line = Line(table, rationals(claim, "weights", table.width))
    wrong = [n for n, sign in enumerate(line.signs()) if sign <= 0]
    above = sum((weights[n] for n in wrong), Fraction(0))
    proof = unpacked(part(claim, "proof", str))
    whole = [math.floor(w / unit) for w in weights]
    below = unit * mistakes_shown(whole_rows(table), whole, proof, table.look_at_the_clock)
    if below > above:
        raise Refuted("a bound from below is above what the line attains")
    if not wrong:
        return [f"The line in the proof makes no mistake on the {table.n:,} rows."]
    told = "no line has less" if below == above else "the least of all lines is open between them"
    told += " (rows on a line count as wrong)"
    if all(w == 1 for w in weights):
        text = f"Every line makes at least {several(int(below), 'mistake')} on the {table.n:,} rows"
        found = [f"{text}, and the line in the proof makes {int(above):,}: {told}."]
    else:
        text = f"The mistakes of every line weigh at least {short(below)}"
        found = [f"{text}, and those of the line in the proof {short(above)}: {told}."]
    if not wrong_yes == wrong_no == 1.0:
        found.append(
            f"There a wrong yes counts {short(Fraction(wrong_yes))}-fold, a wrong no "
            f"{short(Fraction(wrong_no))}-fold, each product rounded to a double."
        )
    return found


CHECKS: dict[str, Check] = {
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


# ---------------------------------------------------------------------- answers


def in_space(table: Table) -> str:
    """Return in which space lengths are measured."""
    return "measured in (1, x)" if table.intercept else "measured in x"


def counted(n: int) -> str:
    """Return "2,000", and a number too long for anybody to read to six digits."""
    return f"{n:,}" if n < 10**100 else short(Fraction(n))


def several(n: int, what: str) -> str:
    """Return "1 mistake" or "2,000 mistakes"."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def short(value: Fraction) -> str:
    """Return a rational as it is, or to six digits where that is longer."""
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 6, 10**17, -(10**17)
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):g}".lower()


def statements(proof_data: bytes, table_data: bytes, deadline: float = math.inf) -> list[str]:
    """Return what the proof proves about the table, in words made from what was checked.

    Raises
    ------
    Refuted, CannotCheck
    """
    proof = read_proof(proof_data)
    table = read_table(table_data, proof, deadline)
    claims = part(proof, "claims", list)
    if not claims:
        raise CannotCheck("the proof claims nothing")
    found = [_about(table, part(part(proof, "table", dict), "label", dict))]
    for claim in claims:
        kind = part(claim, "kind", str)
        if kind not in CHECKS:
            raise CannotCheck(f"this version knows no claim of the kind {kind[:40]!r}")
        found += CHECKS[kind](table, claim)
    return found


def _about(table: Table, label: dict[str, Any]) -> str:
    """Return which rows, columns and question the claims are about."""
    n_yes = sum(y > 0 for y in table.y)
    left_out = table.n_read - table.n
    parts = [
        f"The question: is column {_quoted([table.label])} {_quoted(sorted(_texts(label, 'yes')))} "
        f"(yes, {n_yes:,} rows) or not (no, {table.n - n_yes:,} rows)?",
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


def _quoted(names: Sequence[str], most: int = 12) -> str:
    """Return names that are safe to show, shortened after a few."""
    shown = ", ".join(ascii(name[:40]) if len(name) > 40 else _safe(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _safe(name: str) -> str:
    """Return a name in quotes; one that could play tricks on the eye in ASCII."""
    return repr(name) if name.isprintable() else ascii(name)


def check_files(proof: str, table: str, time_limit: float | None = None) -> tuple[int, str]:
    """Return the exit code and the answer for two files; never an exception."""
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    try:
        proof_data, table_data = _bytes(proof, LARGEST_PROOF), _bytes(table, LARGEST_TABLE)
        found = statements(proof_data, table_data, deadline)
    except Refuted as why:
        return REFUTED, f"REFUTED: {why}."
    except CannotCheck as why:
        return CANNOT_CHECK, f"CANNOT CHECK: {why}."
    except (MemoryError, RecursionError, ArithmeticError) as error:  # of Decimals, too
        return CANNOT_CHECK, f"CANNOT CHECK: too large for this machine ({type(error).__name__})."
    return VERIFIED, "\n".join(["VERIFIED", *found])


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
    if len(arguments) != 2 and limit is None:
        sys.stderr.write("use: verify.py PROOF TABLE [--time-limit SECONDS]\n")
        return USAGE
    code, answer = check_files(arguments[0], arguments[1], limit)
    sys.stdout.buffer.write((answer + "\n").encode("utf-8", "backslashreplace"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
