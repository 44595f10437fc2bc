"""Fisher information: standard errors of the weights from the curvature at the optimum.

The information is the Hessian Z' D Z of the cross-entropy, D = sigma(a) sigma(-a), at the optimum;
standard errors are the roots of the diagonal of its inverse (McCullagh & Nelder 1989, section 4.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from separatrix.data import Floats, InputError, Sample
from separatrix.learners.logistic.drawn_rows import Subsample, factorised_hessian
from separatrix.learners.logistic.objective import Scaling
from separatrix.tiles import one_blas_thread

# Multiplications up to which the information costs little beside the fit that it belongs to.
AT_ONCE = 1e7

LeftOut = Mapping[int, tuple[int, ...]]


def others(sample: Sample, left_out: LeftOut) -> list[int]:
    """Return the indices in (1+d,) of the intercept and of the columns that are not left out."""
    return [j for j in range(sample.d + 1) if j not in left_out]


def without(sample: Sample, left_out: LeftOut) -> Sample:
    """Return the sample in the other columns."""
    columns = np.array(others(sample, left_out)[1:]) - 1
    X = sample.X[:, columns] if sp.issparse(sample.X) else sample.X.take(columns, axis=1)
    return replace(sample, X=X)


@dataclass(frozen=True, slots=True)
class FisherInformation:
    """The rows and the line (1+k,) of a fit, from which standard errors can be found later."""

    sample: Sample
    x0: float
    scaling: Scaling
    weights: Floats
    gradient: Floats
    left_out: LeftOut = field(default_factory=dict)

    @property
    def cheap(self) -> bool:
        """Whether to find standard errors at once, rather than to keep the rows."""
        return bool(self.sample.n * float(self.weights.size) ** 2 <= AT_ONCE)

    def standard_errors(self) -> Floats:
        """Return standard errors (1+d,); NaN where the information is singular in floats."""
        if self.left_out:
            errors = np.full(self.sample.d + 1, np.nan)
            fewer = replace(self, sample=without(self.sample, self.left_out), left_out={})
            errors[others(self.sample, self.left_out)] = fewer.standard_errors()
            return errors
        scaling = self.scaling
        with one_blas_thread(), np.errstate(all="ignore"):
            rows = Subsample(self.sample, self.sample.n, self.x0, scaling)
            _, gradient = rows.source.at(self.weights)
            if not np.array_equal(gradient, self.gradient):
                raise InputError(
                    "standard errors are found from the rows when first asked for, and the arrays "
                    "that were given to fit have changed since. Fit again, or ask before changing."
                )
            factor = factorised_hessian(rows, kinds=(np.float64,))
            if factor is None:
                return np.full(self.weights.size, np.nan)
            return errors_of(factor.lower, scaling, self.x0)


def errors_of(lower: Floats, scaling: Scaling, x0: float) -> Floats:
    """Return standard errors (1+d,) from the lower Cholesky factor of the information."""
    back = np.eye(len(lower))  # dw / dc, less the scales: their squares overflow
    back[0, 0] = scaling.scale[0]
    back[0, 1:] = -scaling.scale[1:] * scaling.centre[1:]
    half = scipy.linalg.solve_triangular(lower, back.T, lower=True, check_finite=False)
    errors = np.sqrt((half * half).sum(axis=0))
    errors[1:] *= scaling.scale[1:]
    if not x0:
        errors[0] = np.nan
    return np.asarray(errors)
