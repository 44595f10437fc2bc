"""A pocket run under way, and the ways to count all rows, chosen by size: one path, any speed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from separatrix._types import Untyped
from separatrix.certificates import Recount
from separatrix.data import Floats, Sample
from separatrix.kernels.walks import pocket as plain_kernel
from separatrix.kernels.walks import pocket_ahead, pocket_gram, pocket_scan
from separatrix.kernels.walks.perceptron import AT_RANDOM, CLEAN_PASS, SWAPS, Question, plain
from separatrix.kernels.walks.pocket import Kept
from separatrix.kernels.walks.pocket_gram import Gram
from separatrix.kernels.walks.pocket_scan import Scan
from separatrix.kernels.walks.quantised import WORD, Tiles, fill_tiles
from separatrix.learners._linear import in_shapes
from separatrix.learners._parameters import NO_WEIGHT, Integers, question_of
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.pla import adopt
from separatrix.learners.walks.run import Run, Step
from separatrix.learners.walks.tuning import PocketTuning
from separatrix.tiles import in_threads, n_threads


class PocketRun(Run):
    """A run with a pocket: what it took out of the walk, and what its mistakes weigh."""

    tuning: PocketTuning
    kept: Kept

    @classmethod
    def begin(cls, learner: Untyped, sample: Sample, order: Integers, rule: int) -> PocketRun:
        """Return the run that a learner's parameters ask for."""
        weight = sample.weight if (sample.weight != 1.0).any() else NO_WEIGHT
        run = cls.of(learner, sample, question_of(learner, sample, order, weight=weight, rule=rule))
        run.kept = plain(Kept(run.start.copy(), np.array([np.inf])))
        return run

    def reason(self, why: int) -> Stopped | None:
        """Return why the run stopped; where nothing was left to correct, in which sense."""
        if why != CLEAN_PASS:
            return super().reason(why)
        if self.kept[1][0] > 0.0:
            return Stopped.CLEAN_UNDER_RULE
        return Stopped.CLEAN_PASS if self.all_weigh else Stopped.NOTHING_COUNTED

    @property
    def all_weigh(self) -> bool:
        """Whether no row has weight 0."""
        return bool(self.sample.weight.all())

    @property
    def row_weights(self) -> Floats | None:
        """The weights of the rows (N,); None of a table in blocks, which brings them."""
        return self.sample.weight

    def adopt_pocket(self, learner: Untyped) -> None:
        """Give a learner the pocket as its line, what it costs, and the walking weights."""
        pocket, best = self.kept
        adopt(learner, self, pocket)
        learner.last_coef_, learner.last_intercept_ = in_shapes(self.progress.v)
        learner.n_errors_ = float(best[0])
        x0 = self.question.x0
        learner.certificate_ = Recount(pocket.copy(), learner.n_errors_, self.row_weights, x0)
        learner.n_swaps_ = int(self.progress.state[SWAPS])


def fastest(run: PocketRun, random: np.random.Generator) -> Step:
    """Return the step that is fastest for this size; all of them walk the same path."""
    sample, question, tuning = run.sample, run.question, run.tuning
    size, few = tuning.gram_rows, tuning.few_updates
    per_slice = 1 + tuning.slice_multiplications // (sample.n * (sample.d + 1))
    n_draws = min(per_slice, run.progress.visited.size)
    if sample.n <= size <= size + question.max_updates - few:
        start_squared, radius_squared = run.progress.bounds.tolist()
        unit = pocket_gram.steps_in_one(radius_squared, start_squared, question.max_updates)
        if tuning.least_steps < unit * radius_squared < np.inf:
            return by_gram(run, random, n_draws, unit)
    if isinstance(question.rows, tuple) or question.max_updates < few:
        return lambda: plain_kernel.walk_with_pocket(
            *run.arguments, run.kept, random.random(n_draws)
        )
    if question.rule == AT_RANDOM or question.weight.size:
        return by_scan(run, random, n_draws)
    return Ahead(run).step


