"""Columns as read, and how they become features: numbers as they are, categories one-hot.

With a degree above 1 all products of these take their place (see `monomials`).

An `Encoding` is fitted on some rows and used on others. In cross-validation medians and commonest
levels to fill with come from the rows to learn from alone; levels are those of the whole table.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import (
    Floats,
    InputError,
    Points,
    dense,
    in_form,
    is_sparse,
    may_be_sparse,
    require_memory,
)
from separatrix.tables.monomials import Monomials, fit_monomials, whole_degree
from separatrix.tables.wording import Place, listed, nearest, shown

MISSING_CODE = -1
UNSEEN_CODE = -2
MISSING_CHOICES = ("drop", "fill", "level")
NOTHING = np.zeros(0)


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """One column of numbers."""

    name: str
    values: Floats  # (N,), NaN where the value is missing

    @property
    def missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.values)

    def take(self, rows: NDArray[np.int64]) -> NumberColumn:
        return NumberColumn(self.name, self.values[rows])

    def encoding(self, fill: bool) -> NumberEncoding:
        """Return the encoding, which may fill with the median (0 when no row has a value)."""
        present = self.values[~self.missing] if fill else NOTHING
        if present.size == 0:
            return NumberEncoding(self.name, 0.0 if fill else None)
        with np.errstate(over="ignore"):
            median = float(np.median(present))
        if np.isinf(median):  # the mean of the two middle values overflows; that of halves does not
            median = 2.0 * float(np.median(present / 2.0))
        return NumberEncoding(self.name, median)


@dataclass(frozen=True, slots=True)
class SparseColumn:
    """One column of numbers of a sparse array, mostly zeros."""

    name: str
    size: int  # N
    rows: NDArray[np.int64]  # int64 (k,), those that are not zero, ascending
    numbers: Floats  # (k,)

    @property
    def values(self) -> Floats:
        values = np.zeros(self.size)
        values[self.rows] = self.numbers
        return values

    @property
    def missing(self) -> NDArray[np.bool_]:
        return np.zeros(self.size, dtype=bool)

    def take(self, rows: NDArray[np.int64]) -> SparseColumn:
        if (np.diff(rows) > 0).all():
            places = np.searchsorted(rows, self.rows)
            found = np.append(rows, -1)[places] == self.rows
            return SparseColumn(self.name, rows.size, places[found], self.numbers[found])
        order = np.argsort(rows, kind="stable")  # a row may come twice
        there = np.searchsorted(self.rows, rows[order])
        found = np.append(self.rows, -1)[there] == rows[order]
        places, numbers = order[found], self.numbers[there[found]]
        ascending = np.argsort(places)
        return SparseColumn(self.name, rows.size, places[ascending], numbers[ascending])

    def encoding(self, fill: bool) -> NumberEncoding:
        """Return the encoding, which may fill with the median, where other rows lack a value."""
        return NumberColumn(self.name, self.values if fill else NOTHING).encoding(fill)


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """One column of categories."""

    name: str
    codes: NDArray[np.int32]  # (N,) positions in `levels`; -1 where the value is missing
    levels: tuple[str, ...]  # sorted, as written in the file without surrounding blanks

    @property
    def missing(self) -> NDArray[np.bool_]:
        return self.codes < 0

    def take(self, rows: NDArray[np.int64]) -> CategoryColumn:
        """Return this column for some rows, with the levels that occur in them."""
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])
        position = np.full(len(self.levels) + 1, MISSING_CODE, dtype=np.int32)  # last: code -1
        position[used] = np.arange(used.size, dtype=np.int32)
        return CategoryColumn(self.name, position[codes], tuple(self.levels[k] for k in used))

    def encoding(self, fill: bool) -> CategoryEncoding:
        """Return the encoding, which may fill with the commonest level (the first on a tie)."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))
        return CategoryEncoding.of_counts(self.name, self.levels, counts, fill=fill)


