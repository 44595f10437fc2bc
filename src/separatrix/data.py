"""The door: whatever arrays the caller has become one checked Sample, or a clear refusal.

This is the only file that validates arrays; everything behind it may assume that X is finite
float64 (C-ordered, or canonical CSR), that y holds -1 and +1, and that lengths agree. What each
kind of input gets is row by row in `tests/test_data.py`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Complex, Number, Real
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from separatrix.kernels.rows import largest_squared_length

Floats = NDArray[np.float64]
Points = Any  # Floats (N, d), C-ordered, or scipy.sparse.csr_array (N, d), canonical
Labels = NDArray[Any]

LARGEST_EXACT_INTEGER = 2**53


class SeparatrixWarning(UserWarning):
    """Something the user should know; the answer still holds."""


class NotConvergedWarning(SeparatrixWarning, ConvergenceWarning):  # type: ignore[misc]
    """A budget ended before the learner did."""


class NoFiniteOptimumWarning(SeparatrixWarning):
    """The error measure has no finite minimiser on these data: coefficients diverge."""


class InputError(ValueError):
    """The input cannot be used; the message says where, what and the way out."""


class InputTypeError(InputError, TypeError):
    """Likewise, where scikit-learn's contract asks for a TypeError: things that are no numbers."""


@dataclass(frozen=True, slots=True)
class Sample:
    """N labelled points.

    Parameters
    ----------
    X : float64 array (N, d), C-ordered, or canonical CSR array (N, d)
    y : float64 array (N,) of -1 and +1
    classes : array (2,)
        The labels as given, in sorted order: ``classes[1]`` is "yes", +1.
    weight : float64 array (N,)
        k stands for k copies of the row; ones when none were given.
    """

    X: Points
    y: Floats
    classes: Labels
    weight: Floats

    @property
    def rows(self) -> Any:  # noqa: ANN401  # an array or a tuple of three: Numba tells them apart
        """What kernels take: the array itself, or (data, indices, indptr)."""
        return as_rows(self.X)

    @property
    def n(self) -> int:
        """N, the number of rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """The number of features, without the constant."""
        return int(self.X.shape[1])

    def radius(self, x0: float = 1.0) -> float:
        """Return R = max_n |(x0, x_n)|, rounded."""
        return float(np.sqrt(largest_squared_length(self.rows, self.n, x0)))


def as_rows(X: Points) -> Any:  # noqa: ANN401  # see Sample.rows
    """Return what kernels take for checked points."""
    if sp.issparse(X):
        return (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64))
    return X


def dense(X: Points, purpose: str) -> Floats:
    """Return X as a dense array; `InputError` when that would not fit into memory."""
    if not sp.issparse(X):
        return X  # type: ignore[no-any-return]  # Points is either
    require_memory(8 * X.shape[0] * X.shape[1], purpose)
    return X.toarray(order="C")  # type: ignore[no-any-return]


def require_memory(needed: int, purpose: str) -> None:
    """Raise `InputError` when `needed` bytes are more than this machine has available."""
    available = _available_memory()
    if available is not None and needed > available:
        raise InputError(
            f"{purpose} needs {needed:,} bytes of memory and {available:,} are available. "
            "Use fewer rows or columns, or a machine with more memory."
        )


def _available_memory() -> int | None:
    """Return the bytes that can be had without swapping, or None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


# ---------------------------------------------------------------------- what learners call


def read_sample(
    learner: Any,  # noqa: ANN401  # any scikit-learn estimator
    X: Any,  # noqa: ANN401  # whatever the caller has: that is what this file is for
    y: Any,  # noqa: ANN401
    sample_weight: Any = None,  # noqa: ANN401
) -> Sample:
    """Return the checked sample of a yes / no question and note its columns on the learner.

    Raises
    ------
    InputError
        Naming the row, column and value that cannot be used, and the way out.
    """
    points, target = _read_points_and_target(learner, X, y)
    return _sample(points, target, sample_weight)


def read_regression(
    learner: Any,  # noqa: ANN401
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    sample_weight: Any = None,  # noqa: ANN401
) -> tuple[Points, Floats, Floats]:
    """Return checked points (N, d), numbers y (N,) and weights (N,)."""
    points, target = _read_points_and_target(learner, X, y)
    numbers = _to_float_column(np.asarray(target), "y")
    _refuse_nonfinite_column(numbers, "y")
    return points, numbers, read_weight(sample_weight, numbers.size)


