"""Names that a database cannot have or cannot distinguish are refused before they do harm."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import chain

from separatrix.data import InputError, SeparatrixWarning
from separatrix.exporting.cells import Cells
from separatrix.exporting.dialects import Dialect
from separatrix.model import Lines
from separatrix.tables import CategoryEncoding, NumberEncoding
from separatrix.tables.recipes import (
    COMMAS_IN_SQL,
    Levels,
    Recipe,
    has_decimal_commas,
    sources_of,
)
from separatrix.tables.wording import shown


def refuse_names(cells: Cells, lines: Lines, path: Sequence[str], keep: Sequence[str]) -> None:
    """Raise `InputError` for what this database cannot read; warn of what it shortens."""
    way, recipes = cells.way, cells.table.recipes
    sources = sources_of([column.name for column in lines.encoding.columns], recipes)
    read = [*dict.fromkeys([*sources, *keep])]
    out = [*keep, "answer", *lines.score_names]
    for name in path:
        if not name:
            raise InputError("the table's name is empty: say which table holds the rows.")
    for name in [*path, *read, *out, *_texts(lines, recipes)]:
        if "\0" in name:
            raise InputError(f"{shown(name)} holds a NUL character, which no database can have.")
    numbers = any(isinstance(c, NumberEncoding) for c in lines.encoding.columns)
    if numbers and not way.is_text and has_decimal_commas(recipes, cells.table.decimal):
        raise InputError(COMMAS_IN_SQL)
    if "" in read and not way.empty_names:
        raise InputError(f"{way.name} has no columns with an empty name: rename it, learn again.")
    n_columns = len(keep) + len(lines.encoding.plain_names) + len(lines.weights) + cells.n
    n_columns += 3 * len(lines.classes) if lines.pairs else 0
    if n_columns > way.most_columns:
        raise InputError(
            f"this model needs {n_columns:,} columns in one SELECT, and {way.name} has at most "
            f"{way.most_columns:,}. Learn from fewer columns (--drop)."
        )
    _refuse_same(way, read, "are one name to it, and the model tells them apart")
    _refuse_same(way, out, "would both come out of the SELECT; keep the one under another name")
    names = [*path, *read, *out]
    long = [n for n in names if way.longest_name and len(n.encode()) > way.longest_name]
    if long:
        warnings.warn(
            f"{way.name} cuts names off behind {way.longest_name} bytes, here {len(long)} of them "
            f"(first {shown(long[0])}, {len(long[0].encode()):,} bytes): the SELECT finds the "
            "column if its table was made with the same long name.",
            SeparatrixWarning,
            stacklevel=4,
        )


def _texts(lines: Lines, recipes: Sequence[Recipe]) -> list[str]:
    categories = [c for c in lines.encoding.columns if isinstance(c, CategoryEncoding)]
    kept = [r.how.kept or () for r in recipes if isinstance(r.how, Levels)]
    return [*lines.labels, *(level for c in categories for level in c.levels), *chain(*kept)]


def _refuse_same(way: Dialect, names: Iterable[str], why: str) -> None:
    first: dict[str, str] = {}
    for name in names:
        key = way.fold(name)
        if key in first:
            raise InputError(
                f"{way.name}: the columns {shown(first[key])} and {shown(name)} {why}. Rename one."
            )
        first[key] = name
