"""The table of what is measured: one row each. A new peer is one more entry in `peers`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from benchmarks.adapters import numpy_steps, ours, pockets, scikit_learn, scipy_highs
from benchmarks.answer import Adapter
from benchmarks.data import Problem, Table


@dataclass(frozen=True)
class Task:
    """One question on one table, for ours and for its peers.

    Parameters
    ----------
    objective : which error measure is reported beside the time (a key of `judging.OBJECTIVES`)
    """

    name: str
    table: Table
    ours: Adapter
    peers: Sequence[Adapter]
    objective: str

    def problem(self, seed: int) -> Problem:
        """Return the table of this seed: the same whichever other tasks are run."""
        return self.table.draw(np.random.default_rng([seed, crc32(self.name.encode())]))


def one_pass(name: str, table: Table, passes: int) -> Task:
    """Return the seconds of one pass of PLA over rows in order, averaged over `passes` of them."""
    peers = [scikit_learn.OnePass(passes)]
    return Task(f"pass {name}", table, ours.OnePass(passes), peers, "perceptron error")


def gradient_step(name: str, table: Table, steps: int) -> Task:
    """Return the seconds of one step of batch gradient descent, averaged over `steps` of them."""
    peers = [numpy_steps.GradientStep(steps)]
    return Task(f"gradient {name}", table, ours.GradientStep(steps), peers, "cross entropy")


def pocket(name: str, table: Table, updates: int, visit: str = "random") -> Task:
    """Return the seconds of one update of the pocket, averaged over `updates` of them."""
    peers = [pockets.NaiveUpdates(updates, visit)]
    return Task(
        f"pocket {name}", table, pockets.OursUpdates(updates, visit), peers, "perceptron error"
    )


def separation(name: str, table: Table) -> Task:
    """Return the seconds from data to a separating line; ours is verified."""
    peers = [scikit_learn.FewestPasses(), scikit_learn.AsItComes()]
    return Task(f"separation {name}", table, ours.Perceptron(), peers, "perceptron error")


def separability(name: str, table: Table) -> Task:
    """Return the seconds to a verdict; ours with its exact proof."""
    peers = [scipy_highs.LargestLeastScore(), scipy_highs.Feasible()]
    return Task(f"separability {name}", table, ours.Separability(), peers, "least agreement")


def clean(n: int, d: int) -> Table:
    """Return rows with one contradiction: no pass is clean, and nearly all of one is reading."""
    return Table(n, d, margin=0.05, contradiction=True)


def noisy(n: int, d: int) -> Table:
    """Return rows of which every pass corrects a good part."""
    return Table(n, d, noise=0.1, contradiction=True)


TINY = [
    one_pass("200x2", clean(200, 2), 1000),
    gradient_step("200x2", noisy(200, 2), 1000),
    pocket("200x2", noisy(200, 2), 1000),
    pocket("200x2 cyclic", noisy(200, 2), 1000, "cyclic"),
    separation("200x2", Table(200, 2, margin=0.2)),
    separability("200x2", Table(200, 2, margin=0.1)),
    separability("200x2 overlapping", Table(200, 2, noise=0.1)),
]
SMALL = [
    one_pass("1e5x2", clean(100_000, 2), 60),
    one_pass("1e5x10", clean(100_000, 10), 40),
    one_pass("1e5x100", clean(100_000, 100), 12),
    one_pass("1e5x10 noisy", noisy(100_000, 10), 10),
    gradient_step("1e5x20", noisy(100_000, 20), 40),
    gradient_step("1e5x100", noisy(100_000, 100), 12),
    pocket("400x5", noisy(400, 5), 50_000),
    pocket("1e4x5", noisy(10_000, 5), 5_000),
    pocket("1e5x50", noisy(100_000, 50), 1_000),
    pocket("400x5 cyclic", noisy(400, 5), 50_000, "cyclic"),
    pocket("1e4x5 cyclic", noisy(10_000, 5), 5_000, "cyclic"),
    pocket("1e5x50 cyclic", noisy(100_000, 50), 1_000, "cyclic"),
    separation("1e4x2 margin 0.001", Table(10_000, 2, margin=0.001, pinned=0.1)),
    separation("1e5x10 margin 0.1", Table(100_000, 10, margin=0.1)),
    separation("1e5x10 margin 0.01", Table(100_000, 10, margin=0.01)),
    separation("1e4x100 margin 0.05", Table(10_000, 100, margin=0.05)),
    separability("1e4x10", Table(10_000, 10, margin=0.05)),
    separability("1e4x10 overlapping", Table(10_000, 10, noise=0.1)),
    separability("1e5x10", Table(100_000, 10, margin=0.05)),
    separability("1e5x10 overlapping", Table(100_000, 10, noise=0.1)),
    # below HiGHS's tolerance: a float "no" is no proof
    separability("2e3x5 margin 1e-9", Table(2_000, 5, margin=1e-9, pinned=0.5)),
]
FULL = [
    *SMALL,
    one_pass("1e4x1000", clean(10_000, 1_000), 12),
    one_pass("1e5x2 noisy", noisy(100_000, 2), 20),
    gradient_step("1e6x20", noisy(1_000_000, 20), 12),
    separation("1e6x10 margin 0.1", Table(1_000_000, 10, margin=0.1)),
    separability("1e4x10 barely overlapping", Table(10_000, 10, margin=0.05, noise=0.0005)),
    separability("1e4x50", Table(10_000, 50, margin=0.05)),
]
SIZES = {"tiny": TINY, "small": SMALL, "full": FULL}


def chosen(size: str, only: Sequence[str]) -> list[Task]:
    """Return the tasks of a size whose name contains one of `only`; all when that is empty."""
    return [t for t in SIZES[size] if not only or any(part in t.name for part in only)]
