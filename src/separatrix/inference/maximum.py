"""The maximum likelihood of a logistic regression: attained, or approached along a direction.

Where no optimum exists, rows off the direction of recession have likelihood 1 in the limit, and the
supremum l* is that of the rows on it (SPEC of the package: a finite optimum exists there). The
coefficients that those rows determine keep their estimates and standard errors, which are the
limits along the direction.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.data import Floats, Sample, SeparatrixWarning
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.design import Design, Residuals, Spread, covariance
from separatrix.inference.figures import LogisticFigures
from separatrix.learners.logistic.no_optimum import sides
from separatrix.learners.logistic_regression import Certificate, LogisticRegression
from separatrix.separation.decide import Separability

if TYPE_CHECKING:  # loaded where they are asked for
    from separatrix.inference.intervals.profile import LikelihoodIntervals

MOST_STEPS = 30
HALVINGS = 30
ENOUGH = 1e-22  # of the log-likelihood: the gain that a further step promises


@dataclass(frozen=True)
class Maximum:
    """The supremum of the log-likelihood and what is known of where it is."""

    sample: Sample  # with its rows of weight 0 left out
    x0: float  # 1.0 with an intercept, 0.0 without
    finite: NDArray[np.bool_]  # (N,) the rows whose likelihood stays below 1
    design: Design  # of those rows
    c: Floats  # (k,) their optimum, in the design's units
    infinite: dict[int, int]
    undetermined: frozenset[int]  # indices in (1+d,) of coefficients that the rows do not determine
    certificate: Certificate  # LogisticGap or Separability

    @classmethod
    def of(cls, sample: Sample, x0: float) -> Maximum:
        sample = sample.only(sample.weight > 0.0)
        model = LogisticRegression(fit_intercept=bool(x0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeparatrixWarning)
            model.fit_sample(sample)
        finite = np.ones(sample.n, dtype=bool)
        infinite: dict[int, int] = {}
        proof = model.certificate_
        if model.direction_ is not None and isinstance(proof, Separability):
            finite = sides(sample.X, model.direction_, 1.0) == 0.0
            infinite = dict.fromkeys(proof.divergent, 0) | proof.diverging
        rows = sample.only(finite)
        left_out = tuple(model.collinear_)
        design = Design.of(rows.X, x0, left_out)
        c = _polished(design, rows, design.from_weights(model.finite_weights_, rows.X))
        if isinstance(proof, Separability):
            undetermined = {*left_out, *proof.aliased}
        else:
            undetermined = design.undetermined(rows, left_out)
        return cls(sample, x0, finite, design, c, infinite, frozenset(undetermined), proof)

    def without(self, columns: Iterable[int]) -> Maximum:
        """Return the maximum over the lines on which these coefficients of (1+d,) are 0."""
        away = set(columns)
        kept = [j - 1 for j in range(1, self.sample.d + 1) if j not in away]
        X = self.sample.X[:, kept]
        fewer = replace(self.sample, X=X if sp.issparse(X) else np.ascontiguousarray(X))
        return Maximum.of(fewer, 0.0 if 0 in away else self.x0)

    @property
    def n(self) -> float:
        """N: how many rows, a weight of k counted k times."""
        return float(self.sample.weight.sum())

    @cached_property
    def n_parameters(self) -> int:
        """The rank of all rows: how many coefficients can be chosen freely."""
        if self.finite.all():
            return self.design.rank
        return int(SignedRows(self.sample, self.x0).rank)

    @cached_property
    def scores(self) -> Floats:
        """Scores (N,) in the limit: infinite where a row's likelihood is 1."""
        scores = np.where(self.sample.y > 0.0, np.inf, -np.inf)
        scores[self.finite] = self.design.A @ self.c
        return scores

    @cached_property
    def log_likelihood(self) -> float:
        """The supremum l* of the log-likelihood."""
        return log_likelihood(self.sample.y * self.scores, self.sample.weight)

    def intervals(self, level: float) -> LikelihoodIntervals:
        from separatrix.inference.intervals.profile import likelihood_intervals

        return likelihood_intervals(self.sample, self.x0, level)

    def figures(self) -> LogisticFigures:
        yes = self.sample.y > 0.0
        weights = np.array([self.sample.weight[~yes].sum(), self.sample.weight[yes].sum()])
        level = float(np.log(weights[1] / weights[0])) if self.x0 else 0.0
        null = log_likelihood(self.sample.y * level, self.sample.weight)
        p = expit(self.scores)
        means = [np.average(p[side], weights=self.sample.weight[side]) for side in (yes, ~yes)]
        return LogisticFigures(
            self.n,
            float(weights[1]),
            self.n_parameters,
            int(self.x0),
            self.log_likelihood,
            null,
            float(means[0] - means[1]),
        )

    def estimates(self) -> Floats:
        """Return the estimates (1+d,): +-inf where infinite, NaN where not determined."""
        found = np.full(self.sample.d + 1, np.nan)
        if not self.x0:
            found[0] = 0.0
        found[self.design.columns] = self.design.back @ self.c
        found[list(self.undetermined)] = np.nan
        for j, way in self.infinite.items():
            found[j] = way * np.inf if way else np.nan
        return found

    def standard_errors(self, spread: Spread) -> Floats:
        """Return standard errors (1+d,); NaN where the estimate is infinite or not determined."""
        found = np.full(self.sample.d + 1, np.nan)
        if self.design.rank == 0:
            return found
        rows = self.sample.only(self.finite)
        yes = expit(self.design.A @ self.c)
        residuals = Residuals(
            rows.weight * yes * (1.0 - yes),
            np.where(rows.y > 0.0, 1.0 - yes, -yes),
            rows.weight,
            self.n,
        )
        spread = spread.only(self.finite)
        matrix = covariance(self.design, residuals, spread, self.n_parameters)
        found[self.design.columns] = np.sqrt(np.diag(matrix))
        found[[*self.undetermined, *self.infinite]] = np.nan
        return found


def log_likelihood(agreements: Floats, weight: Floats) -> float:
    """Return the sum of weight ln theta(a) over agreements a = y s (N,)."""
    return 0.0 - float(weight @ np.logaddexp(0.0, -agreements))


def _polished(design: Design, rows: Sample, c: Floats) -> Floats:
    """Return c (k,) after Newton's steps on the rows of the design, until doubles end."""
    if design.rank == 0:
        return c
    A, yes = design.A, rows.y > 0.0

    def at(c: Floats) -> float:
        return log_likelihood(rows.y * (A @ c), rows.weight)

    value = at(c)
    for _ in range(MOST_STEPS):
        p = expit(A @ c)
        gradient = A.T @ (rows.weight * np.where(yes, expit(-(A @ c)), -p))
        R = design.triangle(rows.weight * p * expit(-(A @ c)))
        if not (np.abs(np.diag(R)) > 0.0).all():
            break
        half = scipy.linalg.solve_triangular(R, gradient, trans="T", check_finite=False)
        step = scipy.linalg.solve_triangular(R, half, check_finite=False)
        gain = float(half @ half)
        if not np.isfinite(gain):
            break
        size = 1.0
        while not (new := at(c + size * step)) >= value and gain > 1e-9 and size > 2.0**-HALVINGS:
            size /= 2.0
        c, value = c + size * step, new
        if gain <= ENOUGH * max(1.0, -value):
            break
    return c
