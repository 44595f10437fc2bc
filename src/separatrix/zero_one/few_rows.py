"""The fewest mistakes on a few rows, from all sets of rows that can be right.

A set of rows can be right when it holds no core (`minors.py`), so the mistakes are a lightest set
that hits every core. That no lighter one does is shown by disjunctions: a row of a core is wrong,
and counts, or it is right, and the core is hit elsewhere; cores that share no weight end a branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.exact.integers import IntegerRow
from separatrix.exact.minors import Minors, members
from separatrix.zero_one.core_packing import PARTS, Disjunction, Packing


@dataclass(frozen=True, eq=False)
class FewRows:
    """Rows (n, r) of rank r, no two of them opposite, and their weights > 0."""

    minors: Minors
    weights: Sequence[int]
    right: int  # rows that a line with the fewest mistakes has on its right side, as bits
    fewest: int  # the weight of the others

    @classmethod
    def of(cls, rows: Sequence[IntegerRow], weights: Sequence[int]) -> FewRows:
        minors = Minors(rows)
        gains = [0]
        for weight in weights:
            gains += [gain + weight for gain in gains]
        right = max(np.flatnonzero(minors.separable).tolist(), key=gains.__getitem__)
        return cls(minors, weights, right, gains[-1] - gains[right])

    def line(self) -> IntegerRow:
        """Return a line (r,) with these mistakes; no row lies on it."""
        return self.minors.line(self.right)

    def proof(self) -> Packing | Disjunction:
        """Return why no line makes fewer."""
        return self._branch(0, 0)

    def _branch(self, wrong: int, right: int) -> Packing | Disjunction:
        """Return why the lines that are wrong on some rows and right on others make no fewer."""
        due = (self.fewest - sum(self.weights[i] for i in members(wrong))) * PARTS
        left = {i: weight * PARTS for i, weight in enumerate(self.weights)}
        used: list[tuple[int, int]] = []
        cores = [core for core in self.minors.cores if not core & wrong]
        cores.sort(key=lambda core: ((core & ~right).bit_count(), core))
        for core in cores:
            if due <= 0:
                break
            amount = min((left[i] for i in members(core & ~right)), default=due)
            for i in members(core & ~right):
                left[i] -= amount
            if amount:
                used.append((amount, core))
                due -= amount
        if due <= 0:
            amounts = [
                (amount, tuple(members(core)), tuple(self.minors.multipliers(core)))
                for amount, core in used
            ]
            return Packing(self.fewest, tuple(amounts))
        # the row of the shortest core that most of the others have too
        row = max(members(cores[0] & ~right), key=lambda i: sum(core >> i & 1 for core in cores))
        bit = 1 << row
        return Disjunction(row, self._branch(wrong | bit, right), self._branch(wrong, right | bit))
