"""Cores and packings of them: lower bounds in any dimension.

A core is an infeasible subset: rows with a combination sum lambda_n z_n = 0, lambda >= 0, so that
every line is wrong on one of them. The fewest mistakes are therefore a least hitting set of all
cores, and amounts a_c >= 0 with sum over the cores of row n of a_c <= weight_n prove sum a_c,
rounded up (the linear program dual to fractional hitting sets). The same holds in each branch of a
disjunction: a row taken as wrong has counted its weight and is in no core any more, a row taken as
right may be in any number of them. Branching and pricing: `branch_and_price.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.sparse import csc_array, csr_array

from separatrix._types import Untyped
from separatrix.exact.integers import Floats, Indices
from separatrix.kernels.zero_one.cores import POINT, ZERO, new_program, solve
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.limits import waited_for
from separatrix.zero_one.problem import MergedRows

PARTS = 1 << 24  # amounts are whole multiples of 1 / PARTS
MOST_WORK = 2e7  # numbers in the tableaus of one pass over the mistakes, about
PER_STEP = 200.0  # numbers read by a step of the linear program, for each of its cores
FREE = 0.002  # added to every dual value: what a row without one costs
OPTIMAL = 0  # scipy's status
LEAST_SECONDS = 0.01  # for the linear program: its limit has to be positive
TAKEN = 1.5  # the dual value of a row that is wrong anyhow: no core with it prices out


@dataclass(frozen=True)
class Branch:
    """The lines that are wrong on some rows and right on some others."""

    wrong: tuple[int, ...] = ()
    right: tuple[int, ...] = ()


EVERY_LINE = Branch()


@dataclass(frozen=True, eq=False)
class Packing:
    """Cores and whole amounts, none of whose rows gives away more than its weight."""

    bound: int  # proven, in units of weight
    cores: tuple[tuple[int, tuple[int, ...], Sequence[int]], ...]


def packing_of_refusal(
    weight: Indices, place: Indices, rows: Indices, multipliers: Sequence[int]
) -> Packing | None:
    """Return what rows that cancel prove; None where presolve has merged one of them away.

    place : of each row of the table among the merged ones, whose weights are given
    """
    merged: list[int] = place[rows].tolist()
    if -1 in merged:
        return None
    total = dict.fromkeys(merged, 0)
    if len(total) < len(merged):
        for k, a in zip(merged, multipliers, strict=True):
            total[k] += int(a)
        multipliers = tuple(total.values())
    bound = int(weight[list(total)].min())
    return Packing(bound, ((bound * PARTS, tuple(total), multipliers),))


@dataclass(frozen=True, eq=False)
class Disjunction:
    """What is proven of the lines wrong on a row, and of those right on it."""

    row: int
    wrong: Packing | Disjunction
    right: Packing | Disjunction

    @property
    def bound(self) -> int:
        """What both prove, in units of weight."""
        return min(self.wrong.bound, self.right.bound)


class CorePool:
    """Cores found so far, and the best packing of them: the restricted master program."""

    def __init__(self, rows: MergedRows, known: Knowledge) -> None:
        self.rows, self.known = rows, known
        self.random = np.random.default_rng(0)
        largest = np.abs(rows.scaled).max(axis=1)
        self.columns = np.ascontiguousarray(rows.scaled.T / largest)
        self.program = new_program(rows.dimension, rows.n)
        self.half = np.ones(rows.dimension)
        self.zeros = np.zeros(rows.n)
        self.cores: dict[tuple[int, ...], None] = {}
        self.duals, self.value = np.zeros(rows.n), 0.0
        self.packed: list[tuple[float, tuple[int, ...]]] = []
        self.work = 0.0
        self.affordable = max(1, int(MOST_WORK / (rows.n * rows.dimension**2)))

    def separate_line(self, line: Floats, passes: int) -> None:
        """Add cores of rows that the line (D,) puts right and one that it does not."""
        wrong = self.rows.wrong(line)
        mistakes, right = np.flatnonzero(wrong), np.flatnonzero(~wrong)
        if self.affordable < mistakes.size:
            passes = 1
        for _ in range(passes):
            free = np.ones(self.rows.n, dtype=bool)
            for n in self.random.permutation(mistakes)[: self.affordable]:
                core = self._core(np.append(right[free[right]], n))
                if core is not None:
                    free[core] = False

    def separate_hitting_set(self, hit: Indices) -> Floats | None:
        """Return a line (D,) that is right on all rows but those hit, or add cores they miss."""
        rest = np.setdiff1d(np.arange(self.rows.n), hit)
        for k in range(self.affordable):
            core = self._core(rest)
            if core is None:
                return None if k else self.rows.unscaled(self.program.point.copy())
            rest = np.setdiff1d(rest, core)
        return None

    def _core(self, among: Indices) -> Indices | None:
        """Add a core among some rows; None when a point puts them right, or none is found."""
        self.known.budget.left()
        self.work += among.size * self.rows.dimension**2
        self.program.active[: among.size] = self.random.permutation(among)
        found, size = solve(self.program, self.columns, self.zeros, among.size, self.half)
        if found == ZERO:
            core = np.sort(self.program.support[:size])
            self.add(core)
            return core
        if found != POINT:
            self.program.point[:] = 0.0
        return None

    def add(self, core: Indices) -> None:
        """Add a core (sorted) to the master program, unless it is known to be false."""
        key = tuple(core.tolist())
        if self.known.cores.get(key, key) is not None:
            self.cores.setdefault(key)

    def hitting_set(self, branch: Branch) -> Indices:
        """Return rows that hit all cores in the pool."""
        cores = incidence(list(self.cores), self.rows.n)
        hit = self.duals > 0.5
        hit[list(branch.wrong)] = True
        missed = cores[cores @ hit == 0.0]
        while missed.shape[0]:
            gain = (missed.T @ np.ones(missed.shape[0])) * (self.duals + FREE)
            gain[list(branch.right)] = 0.0
            n = int(np.argmax(gain / self.rows.weight))
            if gain[n] <= 0.0:
                break
            hit[n] = True
            missed = missed[missed[:, [n]].toarray()[:, 0] == 0.0]
        return np.flatnonzero(hit)

    def packing(self, branch: Branch) -> Packing | None:
        """Return the best amounts for the cores in the pool, each of them checked exactly."""
        while self.solve_master(branch):
            packing = self.exact_packing(branch)
            if packing is not None:
                return packing
        return None

    def solve_master(self, branch: Branch) -> bool:
        """Find the best amounts for the cores in the pool, and the duals; return if that worked."""
        cores = list(self.cores)
        members = incidence(cores, self.rows.n)
        taken = np.zeros(self.rows.n)
        taken[list(branch.wrong)] = 1.0
        free = np.flatnonzero(members @ taken == 0.0)
        weight = self.rows.weight.astype(np.float64)
        weight[list(branch.right)] = weight.sum()  # enough for every core that it is in
        self.value, self.packed, self.duals = 0.0, [], np.zeros(self.rows.n)
        if free.size:
            solved = waited_for(lambda: self._solved(members[free].T, weight))
            if solved.status != OPTIMAL:
                self.known.budget.check_time()
                return False
            self.packed = [(a, cores[k]) for a, k in zip(solved.x, free.tolist(), strict=True)]
            self.duals = -np.asarray(solved.ineqlin.marginals, dtype=np.float64)
            self.value = -float(solved.fun)
            self.work += PER_STEP * int(solved.nit) * free.size
        self.value += float(self.rows.weight[list(branch.wrong)].sum())
        self.duals[list(branch.wrong)] = TAKEN
        return True

    def _solved(self, members: csc_array, weight: Floats) -> Untyped:
        from scipy.optimize import linprog  # a fourteenth of a second to import

        seconds = self.known.budget.seconds()
        limit = {} if seconds == math.inf else {"time_limit": max(seconds, LEAST_SECONDS)}
        return linprog(
            -np.ones(members.shape[1]), A_ub=members, b_ub=weight, bounds=(0.0, None),
            method="highs", options=limit,
        )  # fmt: skip

    def exact_packing(self, branch: Branch) -> Packing | None:
        """Return the packing last solved for; None, its false cores removed, if it has any."""
        amounts = [(math.floor(a * (1.0 - 1e-9) * PARTS), core) for a, core in self.packed]
        used = [(amount, core) for amount, core in amounts if amount > 0]
        false = [core for _, core in used if self.known.vanishing(core) is None]
        for core in false:
            del self.cores[core]
        return None if false else self._feasible(branch, used)

    def _feasible(self, branch: Branch, amounts: Sequence[tuple[int, tuple[int, ...]]]) -> Packing:
        """Return the packing, amounts cut where a row would give away more than its weight."""
        weight = [int(a) for a in self.rows.weight]
        left = [a * PARTS for a in weight]
        for n in branch.right:
            left[n] = sum(weight) * PARTS
        kept, total = [], sum(weight[n] for n in branch.wrong) * PARTS
        for amount, core in amounts:
            amount_left = min([amount, *(left[n] for n in core)])
            for n in core:
                left[n] -= amount_left
            multipliers = self.known.vanishing(core)
            if amount_left > 0 and multipliers is not None:
                kept.append((amount_left, core, tuple(multipliers)))
                total += amount_left
        return Packing(-(-total // PARTS), tuple(kept))


def incidence(cores: Sequence[tuple[int, ...]], n: int) -> csr_array:
    """Return which core (a line each) has which of the n rows."""
    ends = np.cumsum([0, *(len(core) for core in cores)])
    members = np.fromiter(chain.from_iterable(cores), dtype=np.int64, count=int(ends[-1]))
    return csr_array((np.ones(members.size), members, ends), shape=(len(cores), n))
