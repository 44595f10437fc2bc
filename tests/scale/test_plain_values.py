"""Values of passes are written and read back as they were."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.scale.checkpoint import from_bytes, to_bytes

VALUES = [
    None, True, 10**30, "Größe\n", -np.inf, np.nan, Fraction(-1, 3), np.array([np.nan, -0.0]),
    (1, [0.1, (None,)], {"a": np.arange(6.0).reshape(2, 3), "b": (np.float64(0.1), np.int64(-3))}),
    [np.array([True, False]), np.zeros((0, 4)), np.array(["no", "yes"]), np.array(2.0)],
]  # fmt: skip


def same(a, b) -> bool:
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and repr(a) == repr(b)  # nan is nan


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_is_written_is_read_back(value):
    assert same(value, from_bytes(to_bytes(value)))


@pytest.mark.parametrize("value", [
    object(), {1: 2}, np.array([None]), {1, 2}, b"x",
], ids=["object", "dict", "objects", "set", "bytes"])  # fmt: skip
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match="is not written"):
        to_bytes([value])
