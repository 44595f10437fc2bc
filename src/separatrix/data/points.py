"""X: anything that holds a table of numbers becomes finite float64 points, dense or sparse.

The content of a table chooses its form, so that both forms of it give the same bytes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from numbers import Complex, Number, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.ma import MaskedArray
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data.refusals import InputError, InputTypeError, SeparatrixWarning, require_memory

Floats = NDArray[np.float64]
Points = Any  # Floats (N, d), C-ordered, or scipy.sparse.csr_array (N, d), canonical

# what arrays may stay as they are; kernels that widen each value as they read it take float32 too
DOUBLES = (np.dtype(np.float64),)
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))

LARGEST_EXACT_INTEGER = 2**53
LARGEST_INT32 = 2**31 - 1

OF_A_FRAME = "A model of a data frame answers by predict_frame(model, frame)."
SMALL = 1 << 17  # numbers: a copy takes a tenth of a millisecond, kernels of another kind seconds

# A sparse row costs an index for each number, and no arithmetic on whole vectors: passes over
# one-hot tables of 64 to 512 columns are as fast in either form where one number in eight is not
# zero. With fewer columns a dense row is a few cache lines and what is counted here would cost more
# than it saves; a table of LARGE numbers would not fit.
SPARSE_SHARE = 8
WIDE = 128
LARGE = 2**26  # numbers, 512 MiB
COUNTED = 256  # rows at a time


def to_points(X: ArrayLike, kept: Sequence[np.dtype[Any]] = DOUBLES) -> Points:
    """Return X as finite points, C-ordered or CSR: float64 or of `kept`; X is never written to."""
    if sp.issparse(X):
        points = _sparse_points(X, kept)

        def in_sparse(k: int) -> str:
            row = int(np.searchsorted(points.indptr, k, side="right")) - 1
            return f"row {row}, column {int(points.indices[k])}"

        refuse_nonfinite(points.data, in_sparse)
    elif hasattr(X, "columns") and hasattr(X, "shape"):
        points = np.empty((int(X.shape[0]), int(X.shape[1])))
        _refuse_shape(points.shape)
        for j, name in enumerate(X.columns):
            series = X.iloc[:, j] if hasattr(X, "iloc") else X[name]
            points[:, j] = to_float_column(_series_values(series), f"column {str(name)!r}")
        names, d = [str(name) for name in X.columns], points.shape[1]
        refuse_nonfinite(points, lambda k: f"row {k // d}, column {names[k % d]!r}")
    else:
        points = _array_points(X, kept)
        d = points.shape[1]
        refuse_nonfinite(points, lambda k: f"row {k // d}, column {k % d}")
    return points


def _sparse_points(X: ArrayLike, kept: Sequence[np.dtype[Any]]) -> sp.csr_array:
    if X.ndim != 2:
        raise InputError(f"X is a {X.ndim}-d sparse array; it must be a table, rows by columns.")
    _refuse_shape(X.shape)
    if X.dtype.kind == "c":
        raise InputError(f"Complex data not supported: X has dtype {X.dtype}.")
    if X.dtype.kind not in "biuf":
        raise InputError(f"X is sparse with dtype {X.dtype}; it must hold numbers.")
    table = sp.csr_array(X)  # of the same arrays where X is CSR
    if table.dtype in kept and table.has_canonical_format and table.data.all():
        return _usual_sparse(table)
    _warn_rounding(table.dtype, table.data, "X")
    points = sp.csr_array(table, dtype=np.float64, copy=True)
    points.sum_duplicates()
    points.eliminate_zeros()
    points.sort_indices()
    return _usual_sparse(points)


def _series_values(series: ArrayLike) -> NDArray[Any]:
    """Return the values of one data-frame column, missing ones as NaN or None."""
    if hasattr(series, "isna") and getattr(series.dtype, "kind", "O") in "biuf":
        missing = np.asarray(series.isna())
        if missing.any() and not isinstance(series.dtype, np.dtype):  # pandas' nullable numbers
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(series.to_numpy())


def _array_points(X: ArrayLike, kept: Sequence[np.dtype[Any]]) -> Floats:
    try:
        array = np.asarray(unmasked(X))
    except ValueError as error:
        said = f"X is not a table of numbers: its rows differ in length ({error})."
        raise InputError(said) from None
    if array.ndim != 2:
        raise InputError(
            f"X has shape {array.shape}; expected a 2-d table, rows by columns. Reshape your data: "
            "X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) if it is a single row."
        )
    _refuse_shape(array.shape)
    if array.dtype in kept:
        array = np.ascontiguousarray(array)
        return array if array.size > SMALL else _usual(array, np.float64)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return np.ascontiguousarray(array, dtype=np.float64)
    points = np.empty(array.shape)
    if array.dtype.kind in "UST":  # one text in a list of lists makes numpy turn all into text
        for j in range(array.shape[1]):
            if _first_text(array[:, j]) is not None:
                to_float_column(array[:, j], f"column {j}")  # refuses it by name
    for j in range(array.shape[1]):
        points[:, j] = to_float_column(array[:, j], f"column {j}")
    return points


def _first_text(values: NDArray[Any]) -> int | None:
    """Return the first row whose text is not a number; None where all are."""
    for row, value in enumerate(values.tolist()):
        try:
            float(value)
        except ValueError:
            return row
    return None


def _usual_sparse(table: sp.csr_array) -> sp.csr_array:
    """Return a small table in the kinds of arrays that kernels are compiled for."""
    parts = (table.data, table.indices, table.indptr)
    if table.data.size + table.indptr.size > SMALL or table.shape[1] > LARGEST_INT32:
        return table
    kinds: tuple[type[np.generic], ...] = (np.float64, np.int32, np.int32)
    usual = tuple(_usual(a, kind) for a, kind in zip(parts, kinds, strict=True))
    same = all(a is b for a, b in zip(parts, usual, strict=True))
    return table if same else sp.csr_array(usual, shape=table.shape)


def _usual(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    return array if array.dtype == dtype and array.flags.writeable else array.astype(dtype)


def _refuse_shape(shape: Sequence[int]) -> None:
    for size, what in ((shape[0], "sample"), (shape[1], "feature")):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is "
                "required."
            )


def to_float_column(values: NDArray[Any], where: str) -> Floats:
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
    if kind in "UST":
        row = _first_text(values) or 0
        raise InputError(
            f"{where} holds text ({str(values.flat[row])!r} in row {row}). Turn it into numbers "
            "first, or let separatrix.judge(frame, label=NAME) or read_frame(frame, NAME) encode "
            f"the categories (read_table does for a file). {OF_A_FRAME}"
        )
    if kind != "O":
        raise InputError(f"{where} has dtype {values.dtype}; it must hold numbers.")
    return _object_column(values, where)


def _object_column(values: NDArray[Any], where: str) -> Floats:
    numbers = np.empty(values.shape[0])
    rounded_row = -1
    for i, value in enumerate(values):
        if value is None or is_missing(value):
            numbers[i] = np.nan
        elif isinstance(value, Real) or (
            isinstance(value, Number) and not isinstance(value, Complex)
        ):
            try:
                numbers[i] = float(value)  # type: ignore[arg-type]  # Decimal is a Number with __float__
            except OverflowError:
                raise InputError(
                    f"{where} holds a number above 1.8e308 in row {i}: float64 ends there. Divide "
                    "the column by a power of ten."
                ) from None
            if isinstance(value, int) and int(numbers[i]) != value:
                rounded_row = i
        elif isinstance(value, Complex):
            raise InputError(f"Complex data not supported: {where} holds {value!r} in row {i}.")
        else:
            raise (InputError if isinstance(value, str) else InputTypeError)(
                f"argument must be a string or a number: {where} holds {value!r} "
                f"({type(value).__name__}) in row {i}, and a learner takes numbers only. Turn text "
                "into numbers first, or let separatrix.judge(frame, label=NAME) or "
                f"read_frame(frame, NAME) do it (read_table for a file). {OF_A_FRAME}"
            )
    if rounded_row >= 0:
        warn_integers(where, rounded_row, values[rounded_row])
    return numbers


def _warn_rounding(dtype: np.dtype[Any], values: NDArray[Any], where: str) -> None:
    row = changed_row(values)
    if row is not None:
        warn_integers(where, row, values[row])
    elif dtype.kind == "f" and dtype.itemsize > 8:
        warnings.warn(
            f"{where} has dtype {dtype} and is rounded to float64 (53 bits), once.",
            SeparatrixWarning,
            stacklevel=2,
        )


def changed_row(values: NDArray[Any]) -> int | None:
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return None
    large = (values > LARGEST_EXACT_INTEGER) | (values < -LARGEST_EXACT_INTEGER)
    found = (int(n) for n in np.flatnonzero(large) if int(float(values[n])) != int(values[n]))
    return next(found, None)


def warn_integers(where: str, row: int, value: Untyped) -> None:
    """Warn of a column that holds an integer which is another one in float64."""
    warnings.warn(
        f"{where} holds integers above 2^53 that change when made float64 (row {row}: {value} "
        f"becomes {int(float(value))}). If it is an identifier, drop the column.",
        SeparatrixWarning,
        stacklevel=2,
    )


def refuse_nonfinite(values: NDArray[Any], where: Callable[[int], str]) -> None:
    """Raise `InputError` for the first value that is not finite; `where` is it, by its place."""
    flat = values.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        # one read, no temporary array, no thread of BLAS
        if np.isfinite(np.einsum("i,i->", flat, flat)):
            return
    bad = ~np.isfinite(flat)
    if bad.any():
        k = int(np.argmax(bad))
        what = "NaN (a missing value)" if np.isnan(flat[k]) else "infinity (inf)"
        more = f"; {bad.sum()} such values in all" if bad.sum() > 1 else ""
        raise InputError(
            f"Input contains {what}: {flat[k]} in {where(k)}{more}. Drop those rows, or fill the "
            "values first (sklearn.impute.SimpleImputer, for one)."
        )


def unmasked(values: ArrayLike) -> Untyped:
    """Return a masked array of numpy's, or a list of them, with NaN or None where it is masked."""
    if isinstance(values, list | tuple) and any(isinstance(v, MaskedArray) for v in values):
        values = [None if v is np.ma.masked else v for v in values]
        if any(isinstance(v, MaskedArray) for v in values):  # rows
            values = np.ma.array(values)
    if not isinstance(values, MaskedArray) or not np.ma.is_masked(values):
        return np.ma.getdata(values) if isinstance(values, MaskedArray) else values
    if values.dtype.kind in "biuf":
        return np.ma.filled(values.astype(np.float64), np.nan)
    filled = np.array(values.data, dtype=object)
    filled[np.ma.getmaskarray(values)] = None
    return filled


