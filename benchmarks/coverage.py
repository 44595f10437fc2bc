"""How often do 95 % intervals hold the truth? Likelihood, Wald and Firth on made tables.

`python -m benchmarks.coverage [TABLES] [ROWS]`: tables of a number, a balanced and a rare 0/1
column; the rare one separates some of them. Where its estimate is infinite Wald has no interval: it
counts as a miss, and beside that of the tables that have one.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import numpy as np

from separatrix.data import Sample
from separatrix.inference.coefficient_table import method_named
from separatrix.inference.maximum import Maximum
from separatrix.scale import Rows

TRUTH = np.array([-0.5, 0.8, -1.0, 1.5])  # intercept, number, balanced, rare
RARE = 0.04
NAMES = "intercept", "number", "balanced", "rare"
CHOSEN = "likelihood", "wald", "firth"


def made(rng: np.random.Generator, rows: int) -> Sample:
    """Return a table drawn from the model; both labels and all columns vary."""
    while True:
        X = np.column_stack((
            rng.normal(size=rows), rng.random(rows) < 0.5, rng.random(rows) < RARE,
        )).astype(float)  # fmt: skip
        p = 1.0 / (1.0 + np.exp(-(TRUTH[0] + X @ TRUTH[1:])))
        y = np.where(rng.random(rows) < p, 1.0, -1.0)
        if np.unique(y).size == 2 and (X.min(axis=0) < X.max(axis=0)).all():
            return Sample(X, y, np.array(["no", "yes"]), np.ones(rows))


def main(tables: int = 2000, rows: int = 200) -> None:
    """Print the coverage of each method and coefficient."""
    rng = np.random.default_rng(20261122)
    held, absent = ({name: np.zeros(len(TRUTH)) for name in CHOSEN} for _ in range(2))
    seconds: Counter[str] = Counter()
    separated = 0
    for _ in range(tables):
        sample = made(rng, rows)
        maximum = Maximum.of(sample)
        separated += bool(maximum.infinite)
        for name in CHOSEN:
            start = time.process_time()
            found = method_named(name)(Rows.of(sample), 0.95, {"maximum": maximum})
            seconds[name] += time.process_time() - start
            absent[name] += np.isnan(found.lower) | np.isnan(found.upper)
            held[name] += (found.lower <= TRUTH) & (found.upper >= TRUTH)
    print(f"{tables:,} tables of {rows} rows, {separated:,} separated; truth {TRUTH.tolist()}")
    print("method      " + "".join(f"{name:>12}" for name in NAMES) + "  of intervals   CPU ms")
    for name in CHOSEN:
        of_all = "".join(f"{100.0 * share:>10.2f} %" for share in held[name] / tables)
        there = held[name].sum() / (tables * len(TRUTH) - absent[name].sum())
        cost = 1000.0 * seconds[name] / tables
        print(f"{name:<12}{of_all}{100.0 * there:>12.2f} %{cost:>9.1f}")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
