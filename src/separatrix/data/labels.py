"""y: two labels of any kind become -1 and +1, and which is "yes" is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data.points import Floats, is_missing
from separatrix.data.refusals import InputError, describe_counts

Labels = NDArray[Any]


def read_labels(y: NDArray[Any]) -> tuple[Labels, Floats]:
    """Return the two labels in sorted order and y as -1 / +1 (the second label is +1, "yes")."""
    if (ends := _two_numbers(y)) is not None:
        return ends, _of_yes(np.asarray(y == ends[1], dtype=bool))
    classes, positions, counts = distinct_labels(y)
    if classes.size > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{describe_counts(zip(classes.tolist(), counts.tolist(), strict=True))}. Pass "
            f"y == {plain_label(classes[0])!r} (that label against the rest), or ask "
            "about every label: OneVsRestClassifier or OneVsOneClassifier of sklearn.multiclass "
            'around the learner, or judge(..., multiclass="ova").'
        )
    return classes, np.where(positions == 1, 1.0, -1.0)


def distinct_labels(y: NDArray[Any]) -> tuple[Labels, NDArray[np.int64], NDArray[np.int64]]:
    """Return two labels or more in sorted order, each row's position among them, their counts."""
    if y.dtype.kind == "c":
        raise InputError("Complex data not supported: y holds complex numbers.")
    if y.dtype.kind in "mM":
        raise InputError("Unknown label type: y holds dates. Make a yes / no label of them first.")
    refuse_missing_labels(y)
    if y.dtype.kind == "O":
        y = _plain_labels(y)
    if y.dtype.kind == "f" and not (np.isfinite(y).all() and (y == np.floor(y)).all()):
        row = int(np.argmax(y != np.floor(y)))
        raise InputError(
            f"Unknown label type: continuous. y holds {y[row]} in row {row}: these look like "
            "measurements, not labels. Use separatrix.LinearRegression, or make a label of them "
            "(y > threshold)."
        )
    classes, positions, counts = np.unique(y, return_inverse=True, return_counts=True)
    refuse_look_alikes([str(c) for c in classes] if y.dtype.kind in "UST" else [])
    if classes.size == 1:
        raise InputError(
            f"y holds one class only, {plain_label(classes[0])!r} in all {y.size} rows: there is "
            "nothing to separate it from."
        )
    return classes, positions, counts


def is_label(y: ArrayLike, yes: Untyped) -> tuple[NDArray[np.bool_], Labels]:
    """Return which labels y (N,) are `yes`, as text, and the labels (2,): no, yes."""
    classes, positions, _ = distinct_labels(np.asarray(y))
    texts = [str(c) for c in classes]
    if str(yes) not in texts:
        raise InputError(f"yes={yes!r} is not among the labels {', '.join(map(repr, texts))}.")
    at = texts.index(str(yes))
    labels = classes[[1 - at, at]] if len(texts) == 2 else np.array([f"not {yes}", str(yes)])
    return positions == at, labels


def _two_numbers(y: NDArray[Any]) -> Labels | None:
    """Return the labels when they are two whole numbers or booleans, found without sorting."""
    if y.dtype.kind not in "biuf" or y.size == 0:
        return None
    low, high = y.min(), y.max()
    if not (low < high and ((y == low) | (y == high)).all()):  # nan is not below anything
        return None
    if y.dtype.kind == "f" and not (np.isfinite(high - low) and low % 1 == 0 == high % 1):
        return None
    ends: Labels = np.array([low, high], dtype=y.dtype) + y.dtype.type(0)  # no -0.0
    return ends.astype(y.dtype)


def _of_yes(yes: NDArray[np.bool_]) -> Floats:
    signs = yes.view(np.int8) * np.int8(2)  # a choice by element takes several times as long
    signs -= np.int8(1)
    return signs.astype(np.float64)


def read_classes(classes: ArrayLike) -> Labels:
    """Return the two labels in sorted order, or refuse anything else as `read_labels` does."""
    labels = np.asarray(classes)
    if labels.ndim != 1 or labels.size < 2:
        raise InputError(f"classes={classes!r} must be the two labels that y can hold.")
    return read_labels(labels)[0]


def signs_of(y: NDArray[Any], classes: Labels) -> Floats:
    """Return y as -1 / +1, given both labels; `InputError` for a label that is neither."""
    refuse_missing_labels(y)
    yes = np.asarray(y == classes[1], dtype=bool)
    no = np.asarray(y == classes[0], dtype=bool)
    if np.count_nonzero(yes) + np.count_nonzero(no) < yes.size:
        row = int(np.argmin(yes | no))
        raise InputError(
            f"y holds {plain_label(y[row])!r} in row {row}: the labels are "
            f"{plain_label(classes[0])!r} and {plain_label(classes[1])!r}."
        )
    return _of_yes(yes)


def plain_label(label: Untyped) -> Untyped:
    return label.item() if isinstance(label, np.generic) else label


def refuse_missing_labels(y: NDArray[Any]) -> None:
    if y.dtype.kind == "O":
        missing = np.array([is_missing(v) for v in y], dtype=bool)
    elif y.dtype.kind == "f":
        missing = np.isnan(y)
    else:
        return
    if missing.any():
        raise InputError(
            f"y has {int(missing.sum())} missing labels (NaN, the first in row "
            f"{int(np.argmax(missing))}). Drop those rows: a missing label is never guessed."
        )


def refuse_look_alikes(labels: Iterable[str]) -> None:
    """Raise `InputError` for labels that differ only in case or surrounding blanks."""
    seen: dict[str, str] = {}
    for label in labels:
        folded = label.strip().casefold()
        if folded in seen:
            raise InputError(
                f"labels {seen[folded]!r} and {label!r} differ only in case or blanks. If they "
                "mean the same, fold them first with --fold-labels (of arrays: "
                "s.strip().casefold() for each)."
            )
        seen[folded] = label


def _plain_labels(y: NDArray[Any]) -> NDArray[Any]:
    kinds: dict[str, Callable[[Any], Any]] = {}
    for value in y:
        if isinstance(value, bool | np.bool_):
            kinds["bool"] = bool
        elif isinstance(value, Real):
            kinds["number"] = float
        elif isinstance(value, str):
            kinds["text"] = str
        else:
            raise InputError(
                f"Unknown label type: {type(value).__name__} ({value!r}). Labels are text, numbers "
                "or booleans."
            )
    if len(kinds) > 1:
        raise InputError(
            f"Unknown label type: y mixes {' and '.join(sorted(kinds))} labels. Make them all of "
            "one kind first (str(v) for each, say)."
        )
    if "number" in kinds and all(isinstance(v, int | np.integer) for v in y):
        return np.array([int(v) for v in y])
    make = next(iter(kinds.values()))
    return np.array([make(v) for v in y])
