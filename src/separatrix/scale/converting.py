"""Files become scratch files of numbers: read once, then encoded by what all rows say.

First pass, over the files: what `Gathering` keeps of each cell goes to a scratch file. Further
passes go over that file: how often each level occurs, medians to fill with; then the features of
each row. The encoding and the numbers are those of the same file read at once (`read_table`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import (
    Floats,
    InputError,
    dense,
    is_sparse,
    may_be_sparse,
    nonzeros_in,
)
from separatrix.scale.budget import (
    CHUNKS,
    OF_COLUMN,
    least_memory,
    refuse_too_little,
    text_at_once,
    trim,
)
from separatrix.scale.encoded import About, EncodedSource
from separatrix.scale.parquet_rows import ParquetFile
from separatrix.scale.source import FileStamp, Scratch, named, places_in
from separatrix.tables.columns import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    Encoding,
    NumberEncoding,
)
from separatrix.tables.files.formats import chunks_of, format_of
from separatrix.tables.files.source import Source, head_of, refuse_log
from separatrix.tables.gathering import Gathering, Part
from separatrix.tables.labels import LabelColumn, ask
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable
from separatrix.tables.scan import csv_head
from separatrix.tables.wording import listed

ROWS, NUMBERS = 1 << 14, 1 << 22  # of the scratch file at a time, and numbers in them
WORD = 8  # bytes of a number
DIGIT, BITS, SIGN = 8, 64, np.uint64(1 << 63)  # of numbers whose median is sought

Tell = Callable[[str], None]
Folded = tuple[Floats, NDArray[np.int64]]  # numbers of rows (n, d), and the fold each is in (n,)


@dataclass(frozen=True, slots=True)
class InChunks:
    """A file that is read in chunks."""

    path: str
    format: str  # as in `tables.files.formats`
    stamp: FileStamp
    reading: Reading
    at_once: int  # bytes of text in a chunk
    names: tuple[str, ...]  # of its columns; none where only its rows tell

    @classmethod
    def of(cls, path: str, reading: Reading, memory: int | str | None) -> InChunks:
        """Return the file at a path; raise `InputError` where its columns need more memory."""
        head = head_of(path)
        form = format_of(head, reading.format)
        if form in ("sqlite", "duckdb"):
            refuse_log(Path(path), head.data)
        names: tuple[str, ...] = ()
        decoding = 0
        if form == "csv":
            names = csv_head(head, reading)[0].names
        elif form == "parquet":
            file = ParquetFile.of(path)
            names, decoding = tuple(file.schema.names), file.reader_bytes
        made = cls(path, form, FileStamp.of(path), reading, text_at_once(memory), names)
        named = f"{made.name}, of {len(names):,} columns"
        refuse_too_little(memory, CHUNKS + OF_COLUMN * len(names) + decoding, named)
        return made

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def head(self) -> Source:
        return head_of(self.path, self.at_once)

    def __iter__(self) -> Iterator[RawTable]:
        """Yield its rows, a chunk at a time; `InputError` for what cannot be read."""
        self.stamp.refuse_changed(footer=True)
        try:
            for rows in chunks_of(self.head, self.reading, self.format):
                yield rows
                trim()  # the cells of many columns leave holes
        except OSError as error:  # of this file: what is done with chunks is not done in here
            raise InputError(f"cannot read {self.path!r}: {error.strerror}.") from None
        self.stamp.refuse_changed(footer=True)


class Converter:
    """The passes over files that become scratch files."""

    def __init__(  # noqa: PLR0917  # one caller
        self, files: Sequence[InChunks], label: str | None, yes: str | None, reading: Reading,
        memory: int | str | None, scratch: Scratch, tell: Tell,
    ) -> None:  # fmt: skip
        self.files, self.label, self.yes, self.reading = files, label, yes, reading
        self.memory, self.scratch, self.tell = memory, scratch, tell
        self.gathering: Gathering  # of the first rows
        self.edges = [0]  # lines of the files before the first, the second, ...
        self.width = 0  # numbers kept of a row
        self.kept = scratch.file("kept.f8")
        self.lacking: tuple[int, ...] = ()  # the columns that lack a value, to be filled
        self.name = named([file.path for file in files])

    def source(self) -> EncodedSource:
        if self.reading.group is not None:
            raise InputError(
                "--group is not used for tables that are read in blocks: their folds are of single "
                "rows. Leave it out, or leave --memory out."
            )
        for file in self.files:
            if file.names:
                self._refuse_other_columns(file.name, file.names)
        self._refuse_small_disk()
        try:
            with Path(self.kept).open("wb") as out:
                for k in range(len(self.files)):
                    for rows in self._rows_of(k):
                        rows.tofile(out)
        except OSError as error:
            raise self.scratch.full(error) from None
        self.tell("counting levels and missing values")
        self.gathering.find(self._parts)
        return self._encoded()

    def _rows_of(self, k: int) -> Iterator[Floats]:
        """Yield what is kept of the rows of a file (n, width)."""
        file, last = self.files[k], 0
        which = f"{file.name}, {k + 1} of {len(self.files)}" if len(self.files) > 1 else file.name
        for raw in file:
            if not self.width:
                self.gathering = Gathering(raw, self.reading, self.label, in_chunks=True)
            gathering = self.gathering
            self._refuse_other_columns(raw.name, raw.names)
            part = gathering.add(raw, self.edges[-1])
            if gathering.has_failed:
                gathering.find(lambda: iter([]))
            weight = [] if part.weight is None else [part.weight]
            kept = [*part.features, *weight, part.labels, part.lines]
            self.width = len(kept)
            for start in range(0, raw.lines.size, ROWS):  # a few at a time: no second copy of all
                rows = slice(start, start + ROWS)
                yield np.column_stack([np.asarray(values)[rows].astype(float) for values in kept])
            last = int(raw.lines.max(initial=last))
            self.tell(f"reading {which}: {gathering.n:,} rows")
        self.edges.append(self.edges[-1] + last)

    def _refuse_other_columns(self, name: str, names: tuple[str, ...]) -> None:
        first = self.files[0].names or self.gathering.names
        if names != first:
            raise InputError(
                f"{name} has other columns than {self.files[0].name}: {listed(names)}, not "
                f"{listed(first)}. Files of one table have the same columns, in the same order."
            )

    def _refuse_small_disk(self) -> None:
        """Raise `InputError` where the numbers of all cells have no place, by a look at a part."""
        needed = 0.0
        for file in self.files:
            if file.format == "csv":
                with Path(file.path).open("rb") as opened:
                    part = opened.read(1 << 20)
                rows = max(1, part.count(b"\n"))
                needed += file.stamp.size / max(1, len(part)) * rows * (len(file.names) + 2) * WORD
            else:
                needed += 2 * file.stamp.size
        self.scratch.require(int(2 * needed), f"Converting {self.name}")

    def _parts(self) -> Iterator[Part]:
        n, left = self.gathering.n, self.gathering.n
        with Path(self.kept).open("rb") as file:
            while left:
                rows = min(ROWS, max(1, NUMBERS // self.width), left)
                data = np.fromfile(file, np.float64, rows * self.width)
                if data.size != rows * self.width:
                    raise InputError(f"{self.kept!r} was changed. Run it again.")
                *kept, labels, lines = data.reshape(rows, self.width).T
                weight = kept.pop() if self.gathering.roles.weight is not None else None
                for values, feature in zip(kept, self.gathering.features, strict=True):
                    if feature.numbers_from is not None:  # rows before it had nothing but blanks
                        values[: max(0, feature.numbers_from - (n - left))] = np.nan
                left -= rows
                yield Part(kept, labels.astype(np.int64), lines.astype(np.int64), weight)

    def _encoded(self) -> EncodedSource:
        gathering, label = self.gathering, self.gathering.found_labels
        assert label is not None  # noqa: S101  # it was found
        encoding, of_label, incomplete = self._encoding(label)
        asked = ask(label, self.reading.as_label(self.yes), of_label)
        n, d = int(of_label.sum()), len(encoding.feature_names)
        if d == 0:
            raise InputError("no column is left to learn from: each has one value only.")
        nnz = self._nonzeros(encoding, n)
        refuse_too_little(self.memory, least_memory(n, d, nnz), f"{self.name}, of {d:,} features")
        weight = self._write(encoding, asked.y.astype(np.int8), (n, d), nnz)
        fill = self.reading.missing != "drop"
        about = About(
            name=self.name, format=self.files[0].format,
            paths=tuple(file.path for file in self.files), encoding=encoding,
            n_dropped=0 if fill else incomplete, n_filled=incomplete if fill else 0,
            weight_column=gathering.roles.weight,
            **gathering.said(asked, of_label, encoding.columns, weight),
        )  # fmt: skip
        stamps = tuple(file.stamp for file in self.files)
        return EncodedSource(
            self.scratch, about, stamps, tuple(self.edges), self.lacking, sparse=nnz is not None
        )

    def _encoding(self, label: LabelColumn) -> tuple[Encoding, NDArray[np.int64], int]:
        """Return the encoding, how often each label is kept, and how many rows lack a value."""
        gathering, fill = self.gathering, self.reading.missing != "drop"
        names = [name for made in gathering.made for name in made.recipe.names]
        lacking = np.zeros(len(names), dtype=np.int64)
        levels: dict[str, NDArray[np.int64]] = {}
        known: dict[str, tuple[str, ...]] = {}
        of_label = np.zeros(len(label.names), dtype=np.int64)
        incomplete = 0
        for part in self._parts():
            rows, columns, lacks = gathering.rows_of(part)
            incomplete += int(lacks.sum())
            kept = np.arange(rows.size) if fill else np.flatnonzero(~lacks)
            codes = gathering.labels_of(part, rows[kept]).codes
            of_label += np.bincount(codes, minlength=of_label.size)
            for j, column in enumerate(columns):
                lacking[j] += column.missing.sum()
                if isinstance(column, CategoryColumn):
                    there = column.codes[kept]
                    found = np.bincount(there[there >= 0], minlength=len(column.levels))
                    levels[column.name] = levels.get(column.name, 0) + found
                    known[column.name] = column.levels
        gathering.note_missing(dict(zip(names, lacking.tolist(), strict=True)), incomplete)
        self.lacking = tuple(np.flatnonzero(lacking).tolist()) if fill else ()
        fills = medians(self._numbers, len(names))[0].tolist() if fill else [None] * len(names)
        return Encoding(tuple(
            CategoryEncoding.of_counts(name, known[name], levels[name], fill=fill)
            if name in known
            else NumberEncoding(name, filled)
            for name, filled in zip(names, fills, strict=True)
        )), of_label, incomplete  # fmt: skip

    def _numbers(self) -> Iterator[Folded]:
        """Yield the numbers of rows (n, columns), NaN for categories; none is in the one fold."""
        for part in self._parts():
            rows, columns, _ = self.gathering.rows_of(part)
            nothing = np.full(rows.size, np.nan)
            yield np.column_stack([
                nothing if isinstance(column, CategoryColumn) else column.values
                for column in columns
            ]), np.ones(rows.size, dtype=np.int64)  # fmt: skip

    def _kept(self) -> Iterator[tuple[Part, NDArray[np.int64], list[Column], NDArray[np.int64]]]:
        """Yield parts with those of their rows that are kept, their columns and their lines."""
        for part in self._parts():
            rows, columns, lacks = self.gathering.rows_of(part)
            lacks &= self.reading.missing == "drop"
            kept = np.flatnonzero(~lacks)
            if kept.size:
                _, lines = places_in(self.edges, part.lines[rows[kept]] - 1)
                yield part, rows[kept], [column.take(kept) for column in columns], lines

    def _nonzeros(self, encoding: Encoding, n: int) -> int | None:
        """Return how many of the features differ from zero; None where they are dense."""
        d, found = len(encoding.feature_names), 0
        if not may_be_sparse(n, d):
            return None
        for _, _, columns, lines in self._kept():
            found += nonzeros_in(encoding.encode(columns, lines, self.gathering.word))
            if not is_sparse(n, d, found):
                return None
        return found

    def _write(
        self, encoding: Encoding, signs: NDArray[np.int8], size: tuple[int, int], nnz: int | None
    ) -> float | None:
        """Write features and what stands beside them; return the sum of the weights, if any."""
        gathering, (n, d) = self.gathering, size
        weighted = gathering.roles.weight is not None
        needed = (d * n if nnz is None else 2 * nnz) + n * (len(self.lacking) + 3)
        self.scratch.require(needed * WORD, f"Encoding {n:,} rows of {d:,} features")
        shapes: dict[str, tuple[str, tuple[int, ...]]] = {
            "X": ("<f8", (n, d)), "y": ("|i1", (n,)), "lines": ("<i8", (n,))
        }  # fmt: skip
        if nnz is not None:
            shapes |= {
                "X": ("<f8", (nnz,)),
                "columns": ("<i4", (nnz,)),
                "starts": ("<i8", (n + 1,)),
            }
        if weighted:
            shapes["weight"] = ("<f8", (n,))
        if self.lacking:
            shapes["lacking"] = ("<f8", (n, len(self.lacking)))
        total, done, at = 0.0, 0, np.zeros(1, dtype=np.int64)
        try:
            with ExitStack() as stack:
                files = {}
                for name, (dtype, shape) in shapes.items():
                    path = Path(self.scratch.file(f"{name}.npy"))
                    files[name] = stack.enter_context(path.open("wb"))
                    head = {"descr": dtype, "fortran_order": False, "shape": shape}
                    np.lib.format.write_array_header_1_0(files[name], head)
                if nnz is not None:
                    at.tofile(files["starts"])
                for part, rows, taken, lines in self._kept():
                    X = encoding.encode(taken, lines, gathering.word)
                    if nnz is None:
                        np.ascontiguousarray(dense(X, "a block of a table")).tofile(files["X"])
                    else:
                        X = sp.csr_array(X)
                        X.data.tofile(files["X"])
                        X.indices.astype(np.int32).tofile(files["columns"])
                        ends = at + X.indptr[1:]
                        ends.tofile(files["starts"])
                        at = ends[-1:]
                    signs[part.labels[rows]].tofile(files["y"])
                    part.lines[rows].tofile(files["lines"])
                    if self.lacking:
                        cells = [encoding.columns[j].cells(taken[j]) for j in self.lacking]
                        np.column_stack(cells).tofile(files["lacking"])
                    if part.weight is not None:
                        weight = part.weight[rows]
                        weight.tofile(files["weight"])
                        total += float(weight.sum())
                    done += rows.size
                    self.tell(f"encoding: {done:,} of {n:,} rows")
        except OSError as error:
            raise self.scratch.full(error) from None
        Path(self.kept).unlink()
        return total if weighted else None


def medians(parts: Callable[[], Iterator[Folded]], d: int, folds: int = 1) -> Floats:
    """Return the medians of the columns outside each fold (folds, d), 0 of nothing but NaN.

    The bits of a double, as an integer that orders as the numbers do, are fixed eight at a time:
    each pass counts what the next digit is among the numbers that share the digits before.
    """
    there = np.zeros((d, folds + 1), dtype=np.int64)
    for values, fold_of in parts():
        for j, column in enumerate(values.T):
            there[j] += np.bincount(fold_of[~np.isnan(column)], minlength=folds + 1)
    counts = (there.sum(axis=1, keepdims=True) - there[:, :folds]).T
    pair = _ranked(parts, np.stack([np.maximum(counts - 1, 0) // 2, counts // 2], axis=-1))
    with np.errstate(over="ignore"):
        found = pair.mean(axis=-1)
    found = np.where(np.isfinite(found), found, 2.0 * (pair / 2.0).mean(axis=-1))
    return np.where(counts, found, 0.0)


def _ranked(parts: Callable[[], Iterator[Folded]], rank: NDArray[np.int64]) -> Floats:
    """Return the numbers of these ranks (folds, d, 2), from 0, of each column outside each fold."""
    folds = len(rank)
    left, prefix = rank.copy(), np.zeros(rank.shape, dtype=np.uint64)
    for shift in range(BITS - DIGIT, -1, -DIGIT):
        seen = np.zeros((*rank.shape, 1 << DIGIT), dtype=np.int64)
        for values, fold_of in parts():
            for j, column in enumerate(values.T):
                there = ~np.isnan(column)
                keys = _keys(column[there]) >> np.uint64(shift)
                slots = (fold_of[there] << DIGIT) + (keys & np.uint64((1 << DIGIT) - 1)).view("i8")
                for known in np.unique(prefix[:, j]):
                    same = keys >> np.uint64(DIGIT) == known
                    of = np.bincount(slots[same], minlength=(folds + 1) << DIGIT)
                    of = of.reshape(folds + 1, 1 << DIGIT)
                    k, which = np.nonzero(prefix[:, j] == known)
                    seen[k, j, which] += of.sum(axis=0) - of[k]
        upto = np.cumsum(seen, axis=-1)
        digit = np.minimum((upto <= left[..., np.newaxis]).sum(axis=-1), (1 << DIGIT) - 1)
        before = np.take_along_axis(upto, np.maximum(digit - 1, 0)[..., np.newaxis], axis=-1)
        left -= np.where(digit > 0, before[..., 0], 0)
        prefix = (prefix << np.uint64(DIGIT)) | digit.astype(np.uint64)
    bits = np.where(prefix & SIGN, prefix ^ SIGN, ~prefix)
    return bits.view(np.float64)


def _keys(values: Floats) -> NDArray[np.uint64]:
    """Return integers that order as the numbers do."""
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0: -0 is 0
    return np.where(bits & SIGN, ~bits, bits | SIGN)
