"""What a fit can take instead of arrays: a table in blocks, or what one can be opened from.

Blocks of Dask's arrays and data frames are made where they are, on the workers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Sample, read_arrays, read_labels
from separatrix.data.points import FLOATS
from separatrix.scale.npy import (
    Changed,
    NpySource,
    changed_integers,
    refuse_nonfinite_block,
    sample_of,
    warn_changed,
)
from separatrix.scale.rows import Rows
from separatrix.scale.source import Source, paths_of


class CollectionSource(Source):
    """Rows X (N, d) and labels or numbers y (N,) of Dask."""

    def __init__(self, X: Untyped, y: Untyped, *, numbers: bool = False) -> None:
        self.described = "the Dask collection"
        if y is None:
            raise InputError("y is missing: give Dask labels, or the name of their column.")
        integers: dict[str, Untyped] = {}  # by what messages call them
        if hasattr(X, "columns"):
            X, y, names, integers = _arrays_of_frame(X, y)
        else:
            names = None
        if not hasattr(y, "__dask_graph__"):
            raise InputError("X is a Dask collection, so y must be one, too: da.from_array(y).")
        y = y.to_dask_array() if hasattr(y, "to_dask_array") else y
        for array in (X, y):  # Dask may cut the files anew for each: rows are counted in both
            if np.isnan(array.shape[0]):
                array.compute_chunk_sizes()
        if X.ndim != 2 or y.ndim != 1 or X.shape[0] != y.shape[0]:
            raise InputError(
                f"X has shape {X.shape} and y {y.shape}: X must be rows by columns, and y have one "
                "label per row."
            )
        if X.dtype.kind not in "biuf":
            raise InputError(f"X holds {X.dtype}: make numbers of it first.")
        self.n, self.d = (int(size) for size in X.shape)
        if names is None and X.dtype.kind in "iu" and X.dtype.itemsize == 8:
            integers = {f"column {j}": X[:, j] for j in range(self.d)}
        long_y = numbers and y.dtype.kind in "iu" and y.dtype.itemsize == 8
        self.dtype = X.dtype if X.dtype in FLOATS else np.dtype(np.float64)
        self.X, self.y = X.astype(self.dtype), y
        self.names = names or tuple(f"x{j + 1}" for j in range(self.d))
        labels = _looked_at(None if numbers else y, [integers, {"y": y} if long_y else {}])
        self.classes = None if numbers else read_labels(labels)[0]
        self._about = self.classes, (self.names, self.described)

    def read(self, start: int, stop: int) -> Sample:
        from dask import compute  # who has a collection has Dask

        X, y = compute(self.X[start:stop], self.y[start:stop])
        return _checked(X, y, start, *self._about)

    def lazily(self, start: int, stop: int) -> Untyped:
        from dask import delayed

        X, y = self.X[start:stop], self.y[start:stop]
        return delayed(_checked)(X, y, start, *self._about)


def _checked(
    X: NDArray[Any], y: NDArray[Any], start: int, classes: Untyped, about: tuple[Untyped, ...]
) -> Sample:
    sample = sample_of(X, y, classes)
    refuse_nonfinite_block(sample.X, start, *about)
    return sample


def _arrays_of_frame(
    frame: Untyped, y: Untyped
) -> tuple[Untyped, Untyped, tuple[str, ...], dict[str, Untyped]]:
    """Return X and y of a data frame as arrays, the names of the columns, and long integers."""
    if isinstance(y, str):
        if y not in frame.columns:
            raise InputError(f"the data frame has no column {y!r}.")
        frame, y = frame.drop(columns=y), frame[y]
    for name, kind in frame.dtypes.items():
        if getattr(kind, "kind", "O") not in "biuf":
            raise InputError(
                f"column {str(name)!r} holds {kind}: Dask's frames are read as numbers. Make "
                "numbers of it, leave it out, or give the files themselves to open_table."
            )
    X = frame.astype(np.float64).to_dask_array()
    y = y.to_dask_array() if hasattr(y, "to_dask_array") else y
    integers = {
        f"column {str(name)!r}": frame[name].to_dask_array()
        for name, kind in frame.dtypes.items()
        if isinstance(kind, np.dtype) and kind.kind in "iu" and kind.itemsize == 8
    }
    return X, y, tuple(str(name) for name in frame.columns), integers


def _looked_at(y: Untyped, integers: Sequence[dict[str, Untyped]]) -> NDArray[Any]:
    """Return the distinct labels y, and warn of integers that are others in float64: one read.

    Those of one dictionary are cut into the same chunks.
    """
    from dask import compute, delayed

    labels = [] if y is None else [delayed(np.unique)(part) for part in _parts(y)]
    chunks = [zip(*map(_parts, some.values()), strict=True) for some in integers]
    changed = [[delayed(_changed)(columns) for columns in parts] for parts in chunks]
    each, found = compute(labels, changed)
    for some, parts in zip(integers, found, strict=True):
        start, placed = 0, []
        for n, part in parts:
            placed.append({j: (start + row, value) for j, (row, value) in part.items()})
            start += n
        warn_changed(placed, tuple(some))
    return np.unique(np.concatenate(each)) if each else np.empty(0)


def _parts(column: Untyped) -> list[Untyped]:
    return column.to_delayed().ravel().tolist()  # type: ignore[no-any-return]  # Dask has no types


def _changed(columns: Sequence[NDArray[Any]]) -> tuple[int, Changed]:
    """Return how many rows of long integers a chunk has, and which of them change."""
    return len(columns[0]), changed_integers(columns)


def is_beyond_memory(X: Untyped) -> bool:
    """Whether X is a table in blocks, a path, or a collection of Dask's."""
    return isinstance(X, Rows | str | os.PathLike) or hasattr(X, "__dask_graph__")


def refuse_in_blocks(asked: Mapping[str, bool]) -> None:
    """Raise `InputError` where one of these was asked of a table that is read in blocks."""
    for name, is_asked in asked.items():
        if is_asked:
            raise InputError(
                f"{name} is not available for a table that is read in blocks. Leave it out, or "
                "read the table into memory (read_table)."
            )


def checked_table(
    X: ArrayLike | Sample, y: ArrayLike = None, sample_weight: ArrayLike = None
) -> Sample | Rows:
    """Return the rows of a question, a sample that was checked before as it is.

    Arrays, a data frame or a `Table` become a checked sample; rows that do not fit into memory
    are a table in blocks.
    """
    if isinstance(X, Sample):
        return X
    if not is_beyond_memory(X):
        if hasattr(X, "columns") or hasattr(X, "codes"):
            from separatrix.tables.frames import arrays_of  # arrays do without pyarrow

            X, y, sample_weight = arrays_of(X, y, sample_weight)
        if y is None:
            raise InputError("the labels y are missing: give X and y, or a table from read_table.")
        return read_arrays(X, y, sample_weight)
    table = table_in_blocks(X, y, sample_weight)
    if table.classes is None:
        raise InputError(f"{table.source.described}: y holds numbers, and labels are asked for.")
    return table.as_arrays() if table.fits_in_memory else table


def table_in_blocks(
    X: Untyped, y: ArrayLike = None, sample_weight: ArrayLike = None, *, numbers: bool = False,
    yes: str | None = None,
) -> Rows:  # fmt: skip
    """Return what `fit` was given as a table in blocks."""
    if sample_weight is not None:
        raise InputError("a table in blocks brings its weights: leave sample_weight out.")
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
