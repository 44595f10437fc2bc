"""Can a line be trusted outside the sample? Bounds on E_out from E_in, and what they assume.

Every bound here is about rows drawn independently from one distribution, the one that future rows
come from; where rows are days of one year or branches of one bank, none of them holds. A bound of 1
or more contains no information (`vacuous`). Numbers are floats, good to about ten digits.

Sources: Vapnik & Chervonenkis (1971) with the constants of Lin, *Machine Learning Foundations*,
lecture 7; Clopper & Pearson (1934); Floyd & Warmuth (1995) and Langford (2005, JMLR 6:273) for
compression; Vapnik (1998, section 10) for leaving one out; Cesa-Bianchi, Conconi & Gentile (2004)
for online runs; lecture 9 for the learning curve.
"""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainccinv, betaincinv, gammaln

from separatrix.data import Floats, InputError

LEAST_LEVEL = 1e-280  # below it the beta distribution's tail leaves float64's range


def vc_dimension(d: int, *, fit_intercept: bool = True) -> int:
    """Return d_vc of lines in d features: d + 1, or d through the origin.

    Raises
    ------
    InputError
        For a d that is no whole number, 0 or more.
    """
    _whole(d, "d", 0)
    return int(d) + 1 if fit_intercept else int(d)


def vc_bound(n: int, d: int, delta: float = 0.05, *, fit_intercept: bool = True) -> float:
    """Return Omega(N, H, delta) = sqrt((8 / N) ln(4 ((2 N)^d_vc + 1) / delta)).

    With probability 1 - delta over the draw of the N rows, E_out <= E_in + Omega for *every* line
    in the same d features at once, however it was chosen. Above 1 the bound contains no
    information.

    Parameters
    ----------
    n : N, rows
    d : features, without the constant
    delta : in (0, 1)

    Raises
    ------
    InputError
        For parameters out of range.
    """
    _whole(n, "n", 1)
    _probability(delta)
    dimension = vc_dimension(d, fit_intercept=fit_intercept)
    growth = np.logaddexp(dimension * math.log(2 * n), 0.0)  # ln((2 N)^d_vc + 1), never overflowing
    return math.sqrt(8.0 / n * (math.log(4.0) + float(growth) - math.log(delta)))


def clopper_pearson(mistakes: int, n: int, delta: float = 0.05) -> tuple[float, float]:
    """Return an interval that holds E_out with probability 1 - delta, from n rows never looked at.

    Exact for the binomial: each end is left out with probability at most delta / 2. The line must
    have been fixed before the rows were seen; the interval does not hold for the best of several
    lines that were tried on them.

    Parameters
    ----------
    mistakes : of the line on these rows
    n : number of these rows
    delta : in (0, 1)

    Raises
    ------
    InputError
        For parameters out of range.
    """
    _counts(mistakes, n)
    _probability(delta)
    lower = 0.0 if mistakes == 0 else float(betaincinv(mistakes, n - mistakes + 1, delta / 2))
    return lower, _most_likely_above(mistakes, n, math.log(delta / 2))


def compression_bound(
    n: int, support: int, mistakes: int = 0, delta: float = 0.05, *, bits: int = 0
) -> float:
    """Return a bound on E_out of a line that `support` of its N rows determine alone.

    Such is cyclic, naive or permuted PLA that ended by itself: run again on nothing but the rows it
    ever updated on, in the same order, it makes the same updates. `random` PLA is not: which
    mistake is drawn depends on all rows. A run on columns standardised with these rows is, once the
    bits that their means and scales are written in are counted too.

    With probability 1 - delta over the draw of the rows, for every size of the support at once: the
    other N - k rows test each of the C(N, k) 2^bits lines that k rows and a message could give, so
    that each gets the share delta / ((N + 1) C(N, k) 2^bits).

    Parameters
    ----------
    n : N, rows
    support : k, the rows that determine the line
    mistakes : on the other N - k rows
    delta : in (0, 1)
    bits : length, fixed beforehand, of what else the line was made from

    Raises
    ------
    InputError
        For parameters out of range.
    """
    _counts(support, n)
    _probability(delta)
    _whole(bits, "bits", 0)
    others = n - support
    if others == 0 and mistakes == 0:
        return 1.0
    _counts(mistakes, others)
    choices = gammaln(n + 1) - gammaln(support + 1) - gammaln(others + 1)
    level = math.log(delta) - math.log(n + 1) - float(choices) - bits * math.log(2.0)
    return _most_likely_above(mistakes, others, level)


