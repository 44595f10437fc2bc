"""Some rows of a table in blocks as a table in memory, which knows of how many it speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Sample, in_full
from separatrix.scale import Rows
from separatrix.scale.files.encoded import About
from separatrix.tables import (
    CategoryColumn,
    CategoryEncoding,
    Column,
    Encoding,
    NumberColumn,
    NumberEncoding,
    Table,
)
from separatrix.tables.files.formats import ARRAYS
from separatrix.tables.table import Described
from separatrix.verdict.columns import Columns

ROWS = 4096  # that pictures are drawn of, and probabilities judged by, of a large table
FEW = 1 << 18  # numbers in a table of which all rows are


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SampledTable(Table):
    """Some rows of a table, with what is true of all of them."""

    at: NDArray[np.int64]  # which rows these are
    file: NDArray[np.int64]  # the file each is in
    file_names: tuple[str, ...]
    n_all: int  # how many rows there are
    weight_all: float  # the sum of all weights

    @property
    def n_rows(self) -> int:
        return self.n_all

    @property
    def total_weight(self) -> float:
        return self.weight_all

    def positions(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where rows of the whole table stand among these."""
        return np.searchsorted(self.at, np.asarray(rows, dtype=np.int64))

    def file_of(self, position: int) -> str:
        """Return the file that a row is in, by its position in `lines`; "" of one file alone."""
        return self.file_names[int(self.file[position])] if self.file_names[1:] else ""


def sampled(
    rows: Rows, all_of: Columns, shown: Sequence[int]
) -> tuple[SampledTable, Encoding, Sample]:
    """Return every k-th row of a table, and some rows more, with the encoding of their columns."""
    step = 1 if rows.n * (rows.d + 1) <= FEW else max(1, rows.n // ROWS)
    every = np.arange(0, rows.n, step)
    at = np.unique(np.concatenate([every, np.asarray(shown, dtype=np.int64)]))
    found = rows.take(at)
    X = in_full(found.X).astype(np.float64)
    form = X if rows.source.nnz is None else found.X  # as learners see them
    sample = replace(found, X=form)
    file, lines = rows.source.places(at)
    about = rows.source.about
    if about is None:
        plain = tuple(NumberEncoding(str(name), None) for name in rows.names)
        no, yes = (str(label) for label in found.classes)
        about = About(
            name="the table", format=ARRAYS, paths=(), encoding=Encoding(plain), label="y", no=no,
            yes=yes, n_rows_in_file=rows.n,
        )  # fmt: skip
    weighted = about.weight_column is not None or not np.all(all_of.weight == all_of.rows)
    return (
        SampledTable(
            **{f.name: getattr(about, f.name) for f in fields(Described)},
            sha256=about.sha256 if about.paths else "",
            columns=_columns(about.encoding, X),
            y=found.y,
            weight=found.weight if weighted else None,
            group=None,
            lines=lines,
            at=at,
            file=file,
            file_names=rows.source.file_names,
            n_all=rows.n,
            weight_all=float(all_of.weight.sum()),
        ),
        about.encoding,
        sample,
    )


def _columns(encoding: Encoding, X: Floats) -> tuple[Column, ...]:
    columns: list[Column] = []
    start = 0
    for how in encoding.columns:
        features = X[:, start : start + how.width]
        start += how.width
        if isinstance(how, CategoryEncoding):
            place = (features * np.arange(1, how.width + 1)).sum(axis=1).astype(np.int64)
            levels = sorted(how.levels)
            code = np.array([levels.index(level) for level in how.levels], dtype=np.int32)
            codes = code[place]
            columns.append(CategoryColumn(how.name, codes, tuple(levels)))
        else:
            columns.append(NumberColumn(how.name, features[:, 0].copy()))
    return tuple(columns)
