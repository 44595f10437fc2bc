"""Columns as read, and how they become features: numbers as they are, categories one-hot.

With a degree above 1 all products of these take their place (see `monomials`).

An `Encoding` is fitted on some rows and used on others: levels, medians and commonest levels come
from the rows it was fitted on only, so that cross-validation does not look at the rows left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, require_memory
from separatrix.tables.monomials import Monomials, fit_monomials, whole_degree
from separatrix.tables.wording import Place, listed, shown

MISSING_CODE = -1
UNSEEN_CODE = -2
MISSING_CHOICES = ("drop", "fill", "level")


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """One column of numbers.

    Parameters
    ----------
    name : str
    values : float64 array (N,)
        NaN where the value is missing.
    """

    name: str
    values: Floats

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value, bool array (N,)."""
        return np.isnan(self.values)

    def take(self, rows: NDArray[np.int64]) -> NumberColumn:
        """Return this column for some rows."""
        return NumberColumn(self.name, self.values[rows])

    def keep_as_is(self) -> NumberEncoding:
        """Return the encoding that refuses missing values."""
        return NumberEncoding(self.name, None)

    def fill_with_typical(self) -> NumberEncoding:
        """Return the encoding that fills with the median (0 when no row has a value)."""
        present = self.values[~self.missing]
        if present.size == 0:
            return NumberEncoding(self.name, 0.0)
        with np.errstate(over="ignore"):
            median = float(np.median(present))
        if np.isinf(median):  # the mean of the two middle values overflows; that of halves does not
            median = 2.0 * float(np.median(present / 2.0))
        return NumberEncoding(self.name, median)


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """One column of categories.

    Parameters
    ----------
    name : str
    codes : int32 array (N,)
        Positions in `levels`; -1 where the value is missing.
    levels : tuple of str
        Sorted, as written in the file without surrounding blanks.
    """

    name: str
    codes: NDArray[np.int32]
    levels: tuple[str, ...]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value, bool array (N,)."""
        return self.codes < 0

    def take(self, rows: NDArray[np.int64]) -> CategoryColumn:
        """Return this column for some rows, with the levels that occur in them."""
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])
        position = np.full(len(self.levels) + 1, MISSING_CODE, dtype=np.int32)  # last: code -1
        position[used] = np.arange(used.size, dtype=np.int32)
        return CategoryColumn(self.name, position[codes], tuple(self.levels[k] for k in used))

    def keep_as_is(self) -> CategoryEncoding:
        """Return the encoding that refuses missing values."""
        return CategoryEncoding(self.name, self._levels_that_occur(), None)

    def fill_with_typical(self) -> CategoryEncoding:
        """Return the encoding that fills with the commonest level (the first on a tie)."""
        counts = self._counts()
        fill = self.levels[int(np.argmax(counts))] if counts.any() else None
        return CategoryEncoding(self.name, self._levels_that_occur(), fill)

    def _counts(self) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = np.bincount(
            self.codes[self.codes >= 0], minlength=len(self.levels)
        )
        return counts

    def _levels_that_occur(self) -> tuple[str, ...]:
        """Return the commonest level (the first on a tie), then the others in order."""
        counts = self._counts()
        if not counts.any():
            return ()
        commonest = int(np.argmax(counts))
        others = (k for k in np.flatnonzero(counts).tolist() if k != commonest)
        return tuple(self.levels[k] for k in (commonest, *others))


Column = NumberColumn | CategoryColumn


@dataclass(frozen=True, slots=True)
class NumberEncoding:
    """How a number column becomes one feature.

    Parameters
    ----------
    name : str
    fill : float or None
        What a missing value becomes; None when no filling was asked for.
    """

    name: str
    fill: float | None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Its own name."""
        return (self.name,)

    def features(self, column: Column, place: Place) -> Floats:
        """Return (N, 1); `InputError` for a category column or a missing value without a fill."""
        if not isinstance(column, NumberColumn):
            raise InputError(
                f"column {shown(self.name)} holds categories here and held numbers when the model "
                "was trained. Give the same column, or train again."
            )
        if self.fill is not None:
            return np.where(column.missing, self.fill, column.values)[:, None]
        _refuse_missing(column, place)
        return column.values[:, None]

    features_lenient = features


