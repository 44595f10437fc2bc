"""The claim of a lower bound by rows that contradict one another, in sets that share no weight.

Some multipliers > 0 cancel the rows of a set: every line is wrong on one of them (Gordan 1873), and
loses what each of them gives the set. A table may be in blocks: of its rows only those are read
that are named, and the mistakes of the line are counted block by block.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.fewest_mistakes import Tally
from separatrix.certificates.multipliers import whole_number
from separatrix.certificates.statement import Claim, doubles, hexadecimal, unless_odd
from separatrix.data import Sample
from separatrix.exact.integers import (
    Floats,
    column_exponents,
    fractions_of,
    integer_rows,
    nullspace,
)
from separatrix.exact.rows_in_blocks import SHARED, checked_table, taken
from separatrix.exact.signed_rows import SignedRows
from separatrix.kernels.exact import count_mistakes
from separatrix.notebook import Summarised, Summary, figure
from separatrix.scale import Block, Rows
from separatrix.tiles import in_threads, n_threads, shares

Core = tuple[Fraction, tuple[int, ...]]  # what each of the rows gives, and the rows


@dataclass(frozen=True, eq=False, repr=False)
class Contradictions(Summarised):
    """The claim that a line makes mistakes of weight `upper`, and no line less than `lower`."""

    weights: Floats  # (1+d,) w_0 first
    lower: Fraction  # lower, upper: sums of row weights, exact; `lower` is what the sets show
    upper: Fraction
    cores: Sequence[Core] = field(repr=False)  # (amount, rows) of each set
    cost_wrong_yes: float = 1.0  # cost_wrong_yes, cost_wrong_no: factors of the row weights
    cost_wrong_no: float = 1.0
    x0: float = 1.0  # 1.0 with an intercept, 0.0 without

    def _summary(self) -> Summary:
        lower, upper = figure(float(self.lower)), figure(float(self.upper))
        return Summary(
            f"any line makes at least {lower} mistakes",
            [("this line makes", upper), ("sets of rows that contradict", f"{len(self.cores):,}")],
        )

    def verify(self, X: ArrayLike, y: ArrayLike = None) -> bool:
        """Return whether both bounds hold for these rows, in whole numbers only.

        X, y are arrays, or X is a table in blocks.
        """
        return self._holds(checked_table(X, y))

    @unless_odd(False)
    def _holds(self, sample: Sample | Rows) -> bool:
        costs = doubles([self.cost_wrong_yes, self.cost_wrong_no], 2).tolist()
        amounts = fractions_of([amount for amount, _ in self.cores])
        odd = any(amount <= 0 for amount in amounts) or min(costs) <= 0.0
        if self.x0 not in (0.0, 1.0) or odd:
            return False
        line = doubles(self.weights, sample.d + 1)
        (upper,) = mistakes_of_lines(sample, self.x0, costs, [line])
        claimed, lower = fractions_of([self.upper, self.lower])
        named = sorted({whole_number(n) for _, rows in self.cores for n in rows})
        if upper != claimed or lower > min(sum(amounts), upper):
            return False
        if not named or not 0 <= named[0] <= named[-1] < sample.n:
            return not named
        ids = np.array(named, dtype=np.int64)
        if isinstance(sample, Rows):
            part = taken(sample, ids)
        else:
            part = sample.only(np.isin(np.arange(sample.n), ids))
        return self._all_contradict(part, {n: k for k, n in enumerate(named)}, costs)

    def _all_contradict(self, part: Sample, place: dict[int, int], costs: Sequence[float]) -> bool:
        """Return whether each set contradicts itself, and no row gives more than its weight."""
        z, given = SignedRows(part, self.x0).floats(), defaultdict[int, Fraction](Fraction)
        for amount, rows in self.cores:
            at = [place[n] for n in rows]
            if len(set(at)) < len(at) or not cancels(z[at]):
                return False
            for k in at:
                given[k] += amount
        weight = Tally(part, self.x0, *costs).weight
        return all(sum_ <= Fraction(float(weight[k])) for k, sum_ in given.items())

    @property
    def claims(self) -> list[Claim]:
        """What a proof file says of it: where mistakes cost the same, and each row its weight."""
        cores = [{"rows": list(rows), "share": hexadecimal(amount)} for amount, rows in self.cores]
        return [
            {"kind": "mistakes", "weights": [float(w) for w in self.weights]},
            {"kind": "mistakes at least", "cores": cores},
        ]


def cancels(rows: Floats) -> bool:
    """Return whether multipliers > 0 cancel rows (k, D) of rank k - 1, exactly."""
    integers = integer_rows(rows, column_exponents(rows))
    basis, _ = nullspace([list(column) for column in zip(*integers, strict=True)], len(rows))
    if len(basis) != 1:
        return False
    (vector,) = basis
    return all(a > 0 for a in vector) or all(a < 0 for a in vector)


def mistakes_of_lines(
    sample: Sample | Rows, x0: float, costs: Sequence[float], lines: Sequence[Floats]
) -> list[Fraction]:
    """Return the weight of the mistakes of each line (1+d,), exactly."""
    if isinstance(sample, Rows):
        found = sample.map(_mistakes, list(lines), x0, *costs)
    else:
        found = [_mistakes(Block(0, sample), list(lines), x0, *costs)]
    return [sum(each, Fraction(0)) for each in zip(*found, strict=True)]


def _mistakes(
    block: Block, lines: Sequence[Floats], x0: float, wrong_yes: float, wrong_no: float
) -> list[Fraction]:
    sample = block.sample
    weight: Any = sample.weight
    if wrong_yes != wrong_no or not (weight == weight[0]).all():
        tally = Tally(sample, x0, wrong_yes, wrong_no)
        return [tally.mistakes(w) for w in lines]

    def count(run: Sequence[int], w: Floats) -> int:
        part = slice(run[0], run[-1] + 1)
        return int(count_mistakes(sample.X[part], sample.y[part], w, x0))

    runs = shares(range(block.n), n_threads() if block.n >= SHARED else 1)
    of_one = Fraction(float(weight[0]) * wrong_yes)
    return [sum(in_threads([partial(count, run, w) for run in runs])) * of_one for w in lines]
