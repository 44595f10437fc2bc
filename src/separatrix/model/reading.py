"""A model file read: objects of a closed list of classes, every part of them checked."""

from __future__ import annotations

import datetime
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Labels, shortened
from separatrix.model.lines import (
    FORMAT,
    LABEL_KINDS,
    LARGEST_FILE,
    LEARNERS,
    OF_A_FILE,
    OF_A_JOINED_FILE,
    OF_A_LEARNER,
    RULES,
    VERSION,
    Origin,
    TableModel,
    about,
    joined,
    learner_called,
    n_questions,
    single,
    why_no_threshold,
)
from separatrix.model.strict import (
    KEY,
    Unusable,
    checksum,
    decoded,
    keys_of,
    kind_of,
    list_of,
    read_text,
    strict_json,
    texts_of,
)
from separatrix.model.writing import read_into
from separatrix.tables import CategoryEncoding, Encoding, Monomials, NumberEncoding
from separatrix.tables.recipes import KINDS, ORDERS, Amounts, Dates, Levels, Recipe

REGRESSION = "LinearRegression"


def load(path: str | os.PathLike[str]) -> Untyped:
    """Return the learner that `save` wrote; it predicts bit for bit as before.

    For lines that were joined it is scikit-learn's OneVsRestClassifier or OneVsOneClassifier.
    Its attribute ``table_`` is a `TableModel`, or None when it was learned from arrays.

    Raises
    ------
    InputError
        When the file is not such a model, saying what is wrong with it.
    """
    text = read_text(path, LARGEST_FILE)
    try:
        return _model(strict_json(text))
    except Unusable as error:
        raise InputError(
            f"{str(path)!r} is no model file that this version can use: {error}."
        ) from None


def _model(data: ArrayLike) -> Untyped:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Unusable(f'it does not say "format": "{FORMAT}"')
    version = data.get("version")
    if type(version) is not int or version != VERSION:
        raise Unusable(
            f"its version is {shortened(repr(version))}, not {VERSION}: learn the model again"
        )
    wanted = OF_A_JOINED_FILE if "rule" in data else OF_A_FILE | OF_A_LEARNER
    data = keys_of(data, wanted, "the file")
    if data[KEY] != checksum(data):
        raise Unusable(
            "its content is not that of its SHA-256, so it was changed after it was written: take "
            "the original, or learn the model again"
        )
    return _joined(data) if "rule" in data else _single(data)


def _single(data: dict[str, Any]) -> Untyped:
    learner = _learner(data)
    n_features = learner.n_features_in_
    names = _features(data["features"], n_features)
    table = _table(data["table"], n_features, names)
    if type(learner).__name__ != REGRESSION:
        return single(learner, _labels(data["labels"], most=2), names, table)
    if table is not None or data["labels"] is not None:
        raise Unusable("a regression has no labels and gives no yes / no answers for a table")
    return about(learner, names, None)


def _joined(data: dict[str, Any]) -> Untyped:
    """Return scikit-learn's classifier of the lines in a file."""
    rule = data["rule"]
    if not isinstance(rule, str) or rule not in RULES:
        raise Unusable(f"rule {shortened(repr(rule))} is not known")
    told = list_of(data["models"], "models")
    parts = [_learner(keys_of(part, OF_A_LEARNER, "a model")) for part in told]
    classes = _labels(data["labels"], most=None)
    if len(parts) != n_questions(rule, len(classes)):
        raise Unusable(f"{len(parts)} models are not those of {len(classes)} labels by {rule!r}")
    n_features = parts[0].n_features_in_
    if any(part.n_features_in_ != n_features for part in parts):
        raise Unusable("its models are for different columns")
    if any(type(part).__name__ == REGRESSION for part in parts):
        raise Unusable("a regression gives no yes / no answers")
    if any(part.probability_threshold_ for part in parts):
        raise Unusable("a threshold is of a model of two labels")
    if len({type(part) for part in parts}) > 1:
        raise Unusable("its models are of different learners")
    names = _features(data["features"], n_features)
    return joined(rule, parts, classes, names, _table(data["table"], n_features, names))


def _learner(data: dict[str, Any]) -> Untyped:
    name = data["learner"]
    if not isinstance(name, str) or name not in LEARNERS:
        raise Unusable(f"learner {shortened(repr(name))} is not known")
    cls = learner_called(name)
    parameters = data["parameters"]
    known = set(cls().get_params(deep=False))
    if not isinstance(parameters, dict) or not set(parameters) <= known:
        raise Unusable(f"parameters are not those of {cls.__name__}")
    for value in parameters.values():
        if isinstance(value, list | dict):
            raise Unusable("a parameter is no plain value")
    learner = cls(**{k: math.inf if v == "inf" else v for k, v in parameters.items()})
    read_into(learner, data["weights"], data["further"])
    if getattr(learner, "probability_threshold_", None) and why_no_threshold(learner):
        raise Unusable("a threshold is of models that give probabilities")
    return learner


