"""What probabilities are worth: how well they order rows, and whether they can be believed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from separatrix._types import ArrayLike
from separatrix.data import Floats, InputError, read_arrays

Indices = NDArray[np.int64]

LEVEL = 0.95
BAND_LEVEL = 0.9
DRAWS = 400
SEED = 0
MOST_GROUPS = 2048  # of neighbouring probabilities, in the band and in drawings


@dataclass(frozen=True, eq=False)
class Reliability:
    """How often yes was right, for rows of each probability: never falling with it."""

    probability: Floats  # (m,) distinct probabilities, ascending; of many rows those of groups
    observed: Floats  # (m,) the isotonic share of yes
    lower: Floats
    upper: Floats
    weight: Floats  # (m,) rows
    level: float  # of the band
    p_value: float

    @property
    def share_inside(self) -> float:
        """The share of rows where the curve lies in the band."""
        inside = (self.lower <= self.observed) & (self.observed <= self.upper)
        return float(self.weight[inside].sum() / self.weight.sum())


@dataclass(frozen=True, eq=False)
class ProbabilityFigures:
    """Scores of rows, and what they are worth; weights count rows.

    Parameters
    ----------
    y : (N,) of -1 and +1
    scores : (N,) log-odds of yes
    weight : (N,)
    held_out : bool
        Whether each row's score is of a line fitted without it.
    level : of the interval of the area
    """

    y: Floats
    scores: Floats
    weight: Floats
    held_out: bool
    level: float = LEVEL

    @cached_property
    def _placements(self) -> tuple[Floats, Floats]:
        """The share of no below each yes row, and of yes above each no row; ties count half."""
        yes, no = self.y > 0.0, self.y < 0.0
        return (
            _share_below(self.scores[yes], self.scores[no], self.weight[no]),
            1.0 - _share_below(self.scores[no], self.scores[yes], self.weight[yes]),
        )

    @cached_property
    def auc(self) -> float:
        """P(a yes row scores more than a no row), ties counted half: the area under the curve."""
        return float(np.average(self._placements[0], weights=self.weight[self.y > 0.0]))

    @cached_property
    def auc_error(self) -> float:
        """DeLong's standard error of the area; NaN where a label has one row."""
        parts = zip(
            self._placements, (self.weight[self.y > 0.0], self.weight[self.y < 0.0]), strict=True
        )
        total = 0.0
        for placed, weight in parts:
            n = float(weight.sum())
            if n <= 1.0:
                return float("nan")
            total += float(np.sum(weight * (placed - self.auc) ** 2)) / (n - 1.0) / n
        return float(np.sqrt(total))

    @property
    def auc_interval(self) -> tuple[float, float]:
        """DeLong's interval: area -+ z standard errors, cut at 0 and 1."""
        far = float(ndtri(0.5 + self.level / 2.0)) * self.auc_error
        return max(0.0, self.auc - far), min(1.0, self.auc + far)

    @cached_property
    def average_precision(self) -> float:
        """The mean over yes rows of the share of yes among rows that score as much or more."""
        levels, places = np.unique(-self.scores, return_inverse=True)
        yes = np.bincount(places, self.weight * self._ones, levels.size)
        every = np.bincount(places, self.weight, levels.size)
        return float(np.average(np.cumsum(yes) / np.cumsum(every), weights=yes))

    @property
    def gini(self) -> float:
        """2 AUC - 1."""
        return 2.0 * self.auc - 1.0

    @cached_property
    def curve(self) -> tuple[Floats, Floats]:
        """The ROC curve: shares (m,) of no and of yes rows that score at least each threshold."""
        levels, places = np.unique(-self.scores, return_inverse=True)
        shares = []
        for label in (-1.0, 1.0):
            counts = np.bincount(places, self.weight * (self.y == label), levels.size)
            shares.append(np.concatenate([[0.0], np.cumsum(counts) / counts.sum()]))
        return shares[0], shares[1]

    @property
    def ks(self) -> float:
        """The largest distance between the distributions of the scores of yes and of no."""
        no, yes = self.curve
        return float(np.abs(yes - no).max())

    @cached_property
    def brier(self) -> float:
        """The mean of (p - y)^2, y being 0 or 1."""
        return float(np.average((self._p - self._ones) ** 2, weights=self.weight))

    @cached_property
    def log_loss(self) -> float:
        """The mean of -ln(probability of the right answer)."""
        return float(np.average(np.logaddexp(0.0, -self.y * self.scores), weights=self.weight))

    @property
    def share_of_yes(self) -> float:
        """The share of yes rows: what guessing would say of every row."""
        return float(np.average(self._ones, weights=self.weight))

    @cached_property
    def parts_of_brier(self) -> tuple[float, float, float]:
        """Miscalibration - discrimination + uncertainty = Brier, by isotonic regression."""
        p, order, places = self._levels
        shares, weight = self._shares(places, p.size)
        fitted = _isotonic(shares, weight)[places]
        ones, w = self._ones[order], self.weight[order]
        best = float(np.average((fitted - ones) ** 2, weights=w))
        guess = self.share_of_yes * (1.0 - self.share_of_yes)
        return self.brier - best, guess - best, guess

    @cached_property
    def reliability(self) -> Reliability:
        """The reliability curve; neighbouring probabilities are put together where many differ."""
        p, _, places = self._levels
        if p.size > MOST_GROUPS:
            mass = np.cumsum(np.bincount(places, self._sorted_weight, p.size))
            group = np.minimum((MOST_GROUPS * mass / mass[-1]).astype(int), MOST_GROUPS - 1)
            places = np.unique(group, return_inverse=True)[1][places]
        m = int(places.max()) + 1
        shares, weight = self._shares(places, m)
        means = np.bincount(places, self._sorted_weight * np.sort(self._p), m) / weight
        observed = _isotonic(shares, weight)
        lower, upper, misses = _drawn(means, weight)
        larger = int((misses >= _miss(means, shares, observed, weight)).sum())
        p_value = (1.0 + larger) / (1.0 + DRAWS)
        return Reliability(means, observed, lower, upper, weight, BAND_LEVEL, p_value)

    @property
    def _p(self) -> Floats:
        return np.asarray(expit(self.scores))

    @property
    def _ones(self) -> Floats:
        return (self.y > 0.0).astype(np.float64)

    @cached_property
    def _levels(self) -> tuple[Floats, Indices, Indices]:
        """Distinct probabilities, the order of rows by them, and each ordered row's place."""
        order = np.argsort(self._p, kind="stable")
        p = self._p[order]
        first = np.append(True, p[1:] != p[:-1])[: p.size]  # `unique` would sort again, in copies
        return p[first], np.asarray(order, np.int64), np.cumsum(first) - 1

    @property
    def _sorted_weight(self) -> Floats:
        return np.asarray(self.weight[self._levels[1]])

    def _shares(self, places: Indices, m: int) -> tuple[Floats, Floats]:
        """Return the share of yes and the weight of each of m groups of ordered rows."""
        weight = np.bincount(places, self._sorted_weight, m)
        yes = np.bincount(places, self._sorted_weight * self._ones[self._levels[1]], m)
        return np.asarray(yes / weight), np.asarray(weight)


