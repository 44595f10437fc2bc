"""Data frames of pandas and polars become columns as their CSV or Parquet files would."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from separatrix._types import ArrayLike
from separatrix.data import InputError, shortened
from separatrix.tables.cells import CellReader, Findings, RawColumn
from separatrix.tables.columns import Column, take
from separatrix.tables.parquet import raw_column
from separatrix.tables.reading import complete_rows, feature_columns
from separatrix.tables.recipes import Asked
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import Place, shown

NAME = "the data frame"


def is_frame(X: ArrayLike) -> bool:
    """Whether this is a data frame of pandas or polars."""
    return hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "dtypes")


def read_frame(
    X: ArrayLike,
    names: Sequence[str],
) -> tuple[tuple[Column, ...], NDArray[np.int64], tuple[str, ...], tuple[str, ...]]:
    """Return the columns of the rows that lack no value, those rows, notes, and warnings.

    Numbers stay numbers; text, booleans and categories become categories. Missing values are None,
    NaN, NaT, NA, and in text the words for them.

    Raises
    ------
    InputError
        For dates, infinities, numbers among text and whatever else `read_table` refuses.
    """
    refuse_duplicates(NAME, tuple(names))
    raws = tuple(_raw(X, j, name) for j, name in enumerate(names))
    findings = Findings()
    rows = np.arange(int(X.shape[0]))
    reader = CellReader(Place("", "row", rows), ".", findings, _ways_out)
    columns, _ = feature_columns(NAME, raws, (), reader, Asked(), rows)
    kept = complete_rows(columns, rows, "drop", NAME, findings)
    return take(columns, kept), kept, tuple(findings.notes), tuple(findings.warnings)


def _raw(X: ArrayLike, j: int, name: str) -> RawColumn:
    series = X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)
    try:
        if hasattr(series, "to_arrow"):
            cells = series.to_arrow()
        else:
            cells = pa.array(series, from_pandas=True)
        return raw_column(name, pa.chunked_array(cells if isinstance(cells, list) else [cells]))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"column {shown(name)} of the data frame has dtype {series.dtype}, whose values cannot "
            f"be read ({shortened(str(error))}). {_ways_out(name)}"
        ) from None


def _ways_out(name: str, kind: str = "") -> str:  # noqa: ARG001  # one shape for all
    return (
        "Correct the column (None stands for a missing value), declare it to be categories with "
        f".astype('category'), or leave column {shown(name)} out of X."
    )
