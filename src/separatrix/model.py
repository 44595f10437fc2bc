"""Model files: versioned JSON that says everything a prediction needs, and is safe to load.

A file holds the learner's name and parameters, its labels and weights (decimal text that reads back
to the same doubles) and, for a model learned from a table, how every column becomes features.
Loading builds objects from a closed list of classes; unknown or repeated keys, numbers that are not
finite, other versions and files too large or too deep are refused. Nothing is ever executed.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.data import Floats, InputError, Labels, shortened
from separatrix.files import write_whole
from separatrix.learners.averaged_perceptron import AveragedPerceptron
from separatrix.learners.baseline import Baseline
from separatrix.learners.gradient_descent import GradientDescent
from separatrix.learners.linear_regression import LinearRegression, LinearRegressionClassifier
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.learners.margin_perceptron import MarginPerceptron
from separatrix.learners.minimum_error_classifier import MinimumErrorClassifier
from separatrix.learners.passive_aggressive import PassiveAggressive
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket
from separatrix.tables import CategoryEncoding, Encoding, NumberEncoding

FORMAT = "separatrix model"
VERSION = 1
LARGEST_FILE = 32 * 2**20
DEEPEST = 12

LEARNERS: Mapping[str, Any] = {
    cls.__name__: cls
    for cls in (
        AveragedPerceptron, Baseline, GradientDescent, LinearRegression,
        LinearRegressionClassifier, LogisticRegression, MarginPerceptron,
        MinimumErrorClassifier, PassiveAggressive, Perceptron, Pocket,
    )
}  # fmt: skip

# fitted arrays (1+d,) beside the weights that predictions need
FURTHER = {"LogisticRegression": ("direction_", "finite_weights_")}

KEYS = {
    "format",
    "version",
    "learner",
    "parameters",
    "labels",
    "weights",
    "further",
    "features",
    "table",
}
LABEL_KINDS: Mapping[str, Callable[[Any], Any]] = {
    "text": str,
    "whole": int,
    "number": float,
    "truth": bool,
}


@dataclass(frozen=True, slots=True)
class TableModel:
    """What a model learned from a table knows about tables.

    Parameters
    ----------
    encoding : Encoding
        How columns become features.
    label : str
        The label's column.
    extra : tuple of str
        Columns of the training table that are no features: label, weight, group, dropped ones.
    """

    encoding: Encoding
    label: str
    extra: tuple[str, ...]


def save(model: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401  # any learner of ours
    """Write a fitted learner to `path`, whole or not at all.

    Raises
    ------
    InputError
        When it is no fitted learner of ours, or the file cannot be written.
    """
    write_whole(
        path, json.dumps(as_data(model), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    )


def load(path: str | os.PathLike[str]) -> Any:  # noqa: ANN401  # any learner of ours
    """Return the learner that `save` wrote; it predicts bit for bit as before.

    Its attribute ``table_`` is a `TableModel`, or None when it was learned from arrays.

    Raises
    ------
    InputError
        When the file is not such a model, saying what is wrong with it.
    """
    try:
        size = Path(path).stat().st_size
        if not Path(path).is_file():
            raise InputError(f"{str(path)!r} is not a regular file.")
        if size > LARGEST_FILE:
            raise InputError(
                f"{str(path)!r} has {size:,} bytes; a model has at most {LARGEST_FILE:,}."
            )
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{str(path)!r} is no model file: not UTF-8 at byte {error.start}."
        ) from None
    try:
        return _Reader(strict_json(text)).model()
    except _Unusable as error:
        raise InputError(
            f"{str(path)!r} is no model file that this version can use: {error}."
        ) from None


# ---------------------------------------------------------------------- writing


def as_data(model: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a fitted learner as JSON-able data."""
    name = type(model).__name__
    if LEARNERS.get(name) is not type(model):
        raise InputError(f"cannot save a {name}: choose one of {', '.join(LEARNERS)}.")
    if not hasattr(model, "coef_"):
        raise InputError(f"this {name} is not fitted yet: call fit first.")
    table: TableModel | None = getattr(model, "table_", None)
    features = getattr(model, "feature_names_in_", None)
    weights = np.concatenate((np.ravel(model.intercept_), np.ravel(model.coef_)))
    return {
        "format": FORMAT,
        "version": VERSION,
        "learner": name,
        "parameters": {k: v for k, v in map(_parameter, model.get_params(deep=False).items()) if k},
        "labels": _labels_data(getattr(model, "classes_", None)),
        "weights": _floats_data(weights),
        "further": {k: _floats_data(getattr(model, k)) for k in FURTHER.get(name, ())},
        "features": None if features is None else [str(f) for f in features],
        "table": None if table is None else _table_data(table),
    }


