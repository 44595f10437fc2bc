"""What a line looks like from outside: the angle between two vectors, how far points are from it.

Floats propose, and where they cancel, overflow or underflow the sums are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.data import Floats, InputError, to_points
from separatrix.exact.integers import (
    dot,
    exact_scores,
    fractions_of,
    nearest_double,
    whole_multiples,
)
from separatrix.exact.signed_block import homogeneous
from separatrix.kernels.error_bound import score_error

FINER = 128  # bits of a square root below the point
CANCELLED = 2.0**40  # scores with less than this many times their error bound are made exact
UNDERFLOWN = 1e-290  # products below it may have lost digits


def angle(w: ArrayLike, v: ArrayLike) -> float:
    """Return the angle between two vectors in radians, from 0 to pi.

    Between two lines it is that of their normal vectors, w[1:] and v[1:]; with w_0 among the
    components it is an angle in the space of (1, x), where PLA's proof lives.

    Parameters
    ----------
    w, v : arrays (k,)
        Neither of them zero. Their lengths do not matter, the units of the columns do.

    Returns
    -------
    float
        Correct to the last digit or two at every angle: it is atan2(|w ^ v|, w.v), both parts
        exact, with |w ^ v|^2 = |w|^2 |v|^2 - (w.v)^2 (Lagrange). An arc cosine would lose half of
        its digits near 0 and pi.

    Raises
    ------
    InputError
        When a vector is zero, not finite or not of one dimension, or their lengths differ.

    Examples
    --------
    >>> angle([1, 0], [0, 2]) / math.pi, angle([1, 1e-9], [1, 0]), angle([1, 2], [-2, -4]) / math.pi
    (0.5, 1e-09, 1.0)
    """
    a, b = (  # whole multiples: lengths do not matter
        whole_multiples(fractions_of(_finite(given, name)))[0]
        for given, name in ((w, "w"), (v, "v"))
    )
    if len(a) != len(b):
        raise InputError(f"w has {len(a)} components and v has {len(b)}: angles need as many.")
    for name, vector in (("w", a), ("v", b)):
        if not any(vector):
            raise InputError(f"{name} is zero: it has no direction, and so no angle.")
    inner = dot(a, b)
    wedge = math.isqrt((dot(a, a) * dot(b, b) - inner * inner) << (2 * FINER))
    inner <<= FINER
    larger = max(wedge, abs(inner))
    return math.atan2(wedge / larger, inner / larger)


def distance(X: ArrayLike, w: ArrayLike) -> Floats:
    """Return how far points are from the line w_0 + w_1 x_1 + ... + w_d x_d = 0, in x-space.

    Never negative: |s| / |(w_1, ..., w_d)|, where the sign of the score s says on which side. w_0
    is not part of the length; the margin rho of a line divides by all of |w|, in the space of
    (1, x), and is another number.

    Parameters
    ----------
    X : array or sparse array (N, d)
    w : array (1+d,)
        The line, w_0 first: ``np.append(model.intercept_, model.coef_)``.

    Returns
    -------
    float64 array (N,)
        In the units of the columns, to 12 digits; 0 exactly for points on the line; inf where it
        is beyond float64's range.

    Raises
    ------
    InputError
        When X or w cannot be used, or w[1:] is zero: that is no line.

    Examples
    --------
    >>> distance([[0, 0], [3, 4], [1, 0]], [-5, 3, 4]).tolist()
    [1.0, 4.0, 0.4]
    """
    points = to_points(X)
    weights = _finite(w, "w")
    if weights.size != points.shape[1] + 1:
        raise InputError(
            f"w has {weights.size} components and X has {points.shape[1]} columns: w must have one "
            "more, w_0 first."
        )
    if not weights[1:].any():
        raise InputError("w[1:] is zero: where no column has a weight there is no line.")
    exponent = math.frexp(np.abs(weights[1:]).max())[1]
    length = math.hypot(*np.ldexp(weights[1:], -exponent))  # between 1/2 and sqrt(d)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.abs(points @ weights[1:] + weights[0])
        sizes = abs(points) @ np.abs(weights[1:]) + abs(weights[0])
        error = score_error(weights.size, sizes, tiny=UNDERFLOWN)
        far = np.ldexp(scores / length, -exponent)
        near = np.flatnonzero(~((scores > CANCELLED * error) & (far < np.inf)))
    unit = Fraction(length) * Fraction(2) ** exponent
    whole = exact_scores(homogeneous(points[near], 1.0), fractions_of(weights))
    far[near] = [nearest_double(abs(s) / unit) for s in whole]
    return np.asarray(far)


def _finite(vector: ArrayLike, name: str) -> Floats:
    try:
        values = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers.") from None
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(
            f"{name} must be finite numbers in one dimension; it has shape {values.shape}."
        )
    return values
