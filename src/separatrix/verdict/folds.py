"""The folds of a cross-validation, each encoded from its training rows only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats
from separatrix.tables import ClassTable, Table, fit_encoding, take

FOLDS = 5
SEED = 0

Rows = NDArray[np.int64]
Split = tuple[Rows, Rows]  # training rows, rows left out

UNUSABLE = "no cross-validation: a fold would hold one class only, no weight or no columns"
UNUSABLE_CLASSES = "no cross-validation: a fold would lack a label, or have no columns"


@dataclass(frozen=True, slots=True)
class Fold:
    """One split of a yes / no question."""

    X: Floats
    y: Floats
    weight: Floats | None
    X_held: Floats
    y_held: Floats
    weight_held: Floats | None


@dataclass(frozen=True, slots=True)
class ClassFold:
    """One split of a table of many labels, `codes` instead of y."""

    X: Floats
    codes: Rows
    weight: Floats | None
    X_held: Floats
    codes_held: Rows
    weight_held: Floats | None


def folds_of(table: Table, degree: int = 1) -> tuple[list[Fold], str]:
    """Return the encoded folds, and a note when there are none or fewer than usual."""
    splits, note = _splits(table, (table.y > 0).astype(np.int64))
    folds = []
    for train, held in splits:
        weight, weight_held = _weight(table, train), _weight(table, held)
        y = table.y[train]
        encoded = _encoded(table, train, held, degree)
        classes_there = all(_counts(y == sign, weight) for sign in (-1.0, 1.0))
        if encoded is None or not classes_there or not _counts(held >= 0, weight_held):
            return [], UNUSABLE
        X, X_held = encoded
        folds.append(Fold(X, y, weight, X_held, table.y[held], weight_held))
    return folds, note


def class_folds_of(data: ClassTable, degree: int = 1) -> tuple[list[ClassFold], str]:
    """Return the same for a table of many labels; every label is on both sides of every split."""
    table, labels = data.base, range(len(data.names))
    splits, note = _splits(table, data.codes)
    folds = []
    for train, held in splits:
        weight, weight_held = _weight(table, train), _weight(table, held)
        codes, codes_held = data.codes[train], data.codes[held]
        encoded = _encoded(table, train, held, degree)
        if encoded is None or not all(
            _counts(codes == k, weight) and _counts(codes_held == k, weight_held) for k in labels
        ):
            return [], UNUSABLE_CLASSES
        X, X_held = encoded
        folds.append(ClassFold(X, codes, weight, X_held, codes_held, weight_held))
    return folds, note


def _splits(table: Table, strata: Rows) -> tuple[list[Split], str]:
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


def dealt(strata: Rows, k: int) -> Rows:
    """Return a fold of k for each row, shuffled within every stratum: scikit-learn's folds.

    Strata are dealt round one after the other, in the order in which they first occur, so that the
    folds of a stratum, and all folds, differ by one row at most.
    """
    random = np.random.RandomState(SEED)
    labels, first = np.unique(strata, return_index=True)
    fold_of, dealt = np.empty_like(strata), 0
    for label in labels[np.argsort(first)]:
        rows = np.flatnonzero(strata == label)
        folds = np.sort((dealt + np.arange(rows.size)) % k)
        random.shuffle(folds)
        fold_of[rows], dealt = folds, dealt + rows.size
    return fold_of


def _weight(table: Table, rows: Rows) -> Floats | None:
    return None if table.weight is None else table.weight[rows]


def _counts(chosen: NDArray[np.bool_], weight: Floats | None) -> bool:
    """Whether any of the chosen rows has a weight."""
    return bool(chosen.any() if weight is None else weight[chosen].any())


def _encoded(table: Table, train: Rows, held: Rows, degree: int) -> tuple[Floats, Floats] | None:
    """Return the features of both sides, or None where there are none."""
    columns = take(table.columns, train)
    inside = fit_encoding(columns, table.missing, degree)
    X = inside.encode_lenient(columns)
    if X.shape[1] == 0:
        return None
    return X, inside.encode_lenient(take(table.columns, held))
