"""Which of many lines to propose: one of few digits that keeps most of the margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix.exact.cone import Cone
from separatrix.exact.integers import Floats, Indices, IntegerRow, dyadic, times_power_of_two

MULTIPLES = 64  # roundings tried where the nearest doubles do not separate
WHOLE_BITS = 53  # of whole numbers that doubles hold
NOTHING = Fraction(0)
KEPT = 0.9  # of the margin, when weights are rounded
LARGEST = [*range(1, 20), *(2**k for k in range(5, 53))]  # of whole weights, in turn


def float_margins(values: Floats | sp.csr_array, lines: Floats) -> Floats:
    """Return min values @ line / |line| for each column of lines (D, m), rounded."""
    lengths = np.linalg.norm(lines, axis=0)
    rho = (values @ lines).min(axis=0) / np.where(lengths > 0.0, lengths, np.inf)
    return np.where(np.isfinite(rho) & np.isfinite(lengths), rho, 0.0)


def as_doubles(exact: Sequence[Fraction], size: int = 1) -> Iterator[list[Fraction]]:
    """Yield multiples of a line, about this large, as doubles: each multiple rounds differently."""
    largest = max(abs(w) for w in exact)
    for k in range(1, 2 * MULTIPLES, 2):
        doubles = [float(w / largest * k * size) for w in exact]
        yield [Fraction(w) for w in doubles]


def few_digits(
    values: Floats | sp.csr_array, line: Floats, kept: float
) -> Iterator[tuple[Floats, Indices]]:
    """Yield roundings of a line, coarse to fine, that keep that share of its margin on rows."""
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is passed over
        largest = abs(values).max(axis=0)
        largest = largest.toarray().ravel() if sp.issparse(largest) else largest
        exponent = np.frexp(largest)[1]
        common = _times_power_of_two(values, -int(np.frexp(largest.max())[1]))
        unit = np.ldexp(line, exponent - exponent.max())
        wanted = kept * float_margins(common, line[:, None])[0]
        if not (wanted > 0.0 and unit.any()):
            return
        whole = np.rint(np.outer(unit / np.abs(unit).max(), LARGEST))
        margins = float_margins(common, np.ldexp(whole, (exponent.max() - exponent)[:, None]))
    for place in np.flatnonzero(margins >= wanted):
        yield whole[:, place], -exponent.astype(np.int64)


def _times_power_of_two(values: Floats | sp.csr_array, exponent: int) -> Floats | sp.csr_array:
    if isinstance(values, np.ndarray):
        return np.asarray(np.ldexp(values, exponent))
    scaled = np.ldexp(values.data, exponent)
    return sp.csr_array((scaled, values.indices, values.indptr), shape=values.shape)


def as_fractions(whole: Floats, exponent: Indices) -> list[Fraction]:
    """Return whole numbers in doubles times powers of two as fractions."""
    return [
        times_power_of_two(Fraction(int(a)), int(e)) for a, e in zip(whole, exponent, strict=True)
    ]


def as_whole_doubles(whole: Floats, exponent: Indices) -> Floats | None:
    """Return what `normalised` makes of whole numbers times powers of two, where that is whole."""
    odd, power = dyadic(whole)
    power += exponent
    shift = np.where(odd == 0, 0, power - power[odd != 0].min())
    size = np.frexp(odd.astype(np.float64))[1] + shift
    return np.ldexp(odd.astype(np.float64), shift) if size.max() <= WHOLE_BITS else None


def simplest(cone: Cone, v: IntegerRow) -> IntegerRow:
    """Return a line of few digits that is positive on the rows of the cone, as v is."""
    u, _ = cone.float_weights(v)
    wanted = KEPT * float_margins(cone.floats, u[:, None])[0]
    for largest in LARGEST:
        candidate = np.rint(u / np.abs(u).max() * largest)
        if float_margins(cone.floats, candidate[:, None])[0] < wanted:
            continue
        rounded = cone.line_from_floats(candidate)
        if (cone.signs(rounded) > 0).all():
            return rounded
    return v


def normalised(weights: list[Fraction]) -> list[Fraction]:
    """Return the weights times a power of two: whole numbers if below 2^53, else near 1."""
    nonzero = [w for w in weights if w]
    lowest = min(_lowest_exponent(w) for w in nonzero)
    if all((w.denominator & (w.denominator - 1)) == 0 for w in nonzero):
        whole = [times_power_of_two(w, -lowest) for w in weights]
        if max(abs(w) for w in whole) < 2**WHOLE_BITS:
            return whole
    sizes = [w.numerator.bit_length() - w.denominator.bit_length() for w in nonzero]
    spread = max(sizes) - min(sizes)
    middle = max(sizes) if spread < 900 else (max(sizes) + min(sizes)) // 2
    return [times_power_of_two(w, -middle) for w in weights]


def _lowest_exponent(w: Fraction) -> int:
    """Return e with w = odd 2^e, for a nonzero dyadic rational."""
    low = (w.numerator & -w.numerator).bit_length() - 1
    return low - (w.denominator.bit_length() - 1)


def simplest_within(low: int | None, high: int | None, unit: int) -> Fraction:
    """Return 0, else a whole, else a dyadic number strictly between bounds in parts of 1 / unit."""
    if (low is None or low < 0) and (high is None or high > 0):
        return NOTHING
    if low is None or (high is not None and high <= 0):
        assert high is not None  # noqa: S101  # one bound does not hold 0 back
        return -simplest_within(-high, None if low is None else -low, unit)
    parts = 1
    while True:
        number = low * parts // unit + 1
        if high is None or number * unit < high * parts:
            return Fraction(number) if parts == 1 else Fraction(number, parts)
        parts *= 2
