"""A logistic fit is within a stated gap of the least possible error: the dual point that shows it.

For a_n = z_n.w and weights m_n the sum of errors is P(w) = sum m_n ln(1 + e^-a_n) [+ |w|^2 / 2C].
For any alpha in [0, 1]^N the dual value D(alpha) = sum m_n H(alpha_n) [- C/2 |sum m alpha z|^2], H
the natural entropy, is a lower bound of P at *every* w, provided sum m_n alpha_n z_n = 0 exactly
(without a penalty; with one, only in the unpenalised intercept). A float alpha meets such
equalities up to rounding, which bounds nothing where w is unbounded: so it is moved by a rational
correction on independent rows until they hold exactly, and has to stay inside [0, 1]. Logarithms
are correctly rounded decimals, moved outward.

Without a penalty a dual point strictly inside (0, 1) also proves that a finite optimum exists
(Albert & Anderson 1984: the data overlap).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import whole_number
from separatrix.certificates.statement import Claim, doubles, numbers, unless_odd
from separatrix.data import Floats, Labels, Points, Sample, read_arrays, read_numbers
from separatrix.exact.dual_repair import balanced
from separatrix.exact.integers import (
    exact_scores,
    fractions_of,
    nearest_double,
    squared_length,
    whole_multiples,
)
from separatrix.exact.signed_block import homogeneous
from separatrix.exact.signed_rows import SignedRows
from separatrix.exact.sparse_dual_repair import balanced_levels
from separatrix.exact.sparse_rows import SparseRows

DIGITS = 40
OUTWARD = Decimal(10) ** -(DIGITS - 5)  # absolute slack per term, far above the rounding of DIGITS


@dataclass(frozen=True, slots=True)
class LogisticGap:
    """The claim that P(w), the sum of errors, is at most gap P(w) above its minimum.

    Parameters
    ----------
    weights : (1+d,)
        The fit, w_0 first.
    dual : (N,)
        alpha, as floats: equalities hold up to rounding.
    sample_weight : (N,)
    C : float
        inf for no penalty.
    gap : float
        (P - D) / P as computed in floats.
    x0 : float
        1.0 with an intercept, else 0.0.
    left_out : tuple of int
        Indices in (1+d,) of columns of weight 0, in this line and in all that it is compared with.
    """

    weights: Floats
    dual: Floats
    sample_weight: Floats
    C: float
    gap: float
    x0: float = 1.0
    left_out: tuple[int, ...] = ()

    def proven_gap(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return an upper bound of (P - least possible) / P, proven from scratch; inf if none.

        Costs about a tenth of a millisecond per row.
        """
        return self.proven_gap_of(read_arrays(X, y))

    @unless_odd(math.inf)
    def proven_gap_of(self, sample: Sample) -> float:
        """Return the same for data already checked; the weights are those of the certificate."""
        claim = replace(
            self,
            weights=doubles(self.weights, sample.d + 1),
            dual=doubles(self.dual, sample.n),
            sample_weight=doubles(self.sample_weight, sample.n),
        )
        if not claim._fits(sample):
            return math.inf
        rows = SignedRows(sample, self.x0)
        alpha = claim.exact_dual(sample)
        if alpha is None or any(not 0 <= a <= 1 for a in alpha):
            return math.inf
        with localcontext() as context:
            context.prec = DIGITS
            primal = claim._primal_above(rows)
            dual = claim._dual_below(rows, alpha)
            if primal <= 0:
                return 0.0
            return float((primal - dual) / primal) * (1.0 + 1e-15)

    def claim(self, dual: Sequence[Fraction]) -> Claim:
        """Return what a proof file says of it, with `exact_dual` of its sample."""
        weights = np.asarray(self.weights).tolist()
        return {"kind": "logistic", "weights": weights, "dual": numbers(dual)}

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike, tol: float = 1e-8) -> bool:
        """Whether P(w) is proven to exceed the least error by at most max(gap, tol) times P(w)."""
        sample, claimed = read_arrays(X, y), max(self.gap, tol)
        return claimed < math.inf and self.proven_gap_of(sample) <= claimed * (1.0 + 1e-6)

    def _fits(self, sample: Sample) -> bool:
        """Whether the certificate, its arrays of the right sizes, can be about these data."""
        left_out = [whole_number(j) for j in self.left_out]
        return (
            self.x0 in (0.0, 1.0)
            and bool((self.sample_weight >= 0.0).all())
            and self.C > 0.0
            and all(0 < j <= sample.d and self.weights[j] == 0.0 for j in left_out)
            and (not left_out or math.inf == self.C)
        )

    def exact_dual(self, sample: Sample) -> list[Fraction] | None:
        """Return alpha (N,) moved onto its equalities, or None where no rows can carry the move."""
        rows = SignedRows(sample, self.x0)
        room = np.minimum(self.dual, 1.0 - self.dual)
        left_out = [rows.column(j) for j in self.left_out]
        if np.isfinite(self.C):  # a penalty leaves the intercept alone to balance
            signed = sample.y[:, np.newaxis][:, : int(self.x0)]
        elif sp.issparse(sample.X) and rows.sparse is not None:
            kept = rows.sparse.only(np.delete(np.arange(rows.width), left_out).tolist())
            return balanced_levels(kept, self.sample_weight, self.dual, room)
        else:
            signed = np.delete(rows.floats(), left_out, axis=1)
        return balanced(signed, self.sample_weight, self.dual, room)

    def _primal_above(self, rows: SignedRows) -> Decimal:
        w = fractions_of(self.weights[0 if self.x0 else 1 :])
        total = Decimal(0)
        for score, m in zip(rows.scores(w), self.sample_weight, strict=True):
            a = _decimal(score)
            # ln(1 + e^-a) = max(0, -a) + ln(1 + e^-|a|), and e^-1000 is below the slack
            tail = (-abs(a)).exp() if abs(a) < 1000 else Decimal(0)
            error = max(Decimal(0), -a) + (1 + tail).ln() + OUTWARD * (1 + abs(a))
            total += Decimal(float(m)) * error
        if np.isfinite(self.C):
            total += _decimal(squared_length(w[int(self.x0) :]) / (2 * Fraction(self.C)))
            total += OUTWARD * (1 + total)
        return total

    def _dual_below(self, rows: SignedRows, alpha: list[Fraction]) -> Decimal:
        total = Decimal(0)
        for a, m in zip(alpha, self.sample_weight, strict=True):
            if 0 < a < 1:
                p, q = _decimal(a), _decimal(1 - a)
                total += Decimal(float(m)) * (-(p * p.ln() + q * q.ln()) - OUTWARD)
        if np.isfinite(self.C):
            mass = fractions_of(self.sample_weight)
            whole, below = whole_multiples([m * a for m, a in zip(mass, alpha, strict=True)])
            pulls = rows.combination(np.arange(rows.n), whole)[int(self.x0) :]
            penalty = _decimal(squared_length(pulls) / below**2 * Fraction(self.C) / 2)
            total -= penalty + OUTWARD * (1 + penalty)
        return total


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


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
        if not total:
            return math.inf
        return math.nextafter(nearest_double(gap / total) * (1.0 + 1e-15), math.inf)

    def exact_dual(self, rows: Floats) -> list[Fraction] | None:
        """Return v near the residuals with sum m v x = 0 exactly, for `homogeneous` rows (N, D)."""
        return balanced(rows, self.sample_weight, self.residuals, np.ones(len(rows)))