def is_missing(value: Untyped) -> bool:
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value  # noqa: PLR0124  # only NaN differs from itself


def finite_column(values: NDArray[Any], what: str) -> Floats:
    numbers = to_float_column(values, what)
    refuse_nonfinite(numbers, lambda row: f"row {row} of {what}")
    return numbers


def as_rows(X: Points) -> Untyped:
    """Return what kernels take for checked points: views, indices as unsigned integers."""
    if sp.issparse(X):
        return (X.data, *(a.view(f"u{a.dtype.itemsize}") for a in (X.indices, X.indptr)))
    return X


def dense(X: Points, purpose: str) -> Floats:
    """Return X as a dense array; `InputError` when that would not fit into memory."""
    if not sp.issparse(X):
        return X  # type: ignore[no-any-return]  # Points is either
    require_memory(8 * X.shape[0] * X.shape[1], purpose)
    return X.toarray(order="C")  # type: ignore[no-any-return]


def in_form(points: Points) -> Points:
    """Return finite points (N, d) as canonical CSR where mostly zeros in many columns."""
    n, d = points.shape
    if sp.issparse(points):
        if is_sparse(n, d, points.nnz):
            return points
        return dense(points, "the table")
    if not (may_be_sparse(n, d) and _mostly_zeros(points)):
        return points
    return sp.csr_array(points)


