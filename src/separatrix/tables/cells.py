"""Cells of text become numbers or categories, or are refused by line, column and value.

The rule that matters: text that was meant as a number is never turned into categories silently.
A column is numbers (every value that is there), or categories (no value looks like a number or a
date), or an error that names the first value in the way and the options that read it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pa, pc
from separatrix.data import LARGEST_EXACT_INTEGER, Floats, InputError, joined
from separatrix.said import Said
from separatrix.tables.columns import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    NumberColumn,
    SparseColumn,
)
from separatrix.tables.raw import Cells, RawColumn, SparseRawColumn
from separatrix.tables.wording import Place, counted, shown, without

WaysOut = Callable[[str, str], str]

FIRST_ROWS = 1000
BLANKS = " \t\n\r\v\f"
MISSING_TOKENS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", ".")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?[0-9]+")
LONG_INTEGER = r"^\s*[+-]?[0-9]{16,400}\s*$"  # below 10^15 every integer is exact
INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
# what is left of '1,000', '1.000,5', '1_000', '1 000', '1d5', '٣' once signs and currency are off
NUMBER_LIKE = re.compile(r"[.,'’_\s]*\d[\d.,'’_\s]*(?:[eEdD][+-]?\d+)?")
SIGNS = "+-−%‰()"
COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]*(?:[eE][+-]?[0-9]+)?")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})(?: .*)?"
    r"|\d{4}-(?:0[1-9]|1[0-2])"
    r"|\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
    rf"|\d{{1,2}}[ -]{_MONTH}\.?[ -,]*\d{{2,4}}"
    rf"|{_MONTH}\.? \d{{1,2}},? \d{{2,4}}",
    re.IGNORECASE,
)


class ColumnError(InputError):
    """A column that cannot be read: its name, what stands where, why and of which kind it is."""

    def __init__(self, name: str, seen: str, why: str, message: str, kind: str = "") -> None:
        self.name, self.seen, self.why, self.kind = name, seen, why, kind
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Findings:
    """What reading has to tell: sentences, and which of them are warnings."""

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


COMMA_TROUBLE = (
    "looks like a number written with a comma. If that is the decimal mark, use --decimal , ; if "
    "it groups thousands, read it with --parse thousands."
)
MIXED = "has a decimal {}, and others in the column a decimal {}: write all with one of them."
GROUPED = re.compile(r"[-+]?\d{1,3}(\.\d{3})+")
PARSED = {"date": "--parse dates", "number-like": "--parse money,percent,thousands"}


def learning_ways_out(name: str, kind: str = "") -> str:
    return (
        f"{parsed([kind])}Correct the column (NA stands for a missing value), declare it to be "
        f"categories with --text {shown(name)}, or leave it out with --drop {shown(name)}."
    )


def parsed(kinds: Iterable[str]) -> str:
    """Return "Read it with --parse dates. " where some of the kinds can be read on request."""
    seen = set(kinds)
    ways = [way for kind, way in PARSED.items() if kind in seen]
    return f"Read it with {' or '.join(ways)}. " if ways else ""


THIS_BLOCK = "the block it is in"  # of rows: `CellReader.counted_in`


@dataclass(frozen=True, slots=True)
class CellReader:
    """Turns raw columns into typed ones."""

    place: Place  # where the rows stand, for messages
    decimal: str  # the decimal mark of numbers in text, "." or ","
    findings: Findings  # collects notes and warnings
    ways_out: WaysOut = field(default=learning_ways_out)
    counted_in: str = "the column"
    counts: NDArray[np.int64] | None = None  # how often each cell occurs, where that is not once

    def column(self, raw: RawColumn) -> Column:
        """Return the column as numbers or as categories, whichever it holds."""
        if isinstance(raw, SparseRawColumn):
            return raw.column
        if raw.is_category or pa.types.is_boolean(raw.cells.type):
            return self.category(raw)
        if is_text(raw.cells) and not self.reads_as_numbers(raw):
            texts, _, missing = text_values(raw)
            if all(what_is(text, self.decimal) == "text" for text in without(texts, missing)):
                return self.category(raw)
        return self.numbers(raw)

    def numbers(self, raw: RawColumn) -> NumberColumn | SparseColumn:
        """Return the column as numbers, NaN where missing; `InputError` at the first other cell."""
        if isinstance(raw, SparseRawColumn):
            return raw.column
        cells = raw.cells
        if not (is_text(cells) or is_number(cells)):
            cells = self.text(raw)  # booleans: their words are refused below, by name
        if not is_text(cells):
            return NumberColumn(raw.name, self._plain_numbers(raw))
        values = self.cast(raw.name, cells)
        if values is None:
            self.refuse_first(raw.name, trimmed(cells))
        return NumberColumn(raw.name, values)  # type: ignore[arg-type]  # refused above

    def category(self, raw: RawColumn, known: Sequence[str] = ()) -> CategoryColumn:
        if pa.types.is_temporal(raw.cells.type):
            raw = RawColumn(raw.name, pc.cast(raw.cells, pa.string()))
        cells = trimmed(self.text(raw))
        distinct, positions = distinct_texts(cells)
        missing = missing_among(distinct) - set(known)
        levels = sorted(set(distinct) - missing)
        code = {level: k for k, level in enumerate(levels)}
        codes = np.array([code.get(v, -1) for v in distinct], dtype=np.int32)
        return CategoryColumn(raw.name, codes[positions], tuple(levels))

    def text(self, raw: RawColumn) -> Cells:
        """Return the cells as text, "" where they are null; `InputError` for dates and nests."""
        cells = raw.cells
        if not is_text(cells):
            self._refuse_type(raw)
            cells = pc.cast(cells, pa.string())
        return pc.fill_null(cells, "")

    def cast(self, name: str, cells: Cells, *, warn: bool = True) -> Floats | None:
        """Return text cells as float64 (N,), or None when one of them is no finite number."""
        warn_rounded = self._warn_rounded if warn else lambda *_: None
        if self.decimal == ".":  # the common case, without a copy: nothing missing, no blanks
            values = _float_or_none(cells)
            if values is not None and np.isfinite(values).all():
                warn_rounded(name, cells, values)
                return values
        cells = trimmed(cells)
        has_plus = pc.index(cells, "+").as_py() >= 0
        distinct_missing = pa.array([t for t in MISSING_TOKENS if t != "-" or not has_plus])
        missing = pc.is_in(cells, value_set=distinct_missing)
        cells = pc.if_else(missing, pa.scalar(None, pa.string()), cells)
        if self.decimal != ".":
            if pc.any(pc.match_substring(cells, ".")).as_py():
                return None  # a point beside a decimal comma groups thousands: not read
            cells = pc.replace_substring(cells, self.decimal, ".")
        values = _float_or_none(cells)
        if values is None or not np.isfinite(values[~missing.to_numpy()]).all():
            return None
        warn_rounded(name, cells, values)
        return values

    def _plain_numbers(self, raw: RawColumn) -> Floats:
        cells = raw.cells
        self._refuse_type(raw)
        # by way of text: Arrow's own decimal to double is not correctly rounded
        is_decimal = pa.types.is_decimal(cells.type)
        values = _float_or_none(pc.cast(cells, pa.string()) if is_decimal else cells)
        if values is None:
            raise InputError(
                f"column {shown(raw.name)} holds {cells.type}, which is no number. "
                f"{self.ways_out(raw.name, '')}"
            )
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise self._infinite(raw.name, row, values[row])
        if pa.types.is_integer(cells.type) and cells.type.bit_width == 64:
            self._warn_rounded(raw.name, cells, values)
        return values

    def _warn_rounded(self, name: str, cells: Cells, values: Floats) -> None:
        """Warn once of an integer (a number, or text) that float64 cannot hold."""
        large = np.flatnonzero(np.abs(values) >= LARGEST_EXACT_INTEGER)
        if large.size == 0:
            return
        texts = pc.cast(cells.take(pa.array(large)), pa.string())
        whole = pc.match_substring_regex(texts, LONG_INTEGER).to_numpy()
        for row, text in zip(large[whole], texts.filter(pa.array(whole)).to_pylist(), strict=True):
            exact = int(text)  # blanks around it do not matter
            if exact != int(values[row]):
                self.findings.warnings.append(
                    f"{self.place.at(int(row), name)}: the integer {exact} is above 2^53 and "
                    f"becomes {int(values[row])} as a number. If the column holds identifiers, "
                    f"leave it out with --drop {shown(name)}."
                )
                return

    def _refuse_type(self, raw: RawColumn) -> None:
        kind = raw.cells.type
        plain = pa.types.is_boolean(kind) or pa.types.is_null(kind)
        if plain or is_text(raw.cells) or is_number(raw.cells):
            return
        if pa.types.is_temporal(kind):
            why = (
                f"holds dates or times ({kind}), which are no numbers. Turn them into a number you "
                "mean (days since a date, say)."
            )
            message = f"column {shown(raw.name)} {why} {self.ways_out(raw.name, 'date')}"
            raise ColumnError(raw.name, "", why, message, "date")
        why = f"holds {shown(str(kind))} values: neither numbers nor text."
        message = f"column {shown(raw.name)} {why} Leave it out with --drop {shown(raw.name)}."
        raise ColumnError(raw.name, "", why, message)

    def refuse_first(self, name: str, cells: Cells) -> None:
        distinct, positions = distinct_texts(cells)
        missing = missing_among(distinct)
        kinds = ["missing" if v in missing else what_is(v, self.decimal) for v in distinct]
        counts = np.bincount(positions, self.counts, minlength=len(distinct))
        numbers = sum(int(k) for k, kind in zip(counts, kinds, strict=True) if kind == "number")
        # number-like ones first: their remedy is the clearest
        worst = ("infinite", "number-like", "hexadecimal", "date", "text")
        k = kinds.index(next(kind for kind in worst if kind in kinds))
        row = int(np.argmax(positions == k))
        if kinds[k] == "infinite":
            raise self._infinite(name, row, distinct[k])
        why = _trouble(kinds[k], distinct[k], self.decimal)
        kind = "" if why == COMMA_TROUBLE else kinds[k]  # --decimal reads it, and not --parse
        plain = distinct[k].replace(",", ".")
        if kinds[k] == "number-like" and NUMBER.fullmatch(plain) and not GROUPED.fullmatch(plain):
            read = (v for v, one in zip(distinct, kinds, strict=True) if one == "number")
            if any(self.decimal in v for v in read):
                marks = ("comma", "point") if self.decimal == "." else ("point", "comma")
                why, kind = MIXED.format(*marks), "mixed"
        n = int(counts.sum())
        said = f" {counted(numbers, 'value')} of {n:,} in {self.counted_in} are numbers."
        beside = said if numbers else ""
        raise self._refused(name, row, distinct[k], why, beside, kind)

    def _infinite(self, name: str, row: int, value: object) -> ColumnError:
        why = "is infinite as a number, and no line can do anything with that."
        return self._refused(name, row, str(value), why)

    def refusal(self, raw: RawColumn, text: str, why: str) -> ColumnError:
        row = pc.index(trimmed(raw.cells), text).as_py()
        return self._refused(raw.name, row, text, why)

    def reads_as_numbers(self, raw: RawColumn) -> bool:
        return self.cast(raw.name, raw.cells, warn=False) is not None

    def _refused(  # noqa: PLR0917  # in the order of the sentence
        self, name: str, row: int, text: str, why: str, beside: str = "", kind: str = ""
    ) -> ColumnError:
        seen = f"{self.place.line_word} {int(self.place.lines[row])}: {shown(text)}"
        message = (
            f"{self.place.at(row, name)}: {shown(text)} {why}{beside} {self.ways_out(name, kind)}"
        )
        return ColumnError(name, seen, why, message, kind)


def what_is(text: str, decimal: str = ".") -> str:
    """Return "number", "infinite", "hexadecimal", "date", "number-like" or "text"."""
    plain = text if decimal == "." else text.replace(".", "\0").replace(decimal, ".")
    if NUMBER.fullmatch(plain):
        # 1e999 is written as a number and is none
        return "number" if np.isfinite(float(plain)) else "infinite"
    if INFINITE.fullmatch(text):
        return "infinite"
    if HEXADECIMAL.fullmatch(text):
        return "hexadecimal"
    if DATE.fullmatch(text):
        return "date"
    core = "".join(c for c in text[:100] if unicodedata.category(c) != "Sc")
    # only where something was a digit: '-' and '()' are text
    if NUMBER_LIKE.fullmatch(core.strip(SIGNS + BLANKS + "\u00a0\u202f")):
        return "number-like"
    return "text"


def missing_among(distinct: list[str]) -> set[str]:
    """Return which of a column's distinct texts stand for missing values."""
    tokens = set(MISSING_TOKENS) - ({"-"} if "+" in distinct else set())
    return tokens.intersection(distinct)