Column = NumberColumn | SparseColumn | CategoryColumn
# what a column becomes: numbers (N,); or the places of ones among its features, from 1 on
Part = Floats | SparseColumn | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NumberEncoding:
    """How a number column becomes one feature."""

    name: str
    fill: float | None  # what a missing value becomes; None when no filling was asked for

    @property
    def width(self) -> int:
        return 1

    @property
    def feature_names(self) -> tuple[str, ...]:
        return (self.name,)

    def part(self, column: Column, place: Place, *, lenient: bool) -> Part:  # noqa: ARG002
        """Return (N,); `InputError` for a category column or a missing value without a fill."""
        if isinstance(column, CategoryColumn):
            raise InputError(
                f"column {shown(self.name)} holds categories here and held numbers when the model "
                "was trained. Give the same column, or train again."
            )
        if isinstance(column, SparseColumn):
            return column
        if self.fill is not None:
            return np.where(column.missing, self.fill, column.values)
        _refuse_missing(column, place)
        return column.values

    def cells(self, column: Column) -> Floats:
        """Return its numbers (N,), NaN where they are missing."""
        return column.values  # type: ignore[union-attr]  # of numbers


@dataclass(frozen=True, slots=True)
class CategoryEncoding:
    """How a category column becomes 0/1 features, one for each level but the baseline."""

    name: str
    levels: tuple[str, ...]  # the baseline first: the commonest, without a feature; others sorted
    fill: str | None  # the level of a missing value; None when no filling was asked for

    @classmethod
    def of_counts(
        cls, name: str, levels: Sequence[str], counts: NDArray[np.int64], *, fill: bool
    ) -> CategoryEncoding:
        """Return the encoding of sorted levels that occur so often each, the commonest first."""
        if not counts.any():
            return cls(name, (), None)
        commonest = int(np.argmax(counts))
        others = (k for k in np.flatnonzero(counts).tolist() if k != commonest)
        occur = tuple(levels[k] for k in (commonest, *others))
        return cls(name, occur, occur[0] if fill else None)

    @property
    def width(self) -> int:
        return max(0, len(self.levels) - 1)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}={level}" for level in self.levels[1:])

    def part(self, column: Column, place: Place, *, lenient: bool) -> Part:
        """Return each row's level (N,); `InputError` for one never seen or a missing value."""
        column = self._category(column)
        positions = self._positions(column)
        if lenient:
            return np.maximum(positions, 0)
        if (positions == UNSEEN_CODE).any():
            row = int(np.argmax(positions == UNSEEN_CODE))
            raise InputError(
                f"{place.at(row, self.name)}: {shown(column.levels[column.codes[row]])} is not "
                f"among the levels the model was trained on ({listed(self.levels)}). Correct it, "
                "train again with rows that have it, or leave such rows without an answer "
                "(predict --unknown blank)."
            )
        if self.fill is None:
            _refuse_missing(column, place)
        return positions

    def cells(self, column: Column) -> Floats:
        """Return each row's position in `levels` (N,), NaN where it is missing."""
        column = self._category(column)
        return np.where(column.missing, np.nan, self._positions(column))

    def unseen(self, column: Column) -> NDArray[np.bool_]:
        if not isinstance(column, CategoryColumn):  # refused when it is encoded
            return np.zeros(column.missing.size, dtype=bool)
        never: NDArray[np.bool_] = self._positions(column) == UNSEEN_CODE
        return never

    def _category(self, column: Column) -> CategoryColumn:
        if isinstance(column, CategoryColumn):
            return column
        raise InputError(
            f"column {shown(self.name)} holds numbers here and held categories when the model was "
            "trained. Give the same column (as text), or train again."
        )

    def _positions(self, column: CategoryColumn) -> NDArray[np.int64]:
        """Return each row's position in `self.levels`; -1 missing, -2 never seen, shape (N,)."""
        position = {level: k for k, level in enumerate(self.levels)}
        missing = MISSING_CODE if self.fill is None else position[self.fill]
        # the code -1 picks the last entry
        lookup = np.array([*(position.get(v, UNSEEN_CODE) for v in column.levels), missing])
        positions: NDArray[np.int64] = lookup[column.codes]
        return positions


