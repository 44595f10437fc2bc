"""Where rows come from: any range of them, and any few; files and scratch folders.

A folder is locked while in use and removed afterwards; one that a killed process left is not
locked, and the next one beside it removes it.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.data import InputError, Labels, Sample, stacked
from separatrix.scale.budget import row_bytes_of
from separatrix.tiles import TILE

if TYPE_CHECKING:  # arrays do without tables
    from separatrix.scale.encoded import About, Lacking
import glob
import shutil
import tempfile
import weakref
from contextlib import ExitStack

from separatrix.files import new_folder, remove_left

Places = tuple[NDArray[np.int64], NDArray[np.int64]]

FOOTER = 1 << 16  # bytes at the end of a file, where Parquet keeps what it holds
PREFIX = "separatrix-scratch-"
ARRAYS = "X", "columns", "starts", "y", "lines", "weight", "lacking"
NAMES = "kept.f8", *(f"{name}.npy" for name in ARRAYS)  # what may be in one
SPARE = 64 << 20  # bytes that are left free for others


class Source(ABC):
    """Rows read by index: small, and pickled for tasks."""

    n: int
    d: int
    dtype: np.dtype[np.floating]  # float64 or float32, of the numbers that are read
    names: tuple[str, ...]  # (d,)
    classes: Labels | None  # (2,) in sorted order; None where y are numbers
    described: str  # what messages call it
    nnz: int | None = None  # how many numbers are read as CSR; None of dense rows
    seeks: bool = False  # whether few rows are read without the many around them
    x0: float = 1.0  # the constant before each row; 0.0 for lines through the origin
    maps: bool = False  # whether dense rows are those of a file, and not copied
    reader_bytes: int = 0  # what decoding holds, beside the rows
    about: About | None = None  # of files that are tables with named columns
    lacking: Lacking | None = None  # where missing values were filled in

    @abstractmethod
    def read(self, start: int, stop: int) -> Sample:
        """Return some rows; `InputError` for changed files, and for what is not finite."""

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Return a few rows by index, in the order given; by default from the tiles they are in."""
        order = np.argsort(rows, kind="stable")
        of_tile = rows[order] // TILE
        tiles_of, starts = np.unique(of_tile, return_index=True)
        parts = []
        for t, some in zip(tiles_of.tolist(), np.split(order, starts[1:]), strict=True):
            whole = self.read(t * TILE, min(self.n, (t + 1) * TILE))
            parts.append(whole.at(rows[some] - t * TILE))
        return joined_samples(parts or [self.read(0, 0)]).at(np.argsort(order))

    @property
    def row_bytes(self) -> float:
        """What a row takes in memory, with its label and weight."""
        return row_bytes_of(self.n, self.d, self.nnz, self.dtype.itemsize)

    @property
    def bytes_at_work(self) -> float:
        """What a row takes in a block, with its part of the sums of products of a sparse tile."""
        return self.row_bytes + (0.0 if self.nnz is None else 8 * self.d**2 / TILE)

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return which rows of the table these are made of: the first, and that after the last."""
        return start, stop

    def lazily(self, start: int, stop: int) -> Untyped:  # noqa: ARG002
        """Return rows start, ..., stop - 1 as what Dask makes a `Sample` of; None: workers read."""
        return None

    @property
    def file_names(self) -> tuple[str, ...]:
        """The files that rows are in, as people are shown them; none for arrays in memory."""
        return () if self.about is None else self.about.file_names

    def places(self, rows: NDArray[np.int64]) -> Places:
        """Return which of the files each row is in, from 0, and where it stands there, from 1."""
        return np.zeros_like(rows), rows + 1

    def refuse_changed(self) -> None:  # noqa: B027  # rows in memory have nothing to compare
        """Raise `InputError` when a file is no longer what it was when it was opened."""


def joined_samples(parts: Sequence[Sample]) -> Sample:
    """Return the rows of all parts, in order."""
    y, weight = (np.concatenate([getattr(s, name) for s in parts]) for name in ("y", "weight"))
    return replace(parts[-1], X=stacked([part.X for part in parts]), y=y, weight=weight)


def places_in(edges: Sequence[int], rows: NDArray[np.int64]) -> Places:
    of = np.searchsorted(edges[1:], rows, side="right")
    return of, rows - np.asarray(edges, dtype=np.int64)[of] + 1


class ArraySource(Source):
    """Rows in memory, checked before; columns are x1, x2, ... where no names are given."""

    seeks = True

    def __init__(self, sample: Sample, names: tuple[str, ...] | None = None) -> None:
        self.sample = sample
        self.n, self.d, self.dtype = sample.n, sample.d, sample.X.dtype
        self.nnz = sample.X.nnz if sp.issparse(sample.X) else None
        if names:
            self.names = names
        self.classes, self.x0 = sample.classes, sample.x0
        self.described = "the table in memory"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of the columns: of the widest tables they would fill the memory."""
        return tuple(f"x{j + 1}" for j in range(self.d))

    def read(self, start: int, stop: int) -> Sample:
        """Return rows start, ..., stop - 1: views, no copies."""
        whole = (start, stop) == (0, self.n)
        return self.sample if whole else self.sample.at(slice(start, stop))

    def take(self, rows: NDArray[np.int64]) -> Sample:
        return self.sample.at(rows)


