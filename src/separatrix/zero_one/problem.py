"""A question (a table, costs of mistakes, limits), and what presolve makes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.certificates.fewest_mistakes import Tally
from separatrix.data import InputError, Sample
from separatrix.exact.integers import Floats, Indices
from separatrix.scale import Rows
from separatrix.zero_one.limits import NO_LIMITS, Limits, as_number
from separatrix.zero_one.presolve import presolve


@dataclass(frozen=True)
class Costs:
    """What the two kinds of mistakes cost: factors of the row weights."""

    wrong_yes: float = 1.0  # of a "yes" to a row whose label is no
    wrong_no: float = 1.0  # of a "no" to a row whose label is yes

    @classmethod
    def of(cls, cost_wrong_yes: Untyped, cost_wrong_no: Untyped) -> Costs:
        given = {"cost_wrong_yes": cost_wrong_yes, "cost_wrong_no": cost_wrong_no}
        for name, cost in given.items():
            if not 0.0 < as_number(cost) < math.inf:
                raise InputError(f"{name}={cost!r} must be a positive number.")
        return cls(*map(float, given.values()))


EQUAL_COSTS = Costs()


@dataclass(frozen=True, eq=False)
class Question:
    """A table, and the limits and costs."""

    table: Sample | Rows  # Rows are packed with cores tile by tile, whatever their source
    limits: Limits = NO_LIMITS
    costs: Costs = EQUAL_COSTS

    @property
    def x0(self) -> float:
        return self.table.x0

    @property
    def sample(self) -> Sample:
        assert isinstance(self.table, Sample)  # noqa: S101  # else tiles are packed
        return self.table

    @cached_property
    def tally(self) -> Tally:
        """What weighs mistakes exactly."""
        return Tally(self.sample, self.costs.wrong_yes, self.costs.wrong_no)


class Problem:
    def __init__(self, question: Question) -> None:
        self.sample, self.x0 = question.sample, question.x0
        self.tally = question.tally
        self.units = self.tally.units
        self.table = self.tally.rows
        self.columns = self.table.span.columns
        self._places = [self.table.index(j) for j in self.columns]
        values = self.table.floats()
        if len(self.columns) < self.table.width:
            values = np.ascontiguousarray(values[:, self.columns])
        exponents = self.table.exponents[self.columns]
        presolved = presolve(values, self.units.whole, exponents)
        self.rows, self.base, self.place = presolved.rows, presolved.base, presolved.place

    def weight(self, bound: int) -> Fraction:
        """Return the weight of the mistakes of a line that loses `bound` units of merged rows."""
        return (bound + self.base) * self.units.unit

    def cutoff(self, upper: Fraction) -> int:
        """Return the bound on merged rows that mistakes of weight `upper` allow at most."""
        return math.floor(upper / self.units.unit) - self.base

    def narrowed(self, line: Floats) -> Floats:
        """Return weights (1+d,) in the columns that span: (r,)."""
        return line[self._places]

    def widened(self, line: Floats) -> Floats:
        """Return a line (r,) in the columns that span as weights (1+d,)."""
        wide = np.zeros(self.sample.d + 1)
        wide[self._places] = line
        return wide

    def counted(self) -> tuple[Sample, Indices]:
        """Return the part of the sample that weighs a unit or more, and its rows."""
        return self.sample.only(self.units.whole > 0), np.flatnonzero(self.units.whole)
