"""A tiny run of the benchmarks."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LINES = ("pass", "gradient", "pocket", "separation", "separability")

TASKS = (*LINES, "simplex", "fewest", "least squares", "logistic")


def entries(written):
    return [entry for m in written["measurements"] for entry in m["entries"]]
