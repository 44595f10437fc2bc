"""The folds of a cross-validation, each encoded from its training rows only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Labels, Points, Sample
from separatrix.tables import ClassTable, Column, Table, fit_encoding, take
from separatrix.tables.wording import counted, listed
from separatrix.verdict.pairs import Codes, Pair

FOLDS = 5
SEED = 0

Split = tuple[Codes, Codes]  # training rows, rows left out

UNUSABLE = "no cross-validation: a fold would hold one class only, no weight or no columns"
UNUSABLE_CLASSES = "no cross-validation: a fold would lack a label, or have no columns"


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Features X (N, d) of rows, which label each has, and its weight."""

    X: Points  # (N, d)
    codes: Codes  # int64 array (N,) Each row's label, a position in `names`
    weight: Floats  # (N,) Ones when there were none
    names: tuple[str, ...]  # the labels

    def asked(self, pair: Pair, classes: Labels) -> Sample:
        """Return the rows that a question is about, with its answers."""
        rows = pair.rows(self.codes)
        if rows.size == self.codes.size:
            return Sample(self.X, pair.signs(self.codes), classes, self.weight)
        return Sample(self.X[rows], pair.signs(self.codes[rows]), classes, self.weight[rows])

    def has_all(self) -> bool:
        """Whether rows of every label have a weight."""
        return all(self.weight[self.codes == k].any() for k in range(len(self.names)))


@dataclass(frozen=True, slots=True)
class Fold:
    """One split: the rows to learn from, and those left out."""

    train: CodedRows
    held: CodedRows
    unseen: dict[str, NDArray[np.bool_]]


def coded(table: Table | ClassTable) -> ClassTable:
    """Return a table of two labels as one of labels: no is 0 and yes is 1."""
    if isinstance(table, ClassTable):
        return table
    return ClassTable(table, (table.no, table.yes), (table.y > 0).astype(np.int64))


def folds_of(table: Table | ClassTable, degree: int = 1) -> tuple[list[Fold], str]:
    """Return the encoded folds, and a note when there are none or fewer than usual."""
    data = coded(table)
    splits, note = _splits(data.base, data.codes)
    folds = []
    for train, held in splits:
        fold = _encoded(data, train, held, degree)
        if isinstance(table, Table):
            usable, why = bool(fold.held.weight.any()), UNUSABLE
        else:
            usable, why = fold.held.has_all(), UNUSABLE_CLASSES
        if not (usable and fold.train.has_all() and fold.train.X.shape[1]):
            return [], why
        folds.append(fold)
    return folds, note


def _splits(table: Table, strata: Codes) -> tuple[list[Split], str]:
    """Return splits with the same share of every stratum, groups kept together, and a note."""
    strata_there = np.unique(strata)
    units = int(np.bincount(strata)[strata_there].min())
    if table.group is not None:
        units = min(units, *(np.unique(table.group[strata == k]).size for k in strata_there))
    k = min(FOLDS, units)
    what = "rows" if table.group is None else "groups"
    if k < 2:
        return [], f"no cross-validation: a class has fewer than two {what}"
    note = "" if k == FOLDS else f"{k} folds instead of {FOLDS}: a class has only {k} {what}"
    if table.group is None:
        fold_of = dealt(strata, k)
        held = [np.flatnonzero(fold_of == fold) for fold in range(k)]
        return [(np.flatnonzero(fold_of != i), rows) for i, rows in enumerate(held)], note
    from sklearn.model_selection import StratifiedGroupKFold  # half a second to import

    splitter = StratifiedGroupKFold(k, shuffle=True, random_state=SEED)
    return list(splitter.split(table.y, strata, table.group)), note


def dealt(strata: Codes, k: int) -> Codes:
    """Return a fold of k for each row, shuffled within every stratum: scikit-learn's folds."""
    random = np.random.RandomState(SEED)
    labels, first = np.unique(strata, return_index=True)
    fold_of, dealt = np.empty_like(strata), 0
    for label in labels[np.argsort(first)]:
        rows = np.flatnonzero(strata == label)
        folds = np.sort((dealt + np.arange(rows.size)) % k)
        random.shuffle(folds)
        fold_of[rows], dealt = folds, dealt + rows.size
    return fold_of


def _encoded(data: ClassTable, train: Codes, held: Codes, degree: int) -> Fold:
    """Return both sides as features."""
    table = data.base
    inside_columns, held_columns = take(table.columns, train), take(table.columns, held)
    inside = fit_encoding(inside_columns, table.missing, degree)

    def side(columns: tuple[Column, ...], rows: Codes) -> CodedRows:
        weight = np.ones(rows.size) if table.weight is None else table.weight[rows]
        return CodedRows(inside.encode_lenient(columns), data.codes[rows], weight, data.names)

    unseen = inside.unseen(held_columns)
    return Fold(side(inside_columns, train), side(held_columns, held), unseen)


def unseen_note(folds: Sequence[Fold]) -> str:
    """Return a note on the levels that rows left out have and rows to learn from lack; or ""."""
    rows = sum(int(np.logical_or.reduce([*f.unseen.values()]).sum()) for f in folds if f.unseen)
    if not rows:
        return ""
    columns = dict.fromkeys(name for fold in folds for name in fold.unseen)
    have = "has" if rows == 1 else "have"
    return (
        f"Cross-validation: {counted(rows, 'row')} left out {have} a level that no row of the "
        f"other folds has (column {listed(columns)}); it counts as the baseline there."
    )
