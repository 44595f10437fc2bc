"""The bars: what has to be shown, how much of it, and which measurement says so.

A bar reads the plain data of a run, so that a file written earlier gives the same table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RunData = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """Parameters: what was measured, None where it was not; against whom."""

    value: float | None
    whom: str = ""


NOTHING = Figure(None)
Reader = Callable[[RunData], Figure]


@dataclass(frozen=True)
class Bar:
    """One thing to show.

    Parameters
    ----------
    must, goal : the bar proper, and what is aimed at; more is better unless must > goal
    read : finds the figure in a run
    """

    name: str
    must: float
    goal: float
    read: Reader
    unit: str = "x"

    def reached(self, figures: Sequence[Figure]) -> str:
        """Return goal, must or no, by the worst of the seeds."""
        values = [f.value for f in figures]
        if not values or any(value is None for value in values):
            return "not measured"
        sign = 1.0 if self.goal >= self.must else -1.0
        worst = min(sign * value for value in values if value is not None)
        if worst >= sign * self.goal:
            return "goal"
        return "must" if worst >= sign * self.must else "NO"


def against_best(task: str) -> Reader:
    """Return how to find the time of the best right peer over ours."""

    def read(run: RunData) -> Figure:
        found = _task(run, task)
        if found is None or found["best_to_ours"] is None or not _ours_is_right(found):
            return NOTHING
        return Figure(found["best_to_ours"]["median"], found["best"])

    return read


def against(task: str, who: str) -> Reader:
    """Return how to find the time of somebody named over ours."""

    def read(run: RunData) -> Figure:
        entry = _entry(_task(run, task), who)
        return NOTHING if entry is None else Figure(entry["to_ours"]["median"], who)

    return read


def of_a_read(task: str) -> Reader:
    """Return how to find our time over one read of the matrix."""

    def read(run: RunData) -> Figure:
        found = _task(run, task)
        if found is None:
            return NOTHING
        return Figure(found["entries"][0]["to_floor"]["median"], "one read")

    return read


def digits(table: str) -> Reader:
    """Return how to find our correct digits on a table of NIST, and the most of anybody else."""

    def read(run: RunData) -> Figure:
        found = run.get("nist", {}).get(table)
        if not found:
            return NOTHING
        ours, *peers = found.items()
        most = max(peers, key=lambda named: named[1], default=("", 0.0))
        return Figure(ours[1], f"{most[0]} {most[1]:.1f}" if peers else "")

    return read


def first_fit(what: str) -> Reader:
    """Return how to find the seconds of a fresh process that fits once."""

    def read(run: RunData) -> Figure:
        fits = {f["what"]: f["seconds"]["median"] for f in run.get("starting", {}).get("fits", [])}
        if what not in fits:
            return NOTHING
        peer = fits.get(f"scikit-learn {what}")
        return Figure(fits[what], "" if peer is None else f"scikit-learn {peer:.2f} s")

    return read


def our_seconds(task: str, work: str = "") -> Reader:
    """Return how to find our own seconds, where what was done begins with these words."""

    def read(run: RunData) -> Figure:
        found = _task(run, task)
        if found is None or not _ours_is_right(found):
            return NOTHING
        mine = found["entries"][0]
        return Figure(mine["seconds"]["median"] if mine["work"].startswith(work) else math.inf)

    return read


def open_table(table: str, bound: str) -> Reader:
    """Return how to find a bound of the fewest mistakes of a table that nobody has closed."""

    def read(run: RunData) -> Figure:
        found = run.get("open tables", {}).get(table)
        return NOTHING if found is None else Figure(found[bound])

    return read


def firth_of(shape: str) -> Reader:
    """Return how to find the peer's time of a Firth regression with tests and ends over ours."""

    def read(run: RunData) -> Figure:
        found = run.get("firth", {}).get(shape)
        return NOTHING if found is None else Figure(found["to_ours"]["median"], "firthmodels")

    return read


def of_proof(what: str, figure: str) -> Reader:
    """Return how to find the size of a proof, or the seconds of checking it."""

    def read(run: RunData) -> Figure:
        task = _task(run, what)
        judged = {} if task is None else task["entries"][0]["judgement"]
        found = judged.get("proof") or run.get("proofs", {}).get(what)
        return NOTHING if found is None else Figure(found[figure])

    return read


def of_exact_test(what: str) -> Reader:
    """Return how to find the seconds of an exact test."""

    def read(run: RunData) -> Figure:
        found = run.get("exact tests", {}).get(what)
        return NOTHING if found is None else Figure(found)

    return read


