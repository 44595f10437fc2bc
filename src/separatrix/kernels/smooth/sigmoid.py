"""sigma(s) = 1 / (1 + e^-s) and ln(1 + e^-a) by the block: several times as fast as one by one.

All of them start from e = e^-|s|, which lies in (0, 1], so that nothing overflows and tiny values
keep their digits. Loops have no branch and no call, so that they fill whole vector registers. The
polynomials are Taylor's; the reductions are those of every libm (Muller, *Elementary Functions*,
2016, chapters 4 and 11).
"""

import numpy as np

from separatrix.kernels._jit import compiled_fused, part_fused
from separatrix.kernels.rows import Floats

# e^x = 2^n e^r with n = round(x / ln 2): adding 1.5 * 2^52 rounds, and leaves n in the low bits
ROUNDER = 6755399441055744.0
PER_LN2 = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
LEAST = -708.0  # of x, so that 2^n is a normal double; e^-708 is 3e-308
LN2 = 0.6931471805599453
SPLIT = 0.41421356237309515  # ln(1 + e) is summed about 0 below it and about 1 above


@part_fused
def _exp(x: float) -> float:
    """Return e^x for -708 <= x <= 0, good to 2 ulp: Taylor's polynomial on |r| <= ln 2 / 2."""
    t = x * PER_LN2 + ROUNDER
    n = np.float64(t).view(np.int64)
    t -= ROUNDER
    r = (x - t * LN2_HIGH) - t * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    p1 = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
    p2 = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800))
    p3 = 1 / 479001600 + r * (1 / 6227020800)
    tail = r2 * (1 / 2 + r * (1 / 6)) + r4 * (p1 + r4 * (p2 + r4 * p3))
    return (1.0 + (r + tail)) * np.int64((n + 1023) << 52).view(np.float64)


@part_fused
def _decay(s: float) -> float:
    """Return e^-|s|; e^-708 beyond that."""
    x = -abs(s)
    return _exp(x if x > LEAST else LEAST)


@part_fused
def _log1p(e: float) -> float:
    """Return ln(1 + e) for 0 <= e <= 1, good to 3 ulp: 2 artanh of at most 0.172 in size."""
    above = e > SPLIT
    z = (e - 1.0 if above else e) / (e + 3.0 if above else e + 2.0)
    z2 = z * z
    z4 = z2 * z2
    z8 = z4 * z4
    p0 = 1 / 3 + z2 * (1 / 5)
    p1 = 1 / 7 + z2 * (1 / 9)
    p2 = 1 / 11 + z2 * (1 / 13)
    p3 = 1 / 15 + z2 * (1 / 17)
    p4 = 1 / 19 + z2 * (1 / 21)
    tail = z2 * ((p0 + z4 * p1) + z8 * ((p2 + z4 * p3) + z8 * p4))
    return (LN2 if above else 0.0) + 2.0 * (z + z * tail)


@compiled_fused
def logistic_slopes(s: Floats, y: Floats, weight: Floats, out: Floats) -> None:
    """Write -weight y sigma(-y s) into out, which is none of the others. NaN stays NaN."""
    for k in range(s.size):
        a = -y[k] * s[k]
        e = _decay(a)
        sigma = (1.0 if a >= 0.0 else e) / (1.0 + e)
        out[k] = -(sigma if a == a else a) * (y[k] * weight[k])  # noqa: PLR0124  # NaN differs


@compiled_fused
def logistic_parts(a: Floats, sigma: Floats, curvature: Floats, error: Floats) -> None:
    """Write sigma(-a), sigma(a) sigma(-a) and ln(1 + e^-a), all from one e^-|a|; NaN stays NaN."""
    for k in range(a.size):
        e = _decay(a[k])
        nan = 0.0 if a[k] == a[k] else a[k]
        share = 1.0 / (1.0 + e)
        sigma[k] = (e if a[k] >= 0.0 else 1.0) * share + nan
        curvature[k] = e * share * share + nan
        error[k] = (0.0 if a[k] >= 0.0 else -a[k]) + _log1p(e) + nan


@compiled_fused
def pulls_and_errors(a: Floats, y: Floats, weight: Floats, errors: Floats) -> None:
    """Make weight y sigma(-y a) of the scores a (T, n) of lines, and write ln(1 + e^-ya)."""
    for t in range(a.shape[0]):
        row, of_row = a[t], errors[t]
        for i in range(y.size):
            s = y[i] * row[i]
            e = _decay(s)
            nan = 0.0 if s == s else s  # noqa: PLR0124  # NaN differs
            row[i] = ((e if s >= 0.0 else 1.0) / (1.0 + e) + nan) * (weight[i] * y[i])
            of_row[i] = (0.0 if s >= 0.0 else -s) + _log1p(e) + nan
