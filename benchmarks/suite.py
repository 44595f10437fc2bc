"""One run of the suite: every task that was asked for, digits, what starting costs, two threads."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import exact_tests, firth, nist, open_tables, proofs, starting
from benchmarks import threads as two_threads
from benchmarks.adapters import ours
from benchmarks.machine import describe, load_average
from benchmarks.measuring import Measurement, measure
from benchmarks.printing import (
    FOOTNOTE,
    HEADER,
    LEFT,
    aligned,
    brackets_table,
    digits_table,
    firth_table,
    heading,
    measurement_rows,
    proofs_table,
    seconds_table,
    starting_table,
    threads_table,
)
from benchmarks.tasks import Task, chosen, least_squares_peers

ROUNDS = {"tiny": 5, "small": 5, "full": 7, "whole": 7}
TURNS = 3  # of fresh processes, which take long
SECTIONS = (
    "nist",
    "starting",
    "threads",
    "proofs",
    "open tables",
    "firth",
    "exact tests",
)  # names of --only that are no tasks


def run(
    seed: int, threads: int, size: str, only: Sequence[str], say: Callable[[str], None]
) -> dict[str, Any]:
    """Return everything measured as plain data, and say it as text.

    After Ctrl-C that is what was finished before, marked as interrupted.
    """
    tasks = chosen(size, only)
    wanted = [s for s in SECTIONS if not only or s in only]
    if not tasks and not wanted:
        raise SystemExit(f"--only {' '.join(only)}: there is no such task in size {size}")
    rounds = ROUNDS[size]
    with threadpool_limits(limits=threads):
        about = {"seed": seed, "size": size, "rounds": rounds, "machine": describe(threads)}
        about |= {"measurements": [], "failed": {}, "interrupted": False}
        say(heading(about))
        try:
            _measure_tasks(tasks, about, say)
            _measure_sections(wanted, about, say)
        except KeyboardInterrupt:
            about["interrupted"] = True
            say("\ninterrupted: only what was finished before is kept")
        about["machine"]["load_average_at_end"] = load_average()
    return about


def _measure_tasks(
    tasks: Sequence[Task], about: dict[str, Any], say: Callable[[str], None]
) -> None:
    """Add what was measured, and why a task has nothing: ours failed on it."""
    measured: list[Measurement] = []
    try:
        for task in tasks:
            start = time.perf_counter()
            try:
                measured.append(measure(task, about["seed"], about["rounds"]))
            except Exception as error:
                about["failed"][task.name] = f"{type(error).__name__}: {error}"
            print(f"{task.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    finally:
        _say_measured(measured, say)
        about["measurements"] = [m.as_dict() for m in measured]
        for name, why in about["failed"].items():
            say(f"\nFAILED: {name}: {why}")


def _measure_sections(
    wanted: Sequence[str], about: dict[str, Any], say: Callable[[str], None]
) -> None:
    """Add what is measured beside the tasks."""
    size, seed = about["size"], about["seed"]
    if "nist" in wanted:
        about["nist"] = nist.digits([ours.LeastSquares(), *least_squares_peers()])
        say("\n" + digits_table(about["nist"]))
    if "starting" in wanted:
        about["starting"] = _starting(size, say)
    if "threads" in wanted:
        about["threads"] = _two_threads(size, seed, say)
        for found in about["threads"]:
            if not found["same_bytes"]:
                why = about["failed"][found["task"]] = "two threads gave other bytes than one"
                say(f"\nFAILED: {found['task']}: {why}")
    if "proofs" in wanted:
        about["proofs"] = proofs.sizes(seed)
        say("\n" + proofs_table(about["proofs"]))
    if "open tables" in wanted:
        about["open"] = open_tables.brackets()
        say("\n" + brackets_table(about["open"], tuple(open_tables.TABLES)))
    if "firth" in wanted:
        about["firth"] = firth.timings(seed)
        say("\n" + firth_table(about["firth"], tuple(firth.SHAPES)))
    if "exact tests" in wanted:
        about["exact tests"] = exact_tests.seconds(seed)
        say("\n" + seconds_table(about["exact tests"]))


def _say_measured(measured: Sequence[Measurement], say: Callable[[str], None]) -> None:
    if measured:
        rows = [HEADER, *(row for m in measured for row in measurement_rows(m))]
        say("\n" + aligned(rows, LEFT) + "\n\n" + FOOTNOTE)


def _starting(size: str, say: Callable[[str], None]) -> dict[str, Any]:
    ups = starting.start_ups(chosen(size, ()), TURNS)
    calls, fits = starting.first_calls(), starting.first_fits(TURNS)
    say("\n" + starting_table(ups, calls, fits))
    return starting.as_dict(ups, calls, fits)


def _two_threads(size: str, seed: int, say: Callable[[str], None]) -> list[dict[str, Any]]:
    names = {task.name for task in chosen(size, ())}
    known = [name for name in two_threads.TASKS if name in names]
    found = two_threads.doubled(known, size, seed, TURNS)
    if found:
        say("\n" + threads_table(found))
    return [d.as_dict() for d in found]
