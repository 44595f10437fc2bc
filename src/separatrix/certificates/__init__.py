"""Claims: a frozen class each; `verify` re-checks it from the data, `claim` is what proofs say."""

from separatrix.certificates.least_squares_gap import LeastSquaresGap
from separatrix.certificates.logistic_gap import LogisticGap
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.recount import Recount
from separatrix.certificates.separation import Separation, mistake_bound
