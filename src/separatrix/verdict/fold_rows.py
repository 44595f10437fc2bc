"""The folds of rows that are read in blocks, filled from the rows to learn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Floats, Points, Sample, dense, in_full, is_sparse, rows_at
from separatrix.scale import Source
from separatrix.scale.files.encoded import Lacking
from separatrix.scale.files.medians import Folded, medians
from separatrix.scale.npy import NpyFile
from separatrix.scale.view import View
from separatrix.tables import (
    CategoryColumn,
    CategoryEncoding,
    Encoding,
    NumberColumn,
    NumberEncoding,
)
from separatrix.tiles import TILE
from separatrix.verdict.folds import Dealt, left_out_before

AT_ONCE = 4 * TILE  # rows

How = NumberEncoding | CategoryEncoding


@dataclass(frozen=True, slots=True)
class Fills:
    """What replaces that of all rows in one fold."""

    cells: NpyFile  # of `Lacking`
    changed: tuple[tuple[int, int, Floats], ...]  # column of cells, first feature, features (k,)

    def put(self, X: Points, first: int, stop: int, kept: NDArray[np.int64]) -> Points:
        """Return X, rows first, ..., stop - 1 that are kept, filled; dense ones are written to."""
        cells = self.cells.rows(first, stop)[kept] if self.changed else None
        for k, at, features in self.changed:
            absent, end = np.isnan(cells[:, k]), at + features.size  # type: ignore[index]
            if not sp.issparse(X):
                X[absent, at:end] = features
            elif absent.any():
                filled = X[:, at:end].toarray()
                filled[absent] = features
                X = sp.hstack((X[:, :at], sp.csr_array(filled), X[:, end:]), format="csr")
        return X


class FoldRows(View):
    """The rows to learn from in one fold, or those left out."""

    def __init__(
        self, base: Source, dealt: Dealt, fold: int, fills: Fills | None = None,
        nonzeros: NDArray[np.int64] | None = None, *, held: bool,
    ) -> None:  # fmt: skip
        super().__init__(base)
        self.dealt, self.fold, self.fills, self.held = dealt, fold, fills, held
        counts, folds = dealt.counts, dealt.folds
        seeds = enumerate(dealt.seeds)
        left_out = sum(left_out_before(seed, counts[:, k], fold, folds) for k, seed in seeds)
        self.before = np.asarray(left_out if held else counts.sum(axis=1) - left_out)
        self.n = int(self.before[-1])
        if nonzeros is not None:  # of each fold
            nnz = int(nonzeros[fold] if held else nonzeros.sum() - nonzeros[fold])
            self.nnz = nnz if is_sparse(self.n, self.d, nnz) else None

    def _tiles(self, start: int, stop: int) -> tuple[int, int]:
        """Return the first tile of the base with these rows, and the tile after the last."""
        first = int(np.searchsorted(self.before, start, side="right")) - 1
        return first, int(np.searchsorted(self.before, stop, side="left"))

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return which rows of the table these are made of: the first, and that after the last."""
        first, last = self._tiles(start, stop)
        return self.base.span(first * TILE, min(self.base.n, last * TILE))

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        first, last = self._tiles(start, stop)
        rows = self.base.read(first * TILE, min(self.base.n, last * TILE), check=check)
        kept = np.flatnonzero((self.dealt.of(rows.y, first) == self.fold) == self.held)
        at = int(self.before[first])
        kept = kept[start - at : stop - at]
        X = rows_at(rows.X, kept)
        if self.fills is not None:
            X = self.fills.put(X, first * TILE, min(self.base.n, last * TILE), kept)
        X = in_full(X) if self.nnz is None else X
        return replace(rows, X=X, y=rows.y[kept], weight=rows.weight[kept])


def fills_of_folds(source: Source, dealt: Dealt) -> Sequence[Fills | None]:
    """Return the fills of each fold; None where no row lacks a value."""
    lacking, about = source.lacking, source.about
    if lacking is None or about is None or not dealt.folds:
        return [None] * dealt.folds
    columns = about.encoding.columns
    first = np.cumsum([0, *(how.width for how in columns)]).tolist()
    of_all = [columns[j] for j in lacking.columns]
    whole = [_features(how) for how in of_all]
    fills = []
    for of_fold in zip(*_by_fold(lacking, of_all, dealt), strict=True):
        own = [_features(how) for how in of_fold]
        fills.append(Fills(lacking.cells, tuple(
            (k, first[j], own[k])
            for k, j in enumerate(lacking.columns)
            if not np.array_equal(own[k], whole[k])
        )))  # fmt: skip
    return fills


def _features(how: How) -> Floats:
    """Return what a missing value becomes (width,)."""
    nothing = (
        CategoryColumn(how.name, np.full(1, -1, dtype=np.int32), ())
        if isinstance(how, CategoryEncoding)
        else NumberColumn(how.name, np.full(1, np.nan))
    )
    return dense(Encoding((how,)).encode([nothing], lenient=True), "a row").ravel()


def _by_fold(lacking: Lacking, of_all: list[How], dealt: Dealt) -> Iterator[list[How]]:
    """Yield, for each column, its encoding in each fold: filled by the rows to learn from."""
    numbers = [k for k, how in enumerate(of_all) if isinstance(how, NumberEncoding)]
    sizes = [len(how.levels) if isinstance(how, CategoryEncoding) else 0 for how in of_all]
    counts = [np.zeros((dealt.folds, size), dtype=np.int64) for size in sizes]

    def parts() -> Iterator[Folded]:
        for start in range(0, lacking.cells.shape[0], AT_ONCE):
            rows = start, min(start + AT_ONCE, lacking.cells.shape[0])
            y = lacking.labels.rows(*rows).astype(np.float64)
            yield lacking.cells.rows(*rows), dealt.of(y, start // TILE).astype(np.int64)

    for cells, fold_of in parts():
        for k, size in enumerate(sizes):
            there = ~np.isnan(cells[:, k])
            if size:
                slots = fold_of[there] * size + cells[there, k].astype(np.int64)
                counts[k] += np.bincount(slots, minlength=counts[k].size).reshape(-1, size)
    found = medians(
        lambda: ((cells[:, numbers], fold_of) for cells, fold_of in parts()),
        len(numbers), dealt.folds,
    ).T.tolist()  # fmt: skip
    for how, of_levels in zip(of_all, counts, strict=True):
        if isinstance(how, NumberEncoding):
            yield [replace(how, fill=fill) for fill in found.pop(0)]
        else:
            order = sorted(range(len(how.levels)), key=how.levels.__getitem__)
            often = (of_levels.sum(axis=0) - of_levels)[:, order]
            levels = [how.levels[k] for k in order]
            yield [
                replace(how, fill=CategoryEncoding.of_counts("", levels, n, fill=True).fill)
                for n in often
            ]
