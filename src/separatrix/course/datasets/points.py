"""Points on both sides of a known line, with a margin that holds exactly, and with noise.

Points are drawn evenly from a cube around the point of the line nearest to 0, and then moved
straight away from the line, each on its own side, by what the margin requires. That works for every
margin, throws nothing away and needs no luck; the margin is then checked in exact arithmetic. Only
additions and multiplications in a fixed order are used: the same bytes on every processor.
"""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Sample, require_memory
from separatrix.exact.integers import fractions_of
from separatrix.exact.signed_rows import SignedRows

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


def number(what: str, value: Untyped, least: float = 0.0, most: float = np.inf) -> float:
    """Return value as a float; `InputError` unless it is a finite number of this range."""
    known = isinstance(value, NUMBERS) and not isinstance(value, bool)
    if not known or not least <= value <= most or not np.isfinite(value):
        said = f"a number from {least:g} to {most:g}"
        said = f"a finite number from {least:g} up" if most == np.inf else said
        raise InputError(f"{what} must be {said}; it is {value!r}.")
    return float(value)


def stream(seed: int, which: tuple[int, ...]) -> np.random.Generator:
    return np.random.default_rng([whole_number(SEED, seed, 0), *which])


def flips(n: int, flip: float, seed: int) -> NDArray[np.bool_]:
    """Return which of n labels are flipped (n,), each with probability `flip`."""
    turned: NDArray[np.bool_] = stream(seed, FLIPS).random(n) < number(FLIP, flip, most=1)
    return turned


SLACKS = (2.0**-40, 2.0**-30, 2.0**-20, 2.0**-10)  # on top of the margin, for rounding


class SeparablePoints(NamedTuple):
    """Points (N, d), labels (N,) of -1 and +1, and the line they come from."""

    X: Floats  # (N, d)
    y: NDArray[np.int64]  # (N,) of -1 and +1
    target: Floats  # (1+d,) w_f, w_0 first


class NoisyPoints(NamedTuple):
    """Points some of whose labels were flipped."""

    X: Floats
    y: NDArray[np.int64]
    target: Floats
    flipped: NDArray[np.bool_]  # (N,) which rows' labels are not the target's


def make_separable(
    n: int = 200, d: int = 2, margin: float = 0.1, target: ArrayLike = None, seed: int = 0
) -> SeparablePoints:
    """Return n points in d dimensions with y (1, x).w_f / |w_f| >= margin on every row, exactly.

    The margin is the one of the mistake bound, in the space of (1, x), w_0 counted; the doubles
    returned have it as the rationals that they are. With margin 0 every row is strictly on its
    side. Both labels occur. Same arguments, same bytes.

    Parameters
    ----------
    n : int, from 2 up
    d : int, from 1 up
    margin : float, from 0 up
    target : (1+d,) numbers, w_0 first; None draws whole numbers from -9 to 9
    seed : int, from 0 up

    Raises
    ------
    InputError
        For invalid parameters, and where no doubles have that margin.

    Examples
    --------
    >>> X, y, w = make_separable(100, margin=0.5)
    >>> bool((y * (X @ w[1:] + w[0]) / np.linalg.norm(w)).min() >= 0.5)
    True
    """
    n, d = whole_number(ROWS, n, 2), whole_number(COLUMNS, d, 1)
    margin = number(MARGIN, margin)
    require_memory(8 * 8 * n * (d + 1), f"Making {n:,} rows of {d:,} columns")
    draw = stream(seed, POINTS)
    drawn = _drawn_target(draw, d)  # also where one is given: the points stay the same
    w = drawn if target is None else _given_target(target, d)
    offsets = 2.0 * draw.random((n, d)) - 1.0
    side = np.where(_products(offsets, w[1:]) > 0.0, 1, -1)
    if abs(side.sum()) == n:  # both labels occur
        offsets[0], side[0] = -offsets[0], -side[0]
    for slack in SLACKS:
        X = _apart(offsets, side, w, margin, slack)
        if np.isfinite(X).all() and _has_margin(X, side, w, margin):
            return SeparablePoints(X, side, w)
    raise InputError(
        f"no points in float64 have margin {margin!r} from this target: its weights, or the "
        "margin, are too large or too different in size."
    )


def make_noisy(
    n: int = 200,
    d: int = 2,
    margin: float = 0.1,
    target: ArrayLike = None,
    seed: int = 0,
    *,
    flip: float = 0.1,
) -> NoisyPoints:
    """Return the points of `make_separable`, each label flipped with probability `flip`.

    So P(y | x) is 1 - flip for the target's answer. `flipped` says which rows were: the target
    makes exactly those mistakes. With few rows, one label may be left.

    Raises
    ------
    InputError
        As `make_separable`; and for a flip that is not a probability.

    Examples
    --------
    >>> X, y, w, flipped = make_noisy(100, flip=0.2)
    >>> bool((((X @ w[1:] + w[0] > 0) != (y > 0)) == flipped).all())
    True
    """
    X, y, w = make_separable(n, d, margin, target, seed)
    flipped = flips(n, flip, seed)
    return NoisyPoints(X, np.where(flipped, -y, y), w, flipped)


def _drawn_target(draw: np.random.Generator, d: int) -> Floats:
    """Return whole weights (1+d,), none of them 0 but perhaps w_0."""
    u = draw.random((2, d))
    w = np.where(u[0] < 0.5, -1.0, 1.0) * np.floor(1.0 + 9.0 * u[1])
    return np.append(np.floor(9.0 * draw.random()) - 4.0, w)


def _given_target(target: ArrayLike, d: int) -> Floats:
    try:
        w = np.array(target, dtype=np.float64)
    except (TypeError, ValueError):
        w = np.empty(0)
    if w.shape != (d + 1,) or not np.isfinite(w).all() or not w[1:].any():
        raise InputError(
            f"target must hold {d + 1} finite numbers for d = {d}, w_0 first, and not only zeros "
            "after it: without a weight on a feature there is no line."
        )
    return w


def _apart(
    offsets: Floats, side: NDArray[np.int64], w: Floats, margin: float, slack: float
) -> Floats:
    """Return the points: foot of the line + offset + what puts them off the line, towards side."""
    w = np.ldexp(w, -np.frexp(np.abs(w).max())[1])  # lengths neither overflow nor vanish
    normal = w[1:]
    square = math.fsum(normal * normal)
    if square == 0.0:  # the features' weights vanish beside w_0
        return np.full(offsets.shape, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        foot = (-w[0] / square) * normal
        reach = 1.0 + float(np.abs(foot).max())
        gap = (margin + slack * max(reach, margin)) * math.sqrt(math.fsum(w * w))
        return np.asarray(offsets + foot + side[:, np.newaxis] * (gap / square * normal))


def _has_margin(X: Floats, side: NDArray[np.int64], w: Floats, margin: float) -> bool:
    """Whether y (1, x).w >= margin |w|, and > 0, on every row: decided in rationals."""
    exact = fractions_of(w)
    sample = Sample(X, side.astype(np.float64), np.array([-1, 1]), np.ones(len(X)))
    least, _ = SignedRows(sample).least(exact)
    length_squared = sum((a * a for a in exact), Fraction(0))
    return least > 0 and least**2 >= Fraction(margin) ** 2 * length_squared


def _products(points: Floats, weights: Floats) -> Floats:
    """Return points @ weights (N,), summed in the order of the columns."""
    total = np.zeros(len(points))
    for j, weight in enumerate(weights):
        total += points[:, j] * weight
    return total