def read_points(learner: Any, X: Any) -> Points:  # noqa: ANN401
    """Return checked points for prediction: the columns must be those of the fit."""
    check_is_fitted(learner)
    points = to_points(X)
    if hasattr(X, "columns") or not hasattr(learner, "feature_names_in_"):
        validate_data(
            learner, X if hasattr(X, "columns") else points, reset=False, skip_check_array=True
        )
    else:  # a bare array for a learner that knows names: scikit-learn warns, and so do we
        validate_data(learner, points, reset=False, skip_check_array=True)
    return points


def read_arrays(X: Any, y: Any, sample_weight: Any = None) -> Sample:  # noqa: ANN401
    """Return the checked sample of two arrays, for functions that are no estimators."""
    points = to_points(X)
    target = _one_dimensional(y)
    _same_length(points, target)
    return _sample(points, target, sample_weight)


def _sample(points: Points, target: Labels, sample_weight: Any) -> Sample:  # noqa: ANN401
    classes, signs = read_labels(target)
    weight = read_weight(sample_weight, signs.size)
    for label, sign in zip(classes, (-1.0, 1.0), strict=True):
        if not weight[signs == sign].any():
            raise InputError(
                f"every row of class {_plain(label)!r} has sample_weight 0: one class is left, and "
                "there is nothing to separate it from."
            )
    return Sample(points, signs, classes, weight)


def read_weight(sample_weight: Any, n: int) -> Floats:  # noqa: ANN401
    """Return the weights (n,): finite, none negative, not all zero; ones for None."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight)
    if weight.ndim == 0 and weight.dtype.kind in "biuf":
        weight = np.full(n, weight)
    if weight.ndim != 1 or weight.size != n:
        raise InputError(
            f"sample_weight must be one number per row, shape ({n},); it has shape {weight.shape}."
        )
    weight = _to_float_column(weight, "sample_weight")
    _refuse_nonfinite_column(weight, "sample_weight")
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise InputError(
            f"sample_weight is negative in row {row} ({weight[row]}): a weight of k stands for k "
            "copies of the row. Drop the row or make its weight zero."
        )
    if not weight.any():
        raise InputError("sample_weight is zero in every row: nothing would be learned from.")
    return weight


def _read_points_and_target(learner: Any, X: Any, y: Any) -> tuple[Points, Any]:  # noqa: ANN401
    if y is None:
        raise InputError(
            f"This {type(learner).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    points = to_points(X)
    target = _one_dimensional(y)
    _same_length(points, target)
    # names from a data frame, the count from the array
    validate_data(learner, X if hasattr(X, "columns") else points, skip_check_array=True)
    return points, target


def _same_length(points: Points, target: Any) -> None:  # noqa: ANN401
    if points.shape[0] != len(target):
        raise InputError(
            f"X has {points.shape[0]} rows and y has {len(target)} labels: there must be one label "
            "per row."
        )


def _one_dimensional(y: Any) -> Any:  # noqa: ANN401
    """Return y as a 1-d object-preserving array; a single column is ravelled with a warning."""
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
    return array if array.ndim == 1 else column_or_1d(array, warn=True)


# ---------------------------------------------------------------------- points


def to_points(X: Any) -> Points:  # noqa: ANN401
    """Return X as finite float64 points, C-ordered or canonical CSR; never the caller's object.

    Integers, booleans, float16 / 32, big-endian and long doubles are cast once. The caller's array
    is used as it is when it already is C-ordered float64, and is never written to.
    """
    if sp.issparse(X):
        points = _sparse_points(X)
        _refuse_nonfinite_sparse(points)
    elif hasattr(X, "columns") and hasattr(X, "shape"):
        points = _frame_points(X)
        _refuse_nonfinite(points, [str(name) for name in X.columns])
    else:
        points = _array_points(X)
        _refuse_nonfinite(points, None)
    return points


def _sparse_points(X: Any) -> sp.csr_array:  # noqa: ANN401
    if X.ndim != 2:
        raise InputError(f"X is a {X.ndim}-d sparse array; it must be a table, rows by columns.")
    _refuse_shape(X.shape)
    if X.dtype.kind == "c":
        raise InputError(f"Complex data not supported: X has dtype {X.dtype}.")
    if X.dtype.kind not in "biuf":
        raise InputError(f"X is sparse with dtype {X.dtype}; it must hold numbers.")
    table = sp.csr_array(X, copy=True)
    _warn_rounding(table.dtype, table.data, "X")
    points = sp.csr_array(table, dtype=np.float64)
    points.sum_duplicates()
    points.eliminate_zeros()
    points.sort_indices()
    return points


def _frame_points(X: Any) -> Floats:  # noqa: ANN401
    """Return a pandas or polars data frame as floats, one column at a time."""
    shape = (int(X.shape[0]), int(X.shape[1]))
    _refuse_shape(shape)
    points = np.empty(shape)
    for j, name in enumerate(X.columns):
        series = X.iloc[:, j] if hasattr(X, "iloc") else X[name]
        points[:, j] = _to_float_column(_series_values(series), f"column {str(name)!r}")
    return points


def _series_values(series: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return the values of one data-frame column, missing ones as NaN or None."""
    if hasattr(series, "isna") and getattr(series.dtype, "kind", "O") in "biuf":
        missing = np.asarray(series.isna())
        if missing.any() and not isinstance(series.dtype, np.dtype):  # pandas' nullable numbers
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(series.to_numpy())


