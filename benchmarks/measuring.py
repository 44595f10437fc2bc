"""Taking turns: ours, each peer, the null peer and the floor, then again.

Whatever slows the machine down for a while then slows all of them, and a ratio is taken between
neighbours in time, never between two separate runs.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from benchmarks.adapters.floor import OneRead
from benchmarks.adapters.null import Null
from benchmarks.answer import Answer, Run
from benchmarks.judging import Judgement, judge
from benchmarks.tasks import Task


@dataclass(frozen=True)
class Spread:
    """The least, the middle and the largest of some measurements."""

    min: float
    median: float
    max: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return the spread of at least one value."""
        ordered = sorted(values)
        return cls(ordered[0], median(ordered), ordered[-1])


@dataclass(frozen=True)
class Entry:
    """What one participant did on one task.

    Parameters
    ----------
    to_ours : its seconds / ours, round by round: above 1, ours is faster
    to_floor : its seconds / one read of the matrix, round by round
    same_line : whether its line is ours, up to rounding; None without a line
    """

    who: str
    role: str
    seconds: Spread
    whole_seconds: Spread | None
    to_ours: Spread
    to_floor: Spread
    work: str
    judgement: Judgement | None
    same_line: bool | None


@dataclass(frozen=True)
class Measurement:
    """One task, measured.

    Parameters
    ----------
    best_to_ours : round by round, the fastest of the peers whose answer is right / ours
    """

    task: str
    n: int
    d: int
    separable: bool
    objective: str
    rounds: int
    entries: list[Entry]
    best_to_ours: Spread | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def measure(task: Task, seed: int, rounds: int) -> Measurement:
    """Measure a task on the table of a seed."""
    problem = task.problem(seed)
    roles = [("ours", task.ours), *(("peer", p) for p in task.peers)]
    roles += [("null", Null()), ("floor", OneRead())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both perceptrons say that their passes are spent
        answers = take_turns({a.name: a.prepare(problem) for _, a in roles}, rounds)
    last = {name: given[-1] for name, given in answers.items()}
    entries = []
    for role, adapter in roles:
        judged = role in ("ours", "peer")
        judgement = judge(last[adapter.name], problem, task.objective) if judged else None
        same_line = _same_line(last[adapter.name], last[task.ours.name])
        entries.append(
            _entry(
                adapter.name,
                role=role,
                answers=answers,
                ours=task.ours.name,
                judgement=judgement,
                same_line=same_line,
            )
        )
    right = [e.who for e in entries if e.role == "peer" and e.judgement and e.judgement.right]
    best = _best_to_ours(answers, task.ours.name, right)
    n, d = problem.X.shape
    return Measurement(task.name, n, d, problem.separable, task.objective, rounds, entries, best)


def take_turns(runs: Mapping[str, Run], rounds: int) -> dict[str, list[Answer]]:
    """Return all answers after one round that does not count: it compiles and fills the caches."""
    answers: dict[str, list[Answer]] = {name: [] for name in runs}
    # `timed` collects garbage before each call; without all that was imported among it, that takes
    # microseconds rather than 75 ms, and does not sweep the processor's caches
    gc.freeze()
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            answers[name].append(run())
    gc.unfreeze()
    return answers


def _entry(
    who: str,
    *,
    role: str,
    answers: Mapping[str, Sequence[Answer]],
    ours: str,
    judgement: Judgement | None,
    same_line: bool | None,
) -> Entry:
    mine = answers[who]
    wholes = [a.whole_seconds for a in mine if a.whole_seconds is not None]
    return Entry(
        who,
        role,
        Spread.of(a.seconds for a in mine),
        Spread.of(wholes) if wholes else None,
        _ratios(mine, answers[ours]),
        _ratios(mine, answers[OneRead.name]),
        mine[-1].work,
        judgement,
        same_line,
    )


def _ratios(upper: Sequence[Answer], lower: Sequence[Answer]) -> Spread:
    return Spread.of(a.seconds / b.seconds for a, b in zip(upper, lower, strict=True))


def _best_to_ours(
    answers: Mapping[str, Sequence[Answer]], ours: str, right: Sequence[str]
) -> Spread | None:
    """Return the ratio of the fastest right peer of each round; None when none is right."""
    if not right:
        return None
    fastest = [
        min(turn, key=lambda a: a.seconds)
        for turn in zip(*(answers[w] for w in right), strict=True)
    ]
    return _ratios(fastest, answers[ours])


def _same_line(answer: Answer, ours: Answer) -> bool | None:
    if answer.weights is None or ours.weights is None:
        return None
    off = np.abs(answer.weights - ours.weights).max()
    return bool(off <= 1e-9 * np.abs(ours.weights).max())
