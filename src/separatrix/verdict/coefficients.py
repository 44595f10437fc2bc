"""The coefficients of logistic regression, whichever learner is selected: what a journal prints.

They are found when a report shows them. Likelihood intervals take a few Newton steps for each end;
of large tables Wald's intervals stand in for them, and of very large ones nothing does.
"""

from __future__ import annotations

from separatrix.inference.coefficient_table import table_of_sample
from separatrix.inference.inputs import asked_of, probability_of
from separatrix.inference.table import CoefficientTable
from separatrix.verdict.question import Question

MOST_FOR_ENDS = 5e8  # rows x (coefficients)^3: a few seconds
MOST = 1e9  # rows x (coefficients)^2, dense


def coefficients_of(question: Question) -> CoefficientTable | None:
    """Return the coefficient table of a question; None where it would take long."""
    sample, table = question.sample, question.table
    k = float(sample.d + 1)
    if sample.n * k**2 > MOST:
        return None
    method = "likelihood" if sample.n * k**3 <= MOST_FOR_ENDS else "wald"
    asked = asked_of(table, question.encoding, sample.X)
    return table_of_sample(asked, sample, probability_of(table), 1.0, method=method)
