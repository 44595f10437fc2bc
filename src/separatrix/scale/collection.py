"""Rows of Dask's arrays and data frames: their blocks are made where they are, on the workers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import InputError, Sample, read_labels
from separatrix.data.labels import signs_of
from separatrix.data.points import FLOATS
from separatrix.scale.npy import refuse_nonfinite_block
from separatrix.scale.source import Source


class CollectionSource(Source):
    """Rows X (N, d) and labels or numbers y (N,) of Dask.

    Parameters
    ----------
    X : array or data frame of numbers; rows of unknown number are counted
    y : array or series; or the name of a column of the data frame
    numbers : whether y are numbers to fit, and no labels
    """

    def __init__(self, X: Untyped, y: Untyped, *, numbers: bool = False) -> None:
        self.described = "the Dask collection"
        if y is None:
            raise InputError("y is missing: give Dask labels, or the name of their column.")
        if hasattr(X, "columns"):
            X, y, names = _arrays_of_frame(X, y)
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
        self.dtype = X.dtype if X.dtype in FLOATS else np.dtype(np.float64)
        self.X, self.y = X.astype(self.dtype), y
        self.names = names or tuple(f"x{j + 1}" for j in range(self.d))
        self.classes = None if numbers else read_labels(_distinct(y))[0]

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1, computed here."""
        from dask import compute  # who has a collection has Dask

        X, y = compute(self.X[start:stop], self.y[start:stop])
        return _sample(X, y, start, self.classes, self.names, check=check)

    def lazily(self, start: int, stop: int) -> Untyped:
        """Return these rows as what Dask makes a `Sample` of."""
        from dask import delayed

        X, y = self.X[start:stop], self.y[start:stop]
        return delayed(_sample)(X, y, start, self.classes, self.names, check=True)

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Return a few rows by index."""
        from dask import compute

        order = np.argsort(rows, kind="stable")  # Dask is slow at rows in disorder
        X, y = compute(self.X[rows[order]], self.y[rows[order]])
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        return _sample(X[back], y[back], 0, self.classes, self.names, check=False)

    @property
    def fingerprint(self) -> str:
        """The names that Dask gives to the collections: they follow from what these are made of."""
        return f"{self.X.name} {self.y.name}"


def _arrays_of_frame(frame: Untyped, y: Untyped) -> tuple[Untyped, Untyped, tuple[str, ...]]:
    """Return X and y of a data frame as arrays, and the names of the columns."""
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
    return X, y, tuple(str(name) for name in frame.columns)


def _distinct(y: Untyped) -> NDArray[Any]:
    """Return the distinct values of y, one read of it."""
    from dask import compute, delayed

    each = compute(*(delayed(np.unique)(part) for part in y.to_delayed().ravel()))
    return np.unique(np.concatenate(each))


def _sample(  # one kind of call
    X: NDArray[Any],
    y: NDArray[Any],
    start: int,
    classes: Untyped,
    names: tuple[str, ...],
    *,
    check: bool,
) -> Sample:
    X = np.ascontiguousarray(X)
    if check:
        refuse_nonfinite_block(X, start, names, "the Dask collection")
    target = np.asarray(y, dtype=np.float64) if classes is None else signs_of(y, classes)
    return Sample(X, target, classes, np.ones(len(target)))
