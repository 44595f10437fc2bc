"""PLA and pocket begun at the regression line instead of zero (lecture 9)."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from separatrix.course.datasets import make_noisy
from separatrix.course.experiments.kind import Column, Findings, Kind, Least, Runs, mean, state_of
from separatrix.learners.linear_regression import LinearRegressionClassifier
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket

FLIPS = (0.0, 0.02, 0.05, 0.1, 0.2)
COLUMNS = (
    Column("flip", "probability that a label is turned round"),
    Column("T from zero", "updates of PLA until it separates, in the mean; without flips only"),
    Column("T from regression", "the same, begun at the regression line"),
    Column("pocket from zero", "mistakes in the pocket after the updates, in the mean"),
    Column("pocket from regression", "the same, begun at the regression line"),
    Column("regression alone", "mistakes of the regression line, in the mean"),
)


def run(
    runs: Runs,
    *,
    flips: Annotated[tuple[float, ...], Least(0.0, "Flipping probabilities.")] = FLIPS,
    rows: Annotated[int, Least(2, "N.")] = 400,
    columns: Annotated[int, Least(1, "d.")] = 5,
    margin: Annotated[float, Least(0.0, "Of the target, before the flipping.")] = 0.02,
    updates: Annotated[int, Least(1, "Of the pocket.")] = 100,
    repeats: Annotated[int, Least(1, "Sets of points for each probability.")] = 10,
) -> Findings:
    """Begin at zero and at the regression line, on the same points."""
    found = []
    for flip, seeds in runs.each(flips, repeats):
        counts = []
        for seed in seeds:
            X, y, _, _ = make_noisy(rows, columns, margin, seed=seed, flip=flip)
            if abs(y.sum()) == y.size:
                continue
            walks = [
                Perceptron(init=init, max_iter=None).fit(X, y).n_updates_ if flip == 0.0 else np.nan
                for init in (None, "regression")
            ]
            pocket = partial(Pocket, max_updates=updates, random_state=state_of(seed))
            pockets = [pocket(init=init).fit(X, y).n_errors_ for init in (None, "regression")]
            line = LinearRegressionClassifier().fit(X, y)
            wrong = int(np.sum(line.predict(X) != y))
            counts.append([*walks, *pockets, wrong])
        means = [None if np.isnan(a) else float(a) for a in np.mean(counts, axis=0)]
        found.append((flip, *means))
    better = mean([(row[4] or 0.0) <= (row[3] or 0.0) for row in found])
    return Findings(
        f"{rows} points in {columns} dimensions, margin {margin:g} before labels are turned "
        f"round; the pocket makes {updates} updates.",
        found,
        "Begun at the regression line, the pocket ends with no more mistakes than from zero in "
        f"{100 * better:.0f} % of the rows of this table.",
    )


KIND = Kind(
    "warm-start", "Regression as the start of PLA and pocket, against zero.",
    COLUMNS, run,
)  # fmt: skip
