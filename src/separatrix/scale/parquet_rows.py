"""Rows of Parquet files whose columns are numbers: decoded block by block, nothing converted.

Batches are read one after the other, so that a row group need not fit into memory; a read that
begins where the last one ended goes on with the same batches. A small table is decoded once.
A table in memory is made of columns: `separatrix.tables.files.typed`.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from threading import Lock
from typing import Any

import numpy as np

from separatrix._later import pa, pc
from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Labels, Sample
from separatrix.scale.npy import ones
from separatrix.scale.source import FilesSource, FileStamp
from separatrix.tables.files.typed import BUFFER, refused
from separatrix.tiles import in_threads, n_threads, shares

AT_ONCE = 1 << 12  # rows decoded at once, in one thread: more take more memory and no less time
# bytes of a page at the most; how many of each column are held, and beside them, as measured
PAGE, PAGES, BESIDE = 1 << 20, 2.4, 8 << 10
KEPT = 4  # a table of at most the memory budget over this is kept once it is decoded


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file as it was opened."""

    stamp: FileStamp  # the file
    schema: Untyped  # of Arrow
    groups: tuple[int, ...]  # rows of each row group
    reader_bytes: int  # what decoding all columns holds, about

    @classmethod
    def of(cls, path: str) -> ParquetFile:
        """Return the file at a path; `InputError` when it is no such file, or broken."""
        import pyarrow.parquet as pq

        stamp = FileStamp.of(path)
        with refused(repr(path)), pq.ParquetFile(path) as file:
            schema, about = file.schema_arrow, file.metadata
            groups = [about.row_group(k) for k in range(about.num_row_groups)]
            sizes = [group.total_byte_size // group.num_columns for group in groups]
            size = max(sizes, default=0)
            of_column = PAGES * min(PAGE, size) + min(BUFFER, size) + BESIDE
            holds = int(len(about.schema) * of_column)
            return cls(stamp, schema, tuple(group.num_rows for group in groups), holds)

    @property
    def n(self) -> int:
        return sum(self.groups)

    def batches(
        self, columns: Sequence[str], start: int = 0, stop: int | None = None
    ) -> Iterator[Untyped]:
        """Yield record batches of some columns, from a row on."""
        import pyarrow.parquet as pq

        edges = [0, *np.cumsum(self.groups).tolist()]
        first = int(np.searchsorted(edges, start, side="right")) - 1
        skip = start - edges[min(first, len(edges) - 1)]
        if start >= edges[-1]:
            return
        path = self.stamp.path
        how = {"buffer_size": BUFFER, "pre_buffer": False}
        with refused(repr(path)), pq.ParquetFile(path, **how) as file:
            after = len(self.groups) if stop is None else bisect_left(edges, stop)
            rest = list(range(first, after))
            for batch in file.iter_batches(
                AT_ONCE, row_groups=rest, columns=list(columns), use_threads=False
            ):
                if skip >= batch.num_rows:
                    skip -= batch.num_rows
                    continue
                yield batch.slice(skip) if skip else batch
                skip = 0


class ParquetSource(FilesSource):
    """Rows of numbers X, their labels, and weights if any, in Parquet files, in order."""

    def __init__(
        self, files: Sequence[ParquetFile], columns: Sequence[str], label: str,
        answers: tuple[Untyped, Floats, Labels] | None, weight: str | None,
    ) -> None:  # fmt: skip
        self.files, self.columns = tuple(files), tuple(columns)
        self.label, self.answers, self.weight = label, answers, weight
        self.stamps = [file.stamp for file in files]
        self.edges = [0, *np.cumsum([file.n for file in files]).tolist()]
        self.n, self.d = self.edges[-1], len(columns)
        kinds = {files[0].schema.field(name).type for name in columns}
        small = kinds <= {pa.float32(), pa.float16()}
        self.dtype = np.dtype(np.float32 if small else np.float64)
        self.names = self.columns
        self.described = files[0].stamp.path
        self.classes = None if answers is None else answers[2]
        self.reader_bytes = max(file.reader_bytes for file in files)
        self._kept: Sample | None = None
        self._open: tuple[int, Iterator[Untyped], Untyped] | None = None
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_kept", "_open", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _kept=None, _open=None, _lock=Lock())

    def keep(self, budget: int) -> None:
        """Decode all rows at once, in threads, where they take a share of a budget; unchecked."""
        if self.n * (self.d * self.dtype.itemsize + 16) > budget // KEPT:
            return
        whole = self._room(self.n)
        runs = [run for run in shares(self._groups(), 4 * n_threads()) if run]

        def fill(start: int, stop: int) -> None:
            self._write(self._batches(start, stop), start, whole.at(slice(start, stop)))

        for _ in in_threads([partial(fill, run[0][0], run[-1][1]) for run in runs]):
            pass
        self._kept, self._open = whole, None

    def read(self, start: int, stop: int) -> Sample:
        for file, (a, b) in zip(self.files, pairwise(self.edges), strict=True):
            if a < stop and start < b:
                file.stamp.refuse_changed()
        if self._kept is not None:
            return self._kept.at(slice(start, stop))
        made = self._room(stop - start)
        self._write(self._batches(start, stop), start, made)
        return made

    def _room(self, n: int) -> Sample:
        weight = ones(n) if self.weight is None else np.empty(n)
        X = np.empty((n, self.d), dtype=self.dtype)
        return Sample(X, np.empty(n), self.classes, weight)  # type: ignore[arg-type]  # or numbers

    def _write(self, batches: Iterator[Untyped], start: int, made: Sample) -> None:
        at = 0
        for batch in batches:
            part = slice(at, at + batch.num_rows)
            for j in range(self.d):
                made.X[part, j] = batch.column(j).to_numpy(zero_copy_only=False)
            made.y[part] = self._signs(batch.column(self.d), start + at)
            if self.weight is not None:
                made.weight[part] = batch.column(self.d + 1).to_numpy(zero_copy_only=False)
            at = part.stop
        if at != made.n:
            raise InputError(f"{self.described!r} ended early. Nothing was kept: run it again.")

    def _signs(self, column: Untyped, start: int) -> Floats:
        if self.answers is None:
            return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
        values, signs, _ = self.answers
        codes = pc.index_in(as_labels(column), value_set=values)
        if codes.null_count:
            row = start + int(np.argmax(pc.is_null(codes).to_numpy(zero_copy_only=False)))
            raise InputError(
                f"{self.described!r}: the label {column[row - start]} in row {row:,} was not there "
                "when the file was opened. Nothing of this run can be kept: run it again."
            )
        return np.asarray(signs[codes.to_numpy()])

    def _batches(self, start: int, stop: int) -> Iterator[Untyped]:
        """Yield batches of rows start, ..., stop - 1 and no others."""
        with self._lock:
            kept, self._open = self._open, None
        at, rest, batch = kept or (0, iter(()), None)
        # what lies between would be decoded in vain
        edges = self.edges[:-1], self.edges[1:]  # of the files
        starts = [a for a, _ in self._groups()]
        if kept is None or at > start or at < starts[bisect_right(starts, start) - 1]:
            after = [(f, a) for f, a, b in zip(self.files, *edges, strict=True) if start < b]
            each = (f.batches(self._columns, max(0, start - a)) for f, a in after)
            kept, at, rest, batch = None, start, chain.from_iterable(each), None
        while at < stop:
            batch = next(rest, None) if batch is None else batch
            if batch is None:
                break
            n, skipped = batch.num_rows, max(0, min(start - at, batch.num_rows))
            used = min(n, stop - at)
            if skipped < used:
                yield batch.slice(skipped, used - skipped)
            at += used
            batch = batch.slice(used) if used < n else None
        if at < self.n:  # an open file holds what it has decoded
            with self._lock:
                self._open = (at, rest, batch)

    def _groups(self) -> list[tuple[int, int]]:
        """Return the first row, and the row after the last one, of each row group with rows."""
        edges = np.cumsum([0, *(rows for file in self.files for rows in file.groups)]).tolist()
        return [(a, b) for a, b in pairwise(edges) if a < b]

    @property
    def _columns(self) -> list[str]:
        return [*self.columns, self.label, *([self.weight] if self.weight else [])]

    @property
    def fingerprint(self) -> str:
        seen = [stamp.seen for stamp in self.stamps]
        answers = self.answers and ([str(v) for v in self.answers[0]], self.answers[1].tolist())
        asked = (self.columns, self.label, self.weight, answers)
        return hashlib.sha256(repr((seen, asked)).encode()).hexdigest()


def as_labels(column: Untyped) -> Untyped:
    """Return a column of Arrow's with 0.0 for -0.0: one label, and two values to Arrow."""
    zero = pa.scalar(0.0, column.type) if pa.types.is_floating(column.type) else None
    return column if zero is None else pc.add(column, zero)