def missing_beside(levels: Sequence[str]) -> list[str]:
    """Return the words for a missing value in a column that has these levels: none of them."""
    words = [token for token in MISSING_TOKENS if token not in levels]
    return [word for word in words if word != "-" or "+" not in levels]


TROUBLES = {
    "date": "looks like a date or a time, which is no number. Turn it into a number you mean (days "
    "since a date, say).",
    "hexadecimal": "is a hexadecimal number; only decimal notation is read.",
    "text": "is not a number.",
}


def _trouble(kind: str, text: str, decimal: str) -> str:
    if kind in TROUBLES:
        return TROUBLES[kind]
    if decimal == "." and COMMA.fullmatch(text):
        return COMMA_TROUBLE
    mark = "point" if decimal == "." else "comma"
    return (
        f"looks like a number but is not written as one: plain digits with a decimal {mark}, "
        "without signs for thousands, per cent or currency."
    )


def is_text(cells: Cells) -> bool:
    return bool(pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type))


def is_number(cells: Cells) -> bool:
    """Whether these are cells of numbers (booleans are not)."""
    kind = cells.type
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def trimmed(cells: Cells) -> Cells:
    """Return text cells without surrounding (ASCII) blanks, "" where they are null."""
    return pc.fill_null(pc.ascii_trim(cells, BLANKS), "")


