"""Exact arithmetic: doubles as the rationals they are, and linear algebra over integers by FLINT.

Columns divided by powers of two are integers; with the weights multiplied by them no sign changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._later import flint
from separatrix._types import ArrayLike, Untyped
from separatrix.kernels.error_bound import score_error

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
IntegerRow = list[int]

# Rows independent modulo a prime are independent; these fit FLINT's word-sized arithmetic, and no
# power of two that doubles are apart is 1 modulo one. The second is for rows that seem dependent.
PRIMES = PRIME, OTHER_PRIME = (1 << 62) - 57, (1 << 62) - 87
ZEROS = np.iinfo(np.int64).max
AT_ONCE = 512  # rows of which copies are made together
LARGEST_EXPONENT = 1000  # of a power of two that is multiplied by
EXACT_BITS = 53  # of integers that doubles hold


def dyadic(values: Floats) -> tuple[Indices, Indices]:
    """Return integers m and exponents e of the same shape: values = m 2^e, m odd or zero."""
    fraction, exponent = np.frexp(values)
    mantissa = np.ldexp(fraction, 53).astype(np.int64)
    lowest_bit = (mantissa & -mantissa).astype(np.float64)
    trailing = np.where(mantissa == 0, 0, np.frexp(lowest_bit)[1] - 1).astype(np.int64)
    return mantissa >> trailing, exponent.astype(np.int64) - 53 + trailing


def column_exponents(values: Floats) -> Indices:
    """Return e (D,): the largest powers of two that make every column of values (n, D) whole."""
    return whole_exponents(lowest_exponents(values))


def lowest_exponents(values: Floats) -> Indices:
    """Return the same for some of the rows of a table, ZEROS for a column of zeros."""
    mantissa, exponent = dyadic(values)
    return np.asarray(np.where(mantissa == 0, ZEROS, exponent).min(axis=0))


def whole_exponents(lowest: Indices) -> Indices:
    """Return the exponents of all rows, given the lowest of them."""
    return np.where(lowest == ZEROS, 0, lowest)


def integer_rows(values: Floats, exponents: Indices) -> list[IntegerRow]:
    """Return values (n, D) with column j divided by 2^exponents[j], as Python integers."""
    mantissa, exponent = dyadic(values)
    shift = np.where(mantissa == 0, 0, exponent - exponents)
    if values.size == 0 or shift.max() + 53 <= 62:
        return (mantissa << shift).tolist()  # type: ignore[no-any-return]
    return (mantissa.astype(object) << shift.astype(object)).tolist()  # type: ignore[no-any-return]


def fractions_of(weights: Iterable[Any]) -> list[Fraction]:
    """Return Fractions, integers, floats and decimals as the rationals they are."""
    return [w if type(w) is Fraction else _rational(w) for w in weights]


def _rational(number: Any) -> Fraction:  # noqa: ANN401
    if isinstance(number, Fraction | int | float):
        return Fraction(number)
    if isinstance(number, np.integer):
        return Fraction(int(number))
    if isinstance(number, np.floating | Decimal):
        return Fraction(*number.as_integer_ratio())
    raise TypeError(f"{number!r} is not a real number")


def whole_multiples(numbers: Sequence[Fraction]) -> tuple[IntegerRow, int]:
    """Return the integers k and the least common denominator q > 0 with numbers = k / q."""
    q = math.lcm(*(a.denominator for a in numbers))
    return [a.numerator * (q // a.denominator) for a in numbers], q


def nearest_double(a: Fraction) -> float:
    """Return the nearest double, infinite where a is beyond the largest."""
    try:
        return float(a)
    except OverflowError:
        return math.inf if a > 0 else -math.inf


def squared_length(numbers: Iterable[Fraction]) -> Fraction:
    return sum((a * a for a in numbers), Fraction(0))


def times_power_of_two(a: Fraction, exponent: int) -> Fraction:
    if exponent == 0:
        return a
    return a * (1 << exponent) if exponent >= 0 else a / (1 << -exponent)


def exact_scores(values: Floats, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return values @ weights without rounding: values (n, D), weights (D,)."""
    product, unit = whole_scores(values, weights)
    a, q = unit.numerator, unit.denominator
    return [Fraction(int(s) * a, q) for s in product]


