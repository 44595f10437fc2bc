"""What the curvature at the optimum says of the estimates: standard errors of the weights.

The information is the Hessian Z' D Z of the cross-entropy, D = theta(a) theta(-a), at the optimum;
standard errors are the roots of the diagonal of its inverse (McCullagh & Nelder 1989, section 4.4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg

from separatrix.certificates import Separability
from separatrix.data import Floats, InputError, Sample
from separatrix.learners._parts import Part, Units, factor_of
from separatrix.tiles import one_blas_thread

# Multiplications up to which the information costs little beside the fit that it belongs to.
AT_ONCE = 1e7

LeftOut = Mapping[int, tuple[int, ...]]

# Both are decided at most once, however often they are asked.
Ask = Callable[[], Separability]
Look = Callable[[], LeftOut]


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """Where a method for the cross-entropy ended.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    dual : (N,)
        The dual point that certifies the relative gap.
    gap : float
    n_steps : int
    standard_errors : (1+d,), or None where `information` is to give them later
    information : Information or None
    doubtful : bool
        Whether rounding decides the gap: near-singular curvature, or a rank misjudged in floats.
    separability : Separability or None
        None unless the steps made it suspicious that no optimum exists.
    """

    weights: Floats
    dual: Floats
    gap: float
    n_steps: int
    standard_errors: Floats | None = None
    information: Information | None = None
    doubtful: bool = False
    separability: Separability | None = None
    left_out: LeftOut = field(default_factory=dict)

    def without(self, left_out: LeftOut, width: int) -> LogisticFit:
        """Return a fit of the other columns as one of all (width,), with standard errors."""
        places = [j for j in range(width) if j not in left_out]
        weights, errors = np.zeros(width), np.full(width, np.nan)
        weights[places] = self.weights
        known = self.standard_errors
        if known is None and self.information is not None:
            known = self.information.standard_errors()
        errors[places] = np.nan if known is None else known
        return replace(
            self, weights=weights, standard_errors=errors, information=None, left_out=left_out
        )


def no_minimiser(asked: Separability) -> bool:
    """Whether it is proven that no most likely line exists."""
    return asked.verdict in ("separable", "touching")


@dataclass(frozen=True, slots=True)
class Information:
    """The rows and the line (1+d,) of a fit, from which standard errors can be found later.

    `pull` (1+d,), minus the gradient at the line, tells whether the rows are still those of the
    fit: sums are the same bytes whenever they are taken.
    """

    sample: Sample
    x0: float
    units: Units
    weights: Floats
    pull: Floats

    @property
    def cheap(self) -> bool:
        """Whether to find standard errors at once, rather than to keep the rows."""
        return bool(self.sample.n * float(self.weights.size) ** 2 <= AT_ONCE)

    def standard_errors(self) -> Floats:
        """Return standard errors (1+d,); NaN where the information is singular in floats.

        Raises
        ------
        InputError
            When the rows have changed since they were fitted.
        """
        with one_blas_thread(), np.errstate(all="ignore"):
            part = Part(self.sample, self.sample.n, self.x0)
            _, pull = part.passes.at(self.weights)
            if not np.array_equal(pull, self.pull):
                raise InputError(
                    "standard errors are found from the rows when first asked for, and the arrays "
                    "that were given to fit have changed since. Fit again, or ask before changing."
                )
            factor = factor_of(part, self.units, kinds=(np.float64,))
            if factor is None:
                return np.full(self.weights.size, np.nan)
            back = np.eye(self.weights.size)  # dw / dc, less the scales: their squares overflow
            back[0, 0] = self.units.scale[0]
            back[0, 1:] = -self.units.scale[1:] * self.units.centre[1:]
            half = scipy.linalg.solve_triangular(
                factor.lower, back.T, lower=True, check_finite=False
            )
            errors = np.sqrt((half * half).sum(axis=0))
            errors[1:] *= self.units.scale[1:]
            if not self.x0:
                errors[0] = np.nan
            return np.asarray(errors)
