"""A fitted learner written to a file, whole or not at all."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Labels, Points
from separatrix.files import write_atomically
from separatrix.model.lines import (
    FORMAT,
    FURTHER,
    LABEL_KINDS,
    LARGEST_FILE,
    LEARNERS,
    RULES,
    VERDICTS,
    VERSION,
    TableModel,
    learner_called,
    parts_of,
    rule_of,
    table_of,
)
from separatrix.model.strict import (
    LARGEST_COUNT,
    MOST_VALUES,
    Unusable,
    counts_of,
    floats_of,
    keys_of,
    list_of,
    n_values,
    sealed,
)
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
    parts = [model] if rule is None else parts_of(model, rule)
    lines = [_learner_data(part) for part in parts]
    table = table_of(model)
    features = getattr(model, "feature_names_in_", None)
    return {
        "format": FORMAT,
        "version": VERSION,
        **(lines[0] if rule is None else {"rule": rule, "models": lines}),
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
    if name not in LEARNERS or learner_called(name) is not type(model):
        if name in VERDICTS:
            raise InputError(f"cannot save a {name}: {VERDICTS[name]}.")
        raise InputError(
            f"cannot save a {name}: choose one of {', '.join(LEARNERS)}, or a "
            f"{' or '.join(RULES.values())} of one of them."
        )
    if not hasattr(model, FITTED.get(name, "coef_")):
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
        terms = [list(term) for term in monomials.terms]
        data["monomials"] = {"degree": monomials.degree, "terms": terms}
    if table.origin is not None:
        origin = asdict(table.origin)
        if origin["weight"] is None:  # as files were before rows had weights in them
            del origin["weight"]
        data["origin"] = origin
    return data


# what files say of some models only, and the attribute that it is
OPTIONAL = {
    "sign_of_zero": "sign_of_zero_",
    "standardised": "standardised_",
    "threshold": "probability_threshold_",
}
FITTED = {"DualPerceptron": "dual_coef_", "VotedPerceptron": "votes_"}


def written(model: Untyped) -> tuple[list[float] | None, dict[str, Any]]:
    """Return the weights (1+d,) of a line, w_0 first, or None, and what else predictions need."""
    name = type(model).__name__
    said: dict[str, Any] = {
        key: value for key, of in OPTIONAL.items() if (value := getattr(model, of, None))
    }
    if said.get("sign_of_zero") == "mistake":
        del said["sign_of_zero"]
    if name == "VotedPerceptron":
        return None, _voted(model) | said
    if name == "DualPerceptron":
        return None, _dual(model) | said
    weights = np.concatenate((np.ravel(model.intercept_), np.ravel(model.coef_)))
    further = {k: _floats(getattr(model, k)) for k in FURTHER.get(name, ())}
    return _floats(weights), further | said


def read_into(learner: Untyped, weights: ArrayLike, further: Untyped) -> None:
    """Give an unfitted learner what `written` returned; `Unusable` when it is something else."""
    name = type(learner).__name__
    if name in FITTED and weights is not None:
        raise Unusable(f"a {name} has no weights")
    further = _read_optional(learner, further)
    if name == "VotedPerceptron":
        _read_voted(learner, further)
    elif name == "DualPerceptron":
        _read_dual(learner, further)
    else:
        _read_line(learner, name, floats_of(weights, None, "weights"), further)


def _read_optional(learner: Untyped, further: Untyped) -> Untyped:
    """Take what only some files say, and return the rest; without a sign(0) zero scores say no."""
    if not isinstance(further, dict):
        return further
    rule, threshold = further.get("sign_of_zero"), further.get("threshold")
    right = {
        "sign_of_zero": type(rule) is int and abs(rule) == 1 and hasattr(learner, "sign_of_zero"),
        "standardised": further.get("standardised") is True and hasattr(learner, "standardised_"),
        "threshold": type(threshold) is float and 0.0 < threshold < 1.0,
    }
    for key in OPTIONAL.keys() & further.keys():
        if not right[key]:
            raise Unusable(f"{key} is not as it should be, or not of such a learner")
        setattr(learner, OPTIONAL[key], further[key])
    return {key: value for key, value in further.items() if key not in OPTIONAL}


def _floats(values: Floats | None) -> list[float] | None:
    if values is None:
        return None
    values = np.ravel(values)
    if not np.isfinite(values).all():
        raise InputError("this model has weights that are not finite; it cannot be saved.")
    return [float(v) for v in values]


def _read_line(learner: Untyped, name: str, weights: Floats, further: Untyped) -> None:
    learner.n_features_in_ = weights.size - 1
    further = keys_of(further, set(FURTHER.get(name, ())), "further")
    if name == "LinearRegression":
        learner.intercept_, learner.coef_ = float(weights[0]), weights[1:]
        return
    learner.intercept_, learner.coef_ = weights[:1], weights[np.newaxis, 1:]
    for key, values in further.items():
        setattr(learner, key, _further(key, values, weights.size))


def _further(key: str, values: ArrayLike, size: int) -> Floats | None:
    """Return finite_weights_ (1+d,), or direction_ (m, 1+d) or None."""
    if key != "direction_":
        return floats_of(values, size, key)
    if values is None:
        return None
    numbers = floats_of(values, None, key)
    if numbers.size % size:
        raise Unusable(f"{key} has {numbers.size} numbers, not a multiple of {size}")
    return numbers.reshape(-1, size)


def _voted(model: Untyped) -> dict[str, Any]:
    trained, signs, visited, start, x0 = model._walk
    return {
        "rows": _rows(trained),
        "signs": [int(sign) for sign in signs],
        "visited": visited.tolist(),
        "votes": model.votes_.tolist(),
        "start": _floats(start),
        "intercept": bool(x0),
    }


def _read_voted(learner: Untyped, data: ArrayLike) -> None:
    data = keys_of(data, {"rows", "signs", "visited", "votes", "start", "intercept"}, "further")
    rows = _read_rows(data["rows"])
    k, d = rows.shape
    visited = counts_of(data["visited"], None, k, "visited")
    votes = counts_of(data["votes"], visited.size + 1, LARGEST_COUNT, "votes")
    if sum(votes.tolist()) >= LARGEST_COUNT:
        raise Unusable("there are too many votes")
    if type(data["intercept"]) is not bool:
        raise Unusable("intercept is no truth value")
    start, x0 = floats_of(data["start"], d + 1, "start"), float(data["intercept"])
    learner.votes_ = votes
    learner._walk = (rows, _signs(data["signs"], k), visited, start, x0)
    learner.n_features_in_ = d


def _dual(model: Untyped) -> dict[str, Any]:
    if callable(model.kernel):
        raise InputError(
            "this DualPerceptron has a Python function for a kernel: a model file holds no "
            "program, so that it is safe to load. Use a kernel with a name (linear, polynomial, "
            "rbf), or keep the rows and `dual_coef_` beside your function."
        )
    return {
        "rows": _rows(model.support_vectors_),
        "updates": [int(abs(v)) for v in model.dual_coef_[0]],
        "signs": [1 if v > 0 else -1 for v in model.dual_coef_[0]],
    }


def _read_dual(learner: Untyped, data: ArrayLike) -> None:
    data = keys_of(data, {"rows", "updates", "signs"}, "further")
    rows = _read_rows(data["rows"])
    k, d = rows.shape
    updates = counts_of(data["updates"], k, LARGEST_COUNT, "updates")
    learner.support_vectors_ = rows
    learner.dual_coef_ = (updates * _signs(data["signs"], k))[np.newaxis]
    learner.n_features_in_ = d
    try:
        learner.kernel_of(rows)
    except (InputError, TypeError, ValueError, OverflowError) as error:
        raise Unusable(f"its kernel cannot be used: {error}") from None


def _signs(data: ArrayLike, size: int) -> Floats:
    signs = floats_of(data, size, "signs")
    if not (np.abs(signs) == 1.0).all():
        raise Unusable("signs are not all 1 or -1")
    return signs


def _rows(points: Points) -> dict[str, Any]:
    """Return rows (k, d); of sparse ones the values and the columns they stand in."""
    k, d = points.shape
    if not sp.issparse(points):
        return {"columns": d, "values": points.tolist(), "places": None}
    ends = points.indptr.tolist()
    rows = [slice(ends[i], ends[i + 1]) for i in range(k)]
    return {
        "columns": d,
        "values": [points.data[row].tolist() for row in rows],
        "places": [points.indices[row].tolist() for row in rows],
    }


def _read_rows(data: ArrayLike) -> Points:
    data = keys_of(data, {"columns", "values", "places"}, "rows")
    d, values = data["columns"], list_of(data["values"], "values")
    if type(d) is not int or not 0 < d < LARGEST_COUNT:
        raise Unusable("columns is no count of columns")
    if data["places"] is None:
        rows = [floats_of(row, d, "a row") for row in values]
        return np.array(rows).reshape(len(rows), d)
    places = [counts_of(row, None, d, "places") for row in list_of(data["places"], "places")]
    if len(places) != len(values) or any((np.diff(p) <= 0).any() for p in places):
        raise Unusable("places are not those of the values, in ascending order")
    sparse = [floats_of(v, p.size, "a row") for v, p in zip(values, places, strict=True)]
    ends = np.cumsum([0, *(p.size for p in places)])
    none = [np.empty(0)]
    return sp.csr_array(
        (np.concatenate(none + sparse), np.concatenate(places or [np.empty(0, np.int64)]), ends),
        shape=(len(values), d),
    )
