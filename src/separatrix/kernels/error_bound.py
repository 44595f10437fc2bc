"""How far a float score can be from the exact one: the only such bound, for kernels and for Python.

A sum of n products of doubles, added up in any order, is off by at most gamma_n = n u / (1 - n u)
times the sum of their magnitudes, u the unit roundoff (Higham 2002, Accuracy and Stability of
Numerical Algorithms, section 3.1), and by half of LEAST for each product that underflows. Where
weights and rows have been rounded once before, that is gamma_(n+2).

The magnitudes are added up in floats too, and so is the bound: hence twice the factor n + 2, which
is enough as long as (n + 2) u < 1/4. Signs of scores beyond the bound are certain; the others are
decided exactly, so that no answer depends on how wide it is.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import part

Size = TypeVar("Size", float, NDArray[np.float64])

UNIT_ROUNDOFF = 2.0**-53
LEAST = 5e-324  # a product that underflows is off by less than this
UNDERFLOWN = 1e-300  # more than squares or weights of one row that underflow can add up to


def score_error(
    n_terms: int, magnitude: Size, unit: float = UNIT_ROUNDOFF, tiny: float = UNDERFLOWN
) -> Size:
    """Return a bound on the error of a float sum of n products.

    Parameters
    ----------
    magnitude : the float sum of the products' magnitudes; in Python also an array of them
    unit : unit roundoff of the floats that are added up
    tiny : what one product loses at most by underflow
    """
    return 2.0 * (n_terms + 2) * (unit * magnitude + tiny)


compiled_score_error = part(score_error)  # takes all four
