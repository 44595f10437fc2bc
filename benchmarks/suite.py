"""One run of the suite: measure every task that was asked for, and what starting costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import starting
from benchmarks.machine import describe, load_average
from benchmarks.measuring import Measurement, measure
from benchmarks.printing import (
    FOOTNOTE,
    HEADER,
    LEFT,
    aligned,
    heading,
    measurement_rows,
    starting_table,
)
from benchmarks.tasks import chosen

ROUNDS = {"tiny": 5, "small": 5, "full": 7}
STARTING = "starting"  # the name by which --only asks for start-up and compile times


def run(
    seed: int, threads: int, size: str, only: Sequence[str], say: Callable[[str], None]
) -> dict[str, Any]:
    """Return everything measured as plain data, and say it as text."""
    tasks = chosen(size, only)
    wants_starting = not only or STARTING in only
    if not tasks and not wants_starting:
        raise SystemExit(f"--only {' '.join(only)}: there is no such task in size {size}")
    rounds = ROUNDS[size]
    with threadpool_limits(limits=threads):
        about = {"seed": seed, "size": size, "rounds": rounds, "machine": describe(threads)}
        say(heading(about))
        measured = [measure(task, seed, rounds) for task in tasks]
        _say_measured(measured, say)
        about["measurements"] = [m.as_dict() for m in measured]
        if wants_starting:
            ups = starting.start_ups(chosen(size, ()), rounds)
            calls = starting.first_calls()
            say("\n" + starting_table(ups, calls))
            about["starting"] = starting.as_dict(ups, calls)
        about["machine"]["load_average_at_end"] = load_average()
    return about


def _say_measured(measured: Sequence[Measurement], say: Callable[[str], None]) -> None:
    if measured:
        rows = [HEADER, *(row for m in measured for row in measurement_rows(m))]
        say("\n" + aligned(rows, LEFT) + "\n\n" + FOOTNOTE)
