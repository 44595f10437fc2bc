"""The mistakes of a line, counted again: what a pocket claims."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates.statement import ODD, doubles, unless_odd
from separatrix.data import Sample
from separatrix.exact.integers import Floats, fractions_of
from separatrix.exact.rows_in_blocks import checked_table
from separatrix.kernels.exact import signed_scores
from separatrix.scale import Block, Rows


@dataclass(frozen=True, slots=True)
class Recount:
    """The claim that a line makes mistakes of weight `n_errors`; a row on the line counts as one.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    n_errors : the weights of the rows it is wrong on, added up
    sample_weight : (N,); None for the weights of the table that it is checked with
    x0 : 1.0 with an intercept, 0.0 without
    """

    weights: Floats
    n_errors: float
    sample_weight: Floats | None
    x0: float = 1.0

    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether the count is right, every sign exact, up to the rounding of its sum.

        X, y are arrays, or X is a table in blocks.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        return self._holds(checked_table(X, y))

    @unless_odd(False)
    def _holds(self, sample: Sample | Rows) -> bool:
        if self.sample_weight is not None:
            doubles(self.sample_weight, sample.n)
        if isinstance(sample, Rows):
            found = sample.map(_weighed, self)
        else:
            found = [_weighed(Block(0, sample), self)]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            return False
        rounding = 0.0 if all(part[1] for part in parts) else 2.0**-52 * sample.n
        counted = math.fsum(part[0] for part in parts)
        (off,) = fractions_of([self.n_errors])
        return abs(off - Fraction(counted)) <= rounding * counted

    def wrong(self, sample: Sample) -> Untyped:
        """Return which rows (N,) the line is wrong on; None when it does not fit them."""
        try:
            weights = doubles(self.weights, sample.d + 1)
        except ODD:
            return None
        if self.x0 not in (0.0, 1.0):
            return None
        return sample.y * signed_scores(sample.rows, sample.n, weights, float(self.x0)) <= 0.0


def _weighed(block: Block, claim: Recount) -> tuple[float, bool] | None:
    """Return what the mistakes in a block weigh, and whether its weights are whole numbers."""
    wrong, mass = claim.wrong(block.sample), block.sample.weight
    if claim.sample_weight is not None:
        mass = doubles(claim.sample_weight[block.start : block.stop], block.n)
    if wrong is None or (mass < 0.0).any():
        return None
    return math.fsum(mass[wrong]), bool((mass == np.rint(mass)).all())