def may_be_sparse(n: int, d: int) -> bool:
    return d >= WIDE or n * d >= LARGE


def is_sparse(n: int, d: int, nonzeros: int) -> bool:
    """Whether a table of n rows and d columns with this many nonzeros is sparse."""
    return may_be_sparse(n, d) and SPARSE_SHARE * nonzeros <= n * d


def nonzeros_in(points: Points) -> int:
    """Return how many numbers of rows differ from zero."""
    return int(points.nnz if sp.issparse(points) else np.count_nonzero(points))


def in_full(points: Points) -> Floats:
    return np.asarray(points.toarray() if sp.issparse(points) else points)


def rows_at(points: Points, rows: NDArray[np.int64]) -> Points:
    """Return some rows; `take` copies whole rows, twice as fast as an index does."""
    return points[rows] if sp.issparse(points) else points.take(rows, axis=0)


def stacked(parts: Sequence[Points]) -> Points:
    """Return rows below one another, all of them dense or all sparse."""
    if len(parts) == 1:
        return parts[0]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _mostly_zeros(points: np.ndarray) -> bool:
    """Whether at most one number in SPARSE_SHARE differs from zero; a dense table ends it early."""
    most = points.size // SPARSE_SHARE
    found = 0
    for start in range(0, points.shape[0], COUNTED):
        found += int(np.count_nonzero(points[start : start + COUNTED]))
        if found > most:
            return False
    return True


def disjoint_runs(X: sp.csr_array) -> tuple[range, ...]:
    """Return the runs of neighbouring columns of which every row has at most one nonzero.

    The columns of a one-hot category are such a run. From the left each run is as long as it can
    be; those of one column are left out. O(nnz).
    """
    before = np.full(X.indices.size, -1, dtype=X.indices.dtype)
    before[1:] = X.indices[:-1]
    starts = X.indptr[:-1]
    before[starts[starts < X.indptr[1:]]] = -1
    nearest = np.full(X.shape[1], -1, dtype=X.indices.dtype)  # to the left, in any of its rows
    np.maximum.at(nearest, X.indices, before)
    return runs_between(nearest)


def runs_between(nearest: NDArray[np.signedinteger[Any]]) -> tuple[range, ...]:
    """Return the runs of `disjoint_runs` from the nearest column left of each that meets it."""
    runs, start = [], 0
    for j in np.flatnonzero(nearest >= 0).tolist():
        if nearest[j] >= start:
            runs.append(range(start, j))
            start = j
    runs.append(range(start, nearest.size))
    return tuple(run for run in runs if len(run) > 1)
