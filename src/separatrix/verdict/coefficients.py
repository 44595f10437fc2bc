"""The coefficients of logistic regression: likelihood intervals, or Wald's for large tables."""

from __future__ import annotations

from separatrix.certificates.fits import LogisticGap
from separatrix.inference.coefficient_table import table_of_rows
from separatrix.inference.inputs import asked_in_blocks, asked_of
from separatrix.inference.table import CoefficientTable
from separatrix.learners.logistic_regression import LogisticRegression
from separatrix.scale import Rows
from separatrix.verdict.cases import Question

MOST_FOR_ENDS = 5e8  # rows x (coefficients)^3: a few seconds
MOST = 1e9  # rows x (coefficients)^2, dense


def coefficients_in_blocks(table: Rows, learner: LogisticRegression) -> CoefficientTable:
    """Return the coefficient table of rows in blocks, of which a fit is known."""
    method = "likelihood" if _may_have_ends(*table.shape) else "wald"
    # a fit in memory ends at another place near the maximum: the last digits would depend on it
    known = None if isinstance(learner.certificate_, LogisticGap) else learner
    return table_of_rows(asked_in_blocks(table), table, method=method, learner=known)


def _may_have_ends(n: int, d: int) -> bool:
    """Whether likelihood intervals of n rows and d columns take a few seconds at most."""
    return n * (d + 1.0) ** 3 <= MOST_FOR_ENDS


def takes_long(n: int, d: int) -> bool:
    """Whether an information matrix of n rows and d columns, dense, takes more than seconds."""
    return n * (d + 1.0) ** 2 > MOST


def coefficients_of(question: Question) -> CoefficientTable | None:
    """Return the coefficient table of a question; None where it would take long."""
    sample = question.sample
    if takes_long(*sample.X.shape):
        return None
    method = "likelihood" if _may_have_ends(sample.n, sample.d) else "wald"
    return table_of_rows(
        asked_of(question.table, question.encoding), Rows.of(sample), method=method
    )
