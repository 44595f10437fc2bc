"""Check a separatrix proof file against its table, trusting neither the file nor who made it.

    python verify.py PROOF TABLE... [--time-limit SECONDS] [--memory-limit MIB]

Needs Python 3.8+ and its standard library, nothing else: copy this one file to wherever you trust.
It answers

- VERIFIED, followed by what was checked, in words made here from the numbers checked here: the
  words in the proof file are for people and prove nothing; if they differ from ours, the output
  says so;
- REFUTED, when the proof does not hold;
- CANNOT CHECK, when it is not such a proof, not about this table, or a limit was met.

The exit code is 0, 1, 3; 2 for wrong use. The limits are 600 seconds and, beside what Python takes
itself, 2048 MiB unless told.
The table is a plain one: a CSV file, or .npy files in the order of the proof (`Csv`, `Npy`, `Csr`).

The rows: z_n = y_n (1, x_n), y_n = +1 for yes and -1 for no; without an intercept y_n (0, x_n).
A double is a whole number times a power of two, so each column is a power of two times whole
numbers (`Table.scaled`), and all is decided on these: no rounding, no tolerance. Doubles are only
used where a claim is about doubles (PLA, standardised columns); logarithms are rounded outwards.
The labels of all rows are read; the numbers of a row when a claim is about it (`Table.columns`).

Contents
    Limits                  on memory
    The proof file          `read_proof`; `Part`, the one way in which its members are read
    The table               `Table`: its rows, or some of them
    The files of a table    `Csv`, `Npy`, `Csr`
    Several questions       `questions`: what a rule asks about the classes of a table
    Exact arithmetic        `whole`, `Line`, `Survey`, `combination`, `rank_at_least`
    Claims on separation    lines, refusals, margins, coefficients that diverge
    Claims on runs of PLA   and its bound on updates
    Claims on optima        least squares and logistic regression, by the shares of the rows
    Likelihood intervals    of coefficients of logistic regression, in the same way
    Claims on mistakes      of a line; of all lines, by rows that contradict each other
    The fewest mistakes     of all lines, by boxes: read this last
    Answers                 `statements`, the words; the command line

`proof.schema.json` says what each claim holds.
"""

from __future__ import annotations

import argparse
import base64
import gc
import hashlib
import io
import json
import math
import os
import re
import sys
import threading
import zlib
from array import array
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    localcontext,
)
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import chain, repeat
from operator import mul, or_
from pathlib import Path
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
)

VERIFIED, REFUTED, CANNOT_CHECK = 0, 1, 3  # argparse has 2, for wrong use

FORMAT = "separatrix proof"
VERSION = 6
MOST_CLASSES = 100
LONGEST_NUMBER = 2**16  # hexadecimal digits
MOST_DIGITS = 4300  # of a whole number in JSON
LONGEST_RATIO = 2**17  # bits of a numerator or denominator that is worked out
LONGEST_VECTOR = 2**22  # bits of the numbers of a line together
LONGEST_TEXT = 131_072  # characters
LONGEST_NAME = 200  # characters of a column, a label or a level
MOST_SHOWN = 12  # names of a list
MOST_FEATURES = 100_000
MOST_CLAIMS = 10_000
LEAST_FILES = {"csv": 1, "npy": 1, "csr": 4}
MOST_FILES = {"csv": 1, "npy": 3, "csr": 5}
LARGEST_TREE = 2**25  # bytes of a compressed member, unpacked

SHA256 = re.compile("[0-9a-f]{64}")
HEXADECIMAL = re.compile(r"-?[0-9a-f]+(?:/[0-9a-f]*[1-9a-f][0-9a-f]*)?")
POSITIVE = re.compile(r"[0-9a-f]*[1-9a-f][0-9a-f]*")
LONG_NUMBER = re.compile(rb"(?<![\"0-9a-f])[0-9]{%d}" % (MOST_DIGITS + 1))  # in no text

ZERO, ONE = Fraction(0), Fraction(1)
PRIME = 2**61 - 31  # no power of two that numbers are apart is 1 modulo it

Json = Any
Found = TypeVar("Found")
Row = Sequence[int]
Sparse = Dict[int, int]  # a row by the places of its numbers that are not zero
Vector = Sequence[Fraction]
SparseVector = Dict[int, Fraction]  # likewise
Vectors = Sequence[SparseVector]


class Refuted(Exception):  # noqa: N818  # an answer, not an error
    """The proof does not hold."""


class CannotCheck(Exception):  # noqa: N818  # likewise
    """Nothing can be said, for this reason."""


# ---------------------------------------------------------------------- limits

TIME_LIMIT = 600.0  # seconds
MEMORY_LIMIT = 2.0**31  # bytes
ROOM = 512  # bytes that a number in a list may come to take
MOST_MEMORY: ContextVar[float] = ContextVar("MOST_MEMORY", default=math.inf)  # bytes


def hold(size: float, what: str) -> None:
    """Stop where a size in bytes, estimated before it is taken, is beyond the limit."""
    if size > MOST_MEMORY.get():
        need = f"takes about {size / 2**20:,.0f} MiB"
        raise CannotCheck(f"{what} {need} (raise the limit with --memory-limit MIB)")


Words = List[str]
Observer = Union["Survey", "Radius", "Errors"]  # is shown all rows, tile by tile, in order
Asking = Generator[Sequence[Observer], None, Found]  # yields what all rows are to be shown to
Check = Callable[["Table", "Part"], Union[Words, Asking[Words]]]


# ---------------------------------------------------------------------- the proof file


ORDER = "the first argument is the proof and the second its table, not the other way round"


class Malformed(CannotCheck):
    """The file has not the form of a proof."""


