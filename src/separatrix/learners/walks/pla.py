"""PLA under way: compiled slices until a clean pass or a budget, and what the walk then proves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates import Multipliers, Separation
from separatrix.clock import work_clock
from separatrix.data import Floats, Sample
from separatrix.exact.integers import exact_scores
from separatrix.exact.signed_rows import SignedRows
from separatrix.kernels.exact import count_mistakes, signed_scores
from separatrix.kernels.walks import perceptron as kernel
from separatrix.learners._parameters import refuse_overflow
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.filter import Sieving
from separatrix.learners.walks.parallel_scan import leap, rows_before_a_leap
from separatrix.trace import CAPACITY, Trace

Integers = NDArray[np.int64]

# A slice of compiled work: long enough to cost nothing to restart, short enough (tens of
# milliseconds) to look at the clock and to be interrupted.
SLICE_UPDATES = 65536

SLICE_MULTIPLICATIONS = 2**22

SMALL = 1e-290  # below this a score's float may have lost digits to underflow

STOPPED = {
    kernel.CLEAN_PASS: Stopped.CLEAN_PASS,
    kernel.UPDATES_SPENT: Stopped.UPDATES_SPENT,
    kernel.PASSES_SPENT: Stopped.PASSES_SPENT,
}

# writes the rows of a slice's updates into its argument; returns why it ended and how many
Step = Callable[[Integers], tuple[int, int]]


@dataclass
class Walk:
    """PLA under way: everything that changes from slice to slice, in units of eta."""

    sample: Sample
    x0: float
    v: Floats
    order: Integers | None = None  # None: the order of the rows
    tie: float = 0.0
    margin: float = 0.0
    state: Integers = field(default_factory=lambda: np.zeros(4, dtype=np.int64))
    rows: list[Integers] = field(default_factory=list)
    stopped: Stopped | None = None  # None: going on

    def __post_init__(self) -> None:
        """Start with no updates counted."""
        self.start = self.v.copy()
        self.counts = np.zeros(self.sample.n, dtype=np.int64)
        self.radius = self.sample.radius(self.x0)
        growth = self.radius**2 * (1.0 + 1e-12) + 2.0 * self.margin
        self.bounds = np.array([(self.v @ self.v) * (1.0 + 1e-12), growth])
        entries = getattr(self.sample.X, "nnz", self.sample.X.size)
        self.visits_per_slice = max(1, SLICE_MULTIPLICATIONS * self.sample.n // (1 + entries))
        self.before_a_leap = rows_before_a_leap(self.sample.n, entries)

    def step_in_order(self, max_updates: int, max_passes: int, restart: bool = False) -> Step:
        """Return the step that takes mistakes as the order meets them."""
        sample = self.sample
        rows: list[Any] = [sample.rows, sample.y, self.order]
        walking: list[Any] = [
            self.radius, restart, self.v, self.x0, self.tie, self.margin, self.bounds, self.state,
            self.counts,
        ]  # fmt: skip
        leaping = self.before_a_leap
        sieving = Sieving(sample, self.order, self.x0, self.radius, self.visits_per_slice)

        def step(visited: Integers) -> tuple[int, int]:
            visits = sieving.visits if leaping is None else min(leaping, sieving.visits)
            everything = [*rows, sieving.sieve, *walking, visited, max_updates, max_passes, visits]
            why, k = kernel.walk_in_order(*everything)
            if why == kernel.GOING_ON:
                sieving.note(visits, k)
                if leaping is not None and k == 0 and self.state[kernel.POSITION] > 0:
                    leap(self, sieving.sieve)
            return why, k

        return step

    def step_at_random(
        self, max_updates: int, max_passes: int, random: np.random.Generator
    ) -> Step:
        """Return the step that draws among all current mistakes."""
        arguments: list[Any] = [
            self.sample.rows, self.sample.y, self.order, self.v, self.x0, self.tie, self.bounds,
            self.state, self.counts,
        ]  # fmt: skip
        # a slice uses up its draws, however long it is: so the path does not depend on slices
        n_draws = min(SLICE_UPDATES, 1 + self.visits_per_slice // self.sample.n)
        limits: list[Any] = [max_updates, max_passes, n_draws * self.sample.n]

        def step(visited: Integers) -> tuple[int, int]:
            everything = [*arguments, visited, random.random(n_draws), *limits]
            return kernel.walk_at_random(*everything)

        return step

    def run(self, step: Step, time_limit: float | None = None) -> None:
        """Take steps until one ends the walk; an interrupt says so and goes on to the caller."""
        deadline = math.inf if time_limit is None else work_clock() + time_limit
        visited = np.empty(SLICE_UPDATES, dtype=np.int64)
        unrecorded = self.n_updates - sum(r.size for r in self.rows)
        try:
            while self.stopped is None:
                why, k = step(visited)
                self._record(visited[:k])
                if why == kernel.OVERFLOW:
                    raise refuse_overflow()
                self.stopped = STOPPED.get(why)
                if self.stopped is None and work_clock() > deadline:
                    self.stopped = Stopped.TIME_SPENT
        except KeyboardInterrupt:
            self.stopped = Stopped.INTERRUPTED
            # it comes when a slice is done and before its rows are kept: they are in `visited`
            self._record(visited[: self.n_updates - unrecorded - sum(r.size for r in self.rows)])
            raise

    def _record(self, visited: Integers) -> None:
        """Keep the rows of a slice, up to the trace's capacity."""
        room = CAPACITY - sum(r.size for r in self.rows)
        if room > 0 and visited.size:
            self.rows.append(visited[:room].copy())

    @property
    def n_updates(self) -> int:
        """T."""
        return int(self.state[kernel.UPDATES])

    @property
    def n_passes(self) -> int:
        """Passes begun."""
        return int(self.state[kernel.PASSES])

    def trace(self, eta: float) -> Trace:
        """Return the visited rows as data."""
        rows = np.concatenate(self.rows) if self.rows else np.empty(0, dtype=np.int64)
        return Trace(self.start, eta, rows, self.n_updates, self.v.copy(), self.x0)

    def certificate(self) -> Separation | Multipliers | None:
        """Return what the run proves, in units of eta."""
        if self.stopped is Stopped.CLEAN_PASS:
            return self._separation()
        return multipliers(self.counts, self.x0)

    def _separation(self) -> Separation | None:
        """Return the separating weights that a clean pass proves, if it proves any.

        Where zero scores are mistakes the pass itself has decided, exactly and for every row, that
        these very weights have none. Under sign(0) = -1 or +1 rows of one label may have score 0:
        then w_0 is moved by less than the least score of the other label. Without an intercept
        there is nothing to move, and no proof.
        """
        sample, x0 = self.sample, self.x0
        if self.tie == 0.0 or count_mistakes(sample.rows, sample.y, self.v, x0) == 0:
            return Separation(self.v.copy(), x0)
        if x0 == 0.0:
            return None
        agreements = sample.y * signed_scores(sample.rows, sample.n, self.v, x0)
        on_the_line = agreements == 0.0
        side = float(sample.y[on_the_line][0])
        weights = [Fraction(float(w)) for w in self.v]
        least = float(agreements[~on_the_line].min())
        if least > SMALL:  # a score's float is off by less than half of it
            nudge = Fraction(2) ** (math.frexp(least)[1] - 3)
        else:
            keep = ~on_the_line
            others = replace(sample, X=sample.X[keep], y=sample.y[keep], weight=sample.weight[keep])
            nudge = min(abs(s) for s in exact_scores(SignedRows(others, x0).floats(), weights)) / 2
        return Separation((weights[0] + int(side) * nudge, *weights[1:]), x0)


