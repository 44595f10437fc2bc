"""The rows that stay where a likelihood has no maximum, and the directions in which the rest go.

The supremum is that over the rows with z.w = 0, fewest of all Zw >= 0 (Albert & Anderson 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Sample
from separatrix.exact.integers import primitive, sign, whole_multiples
from separatrix.exact.signed_rows import SignedRows
from separatrix.learners.least_squares.least_squares import augmented, power_of_two_scale
from separatrix.learners.logistic.newton_coordinates import OrthonormalColumns
from separatrix.learners.logistic.reads import Place
from separatrix.separation.decide import Separability, separability_of

OPEN = "a limit was met before its direction was decided"


class Undecided(Exception):  # noqa: N818  # an answer, not an error
    """A limit was met before it was decided which rows stay."""


@dataclass(frozen=True)
class Face:
    """Rows that stay along a direction of recession."""

    keep: NDArray[np.bool_]  # (N,) which rows stay
    direction: tuple[int, ...] | None  # (1+d,) whole numbers, positive on exactly the rows that go
    sample: Sample  # the rows that stay
    x0: float  # 1.0 with an intercept, 0.0 without

    @cached_property
    def table(self) -> Floats:
        return augmented(self.sample.X, self.x0)

    @cached_property
    def scale(self) -> Floats:
        """Powers of two that bring the columns to one size."""
        return power_of_two_scale(self.table)

    def independent(self, place: Place) -> NDArray[np.int64]:
        """Return columns that make up all others: every one where a place has them all."""
        if place.basis is None:
            return np.arange(0 if self.x0 else 1, self.sample.d + 1)
        return np.sort(OrthonormalColumns(self.table, self.x0).basic)


class Faces:
    """The faces of a table's likelihood, each found when first asked for."""

    def __init__(self, sample: Sample, x0: float, separability: Separability | None) -> None:
        self.sample, self.x0 = sample, x0
        self.separability = separability  # None where the rows overlap
        self._known: dict[bytes, Face] = {}

    @cached_property
    def whole(self) -> Face | None:
        """The face of all lines; None where a line separates the rows, so that none stays."""
        return self._of(self.separability, None)

    @cached_property
    def lines(self) -> Sequence[Sequence[Fraction]]:
        """Directions of recession, which show what diverges."""
        shown = None if self.separability is None else self.separability.divergence
        return [] if shown is None else shown.lines

    def ways(self, j: int) -> dict[int, int]:
        """Return the ways in which coefficient j diverges, each with a line that shows it."""
        shown = None if self.separability is None else self.separability.divergence
        if shown is not None and j in shown.open:
            raise Undecided(OPEN)
        return {sign(line[j]): i for i, line in enumerate(self.lines) if line[j]}

    def without(self, j: int) -> Face | None:
        """Return the face of lines with any fixed w_j; None where no row stays."""
        sample, x0 = self.sample, self.x0
        if j == 0:
            x0 = 0.0
        else:
            sample = less_columns(sample, (j,))
        if sample.d == 0 and not x0:  # nothing is left to choose: every row stays
            return self._of(None, j)
        found = separability_of(sample, x0)
        if found.verdict == "undecided":
            raise Undecided(found.reason)
        return self._of(found, j)

    def _of(self, found: Separability | None, j: int | None) -> Face | None:
        """Return the face that a verdict on all columns, or on all but one, shows."""
        if found is not None and found.verdict == "separable":
            return None
        keep, direction = np.ones(self.sample.n, dtype=np.bool_), None
        if found is not None and found.verdict == "touching":
            assert found.line is not None  # noqa: S101  # touching tables have one
            line = list(found.line)
            if j:
                line.insert(j, Fraction(0))
            direction = tuple(primitive(whole_multiples(line)[0]))
            rows = SignedRows(self.sample, self.x0)
            exact = [Fraction(w) for w in direction]
            keep = rows.signs(rows.columns_of(exact)) == 0
        made = Face(keep, direction, self.sample.only(keep), self.x0)
        return self._known.setdefault(keep.tobytes(), made)


def less_columns(sample: Sample, columns: Sequence[int]) -> Sample:
    """Return the sample without some columns, by their indices in (1+d,)."""
    kept = np.delete(np.arange(sample.d), np.array(columns, dtype=np.intp) - 1)
    return replace(sample, X=sample.X.take(kept, axis=1))
