"""Lower bounds from cores of all rows, found by their prices: column generation.

The largest packing of cores (`core_packing.py`) is a linear program with a column for each core, of
which there are far too many to list. Its dual has a price for every row; only a core whose prices
add up to less than 1 can make the packing larger (Gilmore & Gomory 1961). The prices of a program
that knows few cores jump from one corner to another, and cores bought at them help little: they
are smoothed over the rounds (Wentges 1997).

All work is counted, not timed: the same limits give the same bounds.
"""

from __future__ import annotations

import math

import numpy as np

from separatrix.certificates.core_packing import CoreHunt, Packing, incidence
from separatrix.certificates.counted_rows import CountedRows
from separatrix.certificates.exact import Floats
from separatrix.certificates.mistake_search import Knowledge
from separatrix.kernels.cheap_cores import cheap_core

SMOOTH = 0.8  # what the earlier prices count for
ORDERS = 4  # of the mistakes, for the first cores
WALKS = 200  # a round
FEWEST_PIVOTS, MOST_PIVOTS = 50.0, 2_000  # a walk
UNLIKE = (0.3, 1.0)  # how far, in logarithms, costs are from prices: by turns
FREE = 0.002  # the cost of a row without a price
ALIKE = 20  # walks, in which rows become dearer with every core that they are in
VANISH = 100.0  # times the largest cost: what a combination that does not vanish costs
MOST_KEPT, KEPT = 8, 5  # cores per row: above the first the dearest are forgotten, down to the last
IDLE = 12  # rounds without growth end the pricing
GROWTH = 1e-3  # of the value: less is none
PER_STEP = 100.0  # numbers read by a step of the linear program, for each of its cores


class Pricing:
    """A packing that grows from round to round.

    Parameters
    ----------
    rows : all rows; known : what is known of them exactly
    line : (D,) a good one, for the values: its mistakes share the first cores out

    Attributes
    ----------
    bound : of the best packing so far
    work : numbers read, about
    finished : whether there is no more to be had
    """

    def __init__(self, rows: CountedRows, known: Knowledge, line: Floats) -> None:
        self.rows, self.known, self.line = rows, known, line
        self.hunt = CoreHunt(rows, known)
        self.penalty = np.full(rows.dimension, VANISH)
        self.prices = np.full(rows.n, 1.0 / (rows.dimension + 1))
        self.bound, self.work, self.rounds = 0, 0.0, 0
        self.value, self.idle, self.last_work = 0.0, 0, 0.0

    @property
    def finished(self) -> bool:
        """Whether the last rounds brought nothing."""
        return self.idle >= IDLE

    def round_work(self) -> float:
        """Return about how many numbers the next round will read."""
        return max(self.last_work, FEWEST_PIVOTS * WALKS * self.rows.n * self.rows.dimension)

    def better(self) -> Packing | None:
        """Do a round; return a packing that shows more than any before, if there is one."""
        before = self.work
        if self.rounds == 0:
            self.hunt.around(self.line, ORDERS)
            self.hunt.program.active[:] = np.arange(self.rows.n)
        found = self._look()
        if not self.hunt.cores or not self._weigh():
            self.idle = IDLE
            return None
        self.last_work = self.work - before
        grown = self.hunt.value > self.value * (1.0 + GROWTH)
        self.idle = 0 if grown and found else self.idle + 1
        self.value = max(self.value, self.hunt.value)
        if math.ceil(self.hunt.value - 1e-6) <= self.bound:
            self._forget()
            return None
        packing = self.hunt.checked() or self.hunt.packing()
        self._forget()
        if packing is None or packing.bound <= self.bound:
            return None
        self.bound = packing.bound
        return packing

    def _look(self) -> int:
        """Look for cores whose prices add up to less than 1; return how many are new."""
        hunt, n, before = self.hunt, self.rows.n, len(self.hunt.cores)
        for k in range(WALKS):
            self.known.budget.left()
            if k % ALIKE == 0:
                uses = np.ones(n)
            spread = hunt.random.standard_normal(n) * UNLIKE[k % len(UNLIKE)]
            costs: Floats = (self.prices + FREE) * np.exp(spread) * uses
            size, pivots = cheap_core(
                hunt.program, hunt.columns, costs / costs.max(), self.prices, self.penalty,
                MOST_PIVOTS,
            )  # fmt: skip
            self.work += (pivots + 1.0) * n * self.rows.dimension
            core = np.sort(hunt.program.support[:size])
            uses[core] += 1.0
            if size and self.prices[core].sum() < 1.0 - 1e-6:
                hunt.keep(core)
        return len(hunt.cores) - before

    def _weigh(self) -> bool:
        """Solve the linear program over the cores known."""
        hunt = self.hunt
        if not hunt.weigh():
            return False
        self.work += PER_STEP * hunt.steps * len(hunt.cores)
        self.prices = hunt.prices if self.rounds == 0 else self._smoothed()
        self.rounds += 1
        return True

    def _smoothed(self) -> Floats:
        smoothed: Floats = SMOOTH * self.prices + (1.0 - SMOOTH) * self.hunt.prices
        return smoothed

    def _forget(self) -> None:
        """Forget the dearest of too many cores, but none that the packing uses."""
        hunt, cores = self.hunt, list(self.hunt.cores)
        if len(cores) <= MOST_KEPT * self.rows.n:
            return
        price = incidence(cores, self.rows.n) @ self.prices
        price[hunt.amounts > 0.0] = 0.0
        cheap = np.sort(np.argsort(price, kind="stable")[: KEPT * self.rows.n])
        hunt.cores = dict.fromkeys(cores[k] for k in cheap.tolist())
        hunt.amounts = hunt.amounts[cheap]
