"""How fast the gradient of E_in can change: a certified bound L, from which learning rates follow.

Where err'' <= c, the second derivative of E_in is at most c mean z z', z = (x0, x), so that
|grad E_in(u) - grad E_in(w)| <= L |u - w| with L = c lambda_max(mean z z'). A step along the
gradient makes E_in no larger when eta <= 2 / L, and eta = 1 / L promises the largest decrease
(Nesterov 2004, *Introductory Lectures on Convex Optimization*, sections 1.2.3 and 2.1.5).
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from separatrix.data import Floats
from separatrix.errors import Differentiable
from separatrix.learners.descent.gradients import Gradients, GramGradients

WIDEST_GRAM = 1000  # weights, constant included: d^2 doubles and ten products of such matrices
SQUARINGS = 10
ROUNDOFF = 2.0**-52  # twice the unit roundoff
LEAST_DOUBLE = 2.0**-1074


class Measured(Protocol):
    """N rows (x0, x) and how large they are."""

    n: int
    width: int
    x0: float  # 1.0 with an intercept, 0.0 without
    dense: bool  # whether products of all columns are worth finding

    @property
    def total(self) -> float:
        """The sum of the weights."""

    @property
    def top(self) -> float:
        """At least x0 and any |x_nj|."""

    @property
    def squares(self) -> float:
        """The sum of weight |x|^2."""

    @property
    def radius(self) -> float:
        """Max |(x0, x)|."""

    def gram(self) -> GramGradients | None:
        """Return the mean products of columns; None where they overflow."""


def lipschitz_of_rows(measure: Differentiable, rows: Measured) -> float | None:
    """Return a bound on L of the error of every single row, and so of every batch."""
    size = rows.radius**2 * (1.0 + (rows.width + 7) * ROUNDOFF)
    return _with_curvature(measure, size)


def lipschitz_of_mean(
    measure: Differentiable, rows: Measured, of: Gradients, max_updates: int
) -> float | None:
    """Return a bound on L of E_in over all rows, which rounding cannot have made too small."""
    return _with_curvature(measure, _largest_eigenvalue_of_gram(rows, of, max_updates))


def _with_curvature(measure: Differentiable, size: float) -> float | None:
    curvature = getattr(measure, "largest_curvature", None)
    if curvature is None:
        return None
    bound = float(curvature) * size * (1.0 + ROUNDOFF) + (LEAST_DOUBLE if size > 0.0 else 0.0)
    return bound if math.isfinite(bound) else math.inf


def _largest_eigenvalue_of_gram(rows: Measured, of: Gradients, max_updates: int) -> float:
    """Return an upper bound on lambda_max(mean z z')."""
    width, top = rows.width, rows.top
    if top == 0.0:
        return 0.0
    total = rows.total
    trace = rows.x0 + rows.squares / total
    underflow = 8.0 * (rows.n * width * (1.0 + top) / total + 1.0) * LEAST_DOUBLE
    error = (rows.n + width + 8) * ROUNDOFF * trace + width * underflow
    gram = of if isinstance(of, GramGradients) else None
    if gram is None and rows.dense and width <= min(WIDEST_GRAM, max_updates):
        gram = rows.gram()
    if gram is None:
        return trace + error
    return min(trace, largest_eigenvalue_bound(gram.G)) + error


def largest_eigenvalue_bound(G: Floats, squarings: int = SQUARINGS) -> float:
    """Return an upper bound on |lambda| of a symmetric matrix, at most d^(1 / 2^(k+1)) too large.

    |lambda| is at most the Frobenius norm |G|, and lambda(G)^2 = lambda(G^2): after k squarings
    the bound is |G^(2^k)|^(1 / 2^k). The rounding of each square of a matrix of norm 1 is added.
    """
    d = G.shape[0]
    largest = float(np.abs(G).max())
    if largest == 0.0:
        return 0.0
    B = G / largest
    length = float(np.linalg.norm(B)) * (1.0 + (d * d + 8) * ROUNDOFF)
    norm: float = largest * length
    if squarings == 0:
        return norm
    B /= length
    square = largest_eigenvalue_bound(B @ B, squarings - 1)
    return norm * math.sqrt(square + (d + 8) * ROUNDOFF)
