"""Random coordinate descent on the 0/1 error itself.

Each update finds the best point of a whole line, by sorting the places where a row's score is zero
(Li & Lin 2007). A point is taken when its exact count is not above the one before. It proves
optimality only where the count meets the rows that every line misses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self, final

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Recount
from separatrix.data import Floats, Sample
from separatrix.kernels.zero_one import coordinate_descent as kernel
from separatrix.learners._parameters import column_sizes, generator, limit, one_of, start_weights
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import InMemory, WeightedLinearClassifier

Draw = Callable[[np.random.Generator, Floats, int], Floats]

# a slice of compiled work: long enough to cost nothing to restart, short enough to be interrupted
SLICE_SEARCHES = 64
LARGEST_UNIT = 1e300


@final
@dataclass(kw_only=True, eq=False, repr=False)
class CoordinateDescent01(InMemory, WeightedLinearClassifier):
    """The line with the fewest mistakes that a sequence of exact line searches finds.

    Plain form: `separatrix.plain.coordinate_descent_01`. `sample_weight` (N,) weighs mistakes.

    Parameters
    ----------
    max_updates : int
        Line searches.
    direction : {"random", "coordinate"}
        A random vector in units of the columns' largest values, or one weight at a time.
    init, fit_intercept, random_state : as in `Perceptron`

    Attributes
    ----------
    coef_ : (1, d), intercept_ : (1,)
    n_errors_ : float
        Mistakes on the rows of the fit, counted exactly (their weights added up).
    certificate_ : Recount
        ``certificate_.verify(X, y)`` counts them again.
    lower_bound_ : float
        Mistakes that every line makes, on rows at the same point or at the origin.
    proven_ : bool
        Whether the two meet, compared as rational numbers.
    n_updates_, n_iter_ : int
        Line searches made.
    stopped_ : Stopped

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = CoordinateDescent01(random_state=0).fit(xor, [0, 1, 1, 0])
    >>> model.n_errors_, model.lower_bound_, model.proven_
    (1.0, 0.0, False)
    """

    max_updates: int = 1000
    direction: str = "random"
    init: ArrayLike = None
    fit_intercept: bool = True
    random_state: Untyped = None

    def _learn(self, sample: Sample) -> Self:
        random = generator(self.random_state)
        draw = one_of(DIRECTIONS, self.direction, "direction")
        max_updates = limit(self.max_updates, "max_updates")
        unavoidable = unavoidable_rows(sample)
        descent = _Descent(sample, start_weights(self.init, sample))
        self.stopped_ = Stopped.INTERRUPTED  # until the descent says otherwise
        try:
            self.stopped_ = descent.run(draw, random, max_updates, unavoidable)
        finally:  # of an interrupt too: the line so far is the answer so far
            self._adopt(sample, descent.w)
            self.n_errors_ = float(descent.best[0])
            self.certificate_ = Recount(descent.w.copy(), self.n_errors_, sample.weight, sample.x0)
            self.lower_bound_ = float(sample.weight[unavoidable].sum())
            self.n_updates_ = self.n_iter_ = descent.n_updates
            self.proven_ = descent.meets(unavoidable)
        return self


class _Descent:
    def __init__(self, sample: Sample, start: Floats) -> None:
        self.sample, self.w = sample, start.copy()
        self.best = np.array([np.inf])
        self.n_updates = 0
        radius_squared = sample.radius**2 * (1.0 + 1e-12)
        self.question = kernel.Question(
            sample.rows, sample.y, sample.x0, sample.weight, radius_squared
        )
        self._search(np.empty((0, start.size)), np.empty(0))  # counts the start

    def run(
        self, draw: Draw, random: np.random.Generator, max_updates: int, unavoidable: np.ndarray
    ) -> Stopped:
        """Search line after line; return why it ended."""
        units = _units(self.sample)
        while not self.meets(unavoidable):
            k = min(SLICE_SEARCHES, max_updates - self.n_updates)
            if k == 0:
                return Stopped.UPDATES_SPENT
            self._search(draw(random, units, k), random.random(k))
        if self.best[0] > 0.0:
            return Stopped.LOWER_BOUND
        return Stopped.CLEAN_PASS if self.sample.weight.all() else Stopped.NOTHING_COUNTED

    def _search(self, directions: Floats, draws: Floats) -> None:
        self.n_updates += kernel.descend(self.question, self.w, directions, draws, self.best)

    def meets(self, unavoidable: np.ndarray) -> bool:
        """Whether the mistakes weigh no more than those that every line makes, as rationals."""
        sample = self.sample
        least = sample.weight[unavoidable]
        if self.best[0] > least.sum() * (1.0 + 1e-9):  # far apart: floats will do
            return False
        agreements = np.empty(sample.n)
        kernel.count_exactly(self.question, self.w, agreements)
        return _exact_sum(sample.weight[agreements <= 0.0]) <= _exact_sum(least)


def _vectors(random: np.random.Generator, units: Floats, k: int) -> Floats:
    return random.normal(size=(k, units.size)) * units


def _coordinates(random: np.random.Generator, units: Floats, k: int) -> Floats:
    """Return k unit vectors (k, 1+d) along random columns that are not 0."""
    usable = np.flatnonzero(units)
    directions = np.zeros((k, units.size))
    directions[np.arange(k), usable[random.integers(usable.size, size=k)]] = 1.0
    return directions


DIRECTIONS: Mapping[object, Draw] = {"coordinate": _coordinates, "random": _vectors}


def unavoidable_rows(sample: Sample) -> np.ndarray:
    """Return rows (k,) no heavier than what every line misses: lighter labels at a point, zeros."""
    groups: dict[bytes, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for i, key in enumerate(_keys(sample)):
        groups[key][int(sample.y[i] > 0.0)].append(i)
    origin = b"" if sp.issparse(sample.X) else np.zeros(sample.d).tobytes()
    found: list[int] = []
    for key, (no, yes) in groups.items():
        if key == origin and sample.x0 == 0.0:
            found += no + yes
        elif no and yes:
            weights = (_exact_sum(sample.weight[no]), _exact_sum(sample.weight[yes]))
            found += no if weights[0] <= weights[1] else yes
    return np.array(sorted(found), dtype=np.int64)


def _keys(sample: Sample) -> list[bytes]:
    """Return the points as bytes: equal for equal points."""
    X = sample.X
    if not sp.issparse(X):
        return [row.tobytes() for row in X + 0.0]  # -0.0 + 0.0 is 0.0
    cuts = list(zip(X.indptr[:-1], X.indptr[1:], strict=True))
    return [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in cuts]


def _units(sample: Sample) -> Floats:
    """Return for each weight 1 / the largest value of its column; 0 for a column of zeros."""
    sizes = np.concatenate(([sample.x0], column_sizes(sample.X[sample.weight > 0.0])))
    with np.errstate(over="ignore", divide="ignore"):
        units = np.minimum(1.0 / sizes, LARGEST_UNIT)  # of subnormal values 1 / x overflows
    return np.where(sizes > 0.0, units, 0.0)


def _exact_sum(weights: Floats) -> Fraction:
    if (weights == np.rint(weights)).all():
        return Fraction(int(sum(int(w) for w in weights)))
    return sum((Fraction(float(w)) for w in weights), Fraction(0))
