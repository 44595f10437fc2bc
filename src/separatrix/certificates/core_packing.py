"""Few mistakes in any dimension: cores of all rows that share no weight add up.

A core is a set of rows with a combination sum lambda_n z_n = 0, lambda >= 0: every line is wrong on
one of them. So the fewest mistakes are a least hitting set of all cores, and amounts a_c >= 0 with
sum over the cores of row n of a_c <= weight_n prove sum a_c, rounded up (the linear program dual to
fractional hitting sets). Cores are found among the rows that the best line puts right and one that
it does not; a least hitting set of the cores known proposes a better line, or what it leaves has
more cores. That is the implicit hitting set method; it minds the number of mistakes rather than
the dimension.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from separatrix.certificates.counted_rows import CountedRows
from separatrix.certificates.exact import Floats, Indices
from separatrix.certificates.mistake_search import Core, Knowledge, unscaled
from separatrix.kernels.cores import POINT, ZERO, new_program, solve

PARTS = 1 << 24  # amounts are whole multiples of 1 / PARTS
ORDERS = 12  # in which the mistakes of a line are asked for cores, before the amounts are weighed
ROUNDS = 40
PROMISING = 0.5  # of the mistakes that the amounts must reach for more rounds
IDLE = 25  # rounds without a better bound or line end the hunt
PRICE_SHARES = (1.0, 2.0, 4.0)  # of a fair share of the price 1 that a row may cost
WORTH_PRICING = 1e-3  # of the value: less growth than that ends the pricing
MOST_PRICINGS = 12
MOST_WORK = 2e7  # numbers in the tableaus of one order, about
MOST_CORES = 20_000
MIP_NODES = 200
OPTIMAL = 0  # scipy's status
LEAST_SECONDS = 0.01  # for the linear program: its limit has to be positive


@dataclass(frozen=True, eq=False)
class Packing:
    """Cores and whole amounts, none of whose rows gives away more than its weight.

    Parameters
    ----------
    bound : proven, in units of weight
    cores : (amount, rows, multipliers) of each, amounts in units of 1 / PARTS
    """

    bound: int
    cores: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]

    @classmethod
    def of_one(cls, rows: CountedRows, core: Core) -> Packing:
        """Return what a single core proves: every line is wrong on the lightest of its rows."""
        bound = int(rows.weight[list(core[0])].min())
        return cls(bound, ((bound * PARTS, *core),))


class CoreHunt:
    """Cores found so far.

    Parameters
    ----------
    rows : all rows; known : what is known of them exactly
    """

    def __init__(self, rows: CountedRows, known: Knowledge) -> None:
        self.rows, self.known = rows, known
        self.random = np.random.default_rng(0)
        largest = np.abs(rows.scaled).max(axis=1)
        self.columns = np.ascontiguousarray(rows.scaled.T / largest)
        self.program = new_program(rows.dimension, rows.n)
        self.half = np.ones(rows.dimension)
        self.zeros = np.zeros(rows.n)
        self.cores: dict[tuple[int, ...], None] = {}
        self.prices, self.value = np.zeros(rows.n), 0.0
        self.amounts, self.steps = np.zeros(0), 0

    def around(self, line: Floats, orders: int = ORDERS, most: int | None = None) -> None:
        """Look for cores of rows that the line puts right and one (of so many) that it does not."""
        wrong = self.rows.wrong(line)
        mistakes, right = np.flatnonzero(wrong), np.flatnonzero(~wrong)
        for _ in range(orders):
            free = np.ones(self.rows.n, dtype=bool)
            for n in self.random.permutation(mistakes)[:most]:
                self.known.budget.left()
                core = self._core(np.append(right[free[right]], n))
                if core is not None:
                    free[core] = False

    def cheaper(self, line: Floats) -> int:
        """Look for cores of rows whose prices add up to less than 1; return how many are new.

        The prices are those of the last linear program: only such cores can raise its value.
        """
        wrong = self.rows.wrong(line)
        mistakes, right = np.flatnonzero(wrong), np.flatnonzero(~wrong)
        before = len(self.cores)
        for n in self.random.permutation(mistakes):
            self.known.budget.left()
            for share in PRICE_SHARES:
                most = share * (1.0 - self.prices[n]) / self.rows.dimension
                among = np.append(right[self.prices[right] <= most], n)
                if self._core(among, price=1.0 - 1e-6) is not None:
                    break
        return len(self.cores) - before

    def affordable(self) -> int:
        """Return for how many mistakes a core each takes no more than some seconds."""
        return int(MOST_WORK / (self.rows.n * self.rows.dimension**2))

    def left_over(self, hit: Indices) -> Floats | None:
        """Return a line that is right on all rows but those hit, or add cores and return None."""
        rest = np.setdiff1d(np.arange(self.rows.n), hit)
        first = True
        while rest.size:
            core = self._core(rest)
            if core is None:
                found = self.program.point if first else None
                return None if found is None else unscaled(self.rows, found.copy())
            first = False
            rest = np.setdiff1d(rest, core)
        return None

    def _core(self, among: Indices, price: float = np.inf) -> Indices | None:
        """Return a core among some rows; None when a point puts them right, or nothing is seen.

        It is kept if it costs less than `price`.
        """
        self.program.active[: among.size] = self.random.permutation(among)
        found, size = solve(self.program, self.columns, self.zeros, among.size, self.half)
        if found == ZERO:
            core = np.sort(self.program.support[:size])
            if price == np.inf or self.prices[core].sum() < price:
                self.keep(core)
            return core
        if found != POINT:
            self.program.point[:] = 0.0
        return None

    def packings(self, line: Floats) -> Iterator[Packing]:
        """Yield packings of growing value, with new cores for the prices of the last each time."""
        for _ in range(MOST_PRICINGS):
            before = self.value
            packing = self.packing()
            if packing is None:
                return
            yield packing
            if self.value < before * (1.0 + WORTH_PRICING) or self.cheaper(line) == 0:
                return

    def packing(self) -> Packing | None:
        """Return the best amounts for the cores known, each of them checked exactly."""
        while self.weigh():
            packing = self.checked()
            if packing is not None:
                return packing
        return None

    def keep(self, core: Indices) -> None:
        """Keep a core (sorted) for the next linear program, unless it is known to be false."""
        key = tuple(core.tolist())
        if self.known.cores.get(key, key) is not None:
            self.cores.setdefault(key)

    def weigh(self) -> bool:
        """Find the best amounts for the cores known, and the prices of rows; return if it did."""
        if not self.cores:
            return False
        seconds = self.known.budget.seconds()
        solved = linprog(
            -np.ones(len(self.cores)),
            A_ub=incidence(list(self.cores), self.rows.n).T,
            b_ub=self.rows.weight.astype(np.float64),
            bounds=(0.0, None),
            method="highs",
            options={} if seconds == math.inf else {"time_limit": max(seconds, LEAST_SECONDS)},
        )
        if solved.status != OPTIMAL:
            self.known.budget.watch()
            return False
        self.amounts = np.asarray(solved.x, dtype=np.float64)
        self.prices = -np.asarray(solved.ineqlin.marginals, dtype=np.float64)
        self.value, self.steps = -float(solved.fun), int(solved.nit)
        return True

    def checked(self) -> Packing | None:
        """Return the packing last weighed; None, and its false cores are gone, if it has any."""
        amounts = np.floor(self.amounts * (1.0 - 1e-9) * PARTS).astype(np.int64)
        cores = list(self.cores)
        used = [(int(amounts[k]), cores[k]) for k in np.flatnonzero(amounts > 0).tolist()]
        false = [core for _, core in used if self.known.vanishing(core) is None]
        for core in false:
            del self.cores[core]
        return None if false else self._cut(used)

    def _cut(self, amounts: Sequence[tuple[int, tuple[int, ...]]]) -> Packing:
        """Return the packing, its amounts cut where a row would give away more than its weight."""
        left = [int(a) * PARTS for a in self.rows.weight]
        kept, total = [], 0
        for amount, core in amounts:
            amount_left = min([amount, *(left[n] for n in core)])
            for n in core:
                left[n] -= amount_left
            multipliers = self.known.vanishing(core)
            if amount_left > 0 and multipliers is not None:
                kept.append((amount_left, core, tuple(multipliers)))
                total += amount_left
        return Packing(-(-total // PARTS), tuple(kept))

    def hitting_set(self) -> Indices:
        """Return rows of little weight that hit all cores known."""
        cores = list(self.cores)
        solved = milp(
            self.rows.weight.astype(np.float64),
            constraints=LinearConstraint(incidence(cores, self.rows.n), 1.0, np.inf),
            integrality=np.ones(self.rows.n),
            bounds=Bounds(0.0, 1.0),
            options={"node_limit": MIP_NODES},
        )
        chosen = np.zeros(self.rows.n) if solved.x is None else solved.x
        return np.flatnonzero(chosen > 0.5)


def incidence(cores: Sequence[tuple[int, ...]], n: int) -> csr_array:
    """Return which core (a line each) has which of the n rows."""
    ends = np.cumsum([0, *(len(core) for core in cores)])
    members = np.concatenate([np.array(core) for core in cores])
    return csr_array((np.ones(members.size), members, ends), shape=(len(cores), n))


def bounds_by_cores(
    rows: CountedRows, line: Floats, known: Knowledge, rounds: int
) -> Iterator[tuple[Packing | None, Floats | None]]:
    """Yield better packings and lines (D,) for the values, for some rounds."""
    hunt, best, idle = CoreHunt(rows, known), 0, 0
    if hunt.affordable() < int(rows.wrong(line).sum()):
        hunt.around(line, 1, max(1, hunt.affordable()))
        yield hunt.packing(), None
        return
    for k in range(rounds):
        idle += 1
        hunt.around(line)
        if not hunt.cores or len(hunt.cores) > MOST_CORES:
            return
        for packing in hunt.packings(line):
            if packing.bound > best:
                best, idle = packing.bound, 0
                yield packing, None
        if k + 1 == rounds or idle == IDLE or best < PROMISING * rows.mistakes(line):
            return
        found = hunt.left_over(hunt.hitting_set())
        if found is not None and rows.mistakes(found) < rows.mistakes(line):
            line, idle = found, 0
            yield None, found