def two_threads(task: str) -> Reader:
    """Return how to find the time of one thread over that of two."""

    def read(run: RunData) -> Figure:
        for found in run.get("threads", []):
            if found["task"] == task:
                return Figure(found["one_to_two"]["median"])
        return NOTHING

    return read


def _task(run: RunData, name: str) -> Mapping[str, Any] | None:
    return next((m for m in run.get("measurements", []) if m["task"] == name), None)


def _entry(found: Mapping[str, Any] | None, who: str) -> Mapping[str, Any] | None:
    return next((e for e in found["entries"] if e["who"] == who), None) if found else None


def _ours_is_right(found: Mapping[str, Any]) -> bool:
    return bool(found["entries"][0]["judgement"]["right"])


SKLEARN = "scikit-learn"
SHAPES = ("1e5x20", "1e6x20", "1e5x200", "2e4x1000")
SEPARATIONS = ("1e4x2 margin 0.001", "1e5x10 margin 0.1", "1e5x10 margin 0.01",
               "1e4x100 margin 0.05", "1e6x10 margin 0.1")  # fmt: skip

BARS = [
    *(
        Bar(f"PLA pass {shape}, / scikit-learn", must, goal, against(f"pass {shape}", SKLEARN))
        for shape, must, goal in (("1e5x2", 25, 60), ("1e5x10", 7, 18), ("1e5x100", 2.1, 3))
    ),
    *(
        Bar(f"PLA clean pass {shape}, reads of the matrix", must, goal, of_a_read(f"pass {shape}"))
        for shape, must, goal in (("1e5x2", 5, 1.5), ("1e5x10", 2.2, 1.3), ("1e5x100", 1.6, 1.1))
    ),
    Bar("PLA pass sparse 1e5x1e5, / scikit-learn", 1.4, 2.5, against_best("pass 1e5x1e5 sparse")),
    *(
        Bar(
            f"PLA to separation {shape}, / scikit-learn told its passes",
            5,
            15,
            against(f"separation {shape}", "scikit-learn, passes told"),
        )
        for shape in SEPARATIONS
    ),
    *(
        Bar(f"pocket {shape}, / naive NumPy", must, goal, against_best(f"pocket {shape}"))
        for shape, must, goal in (("400x5", 35, 100), ("1e4x5", 5, 20), ("1e5x50", 8, 16))
    ),
    *(
        Bar(f"least squares {s}, / scikit-learn", 7, 12, against(f"least squares {s}", SKLEARN))
        for s in SHAPES
    ),
    *(
        Bar(f"least squares {s}, / best peer", 1.2, 2, against_best(f"least squares {s}"))
        for s in SHAPES
    ),
    *(
        Bar(f"least squares on NIST {table}", must, goal, digits(table), " digits")
        for table, must, goal in (
            ("Filip", 7, 10),
            ("Wampler1", 9, 12),
            ("Wampler5", 5.5, 9),
            ("Longley", 11, 13),
        )
    ),
    *(
        Bar(
            f"logistic {shape}{penalty} to 1e-8, / best peer",
            must,
            goal,
            against_best(f"logistic {shape}{penalty}"),
        )
        for penalty in ("", " C=1")
        for shape, must, goal in zip(SHAPES, (5, 8, 4, 4), (10, 15, 8, 8), strict=True)
    ),
    Bar(  # as fast as unscaled: 0.9 allows for what the machine makes of equal work
        "logistic 1e5x20, columns 1e-4 .. 1e4: one scale / so many",
        0.9,
        1.0,
        against("logistic 1e5x20 scaled", "separatrix, one scale"),
    ),
    Bar(
        "logistic 1e5x20, five columns in two units: one unit / both",
        0.5,
        0.8,
        against("logistic 1e5x20 two units", "separatrix, one unit"),
    ),
    Bar(
        "logistic sparse 1e5x1e5 to 1e-8, / best peer",
        2,
        4,
        against_best("logistic 1e5x1e5 sparse C=1"),
    ),
    *(
        Bar(f"gradient step {shape}, / NumPy", 1.3, 2.5, against(f"gradient {shape}", "NumPy"))
        for shape in ("1e5x20", "1e5x100", "1e6x20")
    ),
    *(
        Bar(f"gradient step {shape}, reads of the matrix", 3.8, 1.5, of_a_read(f"gradient {shape}"))
        for shape in ("1e5x20", "1e5x100", "1e6x20")
    ),
    Bar("first fit of a fresh process", 1.6, 0.8, first_fit("Perceptron().fit"), " s"),
    *(
        Bar(f"separability {shape}, / HiGHS", must, goal, against_best(f"separability {shape}"))
        for shape, must, goal in (
            ("1e4x10", 12, 50),
            ("1e5x10", 80, 300),
            ("1e6x10", 180, 1000),
            ("breast cancer", 2, 10),
        )
    ),
    *(
        Bar(f"separability {shape}", must, goal, our_seconds(f"separability {shape}"), " s")
        for shape, must, goal in (
            ("1e6x50", 1.5, 0.3),
            ("1e6x50 overlapping", 1.5, 0.3),
            ("500x50 margin 1e-12", 2, 0.2),
        )
    ),
    *(
        Bar(f"exact simplex {table}", 2, 0.2, our_seconds(f"simplex {table}"), " s")
        for shape in ("102x50", "502x50")
        for table in (f"{shape} separable", f"{shape} touching", f"{shape} overlapping")
    ),
    *(
        Bar(f"fewest {shape}, proven", must, goal, our_seconds(f"fewest {shape}", "proven"), " s")
        for shape, must, goal in (
            ("1e5x2", 0.1, 0.01),
            ("1e5x3", 0.5, 0.1),
            ("5000x5, 10 %", 4, 0.3),
            ("1000x8, 10 %", 20, 2),
            ("1000x10, 2 %", 15, 1),
            ("1000x20, 1 %", 20, 2),
        )
    ),
    Bar(
        "intervals 1e5x20, all proven: one certified fit / ours",
        1 / 12,
        1 / 6,
        against("intervals 1e5x20", "one certified fit"),
    ),
    *(
        Bar(f"{shape}: fit, tests, profile ends, / firthmodels", 1.0, 3.0, firth_of(shape))
        for shape in ("firth 1000x5", "firth 1000x20", "firth 1000x50")
    ),
    *(
        Bar(f"{table} in 120 s: the line's mistakes", must, 0, open_table(table, "upper"), "")
        for table, must in (("pima", 148), ("birthwt", 40), ("heart", 28), ("australian", 70))
    ),
    *(
        Bar(f"{table} in 120 s: proven, of the line's", 0.5, 1.0, open_table(table, "share"), "")
        for table in ("pima", "birthwt", "heart", "australian")
    ),
    *(
        bar
        for what, size, size_goal, check, check_goal in (
            ("fewest 1000x5, 10 %", 100, 30, 5, 1),
            ("fewest 1000x8, 2 %", 2000, 500, 60, 10),
        )
        for bar in (
            Bar(f"proof of {what}", size, size_goal, of_proof(what, "kilobytes"), " kB"),
            Bar(f"proof of {what}, checked", check, check_goal, of_proof(what, "seconds"), " s"),
        )
    ),
    Bar(
        "proof of separability 20,000 x 20, checked",
        1,
        0.2,
        of_proof("separability 2e4x20", "seconds"),
        " s",
    ),
    *(
        Bar(what, 1, 0.5, of_exact_test(what), " s")
        for what in (
            "exact test 1600 rows, 1 binary",
            "exact test 400 rows, 2 binary",
            "exact test 200 rows, 3 binary",
            "exact test 100 rows, 4 binary",
        )
    ),
    *(
        Bar(f"two threads: {task}", 1.5, 1.9, two_threads(task))
        for task in (
            "pass 1e5x100",
            "pocket 1e5x50",
            "least squares 1e6x20",
            "logistic 1e6x20",
            "gradient 1e6x20",
            "fewest 1000x8, 5 %, limited",
        )
    ),
]


def rows(runs: Sequence[RunData]) -> list[tuple[str, ...]]:
    """Return the table of bars: a header, then a row for each bar that any run has a figure for."""
    header = ("bar", "must", "goal", *(f"seed {run['seed']}" for run in runs), "reached", "against")
    table = [header]
    for bar in BARS:
        figures = [bar.read(run) for run in runs]
        if all(figure.value is None for figure in figures):
            continue
        whom = list(dict.fromkeys(figure.whom for figure in figures if figure.whom))
        table.append(
            (
                bar.name,
                f"{bar.must:g}{bar.unit}",
                f"{bar.goal:g}{bar.unit}",
                *(_number(figure.value) for figure in figures),
                bar.reached(figures),
                ", ".join(whom) if bar.unit == "x" else (whom or [""])[-1],
            )
        )
    return table


def unmeasured(runs: Sequence[RunData]) -> list[str]:
    """Return the bars that no run has a figure for."""
    return [b.name for b in BARS if all(b.read(run).value is None for run in runs)]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