def _array_points(X: Any) -> Floats:  # noqa: ANN401
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(
            f"X is not a table of numbers: its rows differ in length ({error})."
        ) from None
    if array.ndim != 2:
        raise InputError(
            f"X has shape {array.shape}; expected a 2-d table, rows by columns. Reshape your data: "
            "X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) if it is a single row."
        )
    _refuse_shape(array.shape)
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        return np.ascontiguousarray(array, dtype=np.float64)
    points = np.empty(array.shape)
    for j in range(array.shape[1]):
        points[:, j] = _to_float_column(array[:, j], f"column {j}")
    return points


def _refuse_shape(shape: Sequence[int]) -> None:
    for size, what in ((shape[0], "sample"), (shape[1], "feature")):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is "
                "required."
            )


def _to_float_column(values: NDArray[Any], where: str) -> Floats:
    """Return one column as float64, or refuse it by name."""
    kind = values.dtype.kind
    if kind in "biuf":
        _warn_rounding(values.dtype, values, where)
        return values.astype(np.float64)
    if kind == "c":
        raise InputError(f"Complex data not supported: {where} has dtype {values.dtype}.")
    if kind in "mM":
        raise InputError(
            f"{where} holds dates or times, which would silently become numbers like 1.6e18. Turn "
            "them into a number you mean first (days since a date, say)."
        )
    if kind in "US" or kind == "T":
        raise InputError(
            f"{where} holds text ({str(values.flat[0])!r} in its first row). Turn it into numbers "
            "first, or read the table with separatrix.read_table, which encodes categories."
        )
    if kind != "O":
        raise InputError(f"{where} has dtype {values.dtype}; it must hold numbers.")
    return _object_column(values, where)


def _object_column(values: NDArray[Any], where: str) -> Floats:
    numbers = np.empty(values.shape[0])
    rounded_row = -1
    for i, value in enumerate(values):
        if value is None or _is_missing(value):
            numbers[i] = np.nan
        elif isinstance(value, Real) or (
            isinstance(value, Number) and not isinstance(value, Complex)
        ):
            numbers[i] = float(value)  # type: ignore[arg-type]  # Decimal is a Number with __float__
            if isinstance(value, int) and int(numbers[i]) != value:
                rounded_row = i
        elif isinstance(value, Complex):
            raise InputError(f"Complex data not supported: {where} holds {value!r} in row {i}.")
        else:
            raise (InputError if isinstance(value, str) else InputTypeError)(
                f"argument must be a string or a number: {where} holds {value!r} "
                f"({type(value).__name__}) in row {i}, and a learner takes numbers only. Turn text "
                "into numbers first, or read the table with separatrix.read_table."
            )
    if rounded_row >= 0:
        _warn_integers(where, rounded_row, values[rounded_row])
    return numbers