def by_gram(run: PocketRun, random: np.random.Generator, n_draws: int, unit: float) -> Step:
    """Return the step that adds a row of the Gram matrix to the scores of before."""
    n = run.sample.n
    size = _rounded_up(n, WORD * 8)
    made = Gram(
        np.zeros((n + 1, size), dtype=np.int32),
        np.zeros(n, dtype=np.uint8),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.uint8),
        unit,
    )
    gram = plain(made)
    return lambda: pocket_gram.walk_with_gram(
        *run.arguments, run.kept, gram, random.random(n_draws)
    )


def by_scan(run: PocketRun, random: np.random.Generator, n_draws: int) -> Step:
    """Return the step that scores a quantised copy of all rows at each update."""
    tiles = quantised(run, run.question.order)
    n_tiles, _, size = tiles[0].shape
    flags, found = np.zeros(n_tiles * size, dtype=np.uint8), np.zeros(n_tiles, dtype=np.int64)
    scan = plain(Scan(flags, found, np.empty(size, dtype=np.float32)))
    return lambda: pocket_scan.walk_with_tiles(
        *run.arguments, run.kept, tiles, scan, random.random(n_draws)
    )


class Ahead:
    """Walks a block of updates, then counts its weights together."""

    def __init__(self, run: PocketRun) -> None:
        self.run, self.n_counted = run, 0  # weights counted so far, the start among them
        room = min(run.tuning.ahead, run.progress.visited.size)
        self.ahead = np.empty((room, run.start.size))
        self.copied: tuple[Question, Tiles] | None = None  # made when a block has been walked

    def step(self) -> tuple[int, int]:
        """Walk and count a block."""
        why, made = pocket_ahead.walk_ahead(*self.run.arguments, self.ahead)
        ahead = self.ahead[:made]
        if self.copied is not None:
            self._count(*self.copied, ahead)
            return why, made
        order = self._hot_first(ahead)
        question = self.run.question._replace(order=order)
        self.copied = plain(question), quantised(self.run, order)
        # few at first: any count at all soon rules most of the others out
        for block in np.split(np.vstack((self.run.start, ahead)), (1, 2, 5, 17)):
            self._count(*self.copied, block)
        return why, made

    def _hot_first(self, ahead: Floats) -> Integers:
        """Return an order that begins with the rows that such weights (K, 1+d) mostly get wrong."""
        sample = self.run.sample
        weights = ahead.mean(axis=0) if len(ahead) else self.run.start
        with np.errstate(all="ignore"):
            scores = sample.X @ weights[1:] + weights[0] * self.run.question.x0
            return np.argsort(sample.y * scores)

    def _count(self, question: Question, tiles: Tiles, ahead: Floats) -> None:
        """Count the mistakes of weights (K, 1+d) in a row; keep each that is better than before."""
        run = self.run
        (pocket, best), bounds = run.kept, run.progress.bounds.copy()
        limit = float(best[0])
        heavy = len(ahead) * tiles[0].size >= run.tuning.threaded_multiplications
        n_runs = n_threads() if heavy else 1

        def part(block: Floats) -> Callable[[], Integers]:
            return lambda: pocket_ahead.count_ahead(question, tiles, block, bounds, limit)

        blocks = [np.ascontiguousarray(ahead[k::n_runs]) for k in range(n_runs)]
        errors = np.empty(len(ahead), dtype=np.int64)
        for k, counted in enumerate(in_threads([part(block) for block in blocks])):
            errors[k::n_runs] = counted
        for k in np.flatnonzero(errors < limit).tolist():
            if errors[k] < best[0]:
                best[0] = errors[k]
                pocket[:] = ahead[k]
                run.progress.state[SWAPS] += int(self.n_counted + k > 0)
        self.n_counted += len(ahead)


def quantised(run: PocketRun, order: Integers) -> Tiles:
    """Return a quantised copy of the rows in this order."""
    rows, y, _, x0, *_ = run.question
    n_tiles = -(-run.sample.n // run.tuning.tile_rows)
    columns, size = _rounded_up(run.start.size, 3), -(-run.sample.n // n_tiles)
    tiles = Tiles(
        np.zeros((n_tiles, columns, _rounded_up(size, WORD * 8)), dtype=np.int16),
        np.zeros((n_tiles, columns)),
        np.zeros((n_tiles, columns)),
        False,
    )
    return plain(tiles._replace(whole=fill_tiles(rows, y, order, x0, plain(tiles))))


def _rounded_up(n: int, step: int) -> int:
    return -(-n // step) * step
