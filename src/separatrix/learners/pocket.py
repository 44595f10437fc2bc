"""The pocket algorithm: PLA on mistakes, keeping a copy of the best weights seen.

After every update all rows are counted again (Gallant 1990; Lin, *Machine Learning Foundations*,
lecture 2). It proves nothing about other lines. How rows are counted is chosen by size: one path,
any speed.

With the ratchet rows are counted only when a run of correct rows becomes longer than the pocket's
had been; it takes the walking weights if they make strictly fewer mistakes. It proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Recount
from separatrix.data import Floats, Sample
from separatrix.kernels.walks import pocket as kernel
from separatrix.kernels.walks import pocket_gram, pocket_scan
from separatrix.kernels.walks.perceptron import (
    AT_RANDOM,
    POCKET_RUN,
    SWAPS,
    VISITS,
    Question,
    plain,
)
from separatrix.kernels.walks.pocket_gram import Gram
from separatrix.kernels.walks.pocket_scan import Scan
from separatrix.kernels.walks.quantised import WORD, Tiles, fill_tiles
from separatrix.learners._parameters import (
    NO_LIMIT,
    Integers,
    generator,
    one_of,
    order_of,
    question_of,
)
from separatrix.learners._weighted import InMemory, WeightedLinearClassifier
from separatrix.learners.perceptron import RULES
from separatrix.learners.walks.run import Step
from separatrix.learners.walks.searches import PocketRun
from separatrix.learners.walks.tuning import PocketTuning
from separatrix.scale import Rows
from separatrix.tiles import in_threads, n_threads


def fastest(run: PocketRun, random: np.random.Generator) -> Step:
    """Return the step that is fastest for this size; all of them walk the same path."""
    sample, question, tuning = run.sample, run.question, run.tuning
    size, few = tuning.gram_rows, tuning.few_updates
    if run.whole is None:
        return run.step(random)  # of a table in blocks
    n_draws = run.n_draws(sample.n * (sample.d + 1))
    if sample.n <= size <= size + question.max_updates - few:
        start_squared, radius_squared = run.progress.bounds.tolist()
        unit = pocket_gram.steps_in_one(radius_squared, start_squared, question.max_updates)
        if tuning.least_steps < unit * radius_squared < np.inf:
            return by_gram(run, random, n_draws, unit)
    if isinstance(question.rows, tuple) or question.max_updates < few:
        return run.step(random)
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
        why, made = pocket_scan.walk_ahead(*self.run.arguments, self.ahead)
        ahead = self.ahead[:made]
        if self.copied is not None:
            self._count(*self.copied, ahead)
            return why, made
        # rows that such weights mostly get wrong come first
        of, weights = self.run.sample, ahead.mean(axis=0) if made else self.run.start
        with np.errstate(all="ignore"):
            scores = of.X @ weights[1:] + weights[0] * self.run.question.x0
            order = np.argsort(of.y * scores)
        question = self.run.question._replace(order=order)
        self.copied = plain(question), quantised(self.run, order)
        # few at first: any count at all soon rules most of the others out
        for block in np.split(np.vstack((self.run.start, ahead)), (1, 2, 5, 17)):
            self._count(*self.copied, block)
        return why, made

    def _count(self, question: Question, tiles: Tiles, ahead: Floats) -> None:
        """Count the mistakes of weights (K, 1+d) in a row; keep each that is better than before."""
        run = self.run
        (pocket, best), bounds = run.kept, run.progress.bounds.copy()
        limit = float(best[0])
        heavy = len(ahead) * tiles[0].size >= run.tuning.threaded_multiplications
        n_runs = n_threads() if heavy else 1

        def part(block: Floats) -> Callable[[], Integers]:
            return lambda: pocket_scan.count_ahead(question, tiles, block, bounds, limit)

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


@final
@dataclass(kw_only=True, eq=False, repr=False)
class Pocket(WeightedLinearClassifier):
    """The pocket algorithm: the best line in a run of PLA of `max_updates` updates.

    Plain form: `separatrix.plain.pocket`.

    Parameters
    ----------
    max_updates : int
    visit : {"random", "cyclic", "naive", "permuted"}
        Which mistake is corrected next, as in `Perceptron`.
    sign_of_zero : {"mistake", -1, 1}
        As in `Perceptron`; in the count a zero score is always a mistake.
    init, fit_intercept, random_state : as in `Perceptron`

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
        The pocket: a copy of the best weights, recounted on all rows.
    n_errors_ : float
        Its mistakes on the rows of the fit (their weights added up, if weights were given).
    certificate_ : Recount
        ``certificate_.verify(X, y)`` counts them again.
    n_swaps_ : int
        How often the pocket changed after the start.
    last_coef_ : (1, d), last_intercept_ : (1,)
        PLA's weights at the end, usually worse.
    n_updates_, n_iter_ : int
        Updates made; scans of the data, one per update and one at the start.
    stopped_ : Stopped
    trace_ : Trace

    Notes
    -----
    `sample_weight` (N,) weighs the mistakes that are counted; the walk itself visits rows, not
    copies of rows. A table in blocks is read once for each update.

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = Pocket(max_updates=50, random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, str(model.stopped_)
    (1.0, 'the budget of updates was spent')
    """

    max_updates: int = 1000
    visit: str = "random"
    sign_of_zero: int | str = "mistake"
    init: ArrayLike = None
    fit_intercept: bool = True
    random_state: Untyped = None

    certificate_: Recount = field(init=False)
    _tuning = PocketTuning()
    _of_all_rows = ("counts_",)

    def _fit_blocks(self, table: Rows) -> Self:
        super()._fit_blocks(table)
        self.certificate_ = replace(self.certificate_, sample_weight=None)  # the table brings them
        return self

    def _learn_rows(self, rows: Rows) -> Self:
        random = generator(self.random_state)
        rule = one_of(RULES, self.visit, "visit")
        question = question_of(self, order_of(self, rows, random), rule=rule)
        run = PocketRun.of(self, rows, question)
        run.search(fastest(run, random), self._take)
        return self

    def _take(self, run: PocketRun) -> None:
        run.adopt_pocket(self)
        self.n_iter_ = self.n_updates_ + 1


TURNS: Mapping[object, str] = {"random": "random", "cyclic": "cyclic", "permuted": "permuted"}


@final
@dataclass(kw_only=True, eq=False, repr=False)
class RatchetPocket(InMemory, WeightedLinearClassifier):
    """Gallant's pocket algorithm with ratchet: fewest mistakes among lines with long correct runs.

    Plain form: `separatrix.plain.pocket`.

    Parameters
    ----------
    max_updates : int
    max_iter : int
        Budget of visits, in passes: N rows each.
    visit : {"random", "cyclic", "permuted"}
        "random" draws every row from all of them; the others go on in order.
    sign_of_zero, init, fit_intercept, random_state : as in `Pocket`

    Attributes
    ----------
    coef_, intercept_, n_errors_, certificate_, n_swaps_, last_coef_, last_intercept_, trace_
        As of `Pocket`.
    run_length_ : int
        How many rows in a row the pocket had got right when it was taken; 0 for the start.
    n_updates_, n_visits_, n_iter_ : int
        Updates made; rows visited; passes begun.
    stopped_ : Stopped

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = RatchetPocket(max_updates=50, random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, str(model.stopped_)
    (2.0, 'the budget of updates was spent')
    """

    max_updates: int = 1000
    max_iter: int = 1000
    visit: str = "random"
    sign_of_zero: int | str = "mistake"
    init: ArrayLike = None
    fit_intercept: bool = True
    random_state: Untyped = None

    _tuning = PocketTuning()
    _because = " (it draws each row from all of them, and counts them all in between)"

    def _learn(self, sample: Sample) -> Self:
        random = generator(self.random_state)
        visit = one_of(TURNS, self.visit, "visit")
        rows = Rows.of(sample)
        run = PocketRun.of(self, rows, question_of(self))
        run.until_done(_turning(run, visit, order_of(self, rows, random), random), self._take)
        return self

    def _take(self, run: PocketRun) -> None:
        run.adopt_pocket(self)
        self.run_length_ = int(run.progress.state[POCKET_RUN])
        self.n_visits_ = int(run.progress.state[VISITS])
        self.n_iter_ = max(1, -(-self.n_visits_ // run.sample.n))


def _turning(run: PocketRun, visit: str, cycle: Integers, random: np.random.Generator) -> Step:
    """Return the step that visits the next rows: drawn from all of them, or in order."""
    n, size = run.sample.n, run.tuning.slice_visits
    max_visits = min(NO_LIMIT, run.question.max_passes * n)
    order, first = cycle if cycle.size else np.arange(n), 0

    def step() -> tuple[int, int]:
        nonlocal first
        if visit == "random":
            turns = (random.random(size) * n).astype(np.int64)
        else:
            turns = order[np.arange(first, first + size) % n]
        first = (first + size) % n
        return kernel.walk_with_ratchet(*run.arguments, run.kept, turns, max_visits)

    return step