def leave_one_out_bound(n: int, support: int) -> float:
    """Return k / N, which is at least the share of mistakes when each row in turn is left out.

    A row on which PLA (cyclic, naive, permuted) never updated can be left out without changing its
    line, which gets that row right; so at most the k rows of the support are mistaken. In the mean
    over draws of the rows this bounds E_out of the line learned from N - 1 rows; for one draw it
    promises nothing.

    Raises
    ------
    InputError
        For parameters out of range.
    """
    _counts(support, n)
    return support / n


def online_to_batch_bound(n: int, mistakes: int, delta: float = 0.05) -> float:
    """Return M / n + sqrt((2 / n) ln(1 / delta)) of an online run that made M mistakes in n rows.

    With probability 1 - delta over the draw of the rows, independent and from one distribution, it
    bounds the *mean* of E_out over the n lines w_0, ..., w_(n-1) that answered the rows: that of
    one of them drawn at random, so also that of the best of them. It says nothing of the last line
    alone, nor of their average. It holds for a number of rows that was fixed beforehand, and for
    any learner that reads each row once (Cesa-Bianchi, Conconi & Gentile 2004, IEEE Transactions on
    Information Theory 50:2050, proposition 1). 1 or more contains no information.

    Raises
    ------
    InputError
        For parameters out of range.
    """
    _counts(mistakes, n)
    _probability(delta)
    return mistakes / n + math.sqrt(-2.0 / n * math.log(delta))


def learning_curve(n: ArrayLike, d: int, noise_variance: float = 1.0) -> tuple[Floats, Floats]:
    """Return the expected squared E_in and E_out of linear regression, each like n.

    s^2 (1 - (d+1) / N) and s^2 (1 + (d+1) / N): for y = w_f.x + noise of variance s^2, columns
    that do not change (fixed design), E_out on the same rows with fresh noise, and d + 1
    independent columns, the constant counted.

    Parameters
    ----------
    n : rows, d + 1 or more, a number or an array
    d : features, without the constant
    noise_variance : s^2

    Raises
    ------
    InputError
        For fewer rows than columns, or a negative variance.
    """
    columns = vc_dimension(d)
    rows = np.asarray(n, dtype=np.float64)
    if not (rows >= columns).all():
        raise InputError(f"n={n!r} must be {columns} or more: with fewer rows E_in is 0 anyway.")
    if not 0.0 <= noise_variance < np.inf:
        raise InputError(f"noise_variance={noise_variance!r} must be a finite number, 0 or more.")
    shift = columns / rows
    return noise_variance * (1.0 - shift), noise_variance * (1.0 + shift)


def _most_likely_above(mistakes: int, n: int, log_level: float) -> float:
    """Return the largest p with P(at most `mistakes` in n | p) >= e^log_level, or above it.

    Beyond the range of the beta distribution's tail Chernoff's bound takes over, which is larger:
    n KL(mistakes / n || p) = -log_level.
    """
    if mistakes == n:
        return 1.0
    if mistakes == 0:
        return -math.expm1(log_level / n)
    if log_level > math.log(LEAST_LEVEL):
        return float(betainccinv(mistakes + 1, n - mistakes, math.exp(log_level)))
    q = mistakes / n

    def excess(p: float) -> float:
        divergence = q * math.log(q / p) + (1.0 - q) * math.log((1.0 - q) / (1.0 - p))
        return n * divergence + log_level

    from scipy.optimize import brentq  # a tenth of a second to import

    most = 1.0 - 2.0**-53
    return float(brentq(excess, q, most)) if excess(most) > 0.0 else 1.0


def _whole(value: int, name: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}={value!r} must be a whole number, {least} or more.")


def _counts(part: int, n: int) -> None:
    _whole(n, "the number of rows", 0)
    _whole(part, "the number of mistakes or support rows", 0)
    if part > n or n == 0:
        raise InputError(
            f"the count {part} must be between 0 and the number of rows, {n}, which must be at "
            "least 1."
        )


def _probability(delta: float) -> None:
    if not 0.0 < delta < 1.0:
        raise InputError(f"delta={delta!r} must lie between 0 and 1, both left out.")
