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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from separatrix._types import Untyped
from separatrix.data import Sample, disjoint_runs
from separatrix.exact.integers import Floats, Indices, column_exponents
from separatrix.exact.interrupts import waited_for
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.zero_one.cores import POINT, ZERO, new_program, solve
from separatrix.separation.least_points import linear_program
from separatrix.zero_one.branch_and_bound import Core, Knowledge
from separatrix.zero_one.limits import Budget
from separatrix.zero_one.presolve import MergedRows

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
    cores: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]

    @classmethod
    def of_one(cls, rows: MergedRows, core: Core) -> Packing:
        """Return what a single core proves: every line is wrong on the lightest of its rows."""
        bound = int(rows.weight[list(core[0])].min())
        return cls(bound, ((bound * PARTS, *core),))


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
        seconds = self.known.budget.seconds()
        limit = {} if seconds == math.inf else {"time_limit": max(seconds, LEAST_SECONDS)}
        return linear_program(
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


MOST_NUMBERS = 30  # columns in which cores of few rows are likely
ALIKE = 1e-9  # scores so near to each other, relative to the largest, are the same
MOST_READS = 1 << 20  # rows read by fits of categories
STEPS = (1.0, -1.0, 0.3, -0.3, 0.1, -0.1, 0.03, -0.03)  # of a number's weight, in spreads of scores


@dataclass(frozen=True, eq=False)
class Merged:
    """Rows of a sparse table, equal ones merged and opposite ones cancelled, as in `verify`."""

    # (n,) of each the first of the table's rows that is equal or opposite, in their order
    rows: Indices
    sign: Floats  # (n,) +1 and -1: y of a merged row
    weight: Indices  # (n,) Whole
    base: int  # the weight that every line loses
    place: Indices  # int64 array (N,) Of each row of the table among the merged ones; -1 for none

    @classmethod
    def of(cls, sample: Sample, whole: Indices, x0: float) -> Merged:
        X, y = sample.X, sample.y
        sizes = np.diff(X.indptr)
        some = (sizes > 0) | (x0 != 0.0)
        leading = np.ones(sample.n)
        if not x0:
            leading[some] = X.data[X.indptr[:-1][some]]
        turned = np.sign(leading)  # rows are equal or opposite where their numbers times it are
        values = X.data * np.repeat(turned, sizes)
        net = whole * (turned * y).astype(np.int64)
        base = int(whole[~some].sum())
        net[~some] = 0
        first = np.arange(sample.n)
        ends, groups = X.indptr.tolist(), dict[bytes, int]()
        for n in np.flatnonzero((net != 0) & _maybe_equal(X, values)).tolist():
            there = slice(ends[n], ends[n + 1])
            one = groups.setdefault(X.indices[there].tobytes() + values[there].tobytes(), n)
            if one != n:
                if net[one] * net[n] < 0:
                    base += int(min(abs(net[one]), abs(net[n])))
                net[one] += net[n]
                net[n], first[n] = 0, one
        rows = np.flatnonzero(net)
        place = np.full(sample.n, -1)
        place[rows] = np.arange(rows.size)
        sign = turned[rows] * np.sign(net[rows]).astype(np.float64)
        place = np.where((whole != 0) & some, place[first], -1)
        return cls(rows, sign, np.abs(net[rows]), base, place)


def _maybe_equal(X: sp.csr_array, values: Floats) -> NDArray[np.bool_]:
    """Whether each row has the hash of another one, with these values in place of its own (N,)."""
    factors = np.random.default_rng(0).integers(1, 2**63, X.shape[1], dtype=np.uint64) | 1
    bits = values.view(np.uint64)
    mixed = ((bits >> np.uint64(29)) ^ bits ^ factors[X.indices]) * factors[X.indices]
    sums = np.append(np.uint64(0), np.cumsum(mixed))
    _, group, sizes = np.unique(
        sums[X.indptr[1:]] - sums[X.indptr[:-1]], return_inverse=True, return_counts=True
    )
    return np.asarray(sizes[group] > 1)


def _numbers_and_levels(X: sp.csr_array) -> tuple[Indices, sp.csr_array]:
    """Return the columns that hold a number in at least half of the rows, and X without them."""
    numbers = np.flatnonzero(2 * np.bincount(X.indices, minlength=X.shape[1]) >= X.shape[0])
    there = np.isin(X.indices, numbers, invert=True)
    ends = np.append(0, np.cumsum(there))[X.indptr]
    return numbers, sp.csr_array((X.data[there], X.indices[there], ends), shape=X.shape)


def packing_in_levels(sample: Sample, merged: Merged, x0: float, budget: Budget) -> Packing | None:
    """Return a packing of cores that share no row, each of rows with the same levels."""
    found = _cores_in_levels(sample, merged, x0, budget)
    cores = [(int(merged.weight[list(core[0])].min()), core) for core in found]
    parts = tuple((weight * PARTS, *core) for weight, core in cores)
    return Packing(sum(weight for weight, _ in cores), parts) if cores else None


def packing_of_refusal(
    merged: Merged, rows: Sequence[int], multipliers: Sequence[int]
) -> Packing | None:
    """Return what a combination of rows of the table proves; None where it has merged rows away."""
    total: dict[int, int] = {}
    for k, a in zip(merged.place[list(rows)].tolist(), multipliers, strict=True):
        total[k] = total.get(k, 0) + int(a)
    if -1 in total:
        return None
    bound = int(merged.weight[list(total)].min())
    return Packing(bound, ((bound * PARTS, tuple(total), tuple(total.values())),))


def _cores_in_levels(sample: Sample, merged: Merged, x0: float, budget: Budget) -> Iterator[Core]:
    """Yield cores, of which no two share a row."""
    numbers, levels = _numbers_and_levels(sample.X)
    if numbers.size > MOST_NUMBERS:
        return
    ends = levels.indptr.tolist()
    groups: dict[bytes, list[int]] = {}
    for k, n in enumerate(merged.rows.tolist()):
        there = slice(ends[n], ends[n + 1])
        if x0 or there.start < there.stop:  # else there is no intercept
            key = levels.indices[there].tobytes() + levels.data[there].tobytes()
            groups.setdefault(key, []).append(k)
    values = np.ones((merged.rows.size, numbers.size + 1))
    values[:, 1:] = sample.X[merged.rows][:, numbers].toarray()
    values *= merged.sign[:, None]
    for group in groups.values():
        ids = np.array(group)
        if np.unique(merged.sign[ids]).size == 2:
            for rows, multipliers in _disjoint_cores(values[ids], budget):
                yield tuple(ids[list(rows)].tolist()), multipliers


def _disjoint_cores(values: Floats, budget: Budget) -> Iterator[Core]:
    """Yield cores of rows (n, D), of which no two share a row."""
    values = np.ascontiguousarray(values[:, values.any(axis=0)])
    rest = np.arange(len(values))
    merged = MergedRows(values, np.ones_like(rest), rest, column_exponents(values))
    known = Knowledge(merged, budget)
    while rest.size > 1:
        budget.check_time()
        if (core := known.core_among(rest)) is None:
            return
        yield core
        rest = np.delete(rest, np.searchsorted(rest, core[0]))


class LevelFit:
    """Lines for a sparse table whose weights on a category are the best for the others."""

    def __init__(self, sample: Sample, x0: float, weight: Floats) -> None:
        self.sample, self.x0, self.weight = sample, x0, weight
        self.numbers, levels = _numbers_and_levels(sample.X)
        ones = np.ones(sample.d, dtype=bool)
        np.logical_and.at(ones, levels.indices, levels.data == 1.0)
        runs = [run for run in disjoint_runs(levels) if ones[run.start : run.stop].all()]
        self.categories = [(run, _level_of(levels, run)) for run in runs]
        self.columns = sample.X[:, self.numbers].toarray()
        self.reads = 0

    def mistakes(self, scores: Floats) -> float:
        """Return the weight of the rows that scores (N,) are wrong about, as floats say."""
        return float(self.weight[self.sample.y * scores <= 0.0].sum())

    def scores(self, w: Floats) -> Floats:
        return signed_scores(self.sample.rows, self.sample.n, w, self.x0)

    def improve(self, w: Floats) -> Floats:
        """Return a line (1+d,) with fewer mistakes, or the same line."""
        scores = self.scores(w)
        w, scores, best = self._fit_all(w, scores, self.mistakes(scores))
        while True:
            before = best
            for j, values in zip(self.numbers.tolist(), self.columns.T, strict=True):
                spread, size = float(np.std(scores)), float(np.std(values))
                for step in STEPS if size > 0.0 else ():
                    if self.reads > MOST_READS:
                        return w
                    moved = w.copy()
                    moved[j + 1] += step * spread / size
                    now = scores + (moved[j + 1] - w[j + 1]) * values
                    found = self._fit_all(moved, now, self.mistakes(now))
                    if found[2] < best:
                        w, scores, best = found
            if best >= before:
                return w

    def _fit_all(self, w: Floats, scores: Floats, best: float) -> tuple[Floats, Floats, float]:
        """Return the line after each category in turn got its best weights; scores; mistakes."""
        for run, level in self.categories:
            self.reads += self.sample.n
            change = _best_shifts(scores, self.sample.y, self.weight, level, len(run) + 1)
            if not self.x0:
                change[0] = 0.0
            now = scores + change[level]
            mistakes = self.mistakes(now)
            if mistakes < best:
                w = w.copy()
                w[0] += change[0]
                there = np.unique(level[level > 0])  # columns without a number are no levels
                w[run.start + there] += change[there] - change[0]
                scores, best = now, mistakes
        return w, scores, best


def _level_of(X: sp.csr_array, run: range) -> Indices:
    """Return which column of a run each row has a number in, from 1 on; 0 for none."""
    there = (X.indices >= run.start) & (X.indices < run.stop)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[there]
    level = np.zeros(X.shape[0], dtype=np.int64)
    level[rows] = X.indices[there] - run.start + 1
    return level


def _best_shifts(scores: Floats, y: Floats, weight: Floats, level: Indices, levels: int) -> Floats:
    """Return what to add to the scores of each level (levels,) for the fewest mistakes there."""
    order = np.lexsort((scores, level))
    s, k = scores[order], level[order]
    signed = np.where(y > 0, weight, -weight)[order]
    starts = np.searchsorted(k, np.arange(levels))
    ends = np.searchsorted(k, np.arange(levels), side="right")
    # cost of a threshold before the p-th row, but for one constant per level: yes rows below it
    # are wrong, no rows below it are right
    total = np.append(0.0, np.cumsum(signed))
    places = np.arange(s.size)
    open_ = np.ones(s.size, dtype=bool)  # rows with the same score, but for rounding, stay together
    open_[1:] = (k[1:] != k[:-1]) | (np.diff(s) > ALIKE * np.abs(s).max())
    before = np.where(open_, total[:-1] - total[starts[k]], np.inf)
    last = total[ends] - total[starts]  # a threshold behind them all
    shift = np.zeros(levels)
    present = np.flatnonzero(ends > starts)
    if present.size == 0:
        return shift
    cheapest = np.minimum.reduceat(before, starts[present])
    is_cheapest = before == np.repeat(cheapest, (ends - starts)[present])
    first = np.minimum.reduceat(np.where(is_cheapest, places, s.size), starts[present])
    behind = last[present] < cheapest
    low, high = s[starts[present]], s[ends[present] - 1]
    room = 1.0 + (high - low)
    inside = first > starts[present]
    at = np.minimum(first, s.size - 1)
    middle = np.where(inside, 0.5 * (s[at] + s[np.maximum(at - 1, 0)]), low - room)
    shift[present] = -np.where(behind, high + room, middle)
    return shift
