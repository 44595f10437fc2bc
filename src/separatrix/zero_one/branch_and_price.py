"""Branch and price: packings of cores by column generation, better lines, and disjunctions.

Pricing looks for cores whose dual values add up to less than 1 (Gilmore & Gomory 1961); the duals
are smoothed over the rounds (Wentges 1997). Rows that hit all cores of the pool propose lines
(implicit hitting sets), and a row of fractional dual value is branched on: it is wrong or right.
Work is counted, not timed: the same limits give the same bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from separatrix.exact.integers import Floats
from separatrix.kernels.zero_one.cores import cheap_core
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import (
    EVERY_LINE,
    FREE,
    TAKEN,
    Branch,
    CorePool,
    Disjunction,
    Packing,
    incidence,
)
from separatrix.zero_one.problem import MergedRows

PRICINGS = 100  # a round
FEWEST_PIVOTS, MOST_PIVOTS = 50.0, 2_000  # of one pricing
SPREADS = (0.3, 1.0)  # how far, in logarithms, costs are drawn from the duals: in turn
ALIKE = 20  # pricings, in which rows cost more with every core that they are in
VANISH = 100.0  # times the largest cost: the cost of a combination that does not vanish
WHOLE = 1e-6  # a dual value so near to 0 or 1 counts as that


@dataclass(frozen=True)
class PricingTuning:
    smoothing: float = 0.5  # weight of the earlier duals in the stabilised ones
    passes: int = 4  # over the mistakes of a new line, for cores around it
    most_kept: int = 8
    kept: int = 5
    growth: float = 3e-3  # of the value of the master program, relative: less counts as none
    stalled: int = 3
    idle: int = 12
    promising: float = 0.75  # bound over upper bound from which branching may close the gap
    deepest: int = 200  # branchings inside branchings: a proof is read recursively


TUNED = PricingTuning()


@dataclass(eq=False)
class _Node:
    """A branching node and its bound so far."""

    branch: Branch
    packing: Packing
    duals: Floats  # (N,) stabilised
    value: float = 0.0
    idle: int = 0
    children: tuple[int, _Node, _Node] | None = None

    def proof(self) -> Packing | Disjunction:
        if self.children is None:
            return self.packing
        row, wrong, right = self.children
        return Disjunction(row, wrong.proof(), right.proof())


class BranchAndPrice:
    def __init__(
        self, rows: MergedRows, known: Knowledge, line: Floats, tuning: PricingTuning = TUNED
    ) -> None:
        self.rows, self.known, self.line, self.tuning = rows, known, line, tuning
        self.upper = rows.mistakes(line)
        self.pool = CorePool(rows, known)
        self.penalty = np.full(rows.dimension, VANISH)
        duals = np.full(rows.n, 1.0 / (rows.dimension + 1))
        self.root = _Node(EVERY_LINE, Packing(0, ()), duals)
        self.open = [self.root]
        self.bound, self.rounds, self.finished, self.last_work = 0, 0, False, 0.0

    @property
    def work(self) -> float:
        """Numbers read, about."""
        return self.pool.work

    @property
    def promising(self) -> bool:
        """Whether packings come so near to the best line that branching will close the gap."""
        return self.bound >= self.tuning.promising * self.upper

    def round_work(self) -> float:
        """Return about how many numbers the next round will read."""
        return max(self.last_work, FEWEST_PIVOTS * PRICINGS * self.rows.n * self.rows.dimension)

    def round(self) -> Iterator[Packing | Disjunction | Floats]:
        """Do a round on the node of least bound; yield larger bounds and better lines."""
        before = self.work
        node = min(reversed(self.open), key=lambda node: node.packing.bound)
        if self.rounds == 0:
            self.pool.separate_line(self.line, self.tuning.passes)
        else:
            self._price(node)
            self._clean_up(node)
        self.rounds += 1
        if not self.pool.cores or not self._solve_master(node):
            self.finished = True
            return
        yield from self._prune()
        if not self.finished and node in self.open:
            yield from self._better_line(node)
            if node.idle >= self.tuning.stalled:
                self._branch(node)
                yield from self._prune()
        self.last_work = self.work - before

    def _price(self, node: _Node) -> None:
        """Add cores whose dual values add up to less than 1."""
        pool, n = self.pool, self.rows.n
        pool.program.active[:] = np.arange(n)
        for k in range(PRICINGS):
            self.known.budget.left()
            if k % ALIKE == 0:
                uses = np.ones(n)
            spread = pool.random.standard_normal(n) * SPREADS[k % len(SPREADS)]
            costs: Floats = (node.duals + FREE) * np.exp(spread) * uses
            size, pivots = cheap_core(
                pool.program, pool.columns, costs / costs.max(), node.duals, self.penalty,
                MOST_PIVOTS,
            )  # fmt: skip
            pool.work += (pivots + 1.0) * n * self.rows.dimension
            core = np.sort(pool.program.support[:size])
            uses[core] += 1.0
            if size and node.duals[core].sum() < 1.0 - WHOLE:
                pool.add(core)

    def _clean_up(self, node: _Node) -> None:
        """Remove cores of high reduced cost from a large pool, but none that a packing uses."""
        pool, cores = self.pool, list(self.pool.cores)
        if len(cores) <= self.tuning.most_kept * self.rows.n:
            return
        price = incidence(cores, self.rows.n) @ node.duals
        used = {core for amount, core in pool.packed if amount > 0.0}
        price[[k for k, core in enumerate(cores) if core in used]] = 0.0
        cheap = np.sort(np.argsort(price, kind="stable")[: self.tuning.kept * self.rows.n])
        pool.cores = dict.fromkeys(cores[k] for k in cheap.tolist())

    def _solve_master(self, node: _Node) -> bool:
        """Solve the master program of a node and stabilise its duals; return if that worked."""
        pool, tuning = self.pool, self.tuning
        if not pool.solve_master(node.branch):
            return False
        node.idle = 0 if pool.value > node.value * (1.0 + tuning.growth) else node.idle + 1
        node.value = max(node.value, pool.value)
        if math.ceil(pool.value - WHOLE) > node.packing.bound:
            packing = pool.exact_packing(node.branch) or pool.packing(node.branch)
            if packing is None:
                return False
            node.packing = max(node.packing, packing, key=lambda packing: packing.bound)
        old = 0.0 if node is self.root and self.rounds == 1 else tuning.smoothing
        node.duals = old * node.duals + (1.0 - old) * pool.duals
        node.duals[list(node.branch.wrong)] = TAKEN
        node.duals[list(node.branch.right)] = pool.duals[list(node.branch.right)]
        return True

    def _prune(self) -> Iterator[Packing | Disjunction]:
        """Prune the nodes that hold no better line; yield the proof of a larger bound, if any."""
        self.open = [node for node in self.open if node.packing.bound < self.upper]
        proof = self.root.proof()
        if proof.bound > self.bound:
            self.bound = proof.bound
            yield proof
        self.finished = self.finished or not self.open

    def _better_line(self, node: _Node) -> Iterator[Floats]:
        """Yield a line that is wrong on no more than rows that hit all cores, if it is better."""
        found = self.pool.separate_hitting_set(self.pool.hitting_set(node.branch))
        if found is not None and self.rows.mistakes(found) < self.upper:
            self.line, self.upper = found, self.rows.mistakes(found)
            self.pool.separate_line(found, self.tuning.passes)
            yield found

    def _branch(self, node: _Node) -> None:
        """Branch on a row of fractional dual value; end the search where that promises nothing."""
        duals = self.pool.duals.copy()
        duals[list(node.branch.wrong)] = 0.0
        fractional = duals * (1.0 - duals)
        row = int(np.argmax(fractional))
        deep = len(node.branch.wrong) + len(node.branch.right) >= self.tuning.deepest
        if not self.promising or deep or fractional[row] <= WHOLE:
            self.finished = node.idle >= self.tuning.idle
            return
        children = []
        for wrong, right in (((row,), ()), ((), (row,))):
            branch = Branch(node.branch.wrong + wrong, node.branch.right + right)
            child = _Node(branch, Packing(0, ()), node.duals.copy())
            if not self._solve_master(child):
                self.finished = True
                return
            children.append(child)
        node.children = (row, children[0], children[1])
        self.open.remove(node)
        self.open.extend(children)
