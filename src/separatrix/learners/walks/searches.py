"""Walks that look at all rows for each update: PLA at random, and the pocket."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.certificates import Recount
from separatrix.data import Floats, Sample
from separatrix.kernels.error_bound import UNDERFLOWN
from separatrix.kernels.rows import add_row
from separatrix.kernels.walks import pocket as kernel
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    POSITION,
    SWAPS,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
    plain,
)
from separatrix.learners._linear import in_shapes
from separatrix.learners._parameters import Integers
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.counts import Counts
from separatrix.learners.walks.outcome import adopt
from separatrix.learners.walks.run import Run, Step
from separatrix.learners.walks.tuning import PocketTuning, Tuning
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, in_threads, n_threads, shares

Few = NDArray[np.uint16]  # mistakes of a tile: 4096 at most


class Search(Run):
    """A run that looks at all rows for each update; nothing is better than its first weights."""

    best = -np.inf  # what the mistakes of the first weights are taken to weigh

    def __init__(
        self, table: Rows, question: Question, start: Floats, tuning: Tuning, eta: float
    ) -> None:
        self.whole = at_hand(table)
        super().__init__(table, question, start, tuning, eta, whole=self.whole)
        self.times: dict[int, int] = {}  # updates on rows of a table in blocks
        self.kept: kernel.Kept = plain(kernel.Kept(start.copy(), np.array([self.best])))
        length = float(start @ start) * (1.0 + 1e-12)
        radii, ones, above = zip(*table.map(_radius_and_weights), strict=True)
        self.weighed, self.all_weigh = not all(ones), all(above)
        if self.whole is not None:
            order = question.order if question.order.size else np.arange(table.n)
            weight = self.whole.weight if self.weighed else question.weight
            self.question = self.question._replace(order=order, weight=weight)
        self.set_bounds(max(radii), length)

    def n_draws(self, entries: int) -> int:
        """Return how many updates a slice has: it uses up its draws, so no path depends on it."""
        return min(self.progress.visited.size, 1 + self.tuning.slice_multiplications // entries)

    def step(self, random: np.random.Generator) -> Step:
        """Return the step that looks for all mistakes, and corrects one."""
        if self.whole is None:
            return self._by_reads(random)
        n = self.n_draws(1 + int(getattr(self.sample.X, "nnz", self.sample.X.size)))
        return lambda: kernel.walk_searching(*self.arguments, self.kept, random.random(n))

    def search(
        self, step: Step, adopt: Callable[[Self], None], time_limit: float | None = None
    ) -> None:
        """Take steps until one ends the walk, then hand it to `adopt`."""

        def with_counts(run: Self) -> None:
            if run.whole is None:
                rows, times = np.array(sorted(run.times.items()), dtype=np.int64).reshape(-1, 2).T
                run.updates = rows.copy(), times.copy()
                counts = Counts(run.table).of_all_rows(rows, times)
                run.progress = run.progress._replace(counts=counts)
            adopt(run)

        self.until_done(step, with_counts, time_limit)

    def _by_reads(self, random: np.random.Generator) -> Step:
        state, asked = self.progress.state, self.question
        pocket, best = self.kept

        def step() -> tuple[int, int]:
            if state[PASSES] == asked.max_passes:
                return PASSES_SPENT, 0
            found, weighed = self._counted()
            state[PASSES] += 1
            if weighed < best[0]:
                best[0] = weighed
                pocket[:] = self.progress.v
                state[SWAPS] += state[UPDATES] > 0
            if not found.any() or best[0] == 0.0:
                return CLEAN_PASS, 0
            if state[UPDATES] == asked.max_updates:
                return UPDATES_SPENT, 0
            return self._correct(found, random.random())

        return step

    def _counted(self) -> tuple[Integers, float]:
        """Return how many rows of each tile are to correct, and what the mistakes weigh."""
        asked = self.question, self.progress.v, self.progress.bounds
        if not self.weighed:
            parts = self.table.map(_count_block, *asked)
            weighed = float(sum(weight for _, weight in parts))
            found = np.concatenate([few for few, _ in parts])
        else:  # sums of weights are rounded: they go on from block to block
            none = np.empty(0, dtype=np.uint16)
            found, weighed = self.table.fold(_count_further, (none, 0.0), *asked)
        return found.astype(np.int64), weighed

    def _correct(self, found: Integers, draw: float) -> tuple[int, int]:
        """Correct the mistake that the rule and a number in [0, 1) choose, among all found."""
        progress, state, rule = self.progress, self.progress.state, self.question.rule
        if rule == AT_RANDOM:
            number = int(draw * int(found.sum()))
        else:
            place = int(state[POSITION]) if rule == FROM_HERE else 0
            t, number = place // TILE, int(found[: place // TILE].sum())
            if t < found.size and found[t]:
                number += int((self._rows_of(t)[1] < place).sum())
            number %= int(found.sum())
        sums = np.cumsum(found)
        t = int(np.searchsorted(sums, number, side="right"))
        of, rows = self._rows_of(t)
        row = int(rows[number - (sums[t] - found[t])])
        add_row(of.rows, row % TILE, of.y[row % TILE], progress.v, self.question.x0)
        length, growth = progress.bounds.tolist()
        progress.bounds[0] = (length + growth) * (1.0 + 1e-14) + UNDERFLOWN  # as `grown` does
        self.times[row] = self.times.get(row, 0) + 1
        progress.visited[0] = row
        state[POSITION], state[UPDATES] = row + 1, state[UPDATES] + 1
        return (GOING_ON if np.isfinite(progress.v).all() else OVERFLOW), 1

    def _rows_of(self, t: int) -> tuple[Sample, Integers]:
        """Return a tile, and which of the table's rows in it are to correct."""
        of = self.table.source.read(t * TILE, min(self.table.n, (t + 1) * TILE))
        found = np.empty(of.n, dtype=np.int64)
        question = self.question._replace(rows=of.rows, y=of.y)
        n_found, _ = kernel.all_mistakes(plain(question), plain(self.progress), found, 0.0)
        return of, found[:n_found] + t * TILE


