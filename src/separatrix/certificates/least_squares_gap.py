"""A least-squares fit is near the least possible sum of squares: the residuals show it.

For any v with sum m_n v_n x_n = 0 (the normal equations, columns of the table with its constant)
and any w:  sum m (y - w.x)^2 >= sum m (2 v y - v^2), since the difference is sum m (y - w.x - v)^2.
The residuals of the fit meet the equations up to rounding, which bounds nothing where w is
unbounded; moved on a few rows they meet them exactly (`balancing`). All sums are rational.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike
from separatrix.data import Labels, Points, read_arrays, read_numbers
from separatrix.exact.dual_repair import balanced
from separatrix.exact.integers import Floats, exact_scores, fractions_of
from separatrix.exact.signed_rows import homogeneous


@dataclass(frozen=True, slots=True)
class LeastSquaresGap:
    """RSS(w) is hardly above the least sum of squared residuals that any line has.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    residuals : (N,) y - w.x
    sample_weight : (N,)
    classes : the two labels that stand for -1 and +1; None when y are numbers
    x0 : 1.0 with an intercept, 0.0 without
    """

    weights: Floats
    residuals: Floats
    sample_weight: Floats
    classes: Labels | None = None
    x0: float = 1.0

    def proven_gap(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return an upper bound of (RSS(w) - least) / sum m y^2, proven from scratch; inf if none.

        Raises
        ------
        InputError
            When X, y cannot be used.
        """
        if self.classes is None:
            points, target = read_numbers(X, y)
        else:
            sample = read_arrays(X, y)
            points, target = sample.X, sample.y
        return self.proven_gap_of(points, target)

    def verify(self, X: ArrayLike, y: ArrayLike, tol: float = 1e-9) -> bool:
        """Whether RSS(w) is proven to be at most tol sum m y^2 above the least of all lines."""
        return self.proven_gap(X, y) <= tol

    def proven_gap_of(self, X: Points, target: Floats) -> float:
        """Return what `proven_gap` does for data already checked, target (N,) numbers."""
        n, d = X.shape
        numbers = (self.weights, self.residuals, self.sample_weight)
        if [np.shape(part) for part in numbers] != [(d + 1,), (n,), (n,)]:
            return float("inf")
        if not all(np.isfinite(part).all() for part in numbers) or (self.sample_weight < 0).any():
            return float("inf")
        rows = homogeneous(X, self.x0)
        dual = self.exact_dual(rows)
        if dual is None:
            return float("inf")
        scores = exact_scores(rows, fractions_of(self.weights[0 if self.x0 else 1 :]))
        gap = total = Fraction(0)
        weighed = zip(scores, dual, target.tolist(), self.sample_weight.tolist(), strict=True)
        for s, v, t, m in weighed:
            gap += Fraction(m) * (Fraction(t) - s - v) ** 2  # RSS - dual value, as sum m v x = 0
            total += Fraction(m) * Fraction(t) ** 2
        if gap == 0:
            return 0.0
        return float(gap / total) * (1.0 + 1e-15) if total else float("inf")

    def exact_dual(self, rows: Floats) -> list[Fraction] | None:
        """Return v near the residuals with sum m v x = 0 exactly, for `homogeneous` rows (N, D)."""
        return balanced(rows, self.sample_weight, self.residuals, np.ones(len(rows)))
