"""Claims: a frozen class each; `verify` re-checks it from the data, `claim` is what proofs say."""

from separatrix.certificates.fewest_mistakes import Recount
from separatrix.certificates.fits import LeastSquaresGap, LogisticGap
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.separability import Separation, mistake_bound