def read_proof(data: bytes) -> Part:
    """Return the parsed file; `CannotCheck` for anything but a strict JSON object of its format."""
    hold(32 * len(data), "reading the proof")
    hold(_room(data, b",[{"), "reading the members of the proof")
    try:
        proof = json.loads(
            data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_finite,
            parse_float=_finite, parse_int=_not_long,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        swapped = "" if data.lstrip().startswith(b"{") else f"; {ORDER}"
        raise CannotCheck(f"the proof is not the JSON it should be: {error}{swapped}") from None
    if not isinstance(proof, dict) or proof.get("format") != FORMAT:
        raise Malformed(f'the proof does not say "format": "{FORMAT}"')
    version = proof.get("version")
    if type(version) is int and 0 < version < VERSION:
        raise Malformed(
            f"the proof is of format {version}, which is no longer read. Make it again: separatrix "
            "prove TABLE -o PROOF (or learn, or infer, with --proof PROOF)"
        )
    if type(version) is not int or version != VERSION:
        raise Malformed(f"the proof's version is not {VERSION}: use the verify.py it came with")
    found = Part(proof)
    for key in ("format", "version", "made_by", "left_out"):
        found.has(key)  # information, or looked at above
    found.read("claim", a_list(a_text()))
    return found


def _room(data: bytes, marks: bytes) -> int:
    """Return how many bytes lists, members and what stands in them may take, before any is made."""
    return ROOM * sum(data.count(mark) for mark in marks)


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _finite(text: str) -> float | int:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no finite number")
    return int(value) if value.is_integer() else value  # 1.0 is a whole number, as in JSON Schema


def _not_long(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("a number is too long")
    return int(text)


def rational(value: Json) -> Fraction:
    """Return a number of the proof: a JSON number (a double, exactly), or "p/q" in hexadecimal."""
    if not isinstance(value, str):
        return Fraction(value)
    above, _, below = value.partition("/")
    return Fraction(int(above, 16), int(below or "1", 16))


Kind = Callable[[Json], bool]  # whether a member is one


def a_text(most: int = LONGEST_TEXT, like: re.Pattern[str] | None = None) -> Kind:
    def is_one(value: Json) -> bool:
        is_right = type(value) is str and len(value) <= most
        return is_right and (like is None or like.fullmatch(value) is not None)

    return is_one


def one_of(*values: Json) -> Kind:
    """Return the kind of some texts, whole numbers or truth values."""
    known = [(type(one), one) for one in values]
    return lambda value: (type(value), value) in known


def a_list(of: Kind, least: int = 0, most: float = math.inf) -> Kind:
    return lambda value: type(value) is list and least <= len(value) <= most and all(map(of, value))


def places(least: int = 0) -> Kind:
    """Return the kind of a list of different whole numbers that are not negative."""
    some = a_list(PLACE, least)
    return lambda value: some(value) and len(set(value)) == len(value)


def any_of(*kinds: Kind) -> Kind:
    return lambda value: any(kind(value) for kind in kinds)


OBJECT: Kind = lambda value: type(value) is dict  # noqa: E731  # as are all kinds
INTEGER: Kind = lambda value: type(value) is int  # noqa: E731
PLACE: Kind = lambda value: type(value) is int and value >= 0  # noqa: E731
COST: Kind = lambda a: type(a) in (int, float) and 0 < a <= sys.float_info.max  # noqa: E731
RATIO, MULTIPLIER = a_text(LONGEST_NUMBER, HEXADECIMAL), a_text(LONGEST_NUMBER, POSITIVE)
NUMBER = any_of(lambda value: type(value) in (int, float), RATIO)
NAME, NAMES = a_text(LONGEST_NAME), a_list(a_text(LONGEST_NAME), 0, MOST_FEATURES)
SIDE, SOME_CLAIMS = one_of(1, -1), a_list(OBJECT, 1, MOST_CLAIMS)
SOME_CLASSES = a_list(NAME, 2, MOST_CLASSES)


class Part:
    """An object in the proof. Each member is read here, of its kind; no other may be there."""

    def __init__(self, data: dict[str, Json], name: str = "") -> None:
        self.data, self.name, self.unread = data, name, set(data)
        self.inner: dict[str, list[Part]] = {}

    def has(self, key: str) -> bool:
        self.unread.discard(key)
        return key in self.data

    def read(self, key: str, kind: Kind) -> Json:
        """Return a member, which must be of a kind."""
        if not self.has(key) or not kind(self.data[key]):
            raise Malformed(f"{key[:40]!r} in the proof is missing or of the wrong kind")
        return self.data[key]

    def must_be_read(self) -> None:
        """Stop where the proof holds more than was read."""
        for part in chain.from_iterable(self.inner.values()):
            part.must_be_read()
        for key in self.unread:
            raise Malformed(f"{key[:40]!r} in the proof is not known there")

    def part(self, key: str) -> Part:
        data = self.read(key, OBJECT)
        return self.inner.setdefault(key, [Part(data, self.name)])[0]

    def parts(self, key: str, least: int = 0) -> list[Part]:
        data = self.read(key, a_list(OBJECT, least))
        return self.inner.setdefault(key, [Part(one, self.name) for one in data])

    def number(self, key: str) -> Fraction:
        return rational(self.read(key, NUMBER))

    def numbers(self, key: str, size: int, kind: Kind = NUMBER) -> list[Fraction]:
        """Return a list of `size` numbers."""
        values = self.read(key, a_list(kind))
        if len(values) != size:
            raise CannotCheck(f"{key!r} has {len(values)} numbers where {size} belong")
        return list(map(rational, values))

    def vectors(self, key: str, size: int) -> list[SparseVector]:
        """Return a list of vectors of `size` numbers, without their zeros."""
        found = []
        for told in self.read(key, lambda value: type(value) is list):
            part = Part(told if OBJECT(told) else {"indices": [*range(size)], "values": told})
            at = part.read("indices", places(1))
            values = part.numbers("values", len(at))
            part.must_be_read()
            if max(at) >= size:
                raise CannotCheck(f"{key!r} has a number in a place that there is not")
            found.append({j: a for j, a in zip(at, values) if a})
        return found

    def rows(self, key: str, table: Table, least: int = 1, kind: Kind | None = None) -> list[int]:
        """Return rows of the table, by their place: different ones, if nothing else is said."""
        rows: list[int] = self.read(key, kind or places(least))
        if max(rows, default=0) >= table.n:
            raise CannotCheck("the proof names a row that the table lacks")
        return rows

    def multipliers(self, table: Table) -> tuple[list[int], list[int]]:
        """Return different rows, one at least, and their positive whole multipliers."""
        rows = self.rows("rows", table)
        return rows, [a.numerator for a in self.numbers("multipliers", len(rows), MULTIPLIER)]

    def line(self, table: Table) -> Survey:
        """Return the line of the claim."""
        if not any(weights := self.numbers("weights", table.width)):
            raise Refuted("all weights of the line are zero")
        return Survey(table, weights)


# ---------------------------------------------------------------------- the table

# of some rows: the places of those that have a number (a range where all may), and their numbers
Column = Tuple[Sequence[int], Sequence[Any]]
Columns = Dict[int, Column]  # a column that is not here is 0


class Source:
    """Rows of numbers that are read when they are looked at, in memory or in files."""

    names: list[str]  # of columns
    files: Sequence[File] = ()
    features: Sequence[Feature] = ()
    n: int
    n_numbers: int  # that are held of all rows, about
    unit, first = "row", 1  # the word for where a row stands, and where the first does
    # the features of some rows, column by column; of levels, their places
    read: Callable[[Sequence[int]], list[Sequence[float]]]

    def columns(self, rows: Sequence[int], x0: float) -> Columns:
        """Return the columns of some rows: of x_0, and of the features from 1 on."""
        found = constant(x0, len(rows))
        for feature, values in zip(self.features, self.read(rows) if rows else []):
            if not feature.levels:
                found[feature.start] = range(len(rows)), values
                continue
            places: dict[int, list[int]] = {}
            for k, level in enumerate(values):
                if level:
                    places.setdefault(feature.start + int(level) - 1, []).append(k)
            found.update((j, (at, [1.0] * len(at))) for j, at in places.items())
        return found

    def keep(self) -> None:
        """Keep all numbers from now on, where they are not many, or not at hand."""


@dataclass
class Table:
    """The rows that a question is about, or some of them."""

    names: list[str]  # of the d + 1 weights of a line, "intercept" first
    intercept: bool
    y: Sequence[int]  # +1 or -1; where several questions are asked, the class, from 1 on
    weights: Sequence[float | Fraction]  # none where each is 1
    source: Source  # what has their numbers
    index: Sequence[int]  # which rows these are there
    # what is done to their columns
    change: Callable[[Columns, int], Columns] = lambda columns, _: columns

    @property
    def n(self) -> int:
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
    def sides(self) -> Counter[int]:
        return Counter(self.y)

    def weight(self, n: int) -> Fraction:
        return Fraction(self.weights[n]) if self.weights else ONE

    def weigh(self, rows: Sequence[int]) -> Fraction:
        return total(map(self.weight, rows)) if self.weights else Fraction(len(rows))

    @cached_property
    def masses(self) -> tuple[list[int], int]:
        """The weights of all rows as whole numbers, and what these are over."""
        return whole(self.weights or repeat(ONE, self.n))

    def where(self, rows: Sequence[int]) -> str:
        """Return "lines 3, 5 and 8", shortened."""
        first = self.source.first
        return in_lines([first + self.index[n] for n in rows], self.source.unit)

    def take(self, rows: Sequence[int]) -> Table:
        """Return some of the rows."""

        def of(values: Any) -> Any:  # noqa: ANN401  # of the same kind where rows are a range
            if isinstance(rows, range):
                return values[rows.start : rows.stop]
            return [values[n] for n in rows]

        if len(rows) == self.n and [*rows] == [*range(self.n)]:
            return self
        weights = of(self.weights) if self.weights else ()
        some = replace(self, y=of(self.y), weights=weights, index=of(self.index))
        if "columns" in self.__dict__ and 4 * len(rows) > self.n:  # else they are read once more
            place = {n: k for k, n in enumerate(rows)}
            some.columns = {}
            for j, (at, values) in self.columns.items():
                if isinstance(at, range):
                    some.columns[j] = range(len(rows)), of(values)
                elif there := [(place[n], a) for n, a in zip(at, values) if n in place]:
                    some.columns[j] = [k for k, _ in there], [a for _, a in there]
        return some

    def tiles(self) -> Iterable[Table]:
        """Return all rows, some at a time where they are many."""
        self.source.keep()
        if self.n * self.numbers_of_a_row <= KEPT_ROWS and self.room <= MOST_MEMORY.get():
            return [self]
        size = min(TILE, max(64, NUMBERS_OF_A_TILE // self.numbers_of_a_row))
        starts = range(0, self.n, size)
        return (self.take(range(k, min(self.n, k + size))) for k in starts)

    def observed(self, *asked: Observer) -> None:
        """Show all rows to those who ask."""
        for tile in self.tiles() if asked else ():
            for one in asked:
                one.add(tile)

    @property
    def numbers_of_a_row(self) -> int:
        return 1 + self.source.n_numbers // self.source.n

    @property
    def room(self) -> int:
        """About how many bytes the rows take in memory."""
        return self.n * (400 + 100 * self.numbers_of_a_row)

    @cached_property
    def columns(self) -> Columns:
        """The columns x_0, x_1, ..., x_d in doubles; x_0 = 1 with an intercept, else 0."""
        hold(self.room, f"a look at {several(self.n, 'row')} at once")
        if self.n > TILE:
            self.source.keep()
        return self.change(self.source.columns(self.index, float(self.intercept)), self.n)

    @cached_property
    def largest(self) -> dict[int, float]:
        """The size of the largest number in each column."""
        return {j: max(map(abs, values), default=0.0) for j, (_, values) in self.columns.items()}

    @cached_property
    def lengths(self) -> list[float]:
        """Those of the rows, in doubles."""
        full = [values for at, values in self.columns.values() if isinstance(at, range)]
        found = [math.hypot(*x) for x in zip(*full)] if full else [0.0] * self.n
        for at, values in self.columns.values():
            if not isinstance(at, range):
                for k, a in zip(at, values):
                    found[k] = math.hypot(found[k], a)
        return found

    @cached_property
    def scaled(self) -> tuple[Columns, dict[int, Fraction]]:
        """Columns of whole numbers, and the unit of each, a power of two: z_nj over its unit.

        Each unit is the greatest that leaves the column whole.
        """
        found: Columns = {}
        units, size = {}, 0
        for j, (at, column) in self.columns.items():
            values, units[j] = whole_doubles(column)
            longest = max(map(abs, values), default=0).bit_length()
            size += len(values) * (longest // 8 + 60)
            hold(size, "a table of values so far apart")
            signs = self.y if isinstance(at, range) else map(self.y.__getitem__, at)
            found[j] = at, [*map(mul, signs, values)]
        return found, units

    @cached_property
    def rows(self) -> list[Sparse]:
        """The rows of whole numbers."""
        return by_rows(self.scaled[0], self.n)

    def agreements(self, weights: Vector | SparseVector) -> tuple[list[int], int]:
        """Return y_n w.x_n of each row for a line w (1+d,), times a whole number, and that."""
        columns, units = self.scaled
        there = {j: a for j, a in nonzero(weights, self).items() if j in columns}
        found, below = whole(a * units[j] for j, a in there.items())
        longest = max(map(int.bit_length, found), default=0)
        hold(16 * self.n * (longest // 8 + 40), "a line of long numbers")
        if sum(map(int.bit_length, found)) > LONGEST_VECTOR:
            raise CannotCheck(TOO_LONG)
        return scores_of(columns, dict(zip(there, found)), self.n), below


def by_rows(columns: Columns, n: int) -> list[dict[int, Any]]:
    """Return rows by the places of their numbers that are not zero."""
    found: list[dict[int, Any]] = [{} for _ in range(n)]
    for j, (at, values) in columns.items():
        for k, a in zip(at, values):
            if a:
                found[k][j] = a
    return found


def scores_of(columns: Columns, weights: Mapping[int, Any], n: int) -> list[Any]:
    """Return w.x of each of n rows."""
    there = [(a, *columns[j]) for j, a in weights.items() if j in columns]
    full = [(a, values) for a, at, values in there if isinstance(at, range)]
    found = [0] * n
    if full:
        line, of_line = zip(*full)
        found = [sum(map(mul, line, x)) for x in zip(*of_line)]
    for a, at, values in there:
        if not isinstance(at, range):
            for k, value in zip(at, values):
                found[k] += a * value
    return found


def in_lines(lines: Sequence[int], unit: str = "line", most: int = 12) -> str:
    """Return "lines 3, 5 and 8", shortened."""
    found = [str(line) for line in lines[:most]]
    if len(lines) == 1:
        return f"{unit} {found[0]}"
    if len(lines) > most:
        found.append(f"{len(lines) - most} more")
    return f"{unit}s {', '.join(found[:-1])} and {found[-1]}"


# ---------------------------------------------------------------------- the files of a table
#
# csv    A plain CSV file: UTF-8 without a byte-order mark, cells between commas, a row a line that
#        ends with LF or CR LF, a cell as it stands or within quotes (RFC 4180), and in the first
#        line the names of the columns, printable and each another one. A column is of numbers, as
#        they are written in JSON or nearly so, or of levels: a feature that is 0 or 1 for each, but
#        for the first. Nothing is missing, and every row takes part.
# npy    Files as numpy writes them, in C order: rows of numbers, and columns that stand alone.
# csr    The same, where data, indices and indptr of a sparse table stand in place of its rows.
#
# The labels and weights of all rows are read at once, the numbers of a row when it is looked at.

PIECE = 2**20  # bytes that are read at once
TILE = 4096  # rows that are looked at together, at the most
NUMBERS_OF_A_TILE = 2**16  # likewise
KEPT_ROWS = 2**20  # numbers of a table whose rows are kept
KEPT_NUMBERS = 2**23  # numbers of a CSV file that are kept
NEWLINE = re.compile(b"\n")
NUMBERS = re.compile(r"[0-9eE.+-]*")
CELL = r'(?:"[^"]*(?:""[^"]*)*"|[^",]*)'
RECORD, NEXT_CELL = re.compile(f"{CELL}(?:,{CELL})*"), re.compile(f"({CELL})(?:,|$)")
MAGIC = b"\x93NUMPY"
HEADER = re.compile(
    rb"\{'descr': '([<>|])([fiub][1248])', 'fortran_order': (False|True), "
    rb"'shape': \(([0-9]{1,18}),(?: ([0-9]{1,18}))?\), \} *\n"
)
NUMBERS_OF = {
    b"f4": "f", b"f8": "d", b"i1": "b", b"i2": "h", b"i4": "i", b"i8": "q",
    b"u1": "B", b"u2": "H", b"u4": "I", b"u8": "Q", b"b1": "B",
}  # fmt: skip


class AnotherTable(CannotCheck):
    """What is given is not the table that the proof is about."""


class File:
    """A file of a table, which must have the SHA-256 of the proof."""

    def __init__(self, file: BinaryIO, sha256: str) -> None:
        self.file, self.sha256 = file, sha256
        self.size = file.seek(0, 2)
        self.must_be_that_of_the_proof()

    def must_be_that_of_the_proof(self) -> None:
        """Stop at another file."""
        digest = hashlib.sha256()
        for piece in self.pieces():
            digest.update(piece)
        if digest.hexdigest() != self.sha256:
            raise AnotherTable("this is not the table of the proof: its SHA-256 is another one")

    def pieces(self) -> Iterator[bytes]:
        self.file.seek(0)
        while piece := self.file.read(PIECE):
            yield piece

    def read(self, start: int, stop: int) -> bytes:
        hold(8 * (stop - start), "a part of the table")
        self.file.seek(start)
        data = self.file.read(stop - start)
        if len(data) < stop - start:
            raise CannotCheck("a file of the table is shorter than it says")
        return data


@dataclass(frozen=True)
class Feature:
    """A column of the table that makes features, from `start` on among the weights of a line."""

    index: int
    levels: dict[str, int]  # the place of each; none of a column of numbers
    start: int


class Csv(Source):
    """The rows of a plain CSV file."""

    unit, first = "line", 2

    def __init__(self, files: Sequence[File], columns: Sequence[Feature]) -> None:
        (self.file,), self.files, self.features = files, files, columns
        self.starts = array("Q", [0])
        at = 0
        for piece in self.file.pieces():
            self.starts.extend(at + end.end() for end in NEWLINE.finditer(piece))
            hold(16 * len(self.starts), "the places of the lines of the table")
            at += len(piece)
        if self.starts[-1] < at:
            self.starts.append(at)
        self.n = len(self.starts) - 2
        if self.n < 1:
            raise CannotCheck("the table has no rows")
        self.names: list[str] = []
        self.names = self._records(0, 1)[0]
        if not all(map(is_a_name, self.names)) or len(set(self.names)) < len(self.names):
            raise CannotCheck("the columns of the table have no names that tell them apart")
        self.n_numbers = self.n * (1 + len(columns))
        self.kept: list[array[float]] = []

    def _records(self, start: int, stop: int) -> list[list[str]]:
        """Return the cells of some lines of the file."""
        try:
            text = self.file.read(self.starts[start], self.starts[stop]).decode("utf-8")
        except ValueError:
            raise CannotCheck("the table is not UTF-8") from None
        text = text.replace("\r\n", "\n")
        if "\0" in text or "\r" in text or (start == 0 and text.startswith("\ufeff")):
            raise CannotCheck(
                "the table holds NUL, a byte-order mark, or CR alone: it is not plain"
            )
        lines = text.split("\n")
        if len(lines) > stop - start:
            del lines[-1]
        found = list(map(cells_of, lines)) if '"' in text else [line.split(",") for line in lines]
        width = len(self.names or found[0])
        if any(len(cells) != width for cells in found):
            k = next(k for k, cells in enumerate(found) if len(cells) != width)
            raise CannotCheck(f"line {start + k + 1} of the table has {len(found[k])} cells")
        return found

    def picked(self, places: Sequence[int], start: int, stop: int) -> list[Sequence[Any]]:
        """Return some columns of some rows."""
        records = self._records(start + 1, stop + 1)
        return [[cells[j] for cells in records] for j in places]

    def keep(self) -> None:
        size = len(self.features)
        if not self.kept and self.n * size <= min(KEPT_NUMBERS, MOST_MEMORY.get() / 16):
            kept = [array("d") for _ in self.features]
            for start in range(0, self.n, TILE):
                columns = self.read(range(start, min(self.n, start + TILE)))
                for column, values in zip(kept, columns):
                    column.extend(values)
            self.kept = kept

    def read(self, rows: Sequence[int]) -> list[Sequence[float]]:
        if self.kept and isinstance(rows, range):
            return [column[rows.start : rows.stop] for column in self.kept]
        if self.kept:
            return [[column[n] for n in rows] for column in self.kept]
        if isinstance(rows, range):
            records: Iterable[list[str]] = self._records(rows.start + 1, rows.stop + 1)
        else:
            records = (self._records(n + 1, n + 2)[0] for n in rows)
        cells = list(zip(*records))
        return [self._typed(cells[c.index], c.levels, rows) for c in self.features]

    def _typed(
        self, cells: Sequence[str], levels: Mapping[str, int], rows: Sequence[int]
    ) -> Sequence[float]:
        if not levels:
            return numbers_in(cells, [n + 2 for n in rows])
        try:
            return list(map(levels.__getitem__, cells))
        except KeyError:
            n = next(n for n, cell in zip(rows, cells) if cell not in levels)
            raise CannotCheck(f"line {n + 2}: a level that the proof lacks") from None


def constant(x0: float, n: int) -> Columns:
    """Return the columns of n rows without features."""
    return {0: (range(n), [x0] * n)} if x0 else {}


def cells_of(line: str) -> list[str]:
    """Return the cells of a line, of which some may stand in quotes."""
    if not RECORD.fullmatch(line):
        raise CannotCheck("the table has a quote mark that does not stand around a whole cell")
    found, at = [], 0
    while at <= len(line):
        cell = NEXT_CELL.match(line, at)
        assert cell is not None  # noqa: S101  # a record is cells
        found.append(cell[1])
        at = cell.end() + (cell.end() == cell.end(1))  # the last cell has no comma after it
    return [cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell for cell in found]


def numbers_in(cells: Sequence[str], lines: Sequence[int] = ()) -> list[float]:
    """Return the doubles nearest to what is written, in a label of the proof or in some lines."""
    why = "a cell is no number"
    with suppress(ValueError):
        if NUMBERS.fullmatch("".join(cells)):
            values = list(map(float, cells))
            if are_finite(values):
                return values
            why = "a number is too large"
    if len(cells) == 1 or not lines:
        raise CannotCheck(f"{f'line {lines[0]}' if lines else 'a label of the proof'}: {why}")
    return [numbers_in([cell], [line])[0] for cell, line in zip(cells, lines)]


def are_finite(values: Sequence[float]) -> bool:
    """Whether all are: a sum shows it, unless it is too large."""
    return math.isfinite(sum(values)) or all(map(math.isfinite, values))


class Array:
    """The numbers in an .npy file."""

    def __init__(self, file: File) -> None:
        self.file = file
        start = file.read(0, min(file.size, 2**16 + 12))
        if start[:6] != MAGIC or start[6:8] not in (b"\1\0", b"\2\0", b"\3\0"):
            raise CannotCheck("a file of the table is no .npy file")
        at = 10 if start[6] == 1 else 12
        self.start = at + int.from_bytes(start[8:at], "little")
        found = HEADER.fullmatch(start[at : self.start])
        if (
            self.start > len(start)
            or found is None
            or (found[3] == b"True" and found[5])
            or found[2] not in NUMBERS_OF
        ):
            wanted = "its header does not say numbers in C order, of one or two dimensions"
            raise CannotCheck(f"a file of the table is no .npy file that is read here: {wanted}")
        self.kind, self.code = found[2], NUMBERS_OF[found[2]]
        self.swapped = found[1] != b"|" and (found[1] == b"<") != (sys.byteorder == "little")
        self.n, self.width, self.is_flat = int(found[4]), int(found[5] or 1), found[5] is None
        self.of_row = self.width * array(self.code).itemsize
        if file.size != self.start + self.n * self.of_row:
            raise CannotCheck("a file of the table is shorter or longer than its header says")

    def numbers(self, start: int, stop: int) -> array[Any]:
        found = array(self.code)
        of_row = self.of_row
        found.frombytes(self.file.read(self.start + start * of_row, self.start + stop * of_row))
        if self.swapped:
            found.byteswap()
        if self.kind == b"b1" and found and max(found) > 1:
            raise CannotCheck("a file of the table holds a truth value that is neither 0 nor 1")
        if self.code in "fd" and not are_finite(found):
            raise CannotCheck("a file of the table holds what is no finite number")
        return found


class Npy(Source):
    """The rows of .npy files: rows of numbers, and columns that stand alone after them."""

    def __init__(self, files: Sequence[File], columns: Sequence[Feature]) -> None:
        self.files, self.features = files, columns
        self.rows, *self.alone = map(Array, files)
        self.n = self.rows.n
        self.n_numbers = self.n * (1 + len(columns))
        if any(column.levels for column in columns):
            raise CannotCheck("the proof reads levels in a table of numbers")
        self._settle(self.rows.width)

    def _settle(self, width: int) -> None:
        """Name the columns, once the files fit one another."""
        if not 0 < self.n < 2**40 or not 0 < width <= MOST_FEATURES + 2:
            raise CannotCheck("the table has no rows, no columns, or too many")
        if any(one.n != self.n or not one.is_flat for one in self.alone):
            raise CannotCheck("there are not as many labels or weights as rows")
        self.width = width
        self.names = [f"column {k}" for k in range(1, width + len(self.alone) + 1)]

    def picked(self, places: Sequence[int], start: int, stop: int) -> list[Sequence[Any]]:
        return [
            self.alone[j - self.width].numbers(start, stop) if j >= self.width
            else self.rows.numbers(start, stop)[j :: self.width] for j in places
        ]  # fmt: skip

    def read(self, rows: Sequence[int]) -> list[Sequence[float]]:
        runs = [rows] if isinstance(rows, range) else [range(n, n + 1) for n in rows]
        numbers: array[Any] = array(self.rows.code)
        for run in runs:
            numbers += self.rows.numbers(run.start, run.stop)
        return [array("d", numbers[c.index :: self.width]) for c in self.features]


class Csr(Npy):
    """The same of a sparse table."""

    def __init__(self, files: Sequence[File], columns: Sequence[Feature]) -> None:
        self.files, self.features = files, columns
        self.data, self.at, ends, *self.alone = map(Array, files)
        self.n = ends.n - 1
        self.n_numbers = self.n + self.data.n
        hold(16 * ends.n, "the places of the rows of the table")
        self.ends = ends.numbers(0, ends.n)
        if [(c.index, c.levels) for c in columns] != [(j, {}) for j in range(len(columns))]:
            raise CannotCheck("the features of a sparse table are not its columns, in order")
        flat = self.data.is_flat and self.at.is_flat and ends.is_flat
        whole = flat and not {self.at.code, ends.code} & {"f", "d"} and self.data.n == self.at.n
        if not (whole and self.ends and self.ends[0] == 0 and self.ends[-1] == self.data.n):
            raise CannotCheck("the files of a sparse table do not fit one another")
        self._settle(len(columns))

    def columns(self, rows: Sequence[int], x0: float) -> Columns:
        found: dict[int, tuple[list[int], list[float]]] = {}
        for k, n in enumerate(rows):
            start, stop = self.ends[n], self.ends[n + 1]
            if not 0 <= start <= stop <= self.data.n:
                raise CannotCheck("a row of a sparse table ends before it begins")
            at = self.at.numbers(start, stop)
            if any(a >= b for a, b in zip(at, at[1:])) or not (
                not at or 0 <= at[0] <= at[-1] < self.width
            ):
                raise CannotCheck("the numbers of a row of a sparse table are not in order")
            for j, value in zip(at, self.data.numbers(start, stop)):
                places, values = found.setdefault(j + 1, ([], []))
                places.append(k)
                values.append(float(value))
        return {**constant(x0, len(rows)), **found}


SOURCES: dict[str, type[Csv] | type[Npy]] = {"csv": Csv, "npy": Npy, "csr": Csr}


def used(told: Part) -> tuple[list[int], list[Feature]]:
    """Return which columns of a table hold labels and weights, and those that make features."""
    answers = [told.part("label").read("index", PLACE)]
    if told.has("weight"):
        answers.append(told.read("weight", PLACE))
    known = told.read("columns", a_list(any_of(PLACE, OBJECT), 1, MOST_FEATURES))
    features, width = [], 1
    for one in known:
        part = Part(one if OBJECT(one) else {"index": one})
        levels = part.read("levels", a_list(NAME, 2)) if OBJECT(one) else []
        at = {text: k for k, text in enumerate(levels)}
        if len(at) < len(levels):
            raise CannotCheck("one level stands for two things")
        features.append(Feature(part.read("index", PLACE), at, width))
        part.must_be_read()
        width += max(1, len(levels) - 1)
    if width > MOST_FEATURES + 1:
        raise CannotCheck("the proof makes too many features of the table")
    return answers, features


def classes_of(proof: Part) -> list[str]:
    """Return the labels of a table: no and yes, or those of its classes."""
    found: list[str] = proof.part("table").part("label").read("classes", SOME_CLASSES)
    if (len(found) > 2) != proof.has("multiclass"):
        raise Malformed("'multiclass' in the proof is missing, or of two classes")
    return found


def opened(proof: Part, files: Sequence[BinaryIO]) -> Table:
    """Return the table of a proof, given its files."""
    told = proof.part("table")
    parts, form = told.parts("files", 1), told.read("format", one_of(*SOURCES))
    told.has("made_of")  # information
    if len(parts) != len(files):
        raise AnotherTable(f"the table of the proof is {several(len(parts), 'file')}")
    if not LEAST_FILES[form] <= len(files) <= MOST_FILES[form]:
        raise CannotCheck("the table has too few or too many files for its format")
    found = [
        File(file, part.read("sha256", a_text(64, SHA256))) for file, part in zip(files, parts)
    ]
    for part in parts:
        part.has("name")  # information
    answers, features = used(told)
    source = SOURCES[form](found, features)
    classes = classes_of(proof)
    signs = dict(zip(classes, range(1, len(classes) + 1) if len(classes) > 2 else (-1, 1)))
    all_used = [*answers, *(feature.index for feature in features)]
    if len(set(all_used)) < len(all_used) or max(all_used) >= len(source.names):
        raise CannotCheck("the proof uses a column of the table twice, or one that it lacks")
    if len(signs) < len(classes):
        raise CannotCheck("one label stands for two things")
    if isinstance(source, Npy) and max(all_used[len(answers) :]) >= source.width:
        raise CannotCheck("a feature stands in a file of labels or weights")
    _refuse_a_row_as_names(source, features, answers[0], signs)
    y, weights = _labels_and_weights(source, answers, signs)
    names, intercept = (
        _feature_names(features, source.names),
        proof.read("intercept", one_of(False, True)),
    )
    return Table(names, intercept, y, weights, source, range(source.n))


def is_a_name(text: str) -> bool:
    """Whether a text can be printed as it is."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable()


def _feature_names(columns: Sequence[Feature], names: Sequence[str]) -> list[str]:
    """Return the names of the weights, unlike one another and those of all columns."""
    found: list[str] = []
    made: list[str] = []
    for column in columns:
        name = names[column.index]
        of_levels = [f"{name}={level}" for level in list(column.levels)[1:]]
        found += of_levels or [name]
        made += of_levels
    if not all(map(is_a_name, made)) or len({*made, *names}) < len(made) + len(names):
        raise CannotCheck("the levels of the table have no names that tell them apart")
    constant = "intercept"
    while constant in {*made, *names}:
        constant = f"the {constant}"
    return [constant, *found]


def _labels_and_weights(
    source: Csv | Npy, places: Sequence[int], signs: Mapping[str, int]
) -> tuple[array[int], array[float]]:
    """Return the sign or class of every row, and its weight, if these differ."""
    y, weights = array("b"), array("d")
    means: Mapping[Any, int] = signs
    if isinstance(source, Npy):
        means = {numbers_in([text])[0]: k for text, k in signs.items()}
        if len(means) < len(signs) or max(map(abs, means)) >= 2.0**53:
            raise CannotCheck("one label stands for two things, or is 2^53 or more")
        if list(signs) != [repr(int(a) if a == int(a) else a) for a in means]:
            raise CannotCheck("a label of the proof is not written as its number is")
    for start in range(0, source.n, TILE):
        answers, *shares = source.picked(places, start, min(source.n, start + TILE))
        try:
            y.extend(map(means.__getitem__, answers))
        except KeyError:
            line = source.first + len(y)
            raise CannotCheck(f"{source.unit} {line}: a label that the proof lacks") from None
        for some in shares:
            first = source.first + start
            is_text = not isinstance(source, Npy)
            given = numbers_in(some, range(first, first + len(some))) if is_text else list(some)
            weights.extend(map(float, given))
            if weights[start:].tolist() != given:
                raise CannotCheck(f"from {source.unit} {first} on: a weight is no double")
            if min(weights[start:]) <= 0:
                raise CannotCheck(f"from {source.unit} {first} on: a weight is not positive")
    if set(signs.values()) - set(y):
        raise CannotCheck("the table has no rows of one of its labels")
    return y, weights


def _refuse_a_row_as_names(
    source: Csv | Npy, columns: Sequence[Feature], label: int, signs: Mapping[str, int]
) -> None:
    """Stop where what names the columns is a row like others."""
    if isinstance(source, Csv) and source.names[label] in signs:
        try:
            numbers_in([source.names[c.index] for c in columns if not c.levels])
        except CannotCheck:
            return
        raise CannotCheck("line 1 of the table names the columns and is a row like others")


# ---------------------------------------------------------------------- several questions


class Question(NamedTuple):
    """One yes / no question: the words that ask it, its rows, and what is claimed of them."""

    name: str
    words: list[str]
    table: Table
    claims: list[Json]


def asked_by(rule: str, k: int) -> list[tuple[list[int], int]]:
    """Return which questions a rule asks about k classes, in order: (no, yes)."""
    if rule == "ova":
        return [([no for no in range(k) if no != yes], yes) for yes in range(k)]
    return [([no], yes) for no in range(k) for yes in range(no + 1, k)]


def rows_of_classes(table: Table, no: Sequence[int], yes: int) -> Table:
    """Return the rows of some classes: +1 for that of yes, -1 for those of no."""
    sign = {**{k + 1: -1 for k in no}, yes + 1: 1}
    some = table.take([n for n, k in enumerate(table.y) if k in sign])
    return replace(some, y=array("b", map(sign.__getitem__, some.y)))


def questions(proof: Part, table: Table) -> Iterator[Question]:
    """Yield the questions of the proof: those that its rule asks, each once, or the only one.

    What is asked follows from the classes alone, so that a proof can leave none out, and in a
    question no row but those of the classes that it is not about.
    """
    if not proof.has("multiclass"):
        yield Question("", [], table, proof.read("claims", SOME_CLAIMS))
        return
    rule, given = proof.read("multiclass", one_of("ova", "ovo")), proof.parts("questions")
    classes = classes_of(proof)
    asked = asked_by(rule, len(classes))
    if len(given) != len(asked):
        raise CannotCheck(f"the proof has {len(given)} questions where {len(asked)} belong")
    for number, (part, (no, yes)) in enumerate(zip(given, asked), 1):
        rows = rows_of_classes(table, no, yes)
        n_yes, n_out = rows.sides[1], table.n - rows.n
        rest = "the rest" if rule == "ova" else f"class {labels(classes[k] for k in no)}"
        out = f"; {several(n_out, 'row')} left out, of neither class" if n_out else ""
        words = (
            f"Question {number} of {len(asked)}: class {labels([classes[yes]])} (yes, "
            f"{n_yes:,} rows) against {rest} (no, {rows.n - n_yes:,} rows){out}."
        )
        yield Question(f"question {number}", [words], rows, part.read("claims", SOME_CLAIMS))


# ---------------------------------------------------------------------- exact arithmetic


def whole(values: Iterable[float | Fraction]) -> tuple[list[int], int]:
    """Return whole numbers and the least denominator > 0 such that values = numbers / it."""
    ratios = [value.as_integer_ratio() for value in values]
    below = common_multiple({q for _, q in ratios})
    if below.bit_length() > 2048 and below.bit_length() * len(ratios) > 4 * LONGEST_VECTOR:
        raise CannotCheck(TOO_LONG)
    times = {q: below // q for q in {q for _, q in ratios}}
    return [p * times[q] for p, q in ratios], below


def whole_doubles(values: Sequence[float]) -> tuple[list[int], Fraction]:
    """Return whole numbers, and the greatest power of two that they are to be multiplied by."""
    least = min(filter(None, map(abs, values)), default=1.0)
    power = 53 - math.frexp(least)[1]  # at which the least is whole, and so are all others
    try:
        scale = math.ldexp(1.0, power)
        found = [int(value * scale) for value in values]
    except OverflowError:  # of a product, which is otherwise exact
        found, below = whole(values)
        power = below.bit_length() - 1
    bits = reduce(or_, found, 0)
    spare = (bits & -bits).bit_length() - 1 if bits else 0
    return [a >> spare for a in found], Fraction(2) ** (spare - power)


TOO_LONG = "the numbers that follow from those of the proof are too long"


def common_multiple(denominators: Iterable[int]) -> int:
    """Return the least common multiple."""
    below = 1
    for q in denominators:
        below = below // math.gcd(below, q) * q
        if below.bit_length() > LONGEST_RATIO:
            raise CannotCheck(TOO_LONG)
    return below


def ratio(p: int, q: int) -> Fraction:
    """Return p / q; `CannotCheck` for lengths for which that takes long."""
    if max(p.bit_length(), q.bit_length()) > 2 * LONGEST_RATIO:
        raise CannotCheck(TOO_LONG)
    return Fraction(p, q)


def length(value: Fraction) -> int:
    """Return the bits of the longer of numerator and denominator."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def dot(v: Iterable[Fraction], w: Iterable[Fraction]) -> Fraction:
    (above, p), (beside, q) = whole(v), whole(w)
    return ratio(sum(map(mul, above, beside)), p * q)


def total(values: Iterable[Fraction]) -> Fraction:
    """Return the sum; adding up numerators for each denominator first is what makes it quick."""
    above: Counter[int] = Counter()
    for value in values:
        above[value.denominator] += value.numerator
    below = common_multiple(above)
    return ratio(sum(p * (below // q) for q, p in above.items()), below)


def nonzero(weights: Vector | SparseVector, table: Table) -> SparseVector:
    """Return the weights of a line that are not zero, of which w_0 may be one with an intercept."""
    pairs = weights.items() if isinstance(weights, dict) else enumerate(weights)
    found = {j: a for j, a in pairs if a}
    if 0 in found and not table.intercept:
        raise CannotCheck("the line has an intercept and the proof is about lines without")
    return found


class Survey:
    """What all rows say of a line, shown tile by tile: where their agreements a with it lie.

    Doubles settle most rows of a tile: a sum of m products w_j x_j in doubles is off by no more
    than m u / (1 - m u) times the sum of |w_j x_j|, with u = 2^-53 (Higham 2002, section 3.1), and
    a weight is a double but for a relative u. The bound here is four times as wide: room for its
    own roundings. What it leaves open is decided in whole numbers.

    Attributes
    ----------
    n_wrong, weight : how many rows have a <= 0, and what they weigh
    n_on : how many have a = 0
    first_wrong, first_below : where the first row with a <= 0 stands, and that with a < 0; or ""
    """

    def __init__(self, table: Table, weights: Vector | SparseVector) -> None:
        self.there = nonzero(weights, table)
        self.n_wrong = self.n_on = 0
        self.weight, self.first_wrong, self.first_below = ZERO, "", ""
        self.found: Fraction | None = None
        self.near = math.inf  # no less than the least a so far
        try:
            self.floats = {j: float(a) for j, a in self.there.items()}
        except OverflowError:  # then doubles settle nothing
            self.floats = dict.fromkeys(self.there, math.inf)

    def least(self) -> Fraction:
        """Return the least a of a line that must separate the rows."""
        if self.first_wrong:
            raise Refuted(
                f"the line does not separate the rows: the row at {self.first_wrong} is not on its "
                "own side of it"
            )
        assert self.found is not None  # noqa: S101  # a table has rows
        return ratio(self.found.numerator, self.found.denominator)

    def squared_margin(self) -> Fraction:
        """Return (min z.w / |w|)^2, likewise."""
        return self.least() ** 2 / dot(self.there.values(), self.there.values())

    def must_have_no_row_on_its_wrong_side(self) -> None:
        """Refute the proof unless Z w >= 0."""
        if self.first_below:
            raise Refuted(f"the row at {self.first_below} is on the wrong side of a line")

    def add(self, tile: Table) -> None:
        some, below = self._open(tile)
        wrong = list(below)
        if some:
            scores, over = tile.take(some).agreements(self.there)
            wrong += [k for k, a in zip(some, scores) if a <= 0]
            below += [k for k, a in zip(some, scores) if a < 0]
            self.n_on += scores.count(0)
            least = Fraction(min(scores), over)
            self.found = least if self.found is None else min(self.found, least)
        if wrong:
            self.n_wrong += len(wrong)
            self.weight = total([self.weight, tile.weigh(wrong)])
            self.first_wrong = self.first_wrong or tile.where([min(wrong)])
        if below:
            self.first_below = self.first_below or tile.where([min(below)])

    def _open(self, tile: Table) -> tuple[Sequence[int], list[int]]:
        """Return the rows that are to be decided exactly, and the settled ones with a < 0."""
        there = ((abs(a), tile.largest[j]) for j, a in self.floats.items() if j in tile.largest)
        # and what underflow may take away
        size = sum((a + 2.0**-1000) * most for a, most in there) + 2.0**-1000
        off = (len(self.floats) + 8) * 2.0**-51 * size
        if not math.isfinite(4 * size + off):
            return range(tile.n), []
        scores = [*map(mul, tile.y, scores_of(tile.columns, self.floats, tile.n))]
        lowest = min(scores)
        self.near = min(self.near, lowest + 2 * off)
        top = max(self.near, 0.0) + 2 * off
        some = [k for k, a in enumerate(scores) if -off <= a <= top] if lowest <= top else []
        return some, [k for k, a in enumerate(scores) if a < -off] if lowest < 0 else []


class Radius:
    """The largest squared length of a row, |(1, x_n)|^2, of rows shown tile by tile."""

    def __init__(self) -> None:
        self.square = ZERO
        self.near = 0.0  # a bit less, in doubles

    def add(self, tile: Table) -> None:
        """Take in the rows of a tile: exactly those whose length in doubles comes near the most."""
        self.near = max(self.near, max(tile.lengths) * (1.0 - 2.0**-30))
        some: Sequence[int] = range(tile.n)
        if 1e-290 < self.near < math.inf:  # lengths have no digits far below
            some = [k for k, length in enumerate(tile.lengths) if length >= self.near]
        if some:
            self.square = max(self.square, largest_squared_length(tile.take(some)))


def largest_squared_length(table: Table) -> Fraction:
    columns, units = table.scaled
    squares, below = whole(unit * unit for unit in units.values())
    found = [0] * table.n
    for (at, values), square in zip(columns.values(), squares):
        for k, a in zip(at, values):
            found[k] += square * a * a
    return ratio(max(found), below)


def combination(table: Table, rows: Sequence[int], multipliers: Row) -> SparseVector:
    """Return sum lambda_n z_n without its zeros, some rows at a time."""
    found: SparseVector = {}
    for k in range(0, len(rows), TILE):
        held = table.take(rows[k : k + TILE])
        sums = combined(held, multipliers[k : k + TILE])
        if sum(map(int.bit_length, sums.values())) > LONGEST_VECTOR:
            raise CannotCheck(TOO_LONG)
        add_to(found, held, sums)
    return {j: a for j, a in sorted(found.items()) if a}


def add_to(found: SparseVector, table: Table, sums: Sparse, over: int = 1) -> None:
    """Add what some rows come to, in the units of their columns."""
    for j, a in sums.items():
        found[j] = total([found.get(j, ZERO), ratio(a, over) * table.scaled[1][j]])


def combined(table: Table, multipliers: Row) -> Sparse:
    """Return the same of all rows at once, in whole numbers, each column in its unit."""
    found = {}
    for j, (at, values) in table.scaled[0].items():
        some = multipliers if isinstance(at, range) else map(multipliers.__getitem__, at)
        found[j] = sum(map(mul, some, values))
    return {j: a for j, a in found.items() if a}


def pulled(rows: Iterable[Sparse], multipliers: Row) -> Sparse:
    """Return the same of a few rows."""
    found: Counter[int] = Counter()
    for z, p in zip(rows, multipliers):
        for j, a in z.items():
            found[j] += p * a
    return {j: a for j, a in found.items() if a}


def rank_at_least(vectors: Iterable[Sequence[float | Fraction]]) -> int:
    """Return a number that the rank is not below: the rank modulo a prime.

    A minor of whole numbers that is not 0 modulo a prime is not 0. The residues of a vector stand
    next to each other in one whole number, each with room for as many products as there are places.
    """
    basis: dict[int, int] = {}  # by the place of the first 1, zeros before it
    for vector in vectors:
        numbers = whole(vector)[0]
        room = (2 * PRIME.bit_length() + len(numbers).bit_length() + 7) // 8  # bytes
        left = _side_by_side([a % PRIME for a in numbers], room)
        for j, base in basis.items():
            if factor := (left >> 8 * room * j & (1 << 8 * room) - 1) % PRIME:
                left += (PRIME - factor) * base
        raw = left.to_bytes(room * len(numbers), "little")
        starts = range(0, len(raw), room)
        residues = [int.from_bytes(raw[k : k + room], "little") % PRIME for k in starts]
        place = next((j for j, a in enumerate(residues) if a), None)
        if place is not None:
            inverse = pow(residues[place], -1, PRIME)
            basis[place] = _side_by_side([a * inverse % PRIME for a in residues], room)
        if len(basis) == len(numbers):
            break
    return len(basis)


def _side_by_side(residues: Iterable[int], room: int) -> int:
    return int.from_bytes(b"".join(a.to_bytes(room, "little") for a in residues), "little")


def sparse_rank_at_least(vectors: Sequence[SparseVector | Sparse], enough: float = math.inf) -> int:
    """Return the same of vectors without their zeros; it ends where the rank is `enough`.

    The columns with the fewest numbers are eliminated first: of categories, level after level,
    until few columns are left, which fill up.
    """
    often = Counter(chain.from_iterable(vectors))
    order = {j: k for k, j in enumerate(sorted(often, key=lambda j: (often[j], j)))}
    basis: dict[int, list[tuple[int, int]]] = {}  # by the place of the first 1, which is left out
    for vector in vectors:
        numbers = zip(vector, whole(vector.values())[0])
        left = {order[j]: b for j, a in numbers if (b := a % PRIME)}
        while left:
            first = min(left)
            factor = left.pop(first)
            base = basis.get(first)
            if base is None:
                inverse = pow(factor, -1, PRIME)
                basis[first] = [(k, a * inverse % PRIME) for k, a in left.items()]
                break
            for k, b in base:
                if a := (left.get(k, 0) - factor * b) % PRIME:
                    left[k] = a
                else:
                    left.pop(k, None)
        if len(basis) >= enough:
            break
    return len(basis)


# ---------------------------------------------------------------------- claims on separation


def check_separable(table: Table, claim: Part) -> Asking[Words]:
    """Z w > 0; with it R^2, the squared margin of w, and PLA's mistake bound (Novikoff 1962)."""
    line, radius = claim.line(table), Radius()
    yield [line, radius]
    rho_squared, radius_squared = line.squared_margin(), radius.square
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
    must_cancel(combination(table, rows, multipliers))
    return rows


def must_cancel(sums: Sparse | SparseVector) -> None:
    if sums:
        raise Refuted("the multipliers do not cancel the rows")


def check_refused(table: Table, claim: Part) -> list[str]:
    """Check that some rows contradict each other."""
    return [
        f"No line separates the {table.n:,} rows: those at {table.where(refused(table, claim))} "
        "contradict each other, since a positive combination of them, each signed by its answer, "
        "is zero."
    ]


def check_touching(table: Table, claim: Part) -> Asking[Words]:
    """Check a refusal, and a w with Z w >= 0, Z w != 0 (Albert & Anderson 1984)."""
    line = claim.line(table)
    yield [line]
    line.must_have_no_row_on_its_wrong_side()
    on_it = line.n_on
    if on_it == table.n:
        raise Refuted("every row is on the line")
    return [
        *check_refused(table, claim),
        f"The rows are quasi-completely separated: the line of {claim.name} has no row on its "
        f"wrong side, {table.n - on_it:,} on their own side and {on_it:,} on it. So logistic "
        "regression without a penalty has no finite optimum.",
    ]


def check_overlapping(table: Table, claim: Part) -> Asking[Words]:
    """Check a refusal whose rows span all rows: then Z w >= 0 forces Z w = 0.

    It is 0 on the rows of the refusal, hence on all that they span.
    """
    refusal = check_refused(table, claim)
    silent = yield from all_that_vanish(table, claim, claim.rows("rows", table))
    rank = len(table.indices) - sparse_rank_at_least(silent)
    return [
        *refusal,
        "The rows overlap: every line that has no row on its wrong side has all of them on it "
        f"(rank {rank}). So logistic regression has a finite optimum: no coefficient diverges.",
    ]


def all_that_vanish(table: Table, claim: Part, rows: Sequence[int]) -> Asking[list[SparseVector]]:
    """Return the null_space of a claim, which spans all w with z.w = 0 on all rows.

    It vanishes there, so that these have no higher rank than the some, whose rank and its own add
    up to the number of weights: the some span all.
    """
    vectors = claim.vectors("null_space", table.width)
    surveys = [Survey(table, vector) for vector in vectors]
    yield surveys
    must_vanish(survey.n_on == table.n for survey in surveys)
    must_span(vectors, table.take(rows), len(table.indices))
    return vectors


def must_vanish(found: Iterable[bool]) -> None:
    """Refute the proof unless vectors vanish on the rows that they are said to vanish on."""
    if not all(found):
        raise Refuted("a vector said to vanish on some rows does not")


def must_span(vectors: Vectors, held: Table, width: int) -> None:
    """Refute the proof unless the rank of vectors and that of rows add up to the width."""
    needed = width - sparse_rank_at_least(vectors)
    columns = held.scaled[0].values()
    if all(isinstance(at, range) for at, _ in columns):
        rank = rank_at_least(values for _, values in columns)
    else:
        rank = sparse_rank_at_least(held.rows, needed)
    if rank < needed:
        raise Refuted("the vectors do not span all that vanish on some rows")


def check_margin_at_most(table: Table, claim: Part) -> Asking[Words]:
    """Bound every margin from above."""
    yield []  # after one look at all rows, if there is one: then their numbers are at hand
    seen, how = as_seen(table, claim)
    return [_no_margin_above(seen, *claim.multipliers(seen)) + how]


def _no_margin_above(table: Table, rows: Sequence[int], multipliers: Row) -> str:
    """Bound every margin by |sum lambda z| / sum lambda, for lambda > 0.

    For any w with |w| = 1, min z.w <= sum lambda z.w / sum lambda, which is no more than that.
    """
    pull = combination(table, rows, multipliers)
    above = dot(pull.values(), pull.values()) / sum(multipliers) ** 2
    return f"No line has a squared margin above {short(above)}, {in_space(table)}"


def as_seen(table: Table, claim: Part) -> tuple[Table, str]:
    """Return the rows as a learner saw them, (x 2^-e - mean) / spread in doubles, and the end."""
    if not claim.has("columns"):
        return table, "."
    told = claim.parts("columns", 1)
    if len(told) != table.width - 1:
        raise CannotCheck("'columns' does not tell of every feature")
    try:
        each = [
            (
                -c.read("exponent", INTEGER),
                *map(float, map(c.number, ("mean", "spread"))),
            )
            for c in told
        ]
    except OverflowError:
        raise CannotCheck(NOT_STANDARDISED) from None
    scales = [(0, 0.0, 1.0), *each]  # x_0 stays
    seen = replace(table, change=lambda columns, n: _scaled(columns, n, scales))
    how = f"; for columns standardised by the means and spreads of {claim.name}, in doubles."
    return seen, how


NOT_STANDARDISED = "a column cannot be standardised as the proof says"


def _scaled(columns: Columns, n: int, scales: Sequence[tuple[int, float, float]]) -> Columns:
    """Return each column scaled; one with a mean is filled."""
    found: Columns = {}
    for j, (power, mean, spread) in enumerate(scales):
        at, values = columns.get(j, ((), ()))
        if mean and not isinstance(at, range):
            hold(100 * n * len(found), "a sparse table with means")
            known = dict(zip(at, values))
            at, values = range(n), [known.get(k, 0.0) for k in range(n)]
        try:
            found[j] = at, [(math.ldexp(v, power) - mean) / spread for v in values]
        except (OverflowError, ZeroDivisionError):
            raise CannotCheck(NOT_STANDARDISED) from None
        if not are_finite(found[j][1]):
            raise CannotCheck(NOT_STANDARDISED)
    return {j: (at, values) for j, (at, values) in found.items() if values}


def check_diverging(table: Table, claim: Part) -> Asking[Words]:
    """Say which coefficients diverge, and where to (Albert & Anderson 1984).

    Coefficient j diverges when w_j != 0 for some w with Z w >= 0, unless w_j != 0 for some w with
    Z w = 0 (then it is aliased). Rows that cancel are 0 on every such w: it lies in what is free.
    """
    independent, lines = claim.rows("independent", table, 0), claim.vectors("lines", table.width)
    silent = yield from all_that_vanish(table, claim, independent)
    free, cancel = claim.vectors("free", table.width), claim.rows("rows", table, 0)
    if not cancel:
        free = [{j: ONE} for j in table.indices]
        claim.numbers("multipliers", 0)
    else:
        held = table.take(refused(table, claim))
        must_vanish(not any(held.agreements(vector)[0]) for vector in free)
        must_span(free, held, len(table.indices))
    surveyed = [Survey(table, weights) for weights in lines]
    yield surveyed
    for line in surveyed:
        line.must_have_no_row_on_its_wrong_side()
    shown = _directions(table, claim, free)
    ways_of: dict[int, set[bool]] = {}
    for j, a in chain.from_iterable(weights.items() for weights in lines):
        ways_of.setdefault(j, set()).add(a > 0)
    is_silent, is_free = set(chain.from_iterable(silent)), set(chain.from_iterable(free))
    aliased, finite, found = [], [], []
    for j in table.indices:
        name, ways = table.names[j], ways_of.get(j, set())
        if j in is_silent:
            aliased.append(name)
        elif len(ways) == 2:
            found.append(f"{_quoted([name])} (either way)")
        elif ways:
            way = "upwards" if ways == {True} else "downwards"
            found.append(f"{_quoted([name])} ({way if j in shown else 'direction not shown'})")
        elif j in is_free:
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


def _directions(table: Table, claim: Part, free: Vectors) -> set[int]:
    """Return the coefficients that have one sign on all w with Z w >= 0.

    Shown by lambda > 0 such that sum lambda z.w = times w_j, or -times w_j, for every free w.
    """
    shown = set()
    for told in claim.parts("directions"):
        j, way = told.read("index", PLACE), told.read("direction", SIDE)
        if j not in table.indices:
            raise CannotCheck("the proof names a coefficient or a direction that does not exist")
        pull, (times,) = combination(table, *told.multipliers(table)), told.numbers("times", 1)
        if times <= 0:
            raise Refuted("a coefficient is bounded by a multiple of it that is not positive")
        bound = way * times
        there = [v for v in free if j in v or not pull.keys().isdisjoint(v)]
        if any(
            dot([pull.get(k, ZERO) for k in v], v.values()) != bound * v.get(j, ZERO) for v in there
        ):
            raise Refuted("the rows do not bound the coefficient that they are to bound")
        shown.add(j)
    return shown


# ---------------------------------------------------------------------- claims on runs of PLA


def check_pla(table: Table, claim: Part) -> list[str]:
    """Replay PLA: every update met a mistake; at the end a bound on T, or on every margin."""
    seen, how = as_seen(table, claim)
    visited = claim.rows("visited", table, kind=a_list(PLACE))
    try:
        told = claim.numbers("start", table.width)
        first = list(map(float, told))
        if first != told:
            raise CannotCheck("the start of PLA is not in doubles")
        start, v = ([Fraction(a) for a in w] for w in (first, _replayed(seen, [*first], visited)))
    except (OverflowError, ValueError):
        raise CannotCheck("the weights of PLA leave the range of doubles") from None
    since = f"the start of {claim.name}" if any(start) else "zero"
    text = f"PLA from {since} made {several(len(visited), 'update')}, each on a row that was a "
    end, radius = Survey(seen, v), Radius()
    target = Survey(seen, claim.numbers("target", table.width)) if claim.has("target") else end
    seen.observed(radius, *{id(a): a for a in (end, target)}.values())
    wrong = end.n_wrong if any(v) else table.n
    if not wrong:
        bound = _updates_at_most(seen, target, radius.square, start)
        return [f"{text}mistake then, and ended without any mistake. {bound}{how}"]
    text += f"mistake then, and was cut short with {several(wrong, 'mistake')} left."
    if not visited:
        return [text]
    counts = Counter(visited)
    above = _no_margin_above(seen, list(counts), list(counts.values()))
    return [f"{text} {above}{how}"]


def _replayed(table: Table, v: list[float], visited: Sequence[int]) -> list[float]:
    """Return the weights at the end, in doubles as PLA has them."""
    often = {n: k for k, n in enumerate(sorted(set(visited)))}
    held = table.take([*often])
    points, rows = by_rows(held.columns, held.n), held.rows
    units = held.scaled[1]
    scale = dict(zip(units, whole(units.values())[0]))
    for t, n in enumerate(map(often.__getitem__, visited)):
        there = whole(v[j] for j in rows[n])[0]
        # y v.x, times what makes it whole: exact, where PLA itself has a sum of doubles
        if sum(a * scale[j] * z for a, (j, z) in zip(there, rows[n].items())) > 0:
            raise Refuted(f"update {t + 1:,} of PLA was made on a row that was no mistake")
        for j, x in points[n].items():
            v[j] += held.y[n] * x
    return v


def _updates_at_most(table: Table, line: Survey, R2: Fraction, start: Vector) -> str:
    """Return PLA's mistake bound by a separating line, from any start, in words."""
    weights = [line.there.get(j, ZERO) for j in range(len(start))]
    bound = most_updates(weights, line.least(), R2, start)
    return (
        f"In exact arithmetic it makes at most {counted(bound)}: the squared margin of a line is "
        f"{short(line.squared_margin())} and the squared radius of the rows {short(R2)}, "
        f"{in_space(table)}"
    )


def most_updates(w: Vector, least: Fraction, R2: Fraction, start: Vector) -> int:
    """Return how many updates PLA makes at most, by a line of min z.w = least > 0 (Novikoff 1962).

    With w.v_T >= w.v_0 + T m, m = min z.w, and |v_T|^2 <= |v_0|^2 + T R^2, T is at most the larger
    root of (w.v_0 + T m)^2 = |w|^2 (|v_0|^2 + T R^2): rational but for one square root.
    """
    w2, along = dot(w, w), dot(w, start)
    a, b = least**2, 2 * least * along - w2 * R2  # a T^2 + b T + c <= 0
    c = along**2 - w2 * dot(start, start)
    return floor_of_root(-b, b * b - 4 * a * c, 2 * a)


def floor_of_root(p: Fraction, square: Fraction, q: Fraction) -> int:
    """Return floor((p + sqrt(square)) / q), q > 0, exactly."""
    unit = common_multiple([p.denominator, square.denominator, q.denominator])
    # all whole once multiplied by it, and floor(r / whole) = floor(floor(r) / whole)
    return (int(p * unit) + math.isqrt(int(square * unit * unit))) // int(q * unit)


# ---------------------------------------------------------------------- claims on optima
#
# The errors of a line w are P(w) = sum m e(a) (+ |w|^2 / (2 C), w_0 left out), a = z.w, with
# e(a) = ln(1 + e^-a) (logistic), or (1 - a)^2 (least squares; no penalty). No line is far below a
# line b: let theta = 1 / (1 + e^a), or 1 - a, be the shares of the rows at b. For all shares alpha
# (logistic: in [0, 1]) whose sums p = sum m alpha z are p_k = 0 where no penalty is on w_k, and
# every line w,
#
#     P(w) >= P(b) - sum m D(alpha, theta) - C / 2 sum_k (p_k - b_k / C)^2,
#
# D = KL <= (alpha - theta)^2 / (theta (1 - theta)), or (alpha - theta)^2: Fenchel's inequality. The
# alpha here are theta, rounded, but for a few rows, as many as columns are to be met exactly: that
# these can be moved so follows from a matrix that is shown not to be singular, and how far at most
# is all that counts. Without a penalty the other columns must be made up by these, on all rows.

LOGISTIC, SQUARES = "logistic", "least squares"
ERRORS = one_of(LOGISTIC, SQUARES)
BITS = 128  # of numbers written as whole multiples of 2^-128
UNIT = 1 << BITS
OFF = 64  # by fewer units a share, or the likelihood of a row, is off
FAR = 88  # e^-88 is more than a unit, and e^-89 less
# in units, at most KL(alpha, theta) where alpha is theta rounded: theta is a unit at least and it
# 2 OFF^2 at most; beyond FAR alpha is 0 or 1, and it is at most 3
ROUNDED = 2 * OFF**2
AT_ONCE = 128  # factors of a product of which a logarithm is taken
DIGITS = 60


def digits(n: int, rounding: str = ROUND_HALF_EVEN) -> Any:  # noqa: ANN401
    """Return a context with this many decimal digits and any exponent."""
    return localcontext(Context(prec=n, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN))


@lru_cache(maxsize=None)
def powers(n: int, step: int) -> list[int]:
    """Return e^-(k / step), in units, for k = 0, 1, ..., n - 1."""
    with digits(2 * BITS // 3):
        return [int((-Decimal(k) / step).exp() * UNIT) for k in range(n)]


def decay(a: int) -> int:
    """Return e^-a in units, off by less than 16, for a >= 0 in units, which may be off by one.

    e^-a = e^-A e^-(i / 2^8) e^-(j / 2^16) e^-(k / 2^24) e^-r, r < 2^-24 by Taylor's polynomial.
    """
    if a >> BITS >= FAR:
        return 0
    r = a & (UNIT >> 24) - 1
    near = UNIT - (r >> 2)
    near = UNIT - (r * (UNIT - (r * (UNIT - r * near // (3 << BITS)) >> BITS + 1)) >> BITS)
    high = powers(FAR, 1)[a >> BITS] * powers(256, 256)[a >> BITS - 8 & 255] >> BITS
    low = powers(256, 1 << 16)[a >> BITS - 16 & 255] * powers(256, 1 << 24)[a >> BITS - 24 & 255]
    return (high * (low >> BITS) >> BITS) * near >> BITS


class Likelihood:
    """What rows in memory say of a line: its log-likelihood, and their shares at it."""

    def __init__(self, table: Table, scores: Row, below: int) -> None:
        self.table = table
        self.agreements = [(score << BITS) // below for score in scores]
        self.decays = [decay(abs(a)) for a in self.agreements]

    @property
    def shares(self) -> list[int]:
        """Theta = 1 / (1 + e^a) of each row, in units."""
        pairs = zip(self.agreements, self.decays)
        return [((t if a >= 0 else UNIT) << BITS) // (UNIT + t) for a, t in pairs]

    def bounds(self) -> tuple[Fraction, Fraction]:
        """Return bounds of -sum m (max(0, -a) + ln(1 + e^-|a|))."""
        masses, below = self.table.masses
        by_weight: dict[int, list[int]] = {}
        for n, m in enumerate(masses):
            by_weight.setdefault(m, []).append(n)
        value, slack = ZERO, OFF * sum(masses)
        for m, some in by_weight.items():
            straight = sum(-self.agreements[n] for n in some if self.agreements[n] < 0)
            with digits(DIGITS):
                curved = Decimal(0)
                for start in range(0, len(some), AT_ONCE):
                    product = UNIT
                    for n in some[start : start + AT_ONCE]:
                        product = product * (UNIT + self.decays[n]) >> BITS
                    curved += (Decimal(product) / UNIT).ln()
            value -= m * (Fraction(straight, UNIT) + Fraction(curved))
        return (value - Fraction(slack, UNIT)) / below, (value + Fraction(slack, UNIT)) / below


class Errors:
    """What all rows say of a line, shown tile by tile: the sum of its errors, and of their shares.

    Attributes
    ----------
    below, above : bounds of sum m e(a)
    sums : sum m theta z, theta rounded, without its zeros; not of errors alone
    weight : of all rows
    """

    def __init__(self, kind: str, weights: Vector, *, alone: bool = False) -> None:
        self.kind, self.weights, self.alone = kind, weights, alone
        self.below = self.above = self.weight = ZERO
        self.sums: SparseVector = {}

    def add(self, tile: Table) -> None:
        (scores, below), (masses, over) = tile.agreements(self.weights), tile.masses
        shares: Row = ()
        unit = UNIT
        if self.kind == LOGISTIC:
            at = Likelihood(tile, scores, below)
            least, most = at.bounds()
            shares = [] if self.alone else at.shares
        else:
            shares, unit = [below - a for a in scores], below
            squares = map(mul, masses, map(mul, shares, shares))
            least = most = -ratio(sum(squares), unit * unit * over)
        self.below, self.above = total([self.below, -most]), total([self.above, -least])
        if self.alone:
            return
        self.weight = total([self.weight, tile.weigh(range(tile.n))])
        add_to(self.sums, tile, combined(tile, list(map(mul, masses, shares))), unit * over)


def gap_of_moves(few: Table, at: Errors, moves: Vector) -> Fraction:
    """Return at least sum m D(alpha, theta): alpha is theta, but for few rows that move m alpha."""
    if at.kind == SQUARES:
        return total(move * move / few.weight(n) for n, move in enumerate(moves))
    found, off = [at.weight * Fraction(ROUNDED, UNIT)], Fraction(OFF, UNIT)
    shares = Likelihood(few, *few.agreements(at.weights)).shares if moves else ()
    for n, (move, share) in enumerate(zip(moves, shares)):
        room, m = Fraction(min(share, UNIT - share), UNIT) - off, few.weight(n)
        delta = move / m + off
        if not delta < room:
            raise Refuted("a share would leave the interval from 0 to 1")
        found.append(m * delta * delta / (room * (1 - room)))
    return total(found)


def others_than(columns: Sequence[int], table: Table, left_out: Sequence[int] = ()) -> list[int]:
    known = set(table.indices) - set(left_out)
    if not known >= set(columns):
        raise CannotCheck("the proof names a column that the table lacks, or leaves out")
    return sorted(known - set(columns))


def check_optimum(table: Table, claim: Part) -> Asking[Words]:
    """Say by how much the errors of a line exceed the least of all lines, at most."""
    attained, least = yield from bounds_of_optimum(table, claim)
    gap = short((attained - least) / attained if attained else ZERO, ROUND_CEILING)
    of_line = f"more than a relative {gap} below that of the line of {claim.name}, "
    if claim.read("errors", ERRORS) == SQUARES:
        sums = "sum of squared residuals (answers as -1 and +1)"
        return [f"No line has a {sums} {of_line}{short(attained)}."]
    C = short(claim.number("C")) if claim.has("C") else ""
    penalised = C and f" plus |w|^2 / (2 C), C = {C}, w_0 left out,"
    return [
        f"No line has a sum of cross-entropies (natural logarithms){penalised} {of_line}which is "
        f"at most {short(attained, ROUND_CEILING)}."
    ]


def bounds_of_optimum(
    table: Table, claim: Part
) -> Generator[Sequence[Errors], None, tuple[Fraction, Fraction]]:
    """Return at least P(w) of the line of a claim, and what P is not below for any line."""
    kind, weights = claim.read("errors", ERRORS), claim.numbers("weights", table.width)
    C = claim.number("C") if claim.has("C") else None
    if C is not None and (C <= 0 or kind != LOGISTIC):
        raise CannotCheck("C is not positive, or of least squares")
    at = attained = Errors(kind, weights, alone=claim.has("line"))
    if claim.has("line"):
        at = Errors(kind, claim.numbers("line", table.width))
    yield [*{id(one): one for one in (attained, at)}.values()]
    if C is None:
        face = Face(table, claim)
        return attained.above, max(at.below - face.gap(at, face.rows), ZERO)
    ends = (attained.above, weights), (at.below, at.weights)
    claim.has("null_space")  # none is needed
    above, below = (a + dot(w[1:], w[1:]) / (2 * C) for a, w in ends)
    return above, max(below - _gap_with_penalty(table, claim, at, C), ZERO)


def _gap_with_penalty(table: Table, claim: Part, at: Errors, C: Fraction) -> Fraction:
    """Return at least what the shares of a claim show P(b) to exceed the least by."""
    columns = claim.read("columns", places())
    others = others_than(columns, table)
    if 0 in others:
        raise Refuted("the sum of the intercept is not met, which no penalty is on")
    wanted = {k: (at.weights[k] / C if k else 0) - at.sums.get(k, ZERO) for k in table.indices}
    few = table.take(claim.rows("rows", table, 0))
    moves = Moves(few, columns).of([wanted[k] for k in columns])
    short = {k: abs(wanted[k]) for k in others}
    for n, move in enumerate(moves):
        for k, a in few.rows[n].items():
            if k in short:
                short[k] += move * abs(a * few.scaled[1][k])
    return gap_of_moves(few, at, moves) + C / 2 * dot(short.values(), short.values())


class Face:
    """The rows that stay along a direction, and columns that make up all others on them."""

    def __init__(self, table: Table, told: Part, left_out: Row = (), along: Vectors = ()) -> None:
        self.table, self.left_out = table, left_out
        self.rows, self.columns = told.rows("rows", table, 0), told.read("columns", places())
        if len(along) > 1:
            raise CannotCheck("a face of the proof has several directions")
        self.direction = along[0] if along else {}
        self.stay, self.gone = table, table.take([])
        if self.direction:
            scores, _ = table.agreements(self.direction)
            if min(scores) < 0:
                raise Refuted("a row is on the wrong side of a direction")
            self.stay = table.take([n for n, a in enumerate(scores) if not a])
            self.gone = table.take([n for n, a in enumerate(scores) if a])
            if not self.stay.n:
                raise Refuted("no row stays along a direction")
        null = told.vectors("null_space", table.width)
        surveys = [Survey(table, vector) for vector in null]
        self.stay.observed(*surveys)
        must_vanish(survey.n_on == self.stay.n for survey in surveys)
        others = others_than(self.columns, table, left_out)
        beside = [[vector.get(k, ZERO) for k in others] for vector in null]
        if others and rank_at_least(beside) < len(others):
            raise Refuted("the columns do not make up all others on the rows that stay")
        # nothing but the columns and what they make up may move
        self.moving = set(chain(self.direction, *null))
        if self.moving & set(left_out):
            raise Refuted("a column that is left out moves")
        self.solved: dict[tuple[int, ...], tuple[Table, Moves]] = {}

    def at(self, part: Part) -> tuple[Errors, Fraction]:
        """Return what the rows that stay say of a line, and what l is not below."""
        b = _line(part, self.table, self.left_out)
        stay, gone = Errors(LOGISTIC, b), Errors(LOGISTIC, b, alone=True)
        for rows, errors in (self.stay, stay), (self.gone, gone):
            if rows.n:
                rows.observed(errors)
        return stay, -stay.above - gone.above

    def gap(self, at: Errors, rows: Sequence[int], j: int | None = None) -> Fraction:
        """Return at least sum m D(alpha, theta), for shares that balance in all columns but j.

        These alpha are theta but for moves of some rows, which have no part in sum m alpha z_j.
        """
        key = tuple(rows)
        if key not in self.solved:
            few = self.table.take(rows)
            if self.direction and any(few.agreements(self.direction)[0]):
                raise Refuted("a row that is to correct goes to infinity")
            self.solved[key] = few, Moves(few, self.columns)
        few, moves = self.solved[key]
        wanted = [ZERO if k == j else -at.sums.get(k, ZERO) for k in self.columns]
        return gap_of_moves(few, at, moves.of(wanted))


class Moves:
    """By how much rows move, at most, that add what is wanted to the sums of as many columns.

    Their numbers in these, each column over a power of two, make a matrix A with no number above 1.
    It is not singular where an approximate inverse P has a greatest row sum e of |1 - P A| below 1:
    then no number of A^-1 v exceeds the greatest of |P v| / (1 - e). Here e < 1 / 2. A, P are whole
    multiples of 2^-bits, A rounded down.
    """

    def __init__(self, table: Table, columns: Sequence[int]) -> None:
        rows = table.rows
        if len(rows) != len(columns):
            raise Refuted("rows that are to correct are not as many as columns, or go")
        self.whole = [[z.get(k, 0) for z in rows] for k in columns]
        self.units = [table.scaled[1].get(k, ONE) for k in columns]
        sizes = [max(map(abs, some)).bit_length() for some in self.whole]
        most = max(sizes, default=0)
        for self.bits in BITS, 4 * BITS:
            A = [[a << self.bits >> size for a in some] for some, size in zip(self.whole, sizes)]
            with suppress(ZeroDivisionError):
                P = self._inverse(A)
                if self._is_near(P, A):
                    self.P = [[p << most - size for p, size in zip(row, sizes)] for row in P]
                    self.over = self.bits + most
                    return
        raise Refuted("the rows that are to correct are not independent")

    def _inverse(self, A: Sequence[list[int]]) -> list[list[int]]:
        """Return about the inverse, by elimination with pivots: nothing else is trusted of it."""
        rows, order, bits = [*A], [*range(len(A))], self.bits
        for k in range(len(A)):
            pivot = max(range(k, len(A)), key=lambda i: abs(rows[i][0]))
            for some in rows, order:
                some[k], some[pivot] = some[pivot], some[k]
            inverse = (1 << 2 * bits) // rows[k][0]
            top = [*(a * inverse >> bits for a in rows[k][1:]), inverse]
            for i, (factor, *rest) in enumerate(rows):
                rows[i] = [*rest, 0]
                if factor:
                    rows[i] = [a - (factor * b >> bits) for a, b in zip(rows[i], top)]
            rows[k] = top
        back = sorted(order, key=order.__getitem__)
        return [[row[k] for k in back] for row in rows]

    def _is_near(self, P: Sequence[Row], A: Sequence[Row]) -> bool:
        """Return whether e is below 1 / 2."""
        one, columns = 1 << 2 * self.bits, list(zip(*A))
        for i, row in enumerate(P):
            near = [sum(map(mul, row, some)) for some in columns]
            near[i] -= one
            if 2 * (sum(map(abs, near)) + len(A) * sum(map(abs, row))) >= one:
                return False
        return True

    def of(self, wanted: Vector) -> list[Fraction]:
        """Return at least |x| for the moves x of the rows that add what is wanted to the sums."""
        if not any(wanted):
            return [ZERO] * len(wanted)
        right = [a * UNIT // unit for a, unit in zip(wanted, self.units)]
        x = [sum(map(mul, row, right)) >> self.over for row in self.P]
        left = [1 + abs(b - sum(map(mul, some, x))) for b, some in zip(right, self.whole)]
        rest = 2 + max(sum(map(mul, map(abs, row), left)) >> self.over for row in self.P)
        return [Fraction(abs(a) + 2 * rest, UNIT) for a in x]


# ---------------------------------------------------------------------- likelihood intervals
#
# l(b) = -sum m ln(1 + e^-a) is the log-likelihood of a line b, a = z.b; l* its supremum; l_j(v)
# that of the lines with b_j = v. Coefficient j lies in the interval where 2 (l* - l_j(v)) <= q, and
# l_j is concave: an end lies between a value inside and one outside.
#
# Inside: a line with b_j = v whose l(b), rounded down, is not below l* - q / 2 by a bound of l*.
# Bounds are those of optima, without a penalty: for shares alpha in [0, 1] with
# sum m alpha z_k = 0 for all columns k but j, every line b' with b'_j = v has
#
#     l(b') <= l(b) + sum m KL(alpha, theta) + (v - b_j) sum m alpha z_j.
#
# Where rows go to infinity along a direction w of the claim (Z w >= 0, w_j = 0), bounds are about
# the rows that stay, those with z.w = 0: the others have l <= 0.

WIDEST = Fraction(1, 10**6)  # part of q by which l_j may change between the two values


def check_likelihood_intervals(table: Table, claim: Part) -> list[str]:
    """Say where likelihood intervals end: each end from both sides, or that there is none."""
    q, left_out = claim.number("q"), claim.read("left_out", places())
    if not ZERO < q < 2000 or length(q) > LONGEST_RATIO:
        raise CannotCheck("q is not a number between 0 and 2000")
    if not set(left_out) <= set(range(1, table.width)):
        raise CannotCheck("the proof leaves out a column that the table lacks")
    faces = [
        Face(table, part, left_out, part.vectors("direction", table.width))
        for part in claim.parts("faces")
    ]
    least, most = _supremum(table, claim.part("fit"), faces, left_out)
    found: dict[int, dict[int, list[Fraction]]] = {}
    for end in claim.parts("ends"):
        j, side = end.read("index", PLACE), end.read("side", SIDE)
        found.setdefault(j, {}).setdefault(side, _end(end, faces, (least, most), q))
    lines = [Survey(table, w) for w in claim.vectors("recessions", table.width)]
    table.observed(*lines)
    for line in lines:
        line.must_have_no_row_on_its_wrong_side()
        if set(line.there) & set(left_out):
            raise Refuted("a column that is left out moves")
    for told_of in claim.parts("infinite"):
        j, side = told_of.read("index", PLACE), told_of.read("side", SIDE)
        k = told_of.read("recession", PLACE)
        if k >= len(lines) or not lines[k].there.get(j, ZERO) * side > 0:
            raise Refuted("no direction of recession moves a coefficient that is said to diverge")
        found.setdefault(j, {})[side] = []
    level = f"{100.0 * math.erf(math.sqrt(float(q) / 2.0)):.10g} %"
    others = f", with {_quoted([table.names[k] for k in left_out])} left out" if left_out else ""
    return [
        f"Likelihood intervals of logistic regression without a penalty{others}: where twice the "
        f"log-likelihood is within {_rounded(q, 1)} of its supremum, which lies between "
        f"{_rounded(least, -1)} and {_rounded(most, 1)}.",
        *(
            f"With {level} likelihood the coefficient of {_quoted([table.names[j]])} "
            f"{_between(found[j])}."
            for j in sorted(found)
        ),
    ]


def _line(part: Part, table: Table, left_out: Sequence[int]) -> Vector:
    """Return the line of a part of the claim."""
    b = part.numbers("line", table.width)
    if any(b[k] for k in left_out):
        raise Refuted("a column that is left out has a weight")
    return b


def _supremum(
    table: Table, fit: Part, faces: Sequence[Face], left_out: Sequence[int]
) -> tuple[Fraction, Fraction]:
    """Return bounds of l*: a line attains the lower one, shares in balance show the upper one."""
    if not fit.has("face"):  # a line that separates the rows comes near to l* = 0
        every = Errors(LOGISTIC, _line(fit, table, left_out), alone=True)
        table.observed(every)
        return -every.above, ZERO
    face = _face(fit, faces)
    at, least = face.at(fit)
    return least, face.gap(at, face.rows) - at.below


def _face(part: Part, faces: Sequence[Face]) -> Face:
    k: int = part.read("face", PLACE)
    if k >= len(faces):
        raise CannotCheck("the proof names a face that it lacks")
    return faces[k]


def _end(
    end: Part, faces: Sequence[Face], supremum: tuple[Fraction, Fraction], q: Fraction
) -> list[Fraction]:
    """Return a value of a coefficient inside its interval, and one outside."""
    face, j, side = _face(end, faces), end.read("index", PLACE), end.read("side", SIDE)
    if j not in face.columns or j in face.moving:
        raise Refuted("the coefficient moves along the direction, or is not determined")
    at, least = face.at(end)
    inside, outside = at.weights[j], end.number("outside")
    rows = end.rows("rows", face.table) if end.has("rows") else face.rows
    gap, slope = face.gap(at, rows, j), at.sums.get(j, ZERO)
    if least < supremum[1] - q / 2:
        raise Refuted("a value said to lie inside an interval is not shown to")
    away = outside - inside
    if away * side < 0 or 2 * abs(away * slope) > WIDEST * q:
        raise Refuted("the two values beside an end are too far apart, or the wrong way round")
    if not gap - at.below + away * slope < supremum[0] - q / 2:
        raise Refuted("a value said to lie outside an interval is not shown to")
    return [inside, outside]


def _between(ends: dict[int, list[Fraction]]) -> str:
    """Return where a coefficient lies, by what is shown of its interval's ends."""
    low, high = ends.get(-1), ends.get(1)
    if low and high:
        return f"lies between {_rounded(low[1], -1)} and {_rounded(high[1], 1)}"
    if not low and not high:
        ways = " or ".join(way for side, way in ((-1, "downwards"), (1, "upwards")) if side in ends)
        return f"has no bound {ways}"
    (said, bound, way, rest) = (
        ("above", low, -1, high) if low else ("below", high, 1, low)
    )  # fmt: skip
    other = "upwards" if low else "downwards"
    more = f", without a bound {other}" if rest is not None else f"; nothing is shown {other}"
    assert bound  # noqa: S101
    return f"lies {said} {_rounded(bound[1], way)}{more}"


def _rounded(value: Fraction, way: int) -> str:
    """Return about seven digits of a number, rounded down (-1) or up (+1)."""
    rounding = ROUND_CEILING if way > 0 else ROUND_FLOOR
    with digits(7, rounding):
        return f"{Decimal(value.numerator) / Decimal(value.denominator)}".lower()


# ---------------------------------------------------------------------- claims on mistakes


def check_mistakes(table: Table, claim: Part) -> Asking[Words]:
    """Count the rows with z.w <= 0."""
    survey = claim.line(table)
    yield [survey]
    wrong, weight = survey.n_wrong, survey.weight
    more = "" if weight == wrong else f", which weigh {short(weight)}"
    return [
        f"The line of {claim.name} makes {several(wrong, 'mistake')} on the {table.n:,} "
        f"rows{more} (rows on the line counted as wrong)."
    ]


def check_cores(table: Table, claim: Part) -> Asking[Words]:
    """Refusals that share the weight of the rows: each core costs any line its share."""
    cores = claim.parts("cores")
    shares, below = whole(core.number("share") for core in cores)
    if min(shares, default=1) <= 0:
        raise Refuted("a set of rows that contradict each other has no positive share")
    held = table.take([])
    used: Counter[int] = Counter()
    place: dict[int, int] = {}
    yield []  # likewise
    for k, (core, share) in enumerate(zip(cores, shares)):
        rows = core.rows("rows", table)
        if not place.keys() >= set(rows):
            place = {n: i for i, n in enumerate(_next_rows(cores[k:], table))}
            held = table.take([*place])
        some = [place[n] for n in rows]
        must_have_multipliers(held, some)
        for n in rows:
            used[n] += share
    for n, a in used.items():
        if a > table.weight(n) * below:
            raise Refuted(f"the row at {table.where([n])} is used above its weight")
    bound = ratio(sum(shares), below)
    least = f"mistakes that weigh {short(bound)}"
    if all(w == 1 for w in table.weights):
        least = several(math.ceil(bound), "mistake")
    return [
        f"Every line makes at least {least} (rows on the line counted), since "
        f"{several(len(cores), 'set')} of rows contradict each other."
    ]


def _next_rows(cores: Sequence[Part], table: Table) -> dict[int, None]:
    """Return the rows of the first few cores, about as many as a tile has."""
    found: dict[int, None] = {}
    for core in cores:
        if len(found) > TILE:
            break
        found.update(dict.fromkeys(core.rows("rows", table)))
    return found


def must_have_multipliers(table: Table, rows: Sequence[int]) -> None:
    """Refute the proof unless positive multipliers, alike but for a factor, cancel k rows.

    Elimination without fractions (Bareiss 1968) of one equation for each column: the last row's
    multiplier is the determinant of the others, which makes theirs whole numbers as well.
    """
    some = [table.rows[n] for n in rows]
    left = [[z.get(j, 0) for z in some] for j in sorted(set().union(*some))]
    longest = max(map(int.bit_length, chain.from_iterable(left)), default=0)
    size = len(rows) * len(left) * (ROOM + longest * len(rows) // 8)
    hold(size, "working out multipliers")
    before, done = 1, []
    for _ in rows[1:]:
        pivot = next((i for i, equation in enumerate(left) if equation[0]), None)
        if pivot is None:
            raise Refuted(
                f"the rows at {table.where(rows)} are no core: they cancel in several ways"
            )
        a, *tail = left.pop(pivot)
        left = [[(a * v - q * u) // before for v, u in zip(other, tail)] for q, *other in left]
        done.append((a, tail))
        before = a
    found = [abs(before)]
    for a, tail in reversed(done):
        found.insert(0, -sum(map(mul, tail, found)) // a)
    if min(found) <= 0:
        raise Refuted("a multiplier is not a positive whole number")
    if any(map(any, left)):
        raise Refuted("the multipliers do not cancel the rows")


def check_fewest(table: Table, claim: Part) -> list[str]:
    """Weigh the mistakes of a line, and show what those of every line weigh at least."""
    costs = {-1: claim.read("cost_wrong_yes", COST), 1: claim.read("cost_wrong_no", COST)}
    unit = claim.number("unit")
    if unit <= 0:
        raise CannotCheck("the unit of weights is not positive")
    if length(unit) > LONGEST_UNIT:
        raise CannotCheck(TOO_LONG)
    pairs = ((table.weight(n), y) for n, y in enumerate(table.y))
    try:  # in doubles, as weights and costs are
        weights = [Fraction(float(w) * float(costs[y])) for w, y in pairs]
    except OverflowError:
        raise CannotCheck("a weight times its cost leaves the range of doubles") from None
    if not all(weights):
        raise CannotCheck("a weight times its cost is too small for a double")
    scores, _ = table.agreements(claim.line(table).there)
    wrong = [n for n, a in enumerate(scores) if a <= 0]
    above = total(weights[n] for n in wrong)
    proof = unpacked(claim.read("proof", a_text(LARGEST_TREE)))
    floors = [math.floor(w / unit) for w in weights]
    first = table.indices.start
    rows = [{j - first: a for j, a in z.items()} for z in table.rows]
    below = unit * mistakes_shown(rows, floors, proof, len(table.indices))
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

SPLIT, CLOSED, PACKED, LEMMA = range(4)
REACH = 1 << 50  # the length that stands for 1 in positions of box ends
ROOM_OF_OPEN = 2048  # bytes, likewise for a row of a box that waits
LONGEST_UNIT = 2**13  # bits
LONGEST_CHART = 2**28  # bits of the rows in a chart

Lemma = Tuple[Set[int], int]  # rows, and the weight of the mistakes that all lines make there


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


def mistakes_shown(rows: Iterable[Sparse], weights: Sequence[int], proof: Json, width: int) -> int:
    """Return a weight that the proof shows the mistakes of every w to have.

    Rows are z_n with each of the columns multiplied by a positive number, weights whole and >= 0.
    """
    try:
        base, kept = merged(rows, weights)
        if not proof:
            return base
        columns, relations, parts = _integers(proof)
        short = reduced([z for z, _ in kept], columns, relations, width)
        kept = [(z, weight) for z, (_, weight) in zip(short, kept)]
        lemmas: list[Lemma] = []
        for lemma in parts:
            if len(lemma) == 3:
                lemmas.append(packed(kept, *lemma))
            else:
                lemmas.append(Boxes(kept, lemma, lemmas, len(columns)).closed())
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
        if LONG_NUMBER.search(data):
            raise ValueError("a number is too long")
        # short lists and texts take more than the comma after them
        room = 4 * len(data) + _room(data, b',[[[{{{"')
        hold(room, "unpacking a part of the proof")
        plain = data.decode("ascii")
        del data, stream
        return json.loads(plain)
    except (ValueError, RecursionError, zlib.error) as error:
        raise CannotCheck(f"a compressed part is not what it should be: {error}") from None


def _integers(item: Json) -> Json:
    """Return nested lists of integers, those written in hexadecimal read."""
    if isinstance(item, list):
        return [_integers(a) for a in item]
    if type(item) is int:
        return item
    value = rational(item) if RATIO(item) else Fraction(1, 2)
    if value.denominator != 1:
        raise CannotCheck("the proof about the mistakes of every line holds what is no integer")
    return value.numerator


def merged(rows: Iterable[Sparse], weights: Sequence[int]) -> tuple[int, list[tuple[Sparse, int]]]:
    """Return the weight of the mistakes that all lines make, and the rows left with weights.

    A row of zeros is a mistake of every line; of rows z and -z one always is, so the lesser weight
    counts and the rest stays. Equal rows become one. In the order of their first appearance.
    """
    base = 0
    net: dict[tuple[Row, Row], int] = {}  # the weight of z less that of -z
    for z, weight in zip(rows, weights):
        if not z:
            base += weight
        elif weight:
            sign = 1 if next(iter(z.values())) > 0 else -1
            key = tuple(z), tuple(sign * a for a in z.values())
            before = net.get(key, 0)
            if before * sign < 0:
                base += min(abs(before), weight)
            net[key] = before + sign * weight
    return base, [
        (dict(zip(places, values if weight > 0 else [-a for a in values])), abs(weight))
        for (places, values), weight in net.items() if weight
    ]  # fmt: skip


def reduced(
    rows: Sequence[Sparse], columns: Row, relations: Sequence[Row], width: int
) -> list[Sparse]:
    """Return the rows in the chosen columns, once the relations show that these suffice."""
    require(len(set(columns)) == len(columns) and all(0 <= j < width for j in columns))
    others = sorted(set(range(width)) - set(columns))
    require(len(relations) == len(others))
    for j, b in zip(others, relations):
        require(len(b) == width and b[j] != 0)
        require(all(b[i] == 0 for i in others if i != j))
        require(not any(sum(map(mul, z.values(), map(b.__getitem__, z))) for z in rows))
    position = {j: k for k, j in enumerate(columns)}
    return [{position[j]: a for j, a in z.items() if j in position} for z in rows]


def packed(kept: Sequence[tuple[Sparse, int]], bound: int, parts: int, cores: Json) -> Lemma:
    """Return all rows and the bound that cores show which share no weight.

    A core is [amount, row, multiplier, row, multiplier, ...]: its combination vanishes, so that one
    of its rows is wrong for every w, and takes amount / parts from the weight of each of its rows.
    Cores are in a list, or in two by cases, [row, cores, cores]: for all w that are wrong on the
    row, whose weight counts and is used up, and for the others, to whom it gives as often as asked.
    """
    require(parts > 0)
    if parts.bit_length() > LONGEST_UNIT:
        raise CannotCheck(TOO_LONG)
    whole = [weight * parts for _, weight in kept]
    cases = [(cores, whole, 0)]
    while cases:
        hold(ROOM * len(cases) * len(kept), "keeping the cases that wait")
        cores, left, shown = cases.pop()
        if cores and isinstance(cores[0], int):
            row, if_wrong, if_right = cores
            require(0 <= row < len(kept))
            before, after = left[:row], left[row + 1 :]
            cases.append((if_wrong, [*before, 0, *after], shown + left[row]))
            cases.append((if_right, [*before, sum(whole), *after], shown))
            continue
        left = left[:]
        for amount, *core in cores:
            require(amount >= 0)
            some, multipliers = _core(core[::2], core[1::2], len(kept))
            for i in some:
                left[i] -= amount
                require(left[i] >= 0)
            require(not pulled((kept[i][0] for i in some), multipliers))
            shown += amount
        require(shown > (bound - 1) * parts)
    return set(range(len(kept))), bound


def _core(rows: Row, multipliers: Row, n: int) -> tuple[Row, Row]:
    """Return some of n rows and multipliers: no w has a score of their sum below all of theirs."""
    require(all(a >= 0 for a in multipliers) and any(multipliers))
    if len(rows) != len(multipliers):
        raise ValueError
    require(len(set(rows)) == len(rows) and all(0 <= i < n for i in rows))
    return rows, multipliers


class Boxes:
    """A lemma shown by boxes: its rows in their chart, by row and by column, and their weights."""

    def __init__(
        self,
        kept: Sequence[tuple[Sparse, int]],
        parts: Sequence[Json],
        lemmas: Sequence[Lemma],
        width: int,
    ) -> None:
        rows, columns, relations, chart, self.bound, self.faces = parts
        self.lemmas = lemmas
        self.ids: Row = rows or list(range(len(kept)))
        require(len(set(self.ids)) == len(self.ids))
        require(all(0 <= i < len(kept) for i in self.ids))
        self.weight = [kept[i][1] for i in self.ids]
        short = reduced([kept[i][0] for i in self.ids], columns, relations, width)
        hold(ROOM * len(short) * len(columns), "the rows of a lemma")
        require(len(chart) == len(columns) and all(len(line) == len(chart) for line in chart))
        require(rank_at_least(chart) == len(chart) and len(self.faces) == 2 * len(chart))
        turned = list(zip(*chart))
        dense = ([z.get(k, 0) for k in range(len(chart))] for z in short)
        charted = [[sum(map(mul, z, line)) for line in turned] for z in dense]
        # rows of the same bit length, so that multipliers of cores are small
        bits = [max(map(abs, z)).bit_length() for z in charted]
        most = max(bits)
        if most * len(charted) * len(chart) > LONGEST_CHART:
            raise CannotCheck(TOO_LONG)
        self.rows = [[a << most - b for a in z] for z, b in zip(charted, bits)]
        self.columns = list(zip(*self.rows))

        reaches = [sum(map(abs, z)) * REACH for z in self.rows]
        size, spans = len(chart), [(i, s, -s) for i, s in enumerate(reaches)]
        self.cube = Box([-REACH] * size, [REACH] * size, 0, spans)

    def closed(self) -> Lemma:
        """Return what is shown once the steps close each face."""
        for number, steps in enumerate(self.faces):
            side = REACH if number % 2 == 0 else -REACH
            face = self._part(self.cube, number // 2, side, side)
            self._close(face, iter(steps))
        return set(self.ids), self.bound

    def _close(self, face: Box, steps: Iterator[int]) -> None:
        """Do what the steps say, the last box first, until no box is open and no step is left."""
        stack = [] if face.wrong >= self.bound else [face]
        while stack:
            waiting = sum(len(box.rows) + len(box.low) for box in stack)
            hold(ROOM_OF_OPEN * waiting, "keeping the boxes that wait")
            box = stack.pop()
            what, j, where = next(steps), next(steps), next(steps)
            require(j >= 0)
            if what == SPLIT:
                stack += self._split(box, j, *divmod(where, 4))
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
            if q > 0:
                top, bottom = most - q * down, least + q * up
            else:
                top, bottom = most + q * up, least - q * down
            if top <= 0:
                wrong += weight[i]
            elif bottom <= 0:
                kept.append((i, top, bottom))
        return Box([*low[:j], a, *low[j + 1 :]], [*high[:j], b, *high[j + 1 :]], wrong, kept)

    def _split(self, box: Box, j: int, cells: int, kept: int) -> list[Box]:
        """Return the sides of a box, split `cells` cells above its lower end, that stay open.

        Bit 0 of `kept` is that of the side below, bit 1 that of the side above.
        """
        point = box.low[j] + cells * _cell(box, j)
        sides = [self._part(box, j, box.low[j], point), self._part(box, j, point, box.high[j])]
        require(all(side.wrong >= self.bound or kept >> k & 1 for k, side in enumerate(sides)))
        return [side for k, side in enumerate(sides) if kept >> k & 1]

    def _packed(self, box: Box, steps: Iterator[int]) -> int:
        """Return what cores show: at any one point of the box a row of each is wrong.

        The greatest value of their combination is not positive. No weight is counted twice.
        """
        spent: Counter[int] = Counter()
        shown = box.wrong
        while size := next(steps):
            require(size > 0)
            told = [next(steps) for _ in range(2 * size)]
            core, multipliers = _core(told[::2], told[1::2], len(self.rows))
            of_core = zip(*map(self.rows.__getitem__, core))
            require(_greatest([sum(map(mul, multipliers, z)) for z in of_core], box) <= 0)
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
    return sum([a * (b if a > 0 else c) for a, b, c in zip(z, box.high, box.low)])


def _cell(box: Box, j: int) -> int:
    """Return the power of two that goes 32 to 63 times into a side."""
    side = box.high[j] - box.low[j]
    require(side >= 64)
    return 1 << side.bit_length() - 6


# ---------------------------------------------------------------------- answers


CLAIMS: dict[str, Check] = {  # `proof.schema.json` says what each may hold
    "separable": check_separable,
    "not separable": check_refused,
    "touching": check_touching,
    "overlapping": check_overlapping,
    "margin at most": check_margin_at_most,
    "diverging": check_diverging,
    "PLA": check_pla,
    "optimum": check_optimum,
    "likelihood intervals": check_likelihood_intervals,
    "mistakes": check_mistakes,
    "mistakes at least": check_cores,
    "fewest mistakes": check_fewest,
}


def statements(proof_data: bytes, table: bytes | Sequence[bytes]) -> list[str]:
    """Return what a proof proves about the files of a table, in words made of what was checked."""
    proof = read_proof(proof_data)
    files = [table] if isinstance(table, bytes) else table
    return stated(proof, opened(proof, [io.BytesIO(data) for data in files]))


def stated(proof: Part, table: Table) -> list[str]:
    """Return the same, given the proof and the table that it is about."""
    found = [_about(table, proof)]
    proof.has("questions" if proof.has("multiclass") else "claims")
    proof.must_be_read()
    for question in questions(proof, table):
        found += [*question.words, *checked(question)]
    proof.must_be_read()
    for file in table.source.files:
        file.must_be_that_of_the_proof()
    return found


def checked(question: Question) -> Words:
    """Return what the claims of a question prove, in words."""
    table, going = question.table, []
    said: list[Words] = [[] for _ in question.claims]
    for k, (data, words) in enumerate(zip(question.claims, said), 1):
        name = ", ".join(filter(None, (question.name, f"claim {k}")))
        going.append(_run(data, name, table, words))
    while going:  # what all of them ask next, in one reading
        asked = [(one, next(one, None)) for one in going]
        going = [one for one, more in asked if more is not None]
        table.observed(*chain.from_iterable(more or () for _, more in asked))
    return [f"Claim {k}: {text}" for k, words in enumerate(said, 1) for text in words]


def _run(data: Json, name: str, table: Table, said: Words) -> Iterator[Sequence[Observer]]:
    """Check a claim, which asks all rows now and then, and say what it proves."""
    claim = Part(data, name)
    kind = claim.read("kind", NAME)
    if kind not in CLAIMS:
        raise Malformed(f"this version knows no claim of the kind {kind[:40]!r}")
    try:
        found = CLAIMS[kind](table, claim)
        said += found if isinstance(found, list) else (yield from found)
        claim.must_be_read()
    except (Refuted, CannotCheck) as why:
        raise type(why)(f"{why} ({name}, {kind})") from None


OTHER_WORDS = (
    "(The words in the proof file are other ones, and were not checked: only these above count.)"
)


def _about(table: Table, proof: Part) -> str:
    """Return which rows, columns and question the claims are about."""
    told, source = proof.part("table"), table.source
    (label, *weights), features = used(told)
    named = {label, *weights, *(feature.index for feature in features)}
    unused = [name for k, name in enumerate(source.names) if k not in named]
    of_levels = [feature.index for feature in features if feature.levels]
    d, first, of_unused = table.width - 1, source.first, ""
    # one of the two lists in full, and all columns of levels: else two tables could be told alike
    if unused:
        names = _quoted(unused, MOST_SHOWN if d < len(unused) else len(unused))
        of_unused = f"; {several(len(unused), 'column')} left out: {names}"
    shown = _quoted(table.names[1:], max(MOST_SHOWN, d if d < len(unused) else 0))
    ends = "; line 1 names the columns" if isinstance(source, Csv) else " of the arrays"
    parts = [
        _question(table, proof, _quoted([source.names[label]])),
        f"The rows: {table.n:,}, in {source.unit}s {first:,} to {first + table.n - 1:,}{ends}.",
        f"The {d:,} features: {shown}{of_unused}.",
        "Numbers are the doubles nearest to what is written.",
    ]
    if of_levels:
        names = _quoted([source.names[k] for k in of_levels], len(of_levels))
        parts.append(f"Of levels are {names}.")
    if told.has("names"):
        called = _quoted(told.read("names", NAMES))
        parts.append(f"The proof calls the columns {called}: nothing in the files does.")
    if weights:
        parts.append(f"Rows weigh what column {_quoted([source.names[weights[0]]])} says.")
    if not table.intercept:
        parts.append("Lines go through the origin.")
    return " ".join(parts)


def _question(table: Table, proof: Part, label: str) -> str:
    """Return what is asked of which column."""
    classes, counts = classes_of(proof), table.sides
    if proof.has("multiclass"):
        held = [f"{labels([a])} ({counts[k]:,} rows)" for k, a in enumerate(classes, 1)]
        return (
            f"The classes: column {label} holds {', '.join(held)}. Each question below stands "
            "alone: nothing is claimed of what their lines answer together."
        )
    no, yes = (labels([text]) for text in classes)
    return (
        f"The question: is column {label} {yes} (yes, {counts[1]:,} rows) or {no} (no, "
        f"{counts[-1]:,} rows)?"
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


def short(value: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a rational as it is, or rounded to six digits where that is longer."""
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    with digits(DIGITS, rounding):
        return f"about {_decimal(value):.6g}".lower()


def _decimal(value: Fraction) -> Decimal:
    """Return a decimal, not below; of long numbers the first 512 bits, far beyond DIGITS."""
    p, q = value.numerator, value.denominator
    above, below = (max(0, a.bit_length() - 512) for a in (p, q))
    return Decimal(-(-p >> above)) / Decimal(q >> below) * Decimal(2) ** (above - below)


def _some(found: Sequence[str], most: int = MOST_SHOWN) -> str:
    """Return a list, shortened after a few."""
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return (", ".join(found[:most]) or "none") + more


def _quoted(names: Sequence[str], most: int = MOST_SHOWN) -> str:
    """Return names in quotes; ones that are long, or unprintable, in ASCII, cut."""
    return _some([repr(a) if is_a_name(a) else f"{a[:LONGEST_NAME]!a}..." for a in names], most)


def labels(texts: Iterable[str]) -> str:
    """Return labels in quotes: all of them, and in ASCII too, where letters could look alike."""
    return ", ".join(repr(t) + ("" if t.isascii() else f" ({t!a})") for t in texts)


def check_files(
    proof: str, table: str | Sequence[str], memory_limit: float = MEMORY_LIMIT
) -> tuple[int, str]:
    """Return the exit code and the answer for a proof and the files of its table, in its order.

    There is never an exception.
    """
    before = MOST_MEMORY.set(memory_limit)
    try:
        found, words = _found(proof, [table] if isinstance(table, str) else list(table))
    except Refuted as why:
        return REFUTED, f"REFUTED: {why}."
    except CannotCheck as why:
        return CANNOT_CHECK, f"CANNOT CHECK: {why}."
    except OSError as error:
        return CANNOT_CHECK, f"CANNOT CHECK: a file cannot be read: {error}."
    except (MemoryError, RecursionError, ArithmeticError) as error:
        return CANNOT_CHECK, f"CANNOT CHECK: too large for this machine ({type(error).__name__})."
    finally:
        MOST_MEMORY.reset(before)
    return VERIFIED, "\n".join(["VERIFIED", *found, *([] if words == found else [OTHER_WORDS])])


def _found(proof: str, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what is proven of the table in some files, and the words of the proof."""
    with ExitStack() as stack:
        file = stack.enter_context(_opened(proof))
        hold(6 * file.seek(0, 2), f"reading {proof!r}")
        file.seek(0)
        told = read_proof(file.read())
        try:
            files = [stack.enter_context(_opened(path)) for path in paths]
            return stated(told, opened(told, files)), told.data["claim"]
        except AnotherTable as why:
            written = ". It was written beside the proof (PROOF.table.csv, or .npy files)"
            more = written if told.part("table").has("made_of") else ""
            raise CannotCheck(f"{why}{more}") from None


def _opened(path: str) -> BinaryIO:
    try:
        if not Path(path).is_file():
            raise CannotCheck(f"{path!r} is no file")
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise CannotCheck(f"{path!r} cannot be read: {error}") from None


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """End this process with an answer where what is done inside takes longer."""

    def end() -> None:
        say("CANNOT CHECK: the time limit was met (raise it with --time-limit SECONDS).")
        os._exit(CANNOT_CHECK)

    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # where it is about to end this process, nothing else is said


def say(answer: str) -> None:
    sys.stdout.buffer.write((answer + "\n").encode("utf-8", "backslashreplace"))
    sys.stdout.flush()


def _bound_memory(size: int) -> None:
    """Let the system refuse this process more memory, where it can."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on all systems

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size + 2**28, hard))


def limit(text: str) -> float:
    """Return a limit of the command line."""
    if not 0 <= float(text) < 1e9:
        raise ValueError
    return float(text)


def main(arguments: list[str]) -> int:
    gc.disable()  # nothing here goes round in circles, and looking for that takes a while
    parser = argparse.ArgumentParser(
        prog="verify.py", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("proof", metavar="PROOF")
    parser.add_argument("table", metavar="TABLE", nargs="+")
    parser.add_argument("--time-limit", type=limit, metavar="SECONDS", default=TIME_LIMIT)
    parser.add_argument("--memory-limit", type=limit, metavar="MIB", default=MEMORY_LIMIT / 2**20)
    told = parser.parse_args(arguments)
    memory = told.memory_limit * 2**20
    with ended_after(told.time_limit):
        _bound_memory(int(memory))
        code, answer = check_files(told.proof, told.table, memory)
    say(answer)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
