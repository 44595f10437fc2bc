"""Rows of `.npy` files, mapped into memory a block at a time.

A range of a file is mapped for as long as its rows are in use, so that what the process holds stays
as small as its blocks. The system reads ahead.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Labels, Sample, read_labels
from separatrix.data.points import LARGEST_EXACT_INTEGER, changed_row, warn_integers
from separatrix.data.sample import signs_of
from separatrix.scale.source import FilesSource, FileStamp, file_names
from separatrix.tiles import tiles

LABELS_AT_ONCE = 1 << 20  # rows
BYTES_AT_ONCE = 1 << 24
MOST_COUNTED = 1 << 24  # rows of which all labels may be in memory, to say what is wrong with them

Changed = dict[int, tuple[int, int]]  # of a column: its first such row and value


@dataclass(frozen=True, slots=True)
class NpyFile:
    """A `.npy` file of one or two dimensions that holds no objects."""

    stamp: FileStamp  # the file
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int  # bytes before it
    by_columns: bool = False  # as `to_numpy` of a data frame is: Fortran's order

    @classmethod
    def of(cls, path: str) -> NpyFile:
        stamp = FileStamp.of(path)
        try:
            with Path(path).open("rb") as file:
                version = np.lib.format.read_magic(file)
                read = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }[version]
                shape, fortran, dtype = read(file)
                offset = file.tell()
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path!r} is not an .npy file: {error}.") from None
        if dtype.hasobject:
            raise InputError(f"{path!r} holds Python objects, which are not read. Save numbers.")
        size = offset + dtype.itemsize * int(np.prod(shape, dtype=object))
        if stamp.size != size:
            raise InputError(
                f"{path!r} has {stamp.size:,} bytes, and its header asks for {size:,}: it is "
                "broken. Write it again."
            )
        return cls(stamp, tuple(shape), dtype, offset, fortran and len(shape) > 1)

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return a range of rows, mapped; a copy where numbers stand column after column."""
        self.stamp.refuse_changed()
        if 0 in (stop - start, *self.shape):
            return np.empty((stop - start, *self.shape[1:]), self.dtype)
        # a private copy, never written to: read-only rows would need kernels of their own
        if self.by_columns:
            whole = np.memmap(self.stamp.path, self.dtype, "c", self.offset, self.shape, "F")
            return np.ascontiguousarray(whole[start:stop])
        at = self.offset + start * self.dtype.itemsize * math.prod(self.shape[1:])
        shape = stop - start, *self.shape[1:]
        mapped: Untyped = np.memmap(self.stamp.path, self.dtype, "c", at, shape)
        if hasattr(mmap, "MADV_WILLNEED"):
            mapped._mmap.madvise(mmap.MADV_WILLNEED)
        return np.asarray(mapped)

    def few(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return a copy of some rows."""
        n, *width = self.shape
        k, places = math.prod(width), rows.tolist()
        if self.by_columns:
            found = self._read((j * n + row, 1) for row in places for j in range(k))
        else:
            found = self._read((row * k, k) for row in places)
        return found.reshape(rows.size, *width)

    def runs(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[Any]:
        """Return the numbers of some runs of an array of one dimension, one after the other."""
        return self._read(zip(starts.tolist(), (stops - starts).tolist(), strict=True))

    def _read(self, runs: Iterable[tuple[int, int]]) -> NDArray[Any]:
        """Return runs of numbers by their first and size; nothing is mapped, or read ahead."""
        self.stamp.refuse_changed()
        size = self.dtype.itemsize
        with Path(self.stamp.path).open("rb", buffering=0) as file:
            parts = [os.pread(file.fileno(), k * size, self.offset + a * size) for a, k in runs]
        return np.frombuffer(bytearray(b"".join(parts)), self.dtype)


class NpySource(FilesSource):
    """Rows X in one or several `.npy` files, in order, and their labels y in others."""

    seeks = maps = True

    def __init__(self, X: Sequence[str], y: Sequence[str] | int, *, numbers: bool = False) -> None:
        self.X = [NpyFile.of(path) for path in X]
        self.inside = y if isinstance(y, int) else None  # the column of X with the labels
        self.y = self.X if isinstance(y, int) else [NpyFile.of(path) for path in y]
        widths = {file.shape[1:] for file in self.X}
        if len(widths) != 1 or len(next(iter(widths))) != 1:
            shapes = ", ".join(f"{file.stamp.path!r} {file.shape}" for file in self.X)
            raise InputError(f"the files of X must hold tables of one width; they have {shapes}.")
        refused = [file for file in (*self.X, *self.y) if file.dtype.kind not in "biufUS"]
        refused += [file for file in self.X if file.dtype.kind in "US"]
        if refused:
            raise InputError(f"{refused[0].stamp.path!r} holds {refused[0].dtype}, no numbers.")
        self.files = [*self.X, *(self.y if self.inside is None else [])]
        self.stamps = [file.stamp for file in self.files]
        self.edges = [0, *np.cumsum([file.shape[0] for file in self.X]).tolist()]
        self.edges_y = [0, *np.cumsum([file.shape[0] for file in self.y]).tolist()]
        self.n, self.d = self.edges[-1], self.X[0].shape[1]
        if self.inside is not None:
            if not -self.d <= self.inside < self.d or self.d < 2:
                raise InputError(
                    f"label {self.inside}: {self.X[0].stamp.path!r} has {self.d:,} columns, "
                    "counted from 0, or from the last as -1, -2, ...; besides the labels it needs "
                    "one more. Labels in a file of their own: give its path."
                )
            self.inside %= self.d
            self.d -= 1
        elif self.edges_y[-1] != self.n or any(len(file.shape) != 1 for file in self.y):
            raise InputError(
                f"X has {self.n:,} rows and y has {self.edges_y[-1]:,} labels: there must be one "
                "label per row, in an array of one dimension."
            )
        small = all(file.dtype == np.float32 for file in self.X)
        self.dtype = np.dtype(np.float32 if small else np.float64)
        self.names = tuple(f"x{j + 1}" for j in range(self.d))
        self.described = self.X[0].stamp.path
        self.numbers = numbers
        self._finite: set[tuple[int, int]] = set()  # rows that were looked at
        self.classes = None if numbers else self._classes()
        self._warn_changed()

    def _classes(self) -> Labels:
        found = [
            np.unique(self._y(start, min(self.n, start + LABELS_AT_ONCE)))
            for start in range(0, self.n, LABELS_AT_ONCE)
        ]
        if not found or self.d == 0:
            said = f"{self.described!r} has {self.n} rows and {self.d} columns: no table."
            raise InputError(said)
        try:
            return read_labels(np.unique(np.concatenate(found)))[0]
        except InputError:
            if self.n <= MOST_COUNTED:  # the message of all rows has rows and counts
                read_labels(self._y(0, self.n))
            raise

    def _warn_changed(self) -> None:
        """Warn of integers that are others in float64: a read of the files of such."""
        width = self.X[0].shape[1]
        features = [j for j in range(width) if j != self.inside]
        names = {j: f"column {k}" for k, j in enumerate(features)}
        if self.numbers and self.inside is not None:
            names[self.inside] = "y"
        found = _changed(self.X, self.edges)
        named = ({j: at for j, at in part.items() if j in names} for part in found)
        warn_changed(named, [names.get(j, "") for j in range(width)])
        if self.numbers and self.inside is None:
            warn_changed(_changed(self.y, self.edges_y), ["y"])

    def _y(self, start: int, stop: int) -> NDArray[Any]:
        found = self._rows(self.y, self.edges_y, start, stop)
        return found if self.inside is None else found[:, self.inside]

    @property
    def file_names(self) -> tuple[str, ...]:
        return file_names([file.stamp.path for file in self.X])

    @staticmethod
    def _rows(
        files: Sequence[NpyFile], edges: Sequence[int], start: int, stop: int
    ) -> NDArray[Any]:
        """Return rows of several files as one array: a view where one file has them all."""
        parts = [
            file.rows(max(start, a) - a, min(stop, b) - a)
            for file, (a, b) in zip(files, pairwise(edges), strict=True)
            if a < stop and start < b
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def read(self, start: int, stop: int) -> Sample:
        rows = self._rows(self.X, self.edges, start, stop)
        y = self._y(start, stop) if self.inside is None else rows[:, self.inside]
        sample = self._sample(rows, y)
        if (start, stop) not in self._finite:
            refuse_nonfinite_block(sample.X, start, self.names, self.described)
            self._finite.add((start, stop))
        return sample

    def take(self, rows: NDArray[np.int64]) -> Sample:
        X = _few(self.X, self.edges, rows)
        y = _few(self.y, self.edges_y, rows) if self.inside is None else X[:, self.inside]
        return self._sample(X, y)

    def _sample(self, X: NDArray[Any], y: NDArray[Any]) -> Sample:
        X = X.astype(self.dtype, copy=False)  # one kind in all blocks
        X = X if self.inside is None else np.delete(X, self.inside, axis=1)
        return sample_of(X, y, self.classes)

    @property
    def fingerprint(self) -> str:
        seen = [(*file.stamp.seen, file.shape, file.dtype.str) for file in (*self.X, *self.y)]
        asked = self.inside, self.numbers
        return hashlib.sha256(repr((seen, asked)).encode()).hexdigest()


def _few(files: Sequence[NpyFile], edges: Sequence[int], rows: NDArray[np.int64]) -> NDArray[Any]:
    kind = np.result_type(*(file.dtype for file in files))  # no label is cut
    found = np.empty((rows.size, *files[0].shape[1:]), kind)
    for file, (a, b) in zip(files, pairwise(edges), strict=True):
        here = np.flatnonzero((a <= rows) & (rows < b))
        if here.size:
            found[here] = file.few(rows[here] - a)
    return found


def _changed(files: Sequence[NpyFile], edges: Sequence[int]) -> Iterator[Changed]:
    """Yield the integers of files that are others in float64, some rows at a time."""
    for file, start in zip(files, edges, strict=False):
        if file.dtype.kind in "iu" and file.dtype.itemsize == 8:
            rows = max(1, BYTES_AT_ONCE // (8 * math.prod(file.shape[1:])))
            for a in range(0, file.shape[0], rows):
                part = file.rows(a, min(a + rows, file.shape[0]))
                X = part.reshape(len(part), -1)
                if X.min() < -LARGEST_EXACT_INTEGER or X.max() > LARGEST_EXACT_INTEGER:
                    yield changed_integers(list(X.T), start + a)


@lru_cache(maxsize=2)
def ones(n: int) -> Floats:
    """Return weights of 1 (n,), which all blocks of that size share."""
    return np.ones(n)


def sample_of(X: NDArray[Any], y: NDArray[Any], classes: Untyped) -> Sample:
    """Return rows and their labels, or numbers where there are no classes, of weight 1."""
    target = np.asarray(y).astype(np.float64) if classes is None else signs_of(y, classes)
    return Sample(np.ascontiguousarray(X), target, classes, ones(len(target)))


def refuse_nonfinite_block(
    X: NDArray[Any], start: int, names: Sequence[str], described: str
) -> None:
    """Raise `InputError` for a value of rows X (n, d) that is not finite."""
    nothing = np.zeros(X.shape[1], dtype=X.dtype)
    with np.errstate(invalid="ignore"):
        for tile in tiles(len(X)):
            if (X[tile] @ nothing).any():  # nan and infinity times 0 are nan
                i, j = (int(k[0]) for k in np.nonzero(~np.isfinite(X[tile])))
                value = X[tile][i, j]
                raise InputError(
                    f"{described}: column {names[j]!r} is {value} in row "
                    f"{start + tile.start + i:,}. Drop such rows, or fill them in, first."
                )


def changed_integers(columns: Sequence[NDArray[Any]], start: int = 0) -> Changed:
    rows = map(changed_row, columns)
    return {j: (start + row, int(columns[j][row])) for j, row in enumerate(rows) if row is not None}


def warn_changed(found: Iterable[Changed], names: Sequence[str]) -> None:
    first: Changed = {}
    for part in found:
        first = part | first
    for j in sorted(first):
        row, value = first[j]
        warn_integers(names[j], row, np.int64(value) if value < 2**63 else np.uint64(value))
