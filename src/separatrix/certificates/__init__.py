"""Claims: a frozen class each; `verify` re-checks it from the data, `claim` is what proofs say."""

from separatrix.certificates.fewest_mistakes import Recount
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.optimum import LeastSquaresGap, LogisticGap
from separatrix.certificates.separation import Separation, mistake_bound
