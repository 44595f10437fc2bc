"""Columns that are read as asked and may still not be what the user means: said, never changed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from separatrix._later import pc
from separatrix.data import Floats, joined
from separatrix.said import Said
from separatrix.tables.cells import FIRST_ROWS, is_text, trimmed
from separatrix.tables.columns import CategoryColumn, Column
from separatrix.tables.labels import LabelColumn
from separatrix.tables.raw import RawColumn
from separatrix.tables.wording import MOST_NAMES, Place, counted, shown

MANY_LEVELS = 20
FEWEST_ROWS = 20  # below, that all values differ says little
PHONE_DIGITS = 7
LONG_DIGITS = 9  # of equally long whole numbers: no measurement has as many
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
IDENTIFIER = frozenset({"id", "ids", "uuid", "key", "code", "no", "nr", "number", "nummer"})
POST_CODE = frozenset({"zip", "zipcode", "plz", "postcode", "postal", "postleitzahl"})
NUMBERED = frozenset({"column", "unnamed", "index", "row"})  # "column 1" is a column without a name
PHONE = frozenset({"phone", "telephone", "tel", "telefon", "mobile", "fax"})


def suspicions(raw: RawColumn, column: Column) -> list[str]:
    """Return a sentence for each reason to doubt how a feature was read: name and values."""
    if isinstance(column, CategoryColumn):
        return _of_levels(column)
    why = code_of(raw, column.values[~column.missing])
    if why is None:
        return []
    return [
        Said(
            "Column {name} looks like a code, not like an amount: {why}. It was read as numbers, "
            "so that its size counts. Read it as categories with --text {name}, or leave it out "
            "with --drop {name}.",
            name=shown(raw.name), why=why,
        )
    ]  # fmt: skip


def _of_levels(column: CategoryColumn) -> list[str]:
    alike, found = defaultdict(list), []
    for level in column.levels:
        alike[level.casefold()].append(level)
    groups = [" and ".join(shown(v) for v in same) for same in alike.values() if len(same) > 1]
    if groups:
        found.append(
            f"Column {shown(column.name)} has levels that differ in case only: "
            f"{joined(groups, 5, '; ')}. Each is a feature of its own: write them alike in the "
            "file if they mean the same, or use --fold-case."
        )
    levels, n = len(column.levels), column.codes.size
    if levels > MANY_LEVELS and levels > n / 2:
        found.append(
            f"Column {shown(column.name)} is text with {levels} different values in {n} rows: "
            "nearly every row has its own, so a line can learn the rows by heart, and the table "
            "may be separable for that reason alone. If it is an identifier or free text, leave "
            f"it out with --drop {shown(column.name)}."
        )
    return found


def decides(column: Column, labels: LabelColumn) -> bool:
    """Whether every value of a column, or each side of a threshold, has one of the labels only."""
    rows = ~column.missing & (labels.codes >= 0)
    codes = labels.codes[rows]
    present = np.flatnonzero(np.bincount(codes))
    if present.size < 2:
        return False
    if isinstance(column, CategoryColumn):
        values = column.codes[rows].astype(np.int64)
    else:
        numbers = column.values[rows]
        if present.size == 2:
            low, high = (numbers[codes == k] for k in present)
            if low.max() < high.min() or high.max() < low.min():
                return True
        if np.unique(numbers[:FIRST_ROWS]).size > MANY_LEVELS:
            return False
        levels, values = np.unique(numbers, return_inverse=True)
        if levels.size > min(MANY_LEVELS, numbers.size / 2):
            return False
    pairs = np.unique(values * (codes.max() + 1) + codes)
    return bool(pairs.size == np.unique(values).size)


def repeated_rows(
    columns: Sequence[NDArray[np.generic]], labels: NDArray[np.int64], lines: Place
) -> list[str]:
    """Return how many rows repeat an earlier one in every column, and whether with its label."""
    n = labels.size
    rows, groups = np.arange(n), np.zeros(n, dtype=np.int64)
    for column in sorted(columns, key=lambda column: column.dtype != np.float64):
        _, codes = np.unique(column[rows], return_inverse=True)
        _, groups, counts = np.unique(groups * n + codes, return_inverse=True, return_counts=True)
        several = counts[groups] > 1
        rows, groups = rows[several], groups[several]
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    again = np.setdiff1d(np.arange(rows.size), first)
    different = 1.0
    for column in columns:
        different *= np.unique(column).size if again.size and different <= n else 1.0
    if not again.size or different <= n:
        return []
    own, earlier = labels[rows[again]], labels[rows[first[groups[again]]]]
    others = int(((own != earlier) & (np.minimum(own, earlier) >= 0)).sum())
    told = f"{others:,} with another label: no line gets both right" if others else "labels alike"
    some = ", ".join(map(str, lines.lines[rows[again][:MOST_NAMES]]))
    more = f" and {again.size - MOST_NAMES:,} more" if again.size > MOST_NAMES else ""
    are = f"repeats an earlier one in every column but the label: {lines.line_word}"
    if again.size > 1:
        are = are.replace("repeats", "repeat") + "s"
    return [
        f"{counted(again.size, 'row')} {are} {some}{more} ({told}). Each counts as a row of its "
        "own, in cross-validation too: leave out of the file what are mere copies."
    ]


def code_of(raw: RawColumn, values: Floats) -> str | None:
    """Return what makes a column of numbers (without missing ones) look like a code."""
    if values.size < 3 or not _whole(values[:100]) or not _whole(values):
        return None
    width = _common_width(raw, values)
    words = {word.casefold() for word in WORDS.findall(raw.name)}
    is_code = width is not None and width >= 3 and is_text(raw.cells)
    if is_code and pc.any(pc.match_substring_regex(trimmed(raw.cells), "^0[0-9]")).as_py():
        return Said("all values have {width} digits, and some begin with 0", width=width)
    if width is not None and 4 <= width <= 6 and words & POST_CODE:
        return Said("its name, and all values have {width} digits", width=width)
    if values.min() >= 10 ** (PHONE_DIGITS - 1) and words & PHONE:
        least = PHONE_DIGITS
        return Said("its name, and all values have {least} digits or more", least=least)
    return _identifier(words, width, values) if values.size >= FEWEST_ROWS else None


def _identifier(words: set[str], width: int | None, values: Floats) -> str | None:
    if words & NUMBERED and (np.diff(values) == 1.0).all():
        return Said("its name, and the rows are numbered")
    long = width is not None and width >= LONG_DIGITS
    if not (long or words & IDENTIFIER) or np.unique(values).size < values.size:
        return None
    if long:
        return Said("whole numbers of {width} digits, none twice", width=width)
    return Said("its name, and no value twice")


def _whole(values: Floats) -> bool:
    return bool((values == np.rint(values)).all() and (values >= 0.0).all())


def _common_width(raw: RawColumn, values: Floats) -> int | None:
    """Return the number of digits that all values have, as written; None where they differ."""
    if is_text(raw.cells):
        cells = trimmed(raw.cells)
        digits = pc.match_substring_regex(cells, "^[0-9]+$")
        widths = pc.unique(pc.utf8_length(cells.filter(digits))).to_pylist()
        written = pc.sum(digits).as_py()
        return widths[0] if len(widths) == 1 and written == values.size else None
    low, high = values.min(), values.max()
    width = len(str(int(high)))
    return width if width <= 15 and low >= 10.0 ** (width - 1) else None
