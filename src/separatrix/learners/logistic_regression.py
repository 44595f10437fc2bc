"""Logistic regression: the most likely line, certified; or the proof that there is none.

Newton's method on the cross-entropy (lecture 10) stops when a *dual* point shows that the sum of
errors is within `tol` (relative) of the least possible. Without a penalty a minimiser exists iff
the data overlap (Albert & Anderson 1984), which is decided exactly where steps do not shrink.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self, final

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import LogisticGap
from separatrix.data import (
    Floats,
    InputError,
    NoFiniteOptimumWarning,
    Sample,
    SeparatrixWarning,
    as_rows,
    ignored,
    read_points,
    read_weight,
    warn,
)
from separatrix.kernels.exact import signed_scores
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners._parameters import limit, not_negative, number_of, start_weights
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import CHANGED, KeepsRows, WithStandardErrors, probabilities
from separatrix.learners.least_squares.least_squares import (
    few_numbers,
    whole_in_doubles,
)
from separatrix.learners.logistic.cross_entropy import least_cross_entropy
from separatrix.learners.logistic.newton import GapInBlocks, yes_rows
from separatrix.learners.logistic.no_optimum import Limit, direction_of, rows_on, sides
from separatrix.learners.logistic.objective import weighed
from separatrix.learners.logistic.problem import (
    Known,
    LogisticFit,
    Problem,
    ends_of,
    matters,
    score_rounding,
)
from separatrix.scale import Rows
from separatrix.separation.decide import Separability

Certificate = LogisticGap | Separability | GapInBlocks


@final
@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(KeepsRows, WithStandardErrors):
    """P(yes | x) = 1 / (1 + e^-w.x), fitted to a certified optimum.

    Plain form: `separatrix.plain.logistic_regression`. A `sample_weight` of k stands for k copies
    of the row. A table in blocks is read four or five times, and again for standard errors.

    Parameters
    ----------
    C : float or None
        Inverse strength of the penalty |w|^2 / (2 C), w_0 not counted; inf, and None: no penalty.
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
    certificate_ : LogisticGap, GapInBlocks (of a table in blocks) or Separability
        The dual point that certifies the gap, or the proof that no finite optimum exists.
    standard_errors_ : (1+d,)
        Of w_0, w_1, ...; NaN for collinear columns, without an optimum, and with a penalty. On
        large tables found when first asked for: the rows given to `fit` must not have changed.
    z_scores_, p_values_ : (1+d,)
        Weights over their standard errors, and Wald's two-sided test of "this weight is 0".
    collinear_ : {index in (1+d,): indices of the columns that make it up}
        Columns collinear but for rounding: left out, with a weight of 0; without a penalty only.
    direction_ : (m, 1+d) or None
        Where no optimum exists: the direction in which the likelihood keeps rising, as m rows of
        doubles that add up to it exactly.

    Warns
    -----
    NoFiniteOptimumWarning
        When the data are separable or touching and no penalty was asked for.
    NotConvergedWarning
        When the steps ended before the gap reached tol.
    SeparatrixWarning
        When columns are left out, because others make them up but for rounding.

    Examples
    --------
    >>> model = LogisticRegression().fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    >>> str(model.stopped_), model.certificate_.verify([[0], [1], [2], [3]], [0, 1, 0, 1])
    ('the certified gap reached tol', True)
    """

    C: float | None = np.inf
    tol: float = 1e-8
    max_iter: int = 100
    init: ArrayLike = None
    class_weight: Untyped = None
    fit_intercept: bool = True

    _information: Untyped = field(init=False, default=None)
    _known: Known | None = field(init=False, default=None)
    # whether C is of standardised columns: no `fit` of its own is
    standardised_: bool = field(init=False, default=False)

    def fit_sample(self, sample: Sample, known: Known | None = None) -> Self:
        """Learn from a checked sample; `known` is what is found out about its rows elsewhere."""
        self._known = known
        try:
            return super().fit_sample(sample)
        finally:
            del self._known

    def _learn(self, sample: Sample) -> Self:
        if self.class_weight is not None:
            sample = self._reweighted(sample)
        self._rows = sample
        return self._minimise(Rows.of(sample), np.ones(2), in_memory=True)

    def _learn_rows(self, table: Rows) -> Self:
        """Learn from a table in blocks; a small one is read whole."""
        if few_numbers(table):
            return self._learn(whole_in_doubles(table))
        factors = np.ones(2)
        if self.class_weight is not None:
            factors = factors_of_classes(table, self.class_weight)
        return self._minimise(table, factors, in_memory=False)

    def _minimise(self, rows: Rows, factors: Floats, *, in_memory: bool) -> Self:
        """Minimise the cross-entropy, or take the limit where no finite optimum exists."""
        C, tol = self._strength, not_negative(self.tol, "tol")
        steps = limit(self.max_iter, "max_iter")
        if not C > 0.0:
            raise InputError(f"C={self.C!r} must be positive; None (or inf) for no penalty.")
        zero = np.zeros(rows.d + 1)
        problem = Problem(rows, C, tol, steps, zero, in_memory=in_memory, factors=factors)
        some = problem.some
        known = self._known if some is rows else None
        problem = replace(problem, start=start_weights(self.init, some), known=known)
        fitted = least_cross_entropy(problem)
        self.n_iter_ = fitted.n_steps
        if fitted.separability is not None and fitted.divergent:
            self._adopt_limit(problem, fitted, fitted.separability)
        else:
            self._adopt_optimum(problem, fitted)
        if self.collinear_:
            warn(self._left_out(), SeparatrixWarning)
        return self

    @property
    def _strength(self) -> float:
        """C as a number: inf where there is no penalty."""
        return np.inf if self.C is None else number_of(self.C, "C")

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return P(classes_[0] | x) and P(classes_[1] | x) of rows X (N, d): (N, 2).

        Where no finite optimum exists these are the limits: 0 or 1 where the direction of
        divergence decides, the finite fit's elsewhere; `predict` goes by the line in `coef_`.
        """
        scores = self.decision_function(X)
        if self.direction_ is not None:
            points = read_points(self, X)
            side = sides(points, self.direction_)
            finite = signed_scores(as_rows(points), points.shape[0], self.finite_weights_, 1.0)
            scores = np.where(side == 0.0, finite, np.where(side > 0.0, np.inf, -np.inf))
        return probabilities(scores)

    @property
    def standard_errors_(self) -> Floats:
        if self._information is not None:
            self._standard_errors = self._information.standard_errors()
            self._information = None
        return super().standard_errors_

    def summary(
        self, *, level: float = 0.95, method: str = "likelihood", **options: Untyped
    ) -> Untyped:
        """Return the `CoefficientTable` of the rows of the fit: intervals, odds ratios, tests.

        Options are those of `separatrix.coefficient_table`: test, robust, groups, per.

        Warns
        -----
        NoFiniteOptimumWarning
            Where no finite optimum exists: which coefficients are infinite, and what is finite.

        Raises
        ------
        InputError
            With a penalty; when the learner came from a file, or the rows have changed since.
        """
        sample: Sample = self._rows_of_fit()
        if np.isfinite(self._strength):
            raise InputError(
                f"with a penalty (C={self.C!r}) coefficients have no standard errors or intervals "
                "of maximum likelihood. Fit with C=None."
            )
        if self.direction_ is not None:
            proof: Any = self.certificate_
            warn(
                f"No finite optimum exists: {self._names(proof)} are infinite, without "
                "standard errors; likelihood intervals hold all the same. Finite estimates: "
                "FirthLogisticRegression().fit(X, y).summary(), or a penalty "
                "(LogisticRegression(C=1.0)), which has no intervals.",
                NoFiniteOptimumWarning,
            )
        labels, options = (
            sample.classes[(sample.y > 0.0).astype(np.intp)],
            options | {"level": level},
        )
        table = self._table_of(sample.X, labels, sample.weight, method=method, **options)
        weighed = sample.only(sample.weight > 0.0)
        p = self.predict_proba(weighed.X)[np.arange(weighed.n), (weighed.y > 0.0).astype(np.intp)]
        with np.errstate(divide="ignore"):
            value = float(weighed.weight @ np.log(p))
        if not abs(value - table.log_likelihood) <= max(1e-6, 10.0 * self.tol) * max(1.0, -value):
            raise InputError(CHANGED)
        return table

    def __getstate__(self) -> dict[str, Any]:
        if self._information is not None:
            _ = self.standard_errors_
        state: dict[str, Any] = super().__getstate__()
        return state

    def _adopt_optimum(self, problem: Problem, fitted: LogisticFit) -> None:
        self._adopt(problem.rows, fitted.weights)
        self._standard_errors, self._information = fitted.standard_errors, fitted.information
        self.direction_: Floats | None = None
        self.collinear_ = dict(fitted.left_out)
        self.finite_weights_ = fitted.weights
        of = problem.rows.in_memory if problem.in_memory else None
        claim = fitted.claim if of is None else _gap_of(of, problem, fitted)
        self.certificate_: Certificate = claim
        if claim.gap <= problem.tol:
            of_all = not self.collinear_
            self.stopped_ = Stopped.CERTIFIED if of_all else Stopped.CERTIFIED_OF_OTHERS
            return
        spent = fitted.n_steps >= problem.max_iter
        self.stopped_ = Stopped.STEPS_SPENT if spent else Stopped.PRECISION
        far = "" if spent or of is None else self._far(of, fitted.weights)
        warn(
            f"Logistic regression is not done: {self.stopped_} (gap {claim.gap:.2g}, tol "
            f"{self.tol:.2g}). {far or 'Raise max_iter or tol.'}",
            NotConvergedWarning,
        )

    def _adopt_limit(self, problem: Problem, fitted: LogisticFit, proof: Separability) -> None:
        """Take the limit of the likelihood: first the diverging direction, then the rest."""
        rest, self.collinear_ = np.zeros(len(fitted.weights)), {}
        direction = direction_of(proof, problem.sample if problem.in_memory else None)
        if proof.verdict == "touching":
            cone, undecided = proof.recession, rows_on(problem.rows, direction)
            rank = None if cone is None else proof.rank - cone.dimension
            alone = replace(problem, rows=undecided, start=rest, known=None, overlap_rank=rank)
            of_them = least_cross_entropy(alone)
            rest, self.collinear_ = of_them.weights, dict(of_them.left_out)
        found = Limit.of(problem.some, rest, direction, proof)
        self._adopt(problem.rows, found.line)
        self.direction_, self.finite_weights_ = found.direction, rest
        self._standard_errors, self._information = np.full(len(rest), np.nan), None
        self.certificate_ = proof
        self.stopped_ = Stopped.SEPARABLE if proof.verdict == "separable" else Stopped.TOUCHING
        if found.n_wrong:
            self.stopped_ = Stopped.ROUNDED
        if not ignored(NoFiniteOptimumWarning):  # which coefficients diverge takes long to find
            warn(self._no_optimum(found, proof), NoFiniteOptimumWarning)

    def _no_optimum(self, found: Limit, proof: Separability) -> str:
        """Return in words that there is none, and which coefficients diverge."""
        use = "The line returned is usable; its coefficients are no estimates."
        if found.n_wrong:
            use = (
                "No line of doubles was found that puts every decided row on its own side: the one "
                f"returned fails {found.n_wrong} of {found.n_decided} rows (recounted exactly). "
                "Columns on scales nearer to one another may help."
            )
        how = "separable" if proof.verdict == "separable" else "quasi-completely separated"
        return (
            f"No finite optimum exists, because the data are {how}. Diverging coefficients: "
            f"{self._names(proof)}. {use} A penalty (C=1.0, say) makes them finite."
        )

    def _reweighted(self, sample: Sample) -> Sample:
        factors = factors_of_classes(Rows.of(sample), self.class_weight)
        weight = read_weight(weighed(sample, factors), sample.n)
        for label, sign in zip(sample.classes, (-1.0, 1.0), strict=True):
            if not weight[sample.y == sign].any():
                raise InputError(
                    f"class_weight={self.class_weight!r} leaves no weight to class {label}."
                )
        return replace(sample, weight=weight)

    def _far(self, sample: Sample, weights: Floats) -> str:
        """Return which columns are so far from 0 that rounding their weights matters, in words."""
        rounding = score_rounding(ends_of(sample.X), weights)
        if not matters(rounding, self.tol):
            return ""
        most = np.argsort(-rounding[1:], kind="stable")[:8]
        named = [self._name(int(j) + 1) for j in most if matters(rounding[[j + 1]], self.tol)]
        return (
            f"Weights are doubles, and rounding them moves scores by up to {rounding.max():.1g}, "
            f"because columns are far from 0 compared with their spread, or nearly collinear: "
            f"{', '.join(named) or 'several'}. Subtract its mean from each, or raise tol."
        )

    def _left_out(self, most: int = 8) -> str:
        """Return in words which columns are left out, and what answers for all of them."""
        made = [
            f"{self._name(j)} (of {', '.join(map(self._name, makers[:most]))})"
            for j, makers in self.collinear_.items()
        ]
        more = f" and {len(made) - most} more" if len(made) > most else ""
        return (
            f"Columns are left out, with weight 0: {', '.join(made[:most])}{more}. Others make "
            "them up but for rounding: their coefficients are not determined. The fit is that of "
            "the other columns; `separability(X, y)` gives the exact answer about all columns."
        )

    def _name(self, j: int) -> str:
        columns = getattr(self, "feature_names_in_", None)
        return "intercept" if j == 0 else f"x{j}" if columns is None else str(columns[j - 1])

    def _names(self, proof: Separability, most: int = 8) -> str:
        """Return the diverging coefficients in words; with directions where they are few."""
        words = {1: " (+)", -1: " (-)", 0: " (either way)"}
        found = proof.divergent
        few = len(found) <= most
        ways = {j: words[way] for j, way in proof.diverging.items()} if few else {}
        ways |= dict.fromkeys(proof.directionless if few else (), " (direction open)")
        named = [f"{self._name(j)}{ways.get(j, '')}" for j in found]
        more = f" and {len(named) - most} more" if len(named) > most else ""
        return (", ".join(named[:most]) or "collinear ones, together") + more


def _gap_of(sample: Sample, problem: Problem, fitted: LogisticFit) -> LogisticGap:
    """Return the claim of a fit in memory."""
    weights, left_out = fitted.weights, tuple(fitted.left_out)
    claim = LogisticGap(weights, sample.weight, problem.C, fitted.gap, problem.x0, left_out)
    if fitted.doubtful:  # floats cannot tell: the gap is proven, whatever that costs
        claim = replace(claim, gap=claim.proven_gap_of(sample))
    return claim


def factors_of_classes(table: Rows, class_weight: Untyped) -> Floats:
    """Return by what the weights of rows of either label are multiplied (2,)."""
    if class_weight == "balanced":
        yes = float(table.sum(yes_rows)[0])
        return table.n / (2.0 * np.array([table.n - yes, yes]))
    try:
        factors = compute_sample_weight(class_weight, np.asarray(table.classes))
    except ValueError as error:
        raise InputError(f"class_weight={class_weight!r}: {error}") from None
    return read_weight(np.asarray(factors, dtype=np.float64), 2)
