"""The walk that a film shows, and the moments shown."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Sample, dense
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners._stopping import Stopped
from separatrix.learners.perceptron import Perceptron
from separatrix.report.displays._display import Column, two_columns
from separatrix.separation.decide import separability
from separatrix.trace import Growth, Trace

FIRST, LAST = 1200, 3000  # milliseconds of the first and the last moment
BEAT, TURN = 500, 70  # of a mistake found, and of each step of the turning line
QUICK = 100  # of an update that has one moment only
MOST_UPDATES = 100_000
MOST_TURNS = 10  # moments of one update


@dataclass(frozen=True, slots=True)
class Moment:
    """A picture of the film: `part` of the way from w_t to w_{t+1}, seen for so long."""

    t: int
    part: float
    milliseconds: int


@dataclass(frozen=True)
class Film:
    """PLA on two columns."""

    plane: Plane  # points (N, 2) and their names
    y: Floats  # (N,) of -1 and +1
    labels: tuple[str, str]  # what no and yes are called
    rows: NDArray[np.int64]  # (T,) the row of every update
    stopped: Stopped  # why the walk ended
    separable: bool | None  # whether a line separates these points: proven, or None where undecided
    target: Floats | None  # (3,) a line that separates, of length 1
    mistakes: NDArray[np.int64]  # (T+1,) of every w_t
    moments: tuple[Moment, ...]
    lines: NDArray[np.int64]  # (N,) what rows are called: "row 0", or "line 2" of a file
    line_word: str
    trace: Trace

    @property
    def n_updates(self) -> int:
        return self.rows.size

    @property
    def n_shown(self) -> int:
        return len({m.t for m in self.moments if m.t < self.n_updates})

    @cached_property
    def path(self) -> Floats:
        """w_t, t = 0 .. T: (T+1, 3)."""
        return np.array(list(self.trace.walk(self.plane.points, self.y)))

    @cached_property
    def pocket(self) -> NDArray[np.int64]:
        """For every t the walk's best moment so far: int64 array (T+1,)."""
        least = np.minimum.accumulate(self.mistakes)
        better = np.append(True, self.mistakes[1:] < least[:-1])
        return np.maximum.accumulate(np.where(better, np.arange(least.size), 0))

    @cached_property
    def growth(self) -> Growth:
        """The curves of the proof; without a target only those of |w_t|^2 mean anything."""
        target = self.path[-1] if self.target is None else self.target
        return self.trace.growth(self.plane.points, self.y, target if target.any() else np.ones(3))

    @property
    def summary(self) -> str:
        """What the film shows, in a sentence or two: what was left out is said."""
        ended = f"PLA made {self.n_updates:,} updates; {self.stopped}"
        left_out = self.n_updates - self.n_shown
        if not left_out:
            return f"{ended}. Every update is shown."
        return (
            f"{ended}. {self.n_shown:,} of the updates are shown: the first one by one, then "
            "further and further apart, and those at which the pocket got better."
        )


def filmed(
    plane: Plane,
    y: Floats,
    labels: tuple[str, str],
    *,
    frames: int,
    walk: dict[str, Any],
    lines: tuple[str, NDArray[np.int64]],
) -> Film:
    """Run PLA on a plane with the parameters `walk` and choose the moments to show."""
    points = plane.points
    word, numbers = lines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)  # the last moment says so
        pla = Perceptron(**{"max_iter": None, **walk}).fit(points, y)
    trace = pla.trace_
    proof = separability(points, y)
    target = None
    if proof.separable and proof.weights is not None:
        scaled = proof.weights / np.abs(proof.weights).max()
        target = scaled / np.linalg.norm(scaled)
    mistakes = trace.mistakes(points, y)
    return Film(
        plane, y, labels, trace.rows, Stopped(pla.stopped_), proof.separable, target,
        mistakes, chosen(mistakes, frames), numbers, word, trace,
    )  # fmt: skip


def chosen(mistakes: NDArray[np.int64], frames: int) -> tuple[Moment, ...]:
    """Return at most `frames` moments of a walk with these mistakes (T+1,)."""
    made = len(mistakes) - 1
    last = Moment(made, 0.0, LAST)
    if made == 0 or frames == 1:
        return (last,)
    shown = updates(mistakes, frames - 1)
    each = min(MOST_TURNS, max(1, (frames - 1) // shown.size))
    moments = [
        Moment(int(t), k / each, QUICK if each == 1 else BEAT if k == 0 else TURN)
        for t in shown
        for k in range(each)
    ]
    moments[0] = Moment(int(shown[0]), 0.0, FIRST)
    return (*moments, last)


def updates(mistakes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return which updates t (0-based) are shown, at most `most`."""
    made = len(mistakes) - 1
    if made <= most:
        return np.arange(made)
    if most == 1:
        return np.array([made - 1])
    first = most // 2
    least = np.minimum.accumulate(mistakes)
    better = np.flatnonzero(mistakes[1:] < least[:-1])  # update t leads to w_{t+1}
    picked = {*range(first), made - 1}
    if most >= 4:
        picked |= set(better[better >= first][-(most // 4) :].tolist())
    apart = np.geomspace(first, made - 1, most - len(picked) + 2).astype(int)[1:-1]
    return np.array(sorted(picked | set(apart.tolist())), dtype=np.int64)


STANDARDISED = ", standardised"  # behind the name of a column


class Plane(NamedTuple):
    """Points (N, 2) and what their two columns are."""

    points: Floats
    names: tuple[str, str]


def plane_for(
    sample: Sample, names: Sequence[str], columns: Sequence[Column] | None, standardise: bool
) -> Plane:
    if sample.d < 2:
        raise InputError("the film shows a plane: it needs two columns, and X has one.")
    if columns is None and sample.d > 2:
        return _principal(sample)
    a, b = two_columns((0, 1) if columns is None else columns, names)
    points = np.asarray(dense(sample.X[:, [a, b]], "The film"), dtype=np.float64)
    if not standardise:
        return Plane(points, (names[a], names[b]))
    return Plane(_standardised(points), (names[a] + STANDARDISED, names[b] + STANDARDISED))


def _principal(sample: Sample) -> Plane:
    """Return the two directions in which the standardised columns vary most."""
    columns = _standardised(np.asarray(dense(sample.X, "The film"), dtype=np.float64))
    variances, directions = np.linalg.eigh(columns.T @ columns / sample.n)
    best = directions[:, ::-1][:, :2]
    best = best * np.where(best[np.abs(best).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
    total = max(float(variances.sum()), 5e-324)
    shares = variances[::-1][:2] / total
    first, second = (
        f"principal direction {k} ({share:.0%} of the variance)"
        for k, share in enumerate(shares, start=1)
    )
    return Plane(np.ascontiguousarray(columns @ best), (first, second))


def _standardised(points: Floats) -> Floats:
    """Return columns of mean 0 and standard deviation 1; a constant one becomes 0."""
    largest = np.abs(points).max(axis=0)
    scaled = points / np.where(largest > 0.0, largest, 1.0)  # squares must not overflow
    centred = scaled - scaled.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    constant = np.ptp(points, axis=0) == 0.0
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))
