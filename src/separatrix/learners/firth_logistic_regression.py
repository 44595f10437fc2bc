"""Firth's logistic regression: finite estimates on every table, with less bias than the likeliest.

Maximises l(w) + ln det I(w) / 2, I the Fisher information (Firth 1993; Heinze & Schemper 2002). It
is not known to be concave: the maximum found is a local one, the best of several starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix.data import Floats, NotConvergedWarning, Sample, SeparatrixWarning
from separatrix.learners._linear import warn
from separatrix.learners._parameters import limit, one_of, positive
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import WithStandardErrors
from separatrix.learners.firth.penalised_likelihood import Columns
from separatrix.learners.firth.predictions import augmented_fit, refitted_intercept

VARIANTS: Mapping[object, str] = {name: name for name in ("firth", "flic", "flac")}
CERTIFIED_GAP = 1e-10  # of the fit of augmented rows


@final
@dataclass(kw_only=True, eq=False, repr=False)
class FirthLogisticRegression(WithStandardErrors):
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
