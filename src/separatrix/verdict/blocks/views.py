"""Other rows and other columns of a table in blocks: those of a fold, and standardised ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Sample
from separatrix.scale import Source
from separatrix.scale.view import View
from separatrix.tiles import TILE
from separatrix.verdict.folds import folds_of_label, left_out_before
from separatrix.verdict.scaling import Scaling


class Standardised(View):
    """Rows with standardised columns, as PLA and pocket see them."""

    def __init__(self, base: Source, scaling: Scaling) -> None:
        super().__init__(base)
        self.scaling = scaling
        self.dtype = np.dtype(np.float64)

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1."""
        rows = self.base.read(start, stop, check=check)
        return Sample(self.scaling.apply(rows.X), rows.y, rows.classes, rows.weight)

    def _key(self) -> tuple[Any, ...]:
        found = self.scaling
        return found.exponent.tolist(), found.mean.tolist(), found.spread.tolist()


class Held(View):
    """Rows that are few enough to be kept, once they were read: for learners of many passes."""

    def __init__(self, base: Source) -> None:
        super().__init__(base)
        self._rows: Sample | None = None

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1."""
        if self._rows is None:
            self._rows = self.base.read(0, self.n, check=check)
        rows, part = self._rows, slice(start, stop)
        return Sample(rows.X[part], rows.y[part], rows.classes, rows.weight[part])


class FoldRows(View):
    """The rows to learn from in one fold, or those left out.

    Parameters
    ----------
    base : the rows of all folds
    counts : (tiles + 1, 2), how many no rows and yes rows stand before each tile of `base`
    """

    def __init__(
        self, base: Source, counts: NDArray[np.int64], fold: int, *, folds: int, held: bool
    ) -> None:
        super().__init__(base)
        self.counts, self.fold, self.folds, self.held = counts, fold, folds, held
        left_out = sum(left_out_before(label, counts[:, label], fold, folds) for label in (0, 1))
        self.before = np.asarray(left_out if held else counts.sum(axis=1) - left_out)
        self.n = int(self.before[-1])

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1."""
        first = int(np.searchsorted(self.before, start, side="right")) - 1
        last = int(np.searchsorted(self.before, stop, side="left"))
        rows = self.base.read(first * TILE, min(self.base.n, last * TILE), check=check)
        kept = np.flatnonzero((self._fold_of(rows.y, first) == self.fold) == self.held)
        at = int(self.before[first])
        kept = kept[start - at : stop - at]
        return Sample(rows.X[kept], rows.y[kept], rows.classes, rows.weight[kept])

    def _fold_of(self, y: Floats, tile: int) -> NDArray[np.int64]:
        """Return the folds of rows that begin with a tile."""
        fold_of = np.empty(y.size, dtype=np.int64)
        for label, there in enumerate((y <= 0.0, y > 0.0)):
            at = int(self.counts[tile, label])
            n = int(np.count_nonzero(there))
            fold_of[there] = folds_of_label(label, at, at + n, self.folds)
        return fold_of

    def _key(self) -> tuple[Any, ...]:
        return self.fold, self.folds, self.held