class PocketRun(Search):
    """A run with a pocket: what it took out of the walk, and what its mistakes weigh."""

    best = np.inf
    tuning: PocketTuning

    def reason(self, why: int) -> Stopped | None:
        """Return why the run stopped; where nothing was left to correct, in which sense."""
        if why != CLEAN_PASS:
            return super().reason(why)
        if self.kept[1][0] > 0.0:
            return Stopped.CLEAN_UNDER_RULE
        return Stopped.CLEAN_PASS if self.all_weigh else Stopped.NOTHING_COUNTED

    def adopt_pocket(self, learner: Untyped) -> None:
        """Give a learner the pocket as its line, what it costs, and the walking weights."""
        pocket, best = self.kept
        adopt(learner, self, pocket)
        learner.last_coef_, learner.last_intercept_ = in_shapes(self.progress.v)
        learner.n_errors_ = float(best[0])
        weight = None if self.whole is None else self.whole.weight
        learner.certificate_ = Recount(pocket.copy(), learner.n_errors_, weight, self.question.x0)
        learner.n_swaps_ = int(self.progress.state[SWAPS])


def at_hand(table: Rows) -> Sample | None:
    """Return the rows of a table that is one block in memory, with no checkpoint."""
    return table.in_memory if not table.journal.keeps else None


def _radius_and_weights(block: Block) -> tuple[float, bool, bool]:
    """Return R, whether all rows weigh 1, and whether all weigh anything."""
    of = block.sample
    return of.radius, bool((of.weight == 1.0).all()), bool(of.weight.all())


def _count_block(block: Block, question: Question, v: Floats, bounds: Floats) -> tuple[Few, float]:
    """Return how many rows of each tile are to correct, and how many are mistakes."""
    of = block.sample
    runs = shares(range(-(-of.n // TILE)), n_threads())
    rows = [slice(run[0] * TILE, (run[-1] + 1) * TILE) for run in runs]
    parts = [partial(_count, of.at(run), question, v, bounds, 0.0) for run in rows]
    few, weighed = zip(*in_threads(parts), strict=True)
    return np.concatenate(few), sum(weighed)


def _count_further(
    block: Block, before: tuple[Few, float], question: Question, v: Floats, bounds: Floats
) -> tuple[Few, float]:
    """Return the counts of all tiles so far, and what the mistakes so far weigh."""
    question = question._replace(weight=block.sample.weight)
    few, weighed = _count(block.sample, question, v, bounds, before[1])
    return np.concatenate((before[0], few)), weighed


def _count(
    of: Sample, question: Question, v: Floats, bounds: Floats, weighed: float
) -> tuple[Few, float]:
    """Return how many rows of each tile are to correct, and what mistakes weigh, added up."""
    found = np.empty(of.n, dtype=np.int64)
    asked = plain(question._replace(rows=of.rows, y=of.y))
    progress = plain(Progress(v, bounds, found, found, found))
    n_found, weighed = kernel.all_mistakes(asked, progress, found, weighed)
    of_tiles = np.bincount(found[:n_found] // TILE, minlength=-(-of.n // TILE))
    return of_tiles.astype(np.uint16), weighed
