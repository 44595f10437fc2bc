"""Walks that search a table in blocks for all mistakes at each update: PLA at random, the pocket.

One read of the table counts the mistakes of every tile at the walking weights. The one to correct
is then found in its tile, which is read again. So the path is that of a table in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.kernels.error_bound import UNDERFLOWN
from separatrix.kernels.rows import add_row
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    CLEAN_PASS,
    FROM_HERE,
    GOING_ON,
    OVERFLOW,
    PASSES,
    PASSES_SPENT,
    POSITION,
    STREAK,
    SWAPS,
    UPDATES,
    UPDATES_SPENT,
    Progress,
    Question,
    plain,
)
from separatrix.kernels.walks.pocket import Kept
from separatrix.kernels.walks.tiled_mistakes import count_mistakes_of_tiles, mistakes_of_rows
from separatrix.learners._parameters import Integers
from separatrix.learners.walks.in_blocks import RunInBlocks
from separatrix.learners.walks.pocket import PocketRun
from separatrix.learners.walks.run import Step
from separatrix.scale import Block
from separatrix.tiles import TILE, in_threads, n_threads, shares

Few = NDArray[np.uint16]  # mistakes of a tile: 4096 at most


class Search(RunInBlocks):
    """A run that reads all rows for each update."""

    def prepare(self) -> None:
        """Read the table once: for R, and for what the rows weigh."""
        x0, v = self.question.x0, self.start
        found = self.table.map(_radius_and_weights, x0)
        self.radius = max(radius for radius, _, _ in found)
        self.weighed = not all(ones for _, ones, _ in found)
        self.all_weigh = all(above for _, _, above in found)
        self.times: dict[int, int] = {}
        self.n_recorded, room = 0, np.empty(1, dtype=np.int64)
        bounds = np.array([(v @ v) * (1.0 + 1e-12), self.radius**2 * (1.0 + 1e-12)])
        self.progress = self.progress._replace(bounds=bounds, visited=room)

    def counted(self) -> tuple[Integers, float]:
        """Return how many rows of each tile are to correct, and what the mistakes weigh."""
        of, bounds = self.question, self.progress.bounds
        asked = of, self.progress.v, bounds
        if not self.weighed:
            parts = self.table.map(_count_block, *asked)
            weighed = float(sum(weight for _, weight in parts))
            found = np.concatenate([few for few, _ in parts])
        else:  # sums of weights are rounded: they go on from block to block
            none = np.empty(0, dtype=np.uint16)
            found, weighed = self.table.fold(_count_further, (none, 0.0), *asked)
        return found.astype(np.int64), weighed

    def correct(self, found: Integers, draw: float) -> tuple[int, int]:
        """Correct the mistake that the rule and a number in [0, 1) choose, among all found."""
        state, rule = self.progress.state, self.question.rule
        if rule == AT_RANDOM:
            number = int(draw * int(found.sum()))
        else:
            number = self._first_from(found, int(state[POSITION]) if rule == FROM_HERE else 0)
        sums = np.cumsum(found)
        t = int(np.searchsorted(sums, number, side="right"))
        row = int(self._rows_of(t)[number - (sums[t] - found[t])])
        self._add(row)
        return (GOING_ON if np.isfinite(self.progress.v).all() else OVERFLOW), 1

    def _first_from(self, found: Integers, position: int) -> int:
        """Return the number of the first mistake from a row on, or of the first of all."""
        t = position // TILE
        before = int(found[:t].sum())
        if t < found.size and found[t]:
            before += int((self._rows_of(t) < position).sum())
        return before % int(found.sum())

    def _rows_of(self, t: int) -> Integers:
        """Return the rows of a tile that are to correct."""
        of = self.table.source.read(t * TILE, min(self.table.n, (t + 1) * TILE), check=False)
        found = np.empty(of.n, dtype=np.int64)
        question = self.question._replace(rows=of.rows, y=of.y)
        n_found = mistakes_of_rows(plain(question), plain(self.progress), found)
        return found[:n_found] + t * TILE

    def _add(self, row: int) -> None:
        of = self.table.source.read(row // TILE * TILE, row + 1, check=False)
        progress, state = self.progress, self.progress.state
        add_row(of.rows, row % TILE, of.y[-1], progress.v, self.question.x0)
        length, growth = progress.bounds.tolist()
        progress.bounds[0] = (length + growth) * (1.0 + 1e-14) + UNDERFLOWN  # as `grown` does
        self.times[row] = self.times.get(row, 0) + 1
        progress.visited[0] = row
        state[POSITION], state[UPDATES] = row + 1, state[UPDATES] + 1

    def updates_of_rows(self) -> tuple[Integers, Integers]:
        """Return the rows with updates, in their order, and how many each had."""
        rows = np.array(sorted(self.times), dtype=np.int64)
        return rows, np.array([self.times[row] for row in rows.tolist()], dtype=np.int64)

    def until_found(
        self, step: Step, adopt: Callable[[Untyped], None], time_limit: float | None = None
    ) -> None:
        """Take steps until one ends the walk, then hand it to `adopt`."""

        def counts_too(run: Untyped) -> None:
            if self.counts.fits:
                counts = np.zeros(self.table.n, dtype=np.int64)
                rows, times = self.updates_of_rows()
                counts[rows] = times
                self.progress = self.progress._replace(counts=counts)
            adopt(run)

        self.until_done(step, counts_too, time_limit)


def at_random(run: Search, random: np.random.Generator) -> Step:
    """Return the step of PLA that draws among all current mistakes."""
    question = run.question

    def step() -> tuple[int, int]:
        state = run.progress.state
        if state[PASSES] == question.max_passes:
            return PASSES_SPENT, 0
        found, _ = run.counted()
        state[PASSES] += 1
        if not found.any():
            state[STREAK] = run.table.n
            return CLEAN_PASS, 0
        if state[UPDATES] == question.max_updates:
            return UPDATES_SPENT, 0
        return run.correct(found, random.random())

    return step


class PocketSearch(Search, PocketRun):
    """A run with a pocket over a table in blocks."""

    all_weigh = True
    row_weights = None  # the rows bring theirs

    def prepare(self) -> None:
        """Read the table once, and put the start into the pocket."""
        super().prepare()
        self.kept = plain(Kept(self.start.copy(), np.array([np.inf])))

    def step(self, random: np.random.Generator) -> Step:
        """Return the step that counts all mistakes, and corrects one."""
        pocket, best = self.kept

        def step() -> tuple[int, int]:
            state = self.progress.state
            found, weighed = self.counted()
            if weighed < best[0]:
                best[0] = weighed
                pocket[:] = self.progress.v
                state[SWAPS] += state[UPDATES] > 0
            if not found.any() or best[0] == 0.0:
                return CLEAN_PASS, 0
            if state[UPDATES] == self.question.max_updates:
                return UPDATES_SPENT, 0
            return self.correct(found, random.random())

        return step


def _radius_and_weights(block: Block, x0: float) -> tuple[float, bool, bool]:
    """Return R, whether all rows weigh 1, and whether all weigh anything."""
    of = block.sample
    return of.radius(x0), bool((of.weight == 1.0).all()), bool(of.weight.all())


def _count_block(block: Block, question: Question, v: Floats, bounds: Floats) -> tuple[Few, float]:
    """Return how many rows of each tile are to correct, and how many are mistakes."""
    of = block.sample
    found = np.zeros(-(-of.n // TILE), dtype=np.int64)
    progress = plain(Progress(v, bounds, found, found, found))
    parts = []
    for run in shares(range(found.size), n_threads()):
        rows = slice(run[0] * TILE, (run[-1] + 1) * TILE)
        asked = plain(question._replace(rows=of.X[rows], y=of.y[rows]))
        here = found[run[0] : run[-1] + 1]
        parts.append(partial(count_mistakes_of_tiles, asked, progress, TILE, here, 0.0))
    weighed = sum(in_threads(parts))
    return found.astype(np.uint16), weighed


def _count_further(
    block: Block, before: tuple[Few, float], question: Question, v: Floats, bounds: Floats
) -> tuple[Few, float]:
    """Return the counts of all tiles so far, and what the mistakes so far weigh."""
    of = block.sample
    found = np.zeros(-(-of.n // TILE), dtype=np.int64)
    progress = plain(Progress(v, bounds, found, found, found))
    asked = plain(question._replace(rows=of.rows, y=of.y, weight=of.weight))
    weighed = count_mistakes_of_tiles(asked, progress, TILE, found, before[1])
    return np.concatenate((before[0], found.astype(np.uint16))), weighed
