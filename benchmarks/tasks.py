"""The table of what is measured: one row each. A new peer is one more entry in `peers`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from benchmarks.adapters import (
    glum,
    highspy,
    liblinear,
    mlxtend,
    numpy_steps,
    onedal,
    ours,
    pockets,
    river,
    scikit_learn,
    scipy_highs,
    scipy_lstsq,
    skglm,
    statsmodels,
    vowpal_wabbit,
)
from benchmarks.answer import Adapter
from benchmarks.data import (
    BreastCancer,
    Cascade,
    Draws,
    Likely,
    Numbers,
    OneHot,
    Problem,
    RareOneHot,
    SparseTable,
    SplitOneHot,
    Table,
    Wide,
    Words,
)
from benchmarks.judging import LEAST, SQUARED

ONE_FIT = "one certified fit"
LIMIT = 30.0  # seconds: some peers take minutes on thousands of levels
DENSE = 5_000_000  # numbers of a one-hot table that is still handed on as a dense one


@dataclass(frozen=True)
class Task:
    """One question on one table, for ours and for its peers.

    Parameters
    ----------
    objective : which error measure is reported beside the time (a key of `judging.OBJECTIVES`)
    beside : for comparison: measured as the peers are, but nobody's answer
    limit : seconds that a peer may take to prepare and to answer once; None for no limit
    """

    name: str
    table: Draws
    ours: Adapter
    peers: Sequence[Adapter]
    objective: str
    beside: Sequence[Adapter] = ()
    limit: float | None = None

    def problem(self, seed: int) -> Problem:
        """Return the table of this seed: the same whichever other tasks are run."""
        return self.table.draw(np.random.default_rng([seed, crc32(self.name.encode())]))


def one_pass(name: str, table: Table, passes: int, *more: Adapter) -> Task:
    """Return the seconds of one pass of PLA over rows in order, averaged over `passes` of them."""
    peers = [scikit_learn.OnePass(passes), *more]
    return Task(f"pass {name}", table, ours.OnePass(passes), peers, "perceptron error")


def one_sparse_pass(name: str, table: Draws, passes: int) -> Task:
    """As `one_pass`, without an intercept, so that the peer walks as ours does."""
    peers = [scikit_learn.OnePass(passes, fit_intercept=False)]
    own = ours.OnePass(passes, fit_intercept=False)
    return Task(f"pass {name}", table, own, peers, "perceptron error")


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


def separability(name: str, table: Draws) -> Task:
    """Return the seconds to a verdict; ours with its exact proof."""
    peers = [scipy_highs.LargestLeastScore(), scipy_highs.Feasible(), highspy.Feasible()]
    return Task(f"separability {name}", table, ours.Separability(), peers, "least agreement")


def separability_alone(name: str, table: Draws) -> Task:
    """Return the same where the linear program on all rows takes minutes, or means nothing."""
    return Task(f"separability {name}", table, ours.Separability(), [], "least agreement")


def separability_one_hot(name: str, table: OneHot) -> Task:
    """Return the same for categories, beside the sparse linear program of detectseparation."""
    methods = ("", "highs-ds", "highs-ipm")
    peers: list[Adapter] = [scipy_highs.DetectSeparation(method) for method in methods]
    own = ours.ExactVerdict()
    return Task(f"separability {name} levels", table, own, peers, "least agreement", limit=LIMIT)


def by_exact_simplex(name: str, table: Cascade) -> Task:
    """Return the same where nothing but the exact simplex method tells; floats mean nothing."""
    return Task(f"simplex {name}", table, ours.ExactVerdict(), [], "least agreement")


def fewest(name: str, table: Table) -> Task:
    """Return the seconds to the fewest mistakes, and apart from them those of proof and check.

    No peer that installs finds them.
    """
    return Task(f"fewest {name}", table, ours.FewestMistakes(), [], "perceptron error")


def fewest_limited(name: str, table: Table, nodes: int) -> Task:
    """Return the seconds of so many boxes: the same work on any machine, with any threads."""
    adapter = ours.FewestMistakes(seconds=None, nodes=nodes)
    return Task(f"fewest {name}, limited", table, adapter, [], "perceptron error")


def least_squares(name: str, table: Numbers) -> Task:
    """Return the seconds from data to the least-squares line."""
    beside = [numpy_steps.NormalEquations()]
    peers = least_squares_peers()
    return Task(f"least squares {name}", table, ours.LeastSquares(), peers, SQUARED, beside)


def least_squares_peers() -> list[Adapter]:
    """Return everybody who solves least squares; also asked for their digits in `nist`."""
    return [
        scikit_learn.LeastSquares(),
        scikit_learn.LeastSquares(tol=0.0, name="scikit-learn tol=0"),
        numpy_steps.LeastSquares(),
        scipy_lstsq.Pivoted(),
        statsmodels.LeastSquares("qr"),
        statsmodels.LeastSquares("pinv"),
        glum.LeastSquares(),
        onedal.LeastSquares(),
    ]


def logistic(name: str, table: Likely) -> Task:
    """Return the seconds from data to a line whose error is within 1e-8 of the least."""
    peers: list[Adapter] = [
        scikit_learn.Logistic("lbfgs"),
        scikit_learn.Logistic("newton-cholesky"),
        scikit_learn.Logistic("newton-cg"),
        scikit_learn.Logistic("liblinear"),
        liblinear.Logistic(),
        glum.Logistic(),
        skglm.Newton(),
        onedal.Logistic(),
    ]
    if np.isinf(table.C):
        peers += [statsmodels.Logistic(), skglm.Lbfgs()]
    return Task(f"logistic {name}", table, ours.Logistic(), peers, LEAST)


def intervals(name: str, table: Likely) -> Task:
    """Return the seconds to all proven likelihood intervals, beside one certified fit."""
    beside = [ours.Logistic(name=ONE_FIT)]
    return Task(f"intervals {name}", table, ours.Intervals(), [], LEAST, beside)


def logistic_scaled(name: str, table: Likely) -> Task:
    """Return the same where every column has a unit of its own, beside ours where they have one.

    First-order methods take minutes here: one of them stands for all.
    """
    peers: list[Adapter] = [
        scikit_learn.Logistic("lbfgs"),
        scikit_learn.Logistic("newton-cholesky"),
        glum.Logistic(),
        statsmodels.Logistic(),
    ]
    beside = [ours.LogisticStandardised()]
    return Task(f"logistic {name} scaled", table, ours.Logistic(), peers, LEAST, beside)


def logistic_converted(name: str, table: Likely) -> Task:
    """Return the same where some columns come twice, in two units, beside ours where they do not.

    They are collinear but for rounding.
    """
    peers: list[Adapter] = [
        scikit_learn.Logistic("lbfgs"),
        scikit_learn.Logistic("newton-cholesky"),
        glum.Logistic(),
        statsmodels.Logistic(),
    ]
    beside = [ours.LogisticUnconverted()]
    return Task(f"logistic {name} two units", table, ours.Logistic(), peers, LEAST, beside)


def logistic_sparse(name: str, table: Words) -> Task:
    """Return the same for sparse tables: peers that form no square of the columns."""
    peers: list[Adapter] = [
        scikit_learn.Logistic("lbfgs"),
        scikit_learn.Logistic("newton-cg"),
        scikit_learn.Logistic("liblinear"),
        liblinear.Logistic(),
        glum.Logistic("lbfgs"),
        skglm.Newton(),
        onedal.Logistic(),
    ]
    return Task(f"logistic {name} sparse C=1", table, ours.Logistic(), peers, LEAST)


def logistic_one_hot(name: str, table: OneHot) -> Task:
    """Return the same for categories; statsmodels gets it dense, and only where that is small."""
    peers: list[Adapter] = [
        scikit_learn.Logistic("lbfgs"),
        scikit_learn.Logistic("newton-cholesky"),
        scikit_learn.Logistic("newton-cg"),
        glum.Logistic(),
        glum.Logistic(categorical=True),
    ]
    if np.isinf(table.C) and table.n * sum(table.levels) <= DENSE:
        peers.append(statsmodels.Logistic())
    penalty = "" if np.isinf(table.C) else " C=1"
    name = f"logistic {name} levels{penalty}"
    return Task(name, table, ours.Logistic(), peers, LEAST, limit=LIMIT)


def least_squares_one_hot(name: str, table: OneHot) -> Task:
    """Return the seconds from categories to the least-squares line."""
    peers: list[Adapter] = [
        scikit_learn.LeastSquares(),
        numpy_steps.LeastSquares(),
        statsmodels.LeastSquares("qr"),
        glum.LeastSquares(),
    ]
    name = f"least squares {name} levels"
    return Task(name, table, ours.LeastSquares(), peers, SQUARED, limit=LIMIT)


def logistic_wide(name: str, table: Wide) -> Task:
    """Return the same for fewer rows than columns, with a penalty: without one there is no fit."""
    peers: list[Adapter] = [
        scikit_learn.Logistic("lbfgs"),
        scikit_learn.Logistic("newton-cg"),
        liblinear.Logistic(),
    ]
    return Task(f"logistic {name} wide C=1", table, ours.Logistic(), peers, LEAST)


def clean(n: int, d: int) -> Table:
    """Return rows with one contradiction: no pass is clean, and nearly all of one is reading."""
    return Table(n, d, margin=0.05, contradiction=True)


def noisy(n: int, d: int) -> Table:
    """Return rows of which every pass corrects a good part."""
    return Table(n, d, noise=0.1, contradiction=True)


TINY = [
    one_pass("200x2", clean(200, 2), 1000),
    one_sparse_pass("200x50 sparse", SparseTable(200, 50, 5), 200),
    gradient_step("200x2", noisy(200, 2), 1000),
    pocket("200x2", noisy(200, 2), 1000),
    pocket("200x2 cyclic", noisy(200, 2), 1000, "cyclic"),
    separation("200x2", Table(200, 2, margin=0.2)),
    separability("200x2", Table(200, 2, margin=0.1)),
    separability("200x2 overlapping", Table(200, 2, noise=0.1)),
    by_exact_simplex("18x8 touching", Cascade(8, 0)),
    fewest_limited("60x3", Table(60, 3, noise=0.1), 100),
    fewest("200x2", Table(200, 2, noise=0.1)),
    least_squares("200x2", Numbers(200, 2)),
    logistic("200x2", Likely(200, 2)),
    logistic("200x2 C=1", Likely(200, 2, C=1.0)),
    logistic_converted("200x2", Likely(200, 2, converted=1)),
    logistic_sparse("200x50", Words(200, 50, 5)),
    logistic_one_hot("1000x130", OneHot(1_000, (130,))),
    least_squares_one_hot("1000x130", OneHot(1_000, (130,))),
    separability_one_hot("1000x130 overlapping", OneHot(1_000, (130,))),
    separability_one_hot("1000x130 separable", SplitOneHot(1_000, (130,))),
    separability_one_hot("1000x130 touching", RareOneHot(1_000, (130,))),
    logistic_wide("20x40", Wide(20, 40, C=1.0)),
    separability_alone("20x40 wide", Wide(20, 40)),
]
SMALL = [
    one_pass("1e5x2", clean(100_000, 2), 60),
    one_pass("1e5x10", clean(100_000, 10), 40, vowpal_wabbit.OnePass()),
    one_pass("1e5x100", clean(100_000, 100), 12),
    one_pass("1e5x10 noisy", noisy(100_000, 10), 10),
    # a row costs them so much that few are enough
    one_pass("2e3x10", clean(2_000, 10), 500, mlxtend.OnePass(), river.OnePass()),
    one_sparse_pass("1e5x1e5 sparse", SparseTable(100_000, 100_000, 70), 10),
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
    separability("breast cancer", BreastCancer()),
    fewest("1e5x2", Table(100_000, 2, noise=0.1)),
    fewest("1e5x3", Table(100_000, 3, noise=0.1)),
    fewest("500x2", Table(500, 2, noise=0.1)),
    least_squares("1e5x20", Numbers(100_000, 20)),
    logistic("1e5x20", Likely(100_000, 20)),
    logistic("1e5x20 C=1", Likely(100_000, 20, C=1.0)),
    intervals("1e5x20", Likely(100_000, 20)),
    logistic_scaled("1e5x20", Likely(100_000, 20, scaled=True)),
    logistic_converted("1e5x20", Likely(100_000, 20, converted=5)),
    logistic_one_hot("4e3x30", OneHot(4_000, (30,))),
    logistic_one_hot("4e3x100", OneHot(4_000, (100,))),
    logistic_one_hot("8e3x300", OneHot(8_000, (300,))),
    logistic_one_hot("8e3x600", OneHot(8_000, (600,))),
    logistic_one_hot("8e3x600", OneHot(8_000, (600,), C=1.0)),
    least_squares_one_hot("8e3x600", OneHot(8_000, (600,))),
    separability_one_hot("4e3x30 overlapping", OneHot(4_000, (30,))),
    separability_one_hot("4e3x100 overlapping", OneHot(4_000, (100,))),
    separability_one_hot("8e3x300 overlapping", OneHot(8_000, (300,))),
    separability_one_hot("8e3x600 overlapping", OneHot(8_000, (600,))),
    separability_one_hot("8e3x600 touching", RareOneHot(8_000, (600,))),
    separability_one_hot("8e3x600 separable", SplitOneHot(8_000, (600,))),
    separability_one_hot("4e3x100+30+10 overlapping", OneHot(4_000, (100, 30, 10))),
    logistic_wide("400x1500", Wide(400, 1_500, C=1.0)),
    separability_alone("400x1500 wide", Wide(400, 1_500)),
]
FULL = [
    *SMALL,
    one_pass("1e4x1000", clean(10_000, 1_000), 12),
    one_pass("1e5x2 noisy", noisy(100_000, 2), 20),
    gradient_step("1e6x20", noisy(1_000_000, 20), 12),
    separation("1e6x10 margin 0.1", Table(1_000_000, 10, margin=0.1)),
    separability("1e4x10 barely overlapping", Table(10_000, 10, margin=0.05, noise=0.0005)),
    separability("1e6x10", Table(1_000_000, 10, margin=0.05)),
    separability_alone("1e6x50", Table(1_000_000, 50, margin=0.05)),
    separability_alone("1e6x50 overlapping", Table(1_000_000, 50, noise=0.1)),
    # narrower than doubles tell apart
    separability_alone("500x50 margin 1e-12", Table(500, 50, margin=1e-12, pinned=0.9)),
    by_exact_simplex("102x50 separable", Cascade(50, 1)),
    by_exact_simplex("102x50 touching", Cascade(50, 0)),
    by_exact_simplex("102x50 overlapping", Cascade(50, -1)),
    by_exact_simplex("502x50 separable", Cascade(50, 1, more=200)),
    by_exact_simplex("502x50 touching", Cascade(50, 0, more=200)),
    by_exact_simplex("502x50 overlapping", Cascade(50, -1, more=200)),
    fewest("5000x5, 10 %", Table(5_000, 5, noise=0.1)),
    fewest("1000x5, 10 %", Table(1_000, 5, noise=0.1)),
    fewest("1000x8, 2 %", Table(1_000, 8, noise=0.02)),
    fewest_limited("1000x8, 5 %", Table(1_000, 8, noise=0.05), 100_000),
    fewest("1000x8, 10 %", Table(1_000, 8, noise=0.1)),
    fewest("1000x10, 2 %", Table(1_000, 10, noise=0.02)),
    fewest("1000x20, 1 %", Table(1_000, 20, noise=0.01)),
    separability("1e4x50", Table(10_000, 50, margin=0.05)),
    least_squares("1e6x20", Numbers(1_000_000, 20)),
    least_squares("1e5x200", Numbers(100_000, 200)),
    least_squares("2e4x1000", Numbers(20_000, 1_000)),
    logistic("1e6x20", Likely(1_000_000, 20)),
    logistic("1e5x200", Likely(100_000, 200)),
    logistic("2e4x1000", Likely(20_000, 1_000)),
    logistic_sparse("1e5x1e5", Words(100_000, 100_000, 70)),
    logistic_one_hot("2e4x1500", OneHot(20_000, (1_500,))),
    logistic_one_hot("2e4x3000", OneHot(20_000, (3_000,))),
    logistic_one_hot("2e4x3000+500+50", OneHot(20_000, (3_000, 500, 50))),
    logistic_one_hot("2e4x3000+500+50", OneHot(20_000, (3_000, 500, 50), C=1.0)),
    *(
        separability_one_hot(f"2e4x{'+'.join(map(str, levels))} {kind}", draw(20_000, levels))
        for levels in ((3_000,), (3_000, 500, 50))
        for kind, draw in (
            ("overlapping", OneHot),
            ("touching", RareOneHot),
            ("separable", SplitOneHot),
        )
    ),
    *(
        task
        for name, n, d in (("1000x5000", 1_000, 5_000), ("200x20000", 200, 20_000))
        for task in (
            logistic_wide(name, Wide(n, d, C=1.0)),
            separability_alone(f"{name} wide", Wide(n, d)),
        )
    ),
]
WHOLE = [  # as long again: large tables with a penalty, where the same peers come in the same order
    *FULL,
    logistic("1e6x20 C=1", Likely(1_000_000, 20, C=1.0)),
    logistic("1e5x200 C=1", Likely(100_000, 200, C=1.0)),
    logistic("2e4x1000 C=1", Likely(20_000, 1_000, C=1.0)),
]
SIZES = {"tiny": TINY, "small": SMALL, "full": FULL, "whole": WHOLE}


def chosen(size: str, only: Sequence[str]) -> list[Task]:
    """Return the tasks of a size whose name contains one of `only`; all when that is empty."""
    return [t for t in SIZES[size] if not only or any(part in t.name for part in only)]
