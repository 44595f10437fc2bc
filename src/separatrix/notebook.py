"""How results look where people work: a few lines in a terminal, a small table in a notebook."""

from __future__ import annotations

import html
import importlib
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, shortened

MOST_FACTS = 4  # with the heading five lines
LONGEST_FIGURE = 60
LONGEST_HEADING = 100


class Summary(NamedTuple):
    """A finding in one line, and the figures behind it."""

    heading: str
    facts: Sequence[tuple[str, str]]


class Summarised:
    """A result that shows itself by its `_summary`: a few figures, no fractions of 100 digits."""

    __slots__ = ()

    @abstractmethod
    def _summary(self) -> Summary:
        """Return the finding, and the figures behind it."""

    def __repr__(self) -> str:
        """Return at most five lines."""
        heading, facts = self._summary()
        width = max((len(what) for what, _ in facts), default=0)
        lines = [f"  {what:<{width}}  {shortened(said, LONGEST_FIGURE)}" for what, said in facts]
        first = f"{type(self).__name__}: {shortened(heading, LONGEST_HEADING)}"
        return "\n".join([first, *lines[:MOST_FACTS]])

    def _repr_html_(self) -> str:
        """Return a table of two columns; no style but the notebook's."""
        heading, facts = self._summary()
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{html.escape(what)}</th>"
            f"<td style='text-align:left'>{html.escape(shortened(said, LONGEST_FIGURE))}</td></tr>"
            for what, said in facts
        )
        name = type(self).__name__
        return (
            f"<div><strong>{name}</strong>: {html.escape(heading)}<table><tbody>{rows}"
            "</tbody></table></div>"
        )


def figure(value: float) -> str:
    """Return a number with six digits, a whole one with commas."""
    return f"{int(value):,}" if value == int(value) else f"{value:.6g}"


def places(rows: Iterable[object], most: int = 8) -> str:
    """Return "0, 1, 2": the first `most` of them, and how many more there are."""
    found = [str(row) for row in rows]
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def data_frame(columns: Mapping[str, ArrayLike]) -> Untyped:
    """Return a pandas data frame of columns of equal length."""
    try:
        pandas = importlib.import_module("pandas")
    except ModuleNotFoundError:
        raise InputError("a data frame needs pandas: pip install pandas.") from None
    return pandas.DataFrame(dict(columns))