def probability_figures(
    y: ArrayLike,
    probability: ArrayLike,
    sample_weight: ArrayLike = None,
    *,
    held_out: bool = True,
    level: float = LEVEL,
) -> ProbabilityFigures:
    """Return what probabilities of yes are worth: AUC, Gini, KS, Brier, log loss, calibration.

    Parameters
    ----------
    y : N labels of two kinds, the second in sorted order is "yes"
    probability : (N,) of yes, from 0 to 1
    sample_weight : (N,) counts of rows
    held_out : whether the rows had no part in what made the probabilities: it is said with them
    level : of DeLong's interval

    Raises
    ------
    InputError
        For a probability that is none, and what else cannot be used.

    Examples
    --------
    >>> found = probability_figures([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> found.auc, round(found.brier, 4), found.ks
    (0.75, 0.1581, 0.5)
    """
    p = np.asarray(probability, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"probability must have one number a row; it has shape {p.shape}.")
    sample = read_arrays(p[:, None], y, sample_weight)
    if p.min() < 0.0 or p.max() > 1.0:
        row = int(np.argmax((p < 0.0) | (p > 1.0)))
        raise InputError(f"probability is {p[row]:g} in row {row}: it must be from 0 to 1.")
    kept = sample.weight > 0.0
    with np.errstate(divide="ignore"):
        scores = np.log(p) - np.log1p(-p)
    return ProbabilityFigures(sample.y[kept], scores[kept], sample.weight[kept], held_out, level)


def _share_below(at: Floats, values: Floats, weight: Floats) -> Floats:
    """Return the weighted share of the values below each number of `at`, ties counted half."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    mass = np.concatenate([[0.0], np.cumsum(weight[order])])
    below = mass[np.searchsorted(ordered, at, "left")]
    not_above = mass[np.searchsorted(ordered, at, "right")]
    return np.asarray((below + not_above) / (2.0 * mass[-1]))


def _isotonic(shares: Floats, weight: Floats) -> Floats:
    from scipy.optimize import isotonic_regression  # a fourteenth of a second to import

    return np.asarray(isotonic_regression(shares, weights=weight).x)


def _drawn(p: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return labels drawn with probabilities p (m,), as seen by isotonic regression."""
    random = np.random.Generator(np.random.PCG64(SEED))
    n = np.maximum(1, np.rint(weight)).astype(np.int64)
    shares = random.binomial(n, p, (DRAWS, p.size)) / n
    curves = np.array([_isotonic(each, weight) for each in shares])
    tail = (1.0 - BAND_LEVEL) / 2.0
    lower, upper = np.quantile(curves, [tail, 1.0 - tail], axis=0)
    return lower, upper, _miss(p, shares, curves, weight)


def _miss(p: Floats, shares: Floats, curves: Floats, weight: Floats) -> Floats:
    """Return the miscalibration: what the Brier score gains by going from p to the curve."""
    gain = (p - shares) ** 2 - (curves - shares) ** 2
    return np.asarray((gain * weight).sum(axis=-1) / weight.sum())
