"""T, the updates that PLA makes, beside (R / rho)^2, the updates that it can make (lecture 2)."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from separatrix.certificates import mistake_bound
from separatrix.course.datasets import make_separable
from separatrix.course.experiments.kind import Column, Findings, Kind, Least, Runs, mean
from separatrix.learners.perceptron import Perceptron
from separatrix.separation.decide import separability

MARGINS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
COLUMNS = (
    Column("margin", "of the target, at least, in (1, x)"),
    Column("T", "updates, in the mean over the repeats"),
    Column("largest T", "of the repeats"),
    Column("bound of the target", "floor(R^2 / rho^2) with the target's margin, in the mean"),
    Column("best bound", "the same with the largest margin that was proven, in the mean"),
    Column("T / best bound", "in the mean"),
    Column("above its bound", "repeats in which T exceeds it: the theorem says none"),
)


def run(
    runs: Runs,
    *,
    margins: Annotated[tuple[float, ...], Least(0.0, "Margins of the target.")] = MARGINS,
    rows: Annotated[int, Least(2, "N.")] = 100,
    columns: Annotated[int, Least(1, "d.")] = 2,
    repeats: Annotated[int, Least(1, "Sets of points for each margin.")] = 20,
) -> Findings:
    """Run PLA on points of known margin."""
    found = []
    for margin, seeds in runs.each(margins, repeats):
        updates, of_target, best = [], [], []
        for seed in seeds:
            X, y, target = make_separable(rows, columns, margin, seed=seed)
            pla = Perceptron(max_iter=None).fit(X, y)
            updates.append(pla.n_updates_)
            bound = mistake_bound(X, y, target)
            of_target.append(bound)
            best.append(min(separability(X, y).mistake_bound or bound, bound))
        ratio = np.asarray(updates, np.float64) / np.asarray(best, np.float64)
        above = sum(t > b for t, b in zip(updates, best, strict=True))
        means = mean(of_target), mean(best), mean(ratio)
        found.append((margin, mean(updates), max(updates), *means, above))
    above = sum(row[-1] for row in found)
    return Findings(
        f"PLA from zero, rows in their order, on {rows} points in {columns} dimensions whose "
        "target has at least the margin asked for.",
        found,
        f"T exceeded floor(R^2 / rho^2) in {above} of {len(margins) * repeats} runs. In the "
        f"mean it was {100 * mean([row[5] for row in found]):.1f} % of the best bound: "
        "the proof is about the worst order of the worst rows.",
    )


KIND = Kind(
    "bound", "PLA's updates T against floor(R^2 / rho^2), as the margin shrinks.",
    COLUMNS, run,
)  # fmt: skip
