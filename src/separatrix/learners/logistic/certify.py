"""Dual points near sigma(-a): each proves a gap of sum weight KL(alpha, sigma(-a))."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlog1py, xlogy

from separatrix.data import Floats

LARGEST_MOVE = 0.5  # of a share, relative to it and to what is left of 1


def repaired(  # noqa: PLR0917  # one dual point
    sigma: Floats, rows: NDArray[np.int64], y: Floats, weight: Floats, moved: Floats, rest: float
) -> float:
    """Move the shares of some rows so that equalities hold; return the gap, times the value."""
    own = sigma[rows]
    moves = -y * moved / weight
    bound = bends(moves, moves / own, moves / (1.0 - own))
    if bound is None:
        return np.inf
    sigma[rows] = own + moves
    return float(weight @ bound) + rest


def bends(moves: Floats, up: Floats, down: Floats) -> Floats | None:
    """Return at least the divergence of sigma + moves from sigma; None for moves above a half."""
    if not max(np.abs(up).max(), np.abs(down).max()) <= LARGEST_MOVE:
        return None
    total = moves * (up * (1.0 + np.abs(up)) + down * (1.0 + np.abs(down)))
    return np.asarray(0.5 * total)


def divergences(alpha: Floats, a: Floats) -> Floats:
    """Return KL(alpha, sigma(-a)) of each row, without cancellation where the two are close."""
    sigma, rest = expit(-a), expit(a)
    other = 1.0 - alpha
    away = np.where(a >= 0.0, alpha - sigma, rest - other)  # from the smaller of the two shares
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = away / sigma, -away / rest
        near = (np.abs(up) <= 1.0) & (np.abs(down) <= 1.0)
        close = xlog1py(alpha, up) + xlog1py(other, down)
    far = xlogy(alpha, alpha) + xlogy(other, other)
    far += alpha * np.logaddexp(0.0, a) + other * np.logaddexp(0.0, -a)
    return np.asarray(np.maximum(0.0, np.where(near, close, far)))
