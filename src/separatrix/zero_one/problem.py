"""What is asked: a table, what its mistakes weigh, and what may be spent on the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import InputError, Sample
from separatrix.exact.integers import Floats
from separatrix.exact.signed_rows import SignedRows
from separatrix.kernels.exact import signed_scores
from separatrix.zero_one.branch_and_bound import ALL
from separatrix.zero_one.presolve import Weights, whole_weights


class Tally:
    """Weighs mistakes exactly.

    Parameters
    ----------
    sample, x0 : the table, and 1.0 with an intercept, 0.0 without
    wrong_yes, wrong_no : what the two kinds of mistakes cost
    """

    def __init__(self, sample: Sample, x0: float, wrong_yes: float, wrong_no: float) -> None:
        self.sample, self.x0 = sample, x0
        self.weight = sample.weight * np.where(sample.y > 0, wrong_no, wrong_yes)
        vanished = (self.weight == 0.0) & (sample.weight != 0.0)
        if not np.isfinite(self.weight).all() or vanished.any() or not self.weight.any():
            raise InputError("sample_weight times cost leaves float64's range: scale the costs.")
        self.units: Weights = whole_weights(self.weight)

    def mistakes(self, line: Floats | Sequence[Fraction]) -> Fraction:
        """Return the weight of mistakes of a line (1+d,), every sign exact."""
        wrong = self._wrong(line)
        if self.units.exact:
            return int(self.units.whole[wrong].sum()) * self.units.unit
        return sum((Fraction(w) for w in self.weight[wrong].tolist()), Fraction(0))

    def _wrong(self, line: Floats | Sequence[Fraction]) -> NDArray[np.bool_]:
        sample = self.sample
        if isinstance(line, np.ndarray):
            scores = signed_scores(sample.rows, sample.n, line, self.x0)
            return np.asarray(sample.y * scores <= 0.0)
        rows = SignedRows(sample, self.x0)
        return np.asarray(rows.signs(rows.columns_of(line)) <= 0)

    def counted(self) -> Sample:
        """Return the rows that weigh anything."""
        sample, kept = self.sample, np.flatnonzero(self.weight)
        if kept.size == sample.n:
            return sample
        return replace(sample, X=sample.X[kept], y=sample.y[kept], weight=sample.weight[kept])


@dataclass(frozen=True)
class Limits:
    """Checked parameters of the search: seconds, boxes, and what the two kinds of mistakes cost."""

    seconds: float | None
    nodes: int
    wrong_yes: float
    wrong_no: float

    @classmethod
    def of(
        cls,
        time_limit: Untyped,
        max_nodes: Untyped,
        cost_wrong_yes: Untyped,
        cost_wrong_no: Untyped,
        names: tuple[str, str] = ("time_limit", "max_nodes"),
    ) -> Limits:
        """Check what the user gave; the limits go by these names.

        Raises
        ------
        InputError
            Naming the parameter.
        """
        seconds = None if time_limit is None else _number(time_limit, names[0], 0.0)
        nodes = ALL if max_nodes is None else _number(max_nodes, names[1], 0.0)
        if nodes != ALL and not float(nodes).is_integer():
            raise InputError(f"{names[1]}={max_nodes!r} must be a whole number, or None.")
        costs = [
            _number(cost, name, 5e-324)
            for cost, name in (
                (cost_wrong_yes, "cost_wrong_yes"),
                (cost_wrong_no, "cost_wrong_no"),
            )
        ]
        if seconds == math.inf:
            seconds = None
        return cls(seconds, ALL if nodes >= ALL else int(nodes), *costs)


def _number(value: Untyped, name: str, least: float) -> float:
    try:
        number = float(value) if not isinstance(value, str | bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not number >= least or (number == math.inf and name.startswith("cost")):
        raise InputError(
            f"{name}={value!r} must be a {'positive ' if least else ''}number"
            f"{'' if least else ', 0 or more, or None for no limit'}."
        )
    return number


NO_LIMITS = Limits(None, ALL, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Question:
    """What was asked: a checked sample, with or without intercept, and the limits and costs."""

    sample: Sample
    x0: float
    limits: Limits
