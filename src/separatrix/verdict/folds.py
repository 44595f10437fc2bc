"""The folds of a cross-validation: features of the table, filled from the rows to learn from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats, Points, Sample, dense, in_full, is_sparse, rows_at
from separatrix.said import Said
from separatrix.scale import Block, Rows, Source
from separatrix.scale.converting import Folded, medians
from separatrix.scale.encoded import Lacking
from separatrix.scale.npy import NpyFile
from separatrix.scale.view import View
from separatrix.tables import (
    CategoryColumn,
    CategoryEncoding,
    ClassTable,
    Encoding,
    NumberColumn,
    NumberEncoding,
    Table,
    fit_encoding,
    take,
)
from separatrix.tables.wording import counted, listed
from separatrix.tiles import TILE, tiles
from separatrix.verdict.cases import CodedRows, Codes, coded

FOLDS = 5
SEED = 0
REMEMBERED = 64  # tiles of which it is known how they were dealt
# of splitmix64 (Steele, Lea & Flood 2014), which mixes the bits of a counter
STEP, FIRST, SECOND = (
    np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)

Split = tuple[Codes, Codes]  # training rows, rows left out
FoldOf = Callable[[Floats, int], NDArray[np.int8]]  # of the labels of rows, and their first tile

UNUSABLE = "no cross-validation: a fold would hold one class only, or no columns"
UNUSABLE_CLASSES = "no cross-validation: a fold would lack a label, or have no columns"


@dataclass(frozen=True, slots=True)
class Fold:
    """One split: the rows to learn from, and those left out; encoded whenever they are asked for.

    All folds together would take as much memory as the table several times over.
    """

    data: ClassTable
    encoding: Encoding  # levels of the table; what fills is of the rows to learn from
    rows: Split

    @property
    def train(self) -> CodedRows:
        return self._encoded(self.rows[0])

    @property
    def held(self) -> CodedRows:
        return self._encoded(self.rows[1])

    def _encoded(self, rows: Codes) -> CodedRows:
        of, weight = self.data, self.data.base.weight
        X = self.encoding.encode(take(of.base.columns, rows), lenient=True)
        weight = np.ones(rows.size) if weight is None else weight[rows]
        return CodedRows(X, of.codes[rows], weight, of.names)


def _has_all(data: ClassTable, rows: Codes) -> bool:
    return np.unique(data.codes[rows]).size == len(data.names)


def folds_of(table: Table | ClassTable, whole: Encoding, degree: int = 1) -> tuple[list[Fold], str]:
    """Return the encoded folds, and a note when there are none or fewer than usual."""
    data = coded(table)
    strata = data.codes
    if isinstance(table, Table):
        strata = np.array(drawn_by(table.no, table.yes))[strata]
    splits, note = _splits(data.base, strata)
    folds = []
    for train, held in splits:
        if isinstance(table, Table):
            usable, why = held.size > 0, UNUSABLE
        else:
            usable, why = _has_all(data, held), UNUSABLE_CLASSES
        if not (usable and _has_all(data, train)):
            return [], why
        columns = take(data.base.columns, train)
        encoding = fit_encoding(columns, data.base.missing, degree, whole=whole)
        if not encoding.feature_names:
            return [], why
        folds.append(Fold(data, encoding, (train, held)))
    return folds, note


def _splits(table: Table, strata: Codes) -> tuple[list[Split], str]:
    """Return splits with the same share of every stratum, groups kept together, and a note."""
    strata_there = np.unique(strata)
    units = int(np.bincount(strata)[strata_there].min())
    if table.group is not None:
        units = min(units, *(np.unique(table.group[strata == k]).size for k in strata_there))
    k, note = number_of_folds(units, "rows" if table.group is None else "groups")
    if not k:
        return [], note
    if table.group is None:
        fold_of = dealt(strata, k)
        held = [np.flatnonzero(fold_of == fold) for fold in range(k)]
        return [(np.flatnonzero(fold_of != i), rows) for i, rows in enumerate(held)], note
    from sklearn.model_selection import StratifiedGroupKFold  # half a second to import

    splitter = StratifiedGroupKFold(k, shuffle=True, random_state=SEED)
    return list(splitter.split(table.y, strata, table.group)), note


def number_of_folds(units: int, what: str) -> tuple[int, str]:
    """Return how many folds a class of so many rows or groups allows, and a note on too few."""
    k = min(FOLDS, units)
    if k < 2:
        said = "no cross-validation: a class has fewer than two {what}"
        return 0, Said(said, what=Said(what))
    said = "{k} folds instead of {usual}: a class has only {k} {what}"
    return k, "" if k == FOLDS else Said(said, k=k, usual=FOLDS, what=Said(what))


def drawn_by(no: Untyped, yes: Untyped) -> tuple[int, int]:
    """Return what seeds the folds of each label: its place among both, whichever is yes."""
    return (1, 0) if str(yes) < str(no) else (0, 1)


def dealt(strata: Codes, k: int) -> Codes:
    """Return a fold of k for each row, by its place among the rows of its stratum alone."""
    fold_of = np.empty_like(strata)
    for label in np.unique(strata).tolist():
        rows = np.flatnonzero(strata == label)
        fold_of[rows] = folds_of_label(label, 0, rows.size, k)
    return fold_of


def folds_of_label(label: int, first: int, stop: int, k: int) -> Codes:
    """Return the folds of rows first, ..., stop - 1 of a label: of any k in turn each gets one."""
    groups = np.arange(first // k, -(-stop // k))
    return _orders(label, groups, k).ravel()[first - first // k * k :][: stop - first]


def left_out_before(label: int, counts: Codes, fold: int, k: int) -> Codes:
    """Return how many of the first `counts` rows of a label a fold leaves out."""
    groups, rest = np.divmod(counts, k)
    place = np.argmax(_orders(label, groups, k) == fold, axis=1)
    return np.asarray(groups + (place < rest))


def _orders(label: int, groups: Codes, k: int) -> Codes:
    """Return a permutation of k folds for each group of a label, drawn from all of them."""
    orders = np.array(list(itertools.permutations(range(k))), dtype=np.int64)
    with np.errstate(over="ignore"):
        begin = _mixed(np.full(1, label + 1, dtype=np.uint64) * STEP)
        drawn = _mixed(begin + (groups.astype(np.uint64) + np.uint64(1)) * STEP)
    return np.asarray(orders[(drawn % np.uint64(len(orders))).astype(np.int64)])


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return bits ^ (bits >> np.uint64(31))


def unseen_in_table(table: Table, encoding: Encoding, folds: Sequence[Fold]) -> str:
    """Return `unseen_note` of a table in memory."""
    categories = [j for j, c in enumerate(table.columns) if isinstance(c, CategoryColumn)]
    if not folds or not categories:
        return ""
    fold_of = np.empty(table.y.size, dtype=np.int8)
    for k, fold in enumerate(folds):
        fold_of[fold.rows[1]] = k
    levels = Encoding(tuple(encoding.columns[j] for j in categories))
    X = levels.encode([table.columns[j] for j in categories], lenient=True)
    rows = Rows.of(Sample(X, table.y, np.array([table.no, table.yes]), np.ones(table.y.size)))
    return unseen_note(rows, levels, lambda _, first: fold_of[first * TILE :], len(folds))


def unseen_note(rows: Rows, encoding: Encoding, fold_of: FoldOf, folds: int) -> str:
    """Return a note on the levels that rows left out have and rows to learn from lack; or ""."""
    starts = np.cumsum([0, *(how.width for how in encoding.columns)])
    spans = {
        how.name: np.arange(start, start + how.width)
        for how, start in zip(encoding.columns, starts, strict=False)
        if isinstance(how, CategoryEncoding) and how.width
    }
    if not folds or not spans:
        return ""
    counts = rows.sum(_by_fold, fold_of, folds, np.concatenate([*spans.values()]))
    alone, first = dict[str, tuple[Codes, NDArray[np.bool_]]](), 1
    for name, span in spans.items():
        of = counts[:, first : first + span.size]
        first += span.size
        levels = np.column_stack([counts[:, 0] - of.sum(axis=1), of])
        in_one = (levels > 0.0).sum(axis=0) == 1
        if in_one.any():
            alone[name] = span, in_one
    if not alone:
        return ""
    n = int(rows.sum(_with_levels, [*alone.values()])[0])
    have = "has" if n == 1 else "have"
    return (
        f"Cross-validation: {counted(n, 'row')} left out {have} a level that no row of the "
        f"other folds has (column {listed(alone)}); it counts as the baseline there."
    )


def _by_fold(block: Block, fold_of: FoldOf, folds: int, features: Codes) -> Floats:
    """Return how many rows of each fold there are, and have each level (tiles, folds, 1 + F)."""
    of = fold_of(block.sample.y, block.start // TILE)

    def part(tile: slice) -> Floats:
        X, here = block.sample.X[tile][:, features], of[tile]
        return np.array([
            [np.count_nonzero(here == k), *X[here == k].sum(axis=0)] for k in range(folds)
        ], dtype=np.float64)  # fmt: skip

    return block.sums_of_tiles(part)


def _with_levels(block: Block, levels: Sequence[tuple[Codes, NDArray[np.bool_]]]) -> Floats:
    """Return how many rows have one of the levels, of which the baseline has no feature."""

    def part(tile: slice) -> Floats:
        X = block.sample.X[tile]
        has = np.zeros(X.shape[0], dtype=np.bool_)
        for span, which in levels:
            has |= X[:, span[which[1:]]].sum(axis=1) > 0.0
            if which[0]:
                has |= X[:, span].sum(axis=1) == 0.0
        return np.array([np.count_nonzero(has)], dtype=np.float64)

    return block.sums_of_tiles(part)


class Dealt:
    """The folds of a table's rows, tile by tile; `counts` as `Columns.before`."""

    def __init__(self, counts: NDArray[np.int64], folds: int, classes: Untyped) -> None:
        self.counts, self.folds, self.seeds = counts, folds, drawn_by(*classes)
        self._known: dict[int, NDArray[np.int8]] = {}  # of tiles: all folds ask for the same

    def of(self, y: Floats, first: int) -> NDArray[np.int8]:
        """Return the folds of rows that begin with a tile."""
        return np.concatenate([
            self._of_tile(y[rows], first + k) for k, rows in enumerate(tiles(y.size))
        ])  # fmt: skip

    def _of_tile(self, y: Floats, tile: int) -> NDArray[np.int8]:
        found = self._known.get(tile)
        if found is None or found.size != y.size:
            found = np.empty(y.size, dtype=np.int8)
            for label, there in enumerate((y <= 0.0, y > 0.0)):
                at = int(self.counts[tile, label])
                stop = at + int(np.count_nonzero(there))
                found[there] = folds_of_label(self.seeds[label], at, stop, self.folds)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[tile] = found
        return found


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

    def read(self, start: int, stop: int) -> Sample:
        first, last = self._tiles(start, stop)
        rows = self.base.read(first * TILE, min(self.base.n, last * TILE))
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
    for of_fold in zip(*_filled_by_fold(lacking, of_all, dealt), strict=True):
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


def _filled_by_fold(lacking: Lacking, of_all: list[How], dealt: Dealt) -> Iterator[list[How]]:
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
