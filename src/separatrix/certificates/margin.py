"""The largest margin of any line, between a line that has almost all of it and a proof of the rest.

The margin of a line w is min_n z_n.w / |w|. Multipliers bound it from above (`multipliers.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from separatrix._types import ArrayLike
from separatrix.certificates.fields import unless_odd
from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.statement import Claim, hexadecimals, with_multipliers
from separatrix.data import Sample
from separatrix.exact.integers import fractions_of, squared_length
from separatrix.exact.rows_in_blocks import checked_table, signed_rows
from separatrix.exact.signed_rows import SignedRows
from separatrix.notebook import Summarised, Summary, figure


@dataclass(frozen=True, repr=False)
class Margin(Summarised):
    """A line that separates and multipliers, between which the largest margin lies."""

    # (D,) exact weights of the line, w_0 first; without an intercept there is no w_0
    weights: list[Fraction]
    rho_squared: Fraction  # its squared margin
    proof: Multipliers  # multipliers; no line has a squared margin above proof.squared_bound

    def _summary(self) -> Summary:
        least, most = (float(value) ** 0.5 for value in (self.rho_squared, self.bound))
        return Summary(f"at least {figure(least)}", [("no line has more than", figure(most))])

    @property
    def bound(self) -> Fraction:
        """No line has a larger squared margin."""
        assert self.proof.squared_bound is not None  # noqa: S101  # always claimed here
        return self.proof.squared_bound

    def closes(self, tolerance: float) -> bool:
        """Return whether upper <= (1 + tolerance) lower."""
        return self.bound <= self.rho_squared * Fraction(1 + tolerance) ** 2

    def claim(self) -> Claim:
        """Return what a proof file says of it: no line has much more margin than this one."""
        weights = [*([] if self.proof.x0 else [Fraction(0)]), *self.weights]
        return {
            "kind": "margin",
            "weights": hexadecimals(weights),
            **with_multipliers(self.proof.rows, self.proof.multipliers),
        }

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether both bounds hold, recomputed in exact arithmetic."""
        return self._verified(checked_table(X, y))

    @unless_odd(False)
    def _verified(self, sample: Sample) -> bool:
        return self.proof.fits(sample) and self.holds(signed_rows(sample, float(self.proof.x0)))

    @unless_odd(False)
    def holds(self, rows: SignedRows) -> bool:
        """Return what `verify` does, for rows of the x0 that is claimed."""
        proof, weights = self.proof, fractions_of(self.weights)
        return (
            proof.x0 == rows.x0
            and proof.fits(rows.sample)
            and proof.squared_bound is not None
            and proof.squared_bound >= proof.bound_squared_of(rows.sample)
            and len(weights) == rows.width
            and 0 < self.rho_squared == squared_margin(rows.least(weights)[0], weights)
        )


def squared_margin(least: Fraction, weights: Sequence[Fraction]) -> Fraction:
    """Return the squared margin of a line whose least score is this; 0 if it does not separate."""
    return least**2 / squared_length(weights) if least > 0 else Fraction(0)
