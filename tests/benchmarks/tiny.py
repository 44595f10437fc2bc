"""A tiny run of the benchmarks."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LINES = ("pass", "gradient", "pocket", "separation", "separability")

TASKS = (*LINES, "simplex", "fewest", "least squares", "logistic")


def read(file):
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    runs = {row["about"]["seed"]: row["about"] | {"measurements": [], "failed": []} for row in rows
            if "about" in row}  # fmt: skip
    for row in rows:
        if "measurement" in row:
            runs[row["seed"]]["measurements"].append(row["measurement"])
        elif row.get("failed"):
            runs[row["seed"]]["failed"].append(row)
    return list(runs.values())
