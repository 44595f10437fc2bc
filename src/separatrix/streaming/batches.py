"""Anything that yields rows becomes batches (X, y): tuples, mappings, Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError

TOGETHER = 4096
Batch = tuple[ArrayLike, ...]  # X (n, d), y (n,) and perhaps what rows are called by (n,)


def batches_of(
    source: Iterable[Untyped], label: str | None = None, together: int = TOGETHER
) -> Iterator[Batch]:
    """Yield batches (X, y), or (X, y, numbers), of what a stream yields.

    Parameters
    ----------
    source : yields pairs (X, y) of a batch X (N, d) or of one row x (d,), with what rows are called
        by as a third part if need be; or mappings of names to values, one for each row; or Arrow
        record batches and data frames
    label : the name that y has in the latter
    together : single rows that are put into one batch

    Raises
    ------
    InputError
        For anything else, and for a row that lacks the label or has other columns than the first.
    """
    rows = iter(source)
    first = next(rows, None)
    if first is None:
        return
    rows = chain([first], rows)
    if isinstance(first, Mapping):
        yield from _of_mappings(rows, _needed(label), list(first), together)
    elif hasattr(first, "column_names") or hasattr(first, "columns"):
        yield from _of_tables(rows, _needed(label))
    elif isinstance(first, tuple) and len(first) in (2, 3):
        yield from _of_pairs(rows, together)
    else:
        raise InputError(
            f"a stream yields pairs (X, y), mappings or Arrow batches; this one yields "
            f"{type(first).__name__}."
        )


def _needed(label: str | None) -> str:
    if label is None:
        raise InputError("say which column holds the labels (label=...).")
    return label


def _of_mappings(
    rows: Iterator[Mapping[str, Untyped]], label: str, names: list[str], together: int
) -> Iterator[Batch]:
    """Yield batches of rows that name their values; the columns are in the first row's order."""
    if label not in names:
        raise InputError(f"the rows have no {label!r}; they have {', '.join(map(repr, names))}.")
    features = [name for name in names if name != label]
    read = 0
    while some := list(islice(rows, together)):
        for k, row in enumerate(some):
            if row.keys() != set(names):
                raise InputError(
                    f"row {read + k} has {', '.join(map(repr, row))}; the first row has "
                    f"{', '.join(map(repr, names))}."
                )
        read += len(some)
        yield [[row[name] for name in features] for row in some], [row[label] for row in some]


def _of_tables(batches: Iterator[Untyped], label: str) -> Iterator[Batch]:
    names: list[str] = []
    for k, batch in enumerate(batches):
        if hasattr(batch, "column_names"):
            columns = dict(zip(batch.column_names, batch.columns, strict=True))
            values = {n: column.to_numpy(zero_copy_only=False) for n, column in columns.items()}
        else:
            values = {str(name): np.asarray(batch[name]) for name in batch.columns}
        if label not in values:
            have = ", ".join(map(repr, values))
            raise InputError(f"a batch has no column {label!r}; it has {have}.")
        y = values.pop(label)
        names = names if k else list(values)
        if values.keys() != set(names):
            raise InputError(
                f"batch {k} has columns {', '.join(map(repr, values))}; the first batch has "
                f"{', '.join(map(repr, names))}."
            )
        yield np.column_stack([values[n] for n in names]) if names else np.zeros((len(y), 0)), y


def _of_pairs(rows: Iterator[tuple[Untyped, ...]], together: int) -> Iterator[Batch]:
    """Yield batches (X, y) or (X, y, numbers); single rows (x, y) are put together."""
    for X, y, *numbers in rows:
        if np.ndim(X) != 1:
            yield X, y, *numbers
            continue
        some = [(X, y, *numbers), *islice(rows, together - 1)]
        yield tuple(list(part) for part in zip(*some, strict=True))