def distinct_texts(cells: Cells) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct texts in order of appearance, and each row's position among them."""
    distinct = pc.unique(cells)
    positions = pc.index_in(cells, value_set=distinct)
    return distinct.to_pylist(), positions.to_numpy().astype(np.int64)


def text_values(column: RawColumn) -> tuple[list[str], NDArray[np.int64], set[str]]:
    """Return a column's distinct texts, which one each row has, and those for nothing."""
    cells = column.cells
    if not is_text(cells):
        try:
            cells = pc.cast(cells, pa.string())
        except pa.ArrowException:  # a nested type
            cells = pc.cast(pc.is_null(cells), pa.string())
    distinct, positions = distinct_texts(trimmed(cells))
    return distinct, positions, missing_among(distinct)


def n_values(column: RawColumn, most: int = 2) -> int:
    """Return how many values a column has, or some number above `most`; case and blanks apart."""
    cells, values = column.cells, set()
    for rows in (FIRST_ROWS, len(cells)):  # the first rows of most columns have too many already
        distinct, _, missing = text_values(RawColumn(column.name, cells.slice(0, rows)))
        values = {" ".join(v.casefold().split()) for v in distinct if v not in missing}
        if len(values) > most:
            break
    return len(values)


def _float_or_none(cells: Cells) -> Floats | None:
    """Return cells cast to float64, NaN where null; None when one of them is no number."""
    try:
        values = pc.cast(cells, pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if values.null_count == 0 and getattr(values, "num_chunks", 1) == 1:
        values = values.chunk(0)
    # a copy of our own: writable, and not kept alive by Arrow's buffers
    return np.array(pc.fill_null(values, np.nan).to_numpy(zero_copy_only=False), dtype=np.float64)


def describe_categories(columns: Sequence[CategoryColumn | CategoryEncoding]) -> str:
    described = [
        Said("{name} ({levels})", name=shown(c.name), levels=counted(len(c.levels), "level"))
        for c in columns
    ]
    return Said(
        "Read as categories: {columns}. Each becomes one 0/1 feature for every level but the "
        "commonest.",
        columns=joined(described, 20),
    )
