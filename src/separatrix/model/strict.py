"""JSON that is safe to read, and what is asked of its parts."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import GenericAlias, NoneType, UnionType
from typing import Any, get_args, get_type_hints

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, shortened

LARGEST_COUNT = 2**53
MOST_VALUES = 2**21  # at some 20 bytes each more than fill the largest file
DEEPEST = 12
STRINGS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # one read, closed or not


class Unusable(Exception):  # noqa: N818  # it never leaves this room
    """Why a file is no model."""


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """Return the text of a file of at most so many bytes in UTF-8; `InputError` for another."""
    try:
        size = Path(path).stat().st_size
        if not Path(path).is_file():
            raise InputError(f"{str(path)!r} is not a regular file.")
        if size > most:
            raise InputError(f"{str(path)!r} has {size:,} bytes; it may have at most {most:,}.")
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{str(path)!r} is not UTF-8 text, at byte {error.start}.") from None


def strict_json(text: str) -> Untyped:
    """Return parsed JSON; no repeated keys, no NaN or infinity, no deep nesting, only real text."""
    if (values := n_values(text)) > MOST_VALUES:
        raise Unusable(f"it holds {values:,} values, and a model has at most {MOST_VALUES:,}")
    depth = deepest = 0
    for bracket in re.finditer(r"[\[{\]}]", STRINGS.sub("", text)):
        depth += 1 if bracket.group() in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise Unusable(f"nested {deepest} deep")
    try:
        data = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite
        )
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Unusable("half a character stands in its text") from None
    except (ValueError, RecursionError) as error:
        raise Unusable(f"not JSON ({error})") from None
    return data


def n_values(text: str) -> int:
    """Return a bound on the values in JSON: its commas and opening brackets, not in strings."""
    bare = STRINGS.sub("", text)
    return sum(map(bare.count, ",[{"))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Unusable("a key stands twice")
    return made


def _no_constant(name: str) -> float:
    raise Unusable(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Unusable(f"{shortened(text)} is too large")
    return value


def keys_of(data: ArrayLike, wanted: set[str], where: str) -> dict[str, Any]:
    """Return an object that has these keys and no others."""
    if not isinstance(data, dict):
        raise Unusable(f"{where} is no object")
    if set(data) != wanted:
        odd = sorted(set(data) ^ wanted)
        named = ", ".join(shortened(repr(key)) for key in odd[:5])
        raise Unusable(f"{where} has unknown or missing keys: {named}")
    return data


def list_of(data: ArrayLike, where: str) -> list[Any]:
    if not isinstance(data, list):
        raise Unusable(f"{where} is no list")
    return data


def texts_of(data: ArrayLike, where: str) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(v, str) for v in data):
        raise Unusable(f"{where} is no list of text")
    return tuple(data)


def decoded(hint: Untyped, value: Untyped, where: str) -> Untyped:
    """Return a value of JSON as a type hint says: a dataclass, a tuple, X | None, or plain."""
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        needed = {field.name for field in fields(hint) if field.default is MISSING}
        given = set(value) & set(hints) if isinstance(value, dict) else set()
        data = keys_of(value, needed | given, where)
        return hint(**{name: decoded(hints[name], of, name) for name, of in data.items()})
    if isinstance(hint, UnionType):
        of = next(of for of in get_args(hint) if of is not NoneType)
        return None if value is None else decoded(of, value, where)
    if isinstance(hint, GenericAlias):
        return tuple(decoded(get_args(hint)[0], one, where) for one in list_of(value, where))
    if hint is float:
        return float(floats_of([value], 1, where)[0])
    if hint is not object and type(value) is not hint:
        raise Unusable(f"{where} is not as it should be")
    return value


def kind_of(
    data: ArrayLike, kinds: Mapping[str, Untyped], what: str
) -> tuple[Untyped, dict[str, Any]]:
    """Return what a member "kind" stands for, and the other members."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise Unusable(f"{what} is of kind {shortened(repr(kind))}")
    return kinds[kind], {key: value for key, value in data.items() if key != "kind"}


def floats_of(data: ArrayLike, size: int | None, where: str) -> Floats:
    """Return a list of finite numbers, of this size where one is given, and never empty."""
    if not isinstance(data, list) or not all(type(v) in (int, float) for v in data):
        raise Unusable(f"{where} is no list of numbers")
    if (not data and size is None) or (size is not None and len(data) != size):
        raise Unusable(f"{where} has {len(data)} numbers" + (f", not {size}" if size else ""))
    try:
        return np.array([float(v) for v in data])
    except OverflowError:
        raise Unusable(f"{where} has a number that is too large") from None


def counts_of(data: ArrayLike, size: int | None, below: int, where: str) -> Untyped:
    """Return a list of whole numbers from 0 up to, but not including, `below`: int64 array."""
    if not isinstance(data, list) or not all(type(v) is int and 0 <= v < below for v in data):
        raise Unusable(f"{where} is no list of whole numbers from 0 to {below - 1}")
    if size is not None and len(data) != size:
        raise Unusable(f"{where} has {len(data)} numbers, not {size}")
    return np.array(data, dtype=np.int64)


KEY = "sha256"


def checksum(data: dict[str, Any]) -> str:
    content = {name: value for name, value in data.items() if name != KEY}
    text = json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, KEY: checksum(data)}
