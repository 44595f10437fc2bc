"""Logistic regression: the most likely line, certified; or the proof that there is none.

Minimises the cross-entropy (lecture 10) by Newton's method with a line search, on columns scaled by
powers of two and, without a penalty, orthonormalised once. It stops when a *dual* point shows that
the sum of errors is within `tol` (relative) of the least possible. Without a penalty a minimiser
exists iff the data overlap (Albert & Anderson 1984): when Newton's steps do not shrink, the
question is decided exactly, and separable or touching data get a usable classifier and a warning
that names the coefficients which diverge.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.class_weight import compute_sample_weight

from separatrix.certificates import LogisticGap, Separability, separability_of
from separatrix.certificates.cone import signed_rows
from separatrix.certificates.exact import exact_scores, primitive, whole_multiples
from separatrix.data import (
    Floats,
    InputError,
    NoFiniteOptimumWarning,
    NotConvergedWarning,
    Points,
    Sample,
    as_rows,
    dense,
    read_points,
    read_sample,
    read_weight,
)
from separatrix.kernels.exact import signed_scores
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._newton import Newton, newton
from separatrix.learners._stopping import Stopped
from separatrix.learners._walking import limit, not_negative, number_of, start_weights

LARGEST_EXPONENT = 1000  # of a whole number that is kept as doubles


@final
class LogisticRegression(LinearClassifier):
    """P(yes | x) = 1 / (1 + e^-w.x), fitted to a certified optimum.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty |w|^2 / (2 C), w_0 not counted, as in scikit-learn; inf, the
        default, for none.
    tol : float
        The certified relative gap at which to stop: (sum of errors - proven lower bound) / sum.
    max_iter : int
        Newton steps.
    init : None, "regression" or array (1+d,)
    class_weight : None, "balanced" or dict
        As in scikit-learn; multiplies the weights of rows.
    fit_intercept : bool

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
    n_iter_ : int
    stopped_ : Stopped
    certificate_ : LogisticGap or Separability
        The dual point that certifies the gap, or the proof that no finite optimum exists.
    standard_errors_ : (1+d,)
        Of w_0, w_1, ... where the optimum exists (NaN for collinear columns); NaN where it does
        not.
    direction_ : (m, 1+d) or None
        Where no optimum exists: the line along which the likelihood grows forever, as m rows of
        doubles that add up to it exactly (one row where doubles hold it).

    Examples
    --------
    >>> model = LogisticRegression().fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    >>> str(model.stopped_), model.certificate_.verify([[0], [1], [2], [3]], [0, 1, 0, 1])
    ('the certified gap reached tol', True)
    """

    direction_: Floats | None
    certificate_: LogisticGap | Separability

    def __init__(
        self,
        *,
        C: float = np.inf,
        tol: float = 1e-8,
        max_iter: int = 100,
        init: Any = None,  # noqa: ANN401  # None, "regression" or an array
        class_weight: Any = None,  # noqa: ANN401  # as scikit-learn
        fit_intercept: bool = True,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.init = init
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: ANN401  # any arrays
        """Learn from rows X (N, d), labels y (N,) and weights (N,): k stands for k copies.

        Raises
        ------
        InputError
            For data or parameters that cannot be used.

        Warns
        -----
        NoFiniteOptimumWarning
            When the data are separable or touching and no penalty was asked for.
        NotConvergedWarning
            When the steps ended before the gap reached tol.
        """
        sample = read_sample(self, X, y, sample_weight)
        if self.class_weight is not None:
            sample = _reweighted(sample, self.class_weight)
        full, sample = sample, _rows_of(sample, sample.weight > 0.0)
        C, tol = number_of(self.C, "C"), not_negative(self.tol, "tol")
        if not C > 0.0:
            raise InputError(f"C={self.C!r} must be positive; inf for no penalty.")
        x0 = 1.0 if self.fit_intercept else 0.0
        start = start_weights(self.init, sample, x0)
        fitted = newton(sample, x0, C, tol, limit(self.max_iter, "max_iter"), start)
        proof = fitted.separability
        if proof is not None and proof.verdict in ("separable", "touching"):
            self._adopt_divergent(sample, x0, proof)
        else:
            self._adopt_optimum(full, x0, fitted)
        self.n_iter_ = fitted.n_steps
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401
        """Return P(classes_[0] | x) and P(classes_[1] | x) of rows X (N, d): (N, 2).

        Where no finite optimum exists these are the limits: 0 or 1 where the direction of
        divergence decides, the finite fit's elsewhere. `predict` goes by the line in `coef_`
        instead, so that the two can differ on touching data, near the direction's own line.
        """
        scores = self.decision_function(X)
        if self.direction_ is not None:
            points = read_points(self, X)
            side = _sides(points, self.direction_, 1.0)
            finite = signed_scores(as_rows(points), points.shape[0], self.finite_weights_, 1.0)
            scores = np.where(side == 0.0, finite, np.where(side > 0.0, np.inf, -np.inf))
        return np.column_stack((expit(-scores), expit(scores)))

    def _adopt_optimum(self, sample: Sample, x0: float, fitted: Newton) -> None:
        self._adopt(sample, fitted.weights)
        self.standard_errors_ = fitted.standard_errors
        self.direction_ = None
        self.finite_weights_ = fitted.weights
        dual = np.zeros(sample.n)  # rows without weight take no part
        dual[sample.weight > 0.0] = fitted.dual
        claim = LogisticGap(fitted.weights, dual, sample.weight, float(self.C), fitted.gap, x0)
        if fitted.doubtful:  # floats cannot tell: the gap is proven, whatever that costs
            claim = replace(claim, gap=claim.proven_gap_of(sample))
        self.certificate_ = claim
        if claim.gap <= self.tol:
            self.stopped_ = Stopped.CERTIFIED
        else:
            spent = fitted.n_steps >= limit(self.max_iter, "max_iter")
            self.stopped_ = Stopped.STEPS_SPENT if spent else Stopped.PRECISION
            warnings.warn(
                f"Logistic regression is not done: {self.stopped_} (gap {claim.gap:.2g}, tol "
                f"{self.tol:.2g}). Raise max_iter or tol.",
                NotConvergedWarning,
                stacklevel=3,
            )

    def _adopt_divergent(self, sample: Sample, x0: float, proof: Separability) -> None:
        """Take the limit of the likelihood: first the diverging direction, then the rest."""
        direction, on_it = _direction(sample, x0, proof)
        rest = np.zeros(sample.d + 1)
        if on_it.any():
            steps = limit(self.max_iter, "max_iter")
            rest = _finite_part(_rows_of(sample, on_it), x0, self.tol, steps)
        self.direction_, self.finite_weights_ = direction, rest
        t = _least_multiple(sample, rest, direction[0], ~on_it, x0)
        self._adopt(sample, rest + (1.0 if t is None else t) * direction[0])
        self.standard_errors_ = np.full(sample.d + 1, np.nan)
        self.certificate_ = proof
        separable = proof.verdict == "separable"
        self.stopped_ = Stopped.SEPARABLE if separable else Stopped.TOUCHING
        if t is None:
            self.stopped_ = Stopped.ROUNDED
        how = "separable" if separable else "quasi-completely separated"
        warnings.warn(
            f"No finite optimum exists, because the data are {how}. Diverging coefficients: "
            f"{self._names(proof)}. The line returned is usable; its coefficients are no "
            "estimates. A penalty (C=1.0, say) makes them finite.",
            NoFiniteOptimumWarning,
            stacklevel=3,
        )

    def _names(self, proof: Separability, most: int = 8) -> str:
        """Return the diverging coefficients in words; with directions where they are few."""
        columns = getattr(self, "feature_names_in_", None)
        words = {1: " (+)", -1: " (-)", 0: " (either way)"}
        found = proof.divergent
        directions = proof.diverging if len(found) <= most else {}
        named = [
            f"{'intercept' if j == 0 else f'x{j}' if columns is None else columns[j - 1]}"
            f"{words[directions[j]] if directions else ''}"
            for j in found
        ]
        more = f" and {len(named) - most} more" if len(named) > most else ""
        return ", ".join(named[:most]) + more


def _reweighted(sample: Sample, class_weight: Any) -> Sample:  # noqa: ANN401
    labels = sample.classes[(sample.y > 0.0).astype(np.intp)]
    try:
        factors = compute_sample_weight(class_weight, labels)
    except ValueError as error:
        raise InputError(f"class_weight={class_weight!r}: {error}") from None
    weight = read_weight(sample.weight * np.asarray(factors, dtype=np.float64), sample.n)
    for label, sign in zip(sample.classes, (-1.0, 1.0), strict=True):
        if not weight[sample.y == sign].any():
            raise InputError(f"class_weight={class_weight!r} leaves no weight to class {label}.")
    return Sample(sample.X, sample.y, sample.classes, weight)


def _rows_of(sample: Sample, keep: np.ndarray) -> Sample:
    return Sample(sample.X[keep], sample.y[keep], sample.classes, sample.weight[keep])


def _finite_part(sample: Sample, x0: float, tol: float, max_iter: int) -> Floats:
    """Return the optimum on the rows that the diverging direction does not decide."""
    start = np.zeros(sample.d + 1)
    return newton(sample, x0, np.inf, tol, max_iter, start).weights


def _direction(sample: Sample, x0: float, proof: Separability) -> tuple[Floats, NDArray[np.bool_]]:
    """Return a diverging line as rows of doubles (m, 1+d), and exactly which rows (N,) lie on it.

    A separating one is found from the distinct rows in sorted order, so that neither order nor
    copies matter. Exact weights are rationals; multiplied out they are whole numbers, which a few
    rows of doubles hold exactly.
    """
    if proof.verdict == "separable":
        proof = separability_of(_distinct(sample), x0)
    weights = proof.line
    assert weights is not None  # noqa: S101  # separable and touching have them
    scores = exact_scores(signed_rows(sample, x0), weights if x0 else weights[1:])
    on_it = np.array([s == 0 for s in scores], dtype=bool)
    return _as_doubles(primitive(whole_multiples(weights)[0])), on_it


def _as_doubles(whole: list[int]) -> Floats:
    """Return rows of doubles (m, 1+d) that add up to whole numbers, exactly up to 2^1000."""
    size = max(abs(w) for w in whole).bit_length() - LARGEST_EXPONENT
    left = [w >> size for w in whole] if size > 0 else list(whole)
    parts = []
    while any(left):
        part = [float(w) for w in left]
        parts.append(part)
        left = [w - int(p) for w, p in zip(left, part, strict=True)]
    return np.array(parts)


def _sides(points: Points, direction: Floats, x0: float) -> Floats:
    """Return scores (N,) with the exact sign of x.w for w the sum of the rows of `direction`."""
    if len(direction) == 1:
        return signed_scores(as_rows(points), points.shape[0], direction[0], x0)
    table = dense(points, "an exact answer")
    n, m = len(table), len(direction)
    wide = np.hstack([*[table] * m, np.full((n, m - 1), x0)])
    weights = np.concatenate((direction[0, :1], *direction[:, 1:], direction[1:, 0]))
    return signed_scores(wide, n, weights, x0)


def _distinct(sample: Sample) -> Sample:
    points = dense(sample.X, "an exact answer")
    table = np.unique(np.column_stack((sample.y, points)), axis=0)
    X = np.ascontiguousarray(table[:, 1:])
    return Sample(X, table[:, 0].copy(), sample.classes, np.ones(len(table)))


def _least_multiple(
    sample: Sample, rest: Floats, direction: Floats, decided: np.ndarray, x0: float
) -> float | None:
    """Return the least power of two t that puts every decided row on its own side.

    None where there is none, because the direction was rounded.
    """
    others = _rows_of(sample, decided)
    _, size = np.frexp(np.abs(direction).max())
    for k in range(-50 - size, 1000 - size):
        t = math.ldexp(1.0, k)
        scores = signed_scores(others.rows, others.n, rest + t * direction, x0)
        if (others.y * scores > 0.0).all():
            return t
    return None
