"""The plain table that a proof is about: the user's own file where it is one, else written once."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix import verify
from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, dense
from separatrix.files import written_whole
from separatrix.scale.encoded import About
from separatrix.tables import CategoryEncoding, ClassTable, Dialect, Encoding, Table
from separatrix.tiles import tiles

MOST_IN_CSV = 1 << 20  # numbers of a table that is written as CSV: any budget has room for them
PLAIN = Dialect(delimiter=",", encoding="utf-8", header=True, quote='"', decimal=".")
PIECE = 1 << 20
ENDS = {  # of the names of files beside a proof: those of rows, in each format, and the last two
    "csv": [".table.csv"],
    "npy": [".table.npy"],
    "csr": [".data.npy", ".indices.npy", ".indptr.npy"],
}
BESIDE = [".labels.npy", ".weights.npy"]

Block = tuple[Points, NDArray[np.int64], "Floats | None"]  # features, places of labels, weights


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the digest of a file, read in pieces."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{os.fspath(path)!r} cannot be read: {error}") from None


def base_of(table: Table | ClassTable) -> Table:
    """Return the rows, whatever is asked of them."""
    return table.base if isinstance(table, ClassTable) else table


def as_it_is(
    read: Table | ClassTable | About, encoding: Encoding, first: bytes, files: Sequence[Untyped]
) -> dict[str, Any] | None:
    """Return how a proof names a CSV file, given its first line; None unless that is plain."""
    table = read if isinstance(read, About) else base_of(read)
    how, texts = table.dialect, table.label_texts
    is_csv = table.format == "csv" and how is not None and replace(how, quote='"') == PLAIN
    changed = encoding.monomials is not None or table.recipes or table.n_dropped or texts.get("")
    if not is_csv or changed or len(files) > 1:
        return None
    try:
        header = verify.cells_of(first.decode("utf-8").rstrip("\r\n"))
    except (ValueError, verify.CannotCheck):
        return None
    index = {name: k for k, name in enumerate(header)}
    classes = [*(name for name in texts if name != table.yes), table.yes]
    if isinstance(read, ClassTable):
        classes = [*read.names]
    written = [text for name in classes for text in texts[name]]
    if len(written) > (len(classes) if isinstance(read, ClassTable) else 2):
        return None
    try:
        columns = [
            {"index": index[c.name], "levels": [*c.levels]} if isinstance(c, CategoryEncoding)
            else index[c.name] for c in encoding.columns
        ]  # fmt: skip
        label = {"index": index[table.label], "classes": written}
        weight = None if table.weight_column is None else index[table.weight_column]
    except KeyError:
        return None
    return described("csv", files, label, columns, weight)


def described(
    form: str,
    files: Sequence[Untyped],
    label: Mapping[str, Untyped],
    columns: Sequence[Untyped],
    weight: int | None = None,
    **more: Untyped,
) -> dict[str, Any]:
    """Return the part of a proof that names a plain table."""
    told = {"format": form, "files": [*files], "label": dict(label), "columns": [*columns]}
    return told | ({} if weight is None else {"weight": weight}) | more


@dataclass(frozen=True, slots=True)
class PlainTable:
    """Rows that are written beside a proof: few numbers as CSV, more as arrays."""

    name: str  # of the table that they were made of
    names: tuple[str, ...]  # of the features
    label: str
    labels: Sequence[str]  # no and yes, or the classes
    weight: str | None  # the name of the column of weights, if there is one
    n: int
    blocks: Iterable[Block]
    made_of: Mapping[str, Untyped]  # information on where the rows came from
    is_sparse: bool = False

    @classmethod
    def of(cls, read: Table | ClassTable, encoding: Encoding) -> PlainTable:
        table = base_of(read)
        X = encoding.encode(table.columns, table.lines, table.line_word)
        asked = read if isinstance(read, ClassTable) else ClassTable.of_two(table)
        here = slice(None) if table.weight is None else table.weight > 0.0
        block = X[here], asked.codes[here], None if table.weight is None else table.weight[here]
        files = [{"name": table.name, "sha256": table.sha256}]
        made_of = about_rows(files, table, lines=table.lines[here])
        names = tuple(encoding.feature_names)
        return cls(
            table.name, names, table.label, asked.names, table.weight_column, block[0].shape[0],
            [block], made_of, sp.issparse(X),
        )  # fmt: skip

    @property
    def form(self) -> str:
        """The format: of a proof."""
        if self.is_sparse:
            return "csr"
        return "csv" if self.n * (len(self.names) + 1) <= MOST_IN_CSV else "npy"

    @property
    def ends(self) -> list[str]:
        """How the names of the files end."""
        more = [] if self.form == "csv" else BESIDE[: 1 + (self.weight is not None)]
        return [*ENDS[self.form], *more]

    def description(self, files: Sequence[Untyped]) -> dict[str, Any]:
        """Return how a proof names it."""
        d, is_csv = len(self.names), self.form == "csv"
        classes = [*self.labels] if is_csv else [*map(str, _numbers_of(self.labels))]
        more: dict[str, Any] = {} if is_csv else {"names": [*self.names]}
        more |= {"made_of": self.made_of} if self.made_of else {}
        weight = None if self.weight is None else d + 1
        return described(
            self.form, files, {"index": d, "classes": classes}, range(d), weight, **more
        )

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Yield the bytes of its files, and which of these they belong to."""
        yield from {"csv": self._csv, "npy": self._npy, "csr": self._csr}[self.form]()

    def _csv(self) -> Iterator[tuple[int, bytes]]:
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        weighed = [] if self.weight is None else [self.weight]
        writer.writerow(_told_apart([*self.names, self.label, *weighed]))
        for X, codes, weight in self.blocks:
            for tile in tiles(codes.size):
                answers = [self.labels[k] for k in codes[tile].tolist()]
                shares = [] if weight is None else [map(repr, weight[tile].tolist())]
                points = (map(repr, x) for x in dense(X[tile], "some rows").tolist())
                for x, *more in zip(points, answers, *shares, strict=True):
                    writer.writerow([*x, *more])
                yield 0, out.getvalue().encode()
                out.seek(0)
                out.truncate()

    def _npy(self) -> Iterator[tuple[int, bytes]]:
        yield 0, header("<f8", (self.n, len(self.names)))
        yield from self._beside(1)
        n = 0
        for X, codes, weight in self.blocks:
            if X.shape[1] != len(self.names) or not np.isfinite(X).all():
                raise InputError(f"rows {n + 1:,} and on are not {len(self.names)} finite numbers.")
            n += codes.size
            yield 0, np.ascontiguousarray(X, "<f8").tobytes()
            yield from self._labels_and_weights(1, codes, weight)
        if n != self.n:
            raise InputError(f"the table has {n:,} rows where {self.n:,} were announced.")

    def _csr(self) -> Iterator[tuple[int, bytes]]:
        (X, codes, weight), *_ = self.blocks
        arrays = (X.data.astype("<f8"), X.indices.astype("<i8"), X.indptr.astype("<i8"))
        for k, values in enumerate(arrays):
            yield k, header(values.dtype.str, values.shape) + values.tobytes()
        yield from self._beside(3)
        yield from self._labels_and_weights(3, codes, weight)

    def _beside(self, k: int) -> Iterator[tuple[int, bytes]]:
        yield k, header("|i1", (self.n,))
        if self.weight is not None:
            yield k + 1, header("<f8", (self.n,))

    def _labels_and_weights(
        self, k: int, codes: NDArray[np.int64], weight: Floats | None
    ) -> Iterator[tuple[int, bytes]]:
        yield k, np.array(_numbers_of(self.labels), "i1")[codes].tobytes()
        if weight is not None:
            yield k + 1, np.ascontiguousarray(weight, "<f8").tobytes()

    def files(self) -> dict[str, bytes]:
        """Return the contents of its files, by how their names end."""
        found = {end: io.BytesIO() for end in self.ends}
        outs = list(found.values())
        for k, data in self.pieces():
            outs[k].write(data)
        return {end: out.getvalue() for end, out in found.items()}

    def write(self, path: str | os.PathLike[str]) -> list[str]:
        """Write its files beside a proof, block by block; return their names."""
        paths = [beside(path, end) for end in self.ends]
        with ExitStack() as stack:
            parts = [stack.enter_context(written_whole(name)) for name in paths]
            files = [stack.enter_context(part.open("wb")) for part in parts]
            for k, data in self.pieces():
                files[k].write(data)
        return paths


