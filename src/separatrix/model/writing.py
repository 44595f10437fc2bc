"""A fitted learner written to a file, whole or not at all."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict
from typing import Any

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError, Labels
from separatrix.files import write_atomically
from separatrix.model.joining import RULES, parts_of, rule_of, table_of
from separatrix.model.kinds import (
    FORMAT,
    LABEL_KINDS,
    LARGEST_FILE,
    LEARNERS,
    MOST_VALUES,
    VERDICTS,
    VERSION,
    TableModel,
)
from separatrix.model.parts import is_fitted, written
from separatrix.model.strict import n_values, sealed
from separatrix.tables import NumberEncoding
from separatrix.tables.recipes import recipe_data


def save(model: Untyped, path: str | os.PathLike[str]) -> None:
    """Write a fitted learner to `path`, whole or not at all.

    Parameters
    ----------
    model : a learner of ours, or scikit-learn's OneVsRestClassifier or OneVsOneClassifier of one;
        or a Pipeline of either whose other steps are "passthrough"
        A line takes some 20 bytes a column, a joined model that for each of its lines. The voted
        and the dual perceptron keep the rows they made updates on: some 20 bytes for each of their
        values. A kernel that is a Python function cannot be written.
    path : str or path

    Raises
    ------
    InputError
        When it is no such model, not fitted, larger than `load` would read, or the file cannot be
        written.
    """
    write_atomically(path, text_of(model))


def text_of(model: Untyped) -> str:
    """Return the model file of a fitted learner; raises what `save` raises."""
    data = sealed(as_data(model))
    indent = None if any("rows" in part["further"] for part in data.get("models", [data])) else 1
    text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
    size, values = len(text.encode()), n_values(text)
    if size > LARGEST_FILE or values > MOST_VALUES:
        raise InputError(
            f"this {type(model).__name__} takes {size:,} bytes and {values:,} values; a model file "
            f"has at most {LARGEST_FILE:,} and {MOST_VALUES:,}. It keeps the rows that it made "
            "updates on: fewer passes (max_iter), fewer rows or fewer columns make it smaller."
        )
    return text


def as_data(model: Untyped) -> dict[str, Any]:
    """Return a fitted learner as JSON-able data."""
    model = _last_step(model)
    rule = rule_of(model)
    kind: dict[str, Any]
    if rule is None:
        kind = _learner_data(model)
    else:
        kind = {"rule": rule, "models": [_learner_data(part) for part in parts_of(model, rule)]}
    table = table_of(model)
    features = getattr(model, "feature_names_in_", None)
    return {
        "format": FORMAT,
        "version": VERSION,
        **kind,
        "labels": _labels_data(getattr(model, "classes_", None)),
        "features": None if features is None else [str(f) for f in features],
        "table": None if table is None else _table_data(table),
    }


def _last_step(model: Untyped) -> Untyped:
    """Return the last step of a Pipeline, which answers for all of it; else the model."""
    if type(model).__name__ != "Pipeline" or not type(model).__module__.startswith("sklearn."):
        return model
    for name, step in model.steps[:-1]:
        if step is not None and step != "passthrough":
            raise InputError(
                f"cannot save step {name!r} ({type(step).__name__}) of this Pipeline, because a "
                "model file holds no step that changes columns: fit the last step on the columns "
                "as they are, or save pipeline[-1] and give it pipeline[:-1].transform(X)."
            )
    return model.steps[-1][1]


def _learner_data(model: Untyped) -> dict[str, Any]:
    name = type(model).__name__
    if LEARNERS.get(name) is not type(model):
        if name in VERDICTS:
            raise InputError(f"cannot save a {name}: {VERDICTS[name]}.")
        raise InputError(
            f"cannot save a {name}: choose one of {', '.join(LEARNERS)}, or a "
            f"{' or '.join(RULES.values())} of one of them."
        )
    if not is_fitted(model):
        raise InputError(f"this {name} is not fitted yet: call fit first.")
    weights, further = written(model)
    return {
        "learner": name,
        "parameters": {k: v for k, v in map(_parameter, model.get_params(deep=False).items()) if k},
        "weights": weights,
        "further": further,
    }


def _parameter(item: tuple[str, Any]) -> tuple[str, Any]:
    """Return a parameter as JSON: plain values; inf as text; arrays and generators not at all."""
    name, value = item
    if callable(getattr(value, "slope", None)):
        return name, str(getattr(value, "name", type(value).__name__))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isinf(value):
        return name, "inf"
    if value is None or isinstance(value, bool | int | float | str):
        return name, value
    return "", None


def _labels_data(classes: Labels | None) -> dict[str, Any] | None:
    if classes is None:
        return None
    values = [c.item() if isinstance(c, np.generic) else c for c in classes]
    for kind, make in LABEL_KINDS.items():
        if all(type(v) is make for v in values):
            return {"kind": kind, "values": values}
    raise InputError(f"labels {values!r} are neither text, numbers nor truth values.")


def _table_data(table: TableModel) -> dict[str, Any]:
    data: dict[str, Any] = {
        "label": table.label,
        "extra": list(table.extra),
        "columns": [
            {"name": c.name, "kind": "number", "fill": c.fill}
            if isinstance(c, NumberEncoding)
            else {"name": c.name, "kind": "category", "levels": list(c.levels), "fill": c.fill}
            for c in table.encoding.columns
        ],
    }
    if table.recipes:
        data["recipes"] = [recipe_data(recipe) for recipe in table.recipes]
    monomials = table.encoding.monomials
    if monomials is not None:
        data["monomials"] = {
            "degree": monomials.degree,
            "terms": [list(term) for term in monomials.terms],
        }
    if table.origin is not None:
        origin = asdict(table.origin)
        if origin["weight"] is None:  # as files were before rows had weights in them
            del origin["weight"]
        data["origin"] = origin
    return data
