"""Other rows and other columns of a table in blocks: those of a fold, and standardised ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Sample
from separatrix.scale import Source
from separatrix.scale.view import View
from separatrix.verdict.folds import FOLDS
from separatrix.verdict.scaling import Scaling

# of splitmix64 (Steele, Lea & Flood 2014), which mixes the bits of a counter
STEP, FIRST, SECOND = (
    np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


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
    """The rows to learn from in one fold, or those left out."""

    def __init__(self, base: Source, fold: int, *, held: bool) -> None:
        super().__init__(base)
        self.fold, self.held = fold, held
        whole, rest = divmod(base.n, FOLDS)
        of_rest = int(self._left_out(np.array([whole]))[0]) < rest
        n_held = whole + of_rest
        self.n = n_held if held else base.n - n_held

    def _left_out(self, fives: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which of its rows, 0 to 4, each five leaves out."""
        with np.errstate(over="ignore"):
            bits = (fives.astype(np.uint64) + np.uint64(1)) * STEP
            bits = (bits ^ (bits >> np.uint64(30))) * FIRST
            bits = (bits ^ (bits >> np.uint64(27))) * SECOND
        drawn = ((bits ^ (bits >> np.uint64(31))) >> np.uint64(3)) % np.uint64(FOLDS)
        return (drawn.astype(np.int64) + self.fold) % FOLDS

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1."""
        each = 1 if self.held else FOLDS - 1
        first, last = start // each, -(-stop // each)
        a, b = FOLDS * first, min(self.base.n, FOLDS * last)
        rows = self.base.read(a, b, check=check)
        out = np.repeat(self._left_out(np.arange(first, last)), FOLDS)[: b - a]
        is_held = out == np.arange(a, b) % FOLDS
        kept = np.flatnonzero(is_held if self.held else ~is_held)
        kept = kept[start - each * first : stop - each * first]
        return Sample(rows.X[kept], rows.y[kept], rows.classes, rows.weight[kept])

    def _key(self) -> tuple[Any, ...]:
        return self.fold, self.held