def _floats_data(values: Floats | None) -> list[float] | None:
    if values is None:
        return None
    values = np.ravel(values)
    if not np.isfinite(values).all():
        raise InputError("this model has weights that are not finite; it cannot be saved.")
    return [float(v) for v in values]


def _parameter(item: tuple[str, Any]) -> tuple[str, Any]:
    """Return a parameter as JSON: plain values; inf as text; arrays and generators not at all.

    An error measure is written as its name: one of a user's own is then refused by name when
    somebody fits the loaded model again, rather than replaced by another.
    """
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
    return {
        "label": table.label,
        "extra": list(table.extra),
        "columns": [
            {"name": c.name, "kind": "number", "fill": c.fill}
            if isinstance(c, NumberEncoding)
            else {"name": c.name, "kind": "category", "levels": list(c.levels), "fill": c.fill}
            for c in table.encoding.columns
        ],
    }


# ---------------------------------------------------------------------- reading


class _Unusable(Exception):  # noqa: N818  # it never leaves this file
    """Why a file is no model."""


def strict_json(text: str) -> Any:  # noqa: ANN401  # any JSON
    """Return parsed JSON; no repeated keys, no NaN or infinity, no deep nesting, only real text."""
    depth = deepest = 0
    for bracket in re.finditer(r"[\[{\]}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        depth += 1 if bracket.group() in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise _Unusable(f"nested {deepest} deep")
    try:
        data = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite
        )
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _Unusable("half a character stands in its text") from None
    except (ValueError, RecursionError) as error:
        raise _Unusable(f"not JSON ({error})") from None
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Unusable("a key stands twice")
    return made


