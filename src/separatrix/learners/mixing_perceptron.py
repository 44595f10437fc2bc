"""The perceptron by iterative parameter mixing: shards of the rows walk apart, weights are mixed.

Each epoch every shard makes one pass of PLA from the mixed weights, on its own rows alone, and the
next mixed weights are the mean of what they end with, each shard weighed by its updates (McDonald,
Hall & Mann 2010, Distributed training strategies for the structured perceptron, section 4.2).
It stops when no shard makes an update: then the mixed line, which each of them began with, makes no
mistake in any. On separable rows with margin rho and R = max |x| that comes about: the weighted
updates, sum over epochs and shards of mu_i k_i with mu_i = k_i / sum k, are at most (R / rho)^2
(their theorem 3, which is Novikoff's for one shard). Shards are fixed runs of rows, so that the
result is the same on any number of workers.
"""

from __future__ import annotations

import warnings
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike
from separatrix.data import Floats, InputError, NotConvergedWarning, Sample, read_rows
from separatrix.kernels.exact import count_mistakes
from separatrix.kernels.walks.perceptron import PASSES, UPDATES, Question
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._parameters import NO_LIMIT, limit, question_of
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.in_blocks import NO_ROWS, RunInBlocks, on_rows
from separatrix.learners.walks.pla import certificate, in_order, ways_on
from separatrix.learners.walks.run import Run
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import ArraySource, Block, BlockedTable
from separatrix.tiles import TILE, shares

Shard = tuple[Floats, float, int]  # weights, a bound on their squared length, updates so far


@final
class MixingPerceptron(LinearClassifier):
    """The perceptron over shards of the rows whose weights are mixed after each epoch.

    For many workers: `Perceptron` visits rows in turn, one worker after the other. On one shard, as
    on up to 4096 rows, it is PLA.

    Plain form: `separatrix.plain.mixing_perceptron`.

    Parameters
    ----------
    n_shards : int
        At most; each is a run of whole tiles of 4096 rows. More shards keep more workers busy, and
        take more epochs.
    sign_of_zero : as in `Perceptron`
    max_iter : int or None
        Budget in epochs, each one pass over all rows; None for none.
    fit_intercept : bool

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
        The mixed weights.
    n_shards_ : int
    n_updates_ : int
        Updates of all shards.
    weighted_updates_ : float
        The sum over epochs of sum k^2 / sum k, k the updates of each shard: at most (R / rho)^2 for
        the margin rho of any separating line, up to the rounding of the mixed weights.
    n_iter_ : int
        Epochs.
    stopped_ : Stopped
    certificate_ : Separation or None
        After an epoch without an update, counted again over all rows, every sign exact.

    Warns
    -----
    NotConvergedWarning
        When the epochs ended before one without an update.

    Examples
    --------
    >>> model = MixingPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), model.n_updates_, model.n_shards_
    ([1, 0], 18, 1)
    """

    _tuning = Tuning(trace_capacity=0)

    def __init__(
        self,
        *,
        n_shards: int = 16,
        sign_of_zero: int | str = "mistake",
        max_iter: int | None = 1000,
        fit_intercept: bool = True,
    ) -> None:
        self.n_shards = n_shards
        self.sign_of_zero = sign_of_zero
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept

    def _learn(self, sample: Sample) -> Self:
        """Walk over shards of rows in memory."""
        rows = -(-sample.n // TILE) * TILE
        return self._mix(BlockedTable(ArraySource(sample), rows_in_block=rows), 4)

    def _learn_in_blocks(self, table: BlockedTable) -> Self:
        """Walk over shards of a table in blocks."""
        self._note_blocks(table)
        return self._mix(table, 5)

    def _mix(self, table: BlockedTable, frames: int) -> Self:
        """Take epochs until one has no update, or the budget is spent."""
        most = limit(self.n_shards, "n_shards")
        if not 0 < most < NO_LIMIT:
            raise InputError(f"n_shards={self.n_shards!r} must be a whole number, 1 or more.")
        question = question_of(self, NO_ROWS)
        run = RunInBlocks(table, question, np.zeros(table.d + 1), self._tuning, 1.0)
        runs = shares(range(-(-table.n // TILE)), most)
        shards = [(of[0] * TILE, min(table.n, (of[-1] + 1) * TILE)) for of in runs]
        self.n_shards_, self.weighted_updates_ = len(shards), 0.0
        state, w = run.progress.state, run.progress.v
        run.radius = max(table.collect(on_rows, Sample.radius, (question.x0,)))
        try:
            while run.stopped is None:
                if state[PASSES] == question.max_passes:
                    run.stopped = Stopped.PASSES_SPENT
                    break
                begin: Shard = w.copy(), float(w @ w) * (1.0 + 1e-12), 0
                ends = table.fold_each(shards, _one_pass, begin, question, run.radius, self._tuning)
                updates = sum(k for _, _, k in ends)
                state[PASSES] += 1
                state[UPDATES] += updates
                if updates == 0:
                    run.stopped = Stopped.CLEAN_PASS
                    break
                w[:] = 0.0
                for v, _, k in ends:
                    w += k / updates * v
                self.weighted_updates_ += sum(k * k for _, _, k in ends) / updates
        except KeyboardInterrupt:
            run.stopped = Stopped.INTERRUPTED
            raise
        finally:
            if run.stopped is not None:
                self._take(run)
        if run.stopped is not Stopped.CLEAN_PASS:
            warnings.warn(
                f"the shards are not done: {run.stopped} after {self.n_updates_} updates in "
                f"{self.n_iter_} epochs. {ways_on(run, self._weights())}",
                NotConvergedWarning,
                stacklevel=frames,
            )
        return self

    def _read(self, X: ArrayLike, y: ArrayLike) -> Sample:
        return read_rows(self, X, y)  # float32 stays as it is

    def _take(self, run: RunInBlocks) -> None:
        self._adopt(run.table, run.weights)
        self.n_updates_, self.n_iter_, self.stopped_ = run.n_updates, run.n_passes, run.stopped
        self.certificate_ = None
        if run.stopped is Stopped.CLEAN_PASS:
            mistakes = sum(run.of_blocks(_mistakes, run.progress.v, run.question.x0))
            if mistakes == 0 or run.question.tie != 0.0:
                self.certificate_ = certificate(run)


def _mistakes(sample: Sample, v: Floats, x0: float) -> int:
    return int(count_mistakes(sample.rows, sample.y, v, x0))


def _one_pass(
    block: Block, shard: Shard, question: Question, radius: float, tuning: Tuning
) -> Shard:
    """Return where the pass over a shard stands after a block of it."""
    v, length, updates = shard
    of = block.sample
    run = Run(
        of,
        question._replace(rows=of.rows, y=of.y, max_passes=1),
        v,
        tuning,
        min(tuning.slice_updates, block.n),
    )
    run.radius = radius
    run.progress.bounds[:] = length, radius**2 * (1.0 + 1e-12)
    run.until_done(in_order(run))
    return run.progress.v, float(run.progress.bounds[0]), updates + run.n_updates
