"""A pocket run under way, and the ways to look at all rows, chosen by size: one path, any speed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, Sample
from separatrix.kernels.walks import perceptron as perceptron_kernel
from separatrix.kernels.walks import pocket as plain_kernel
from separatrix.kernels.walks import pocket_gram, pocket_prefetch, pocket_scan
from separatrix.kernels.walks.pocket_scan import AT_RANDOM, Look, Question
from separatrix.kernels.walks.quantised import TILE_ROWS, WORD, Planes, fill_planes
from separatrix.learners._parameters import refuse_overflow
from separatrix.learners._stopping import Stopped
from separatrix.tiles import in_threads, n_threads

Integers = NDArray[np.int64]

# A slice of compiled work: long enough to cost nothing to restart, short enough (tens of
# milliseconds) to be interrupted.
SLICE_MULTIPLICATIONS = 2**25

# The sizes at which one way overtakes another, measured at 2 <= d <= 50.
GRAM_ROWS = 768  # up to here adding a row of the Gram matrix is cheaper than scoring all rows
FEW_UPDATES = 16  # fewer do not pay for a copy of the rows
AHEAD = 64  # weights counted together
THREADED_MULTIPLICATIONS = 2**23  # in a block: below, threads cost more than they save
LEAST_STEPS = 2.0**14  # steps in R^2 that leave few rows in doubt

# takes (visited, draws); returns why a slice ended, and how many updates it made
Step = Callable[[Integers, Floats], tuple[int, int]]


class PocketRun:
    """Everything that changes from slice to slice."""

    def __init__(self, sample: Sample, x0: float, start: Floats, tie: float) -> None:
        self.sample, self.x0, self.tie = sample, x0, tie
        self.v, self.pocket = start.copy(), start.copy()
        self.best = np.array([np.inf])
        self.state = np.zeros(3, dtype=np.int64)
        self.counts = np.zeros(sample.n, dtype=np.int64)
        self.visited: list[Integers] = []
        self.n_counted = 0
        self.stopped = Stopped.INTERRUPTED  # until a slice says otherwise
        radius_squared = sample.radius(x0) ** 2 * (1.0 + 1e-12)
        self.bounds = np.array([(start @ start) * (1.0 + 1e-12), radius_squared])

    def walk(
        self, rule: int, order: Integers, random: np.random.Generator, max_updates: int
    ) -> None:
        """Run slices of compiled work until one of them ends the run."""
        per_slice = 1 + SLICE_MULTIPLICATIONS // (self.sample.n * (self.sample.d + 1))
        buffer = np.empty(min(per_slice, max_updates + 1), dtype=np.int64)
        step = self._way(rule, order, max_updates)
        why = perceptron_kernel.GOING_ON
        try:
            while why == perceptron_kernel.GOING_ON:
                why, k = step(buffer, random.random(buffer.size))
                self.visited.append(buffer[:k].copy())
        except KeyboardInterrupt:  # a slice is done and its rows are not kept: they are in `buffer`
            made = int(self.state[pocket_scan.UPDATES]) - sum(r.size for r in self.visited)
            self.visited.append(buffer[:made].copy())
            raise
        if why == perceptron_kernel.OVERFLOW:
            raise refuse_overflow()
        clean = why == perceptron_kernel.CLEAN_PASS
        self.stopped = self._clean() if clean else Stopped.UPDATES_SPENT

    def _clean(self) -> Stopped:
        """Return in which sense nothing was left to correct."""
        if self.best[0] > 0.0:
            return Stopped.CLEAN_UNDER_RULE
        return Stopped.CLEAN_PASS if self.sample.weight.all() else Stopped.NOTHING_COUNTED

    def _way(self, rule: int, order: Integers, max_updates: int) -> Step:
        """Return the fastest way for this size; all of them walk the same path."""
        radius_squared = float(self.bounds[1])
        if self.sample.n <= GRAM_ROWS <= GRAM_ROWS + max_updates - FEW_UPDATES:
            unit = pocket_gram.steps_in_one(radius_squared, float(self.bounds[0]), max_updates)
            if LEAST_STEPS < unit * radius_squared < np.inf:
                return self._by_gram(rule, order, max_updates, unit)
        if isinstance(self.sample.rows, tuple) or max_updates < FEW_UPDATES:
            return self._plainly(rule, order, max_updates)
        if rule == AT_RANDOM or (self.sample.weight != 1.0).any():
            return self._by_scan(rule, order, max_updates)
        return self._ahead(rule, order, max_updates)

    def _question(self, order: Integers) -> Question:
        sample = self.sample
        weight = sample.weight if (sample.weight != 1.0).any() else np.empty(0)
        return Question(sample.rows, sample.y, order, self.x0, self.tie, weight, False)

    def _changing(self) -> list[Any]:
        """Return what every walk with a pocket changes, as the kernels take it."""
        return [self.v, self.pocket, self.best, self.bounds, self.state, self.counts]

    def _plainly(self, rule: int, order: Integers, max_updates: int) -> Step:
        """Score the rows themselves: sparse rows, and a few updates."""
        sample = self.sample
        before: list[Any] = [sample.rows, sample.y, order, rule, self.v, self.pocket, self.best]
        before += [self.x0, self.tie, sample.weight, self.bounds, self.state, self.counts]

        def step(visited: Integers, draws: Floats) -> tuple[int, int]:
            everything = [*before, visited, draws, max_updates]
            return plain_kernel.walk_with_pocket(*everything)

        return step

    def _by_gram(self, rule: int, order: Integers, max_updates: int, unit: float) -> Step:
        """Add a row of the Gram matrix to the scores of before."""
        n = self.sample.n
        size = _rounded_up(n, WORD * 8)
        known = np.zeros(n, dtype=np.uint8)
        gram = np.zeros((n + 1, size), dtype=np.int32)
        scores, flags = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.uint8)
        before: list[Any] = [self._question(order), gram, known, unit, scores, flags, rule]
        before += self._changing()

        def step(visited: Integers, draws: Floats) -> tuple[int, int]:
            everything = [*before, visited, draws, max_updates]
            return pocket_gram.walk_with_gram(*everything)

        return step

    def _by_scan(self, rule: int, order: Integers, max_updates: int) -> Step:
        """Score a compact copy of all rows at each update."""
        question, planes = self._copied(order)
        n_tiles, _, size = planes.steps.shape
        flags, found = np.zeros(n_tiles * size, dtype=np.uint8), np.zeros(n_tiles, dtype=np.int64)
        look = Look(flags, found, np.empty(size, dtype=np.float32))
        before: list[Any] = [question, planes, look, rule, *self._changing()]

        def step(visited: Integers, draws: Floats) -> tuple[int, int]:
            everything = [*before, visited, draws, max_updates]
            return pocket_scan.walk_with_planes(*everything)

        return step

    def _ahead(self, rule: int, order: Integers, max_updates: int) -> Step:
        """Walk a block of updates, then count its weights together."""
        question = self._question(order)
        before: list[Any] = [question, rule, self.v, self.bounds, self.state, self.counts]
        start, ahead = self.v.copy(), np.empty((AHEAD, self.v.size))
        copied: list[tuple[Question, Planes]] = []  # made when the first block has been walked

        def step(visited: Integers, draws: Floats) -> tuple[int, int]:  # noqa: ARG001
            room = visited[:AHEAD]
            everything = [*before, room, ahead[: room.size], max_updates]
            why, k = pocket_prefetch.walk_ahead(*everything)
            if copied:
                self._count(*copied[0], ahead[:k])
                return why, k
            copied.append(self._copied(self._hot_first(ahead[:k])))
            # few at first: any count at all soon rules most of the others out
            for run in np.split(np.vstack((start, ahead[:k])), (1, 2, 5, 17)):
                self._count(*copied[0], run)
            return why, k

        return step

    def _hot_first(self, ahead: Floats) -> Integers:
        """Return an order that begins with the rows that such weights (K, 1+d) mostly get wrong.

        In this order counts reach the pocket's soon. It decides speed alone.
        """
        weights = ahead.mean(axis=0) if len(ahead) else self.v
        with np.errstate(all="ignore"):
            agreements = self.sample.y * (self.sample.X @ weights[1:] + weights[0] * self.x0)
        return np.argsort(agreements)

    def _count(self, question: Question, planes: Planes, ahead: Floats) -> None:
        """Count the mistakes of weights (K, 1+d) in a row; keep each that is better than before.

        `n_counted` tells how many weights of the walk have been counted, the start among them.
        """
        bounds, limit = self.bounds.copy(), self.best[0]
        heavy = len(ahead) * planes.steps.size >= THREADED_MULTIPLICATIONS
        n_runs = n_threads() if heavy else 1
        runs = [np.ascontiguousarray(ahead[k::n_runs]) for k in range(n_runs)]

        def part(run: Floats) -> Callable[[], Integers]:
            return lambda: pocket_prefetch.count_ahead(question, planes, run, bounds, limit)

        errors = np.empty(len(ahead), dtype=np.int64)
        for k, counted in enumerate(in_threads([part(run) for run in runs])):
            errors[k::n_runs] = counted
        for k in np.flatnonzero(errors < limit).tolist():
            if errors[k] < self.best[0]:
                self.best[0] = errors[k]
                self.pocket[:] = ahead[k]
                self.state[pocket_scan.SWAPS] += int(self.n_counted + k > 0)
        self.n_counted += len(ahead)

    def _copied(self, order: Integers) -> tuple[Question, Planes]:
        """Return the question and a compact copy of its rows."""
        n, d = self.sample.X.shape
        n_tiles = -(-n // TILE_ROWS)
        columns = _rounded_up(d + 1, 3)
        planes = Planes(
            np.zeros((n_tiles, columns, _rounded_up(-(-n // n_tiles), WORD * 8)), dtype=np.int16),
            np.zeros((n_tiles, columns)),
            np.zeros((n_tiles, columns)),
        )
        sample = self.sample
        whole = fill_planes(sample.rows, sample.y, order, self.x0, planes)
        return self._question(order)._replace(whole=whole), planes


def _rounded_up(n: int, step: int) -> int:
    return -(-n // step) * step