class FilesSource(Source):
    """Rows of one file or several, in order."""

    edges: Sequence[int]  # the first row of each file, and the number of all rows
    stamps: Sequence[FileStamp]

    def places(self, rows: NDArray[np.int64]) -> Places:
        """Return which of the files each row is in, from 0, and where it stands there, from 1."""
        return places_in(self.edges, rows)

    def refuse_changed(self) -> None:
        """Raise `InputError` when a file has changed; the ends of files are compared, too."""
        for stamp in self.stamps:
            stamp.refuse_changed(footer=True)

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """What identifies the data: a checkpoint of other data is refused."""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a file looked like when it was opened."""

    path: str
    size: int
    time: int
    footer: str  # SHA-256 of its last 64 KiB

    @classmethod
    def of(cls, path: str) -> FileStamp:
        try:
            about = os.stat(path)  # the same call as in `refuse_changed`
            with Path(path).open("rb") as file:
                file.seek(max(0, about.st_size - FOOTER))
                footer = hashlib.sha256(file.read()).hexdigest()
        except OSError as error:
            raise InputError(f"cannot read {path!r}: {error.strerror}.") from None
        return cls(path, about.st_size, about.st_mtime_ns, footer)

    @property
    def seen(self) -> tuple[int, int, str]:
        """What a checkpoint knows the file by: its size, time and end; the rest is not read."""
        return self.size, self.time, self.footer

    def refuse_changed(self, *, footer: bool = False) -> None:
        """Raise `InputError` when the file has another size or time; with `footer`, other bytes."""
        try:
            about = os.stat(self.path)
        except OSError as error:
            raise InputError(f"cannot read {self.path!r}: {error.strerror}.") from None
        same = (about.st_size, about.st_mtime_ns) == (self.size, self.time)
        if not same or (footer and FileStamp.of(self.path).footer != self.footer):
            sizes = f"it had {self.size:,} bytes, and has {about.st_size:,}"
            how = sizes if about.st_size != self.size else "written to again, the size is the same"
            raise InputError(
                f"{self.path!r} was changed while it was read ({how}). Nothing of this run can be "
                "kept: run it again."
            )


Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def paths_of(path: Paths) -> list[str]:
    """Return the files that are meant, those of a pattern in the order of their names."""
    given = [path] if isinstance(path, str | os.PathLike) else list(path)
    found: list[str] = []
    for one in [os.fspath(one) for one in given]:
        if not os.path.exists(one) and glob.has_magic(one):
            some = sorted(name for name in glob.glob(one) if os.path.isfile(name))
            if not some:
                raise InputError(
                    f"no file is called {one!r}, and none fits it as a pattern. Files are found "
                    "from the folder that the command runs in."
                )
            found.extend(some)
        else:
            found.append(one)
    if not found:
        raise InputError("the list of files is empty.")
    return found


def file_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the names of files; their paths where two have one name."""
    names = tuple(Path(path).name for path in paths)
    return names if len(set(names)) == len(names) else tuple(paths)


def named(paths: Sequence[str]) -> str:
    first = Path(paths[0]).name
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"


class Scratch:
    """A folder of our own, removed when it is closed, when nothing uses it, or at the end."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self.parent = Path(parent or tempfile.gettempdir())
        if not self.parent.is_dir():
            raise InputError(
                f"the folder for scratch files, {str(self.parent)!r}, does not exist. Make it, or "
                "name another one with --scratch."
            )
        remove_left(self.parent, PREFIX, NAMES)
        opened = ExitStack()
        try:
            self.path = opened.enter_context(new_folder(self.parent, PREFIX))
        except OSError as error:
            raise InputError(
                f"cannot make scratch files in {str(self.parent)!r}: {error.strerror}. Name "
                "another folder with --scratch."
            ) from None
        self._finalizer = weakref.finalize(self, opened.close)

    def file(self, name: str) -> str:
        return str(self.path / name)

    def require(self, needed: int, what: str) -> None:
        free = shutil.disk_usage(self.path).free
        if needed + SPARE > free:
            raise InputError(
                f"{what} needs {_size(needed)} of scratch files, and {str(self.parent)!r} has "
                f"{_size(free)} free. Name a folder with more room with --scratch, or write the "
                "table as Parquet files of numbers, which are read as they are."
            )

    def full(self, error: OSError) -> InputError:
        return InputError(
            f"cannot write scratch files in {str(self.parent)!r}: {error.strerror}. Name a folder "
            "with more room with --scratch."
        )

    def close(self) -> None:
        self._finalizer()


def _size(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.1f} GB"