def _no_constant(name: str) -> float:
    raise _Unusable(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Unusable(f"{shortened(text)} is too large")
    return value


class _Reader:
    """Builds a learner from parsed JSON, checking every part."""

    def __init__(self, data: Any) -> None:  # noqa: ANN401  # any JSON
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise _Unusable(f'it does not say "format": "{FORMAT}"')
        version = data.get("version")
        if type(version) is not int or version != VERSION:
            raise _Unusable(f"its version is {shortened(repr(version))}, not {VERSION}")
        self.data = self._keys(data, KEYS, "the file")

    @staticmethod
    def _keys(data: Any, wanted: set[str], where: str) -> dict[str, Any]:  # noqa: ANN401
        if not isinstance(data, dict):
            raise _Unusable(f"{where} is no object")
        if set(data) != wanted:
            odd = sorted(set(data) ^ wanted)
            named = ", ".join(shortened(repr(key)) for key in odd[:5])
            raise _Unusable(f"{where} has unknown or missing keys: {named}")
        return data

    @staticmethod
    def _texts(data: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401
        if not isinstance(data, list) or not all(isinstance(v, str) for v in data):
            raise _Unusable(f"{where} is no list of text")
        return tuple(data)

    @staticmethod
    def _floats(data: Any, size: int | None, where: str) -> Floats:  # noqa: ANN401
        if not isinstance(data, list) or not all(type(v) in (int, float) for v in data):
            raise _Unusable(f"{where} is no list of numbers")
        if not data or (size is not None and len(data) != size):
            raise _Unusable(f"{where} has {len(data)} numbers" + (f", not {size}" if size else ""))
        try:
            return np.array([float(v) for v in data])
        except OverflowError:
            raise _Unusable(f"{where} has a number that is too large") from None

    def model(self) -> Any:  # noqa: ANN401  # any learner of ours
        """Return the learner."""
        name = self.data["learner"]
        if not isinstance(name, str) or name not in LEARNERS:
            raise _Unusable(f"learner {shortened(repr(name))} is not known")
        learner = self._unfitted(LEARNERS[name])
        weights = self._floats(self.data["weights"], None, "weights")
        learner.n_features_in_ = weights.size - 1
        learner.table_ = self._table(weights.size - 1)
        self._features(learner)
        if name == "LinearRegression":
            if learner.table_ is not None:
                raise _Unusable("a regression gives no yes / no answers for a table")
            learner.intercept_, learner.coef_ = float(weights[0]), weights[1:]
            return learner
        learner.intercept_, learner.coef_ = weights[:1], weights[np.newaxis, 1:]
        learner.classes_ = self._labels()
        further = self._keys(self.data["further"], set(FURTHER.get(name, ())), "further")
        for key, values in further.items():
            setattr(learner, key, self._further(key, values, weights.size))
        return learner

    def _further(self, key: str, values: Any, size: int) -> Floats | None:  # noqa: ANN401
        """Return finite_weights_ (1+d,), or direction_ (m, 1+d) or None."""
        if key != "direction_":
            return self._floats(values, size, key)
        if values is None:
            return None
        numbers = self._floats(values, None, key)
        if numbers.size % size:
            raise _Unusable(f"{key} has {numbers.size} numbers, not a multiple of {size}")
        return numbers.reshape(-1, size)

    def _unfitted(self, cls: type) -> Any:  # noqa: ANN401
        parameters = self.data["parameters"]
        known = set(cls().get_params(deep=False))
        if not isinstance(parameters, dict) or not set(parameters) <= known:
            raise _Unusable(f"parameters are not those of {cls.__name__}")
        for value in parameters.values():
            if isinstance(value, list | dict):
                raise _Unusable("a parameter is no plain value")
        return cls(**{k: math.inf if v == "inf" else v for k, v in parameters.items()})

    def _features(self, learner: Any) -> None:  # noqa: ANN401
        if self.data["features"] is None:
            return
        names = self._texts(self.data["features"], "features")
        if len(names) != learner.n_features_in_:
            raise _Unusable(f"{len(names)} features for {learner.n_features_in_} weights")
        learner.feature_names_in_ = np.array(names, dtype=object)

    def _labels(self) -> Labels:
        data = self._keys(self.data["labels"], {"kind", "values"}, "labels")
        make = LABEL_KINDS.get(data["kind"]) if isinstance(data["kind"], str) else None
        values = data["values"]
        if make is None or not isinstance(values, list) or len(values) != 2:
            raise _Unusable("labels are not two of one kind")
        if not all(type(v) is make for v in values) or values[0] == values[1]:
            raise _Unusable("labels are not two of one kind")
        return np.array(values)

    def _table(self, n_features: int) -> TableModel | None:
        if self.data["table"] is None:
            return None
        data = self._keys(self.data["table"], {"label", "extra", "columns"}, "table")
        if not isinstance(data["label"], str) or not isinstance(data["columns"], list):
            raise _Unusable("table is not as it should be")
        encoding = Encoding(tuple(self._column(c) for c in data["columns"]))
        if len(encoding.feature_names) != n_features:
            raise _Unusable(
                f"columns make {len(encoding.feature_names)} features, not {n_features}"
            )
        return TableModel(encoding, data["label"], self._texts(data["extra"], "extra"))

    def _column(self, data: Any) -> NumberEncoding | CategoryEncoding:  # noqa: ANN401
        kind = data.get("kind") if isinstance(data, dict) else None
        if kind == "number":
            self._keys(data, {"name", "kind", "fill"}, "a column")
            fill = data["fill"]
            if not isinstance(data["name"], str) or not (
                fill is None or type(fill) in (int, float)
            ):
                raise _Unusable("a column is not as it should be")
            number = None if fill is None else float(self._floats([fill], 1, "fill")[0])
            return NumberEncoding(data["name"], number)
        if kind == "category":
            self._keys(data, {"name", "kind", "levels", "fill"}, "a column")
            levels = self._texts(data["levels"], "levels")
            if not isinstance(data["name"], str) or not (
                data["fill"] is None or (isinstance(data["fill"], str) and data["fill"] in levels)
            ):
                raise _Unusable("a column is not as it should be")
            return CategoryEncoding(data["name"], levels, data["fill"])
        raise _Unusable(f"a column is of kind {shortened(repr(kind))}")
