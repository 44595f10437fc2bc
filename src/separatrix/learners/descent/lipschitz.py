"""A certified bound L on how fast the gradient of E_in changes (Nesterov 2004, section 1.2.3).

Where err'' <= c, L = c lambda_max(mean z z'), z = (x0, x); no step with eta <= 2 / L goes uphill.
"""

from __future__ import annotations

import math

import numpy as np

from separatrix.data import Floats
from separatrix.errors import Differentiable
from separatrix.learners.descent.mean_error import Gradients, GramGradients, MeanError

WIDEST_GRAM = 1000  # weights, constant included: d^2 doubles and ten products of such matrices
SQUARINGS = 10
ROUNDOFF = 2.0**-52  # twice the unit roundoff
LEAST_DOUBLE = 2.0**-1074


def lipschitz_of_rows(error: MeanError) -> float | None:
    """Return a bound on L of the error of every single row, and so of every batch."""
    size = error.radius**2 * (1.0 + (error.width + 7) * ROUNDOFF)
    return _with_curvature(error.measure, size)


def lipschitz_of_mean(error: MeanError, of: Gradients, max_updates: int) -> float | None:
    """Return a bound on L of E_in over all rows, which rounding cannot have made too small."""
    return _with_curvature(error.measure, _largest_eigenvalue_of_gram(error, of, max_updates))


def _with_curvature(measure: Differentiable, size: float) -> float | None:
    curvature = getattr(measure, "largest_curvature", None)
    if curvature is None:
        return None
    bound = float(curvature) * size * (1.0 + ROUNDOFF) + (LEAST_DOUBLE if size > 0.0 else 0.0)
    return bound if math.isfinite(bound) else math.inf


def _largest_eigenvalue_of_gram(of_rows: MeanError, of: Gradients, max_updates: int) -> float:
    """Return an upper bound on lambda_max(mean z z')."""
    n, width, top, total = of_rows.n, of_rows.width, of_rows.top, of_rows.total
    if top == 0.0:
        return 0.0
    trace = of_rows.rows.x0 + of_rows.squares / total
    underflow = 8.0 * (n * width * (1.0 + top) / total + 1.0) * LEAST_DOUBLE
    error = (n + width + 8) * ROUNDOFF * trace + width * underflow
    gram = of if isinstance(of, GramGradients) else None
    if gram is None and of_rows.dense and width <= min(WIDEST_GRAM, max_updates):
        gram = of_rows.gram()
    return trace + error if gram is None else min(trace, largest_eigenvalue_bound(gram.G)) + error


def largest_eigenvalue_bound(G: Floats, squarings: int = SQUARINGS) -> float:
    """Return an upper bound on |lambda| of a symmetric G: |G^(2^k)|^(1 / 2^k) after k squarings."""
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
