"""Which coefficients diverge when no finite optimum exists, and in which direction.

The lines with Zw >= 0 form a cone. Coefficient j diverges when some of them have w_j != 0, modulo
the lines with Zw = 0. In the quotient where every remaining row can be positive the cone has an
interior, so w_j, a linear function there, is nonzero somewhere unless it is zero everywhere. Both
signs occur exactly when the rows and one more, which asks for the other sign, can be separated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from separatrix.exact.integers import IntegerRow
from separatrix.separation.alternative import Quotient


@dataclass(frozen=True)
class RecessionCone:
    """The lines with Zw >= 0, by an interior one.

    Parameters
    ----------
    quotient : coordinates in which every remaining row can be positive
    line : an interior line in those coordinates
    columns : for each coordinate of the quotient's lines, the index of its coefficient
    aliased : indices left out: their coefficients are not determined by the scores
    """

    quotient: Quotient
    line: IntegerRow
    columns: Sequence[int]
    aliased: Sequence[int]

    def functionals(self) -> dict[int, IntegerRow]:
        """Return w_j as a functional of the quotient's lines, for the coefficients that diverge."""
        return {
            j: row
            for place, j in enumerate(self.columns)
            if j not in self.aliased and any(row := [b[place] for b in self.quotient.basis])
        }