def about_rows(
    files: Sequence[Untyped], table: Table | About, lines: NDArray[np.int64] | None = None
) -> dict[str, Any]:
    """Return where rows came from, for people: which lines of the file, and how it was read."""
    told: dict[str, Any] = {
        "files": [*files],
        "rows": table.n_rows_in_file,
        "notes": [*table.notes],
    }
    if lines is not None and lines.size:
        ends = np.flatnonzero(np.diff(lines, prepend=-1, append=-1) != 1)
        runs = [[int(lines[a]), int(lines[b - 1])] for a, b in pairwise(ends)]
        told[f"{table.line_word}s"] = runs
    return told


def beside(path: str | os.PathLike[str], end: str) -> str:
    """Return the name of a file beside a proof."""
    return f"{Path(path).with_suffix('')}{end}"


def _numbers_of(labels: Sequence[str]) -> list[int]:
    """Return what stands for labels in arrays."""
    return [-1, 1] if len(labels) == 2 else list(range(1, len(labels) + 1))


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return names that are printable and differ from each other."""
    made: list[str] = []
    for k, name in enumerate(names, 1):
        plain = name if verify.is_a_name(name) else f"{name[:40]!a}"
        made.append(plain if plain not in made else f"{plain[:100]} (column {k})")
    return made


def header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Return the beginning of an .npy file, as numpy writes it."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    room = -(len(text) + 11) % 64
    head = text.encode() + b" " * room + b"\n"
    return verify.MAGIC + b"\1\0" + len(head).to_bytes(2, "little") + head