def _is_missing(value: Any) -> bool:  # noqa: ANN401
    """Whether this is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value  # noqa: PLR0124  # only NaN differs from itself


def _warn_rounding(dtype: np.dtype[Any], values: NDArray[Any], where: str) -> None:
    if dtype.kind in "iu" and dtype.itemsize == 8:
        changed = (values > LARGEST_EXACT_INTEGER) | (values < -LARGEST_EXACT_INTEGER)
        if changed.any():
            changed &= np.array([int(float(v)) != int(v) for v in np.where(changed, values, 0)])
        if changed.any():
            row = int(np.argmax(changed))
            _warn_integers(where, row, values[row])
    elif dtype.kind == "f" and dtype.itemsize > 8:
        warnings.warn(
            f"{where} has dtype {dtype} and is rounded to float64 (53 bits), once.",
            SeparatrixWarning,
            stacklevel=2,
        )


def _warn_integers(where: str, row: int, value: Any) -> None:  # noqa: ANN401
    warnings.warn(
        f"{where} holds integers above 2^53 that change when made float64 (row {row}: {value} "
        f"becomes {int(float(value))}). If it is an identifier, drop the column.",
        SeparatrixWarning,
        stacklevel=2,
    )


def _refuse_nonfinite(points: Floats, names: Sequence[str] | None) -> None:
    # one pass without a temporary: a sum is finite unless something in it is not, or it overflows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(points.sum()):
            return
    bad = ~np.isfinite(points)
    if not bad.any():
        return
    row, column = (int(k) for k in np.argwhere(bad)[0])
    where = repr(names[column]) if names is not None else str(column)
    _refuse_value(points[row, column], int(bad.sum()), f"row {row}, column {where}")


def _refuse_nonfinite_sparse(points: sp.csr_array) -> None:
    bad = ~np.isfinite(points.data)
    if bad.any():
        k = int(np.argmax(bad))
        row = int(np.searchsorted(points.indptr, k, side="right")) - 1
        where = f"row {row}, column {int(points.indices[k])}"
        _refuse_value(float(points.data[k]), int(bad.sum()), where)


def _refuse_nonfinite_column(values: Floats, what: str) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad))
        _refuse_value(values[row], int(bad.sum()), f"row {row} of {what}")


def _refuse_value(value: float, how_many: int, where: str) -> None:
    what = "NaN (a missing value)" if np.isnan(value) else "infinity (inf)"
    more = f"; {how_many} such values in all" if how_many > 1 else ""
    raise InputError(
        f"Input contains {what}: {value} in {where}{more}. Drop those rows, or fill the values "
        "first (sklearn.impute.SimpleImputer, for one)."
    )


# ---------------------------------------------------------------------- labels


def read_labels(y: NDArray[Any]) -> tuple[Labels, Floats]:
    """Return the two labels in sorted order and y as -1 / +1 (the second label is +1, "yes").

    Raises
    ------
    InputError
        For missing labels, labels that differ in case or blanks only, labels of mixed types, one
        class, three or more, and numbers that look measured rather than named.
    """
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
            f"y holds one class only, {_plain(classes[0])!r} in all {y.size} rows: there is "
            "nothing to separate it from."
        )
    if classes.size > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{describe_counts(zip(classes.tolist(), counts.tolist(), strict=True))}. Pass "
            f"y == {_plain(classes[0])!r} (that label against the rest), or --yes VALUE on the "
            "command line."
        )
    return classes, np.where(positions == 1, 1.0, -1.0)


def _plain(label: Any) -> Any:  # noqa: ANN401
    """Return a label as Python shows it: 'yes', not np.str_('yes')."""
    return label.item() if isinstance(label, np.generic) else label


def describe_counts(pairs: Iterable[tuple[Any, int]], most: int = 10) -> str:
    """Return "3 labels: 'a' (12 rows), ..." for a message, shortened after `most` labels."""
    pairs = list(pairs)
    shown = ", ".join(f"{shortened(repr(label))} ({k} rows)" for label, k in pairs[:most])
    more = f" and {len(pairs) - most} more" if len(pairs) > most else ""
    return f"{len(pairs)} labels: {shown}{more}"


def shortened(text: str, most: int = 60) -> str:
    """Return text cut to `most` characters, saying that it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def refuse_missing_labels(y: NDArray[Any]) -> None:
    """Raise `InputError` with the count when labels are missing."""
    if y.dtype.kind == "O":
        missing = np.array([_is_missing(v) for v in y], dtype=bool)
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
                "mean the same, fold them first ([s.strip().casefold() for s in y], or "
                "--fold-labels on the command line)."
            )
        seen[folded] = label


def _plain_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Return object labels as an array of one plain type, or refuse the mixture."""
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
