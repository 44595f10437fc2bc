"""The coefficients of logistic regression: likelihood intervals, or Wald's for large tables."""

from __future__ import annotations

from separatrix.certificates.fits import LogisticGap
from separatrix.inference.coefficient_table import table_of_rows
from separatrix.inference.inputs import Asked
from separatrix.inference.table import CoefficientTable
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.scale import Rows

MOST_FOR_ENDS = 5e8  # rows x (coefficients)^3: a few seconds
MOST = 1e9  # rows x (coefficients)^2, dense


def coefficients_of(
    asked: Asked, rows: Rows, learner: LogisticRegression | None = None
) -> CoefficientTable:
    """Return the coefficient table of rows, of which a fit may be known."""
    n, d = rows.shape
    method = "likelihood" if n * (d + 1.0) ** 3 <= MOST_FOR_ENDS else "wald"
    if learner is not None and isinstance(learner.certificate_, LogisticGap):
        learner = None  # it ends at another place near the maximum: last digits would depend on it
    return table_of_rows(asked, rows, method=method, learner=learner)


def takes_long(n: int, d: int) -> bool:
    """Whether an information matrix of n rows and d columns, dense, takes more than seconds."""
    return n * (d + 1.0) ** 2 > MOST
