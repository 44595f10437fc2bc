"""y, and X, y and weights together: one checked Sample, and the calls by which learners get it.

Two labels of any kind become -1 and +1, and which is "yes" is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.ma import MaskedArray
from numpy.typing import NDArray

from separatrix._later import validation
from separatrix._types import ArrayLike, Untyped
from separatrix.data.points import (
    DOUBLES,
    Floats,
    Points,
    as_rows,
    finite_column,
    in_form,
    is_missing,
    refuse_nonfinite,
    to_points,
    unmasked,
)
from separatrix.data.refusals import InputError, describe_counts
from separatrix.kernels.rows import largest_squared_length

Labels = NDArray[Any]

LARGEST_WEIGHT = 1e100


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


@dataclass(frozen=True, slots=True)
class Sample:
    """N labelled points."""

    X: Points  # (N, d) of learners that only walk along rows also float32, where it is large
    y: Floats  # (N,) of -1 and +1
    classes: Labels  # (2,) the labels as given, in sorted order: ``classes[1]`` is "yes", +1
    weight: Floats  # (N,) k stands for k copies of the row; ones when none were given
    x0: float = 1.0  # the constant before each point; 0.0 for lines through the origin

    @property
    def rows(self) -> Untyped:
        """What kernels take: the array itself, or (data, indices, indptr)."""
        return as_rows(self.X)

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    def only(self, keep: NDArray[np.bool_]) -> Sample:
        return self if keep.all() else self.at(keep)

    def at(self, rows: NDArray[Any] | slice) -> Sample:
        return replace(self, X=self.X[rows], y=self.y[rows], weight=self.weight[rows])

    @property
    def radius(self) -> float:
        """R = max |(x0, x)|."""
        return float(np.sqrt(largest_squared_length(self.rows, self.n, self.x0)))


def read_sample(
    learner: Untyped, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None,
    kept: Sequence[np.dtype[Any]] = DOUBLES,
) -> Sample:  # fmt: skip
    """Return the checked sample of a yes / no question and note its columns on the learner."""
    points, target = read_pair(X, y, kept, learner)
    sample = _sample(points, target, sample_weight, constant_of(learner))
    _note_columns(learner, X, points, first=True)
    return sample


def constant_of(learner: Untyped) -> float:
    """Return x0 of the rows that a learner learns from."""
    return 1.0 if getattr(learner, "fit_intercept", True) else 0.0


def read_batch(learner: Untyped, X: ArrayLike, y: ArrayLike, classes: ArrayLike = None) -> Sample:
    """Return the checked sample of some rows: one label will do where both are known."""
    known = getattr(learner, "classes_", None)
    points, target = read_pair(X, y, learner=learner)
    first = known is None
    if classes is not None:
        given = read_classes(classes)
        if known is not None and given.tolist() != known.tolist():
            raise InputError(
                f"classes={given.tolist()!r}, but the rows before had {known.tolist()!r}."
            )
        known = given if known is None else known
    if known is None:
        sample = _sample(points, target, None, constant_of(learner))
    else:
        signs = signs_of(target, known)
        sample = Sample(points, signs, known, np.ones(len(target)), constant_of(learner))
    _note_columns(learner, X, points, first=first)
    return sample


def read_regression(
    learner: Untyped, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None,
) -> tuple[Points, Floats, Floats]:  # fmt: skip
    """Return checked points (N, d), numbers y (N,) and weights (N,)."""
    points, target = read_pair(X, y, learner=learner)
    numbers = finite_column(np.asarray(target), "y")
    weight = read_weight(sample_weight, numbers.size)
    _note_columns(learner, X, points, first=True)
    return points, numbers, weight


def read_numbers(X: ArrayLike, y: ArrayLike) -> tuple[Points, Floats]:
    points, target = read_pair(X, y)
    return points, finite_column(np.asarray(target), "y")


def read_points(learner: Untyped, X: ArrayLike) -> Points:
    """Return checked points for prediction: the columns must be those of the fit."""
    validation.check_is_fitted(learner)
    points = to_points(X)
    same = points.shape[1] == getattr(learner, "n_features_in_", None)
    if not same or hasattr(X, "columns") or hasattr(learner, "feature_names_in_"):
        named = X if hasattr(X, "columns") else points  # without names it warns if there were any
        validation.validate_data(learner, named, reset=False, skip_check_array=True)
    return points


def read_arrays(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> Sample:
    """Return the checked sample of two arrays, for functions that are no estimators."""
    points, target = read_pair(X, y)
    return _sample(points, target, sample_weight)


def _sample(points: Points, target: Labels, sample_weight: ArrayLike, x0: float = 1.0) -> Sample:
    classes, signs = read_labels(target)
    weight = read_weight(sample_weight, signs.size)
    if sample_weight is None:
        return Sample(points, signs, classes, weight, x0)
    for label, sign in zip(classes, (-1.0, 1.0), strict=True):
        if not weight[signs == sign].any():
            raise InputError(
                f"every row of class {plain_label(label)!r} has sample_weight 0: one class is "
                "left, and there is nothing to separate it from."
            )
    return Sample(points, signs, classes, weight, x0)


def read_weight(sample_weight: ArrayLike, n: int) -> Floats:
    """Return the weights (n,): finite, none negative, not all zero; ones for None."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(unmasked(sample_weight))
    if weight.ndim == 0 and weight.dtype.kind in "biuf":
        weight = np.full(n, weight)
    if weight.ndim != 1 or weight.size != n:
        raise InputError(
            f"sample_weight must be one number per row, shape ({n},); it has shape {weight.shape}."
        )
    weight = finite_column(weight, "sample_weight")
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise InputError(
            f"sample_weight is negative in row {row} ({weight[row]}): a weight of k stands for k "
            "copies of the row. Drop the row or make its weight zero."
        )
    if weight.max() > LARGEST_WEIGHT:
        raise InputError(
            f"sample_weight is {weight.max():g} in row {int(weight.argmax())}: sums of such "
            "weights overflow. Divide all weights by the same number."
        )
    if not weight.any():
        raise InputError("sample_weight is zero in every row: nothing would be learned from.")
    return weight


