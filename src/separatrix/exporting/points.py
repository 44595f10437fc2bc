"""Which whole points, steps and threshold a card has: those that change the fewest decisions.

Floats propose; whether a row's points exceed the threshold is decided in exact arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError
from separatrix.exact.float_filter import exact_signs
from separatrix.exact.integers import exact_scores, nearest_double
from separatrix.exact.signed_rows import homogeneous
from separatrix.kernels.error_bound import score_error
from separatrix.model import Lines
from separatrix.tables import CategoryEncoding

STEPS_IN_A_RANGE = 10

Indices = NDArray[np.int64]


def steps_of(lines: Lines, X: Floats) -> list[Fraction]:
    """Return a step for every feature (d,): a tenth of its range, brought down to 1, 2 or 5."""
    levels = set()
    if lines.encoding.monomials is None:
        ends = np.cumsum([0, *(len(c.feature_names) for c in lines.encoding.columns)])
        for start, column in zip(ends, lines.encoding.columns, strict=False):
            if isinstance(column, CategoryEncoding):
                levels |= set(range(start, start + len(column.feature_names)))
    return [Fraction(1) if j in levels else _nice_step(X[:, j]) for j in range(X.shape[1])]


def _nice_step(values: Floats) -> Fraction:
    size = float(values.max() / STEPS_IN_A_RANGE - values.min() / STEPS_IN_A_RANGE)
    if not size > 0.0:  # a constant column
        size = abs(float(values[0])) / STEPS_IN_A_RANGE
    if not size > 0.0:
        return Fraction(1)
    exponent = math.floor(math.log10(size))
    leading = max((k for k in (1, 2, 5) if k * Fraction(10) ** exponent <= size), default=1)
    step = leading * Fraction(10) ** exponent
    whole = bool((values == np.floor(values)).all())
    return max(step, Fraction(1)) if whole else step  # a tenth of a child means nothing


def fewest_changes(
    weights: Floats, steps: list[Fraction], X: Floats, says_yes: NDArray[np.bool_], most: int
) -> tuple[int, list[int], Indices]:
    """Return threshold, points (d,) and changed rows of the scale with the fewest changes."""
    exact = [Fraction(w) * step for w, step in zip(weights[1:].tolist(), steps, strict=True)]
    top = max(map(abs, exact), default=Fraction(0)) or Fraction(1)
    shares = [value / top for value in exact]
    level = -Fraction(float(weights[0])) / top
    best: tuple[int, list[int], Indices] | None = None
    tried = set()
    for size in range(1, most + 1):
        whole = [round(size * share) for share in shares]
        if tuple(whole) in tried:
            continue
        tried.add(tuple(whole))
        reached = _reached(whole, steps, X)
        candidates = np.unique(np.append(reached, reached.min() - 1.0))
        yes, no = np.sort(reached[says_yes]), np.sort(reached[~says_yes])
        lost = np.searchsorted(yes, candidates, side="right")
        gained = no.size - np.searchsorted(no, candidates, side="right")
        distance = np.abs(candidates - nearest_double(size * level))
        threshold = int(candidates[np.lexsort((candidates, distance, lost + gained))[0]])
        changed = np.flatnonzero(above(weights_of(threshold, whole, steps), X) != says_yes)
        if best is None or len(changed) < len(best[2]):
            best = threshold, whole, changed
        if len(changed) == 0:
            break
    assert best is not None  # noqa: S101  # size 1 was tried
    return best


def _reached(whole: list[int], steps: list[Fraction], X: Floats) -> Floats:
    """Return for each row its points rounded up to a whole number: (N,)."""
    each = weights_of(0, whole, steps)[1:]
    floats = np.array([nearest_double(w) for w in each])
    with np.errstate(over="ignore", invalid="ignore"):
        totals = X @ floats
        slack = score_error(len(each), np.abs(X) @ np.abs(floats))
    if not np.isfinite(slack).all():
        raise InputError("the values are too large to be counted in whole points: rescale them.")
    reached: Floats = np.ceil(totals)
    close = np.flatnonzero(~(np.abs(totals - np.rint(totals)) > slack))
    reached[close] = [math.ceil(total) for total in exact_scores(X[close], each)]
    return reached


def weights_of(threshold: int, whole: list[int], steps: list[Fraction]) -> tuple[Fraction, ...]:
    """Return a card as a line (1+d,), exactly: minus the threshold first."""
    each = (p / step for p, step in zip(whole, steps, strict=True))
    return (Fraction(-threshold), *each)


def above(weights: tuple[Fraction, ...], X: Floats) -> NDArray[np.bool_]:
    """Return whether each row's points exceed the threshold, exactly: (N,)."""
    return exact_signs(homogeneous(X, 1.0), weights) > 0
