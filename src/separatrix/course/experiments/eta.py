"""Gradient descent by steps too small, right, too large, in proportion to |grad| (lecture 10)."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np

from separatrix.course.datasets import make_noisy
from separatrix.course.experiments.kind import Column, Findings, Kind, Least, Runs
from separatrix.data import Floats
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners.gradient_descent import GradientDescent
from separatrix.learners.logistic_regression import LogisticRegression

STEPS = ("unit", "gradient")
PROPORTIONAL = 1  # the place of "gradient"
ETAS = (0.01, 0.1, 1.0, 10.0)
UPDATES = (0, 1, 3, 10, 30, 100, 300, 1000)
COLUMNS = (
    Column("proportional", "1: the step is eta |grad|; 0: it is eta, whatever |grad| is"),
    Column("eta", "the learning rate"),
)


def run(
    runs: Runs,
    *,
    etas: Annotated[tuple[float, ...], Least(1e-300, "Learning rates.")] = ETAS,
    updates: Annotated[tuple[int, ...], Least(0, "When to look at E_in.")] = UPDATES,
    rows: Annotated[int, Least(2, "N.")] = 300,
    columns: Annotated[int, Least(1, "d.")] = 2,
    flip: Annotated[float, Least(0.0, "Probability that a label is turned round.")] = 0.1,
) -> Findings:
    """Descend on the cross-entropy with every eta, as a fixed step and as a fixed rate."""
    X, y, _, _ = make_noisy(rows, columns, 0.0, seed=runs.seed, flip=flip)
    X, signs = X / np.abs(X).max(), y.astype(np.float64)
    best = LogisticRegression().fit(X, y)
    least = _cross_entropy(X, signs, np.append(best.intercept_, best.coef_))
    updates = tuple(sorted(set(updates)))
    found = []
    for (k, step), each in runs.each(tuple(enumerate(STEPS)), len(etas)):
        for eta, _ in zip(etas, each, strict=True):
            found.append((k, eta, *_descent(X, signs, step, eta, updates)))
    shown = tuple(
        Column(f"after {t}", "E_in (cross-entropy) after so many updates") for t in updates
    )
    ends = {(row[0], row[1]): row[-1] for row in found}
    winner = min(ends, key=lambda key: ends[key])
    return Findings(
        f"Gradient descent on the cross-entropy of {rows} points in {columns} dimensions, "
        f"labels turned round with probability {flip:g}. The least E_in of any line is "
        f"{least:.6f} (certified to a relative {best.tol:g}).",
        found,
        f"Nearest after {updates[-1]} updates: eta = {winner[1]:g}, "
        + ("in proportion to |grad|" if winner[0] == PROPORTIONAL else "as a fixed step")
        + f", {ends[winner] - least:.2g} above the least. A fixed step goes on jumping over "
        "the minimum, eta far; E_in is convex, so no eta ends in a local minimum.",
        shown,
        {"updates": list(updates), "least E_in": least},
    )


def _descent(X: Floats, y: Floats, step: str, eta: float, updates: tuple[int, ...]) -> list[float]:
    """Return E_in after each of these numbers of updates, in one walk."""
    w, done, values = np.zeros(X.shape[1] + 1), 0, []
    for t in updates:
        if t > done:
            learner = GradientDescent(
                learning_rate=eta, step=step, max_updates=t - done, init=w.copy()
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConvergedWarning)  # that is the experiment
                learner.fit(X, y)
            w, done = np.append(learner.intercept_, learner.coef_), t
        values.append(_cross_entropy(X, y, w))
    return values


def _cross_entropy(X: Floats, y: Floats, w: Floats) -> float:
    return float(np.logaddexp(0.0, -y * (X @ w[1:] + w[0])).mean())


KIND = Kind(
    "eta", "Learning rates too small, right and too large; a fixed step against one in proportion.",
    COLUMNS, run,
)  # fmt: skip