def exact_score_signs(values: Floats, weights: Sequence[Fraction]) -> Indices:
    """Return the sign of every one of those: (n,)."""
    product, _ = whole_scores(values, weights)
    if isinstance(product, np.ndarray):
        return np.sign(product).astype(np.int64)
    return np.array([sign(s) for s in product], dtype=np.int64)


def least_score(values: Floats, weights: Sequence[Fraction]) -> Fraction:
    """Return the least of those; of many rows most may be zero where the weights are not."""
    used = [j for j, w in enumerate(weights) if w]
    some = values[:, used]
    present = some.any(axis=1)
    product, unit = whole_scores(some[present], [weights[j] for j in used])
    least = [int(min(product)) * unit] if len(product) else []
    return min(least if present.all() else [*least, Fraction(0)])


def whole_scores(values: Floats, weights: Sequence[Fraction]) -> tuple[Any, Fraction]:
    """Return whole numbers, in floats that hold them or Python's, and the unit > 0 of scores."""
    used = [j for j, w in enumerate(weights) if w]
    if not used or not len(values):
        return [0] * len(values), Fraction(1)
    if len(used) < len(weights):
        values, weights = values[:, used], [weights[j] for j in used]
    exponents = column_exponents(values)
    shifted = [times_power_of_two(w, int(e)) for w, e in zip(weights, exponents, strict=True)]
    whole, q = whole_multiples(shifted)
    common = math.gcd(*whole)
    return whole_products(values, exponents, [k // common for k in whole]), Fraction(common, q)


def whole_products(values: Floats, exponents: Indices, v: IntegerRow) -> Any:  # noqa: ANN401
    """Return I v for I = values 2^-exponents (n, D), whole numbers in floats or Python's."""
    product: Any = short_product(values, exponents, v)
    if product is None:
        column = flint.fmpz_mat([[k] for k in v])
        product = [
            int(s) for s in (flint.fmpz_mat(integer_rows(values, exponents)) * column).entries()
        ]
    return product


def short_product(values: Floats, exponents: Indices, vector: Sequence[int]) -> Floats | None:
    """Return the same in floats (n,), where these hold all of it; else None."""
    bits_of_vector = max((abs(a).bit_length() for a in vector), default=0)
    room = EXACT_BITS - bits_of_vector - len(vector).bit_length()
    if room < 1 or not (np.abs(exponents) < LARGEST_EXPONENT).all():
        return None
    with np.errstate(over="ignore"):
        whole = values * np.ldexp(1.0, -exponents)
    if not (np.abs(whole) < 2.0**room).all():
        return None
    return np.asarray(whole @ np.array([float(a) for a in vector]))


def nonzero_products(values: Floats, exponents: Indices, vectors: Sequence[IntegerRow]) -> Indices:
    """Return the rows of I = values 2^-exponents (n, D), whole numbers, with I v != 0 for any v."""
    off = np.zeros(len(values), dtype=np.bool_)
    for k, v in enumerate(vectors):
        product = short_product(values, exponents, v)
        if product is None:
            columns = flint.fmpz_mat([list(v) for v in vectors[k:]]).transpose()
            rows = (flint.fmpz_mat(integer_rows(values, exponents)) * columns).tolist()
            return np.flatnonzero(off | np.array([any(some) for some in rows], dtype=np.bool_))
        off |= product != 0.0
    return np.flatnonzero(off)


def exact_combination(values: Floats, multipliers: Sequence[int]) -> list[Fraction]:
    """Return sum_n multipliers[n] values[n] without rounding: (D,)."""
    exponents = column_exponents(values)
    row = flint.fmpz_mat([list(multipliers)])
    total = [int(s) for s in (row * flint.fmpz_mat(integer_rows(values, exponents))).entries()]
    return [times_power_of_two(Fraction(s), int(e)) for s, e in zip(total, exponents, strict=True)]


def largest_square(values: Floats) -> Fraction:
    """Return max_n |values[n]|^2 exactly."""
    largest = float(np.abs(values).max())
    if largest == 0.0:
        return Fraction(0)
    scaled = np.ldexp(values, -np.frexp(largest)[1])
    squares = np.einsum("nj,nj->n", scaled, scaled)
    if values.shape[1] < 2**12 and not np.remainder(scaled, 2.0**-20).any():
        # multiples of 2^-40 below 2^12: nothing has been rounded
        shift = 2 * int(np.frexp(largest)[1])
        return times_power_of_two(Fraction(float(squares.max())), shift)
    off = score_error(values.shape[1], squares)
    doubtful = np.flatnonzero(squares + off >= (squares - off).max())
    near = np.abs(values[doubtful])
    if doubtful.size > 1:  # many rows may have the same length
        near = np.unique(near, axis=0)
    lowest = int(column_exponents(near.reshape(-1, 1))[0])
    rows = integer_rows(near, np.full(values.shape[1], lowest))
    return times_power_of_two(Fraction(max(sum(a * a for a in row) for row in rows)), 2 * lowest)


def scaled_floats(numbers: Sequence[Fraction]) -> Floats:
    """Return doubles proportional to the numbers, the largest about 1, each off by one rounding."""
    sizes = [bit_size(a) for a in numbers if a]
    if not sizes:
        return np.zeros(len(numbers))
    top = max(sizes)
    small = [a if a and bit_size(a) > top - 1070 else Fraction(0) for a in numbers]
    return np.array([float(times_power_of_two(a, -top)) for a in small])


def bit_size(a: Fraction) -> int:
    """Return e with |a| about 2^e, off by less than 1, for a nonzero rational."""
    return a.numerator.bit_length() - a.denominator.bit_length()


# ---------------------------------------------------------------------- square roots


def root_below(a: Fraction) -> float:
    """Return a double not above the square root of a >= 0, and within two ulp of it."""
    return _rounded_root(a, up=0)


def root_above(a: Fraction) -> float:
    """Return a double not below the square root of a >= 0, and within two ulp of it."""
    return _rounded_root(a, up=1)


def _rounded_root(a: Fraction, up: int) -> float:
    """Return the root of a rounded down (up=0) or up (up=1)."""
    if a == 0:
        return 0.0
    half = (130 - bit_size(a)) // 2  # the integer root has about 65 bits
    shifted = times_power_of_two(a, 2 * half)
    whole = shifted.numerator // shifted.denominator
    root = math.isqrt(whole)
    excess = root.bit_length() - 53
    if excess > 0:
        root = -(-root >> excess) if up else root >> excess
        half -= excess
    try:
        value = math.ldexp(root, -half)
    except OverflowError:
        return math.inf if up else math.nextafter(math.inf, 0.0)
    if up and Fraction(value) ** 2 < a:
        value = math.nextafter(value, math.inf)
    if not up and Fraction(value) ** 2 > a:
        value = math.nextafter(value, 0.0)
    return value


# ---------------------------------------------------------------------- integer linear algebra


def independent_rows(rows: Sequence[IntegerRow]) -> list[int]:
    """Return the positions of the rows, first come first kept, independent modulo a prime."""
    return _pivots(flint.fmpz_mat(rows).transpose()) if rows else []


def rank_at_least(rows: Sequence[IntegerRow]) -> int:
    """Return the rank modulo two primes: the rank over the rationals is that or more."""
    rank, whole = 0, flint.fmpz_mat(rows)
    for prime in PRIMES:
        if rank < min(whole.nrows(), whole.ncols()):
            rank = max(rank, int(flint.nmod_mat(whole, prime).rank()))
    return rank


def independent_columns(rows: Sequence[IntegerRow]) -> list[int]:
    """Return the positions of the columns, leftmost first, that are independent modulo a prime."""
    return _pivots(flint.fmpz_mat(rows))


def columns_by_themselves(rows: Sequence[IntegerRow]) -> list[int]:
    """Return the columns whose unit vector is, modulo a prime, a combination of the rows."""
    reduced, rank = _reduced(flint.fmpz_mat(rows))
    table = [row for row in reduced.tolist()[:rank] if sum(1 for a in row if int(a)) == 1]
    return [next(j for j, a in enumerate(row) if int(a)) for row in table]


def columns_outside(rows: Sequence[IntegerRow], first: int) -> list[int]:
    """Return the columns behind the first ones that those do not make up, modulo a prime."""
    reduced, rank = _reduced(flint.fmpz_mat(rows))
    within = sum(any(int(reduced[i, j]) for j in range(first)) for i in range(rank))
    below = range(within, rank)
    return [j for j in range(first, len(rows[0])) if any(int(reduced[i, j]) for i in below)]


def _pivots(whole: Untyped, primes: Sequence[int] = PRIMES) -> list[int]:
    reduced, rank = _reduced(whole, primes)
    found: list[int] = []
    j = 0
    for i in range(rank):
        while int(reduced[i, j]) == 0:
            j += 1
        found.append(j)
        j += 1
    return found


def _reduced(whole: Untyped, primes: Sequence[int] = PRIMES) -> tuple[Any, int]:
    """Return the reduced row echelon form modulo the prime of greater rank, and that rank."""
    best, rank = None, -1
    for prime in primes:
        if rank < min(whole.nrows(), whole.ncols()):
            reduced, found = flint.nmod_mat(whole, prime).rref()
            if found > rank:
                best, rank = reduced, int(found)
    return best, rank


def nullspace(rows: Sequence[IntegerRow], width: int) -> tuple[list[IntegerRow], list[int]]:
    """Return a basis of {v : row.v = 0 for every row} and the pivot columns."""
    if not rows:
        return [[int(i == j) for j in range(width)] for i in range(width)], []
    whole = flint.fmpz_mat(rows)
    pivots = _pivots(whole, PRIMES[:1])
    chosen = independent_rows([[row[j] for j in pivots] for row in rows]) if pivots else []
    free = sorted(set(range(width)) - set(pivots))
    basis = _vanishing([rows[i] for i in chosen], pivots, free)
    # as many vectors vanish on all rows as the rank modulo the prime leaves room for: it is exact
    if basis and any((whole * flint.fmpz_mat(basis).transpose()).entries()):
        return _echelon_nullspace(rows, width)
    return basis, pivots


def _vanishing(
    rows: Sequence[IntegerRow], pivots: Sequence[int], free: Sequence[int]
) -> list[IntegerRow]:
    """Return for each free column the vector vanishing on the rows and other free ones."""
    if not pivots or not free:
        return [[int(j == i) for j in range(len(pivots) + len(free))] for i in free]
    system = flint.fmpz_mat([[row[j] for j in pivots] for row in rows])
    answer: Any = system.solve(flint.fmpz_mat([[-row[j] for j in free] for row in rows]))
    solved, q = answer.numer_denom()
    basis = []
    for place, column in zip(free, solved.transpose().tolist(), strict=True):
        vector = [0] * (len(pivots) + len(free))
        vector[place] = int(q)
        for j, a in zip(pivots, column, strict=True):
            vector[j] = int(a)
        basis.append(primitive(vector))
    return basis


def _echelon_nullspace(
    rows: Sequence[IntegerRow], width: int
) -> tuple[list[IntegerRow], list[int]]:
    """Return what `nullspace` does, by elimination over the integers."""
    reduced, denominator, rank = flint.fmpz_mat([list(row) for row in rows]).rref()
    table = [[int(a) for a in reduced.tolist()[i]] for i in range(rank)]
    pivots = [next(j for j, a in enumerate(row) if a) for row in table]
    basis = []
    for free in sorted(set(range(width)) - set(pivots)):
        vector = [0] * width
        vector[free] = int(denominator)
        for row, j in zip(table, pivots, strict=True):
            vector[j] = -row[free]
        basis.append(primitive(vector))
    return basis, pivots


def primitive(vector: Sequence[int]) -> IntegerRow:
    """Return the vector divided by the greatest common divisor of its entries."""
    g = math.gcd(*vector)
    return [a // g for a in vector] if g > 1 else list(vector)


def sign(a: ArrayLike) -> int:
    return int(a > 0) - int(a < 0)


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True) if x and y)
