"""Lower bounds where closing the gap takes too long: cores of all rows, and smaller cutoffs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.zero_one.blocks.packing import RIGHT_FOR_A_WRONG, Packed, packed
from separatrix.zero_one.bracket import Bracket
from separatrix.zero_one.branch_and_bound import BranchAndBound, Knowledge
from separatrix.zero_one.branch_and_price import BranchAndPrice
from separatrix.zero_one.core_packing import PARTS, Packing
from separatrix.zero_one.limits import ALL

MANY = 2048  # rows
AT_ONCE = 2**15  # rows that are packed together, between looks at the clock
TRIED = 2**11  # of these rows show in which order rows are packed best
EXACT = 2**53  # whole numbers up to it are doubles
SEED = 1  # of the primal heuristic for the first cores


class Ascent:
    """Raises the lower bound."""

    def __init__(self, bracket: Bracket, known: Knowledge, round_nodes: int) -> None:
        self.bracket, self.known = bracket, known
        self.tuning, self.budget = bracket.tuning, bracket.budget
        self.cores: BranchAndPrice | None = None
        self.search: BranchAndBound | None = None
        growth = self.tuning.growth
        self.step = _Step(max(1, bracket.cutoff // 4), round_nodes, growth)

    # ------------------------------------------------------------------ by cores

    def pack_apart(self) -> None:
        """Pack disjoint cores of rows from everywhere: of many rows that shows most, soonest."""
        bracket, rows, cores, bound = self.bracket, self.bracket.rows, [], Fraction(0)
        line = bracket.problem.narrowed(bracket.line)
        if int(rows.weight.max()) > EXACT:
            return

        def of(part: slice, ratio: int) -> Packed:
            self.budget.check_time()
            weight = rows.weight[part].astype(np.float64)
            return packed(np.ascontiguousarray(rows.values[part]), weight, line, ratio)

        some = slice(None, None, -(-rows.n // TRIED))
        ratio = max(RIGHT_FOR_A_WRONG, key=lambda ratio: of(some, ratio).bound)
        n_parts = -(-rows.n // AT_ONCE)
        for k in range(n_parts):
            found = of(slice(k, None, n_parts), ratio)
            bound += found.bound
            cores += [
                (int(amount) * PARTS, tuple(k + n_parts * n for n in core), ())
                for amount, core in found.cores
            ]
        bracket.take_packing(Packing(int(bound), tuple(cores)))

    def pack_few(self) -> None:
        """Pack cores where there are rows enough for twice as many cores as mistakes."""
        bracket, tuning = self.bracket, self.tuning
        rows = bracket.rows
        few = 2 * bracket.cutoff * (rows.dimension + 1) <= int(rows.weight.sum())
        most = min(tuning.few_work, tuning.few_work_a_node * self.budget.most_nodes)
        self.pack(most if few else 0.0)

    def pack(self, work: float) -> None:
        """Raise the lower bound by cores of all rows, and find lines that miss few of them."""
        bracket = self.bracket
        rows = bracket.rows
        if rows.n > MANY and self.budget.most_nodes < self.tuning.least_nodes:
            return  # in so little time `pack_apart` has shown more
        if self.cores is None:
            w = bracket.improve(bracket.scaled_line, seed=SEED, effort=4)
            self.cores = BranchAndPrice(rows, self.known, rows.unscaled(w))
        cores = self.cores
        cores.upper = min(cores.upper, bracket.cutoff)
        a_node = self.tuning.reads_a_node * rows.n * rows.dimension
        while not cores.finished:
            more = cores.promising * a_node * self.budget.nodes
            if cores.rounds and cores.work + cores.round_work() > work + more:
                return
            for found in cores.round():
                if isinstance(found, np.ndarray):
                    bracket.offer_narrow(found)
                else:
                    bracket.take_packing(found)
            if bracket.closed:
                return

    # ------------------------------------------------------------------ by branch and bound

    def climb(self, most: int) -> None:
        """Show larger and larger lower bounds until that has taken about this many nodes."""
        bracket, spent = self.bracket, 0
        while spent < most and bracket.lower + 1 < bracket.cutoff:
            if self.search is None:
                cutoff = min(bracket.lower + self.step.size, bracket.cutoff - 1)
                self.search = BranchAndBound(bracket.basis(), cutoff, self.known)
            search, before = self.search, self.search.nodes
            bracket.advance(search, min(most - spent, max(1, self.step.allowed() - before)))
            spent += search.nodes - before
            if search.finished:
                bracket.raise_lower(search.bound())
                self.step.succeeded(bracket.lower, search.nodes)
                self.search = None
            elif search.nodes >= self.step.allowed():
                self.step.failed()
                self.search = None


@dataclass(eq=False)
class _Step:
    """How far above the last lower bound the next one is tried."""

    size: int
    round_nodes: int
    growth: float
    last: tuple[int, int] | None = None  # a bound and its nodes

    def allowed(self) -> int:
        """Return how many nodes the step may take."""
        if self.size == 1:
            return ALL
        return int(self.growth**2 * max(self.round_nodes, self.last[1] if self.last else 0))

    def succeeded(self, bound: int, nodes: int) -> None:
        """Choose the step to the next bound, this one having been shown."""
        if self.last is not None and bound > self.last[0]:
            rate = math.log(max(nodes / max(self.last[1], 1), 1.1)) / (bound - self.last[0])
            self.size = max(1, min(2 * self.size, int(math.log(self.growth) / rate)))
        else:
            self.size = max(1, self.size // 2)
        self.last = (bound, nodes)

    def failed(self) -> None:
        """Try a bound half as far."""
        self.size = max(1, self.size // 2)
