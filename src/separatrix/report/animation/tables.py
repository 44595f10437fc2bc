"""Films of tables, and the one of made points."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from separatrix._types import Untyped
from separatrix.course.datasets import make_separable
from separatrix.data import InputError, Sample
from separatrix.report.animation.film import Film
from separatrix.report.animation.making import animate, write_film
from separatrix.report.displays._reading import Column
from separatrix.tables import Table, fit_encoding

DEMO: dict[str, Any] = {"n": 60, "d": 2, "margin": 0.02, "seed": 21}


def animate_table(
    table: Table, path: str | os.PathLike[str], *, degree: int = 1, **how: Untyped
) -> Film:
    """Write PLA on two features of a table (from `read_table`) as a film; see `animate`.

    Features are named as `learn` names them: a category's are "column=level". A column of numbers
    is one feature; so is a category of two levels, which its own name will do for.

    Raises
    ------
    InputError
        As `animate`.
    """
    encoding = fit_encoding(table.columns, table.missing, degree)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    if X.shape[1] < 2:
        raise InputError("the film shows a plane: it needs two columns besides the label.")
    names = encoding.feature_names
    pair = how.pop("columns", None)
    sample = Sample(X, table.y, np.array([table.no, table.yes]), np.ones(table.y.size))
    columns = None if pair is None else [_feature(column, names) for column in pair]
    lines = (table.line_word, table.lines)
    return write_film(sample, names, path, columns=columns, lines=lines, **how)


def _feature(column: Column, names: Sequence[str]) -> Column:
    """Return the feature that a column of two levels became, else what was given."""
    if column in names or not isinstance(column, str):
        return column
    made = [name for name in names if name.startswith(f"{column}=")]
    return made[0] if len(made) == 1 else column


def animate_demo(path: str | os.PathLike[str], **how: Untyped) -> Film:
    """Write PLA on made points, which a line separates, as a film; see `animate`."""
    made = make_separable(**DEMO)
    return animate(made.X, np.where(made.y > 0, "yes", "no"), path, **how)
