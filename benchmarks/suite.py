"""One run of the suite: every task that was asked for, digits, what starting costs, two threads."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from benchmarks import exact_tests, firth, nist, open_tables, proofs, starting
from benchmarks import threads as two_threads
from benchmarks.adapters import ours
from benchmarks.bars import RunData
from benchmarks.journal import BEFORE, ROOT, Journal, Row
from benchmarks.machine import describe, load_average
from benchmarks.measuring import measure
from benchmarks.printing import (
    FOOTNOTE,
    HEADER,
    LEFT,
    aligned,
    as_attributes,
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

ROUNDS = {"tiny": 2, "small": 5, "full": 7, "whole": 7}
TURNS = 3  # of fresh processes, which take long


def run(
    seed: int,
    threads: int,
    size: str,
    only: Sequence[str],
    say: Callable[[str], None],
    *,
    journal: Journal,
) -> RunData:
    """Return everything measured as plain data, and say it as text; what is done is not run again.

    After Ctrl-C that is what was finished before, marked as interrupted.
    """
    tasks = chosen(size, only)
    wanted = [s for s in SECTIONS if not only or s in only]
    if not tasks and not wanted:
        raise SystemExit(f"--only {' '.join(only)}: there is no such task in size {size}")
    head = f"seed {seed}"
    interrupted = False
    with threadpool_limits(limits=threads):
        about = {"seed": seed, "size": size, "rounds": ROUNDS[size], "machine": describe(threads)}
        journal.add(head, {"about": about})
        say(heading(about))
        try:
            _measure_tasks(tasks, about, say, journal)
            _measure_sections(wanted, about, say, journal)
        except KeyboardInterrupt:
            interrupted = True
            say("\ninterrupted: only what was finished before is kept")
        about["machine"]["load_average_at_end"] = load_average()
        journal.add(head, {"about": about})
    return {**run_of(journal.rows, seed), "interrupted": interrupted}


def run_of(rows: Mapping[str, Row], seed: int) -> dict[str, Any]:
    """Return what rows hold of a seed."""
    found = {**rows[f"seed {seed}"]["about"], "measurements": [], "failed": {}}
    for row in rows.values():
        if row.get("seed") == seed and row.get("failed"):
            found["failed"][row["line"]] = row["failed"]
        if row.get("seed") == seed and "measurement" in row:
            found["measurements"].append(row["measurement"])
        elif row.get("seed") == seed and "section" in row:
            found[row["line"]] = row["section"]
    return found


def runs_of(rows: Mapping[str, Row]) -> list[dict[str, Any]]:
    """Return what rows hold, seed by seed."""
    return [run_of(rows, row["about"]["seed"]) for row in rows.values() if "about" in row]


def _measure_tasks(
    tasks: Sequence[Task], about: RunData, say: Callable[[str], None], journal: Journal
) -> None:
    """Add what was measured, and why a task has nothing: ours failed on it."""
    seed, rows = about["seed"], []
    try:
        for task in tasks:
            start = time.perf_counter()
            row = journal.once(f"seed {seed}: {task.name}", partial(_row, task, about))
            rows.append(row)
            print(f"{task.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    finally:
        made = [as_attributes(row["measurement"]) for row in rows if "measurement" in row]
        if made:
            table = [HEADER, *(line for m in made for line in measurement_rows(m))]
            say("\n" + aligned(table, LEFT) + "\n\n" + FOOTNOTE)
        for row in rows:
            _say_failure(row, say)


def _row(task: Task, about: RunData) -> Row:
    found: Row = {"seed": about["seed"], "line": task.name}
    try:
        measured = measure(task, about["seed"], about["rounds"]).as_dict()
    except Exception as error:
        return found | {"failed": f"{type(error).__name__}: {error}"}
    return found | {"figures": _figures(measured), "measurement": measured}


def _figures(measured: RunData) -> dict[str, float]:
    figures = {"seconds": measured["entries"][0]["seconds"]["median"]}
    best = measured["best_to_ours"]
    return figures if best is None else {**figures, "best peer / ours": best["median"]}


def _measure_sections(
    wanted: Sequence[str], about: RunData, say: Callable[[str], None], journal: Journal
) -> None:
    """Add what is measured beside the tasks."""
    for name in wanted:
        row = journal.once(f"seed {about['seed']}: {name}", partial(_section, name, about))
        if row["section"] or name != "threads":
            say("\n" + SECTIONS[name].table(row["section"]))
        _say_failure(row, say)


def _section(name: str, about: RunData) -> Row:
    section = SECTIONS[name]
    data = section.measured(about["size"], about["seed"])
    others = [d["task"] for d in data if not d["same_bytes"]] if name == "threads" else []
    why = f"two threads gave other bytes than one: {', '.join(others)}" if others else ""
    figures = section.figures(data)
    return {
        "seed": about["seed"], "line": name, "section": data, "figures": figures, "failed": why
    }  # fmt: skip


def _say_failure(row: Row, say: Callable[[str], None]) -> None:
    if row.get("failed"):
        say(f"\nFAILED: {row['line']}: {row['failed']}")


def _starting(size: str, _seed: int) -> dict[str, Any]:
    ups = starting.start_ups(chosen(size, ()), TURNS)
    return starting.as_dict(ups, starting.first_calls(), starting.first_fits(TURNS))


def _two_threads(size: str, seed: int) -> list[dict[str, Any]]:
    names = {task.name for task in chosen(size, ())}
    known = [name for name in two_threads.TASKS if name in names]
    return [d.as_dict() for d in two_threads.doubled(known, size, seed, TURNS)]


class Section(NamedTuple):
    """What is measured beside the tasks, of a size and a seed; its table; what is compared."""

    measured: Callable[[str, int], Any]
    table: Callable[[Any], str]
    figures: Callable[[Any], dict[str, float]]


SECTIONS = {  # names of --only that are no tasks
    "nist": Section(
        lambda _size, _seed: nist.digits([ours.LeastSquares(), *least_squares_peers()]),
        digits_table,
        lambda _: {},
    ),
    "starting": Section(
        _starting,
        lambda data: starting_table(*as_attributes(list(data.values()))),
        lambda data: {fit["what"]: fit["seconds"]["median"] for fit in data["fits"]},
    ),
    "threads": Section(
        _two_threads,
        lambda data: threads_table(as_attributes(data)),
        lambda data: {found["task"]: found["two"]["median"] for found in data},
    ),
    "proofs": Section(
        lambda _size, seed: proofs.sizes(seed),
        proofs_table,
        lambda data: {f"{name}, {k}": v for name, of in data.items() for k, v in of.items()},
    ),
    "open tables": Section(
        lambda _size, _seed: open_tables.brackets(),
        lambda data: brackets_table(data, tuple(open_tables.TABLES)),
        lambda data: {f"{name}, mistakes": found["upper"] for name, found in data.items()},
    ),
    "firth": Section(
        lambda _size, seed: firth.timings(seed),
        lambda data: firth_table(data, tuple(firth.SHAPES)),
        lambda data: {name: found["ours"]["median"] for name, found in data.items()},
    ),
    "exact tests": Section(
        lambda _size, seed: exact_tests.seconds(seed), seconds_table, lambda data: data
    ),
}


def beside(
    before: Path, size: str, seed: int, only: Sequence[str], *, threads: int, journal: Journal
) -> None:
    """Measure ours alone on tasks, in fresh processes that take turns with another checkout's."""
    for task in chosen(size, only):
        for turn in range(TURNS):
            for mark, source in ((BEFORE, before), ("", ROOT / "src")):
                line = f"{task.name}{mark}"
                run = partial(two_threads.child, task.name, size, seed, threads, source)
                journal.once(f"seed {seed}: {line}, turn {turn}", partial(_turn, line, seed, run))
        print(f"{task.name}: measured", file=sys.stderr, flush=True)


def _turn(line: str, seed: int, run: Callable[[], two_threads.Least]) -> Row:
    found: Row = {"line": line, "seed": seed}
    try:
        least = run()
    except subprocess.CalledProcessError as error:
        return found | {"failed": (error.stderr.strip().splitlines() or ["?"])[-1]}
    return found | {"figures": {"seconds": least.seconds}, "digest": least.digest}