def _features(data: ArrayLike, n_features: int) -> tuple[str, ...] | None:
    if data is None:
        return None
    names = texts_of(data, "features")
    if len(names) != n_features:
        raise Unusable(f"{len(names)} features for {n_features} weights")
    return names


def _labels(data: ArrayLike, most: int | None) -> Labels:
    """Return two labels, or any number of them where `most` is None."""
    data = keys_of(data, {"kind", "values"}, "labels")
    make = LABEL_KINDS.get(data["kind"]) if isinstance(data["kind"], str) else None
    values = data["values"]
    how_many = "two" if most == 2 else "two or more"
    usable = make is not None and isinstance(values, list) and 2 <= len(values) <= (most or 2**31)
    if not usable or not all(type(v) is make for v in values) or len(set(values)) < len(values):
        raise Unusable(f"labels are not {how_many} of one kind")
    labels = np.array(values)
    if labels.tolist() != values:  # a text that ends with NUL
        raise Unusable("labels cannot be held as they are written")
    return labels


@dataclass(frozen=True, slots=True)
class _Table:
    """What a file says of a table."""

    label: str
    extra: tuple[str, ...]
    columns: tuple[object, ...]
    monomials: Monomials | None = None
    origin: Origin | None = None
    recipes: tuple[object, ...] = ()


def _table(data: ArrayLike, n_features: int, features: tuple[str, ...] | None) -> TableModel | None:
    if data is None:
        return None
    told: _Table = decoded(_Table, data, "table")
    encoding = Encoding(tuple(map(_column, told.columns)))
    names = [column.name for column in encoding.columns]
    if len(set(names)) < len(names):
        raise Unusable("a column stands twice")
    if told.monomials is not None:
        _refuse_other_terms(told.monomials, len(encoding.feature_names))
        encoding = Encoding(encoding.columns, told.monomials)
    if len(encoding.feature_names) != n_features:
        raise Unusable(f"columns make {len(encoding.feature_names)} features, not {n_features}")
    if features is not None and features != encoding.feature_names:
        raise Unusable("features are not those that the table's columns make")
    recipes = recipes_of(told.recipes, encoding)
    return TableModel(encoding, told.label, told.extra, told.origin, recipes)


def _column(data: ArrayLike) -> NumberEncoding | CategoryEncoding:
    cls, rest = kind_of(data, {"number": NumberEncoding, "category": CategoryEncoding}, "a column")
    column: NumberEncoding | CategoryEncoding = decoded(cls, rest, "a column")
    if isinstance(column, CategoryEncoding):
        if column.fill not in (None, *column.levels):
            raise Unusable("a column is filled by what is no level of it")
        others = column.levels[1:]
        if list(others) != sorted(set(others) - set(column.levels[:1])):
            raise Unusable("levels after the first are not in ascending order, each once")
    return column


def _refuse_other_terms(monomials: Monomials, d: int) -> None:
    for term in monomials.terms:
        if not 1 <= len(term) <= monomials.degree:
            raise Unusable(f"a term has {len(term)} factors, and the degree is {monomials.degree}")
        if term[0] < 0 or term[-1] >= d or list(term) != sorted(term):
            raise Unusable(f"the factors of a term are not from 0 to {d - 1} in ascending order")


def recipes_of(data: Sequence[object], encoding: Encoding) -> tuple[Recipe, ...]:
    """Return the recipes in a file; `Unusable` where they do not make columns of the encoding."""
    recipes = tuple(map(_recipe, data))
    names = [name for recipe in recipes for name in recipe.names]
    columns = {column.name: column for column in encoding.columns}
    if len({recipe.column for recipe in recipes}) < len(recipes) or not set(names) <= set(columns):
        raise Unusable("recipes are not those of the columns")
    for recipe in recipes:
        made = [isinstance(columns[name], CategoryEncoding) for name in recipe.names]
        if made != [isinstance(recipe.how, Levels), *([False] if recipe.indicator else [])]:
            raise Unusable("a recipe makes another kind of column")
    return recipes


def _recipe(data: ArrayLike) -> Recipe:
    cls, rest = kind_of(data, KINDS, "a recipe")
    own = () if cls is None else cls.__dataclass_fields__
    how = cls and decoded(cls, {k: rest.pop(k) for k in own if k in rest}, "a recipe")
    keys_of(rest, {"column", "indicator"}, "a recipe")
    column = decoded(str, rest["column"], "column")
    recipe = Recipe(column, how, decoded(bool, rest["indicator"], "indicator"))
    if how is None and not recipe.indicator:
        raise Unusable("a recipe does nothing")
    if isinstance(how, Amounts) and how.decimal not in (".", ","):
        raise Unusable("amounts are not as they should be")
    if isinstance(how, Dates) and not (how.order in ORDERS and _is_day(how.first)):
        raise Unusable("dates are not as they should be")
    return recipe


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
