"""Which of the separating lines to report: one with a decent margin and readable weights.

The least point of the hull of the z_n is the direction of largest margin, and its coordinates there
bound every margin (`multipliers.py`). It comes from least squares with lambda >= 0 (Lawson & Hanson
1974, chapter 23): with s = sum lambda, |sum lambda z|^2 + (1 - s)^2 is s^2 times the squared length
of a point of the hull plus (1 - s)^2, smallest over s at a value that grows with that length. All
of this is floats and only proposes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import nnls

from separatrix.certificates.cone import Cone
from separatrix.certificates.exact import (
    Floats,
    Indices,
    IntegerRow,
    fractions_of,
    least_score,
    scaled_floats,
    times_power_of_two,
)

ROUNDS = 12
MULTIPLES = 64  # roundings tried where the nearest doubles do not separate
KEPT = 0.9  # of the margin, when weights are rounded
LARGEST = [*range(1, 20), *(2**k for k in range(5, 53))]  # of whole weights, in turn


@dataclass(frozen=True)
class LeastPoint:
    """A proposed least point of the hull: line (D,), rows (m,), multipliers (m,) > 0."""

    line: Floats
    rows: Indices
    multipliers: Floats


def least_point(values: Floats, near: Floats) -> LeastPoint | None:
    """Return the least point of the hull of values (n, D), or None when floats fail.

    Parameters
    ----------
    near : (D,) a separating line; the rows nearest to it come first
    """
    width = values.shape[1]
    working = np.argsort(values @ near, kind="stable")[: 20 * width + 50]
    answer = None
    for _ in range(ROUNDS):
        try:
            multipliers, _ = nnls(
                np.vstack([values[working].T, np.ones(working.size)]),
                np.append(np.zeros(width), 1.0),
            )
        except RuntimeError:  # its iteration limit
            return answer
        line = multipliers @ values[working]
        used = multipliers > 1e-12 * multipliers.max(initial=0.0)
        if not used.any() or not line.any():
            return answer
        answer = LeastPoint(line, working[used], multipliers[used])
        scores = values @ line
        new = np.setdiff1d(np.argsort(scores, kind="stable")[: 4 * width], working)
        new = new[scores[new] < scores[working].min() - 1e-9 * abs(scores[working].min())]
        if new.size == 0:
            return answer
        working = np.append(working, new)
    return answer


def float_margin(values: Floats, line: Floats) -> float:
    """Return min values @ line / |line|, rounded; 0 where floats fail."""
    length = float(np.linalg.norm(line))
    rho = float((values @ line).min()) / length if 0.0 < length < np.inf else 0.0
    return rho if np.isfinite(rho) else 0.0


def presentable(values: Floats, exact: list[Fraction]) -> tuple[list[Fraction], LeastPoint | None]:
    """Return a separating line to report instead of the one found, and what bounds every margin.

    Parameters
    ----------
    values : (n, D) the rows z_n
    exact : (D,) weights that separate them

    Returns
    -------
    weights : exact weights that separate, of more margin where floats found more, rounded to few
        digits where that keeps most of it
    point : the float least point, for its multipliers
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a proposal that overflows is passed over
        common = np.ldexp(values, -np.frexp(np.abs(values).max())[1])
        line = scaled_floats(exact)
        point = least_point(common, line)
        lines = [line] if point is None else [point.line, line]
        for candidate in sorted(lines, key=lambda w: -float_margin(common, w)):
            if float_margin(common, candidate) <= 0.0:
                continue
            for weights in _few_digits(values, common, candidate):
                if least_score(values, weights) > 0:
                    return weights, point
        for weights in _as_doubles(exact):
            if least_score(values, weights) > 0:
                return weights, point
        return exact, point


def _as_doubles(exact: list[Fraction]) -> Iterator[list[Fraction]]:
    """Yield multiples of a line rounded to doubles: each multiple rounds differently.

    Two rows that differ in their last bit are separated by few lines that doubles can hold.
    """
    largest = max(abs(w) for w in exact)
    for k in range(1, 2 * MULTIPLES, 2):
        doubles = [float(w / largest * k) for w in exact]
        yield [Fraction(w) for w in doubles]


def _few_digits(values: Floats, common: Floats, line: Floats) -> Iterator[list[Fraction]]:
    """Yield roundings of the line, coarse to fine, that keep its float margin; then the line."""
    _, exponent = np.frexp(np.abs(values).max(axis=0))
    unit = np.ldexp(line, exponent - exponent.max())
    unit = unit / np.abs(unit).max()
    wanted = KEPT * float_margin(common, line)
    nearest = common[np.argsort(common @ line, kind="stable")[:500]]
    for largest in LARGEST:
        whole = np.rint(unit * largest)
        candidate = np.ldexp(whole, exponent.max() - exponent)
        if float_margin(nearest, candidate) < wanted or float_margin(common, candidate) < wanted:
            continue
        yield [
            times_power_of_two(Fraction(int(a)), -int(e))
            for a, e in zip(whole, exponent, strict=True)
        ]
    yield fractions_of(line)


def simplest(cone: Cone, v: IntegerRow) -> IntegerRow:
    """Return a line of few digits that is positive on the rows of the cone, as v is."""
    u, _ = cone.float_weights(v)
    wanted = KEPT * float_margin(cone.floats, u)
    for largest in LARGEST:
        candidate = np.rint(u / np.abs(u).max() * largest)
        if float_margin(cone.floats, candidate) < wanted:
            continue
        rounded = cone.line_from_floats(candidate)
        if (cone.signs(rounded) > 0).all():
            return rounded
    return v


def normalised(weights: list[Fraction]) -> list[Fraction]:
    """Return the weights times a power of two: whole numbers if below 2^53, else near 1.

    Weights whose sizes differ by more than doubles can span from 1 down are centred around 1.
    """
    nonzero = [w for w in weights if w]
    lowest = min(_lowest_exponent(w) for w in nonzero)
    if all((w.denominator & (w.denominator - 1)) == 0 for w in nonzero):
        whole = [times_power_of_two(w, -lowest) for w in weights]
        if max(abs(w) for w in whole) < 2**53:
            return whole
    sizes = [w.numerator.bit_length() - w.denominator.bit_length() for w in nonzero]
    spread = max(sizes) - min(sizes)
    middle = max(sizes) if spread < 900 else (max(sizes) + min(sizes)) // 2
    return [times_power_of_two(w, -middle) for w in weights]


def _lowest_exponent(w: Fraction) -> int:
    """Return e with w = odd 2^e, for a nonzero dyadic rational."""
    low = (w.numerator & -w.numerator).bit_length() - 1
    return low - (w.denominator.bit_length() - 1)
