"""Firth's logistic regression: finite estimates on every table, with less bias than the likeliest.

Maximises l(w) + ln det I(w) / 2, I the Fisher information (Firth 1993; Heinze & Schemper 2002). It
is not known to be concave: the maximum found is a local one, the best of several starts. FLIC and
FLAC give the line the mean probability that the labels have (Puhr et al. 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
from scipy.special import expit, logit

from separatrix.data import Floats, Sample, SeparatrixWarning, dense, warn
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners._parameters import limit, one_of, positive
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import InMemory, WithStandardErrors
from separatrix.learners.logistic.cross_entropy import least_cross_entropy
from separatrix.learners.logistic.problem import LogisticFit, Problem
from separatrix.learners.penalised_likelihood import Columns
from separatrix.scale import Rows

HALVINGS = 200


def refitted_intercept(scores: Floats, sample: Sample) -> float:
    """Return b (FLIC), the likeliest constant beside scores (N,): sum m theta(s + b) is sum m y."""
    share = float(sample.weight[sample.y > 0.0].sum() / sample.weight.sum())

    def excess(b: float) -> float:
        return float(sample.weight @ (expit(scores + b) - (sample.y > 0.0)))

    lower, upper = float(logit(share) - scores.max()), float(logit(share) - scores.min())
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2.0
        if middle in (lower, upper):
            break
        if excess(middle) > 0.0:
            upper = middle
        else:
            lower = middle
    return middle


def augmented_fit(sample: Sample, leverages: Floats, tol: float, max_iter: int) -> LogisticFit:
    """Return the most likely line of the augmented rows (FLAC), the indicator's weight the last."""
    X, half = dense(sample.X, "augmented rows"), leverages / 2.0
    zero, one = np.zeros((sample.n, 1)), np.ones((sample.n, 1))
    rows = np.vstack((np.hstack((X, zero)), np.hstack((X, one)), np.hstack((X, one))))
    labels = np.concatenate((sample.y, sample.y, -sample.y))
    weight = np.concatenate((sample.weight, half, half))
    augmented = replace(sample, X=rows, y=labels, weight=weight).only(weight > 0.0)
    start = np.zeros(sample.d + 2)
    return least_cross_entropy(Problem(Rows.of(augmented), np.inf, tol, max_iter, start))


VARIANTS: Mapping[object, str] = {name: name for name in ("firth", "flic", "flac")}
CERTIFIED_GAP = 1e-10  # of the fit of augmented rows


@final
@dataclass(kw_only=True, eq=False, repr=False)
class FirthLogisticRegression(InMemory, WithStandardErrors):
    """P(yes | x) = 1 / (1 + e^-w.x), at a maximum of the likelihood times sqrt det I.

    Plain form: `separatrix.plain.firth_logistic_regression`. A `sample_weight` of k stands for k
    copies of the row.

    Parameters
    ----------
    variant : "firth", "flic" or "flac"
        "firth" for coefficients; for probabilities "flic" fits the intercept again, "flac" all
        weights on augmented rows, so that their mean is the share of yes (Puhr et al. 2017).
    tol : float
        The steps end when one is no longer than this, in standard errors.
    max_iter : int
        Steps from each start.
    fit_intercept : bool

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
    n_iter_ : int
    stopped_ : Stopped
    certificate_ : StationaryPoint
        That one strict local maximum is near Firth's line: `verify(X, y)`, `enclosure(X, y)`.
    penalised_log_likelihood_ : float
        l + ln det I / 2 of Firth's line, in the units of X; of columns that are not collinear.
    standard_errors_, z_scores_, p_values_ : (1+d,)
        Of I^-1 at Firth's line, and Wald's test; NaN for collinear columns, none in a model file.
    leverages_ : (N,)
        Of the rows of the fit, the diagonal of the hat matrix of W^(1/2) X; 0 without a weight.
    collinear_ : as in `LogisticRegression`

    Warns
    -----
    NotConvergedWarning
        When the steps ended before one was as short as tol.
    SeparatrixWarning
        When columns are left out, because others make them up but for rounding.

    Examples
    --------
    >>> model = FirthLogisticRegression().fit([[0], [0], [0], [1], [1], [1]], [0, 0, 0, 1, 1, 1])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[3.89182]], [-1.94591])
    >>> model.certificate_.verify([[0], [0], [0], [1], [1], [1]], [0, 0, 0, 1, 1, 1])
    True
    """

    variant: str = "firth"
    tol: float = 1e-8
    max_iter: int = 1000
    fit_intercept: bool = True

    def _learn(self, sample: Sample) -> Self:
        variant = one_of(VARIANTS, self.variant, "variant")
        tol, steps = positive(self.tol, "tol"), limit(self.max_iter, "max_iter")
        present = sample.weight > 0.0
        full, sample = sample, sample.only(present)
        columns = Columns.of(sample)
        likelihood, self.collinear_ = columns.likelihood, dict(columns.left_out)
        found = likelihood.maximum(tol, steps)
        leverages, errors = likelihood.leverages(found.c), likelihood.standard_errors(found.c)
        weights = columns.spread_out(likelihood.weights(found.c), 0.0)
        self._standard_errors = columns.spread_out(errors, np.nan)
        self._firth_weights = weights.copy()
        if variant == "flic" and sample.x0:
            scores = likelihood.scores(found.c) - weights[0]
            weights[0] = refitted_intercept(scores, sample)
        if variant == "flac":
            augmented = augmented_fit(columns.sample, leverages, CERTIFIED_GAP, steps)
            weights[columns.kept] = augmented.weights[:-1]
        self._adopt(full, weights)
        self.certificate_ = columns.claim(found, tol, full.weight)
        self.leverages_ = np.zeros(full.n)
        self.leverages_[present] = leverages
        self.penalised_log_likelihood_ = found.value + likelihood.basis.log_determinant()
        self.n_iter_ = found.n_steps
        self.stopped_ = Stopped.SMALL_STEP
        if not found.length <= tol:
            spent = found.n_steps >= steps
            self.stopped_ = Stopped.STEPS_SPENT if spent else Stopped.PRECISION
            warn(
                f"Firth's logistic regression is not done: {self.stopped_} (last step "
                f"{found.length:.2g} standard errors, tol {tol:.2g}). Raise max_iter or tol.",
                NotConvergedWarning,
            )
        if self.collinear_:
            warn(
                f"{len(self.collinear_)} column(s) are left out with weight 0, because others make "
                "them up but for rounding: see collinear_.",
                SeparatrixWarning,
            )
        return self

    def _estimates(self) -> Floats:
        return self._firth_weights
