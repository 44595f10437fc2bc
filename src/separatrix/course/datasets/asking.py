"""Checked parameters of makers: counts, shares, seeds; and the streams a seed stands for."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import InputError

ROWS, COLUMNS, MARGIN, FLIP, MISSING, SEED = (
    "n (--rows)", "d (--columns)", "margin (--margin)", "flip (--flip)", "--missing",
    "seed (--seed)",
)  # fmt: skip

NUMBERS = int | float | np.integer | np.floating

# streams of one seed: what one of them draws changes nothing in the others
POINTS, FLIPS, BLANKS = (), (1,), (2,)


def whole_number(what: str, value: Untyped, least: int) -> int:
    """Return value as an integer; `InputError` unless it is one, from `least` up."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{what} must be a whole number from {least} up; it is {value!r}.")
    return int(value)


def share(what: str, value: Untyped) -> float:
    """Return value as a float; `InputError` unless it lies in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, NUMBERS) or not 0.0 <= value <= 1.0:
        raise InputError(f"{what} must be a number from 0 to 1; it is {value!r}.")
    return float(value)


def size(what: str, value: Untyped) -> float:
    """Return value as a float; `InputError` unless it is finite and not negative."""
    if isinstance(value, bool) or not isinstance(value, NUMBERS) or not 0.0 <= value < np.inf:
        raise InputError(f"{what} must be a finite number from 0 up; it is {value!r}.")
    return float(value)


def stream(seed: int, which: tuple[int, ...]) -> np.random.Generator:
    return np.random.default_rng([whole_number(SEED, seed, 0), *which])


def flips(n: int, flip: float, seed: int) -> NDArray[np.bool_]:
    """Return which of n labels are flipped (n,), each with probability `flip`."""
    turned: NDArray[np.bool_] = stream(seed, FLIPS).random(n) < share(FLIP, flip)
    return turned
