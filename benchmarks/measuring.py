"""Taking turns: ours, each peer, the null peer and the floor, then again.

Whatever slows the machine down for a while then slows all of them, and a ratio is taken between
neighbours in time, never between two separate runs.
"""

from __future__ import annotations

import gc
import os
import signal
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from statistics import median
from typing import Any

import numpy as np

from benchmarks.adapters.floor import OneRead
from benchmarks.adapters.null import Null
from benchmarks.answer import Adapter, Answer, Run, TooSlowError
from benchmarks.data import Problem
from benchmarks.judging import Judgement, judge
from benchmarks.tasks import Task

SHARE = 5.0  # seconds of a task's rounds that one participant may take; two rounds it always has
FEWEST = 2
POLLED = 0.005  # seconds between two looks at a trial


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
class LeftOut:
    """A participant that has no time, and why: nobody is dropped without a word."""

    who: str
    why: str


@dataclass(frozen=True)
class Entry:
    """What one participant did on one task.

    Parameters
    ----------
    role : ours, peer, null, floor; beside: for comparison, but nobody's answer
    rounds : that it took part in; slow ones take part in the first alone
    to_ours : its seconds / ours, round by round: above 1, ours is faster
    to_floor : its seconds / one read of the matrix, round by round
    same_line : whether its line is ours, up to rounding; None without a line
    """

    who: str
    role: str
    rounds: int
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
    best : which of them has the least median
    """

    task: str
    n: int
    d: int
    separable: bool
    objective: str
    rounds: int
    entries: list[Entry]
    left_out: list[LeftOut]
    best_to_ours: Spread | None
    best: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def measure(task: Task, seed: int, rounds: int) -> Measurement:
    """Measure a task on the table of a seed."""
    problem = task.problem(seed)
    roles = [("ours", task.ours), *(("peer", p) for p in task.peers)]
    roles += [("beside", b) for b in task.beside]
    roles += [("null", Null()), ("floor", OneRead())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both perceptrons say that their passes are spent
        runs, left_out = _prepared([a for _, a in roles], task, problem)
        answers = take_turns(runs, rounds)
    last = {name: given[-1] for name, given in answers.items()}
    entries = []
    for role, adapter in roles:
        if adapter.name not in runs:
            continue
        judged = role not in ("null", "floor")
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
    right = [e for e in entries if e.role == "peer" and e.judgement and e.judgement.right]
    best = _best_to_ours(answers, task.ours.name, [e.who for e in right])
    fastest = min(right, key=lambda e: e.seconds.median).who if right else None
    n, d = problem.X.shape
    return Measurement(
        task.name, n, d, problem.separable, task.objective, rounds, entries, left_out, best, fastest
    )


def _prepared(
    adapters: Sequence[Adapter], task: Task, problem: Problem
) -> tuple[dict[str, Run], list[LeftOut]]:
    """Return the runs by name, and who has none; ours and what everybody has must not fail."""
    runs, left_out = {}, []
    for adapter in adapters:
        if adapter is not task.ours and not _ends(adapter, problem, task.limit):
            left_out.append(LeftOut(adapter.name, f"not done after {task.limit:g} s"))
            continue
        try:
            runs[adapter.name] = adapter.prepare(problem)
        except ImportError as error:
            left_out.append(LeftOut(adapter.name, f"absent: {error}"))
        except TooSlowError as slow:
            left_out.append(LeftOut(adapter.name, f"too slow: {slow}"))
        except Exception as error:
            if adapter is task.ours:
                raise
            left_out.append(LeftOut(adapter.name, f"failed: {type(error).__name__}: {error}"))
    return runs, left_out


def _ends(adapter: Adapter, problem: Problem, limit: float | None) -> bool:
    """Whether an adapter prepares and answers once within some seconds, in a process of its own.

    That process is killed, inside a compiled loop too. Nothing is limited where none can be forked.
    """
    if limit is None or not hasattr(os, "fork"):
        return True
    child = os.fork()
    if child == 0:
        try:
            adapter.prepare(problem)()
        finally:  # whatever it raises is met again by who measures it
            os._exit(0)
    until = time.perf_counter() + limit
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.perf_counter() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False
        time.sleep(POLLED)
    return True


def take_turns(runs: Mapping[str, Run], rounds: int) -> dict[str, list[Answer]]:
    """Return all answers after one round that does not count: it compiles and fills the caches.

    Who is so slow that all rounds would exceed its share takes part in the first of them alone.
    """
    answers: dict[str, list[Answer]] = {name: [] for name in runs}
    rounds_of = {}
    # `timed` collects garbage before each call; without all that was imported among it, that takes
    # microseconds rather than 75 ms, and does not sweep the processor's caches
    gc.freeze()
    for name, run in runs.items():
        start = time.perf_counter()
        run()
        taken = time.perf_counter() - start
        rounds_of[name] = max(min(rounds, FEWEST), min(rounds, int(SHARE / taken)))
    for turn in range(rounds):
        for name, run in runs.items():
            if turn < rounds_of[name]:
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
        len(mine),
        Spread.of(a.seconds for a in mine),
        Spread.of(wholes) if wholes else None,
        _ratios(mine, answers[ours]),
        _ratios(mine, answers[OneRead.name]),
        mine[-1].work,
        judgement,
        same_line,
    )


def _ratios(upper: Sequence[Answer], lower: Sequence[Answer]) -> Spread:
    """Return the ratios of the rounds in which both took part: the first ones."""
    return Spread.of(a.seconds / b.seconds for a, b in zip(upper, lower, strict=False))


def _best_to_ours(
    answers: Mapping[str, Sequence[Answer]], ours: str, right: Sequence[str]
) -> Spread | None:
    """Return the ratio of the fastest right peer of each round; None when none is right."""
    if not right:
        return None
    fastest = [  # the faster one is, the more rounds it is in
        min((answer for answer in turn if answer is not None), key=lambda a: a.seconds)
        for turn in zip_longest(*(answers[w] for w in right))
    ]
    return _ratios(fastest, answers[ours])


def _same_line(answer: Answer, ours: Answer) -> bool | None:
    if answer.weights is None or ours.weights is None:
        return None
    off = np.abs(answer.weights - ours.weights).max()
    return bool(off <= 1e-9 * np.abs(ours.weights).max())
