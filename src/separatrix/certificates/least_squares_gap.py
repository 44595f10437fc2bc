"""A least-squares fit is near the least possible sum of squares: the residuals show it.

For any v with sum m_n v_n x_n = 0 (the normal equations, columns of the table with its constant)
and any w:  sum m (y - w.x)^2 >= sum m (2 v y - v^2), since the difference is sum m (y - w.x - v)^2.
The residuals of the fit meet the equations up to rounding, which bounds nothing where w is
unbounded; moved on a few rows they meet them exactly (`balancing`). All sums are rational.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike
from separatrix.certificates.statement import Claim, doubles, numbers, unless_odd
from separatrix.data import Labels, Points, read_arrays, read_numbers
from separatrix.exact.dual_repair import balanced
from separatrix.exact.integers import Floats, exact_scores, fractions_of, nearest_double
from separatrix.exact.signed_rows import homogeneous
from separatrix.exact.sparse_dual_repair import balanced_levels
from separatrix.exact.sparse_rows import SparseRows


@dataclass(frozen=True, slots=True)
class LeastSquaresGap:
    """The claim that RSS(w) exceeds the least sum of squared residuals by at most a tolerance.

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
            if sample.classes.tolist() != np.asarray(self.classes).tolist():
                return math.inf
            points, target = sample.X, sample.y
        return self.proven_gap_of(points, target)

    def claim(self, dual: Sequence[Fraction]) -> Claim:
        """Return what a proof file says of it, with `exact_dual` of its rows."""
        weights = np.asarray(self.weights).tolist()
        return {"kind": "least squares", "weights": weights, "dual": numbers(dual)}

    def verify(self, X: ArrayLike, y: ArrayLike, tol: float = 1e-9) -> bool:
        """Whether RSS(w) is proven to be at most tol sum m y^2 above the least of all lines."""
        return self.proven_gap(X, y) <= tol

    @unless_odd(math.inf)
    def proven_gap_of(self, X: Points, target: Floats) -> float:
        """Return what `proven_gap` does for data already checked, target (N,) numbers."""
        n, d = X.shape
        weights = doubles(self.weights, d + 1)
        claim = replace(
            self, residuals=doubles(self.residuals, n), sample_weight=doubles(self.sample_weight, n)
        )
        if self.x0 not in (0.0, 1.0) or (claim.sample_weight < 0.0).any():
            return math.inf
        line = fractions_of(weights[0 if self.x0 else 1 :])
        if sp.issparse(X):
            sparse, room = SparseRows.signed(X, np.ones(n), self.x0), np.ones(n)
            dual = balanced_levels(sparse, claim.sample_weight, claim.residuals, room)
            scores = sparse.scores(line)
        else:
            rows = homogeneous(X, self.x0)
            dual, scores = claim.exact_dual(rows), exact_scores(rows, line)
        if dual is None:
            return math.inf
        gap = total = Fraction(0)
        weighed = zip(scores, dual, target.tolist(), claim.sample_weight.tolist(), strict=True)
        for s, v, t, m in weighed:
            gap += Fraction(m) * (Fraction(t) - s - v) ** 2  # RSS - dual value, as sum m v x = 0
            total += Fraction(m) * Fraction(t) ** 2
        if gap == 0:
            return 0.0
        return (
            math.nextafter(nearest_double(gap / total) * (1.0 + 1e-15), math.inf)
            if total
            else math.inf
        )

    def exact_dual(self, rows: Floats) -> list[Fraction] | None:
        """Return v near the residuals with sum m v x = 0 exactly, for `homogeneous` rows (N, D)."""
        return balanced(rows, self.sample_weight, self.residuals, np.ones(len(rows)))
