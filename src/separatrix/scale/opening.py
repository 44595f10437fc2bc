"""What a fit can take instead of arrays: a table in blocks, or what one can be opened from."""

from __future__ import annotations

import os

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Sample, read_arrays
from separatrix.scale.collection import CollectionSource
from separatrix.scale.npy import NpySource
from separatrix.scale.paths import paths_of
from separatrix.scale.rows import Rows


def is_beyond_memory(X: Untyped) -> bool:
    """Whether X is a table in blocks, a path, or a collection of Dask's."""
    return isinstance(X, Rows | str | os.PathLike) or hasattr(X, "__dask_graph__")


def checked_table(X: ArrayLike | Sample, y: ArrayLike = None) -> Sample | Rows:
    """Return the rows of a question: a checked sample, or rows that do not fit into memory.

    X may be a sample that was checked before.
    """
    if isinstance(X, Sample):
        return X
    if not is_beyond_memory(X):
        if y is None:
            raise InputError("the labels y are missing: give X and y.")
        return read_arrays(X, y)
    table = table_in_blocks(X, y)
    if table.classes is None:
        raise InputError(f"{table.source.described}: y holds numbers, and labels are asked for.")
    return table.as_arrays() if table.fits_in_memory else table


def table_in_blocks(
    X: Untyped, y: ArrayLike = None, *, numbers: bool = False, yes: str | None = None
) -> Rows:
    """Return what `fit` was given as a table in blocks."""
    if isinstance(X, Rows):
        if y is not None:
            raise InputError("a table in blocks brings its labels: leave y out.")
        return X
    if hasattr(X, "__dask_graph__"):
        if yes is not None:
            raise InputError(f"give a collection of Dask's the labels y == {yes!r} instead of yes.")
        return Rows(CollectionSource(X, y, numbers=numbers))
    from separatrix.scale import tables_of_files as files  # arrays do without them

    label = os.fspath(y) if isinstance(y, os.PathLike) else y
    if label is not None and not isinstance(label, str | int):
        raise InputError(
            "rows that are read from files have their labels in a file, too: y is the name of a "
            f"column, or a path; it is {type(y).__name__}."
        )
    if not numbers:
        return files.open_table(X, label, yes)
    paths = paths_of(X)
    if label is None:
        said = f"say which column of {paths[0]!r} holds the numbers to fit: fit(path, y)."
        raise InputError(said)
    if files.is_npy(paths[0]):
        y_files = int(label) if isinstance(label, int) else paths_of(str(label))
        return Rows(NpySource(paths, y_files, numbers=True))
    return Rows(files.numbers_to_fit(paths, str(label)))
