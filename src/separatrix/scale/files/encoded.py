"""Rows of scratch files: features, labels, weights, and where each row stands in its file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Labels, Sample
from separatrix.scale.about import About
from separatrix.scale.npy import NpyFile, ones, refuse_nonfinite_block
from separatrix.scale.scratch import Scratch
from separatrix.scale.source import FilesSource, FileStamp, Places, places_in


@dataclass(frozen=True, slots=True)
class Lacking:
    """The columns in which some rows lack a value that was filled in."""

    columns: tuple[int, ...]  # of the encoding
    cells: NpyFile  # (N, columns) a number or the position of a level, NaN where it was filled in
    labels: NpyFile  # (N,) -1 and +1


class EncodedSource(FilesSource):
    """Rows X (N, d), labels -1 and +1, lines, and weights if any, in scratch files."""

    seeks = True

    def __init__(
        self, scratch: Scratch, about: About, behind: tuple[FileStamp, ...], edges: tuple[int, ...],
        lacking: tuple[int, ...],
    ) -> None:  # fmt: skip
        self.scratch: Scratch | None = scratch  # removed with the last table that uses it
        self.about: About = about
        self.behind = behind  # what it was made from
        self.edges = edges
        self.X, self.y, self.lines_file = (
            NpyFile.of(scratch.file(f"{name}.npy")) for name in ("X", "y", "lines")
        )
        self.stamps = (*behind, self.X.stamp, self.y.stamp)
        cells = NpyFile.of(scratch.file("lacking.npy")) if lacking else None
        self.lacking = None if cells is None else Lacking(lacking, cells, self.y)
        weighted = about.weight_column is not None
        self.weight = NpyFile.of(scratch.file("weight.npy")) if weighted else None
        self.n, self.d = self.X.shape
        self.dtype = np.dtype(np.float64)
        self.names = about.encoding.feature_names
        self.classes: Labels = np.array([about.no, about.yes])
        self.described = about.name

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the folder: the files stay where they are while its owner lives."""
        return {**self.__dict__, "scratch": None}

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        X = self.X.rows(start, stop)
        if check:
            refuse_nonfinite_block(X, start, self.names, self.described)
        y = self.y.rows(start, stop).astype(np.float64)
        weight = ones(stop - start) if self.weight is None else self.weight.rows(start, stop)
        return Sample(X, y, self.classes, weight)

    def take(self, rows: NDArray[np.int64]) -> Sample:
        y = self.y.few(rows).astype(np.float64)
        weight = np.ones(rows.size) if self.weight is None else self.weight.few(rows)
        return Sample(self.X.few(rows).copy(), y, self.classes, weight)

    def places(self, rows: NDArray[np.int64]) -> Places:
        return places_in(self.edges, self.lines_file.few(rows) - 1)

    @property
    def fingerprint(self) -> str:
        seen = [stamp.seen for stamp in self.behind]
        about = self.about
        roles = about.label, about.no, about.yes, about.extra, about.weight_column
        asked = about.encoding, *roles, self.n
        return hashlib.sha256(repr((seen, asked)).encode()).hexdigest()
