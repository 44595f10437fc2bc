"""Flipped labels: PLA has nothing to stop at, the pocket keeps its best line (lecture 2)."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from separatrix.course.datasets import make_noisy, make_separable
from separatrix.course.experiments.kind import Column, Findings, Kind, Least, Runs, mean, state_of
from separatrix.data import Floats
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners.linear_regression import LinearRegressionClassifier
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket

FRESH = 10_000
FLIPS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
COLUMNS = (
    Column("flip", "probability that a label is turned round"),
    Column("target E_in", "mistakes of the line that answered before the flipping"),
    Column("PLA E_in", "of its last w"),
    Column("pocket E_in", "of the best w met on the way"),
    Column("regression E_in", "of linear regression"),
    Column("PLA E_out", "on fresh rows with the same flipping"),
    Column("pocket E_out", "on fresh rows with the same flipping"),
    Column("regression E_out", "on fresh rows with the same flipping"),
)


def run(
    runs: Runs,
    *,
    flips: Annotated[tuple[float, ...], Least(0.0, "Flipping probabilities.")] = FLIPS,
    rows: Annotated[int, Least(2, "N.")] = 200,
    columns: Annotated[int, Least(1, "d.")] = 2,
    margin: Annotated[float, Least(0.0, "Of the target, before the flipping.")] = 0.05,
    updates: Annotated[int, Least(1, "Of PLA and pocket.")] = 1000,
    repeats: Annotated[int, Least(1, "Sets of points for each probability.")] = 10,
) -> Findings:
    """Flip labels more and more often, and learn all the same."""
    found = []
    for flip, seeds in runs.each(flips, repeats):
        shares = []
        for seed in seeds:
            X, y, target, flipped = make_noisy(rows, columns, margin, seed=seed, flip=flip)
            if abs(y.sum()) == y.size:  # flipping can leave one label: nothing to learn
                continue
            own = state_of(seed)
            pla = Perceptron(visit="random", max_updates=updates, max_iter=None, random_state=own)
            pocket = Pocket(max_updates=updates, random_state=own)
            learners = (pla, pocket, LinearRegressionClassifier())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConvergedWarning)  # that is the experiment
                lines = [_line(learner.fit(X, y)) for learner in learners]
            clean = make_separable(FRESH, columns, margin, target, seed + repeats)
            outside = [flip + (1.0 - 2.0 * flip) * _mistaken(clean.X, clean.y, w) for w in lines]
            shares.append([flipped.mean(), *(_mistaken(X, y, w) for w in lines), *outside])
        found.append((flip, *(float(a) for a in np.mean(shares, axis=0))))
    return Findings(
        f"{rows} points in {columns} dimensions, margin {margin:g} before labels are turned "
        f"round; PLA and pocket make {updates} updates on random mistakes. E_out: the share of "
        f"{FRESH:,} fresh points on which a line differs from the target, e, makes "
        "flip + (1 - 2 flip) e on labels flipped likewise.",
        found,
        _in_words(found),
    )


def _in_words(found: list[tuple[float, ...]]) -> str:
    noisiest = max(found, key=lambda row: row[0])
    return (
        f"At flip {noisiest[0]:g} the target itself makes {100 * noisiest[1]:.1f} % mistakes; "
        f"PLA's last line {100 * noisiest[2]:.1f} %, the pocket's {100 * noisiest[3]:.1f} %."
    )


def _line(learner: Perceptron | Pocket | LinearRegressionClassifier) -> Floats:
    return np.append(learner.intercept_, learner.coef_)


def _mistaken(X: Floats, y: NDArray[np.int64], w: Floats) -> float:
    """Return the share of rows that a line gets wrong; a score of 0 is wrong."""
    return mean(y * (X @ w[1:] + w[0]) <= 0.0)


KIND = Kind("noise", "What labels turned round do to PLA, pocket and regression.", COLUMNS, run)
