"""The pocket as separatrix walks it, and as everybody writes it: ten lines of NumPy, same path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import separatrix
from benchmarks.answer import Answer, Run
from benchmarks.data import Floats, Problem
from benchmarks.timing import timed_pass
from separatrix.learners._parameters import generator

SEED = 0
FIRST = 100  # updates taken off: fewer than 16 of ours are walked by another kernel


@dataclass(frozen=True)
class OursUpdates:
    """An update of the pocket, averaged over many: reading the input is not counted."""

    updates: int
    visit: str
    name: str = "separatrix"
    imports: str = "from separatrix import Pocket"

    def prepare(self, problem: Problem) -> Run:
        def fit(updates: int) -> separatrix.Pocket:
            model = separatrix.Pocket(max_updates=updates, visit=self.visit, random_state=SEED)
            return model.fit(problem.X, problem.y)

        def run() -> Answer:
            model, seconds, whole = timed_pass(fit, self.updates, FIRST)
            pocket = np.append(model.intercept_, model.coef_[0])
            last = np.append(model.last_intercept_, model.last_coef_[0])
            return Answer(pocket, seconds, whole, work=_work(model.n_updates_, last))

        return run


@dataclass(frozen=True)
class NaiveUpdates:
    """One product with all rows at each update; the rows (1, x) are made beforehand, not timed."""

    updates: int
    visit: str
    name: str = "naive NumPy"
    imports: str = "import numpy"

    def prepare(self, problem: Problem) -> Run:
        rows = np.column_stack((np.ones(problem.y.size), problem.X))
        draws = generator(SEED).random(FIRST + self.updates)  # those of ours
        walk = {"random": _at_random, "cyclic": _cyclic}[self.visit]

        def run() -> Answer:
            found, seconds, whole = timed_pass(
                lambda k: walk(rows, problem.y, draws, k), self.updates, FIRST
            )
            pocket, last, made = found
            return Answer(pocket, seconds, whole, work=_work(made, last))

        return run


def _at_random(rows: Floats, y: Floats, draws: Floats, most: int) -> tuple[Floats, Floats, int]:
    """Return the pocket, the walking weights, and the updates made."""
    w = pocket = np.zeros(rows.shape[1])
    best = np.inf
    for t in range(most + 1):
        wrong = np.flatnonzero(y * (rows @ w) <= 0.0)
        if wrong.size < best:
            best, pocket = wrong.size, w.copy()
        if wrong.size == 0 or t == most:
            break
        i = wrong[int(draws[t] * wrong.size)]
        w = w + y[i] * rows[i]
    return pocket, w, t


def _cyclic(rows: Floats, y: Floats, draws: Floats, most: int) -> tuple[Floats, Floats, int]:  # noqa: ARG001
    """Return the same for the next mistake in the order of the rows."""
    w = pocket = np.zeros(rows.shape[1])
    best, position = np.inf, 0
    for t in range(most + 1):
        wrong = np.flatnonzero(y * (rows @ w) <= 0.0)
        if wrong.size < best:
            best, pocket = wrong.size, w.copy()
        if wrong.size == 0 or t == most:
            break
        i = wrong[np.searchsorted(wrong, position) % wrong.size]
        w = w + y[i] * rows[i]
        position = i + 1
    return pocket, w, t


def _work(updates: int, last: Floats) -> str:
    """Return what shows that two walks are one: their updates, and where they stand in the end."""
    return f"{updates} updates, to |w| = {np.linalg.norm(last):.9g}"
