"""Columns that are left out, and standard errors from the Fisher information at the optimum.

The information is the Hessian Z' D Z of the cross-entropy, D = sigma(a) sigma(-a), at the optimum;
standard errors are the roots of the diagonal of its inverse (McCullagh & Nelder 1989, section 4.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from separatrix.data import Floats, Sample
from separatrix.learners.logistic.objective import Scaling

LeftOut = Mapping[int, tuple[int, ...]]


def others(sample: Sample, left_out: LeftOut) -> list[int]:
    """Return the indices in (1+d,) of the intercept and of the columns that are not left out."""
    return [j for j in range(sample.d + 1) if j not in left_out]


def without(sample: Sample, left_out: LeftOut) -> Sample:
    """Return the sample in the other columns."""
    columns = np.array(others(sample, left_out)[1:]) - 1
    X = sample.X[:, columns] if sp.issparse(sample.X) else sample.X.take(columns, axis=1)
    return replace(sample, X=X)


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
