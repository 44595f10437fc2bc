"""Other rows made of those of a table in blocks, gone over as the table is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.data import Sample, is_sparse, may_be_sparse, nonzeros_in
from separatrix.scale.budget import rows_per_block
from separatrix.scale.rows import Rows
from separatrix.scale.source import ArraySource, FilesSource, Places, Source, joined_samples
from separatrix.tiles import TILE

T = TypeVar("T", bound=Rows | Sample)


def seen_as(table: Rows, source: Source, share: float = 1.0) -> Rows:
    """Return a table of another view of the same rows, or a share of them, gone over as it is."""
    most = rows_per_block(source.bytes_at_work, table.budget)
    of_share = max(1, round(share * table.rows_in_block / TILE)) * TILE
    return _gone_over_as(table, source, min(most, of_share))


def with_constant(table: T, x0: float) -> T:
    """Return the same rows behind this constant."""
    made: Untyped = table
    if table.x0 == x0:
        return table
    if isinstance(table, Sample):
        made = replace(table, x0=x0)
    elif isinstance(table.source, ArraySource):
        of = replace(table.source.sample, x0=x0)
        made = _gone_over_as(table, ArraySource(of, table.names), table.rows_in_block)
    else:
        source = SameRows(table.source, partial(replace, x0=x0), x0=x0)
        made = _gone_over_as(table, source, table.rows_in_block)
    return made  # type: ignore[no-any-return]


def _gone_over_as(table: Rows, source: Source, rows_in_block: int) -> Rows:
    made = Rows(
        source, memory=table.memory, back_end=table.back_end, journal=table.journal,
        rows_in_block=rows_in_block,
    )  # fmt: skip
    made.progress, made.reads = table.progress, table.reads
    return made


class View(Source):
    """Rows made of those of another source."""

    def __init__(self, base: Source) -> None:
        self.base = base
        self.n, self.d, self.dtype, self.nnz = base.n, base.d, base.dtype, base.nnz
        self.classes, self.described, self.x0 = base.classes, base.described, base.x0
        self.reader_bytes = base.reader_bytes

    def span(self, start: int, stop: int) -> tuple[int, int]:
        return self.base.span(start, stop)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.base.names

    def refuse_changed(self) -> None:
        self.base.refuse_changed()


class SameRows(View):
    """The same rows, each changed by itself: `known` is what this makes of the source."""

    def __init__(self, base: Source, change: Callable[[Sample], Sample], **known: Untyped) -> None:
        super().__init__(base)
        self.about, self.seeks, self.lacking = base.about, base.seeks, base.lacking
        self.change = change
        vars(self).update(known)

    def read(self, start: int, stop: int) -> Sample:
        return self.change(self.base.read(start, stop))

    def take(self, rows: NDArray[np.int64]) -> Sample:
        return self.change(self.base.take(rows))

    def lazily(self, start: int, stop: int) -> Untyped:
        lazy = self.base.lazily(start, stop)
        if lazy is None:
            return None
        from dask import delayed

        return delayed(self.change)(lazy)

    def places(self, rows: NDArray[np.int64]) -> Places:
        return self.base.places(rows)


class Compressed(SameRows):
    """Rows of mostly zeros, by their nonzeros in doubles."""

    def __init__(self, base: FilesSource, nnz: int) -> None:
        super().__init__(base, _compressed, nnz=nnz, dtype=np.dtype(np.float64))
        self.fingerprint = base.fingerprint

    def read(self, start: int, stop: int) -> Sample:
        cuts = [*range(start, stop, TILE), stop]  # dense rows take room
        parts = (super(Compressed, self).read(a, b) for a, b in pairwise(cuts))
        return joined_samples(list(parts))


def _compressed(part: Sample) -> Sample:
    return replace(part, X=sp.csr_array(np.asarray(part.X, dtype=np.float64)))


def in_form_of(source: FilesSource, budget: int) -> FilesSource | Compressed:
    """Return rows of which most numbers are zeros by their nonzeros; others as they are."""
    n, d, found = source.n, source.d, 0
    if source.nnz is not None or not may_be_sparse(n, d):
        return source
    rows = rows_per_block(source.row_bytes, budget)
    for start in range(0, n, rows):
        found += nonzeros_in(source.read(start, min(n, start + rows)).X)
        if not is_sparse(n, d, found):
            return source
    return Compressed(source, found)