def _refuse_missing(column: Column, place: Place) -> None:
    missing = column.missing
    if missing.any():
        more = f" ({int(missing.sum())} such values)" if missing.sum() > 1 else ""
        raise InputError(
            f"{place.at(int(np.argmax(missing)), column.name)}: the value is missing{more}, and "
            "the model was trained without filling. Fill it in, or train with --missing fill."
        )


@dataclass(frozen=True, slots=True)
class Encoding:
    """How columns become features, in this order."""

    columns: tuple[NumberEncoding | CategoryEncoding, ...]
    monomials: Monomials | None = None  # products in place of the features

    @property
    def plain_names(self) -> tuple[str, ...]:
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def feature_names(self) -> tuple[str, ...]:
        plain = self.plain_names
        return plain if self.monomials is None else self.monomials.names(plain)

    def encode(
        self, columns: Sequence[Column], lines: NDArray[np.int64] | None = None,
        line_word: str = "line", *, lenient: bool = False,
    ) -> Points:  # fmt: skip
        """Return the features (N, d), CSR or C-ordered; `InputError` names line and column.

        To be lenient with rows that a fold leaves out, a level never seen becomes the baseline.
        """
        if lines is None:
            n = columns[0].missing.size if columns else 0
            lines, line_word = np.arange(1, n + 1), "row"
        place = Place("", line_word, lines)
        names = [column.name for column in columns]
        expected = [column.name for column in self.columns]
        if names != expected:
            raise InputError(
                f"the columns must be {listed(expected)}, in this order; they are {listed(names)}."
            )
        pairs = zip(self.columns, columns, strict=True)
        parts: list[Part] = [how.part(column, place, lenient=lenient) for how, column in pairs]
        sizes = [how.width for how in self.columns]
        starts = np.cumsum([0, *sizes])
        n, d = lines.size, int(starts[-1])
        if self.monomials is None and may_be_sparse(n, d):
            nonzeros = sum(_count(part) for part in parts)
            if is_sparse(n, d, nonzeros):
                return _sparse(parts, starts, n, nonzeros)
        points = _dense(parts, starts, n)
        if self.monomials is None:
            return points
        return in_form(self.monomials.of(points, self.plain_names, place))

    def lacking(self, columns: Sequence[Column]) -> dict[str, NDArray[np.bool_]]:
        """Return, for every column that is not filled, which rows (N,) lack a value."""
        pairs = zip(columns, self.columns, strict=False)  # other columns are refused by `encode`
        return {column.name: column.missing for column, how in pairs if how.fill is None}

    def complete(self, columns: Sequence[Column]) -> NDArray[np.int64]:
        lacking = np.zeros(columns[0].missing.size if columns else 0, dtype=bool)
        for absent in self.lacking(columns).values():
            lacking |= absent
        return np.flatnonzero(~lacking)

    def unseen(self, columns: Sequence[Column]) -> dict[str, NDArray[np.bool_]]:
        found = {}
        for column, how in zip(columns, self.columns, strict=False):  # others `encode` refuses
            if isinstance(how, CategoryEncoding) and (never := how.unseen(column)).any():
                found[column.name] = never
        return found


def _count(part: Part) -> int:
    return int(np.count_nonzero(part.numbers if isinstance(part, SparseColumn) else part))


def _dense(parts: Sequence[Part], starts: NDArray[np.int64], n: int) -> Floats:
    d = int(starts[-1])
    require_memory(8 * n * d, f"A table of {n:,} rows and {d:,} features")
    points = np.empty((n, d))
    for part, (a, b) in zip(parts, itertools.pairwise(starts), strict=True):
        if isinstance(part, SparseColumn):
            points[:, a] = part.values
        elif part.dtype.kind == "f":
            points[:, a] = part
        else:
            np.equal(part[:, None], np.arange(1, b - a + 1), out=points[:, a:b], casting="unsafe")
    return points