def read_pair(
    X: ArrayLike, y: ArrayLike, kept: Sequence[np.dtype[Any]] = DOUBLES, learner: Untyped = None
) -> tuple[Points, Any]:
    """Return checked points (N, d) and as many targets (N,), which are not checked yet."""
    if learner is not None and y is None:
        raise InputError(
            f"This {type(learner).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    points, target = in_form(to_points(X, kept)), _one_dimensional(y)
    if points.shape[0] != len(target):
        raise InputError(
            f"X has {points.shape[0]} rows and y has {len(target)} labels: there must be one label "
            "per row."
        )
    return points, target


def _note_columns(learner: Untyped, X: ArrayLike, points: Points, *, first: bool) -> None:
    """Note the columns on the learner, or compare them with those noted: last, when all is well."""
    if first and type(X) is np.ndarray:
        learner.n_features_in_ = int(points.shape[1])
        learner.__dict__.pop("feature_names_in_", None)
        return
    named = X if hasattr(X, "columns") else points  # names from a data frame, else the count
    validation.validate_data(learner, named, reset=first, skip_check_array=True)


def refuse_missing(y: ArrayLike, sample_weight: ArrayLike) -> None:
    """Raise `InputError` for masked labels or weights; `score` leaves the rest to others."""
    if isinstance(y, MaskedArray) and np.ma.is_masked(y):
        refuse_missing_labels(np.ravel(unmasked(y)))
    if isinstance(sample_weight, MaskedArray):
        refuse_nonfinite(
            np.ravel(unmasked(sample_weight)), lambda row: f"row {row} of sample_weight"
        )


def _one_dimensional(y: ArrayLike) -> Untyped:
    """Return y as a 1-d object-preserving array; a single column is ravelled with a warning."""
    y = unmasked(y)
    if isinstance(y, list | tuple):
        # np.asarray would turn [1, '1', True] into three strings
        array = np.empty(len(y), dtype=object)
        if any(isinstance(v, list | tuple | np.ndarray) for v in y):
            array = np.asarray(y)
        else:
            array[:] = y
            if all(isinstance(v, bool | np.bool_) for v in y) or all(
                isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in y
            ):
                array = np.asarray(y)
        y = array
    elif sp.issparse(y):
        raise InputError("y is sparse: pass the labels as a dense array, y.toarray().ravel().")
    array = np.asarray(y)
    return array if array.ndim == 1 else validation.column_or_1d(array, warn=True)
