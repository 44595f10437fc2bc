"""A model file read: objects of a closed list of classes, every part of them checked."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError, Labels, shortened
from separatrix.model.checksum import KEY, checksum
from separatrix.model.consistency import refuse_other_learner, refuse_other_table
from separatrix.model.joining import RULES, about, joined, n_questions, single
from separatrix.model.kinds import (
    FORMAT,
    LABEL_KINDS,
    LARGEST_FILE,
    LEARNERS,
    OF_A_FILE,
    OF_A_JOINED_FILE,
    OF_A_LEARNER,
    VERSION,
    Origin,
    TableModel,
)
from separatrix.model.parts import read_into
from separatrix.model.recipes import recipes_of
from separatrix.model.strict import (
    Unusable,
    decoded,
    keys_of,
    kind_of,
    list_of,
    strict_json,
    texts_of,
)
from separatrix.tables import CategoryEncoding, Encoding, Monomials, NumberEncoding
from separatrix.tables.files.formats import FORMATS

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
    data = keys_of(
        data, OF_A_JOINED_FILE if "rule" in data else OF_A_FILE | OF_A_LEARNER, "the file"
    )
    if data[KEY] != checksum(data):
        raise Unusable(
            "its content is not that of its SHA-256, so it was changed after it was written: take "
            "the original, or learn the model again"
        )
    return _joined(data) if "rule" in data else _single(data)


def _single(data: dict[str, Any]) -> Untyped:
    """Return the learner in a file."""
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
    parts = [
        _learner(keys_of(part, OF_A_LEARNER, "a model"))
        for part in list_of(data["models"], "models")
    ]
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
    cls = LEARNERS[name]
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


def _table(
    data: ArrayLike,
    n_features: int,
    features: tuple[str, ...] | None,
) -> TableModel | None:
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
