"""What a fitted learner is, as JSON: the weights of a line, or the rows of a vote or a kernel.

A line takes some 20 bytes for each column. The voted and the dual perceptron keep the rows they
made updates on (the voted one also a number or two for every update), some 20 bytes for each of
their values, zeros of sparse rows not counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Points
from separatrix.model.kinds import FURTHER
from separatrix.model.strict import (
    LARGEST_COUNT,
    Unusable,
    counts_of,
    floats_of,
    keys_of,
    list_of,
)

# what files say of some models only, and the attribute that it is
OPTIONAL = {
    "sign_of_zero": "sign_of_zero_",
    "standardised": "standardised_",
    "threshold": "probability_threshold_",
}
FITTED = {"DualPerceptron": "dual_coef_", "VotedPerceptron": "votes_"}


def is_fitted(model: Untyped) -> bool:
    """Whether a learner of ours has learned anything."""
    return hasattr(model, FITTED.get(type(model).__name__, "coef_"))


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
    rule, threshold = further.get("sign_of_zero", 1), further.get("threshold", 0.5)
    if type(rule) is not int or rule not in (-1, 1):
        raise Unusable("sign_of_zero is neither -1 nor 1")
    if "sign_of_zero" in further and not hasattr(learner, "sign_of_zero"):
        raise Unusable("sign_of_zero is not of such a learner")
    if further.get("standardised", True) is not True or (
        "standardised" in further and not hasattr(learner, "standardised_")
    ):
        raise Unusable("standardised is not true, or not of such a learner")
    if type(threshold) is not float or not 0.0 < threshold < 1.0:
        raise Unusable("threshold is no probability between 0 and 1")
    for key in OPTIONAL.keys() & further.keys():
        setattr(learner, OPTIONAL[key], further[key])
    return {key: value for key, value in further.items() if key not in OPTIONAL}


# ---------------------------------------------------------------------- lines


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


# ---------------------------------------------------------------------- votes and kernels


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
    keys = {"rows", "signs", "visited", "votes", "start", "intercept"}
    data = keys_of(data, keys, "further")
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
