"""Proofs: one frozen class per claim, each re-checked from the data by its `verify`."""

from separatrix.certificates.agreement import agree
from separatrix.certificates.fewest_mistakes import (
    ErrorBracket,
    FewestMistakes,
    minimum_errors,
)
from separatrix.certificates.least_squares import LeastSquaresGap
from separatrix.certificates.logistic import LogisticGap
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.recount import Recount
from separatrix.certificates.separability import (
    Separability,
    Witness,
    separability,
    separability_of,
)
from separatrix.certificates.separation import Separation, mistake_bound

__all__ = [
    "ErrorBracket",
    "FewestMistakes",
    "LeastSquaresGap",
    "LogisticGap",
    "Multipliers",
    "Recount",
    "Separability",
    "Separation",
    "Witness",
    "agree",
    "minimum_errors",
    "mistake_bound",
    "separability",
    "separability_of",
]
