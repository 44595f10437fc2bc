"""Rows of scratch files, and what is known of the files that a table in blocks came from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Labels, Points, Sample
from separatrix.scale.npy import NpyFile, ones
from separatrix.scale.source import FilesSource, FileStamp, Places, Scratch, file_names, places_in
from separatrix.tables import Encoding
from separatrix.tables.read import Described

SPARSE = "columns", "starts"  # files beside the nonzeros


@dataclass(frozen=True, slots=True)
class Lacking:
    """The columns in which some rows lack a value that was filled in."""

    columns: tuple[int, ...]  # of the encoding
    cells: NpyFile  # (N, columns) a number or the position of a level, NaN where it was filled in
    labels: NpyFile  # (N,) -1 and +1


class EncodedSource(FilesSource):
    """Rows X (N, d), labels -1 and +1, lines, and weights if any, in scratch files.

    Sparse rows have their nonzeros in X, with their columns and where each row starts beside it.
    """

    seeks = True

    def __init__(
        self, scratch: Scratch, about: About, behind: tuple[FileStamp, ...], edges: tuple[int, ...],
        lacking: tuple[int, ...], *, sparse: bool,
    ) -> None:  # fmt: skip
        self.scratch: Scratch | None = scratch  # removed with the last table that uses it
        self.about: About = about
        self.behind = behind  # what it was made from
        self.edges = edges

        def opened(name: str) -> NpyFile:
            return NpyFile.of(scratch.file(f"{name}.npy"))

        self.X, self.y, self.lines_file = map(opened, ("X", "y", "lines"))
        self.sparse = tuple(map(opened, SPARSE)) if sparse else None
        self.nnz = self.X.shape[0] if sparse else None
        self.stamps = (*behind, self.X.stamp, self.y.stamp)
        self.lacking = Lacking(lacking, opened("lacking"), self.y) if lacking else None
        self.weight = None if about.weight_column is None else opened("weight")
        self.dtype = np.dtype(np.float64)
        self.names = about.encoding.feature_names
        self.n, self.d = self.y.shape[0], len(self.names)
        self.classes: Labels = np.array([about.no, about.yes])
        self.described = about.name

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the folder: the files stay where they are while its owner lives."""
        return {**self.__dict__, "scratch": None}

    def read(self, start: int, stop: int) -> Sample:
        X = self.X.rows(start, stop) if self.sparse is None else self._csr(start, stop)
        y = self.y.rows(start, stop).astype(np.float64)
        weight = ones(stop - start) if self.weight is None else self.weight.rows(start, stop)
        return Sample(X, y, self.classes, weight)

    def take(self, rows: NDArray[np.int64]) -> Sample:
        y = self.y.few(rows).astype(np.float64)
        weight = np.ones(rows.size) if self.weight is None else self.weight.few(rows)
        return Sample(self._few(rows), y, self.classes, weight)

    def _csr(self, start: int, stop: int) -> Points:
        columns, starts = self.sparse  # type: ignore[misc]  # its callers have seen that it is
        ends = starts.rows(start, stop + 1)
        first, last = int(ends[0]), int(ends[-1])
        return self._made(self.X.rows(first, last), columns.rows(first, last), ends - first)

    def _few(self, rows: NDArray[np.int64]) -> Points:
        if self.sparse is None:
            return self.X.few(rows)
        columns, starts = self.sparse
        runs = starts.few(rows), starts.few(rows + 1)
        ends = np.append(0, np.cumsum(runs[1] - runs[0]))
        return self._made(self.X.runs(*runs), columns.runs(*runs), ends)

    def _made(self, data: Floats, columns: NDArray[np.int32], ends: NDArray[np.int64]) -> Points:
        """Return canonical CSR, as it was written."""
        X = sp.csr_array((data, columns, ends.astype(np.int32)), shape=(ends.size - 1, self.d))
        X.has_sorted_indices = X.has_canonical_format = True
        return X

    def places(self, rows: NDArray[np.int64]) -> Places:
        return places_in(self.edges, self.lines_file.few(rows) - 1)

    @property
    def fingerprint(self) -> str:
        seen = [stamp.seen for stamp in self.behind]
        about = self.about
        roles = about.label, about.no, about.yes, about.extra, about.weight_column
        asked = about.encoding, *roles, self.n
        return hashlib.sha256(repr((seen, asked)).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class About(Described):
    """The files of a table in blocks."""

    paths: tuple[str, ...]
    encoding: Encoding  # how columns became features
    n_filled: int = 0  # rows with a missing value that was filled in
    weight_column: str | None = None

    @property
    def file_names(self) -> tuple[str, ...]:
        return file_names(self.paths)

    @property
    def sha256(self) -> str:
        """The digest of the file; of several, that of their digests one below the other."""
        digests = []
        for path in self.paths:
            try:
                with Path(path).open("rb") as file:
                    digests.append(hashlib.file_digest(file, "sha256").hexdigest())
            except OSError as error:
                raise InputError(f"cannot read {path!r}: {error.strerror}.") from None
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
