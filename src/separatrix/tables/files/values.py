"""Python values of a workbook or a database become a column of Arrow's, typed by what they are."""

from __future__ import annotations

import datetime
import importlib
import math
from collections.abc import Sequence

import pyarrow as pa

from separatrix._types import Untyped
from separatrix.data import LARGEST_EXACT_INTEGER, InputError
from separatrix.tables.raw import Cells
from separatrix.tables.wording import shown

TEMPORAL = (datetime.date, datetime.time, datetime.timedelta)


def extra(package: str, name: str, what: str) -> Untyped:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(
            f"reading {what} needs the package {package}, which is not installed: "
            f"pip install 'separatrix[{name}]' (or save the table as CSV)."
        ) from None


def cells_of(name: str, values: Sequence[object]) -> Cells:
    """Return values as cells: numbers, truth values, dates or text if all are; else all as text."""
    plain = [None if isinstance(v, float) and math.isnan(v) else v for v in values]
    kinds = {type(v) for v in plain if v is not None}
    try:
        if kinds <= {int, float} and float in kinds:
            return _chunked([None if v is None else float(v) for v in plain], pa.float64())  # type: ignore[arg-type]
        if len(kinds) <= 1:
            return _chunked(plain, None if kinds else pa.string())
    except (pa.ArrowException, OverflowError, TypeError):
        pass
    known = (str, bool, int, float, *TEMPORAL)
    other = next((v for v in plain if v is not None and not isinstance(v, known)), None)
    if other is not None:
        raise InputError(
            f"column {shown(name)} holds {type(other).__name__} values: neither numbers nor text. "
            "Leave it out of the table or the query."
        )
    return _chunked([None if v is None else _text(v) for v in plain], pa.string())


def _chunked(values: Sequence[object], kind: Untyped) -> Cells:
    return pa.chunked_array([pa.array(values, kind)])


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT_INTEGER:
        return str(int(value))
    return str(value)