def _sparse(
    parts: Sequence[Part], starts: NDArray[np.int64], n: int, nonzeros: int
) -> sp.csr_array:
    """Return the features (N, d) as canonical CSR, column by column; nothing dense in between."""
    largest = max(nonzeros, int(starts[-1]))
    kind: type[np.integer[Any]] = np.int32 if largest <= np.iinfo(np.int32).max else np.int64
    counts = np.zeros(n + 1, dtype=kind)
    for part in parts:
        counts[1:][part.rows if isinstance(part, SparseColumn) else part != 0] += 1
    ends = np.cumsum(counts, dtype=kind)
    data, indices = np.empty(nonzeros), np.empty(nonzeros, dtype=kind)
    free: NDArray[Any] = ends[:-1].copy()  # the next place of each row
    for part, start in zip(parts, starts[:-1], strict=True):
        if isinstance(part, SparseColumn):
            rows = part.rows
            data[free[rows]], indices[free[rows]] = part.numbers, start
        else:
            rows = np.flatnonzero(part)
            is_level = part.dtype.kind == "i"
            data[free[rows]] = 1.0 if is_level else part[rows]
            indices[free[rows]] = start + part[rows] - 1 if is_level else start
        free[rows] += 1
    points = sp.csr_array((data, indices, ends), shape=(n, int(starts[-1])))
    points.has_sorted_indices = points.has_canonical_format = True
    return in_form(points)


def fit_encoding(
    columns: Sequence[Column], missing: str, degree: int = 1,
    reference: Mapping[str, str] | None = None, whole: Encoding | None = None,
) -> Encoding:  # fmt: skip
    """Return the encoding of these rows, with products up to a degree and levels as baselines.

    Of some rows of a `whole` table: they have its features, and are filled by these rows alone.
    """
    refuse_other_choice("missing", missing, MISSING_CHOICES)
    degree = whole_degree(degree)
    plain = Encoding(tuple(column.encoding(missing != "drop") for column in columns))
    if reference:
        plain = Encoding(_with_reference(plain.columns, reference))
    if whole is not None:
        pairs = zip(whole.columns, plain.columns, strict=True)
        plain = Encoding(tuple(replace(a, fill=b.fill) for a, b in pairs))  # type: ignore[arg-type]  # of one kind
    if degree == 1:
        return plain
    points = dense(plain.encode(columns, lenient=True), "products of columns")
    return replace(plain, monomials=fit_monomials(points, degree))


def _with_reference(
    columns: Sequence[NumberEncoding | CategoryEncoding], reference: Mapping[str, str]
) -> tuple[NumberEncoding | CategoryEncoding, ...]:
    levels = {c.name: c.levels for c in columns if isinstance(c, CategoryEncoding)}
    for name, level in reference.items():
        if name not in levels:
            raise InputError(
                f"no category is called {shown(name)} (--reference). {nearest(name, list(levels))}"
            )
        if level not in levels[name]:
            raise InputError(
                f"column {shown(name)} has no level {shown(level)} (--reference). It has "
                f"{listed(levels[name])}."
            )
    return tuple(
        replace(c, levels=(reference[c.name], *sorted({*c.levels} - {reference[c.name]})))
        if isinstance(c, CategoryEncoding) and c.name in reference
        else c
        for c in columns
    )


def refuse_other_choice(option: str, choice: str | None, choices: Sequence[str]) -> None:
    if choice not in choices:
        raise InputError(f"--{option} must be {' or '.join(choices)}; it is {choice!r}.")


def take(columns: Sequence[Column], rows: NDArray[np.int64]) -> tuple[Column, ...]:
    return tuple(column.take(rows) for column in columns)