@dataclass(frozen=True, slots=True)
class CategoryEncoding:
    """How a category column becomes 0/1 features, one for each level but the baseline.

    Parameters
    ----------
    name : str
    levels : tuple of str
        ``levels[0]`` is the baseline, the commonest, which gets no feature of its own; the others
        are sorted.
    fill : str or None
        The level a missing value becomes; None when no filling was asked for.
    """

    name: str
    levels: tuple[str, ...]
    fill: str | None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Return "column=level" for every level but the baseline."""
        return tuple(f"{self.name}={level}" for level in self.levels[1:])

    def features(self, column: Column, place: Place) -> Floats:
        """Return (N, levels - 1); `InputError` for a level never seen or a missing value."""
        column = self._category(column)
        positions = self._positions(column)
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
        return self._indicators(positions)

    def features_lenient(self, column: Column, place: Place) -> Floats:  # noqa: ARG002  # one shape for both
        """Return (N, levels - 1); a level never seen becomes the baseline."""
        return self._indicators(self._positions(self._category(column)))

    def unseen(self, column: Column) -> NDArray[np.bool_]:
        """Return (N,) which rows hold a level never seen."""
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

    def _indicators(self, positions: NDArray[np.int64]) -> Floats:
        is_level: NDArray[np.bool_] = positions[:, None] == np.arange(1, max(1, len(self.levels)))
        return is_level.astype(np.float64)


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
    """How columns become features, in this order.

    Parameters
    ----------
    columns : tuple of NumberEncoding or CategoryEncoding
    monomials : Monomials or None
        Which products then take the place of those features; None for degree 1.
    """

    columns: tuple[NumberEncoding | CategoryEncoding, ...]
    monomials: Monomials | None = None

    @property
    def plain_names(self) -> tuple[str, ...]:
        """A number's own name, "column=level" for a category's levels but the first."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The d names: the plain ones, or those of their products."""
        plain = self.plain_names
        return plain if self.monomials is None else self.monomials.names(plain)

    def encode(
        self, columns: Sequence[Column], lines: NDArray[np.int64], line_word: str = "line"
    ) -> Floats:
        """Return the features (N, d), C-ordered.

        Parameters
        ----------
        columns : sequence of Column
            Those the encoding was fitted on, in the same order.
        lines : int64 array (N,)
            Where each row stands in its file, for messages.
        line_word : str
            "line" or "row".

        Raises
        ------
        InputError
            Naming line, column and value: a level never seen, a missing value with no fill, other
            columns than those fitted.
        """
        place = Place("", line_word, lines)
        points = self._room(columns)
        for part, encoding, column in zip(self._parts(), self.columns, columns, strict=True):
            points[:, part] = encoding.features(column, place)
        return self._transformed(points, place)

    def lacking(self, columns: Sequence[Column]) -> dict[str, NDArray[np.bool_]]:
        """Return, for every column that is not filled, which rows (N,) lack a value."""
        pairs = zip(columns, self.columns, strict=False)  # other columns are refused by `encode`
        return {column.name: column.missing for column, how in pairs if how.fill is None}

    def complete(self, columns: Sequence[Column]) -> NDArray[np.int64]:
        """Return the rows that lack no value but those that are filled."""
        lacking = np.zeros(columns[0].missing.size if columns else 0, dtype=bool)
        for absent in self.lacking(columns).values():
            lacking |= absent
        return np.flatnonzero(~lacking)

    def unseen(self, columns: Sequence[Column]) -> NDArray[np.bool_]:
        """Return (N,) which rows hold a level never seen in any column."""
        found = np.zeros(columns[0].missing.size if columns else 0, dtype=bool)
        for column, how in zip(columns, self.columns, strict=False):  # others `encode` refuses
            if isinstance(how, CategoryEncoding):
                found |= how.unseen(column)
        return found

    def encode_lenient(self, columns: Sequence[Column]) -> Floats:
        """Return the features (N, d); a level never seen becomes the baseline.

        For the rows a cross-validation fold leaves out: they are ours, and a rare level may not
        occur among the fold's training rows.
        """
        points = self._room(columns)
        place = Place("", "row", np.arange(1, points.shape[0] + 1))
        for part, encoding, column in zip(self._parts(), self.columns, columns, strict=True):
            points[:, part] = encoding.features_lenient(column, place)
        return self._transformed(points, place)

    def _transformed(self, points: Floats, place: Place) -> Floats:
        if self.monomials is None:
            return points
        return self.monomials.of(points, self.plain_names, place)

    def _room(self, columns: Sequence[Column]) -> Floats:
        """Return an empty (N, d) array for these columns, which must be those fitted."""
        names = [column.name for column in columns]
        expected = [column.name for column in self.columns]
        if names != expected:
            raise InputError(
                f"the columns must be {listed(expected)}, in this order; they are {listed(names)}."
            )
        n = columns[0].missing.size if columns else 0
        d = len(self.plain_names)
        require_memory(8 * n * d, f"A table of {n:,} rows and {d:,} features")
        return np.empty((n, d))

    def _parts(self) -> list[slice]:
        """Return the places of each column's features among the d."""
        ends = np.cumsum([0, *(len(column.feature_names) for column in self.columns)])
        return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]


def fit_encoding(columns: Sequence[Column], missing: str, degree: int = 1) -> Encoding:
    """Return the encoding of these rows.

    Parameters
    ----------
    columns : sequence of Column
    missing : "drop", "fill" or "level"
        "fill", "level": a missing number becomes the median of these rows, a missing category their
        commonest level. "drop": such rows are taken out before, so nothing is filled.
    degree : int
        Above 1, features become all their products of at most so many factors that say something
        on these rows.

    Raises
    ------
    InputError
        For another word than those, and for a degree that makes too many features.
    """
    refuse_other_choice("missing", missing, MISSING_CHOICES)
    degree = whole_degree(degree)
    if missing != "drop":
        plain = Encoding(tuple(column.fill_with_typical() for column in columns))
    else:
        plain = Encoding(tuple(column.keep_as_is() for column in columns))
    if degree == 1:
        return plain
    points = plain.encode_lenient(columns)
    return replace(plain, monomials=fit_monomials(points, degree))


def refuse_other_choice(option: str, choice: str | None, choices: Sequence[str]) -> None:
    """Raise `InputError` unless `choice` is one of `choices`."""
    if choice not in choices:
        raise InputError(f"--{option} must be {' or '.join(choices)}; it is {choice!r}.")


def take(columns: Sequence[Column], rows: NDArray[np.int64]) -> tuple[Column, ...]:
    """Return the same columns for some rows; a category keeps the levels that occur in them."""
    return tuple(column.take(rows) for column in columns)
