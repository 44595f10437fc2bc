"""Which coefficients diverge when no finite optimum exists, and in which direction.

The lines with Zw >= 0 form a cone. Coefficient j diverges when some of them have w_j != 0, modulo
the lines with Zw = 0. In the quotient where every remaining row can be positive the cone has an
interior, so w_j, a linear function there, is nonzero somewhere unless it is zero everywhere. Both
signs occur exactly when the rows and one more, which asks for the other sign, can be separated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from separatrix.certificates.exact import IntegerRow, dot, sign
from separatrix.certificates.gordan import Quotient, gordan
from separatrix.certificates.simplex import Line, Refusal


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

    def directions(self) -> dict[int, int]:
        """Return {index: +1, -1 or 0}; 0: both signs occur, or a limit was met first."""
        lines = [self.line]
        return {j: self._direction(row, lines) for j, row in self.functionals().items()}

    def _direction(self, functional: IntegerRow, lines: list[IntegerRow]) -> int:
        """Return the direction of one coefficient; lines found on the way serve the next."""
        seen = {sign(dot(functional, c)) for c in lines}
        if len(seen) > 1 or seen == {0}:
            return 0  # zero inside an open cone: both signs occur around it
        (side,) = seen
        answer = gordan(self.quotient.cone.with_row([-side * a for a in functional]))
        if isinstance(answer, Line):
            lines.append(answer.v)
        return side if isinstance(answer, Refusal) else 0
