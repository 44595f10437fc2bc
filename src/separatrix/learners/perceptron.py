"""The perceptron learning algorithm (PLA).

Minimises the 0/1 error when the data are separable: find a mistake, w <- w + eta y x, until a whole
pass meets none. It stops by itself exactly then, after at most (R / rho)^2 updates (Novikoff 1962;
Lin, *Machine Learning Foundations*, lecture 2); else a budget stops it, and `stopped_` says which.
A clean pass proves separability (`Separation`); a run cut short proves that no line has a margin
above |w_T - w_0| / (eta T) (`Multipliers`).
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates import Multipliers, Separation
from separatrix.data import Floats, NotConvergedWarning, Sample, read_sample
from separatrix.kernels import perceptron as kernel
from separatrix.kernels.exact import count_mistakes, signed_scores
from separatrix.learners._linear import LinearClassifier
from separatrix.learners._stopping import Stopped
from separatrix.learners._walking import (
    TIES,
    generator,
    in_walk_units,
    limit,
    one_of,
    positive,
    refuse_overflow,
    row_order,
    start_weights,
)
from separatrix.trace import CAPACITY, Trace

VISITS: Mapping[object, str] = {visit: visit for visit in ("cyclic", "naive", "permuted", "random")}

IN_ROW_ORDER = ("cyclic", "naive")

# A slice of compiled work: long enough to cost nothing to restart, short enough
# (milliseconds; seconds where every sign needs exact arithmetic) to look at the clock and to be
# interrupted.
SLICE_UPDATES = 65536
SLICE_MULTIPLICATIONS = 2**22

STOPPED = {
    kernel.CLEAN_PASS: Stopped.CLEAN_PASS,
    kernel.UPDATES_SPENT: Stopped.UPDATES_SPENT,
    kernel.PASSES_SPENT: Stopped.PASSES_SPENT,
}


@dataclass
class Walk:
    """PLA under way: everything that changes from slice to slice."""

    sample: Sample
    x0: float
    v: Floats
    order: NDArray[np.int64] | None  # None: the order of the rows
    state: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, dtype=np.int64))
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    stopped: Stopped | None = None  # None: going on

    def __post_init__(self) -> None:
        """Start with no updates counted."""
        self.counts = np.zeros(self.sample.n, dtype=np.int64)
        radius_squared = self.sample.radius(self.x0) ** 2 * (1.0 + 1e-12)
        self.bounds = np.array([(self.v @ self.v) * (1.0 + 1e-12), radius_squared])
        self.visits_per_slice = max(1, SLICE_MULTIPLICATIONS // (self.sample.d + 1))

    def record(self, visited: NDArray[np.int64]) -> None:
        """Keep the rows of a slice, up to the trace's capacity."""
        room = CAPACITY - sum(r.size for r in self.rows)
        if room > 0 and visited.size:
            self.rows.append(visited[:room].copy())


