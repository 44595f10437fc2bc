"""A model file read: objects of a closed list of classes, every part of them checked."""

from __future__ import annotations

import codecs
import datetime
import math
import os
import re
from dataclasses import replace
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
from separatrix.tables import CategoryEncoding, Dialect, Encoding, Monomials, NumberEncoding
from separatrix.tables.files.formats import FORMATS, TEXT_FORMATS
from separatrix.tables.monomials import MOST_PRODUCTS
from separatrix.tables.options import Reading
from separatrix.tables.recipes import KINDS, ORDERS, Amounts, Dates, Levels, Recipe

REGRESSION = "LinearRegression"
SHA256 = re.compile("[0-9a-f]{64}")
COLUMNS = {"number": NumberEncoding, "category": CategoryEncoding}


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
    refuse_other_learner(learner)
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


def _table(data: ArrayLike, n_features: int, features: tuple[str, ...] | None) -> TableModel | None:
    if data is None:
        return None
    keys = {"label", "extra", "columns"}
    if isinstance(data, dict):
        keys |= {"monomials", "origin", "recipes"} & set(data)  # files from before these know none
    data = keys_of(data, keys, "table")
    encoding = Encoding(tuple(_column(c) for c in list_of(data["columns"], "columns")))
    if "monomials" in data:
        monomials = _monomials(data["monomials"], len(encoding.feature_names))
        encoding = Encoding(encoding.columns, monomials)
    if len(encoding.feature_names) != n_features:
        raise Unusable(f"columns make {len(encoding.feature_names)} features, not {n_features}")
    table = TableModel(
        encoding,
        decoded(str, data["label"], "label"),
        texts_of(data["extra"], "extra"),
        _origin(data["origin"]) if "origin" in data else None,
        recipes_of(data["recipes"], encoding) if "recipes" in data else (),
    )
    refuse_other_table(table, features)
    return table


def _origin(data: ArrayLike) -> Origin:
    origin: Origin = decoded(Origin, data, "origin")
    if not SHA256.fullmatch(origin.sha256):
        raise Unusable("origin has no SHA-256")
    if origin.format not in FORMATS:
        raise Unusable(f"origin is of format {shortened(repr(origin.format))}")
    return origin


def _monomials(data: ArrayLike, d: int) -> Monomials:
    made: Monomials = decoded(Monomials, data, "monomials")
    if made.degree < 1:
        raise Unusable("degree is no whole number above 0")
    for term in made.terms:
        if not 1 <= len(term) <= made.degree:
            raise Unusable(f"a term has {len(term)} factors, and the degree is {made.degree}")
        if term[0] < 0 or term[-1] >= d or list(term) != sorted(term):
            raise Unusable(f"the factors of a term are not from 0 to {d - 1} in ascending order")
    return made


def _column(data: ArrayLike) -> NumberEncoding | CategoryEncoding:
    cls, rest = kind_of(data, COLUMNS, "a column")
    column: NumberEncoding | CategoryEncoding = decoded(cls, rest, "a column")
    if isinstance(column, CategoryEncoding) and column.fill not in (None, *column.levels):
        raise Unusable("a column is filled by what is no level of it")
    return column


def recipes_of(data: ArrayLike, encoding: Encoding) -> tuple[Recipe, ...]:
    """Return the recipes in a file; `Unusable` where they do not make columns of the encoding."""
    recipes = tuple(_recipe(part) for part in list_of(data, "recipes"))
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


LIBSVM = Dialect("whitespace", "", header=False, quote="", decimal=".")


def refuse_other_learner(learner: Untyped) -> None:
    """Raise `Unusable` where a learner's numbers are not such as its parameters allow."""
    if getattr(learner, "probability_threshold_", None) and why_no_threshold(learner):
        raise Unusable("a threshold is of models that give probabilities")
    name = type(learner).__name__
    if name == "VotedPerceptron":
        _, _, _, start, x0 = learner._walk
        if bool(x0) != bool(learner.fit_intercept):
            raise Unusable("intercept is not what the parameter fit_intercept says")
        constants = start[:1]
    elif hasattr(learner, "intercept_"):
        constants = np.atleast_1d(learner.intercept_)
    else:
        return
    if name == "LogisticRegression":
        _refuse_other_limit(learner)
        if learner.direction_ is not None:
            parts = (constants, learner.direction_[:, 0], learner.finite_weights_[:1])
            constants = np.concatenate(parts)
    if not getattr(learner, "fit_intercept", True) and constants.any():
        raise Unusable("fit_intercept is false, and w_0 is not 0")
    if name == "Baseline":
        right = learner.answer in (1, -1) and learner.intercept_[0] == learner.answer
        if not right or learner.coef_.any():
            raise Unusable("its weights are not those of the parameter answer")


def _refuse_other_limit(learner: Untyped) -> None:
    if learner.direction_ is None:
        if learner.finite_weights_.tolist() != [learner.intercept_[0], *learner.coef_[0]]:
            raise Unusable("finite_weights_ are not the weights, and there is no direction_")
        return
    if learner.C not in (None, math.inf):
        raise Unusable("with a penalty (C is finite) no direction_ diverges")
    if not learner.direction_.any():
        raise Unusable("direction_ is 0")


def refuse_other_table(table: TableModel, features: tuple[str, ...] | None) -> None:
    """Raise `Unusable` where columns, terms, names and roles contradict each other."""
    encoding = table.encoding
    names = [column.name for column in encoding.columns]
    _refuse_twice(names, "a column")
    _refuse_twice(table.extra, "a name in extra")
    if table.label not in table.extra or set(names) & set(table.extra):
        raise Unusable("extra must name the label and no feature column")
    for column in encoding.columns:
        if isinstance(column, CategoryEncoding):
            baseline, others = column.levels[:1], column.levels[1:]
            if list(others) != sorted(set(others) - set(baseline)):
                raise Unusable("levels after the first are not in ascending order, each once")
    if encoding.monomials is not None:
        degree, d = encoding.monomials.degree, len(encoding.plain_names)
        if math.comb(d + min(degree, MOST_PRODUCTS + 1), d) - 1 > MOST_PRODUCTS:
            raise Unusable(f"degree {degree} of {d} features makes too many products")
        _refuse_twice(encoding.monomials.terms, "a term")
    if features is not None and features != encoding.feature_names:
        raise Unusable("features are not those that the table's columns make")
    if table.origin is not None:
        if table.origin.weight is not None and table.origin.weight not in table.extra:
            raise Unusable("extra must name the column of weights")
        _refuse_other_dialect(table.origin)


def _refuse_other_dialect(origin: Origin) -> None:
    dialect = origin.dialect
    if (dialect is None) != (origin.format not in TEXT_FORMATS):
        raise Unusable(f"a dialect is of text, and the format is {origin.format}")
    if dialect is None:
        return
    if origin.format == "svmlight" and replace(dialect, encoding="") != LIBSVM:
        raise Unusable("dialect is not that of a LIBSVM file")
    delimiter, decimal = dialect.delimiter, dialect.decimal
    try:
        Reading(delimiter=delimiter, quote=dialect.quote, decimal=decimal).refuse_dialect()
        text = codecs.lookup(dialect.encoding)._is_text_encoding
    except (InputError, LookupError, ValueError) as error:
        raise Unusable(f"dialect cannot be used: {error}") from None
    if not text or len({delimiter, decimal, dialect.quote}) < 3:
        raise Unusable("dialect contradicts itself")


def _refuse_twice(values: ArrayLike, what: str) -> None:
    if len(set(values)) < len(values):
        raise Unusable(f"{what} stands twice")
