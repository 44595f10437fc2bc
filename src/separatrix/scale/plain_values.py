"""Values of passes as bytes, and back: arrays, numbers, text and what holds them; no pickle."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from separatrix._types import Untyped

KINDS = "biufSU"  # of arrays that hold numbers or text


def to_bytes(value: Untyped) -> bytes:
    """Return a value as bytes: a line of JSON, then the bytes of its arrays."""
    arrays: list[bytes] = []
    tree = json.dumps(_plain(value, arrays), separators=(",", ":")).encode()
    return b"".join([tree, b"\n", *arrays])


def from_bytes(data: bytes | memoryview) -> Untyped:
    whole = bytes(data)
    end = whole.index(b"\n")
    return _Reader(whole, end + 1).value(json.loads(whole[:end]))


def _plain(value: Untyped, arrays: list[bytes]) -> Untyped:
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, np.generic)):
        made: Untyped = value
    elif isinstance(value, np.generic | np.ndarray) and value.dtype.kind in KINDS:
        arrays.append(np.ascontiguousarray(value).tobytes())
        kind = "scalar" if isinstance(value, np.generic) else "array"
        made = {kind: [value.dtype.str, list(value.shape)]}
    elif isinstance(value, float):
        made = {"float": value.hex()}
    elif isinstance(value, Fraction):
        made = {"fraction": str(value)}
    elif isinstance(value, list):
        made = [_plain(item, arrays) for item in value]
    elif isinstance(value, tuple):
        made = {"tuple": [_plain(item, arrays) for item in value]}
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        made = {"dict": [[key, _plain(item, arrays)] for key, item in value.items()]}
    else:
        raise TypeError(f"{type(value).__name__} is not written")
    return made


class _Reader:
    """Makes values of JSON; arrays are read one after the other, as they were written."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def value(self, tree: Untyped) -> Untyped:
        if isinstance(tree, list):
            return [self.value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((kind, held),) = tree.items()
        made = MAKERS.get(kind)
        return self._array(kind, *held) if made is None else made(self, held)

    def _array(self, kind: str, dtype: str, shape: list[int]) -> Untyped:
        count = int(np.prod(shape, dtype=object))
        array = np.frombuffer(self.data, np.dtype(dtype), count, self.at).reshape(shape).copy()
        self.at += array.nbytes
        return array[()] if kind == "scalar" else array


MAKERS: Mapping[str, Callable[[_Reader, Untyped], Untyped]] = {
    "float": lambda _, held: float.fromhex(held),
    "fraction": lambda _, held: Fraction(held),
    "tuple": lambda reader, held: tuple(reader.value(item) for item in held),
    "dict": lambda reader, held: {key: reader.value(item) for key, item in held},
}