@final
class Perceptron(LinearClassifier):
    """PLA, with its path canonical, its trace replayable and its result proven.

    Parameters
    ----------
    visit : {"cyclic", "naive", "permuted", "random"}
        Where the next mistake is looked for: from the next row on; from row 1 again; along one
        fixed random cycle; uniformly among all current mistakes.
    sign_of_zero : {"mistake", -1, 1}
        What a zero score answers. "mistake": it is one, whatever y is.
    learning_rate : float
        eta. From a zero start it never changes the path, only the length of w.
    init : None, "regression" or array (1+d,)
        w_0: zero, the least-squares line on y = -1 / +1, or given (w_0 first).
    max_updates, max_iter, time_limit : budgets in updates, passes and seconds; None for none
        With a time limit the result depends on the machine.
    fit_intercept : bool
    random_state : int, RandomState or None
        For "permuted" and "random".

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,), threshold_ : float
    n_updates_ : int
        T, the mistakes corrected.
    n_iter_ : int
        Passes: scans of the data begun (naive and random order: T + 1 when it ends by itself).
    stopped_ : Stopped
        Why it stopped; ``str(stopped_)`` is a sentence.
    certificate_ : Separation, Multipliers or None
        What the run proves; check it with ``certificate_.verify(X, y)``.
    counts_ : int array (N,)
        Updates on each row; their sum is T.
    trace_ : Trace
        Replays every w_t bit for bit.

    Notes
    -----
    `fit` takes no `sample_weight`: k copies of a row are visited k times in turn, which is not the
    path of any weighting of one visit.

    Examples
    --------
    >>> model = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.predict([[1, 1], [0, 1]]).tolist(), model.n_updates_, str(model.stopped_)
    ([1, 0], 18, 'a whole pass met no mistake')
    """

    def __init__(
        self,
        *,
        visit: str = "cyclic",
        sign_of_zero: int | str = "mistake",
        learning_rate: float = 1.0,
        init: Any = None,  # noqa: ANN401  # None, "regression" or an array
        max_updates: int | None = None,
        max_iter: int | None = 1000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,  # noqa: ANN401  # as scikit-learn
    ) -> None:
        self.visit = visit
        self.sign_of_zero = sign_of_zero
        self.learning_rate = learning_rate
        self.init = init
        self.max_updates = max_updates
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ANN401  # any arrays
        """Learn from rows X (N, d) and labels y (N,).

        Raises
        ------
        InputError
            For data or parameters that cannot be used.

        Warns
        -----
        NotConvergedWarning
            When a budget ended before a clean pass.
        """
        sample = read_sample(self, X, y)
        x0 = 1.0 if self.fit_intercept else 0.0
        eta = positive(self.learning_rate, "learning_rate")
        visit = one_of(VISITS, self.visit, "visit")
        random = generator(self.random_state)
        start = in_walk_units(start_weights(self.init, sample, x0), eta)
        order = None if visit in IN_ROW_ORDER else row_order(visit, sample.n, random)
        walk = Walk(sample, x0, start.copy(), order)
        try:
            self._run(walk, visit, random)
        except KeyboardInterrupt:  # nothing is lost: the weights so far are the answer so far
            walk.stopped = Stopped.INTERRUPTED
            self._adopt_walk(walk, start, eta)
            raise
        self._adopt_walk(walk, start, eta)
        if self.stopped_ is not Stopped.CLEAN_PASS:
            warnings.warn(
                f"PLA is not done: {self.stopped_} after {self.n_updates_} updates in "
                f"{self.n_iter_} passes. This does not say whether the data are separable: "
                "separatrix.separability does.",
                NotConvergedWarning,
                stacklevel=2,
            )
        return self

    def _run(self, walk: Walk, visit: str, random: np.random.Generator) -> None:
        tie = one_of(TIES, self.sign_of_zero, "sign_of_zero")
        max_updates = limit(self.max_updates, "max_updates")
        max_passes = limit(self.max_iter, "max_iter")
        deadline = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        sample, visited = walk.sample, np.empty(SLICE_UPDATES, dtype=np.int64)
        data: list[Any] = [sample.rows, sample.y, walk.order]
        standing: list[Any] = [walk.v, walk.x0, tie, walk.bounds, walk.state, walk.counts, visited]
        limits: list[Any] = [max_updates, max_passes, walk.visits_per_slice]
        while walk.stopped is None:
            if visit == "random":
                draws = random.random(min(SLICE_UPDATES, 1 + walk.visits_per_slice // sample.n))
                arguments = [*data, *standing, draws, *limits]
                why, k = kernel.walk_at_random(*arguments)
            else:
                arguments = [*data, visit == "naive", *standing, *limits]
                why, k = kernel.walk_in_order(*arguments)
            walk.record(visited[:k])
            if why == kernel.OVERFLOW:
                raise refuse_overflow()
            walk.stopped = STOPPED.get(why)
            if walk.stopped is None and time.monotonic() > deadline:
                walk.stopped = Stopped.TIME_SPENT

    def _adopt_walk(self, walk: Walk, start: Floats, eta: float) -> None:
        self._adopt(walk.sample, eta * walk.v)
        self.counts_ = walk.counts
        self.n_updates_ = int(walk.state[kernel.UPDATES])
        self.n_iter_ = int(walk.state[kernel.PASSES])
        self.stopped_ = walk.stopped
        rows = np.concatenate(walk.rows) if walk.rows else np.empty(0, dtype=np.int64)
        self.trace_ = Trace(start, eta, rows, self.n_updates_, walk.v.copy(), walk.x0)
        self.certificate_ = _certificate(walk)


def _certificate(walk: Walk) -> Separation | Multipliers | None:
    """Return what the run proves, in units of eta."""
    if walk.stopped is Stopped.CLEAN_PASS:
        return _separation(walk)
    rows = np.flatnonzero(walk.counts)
    if rows.size == 0:
        return None
    return Multipliers(tuple(rows.tolist()), tuple(walk.counts[rows].tolist()), walk.x0)


def _separation(walk: Walk) -> Separation | None:
    """Return the separating weights that a clean pass proves, if it proves any.

    Under sign(0) = -1 or +1 rows of one label may have score 0: then w_0 is moved by less than the
    least score of the other label. Without an intercept there is nothing to move, and no proof.
    """
    sample, x0 = walk.sample, walk.x0
    if count_mistakes(sample.rows, sample.y, walk.v, x0) == 0:
        return Separation(walk.v.copy(), x0)
    if x0 == 0.0:
        return None
    agreements = sample.y * signed_scores(sample.rows, sample.n, walk.v, x0)
    on_the_line = agreements == 0.0
    side = float(sample.y[on_the_line][0])
    # a score's float is off by less than half of it, so a quarter of the least is safe
    _, exponent = math.frexp(float(agreements[~on_the_line].min()))
    step = Fraction(2) ** (exponent - 3)
    weights = tuple(Fraction(float(w)) for w in walk.v)
    return Separation((weights[0] + int(side) * step, *weights[1:]), x0)
