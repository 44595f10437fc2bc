"""The fewest mistakes by cores alone: better packings by prices, better lines, and cases.

The largest packing of cores (`core_packing.py`) is a linear program with a column for each core, of
which there are far too many to list. Its dual has a price for every row; only a core whose prices
add up to less than 1 can make the packing larger (Gilmore & Gomory 1961). The prices of a program
that knows few cores jump from one corner to another, and cores bought at them help little: they
are smoothed over the rounds (Wentges 1997).

The dear rows are also those that a good line should give up: a set of them that hits all cores
known proposes a line, or what it leaves has more cores (implicit hitting sets). Where the program
itself stays below the truth, a row of a broken price is wrong or right: a case each, whose bounds
are higher (branch and price). It minds the number of mistakes rather than the dimension.

All work is counted, not timed: the same limits give the same bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from separatrix.exact.integers import Floats
from separatrix.kernels.zero_one.pricing import cheap_core
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import (
    EVERY_LINE,
    FREE,
    TAKEN,
    Case,
    Cases,
    CoreHunt,
    Packing,
    incidence,
)
from separatrix.zero_one.presolve import CountedRows

SMOOTH = 0.5  # what the earlier prices count for
ORDERS = 4  # of the mistakes of a new line, which is asked for cores
WALKS = 100  # a round
FEWEST_PIVOTS, MOST_PIVOTS = 50.0, 2_000  # a walk
UNLIKE = (0.3, 1.0)  # how far, in logarithms, costs are from prices: by turns
ALIKE = 20  # walks, in which rows become dearer with every core that they are in
VANISH = 100.0  # times the largest cost: what a combination that does not vanish costs
MOST_KEPT, KEPT = 8, 5  # cores per row: above the first the dearest are forgotten, down to the last
GROWTH = 3e-3  # of the value: less is none
STALLED, IDLE = 3, 12  # rounds without growth: of a case to be split, of all lines to end
PROMISING = 0.75  # of the mistakes of the best line
DEEPEST = 200  # cases inside cases: a proof is read by steps inside steps
WHOLE = 1e-6  # a price so near to 0 or 1 is that


@dataclass(eq=False)
class _Node:
    """A case, and how far it is."""

    case: Case
    packing: Packing
    prices: Floats  # (N,) smoothed
    value: float = 0.0
    idle: int = 0
    split: tuple[int, _Node, _Node] | None = None

    def proof(self) -> Packing | Cases:
        """Return what proves the bound of the case."""
        if self.split is None:
            return self.packing
        row, wrong, right = self.split
        return Cases(row, wrong.proof(), right.proof())


class CoreTree:
    """Bounds and lines that grow better from round to round.

    Parameters
    ----------
    rows : all rows; known : what is known of them exactly
    line : (D,) a good one, for the values

    Attributes
    ----------
    bound : proven so far; upper : weight of the mistakes of the best line
    finished : whether there is no more to be had
    """

    def __init__(self, rows: CountedRows, known: Knowledge, line: Floats) -> None:
        self.rows, self.known, self.line = rows, known, line
        self.upper = rows.mistakes(line)
        self.hunt = CoreHunt(rows, known)
        self.penalty = np.full(rows.dimension, VANISH)
        prices = np.full(rows.n, 1.0 / (rows.dimension + 1))
        self.root = _Node(EVERY_LINE, Packing(0, ()), prices)
        self.open = [self.root]
        self.bound, self.rounds, self.finished, self.last_work = 0, 0, False, 0.0

    @property
    def work(self) -> float:
        """Numbers read, about."""
        return self.hunt.work

    @property
    def promising(self) -> bool:
        """Whether packings come so near to the best line that cases will close the gap."""
        return self.bound >= PROMISING * self.upper

    def round_work(self) -> float:
        """Return about how many numbers the next round will read."""
        return max(self.last_work, FEWEST_PIVOTS * WALKS * self.rows.n * self.rows.dimension)

    def better(self) -> Iterator[Packing | Cases | Floats]:
        """Do a round; yield what proves more than anything before, and lines (D,) that are better.

        It is for the case of least bound, the last one of them: that one is nearly done.
        """
        before = self.work
        node = min(reversed(self.open), key=lambda node: node.packing.bound)
        if self.rounds == 0:
            self.hunt.around(self.line, ORDERS)
        else:
            self._look(node)
            self._forget(node)
        self.rounds += 1
        if not self.hunt.cores or not self._weigh(node):
            self.finished = True
            return
        yield from self._grown()
        if not self.finished and node in self.open:
            yield from self._better_line(node)
            if node.idle >= STALLED:
                self._split(node)
                yield from self._grown()
        self.last_work = self.work - before

    def _weigh(self, node: _Node) -> bool:
        """Solve the linear program of a case; return whether it could be."""
        hunt = self.hunt
        if not hunt.weigh(node.case):
            return False
        node.idle = 0 if hunt.value > node.value * (1.0 + GROWTH) else node.idle + 1
        node.value = max(node.value, hunt.value)
        if math.ceil(hunt.value - WHOLE) > node.packing.bound:
            packing = hunt.checked(node.case) or hunt.packing(node.case)
            if packing is None:
                return False
            node.packing = max(node.packing, packing, key=lambda packing: packing.bound)
        first = node is self.root and self.rounds == 1
        node.prices = hunt.prices if first else SMOOTH * node.prices + (1.0 - SMOOTH) * hunt.prices
        node.prices[list(node.case.wrong)] = TAKEN
        node.prices[list(node.case.right)] = hunt.prices[list(node.case.right)]
        return True

    def _grown(self) -> Iterator[Packing | Cases]:
        """Close the cases that are done; yield the proof of a larger bound, if there is one."""
        self.open = [node for node in self.open if node.packing.bound < self.upper]
        proof = self.root.proof()
        if proof.bound > self.bound:
            self.bound = proof.bound
            yield proof
        self.finished = self.finished or not self.open

    def _better_line(self, node: _Node) -> Iterator[Floats]:
        """Yield a line that is wrong on no more than rows that hit all cores, if it is better."""
        found = self.hunt.left_over(self.hunt.hitting_set(node.case))
        if found is not None and self.rows.mistakes(found) < self.upper:
            self.line, self.upper = found, self.rows.mistakes(found)
            self.hunt.around(found, ORDERS)
            yield found

    def _look(self, node: _Node) -> None:
        """Look for cores whose prices add up to less than 1."""
        hunt, n = self.hunt, self.rows.n
        hunt.program.active[:] = np.arange(n)
        for k in range(WALKS):
            self.known.budget.left()
            if k % ALIKE == 0:
                uses = np.ones(n)
            spread = hunt.random.standard_normal(n) * UNLIKE[k % len(UNLIKE)]
            costs: Floats = (node.prices + FREE) * np.exp(spread) * uses
            size, pivots = cheap_core(
                hunt.program, hunt.columns, costs / costs.max(), node.prices, self.penalty,
                MOST_PIVOTS,
            )  # fmt: skip
            hunt.work += (pivots + 1.0) * n * self.rows.dimension
            core = np.sort(hunt.program.support[:size])
            uses[core] += 1.0
            if size and node.prices[core].sum() < 1.0 - WHOLE:
                hunt.keep(core)

    def _forget(self, node: _Node) -> None:
        """Forget the dearest of too many cores, but none that a packing uses."""
        hunt, cores = self.hunt, list(self.hunt.cores)
        if len(cores) <= MOST_KEPT * self.rows.n:
            return
        price = incidence(cores, self.rows.n) @ node.prices
        used = {core for amount, core in hunt.packed if amount > 0.0}
        price[[k for k, core in enumerate(cores) if core in used]] = 0.0
        cheap = np.sort(np.argsort(price, kind="stable")[: KEPT * self.rows.n])
        hunt.cores = dict.fromkeys(cores[k] for k in cheap.tolist())

    def _split(self, node: _Node) -> None:
        """Split a case whose bound does not grow; end all where that promises nothing."""
        prices = self.hunt.prices.copy()
        prices[list(node.case.wrong)] = 0.0
        broken = prices * (1.0 - prices)
        row = int(np.argmax(broken))
        deep = len(node.case.wrong) + len(node.case.right) >= DEEPEST
        if not self.promising or deep or broken[row] <= WHOLE:
            self.finished = node.idle >= IDLE
            return
        parts = []
        for wrong, right in (((row,), ()), ((), (row,))):
            case = Case(node.case.wrong + wrong, node.case.right + right)
            part = _Node(case, Packing(0, ()), node.prices.copy())
            if not self._weigh(part):
                self.finished = True
                return
            parts.append(part)
        node.split = (row, parts[0], parts[1])
        self.open.remove(node)
        self.open.extend(parts)
