"""`python -m benchmarks.streams`: a stream of 1e7 rows with one contradiction: time and memory.

Rows of 10 numbers are drawn and labelled by a line, with no gap between the classes, so that the
line that separates them has to turn again and again; one row has the wrong label. The time of
drawing the rows is not counted.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import separatrix
from separatrix import Stream

COLUMNS = 10
DRAWN = 100_000  # rows at a time
ODD = 8_765_432  # the row, from 0, with the wrong label
LEARNERS = {
    "pla": "Perceptron",
    "averaged": "AveragedPerceptron",
    "margin": "MarginPerceptron",
    "pa": "PassiveAggressive",
}


def rows(n: int, odd: int) -> Iterator[tuple[Any, Any]]:
    """Yield n rows X and truth values y, of which one is wrong."""
    random = np.random.default_rng(1)
    w = random.normal(size=COLUMNS + 1)
    for start in range(0, n, DRAWN):
        X = random.normal(size=(DRAWN, COLUMNS))
        if start <= odd < start + DRAWN:
            X[odd - start] = w[1:] / np.linalg.norm(w[1:])
        y = X @ w[1:] + w[0] > 0.0
        if start <= odd < start + DRAWN:
            y[odd - start] ^= True
        yield X, y


def from_arrays(learner: str, n: int, odd: int) -> dict[str, Any]:
    """Return what a stream of arrays has shown, seconds of CPU, and peak memory on the way."""
    stream = Stream(getattr(separatrix, LEARNERS[learner])())
    took, peak = 0.0, {}
    for k, (X, y) in enumerate(rows(n, odd), 1):
        began = time.process_time()
        stream.partial_fit(X, y)
        took += time.process_time() - began
        if k * DRAWN in (10**6, n // 2, n):
            peak[f"{k * DRAWN:.0e}"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verdict = stream.verdict
    return {
        "learner": learner, "rows": n, "CPU seconds": took, "rows a second": n / took,
        "peak MiB after rows": peak, "ceased at": verdict.ceased_at, "mistakes": verdict.mistakes,
        "kept": len(verdict.contradiction.rows) if verdict.contradiction else 0,
        "proven": verdict.proven, "separable": verdict.separable,
    }  # fmt: skip


def main() -> None:
    """Run one learner, as asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--learner", choices=[*LEARNERS], default="pla")
    parser.add_argument("--rows", type=float, default=1e7)
    asked = parser.parse_args()
    n = int(asked.rows)
    odd = min(ODD, n * 9 // 10)
    found = from_arrays(asked.learner, n, odd)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
