"""Whether all the best lines for the table that a model learned from say the same of new rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from separatrix._types import Untyped
from separatrix.data import (
    InputError,
    Points,
    SeparatrixWarning,
    constant_of,
    read_arrays,
    shortened,
)
from separatrix.model import TableModel
from separatrix.scale import with_constant
from separatrix.separation.decide import separability_of
from separatrix.tables import CategoryEncoding, Table
from separatrix.tables.options import Reading
from separatrix.tables.read import asking, read_labelled
from separatrix.version_space.agreement import agree_of
from separatrix.zero_one.limits import Limits

COLUMN = "separating_lines"
OPEN = "open"
LIMITED = "undecided: limit"
MOST_NODES = 4_000  # boxes for the fewest mistakes, and again for each row: a second or so
MOST_ROWS = 200  # of which each may take that long


def agreement(
    model: Untyped, path: str | os.PathLike[str], X_new: Points, options: Mapping[str, Any]
) -> list[str]:
    """Return for encoded rows (m, d) what all lines that separate the learned table say."""
    if len(model.classes_) > 2:
        raise InputError(
            "--learned-from is about the lines of one yes / no question; this model answers many "
            "labels. Learn with --yes VALUE to ask about one of them."
        )
    table = learned_table(model, path, options)
    X = model.table_.encoding.encode(table.columns, table.lines, table.line_word)
    if X_new.shape[0] == 0:
        return []
    sample = with_constant(read_arrays(X, table.y), constant_of(model))
    found = separability_of(sample)
    why = ""
    if found.verdict != "separable" and table.weight is not None:
        why = "its rows have weights"
    elif found.verdict != "separable" and X_new.shape[0] > MOST_ROWS:
        why = f"{X_new.shape[0]:,} rows would take long: ask for {MOST_ROWS} or fewer"
    if why:
        warnings.warn(
            f"no line separates {table.name} (it is {found.verdict}). Whether all lines with the "
            f"fewest mistakes agree is open for every row: {why}.",
            SeparatrixWarning,
            stacklevel=2,
        )
        return [OPEN] * X_new.shape[0]
    asked = agree_of(sample, X_new, Limits(nodes=MOST_NODES))
    if asked.limit:
        warnings.warn(f"{LIMITED}: {asked.limit}.", SeparatrixWarning, stacklevel=2)
    lines = "all" if found.verdict == "separable" else "all with the fewest mistakes"
    said = {
        "no": f"{lines} say {model.classes_[0]}",
        "yes": f"{lines} say {model.classes_[1]}",
        "undecided": "the data do not decide",
    }
    return [
        LIMITED if limited else said[answer]
        for answer, limited in zip(asked.answers.tolist(), asked.limited, strict=True)
    ]


def learned_table(
    model: Untyped, path: str | os.PathLike[str], options: Mapping[str, Any]
) -> Table:
    """Return the table that a model was learned from, read again as it was read then."""
    knows: TableModel = model.table_
    origin = knows.origin
    label, weight = knows.label, None if origin is None else origin.weight
    made = {name for recipe in knows.recipes for name in recipe.names}
    categories = [c for c in knows.encoding.columns if isinstance(c, CategoryEncoding)]
    which = {key: options[key] for key in ("query", "sheet") if key in options}
    reading = Reading(
        drop=[name for name in knows.extra if name not in {label, weight}],
        weight=weight,
        text=[c.name for c in categories if c.name not in made],
        missing="drop" if None in (c.fill for c in knows.encoding.columns) else "fill",
        unlabelled="drop",
        fold_labels=True,  # labels alike but for case are one already, or were refused
        **(options if origin is None else which | origin.options),
    )
    question = asking(reading, str(model.classes_[1]))
    table, _ = read_labelled(reading, path, label, question, knows.recipes)
    if origin is None:
        warnings.warn(
            "this model does not remember which table it was learned from: that it was "
            f"{table.name} is taken on trust.",
            SeparatrixWarning,
            stacklevel=3,
        )
    elif table.sha256 != origin.sha256:
        raise InputError(
            f"{shortened(repr(str(path)))} is not the table that this model was learned from: its "
            f"SHA-256 is {table.sha256}, and the model remembers {origin.sha256}. Give that table, "
            "or learn from this one."
        )
    return table