def multipliers(counts: Integers, x0: float) -> Multipliers | None:
    """Return updates per row as a bound on every margin; None when there were none."""
    rows = np.flatnonzero(counts > 0)  # of truth values: an order faster than of numbers
    if rows.size == 0:
        return None
    return Multipliers(tuple(rows.tolist()), tuple(counts[rows].tolist()), x0)


class Visits:
    """Numbers the visits of rows 1, 2, 3, ... along an order, from the rows of the updates alone.

    Between two updates the walk meets at most N rows, so the places of two visited rows in the
    order tell how many visits lie between them.
    """

    def __init__(self, walk: Walk, made: int = 0) -> None:
        n = walk.sample.n
        self.walk, self.last, self.place = walk, made, -1
        self.places = np.arange(n)
        if walk.order is not None:
            self.places[walk.order] = np.arange(n)

    def number(self, visited: Integers) -> Integers:
        """Return t_k, the number of the visit at which each of these updates was made."""
        places = self.places[visited]
        steps = (np.diff(places, prepend=self.place) - 1) % self.walk.sample.n + 1
        times = self.last + np.cumsum(steps)
        if visited.size:
            self.last, self.place = int(times[-1]), int(places[-1])
        return times

    @property
    def made(self) -> int:
        """Visits so far: those up to the last update, and the correct ones since."""
        return self.last + int(self.walk.state[kernel.STREAK])
