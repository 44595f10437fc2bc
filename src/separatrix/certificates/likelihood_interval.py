"""Ends of likelihood intervals lie in stated brackets: a line for each end shows both sides.

A line b whose log-likelihood l(b), rounded down, is not below an upper bound of l* - q / 2 shows
that b_j is inside the interval of coefficient j. The shares theta(-a_n) at that same line, moved
on a few rows until they balance in all columns but j, are a dual point: it bounds l_j(v) by a
function that is linear in v, which shows that a value further out is outside. Where rows go to
infinity along a direction of recession w with w_j = 0 the bound is about the rows that stay. An end
is infinite where a direction of recession moves the coefficient that way.

`verify.py` says how all of that is checked; nothing else checks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from separatrix._types import ArrayLike
from separatrix.certificates.rows import part_of, rows_of
from separatrix.certificates.statement import Claim, doubles, unless_odd
from separatrix.data import Floats, Sample, read_arrays
from separatrix.verify import CannotCheck, Question, Refuted, checked

KIND = "likelihood intervals"


@dataclass(frozen=True)
class LikelihoodIntervalProof:
    """The claim that ends of likelihood intervals lie in brackets, or are infinite."""

    x0: float  # 1.0 with an intercept, else 0.0
    sample_weight: Floats  # (N,)
    claim: Claim  # as in a proof file, of the rows that have a weight

    @property
    def shown(self) -> set[tuple[int, int]]:
        """The ends (index in (1+d,), side) of which something is claimed."""
        return {(e["index"], e["side"]) for e in (*self.claim["ends"], *self.claim["infinite"])}

    def but_for(self, **members: Sequence[Claim]) -> LikelihoodIntervalProof:
        """Return it with other members of the claim."""
        return replace(self, claim={**self.claim, **members})

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether every end is shown; some microseconds for each row and end."""
        return self.holds(read_arrays(X, y))

    @unless_odd(False)
    def holds(self, sample: Sample) -> bool:
        """Return the same of a sample already checked; its weights are those of the certificate."""
        weight = doubles(self.sample_weight, sample.n)
        if self.x0 not in (0.0, 1.0) or not (weight >= 0.0).all():
            return False
        table = rows_of(replace(sample, weight=weight, x0=self.x0).only(weight > 0.0))
        try:
            checked(Question("", [], table, [part_of(self.claim).data]))
        except (Refuted, CannotCheck):
            return False
        return True
