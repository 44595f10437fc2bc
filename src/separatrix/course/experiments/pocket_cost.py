"""What the pocket costs on data that PLA would separate anyway (lecture 2)."""

from __future__ import annotations

from typing import Annotated

from separatrix.clock import work_clock
from separatrix.course.datasets import make_separable
from separatrix.course.experiments.kind import Column, Findings, Kind, Least, Runs, mean, state_of
from separatrix.learners.perceptron import Perceptron
from separatrix.learners.pocket import Pocket

MOST_UPDATES = 1_000_000
ROWS = (100, 300, 1000, 3000, 10_000)
COLUMNS = (
    Column("N", "rows"),
    Column("T", "updates of PLA until it separates, in the mean"),
    Column("PLA rows", "rows that PLA looks at: its passes times N, in the mean"),
    Column("pocket T", "updates of the pocket until a line makes no mistake, in the mean"),
    Column("pocket rows", "rows that a textbook's pocket looks at: each w on all rows"),
    Column("pocket mistakes", "left when its updates were spent, in the mean"),
    Column("PLA ms", "of this machine, in the mean", timed=True),
    Column("pocket ms", "of this machine, in the mean", timed=True),
)


def run(
    runs: Runs,
    *,
    rows: Annotated[tuple[int, ...], Least(2, "Sizes N.")] = ROWS,
    columns: Annotated[int, Least(1, "d.")] = 5,
    margin: Annotated[float, Least(0.0, "Of the target.")] = 0.1,
    repeats: Annotated[int, Least(1, "Sets of points for each size.")] = 5,
) -> Findings:
    """Let both walk on the same separable points until they make no mistake."""
    found = []
    X, y, _ = make_separable(2, columns, margin, seed=runs.seed)
    for learner in (Perceptron(), Pocket(random_state=0)):
        _timed(learner, X, y)  # their kernels are loaded now
    for n, seeds in runs.each(rows, repeats):
        figures = []
        for seed in seeds:
            X, y, _ = make_separable(n, columns, margin, seed=seed)
            pla, pla_time = _timed(Perceptron(max_iter=None), X, y)
            pocket, pocket_time = _timed(
                Pocket(max_updates=MOST_UPDATES, random_state=state_of(seed)), X, y
            )
            cost = pocket.n_updates_, (pocket.n_updates_ + 1) * n, pocket.n_errors_
            figures.append((pla.n_updates_, pla.n_iter_ * n, *cost, pla_time, pocket_time))
        found.append((n, *(mean(column) for column in zip(*figures, strict=True))))
    ratio = mean([row[4] / row[2] for row in found])
    return Findings(
        f"Points in {columns} dimensions with margin {margin:g}; PLA visits rows in their "
        "order, the pocket random mistakes, and judges every w on all rows.",
        found,
        f"A textbook's pocket looks at {ratio:.0f} times as many rows as PLA, in the mean over "
        "the sizes, for lines that are no better: PLA's make no mistake, the pocket's "
        f"{mean([row[5] for row in found]):g}.",
    )


def _timed(learner: Perceptron | Pocket, X: object, y: object) -> tuple[Perceptron | Pocket, float]:
    started = work_clock()
    learner.fit(X, y)
    return learner, 1000.0 * (work_clock() - started)


KIND = Kind(
    "pocket-cost", "Pocket against PLA on separable points: rows looked at, and time.",
    COLUMNS, run,
)  # fmt: skip
