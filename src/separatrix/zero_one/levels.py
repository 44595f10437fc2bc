"""The fewest mistakes of sparse tables: cores of rows with the same levels; lines by levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from separatrix.data import Sample, disjoint_runs
from separatrix.exact.integers import Floats, Indices, column_exponents, integer_rows
from separatrix.kernels.exact import signed_scores
from separatrix.zero_one.branch_and_bound import cancelling
from separatrix.zero_one.core_packing import PARTS, Packing
from separatrix.zero_one.disjoint_cores import AS_THEY_STAND, packed
from separatrix.zero_one.limits import Budget
from separatrix.zero_one.problem import EXACT, cancelled, groups_of_equal

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
    def of(cls, sample: Sample, whole: Indices) -> Merged:
        X, x0 = sample.X, sample.x0
        sizes = np.diff(X.indptr)
        leading = np.ones(sample.n)
        if not x0:
            leading[sizes > 0] = X.data[X.indptr[:-1][sizes > 0]]
        turned = np.sign(leading)  # rows are equal or opposite where their numbers times it are
        counted = np.flatnonzero((whole != 0) & ((sizes > 0) | (x0 != 0.0)))
        points = sp.csr_array((X.data * np.repeat(turned, sizes), X.indices, X.indptr), X.shape)
        side = (turned * sample.y).astype(np.int64)
        if counted.size < sample.n:
            points, side = points[counted], side[counted]
        first, net, group, base = cancelled(points, side, whole[counted])
        rows, place = counted[first], np.full(sample.n, -1)
        place[counted] = group
        sign = turned[rows] * np.sign(net).astype(np.float64)
        left_out = int(whole.sum()) - int(whole[counted].sum())
        return cls(rows, sign, np.abs(net), base + left_out, place)


def _numbers_and_levels(X: sp.csr_array) -> tuple[Indices, sp.csr_array]:
    """Return the columns that hold a number in at least half of the rows, and X without them."""
    numbers = np.flatnonzero(2 * np.bincount(X.indices, minlength=X.shape[1]) >= X.shape[0])
    there = np.isin(X.indices, numbers, invert=True)
    ends = np.append(0, np.cumsum(there))[X.indptr]
    return numbers, sp.csr_array((X.data[there], X.indices[there], ends), shape=X.shape)


def packing_in_levels(
    sample: Sample, merged: Merged, line: Floats, budget: Budget
) -> Packing | None:
    """Return a packing of cores that share no weight, each of rows with the same levels.

    The scores of a line (1+d,) order the rows.
    """
    numbers, levels = _numbers_and_levels(sample.X)
    if numbers.size > MOST_NUMBERS:
        return None
    levels = levels[merged.rows]
    group, first = groups_of_equal(levels)
    by_group = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    values = _signed_numbers(sample, numbers, merged)
    x0 = sample.x0
    constants = x0 * line[0] + levels @ line[1:]
    cores = []
    for k in np.argsort(first).tolist():
        ids = by_group[k]
        without = not x0 and levels.indptr[ids[0]] == levels.indptr[ids[0] + 1]  # an intercept
        if not without and np.unique(merged.sign[ids]).size == 2:
            budget.check_time()
            weight = np.minimum(merged.weight[ids], EXACT).astype(np.float64)
            of_group = np.append(constants[ids[0]], line[1 + numbers])
            for amount, core in packed(values[ids], weight, of_group, AS_THEY_STAND).cores:
                cores.append((int(amount) * PARTS, tuple(ids[list(core)].tolist()), ()))
    bound = sum(amount for amount, *_ in cores) // PARTS
    return Packing(bound, tuple(cores)) if cores else None


def _signed_numbers(sample: Sample, numbers: Indices, merged: Merged) -> Floats:
    """Return the merged rows in a constant and the columns of numbers, times their signs."""
    values = np.ones((merged.rows.size, numbers.size + 1))
    values[:, 1:] = sample.X[merged.rows][:, numbers].toarray()
    return np.asarray(values * merged.sign[:, None])


def with_cancelling(packing: Packing, sample: Sample, merged: Merged) -> Packing:
    """Return a packing whose cores of rows with the same levels have multipliers."""
    values = _signed_numbers(sample, _numbers_and_levels(sample.X)[0], merged)

    def of(core: tuple[int, ...]) -> tuple[int, ...]:
        rows = values[list(core)]
        return tuple(cancelling(integer_rows(rows, column_exponents(rows))) or ())

    cores = ((amount, core, known or of(core)) for amount, core, known in packing.cores)
    return Packing(packing.bound, tuple(cores))


class LevelFit:
    """Lines for a sparse table whose weights on a category are the best for the others."""

    def __init__(self, sample: Sample, weight: Floats) -> None:
        self.sample, self.weight = sample, weight
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
        return signed_scores(self.sample.rows, self.sample.n, w, self.sample.x0)

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
            if not self.sample.x0:
                change[0] = 0.0
            now = scores + change[level]
            mistakes = self.mistakes(now)
            if mistakes < best:
                w = w.copy()
                w[0] += change[0]
                there = np.unique(level[level > 0])  # columns without a number are no levels
                w[1:][run.start : run.stop][there - 1] += change[there] - change[0]
                scores, best = now, mistakes
        return w, scores, best


def _level_of(X: sp.csr_array, run: range) -> Indices:
    """Return which column of a run each row has a number in, from 1 on; 0 for none."""
    there = (X.indices >= run.start) & (X.indices < run.stop)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[there]
    level = np.zeros(X.shape[0], dtype=np.min_scalar_type(-1 - len(run)))  # few bits sort fast
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
