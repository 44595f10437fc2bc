"""Whole commands on ordinary tables: wall, processor time and peak memory of each process.

Six tables of numbers and categories with plain logistic noise are written as CSV (0.4 to 37 MB).
`learn`, `infer`, `check` and `predict` are timed as a user starts them, beside pandas with
scikit-learn (read, encode, five folds of one logistic regression, fit) and statsmodels (read,
encode, fit with standard errors). All take turns, so that other work on the machine slows all of
them; compilation is done by a round that does not count, and a line is printed when it is known.

    python -m benchmarks.ordinary                                # all six tables, three turns
    python -m benchmarks.ordinary --only 400,000 --what learn --turns 5
    python -m benchmarks.ordinary --before ../other/src          # another checkout takes turns, too
    python -m benchmarks.ordinary --size tiny --json F           # a hundredth of the rows

A file of rows that exists is gone on with; `python -m benchmarks.compare F` shows before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.journal import BEFORE, ROOT, Journal, run_whole, stamp, stop_as_by_ctrl_c
from benchmarks.printing import aligned

SIZES = {"full": 1, "tiny": 100}  # what the rows are divided by
STEEPNESS = 2.0  # of the chances in the score: the best line errs on one row in five, about
PEER = "scikit-learn"
MODEL = "model.json"

SCIKIT_LEARN = """
import sys
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

table = pd.read_csv(sys.argv[1])
y = table.pop("y")
encoded = make_column_transformer(
    (OneHotEncoder(drop="first", handle_unknown="ignore"),
     make_column_selector(dtype_exclude=float)),
    (StandardScaler(), make_column_selector(dtype_include=float)),
)
model = make_pipeline(encoded, LogisticRegression(max_iter=1000))
print(1.0 - cross_val_score(model, table, y, cv=5).mean(), model.fit(table, y).score(table, y))
"""

STATSMODELS = """
import sys
import pandas as pd
import statsmodels.api as sm

table = pd.read_csv(sys.argv[1])
y = table.pop("y") == "yes"
X = sm.add_constant(pd.get_dummies(table, drop_first=True, dtype=float))
print(sm.Logit(y.astype(float), X).fit(disp=0, maxiter=100).summary())
"""

# a process's peak begins with the memory of the one that starts it: that has to be small
LAUNCH = """
import json, os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
process.returncode, wall = os.waitstatus_to_exitcode(status), time.perf_counter() - began
print(json.dumps([process.returncode, wall, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""

OURS: dict[str, list[str]] = {
    "learn": ["learn", "{table}", "--label", "y", "--model", MODEL],
    "learn --fewest-seconds 0": ["learn", "{table}", "--label", "y", "--fewest-seconds", "0"],
    "infer": ["infer", "{table}", "--label", "y"],
    "check": ["check", "{table}", "--label", "y"],
    "predict": ["predict", MODEL, "{table}", "-o", "answers.csv"],
    "predict --explain": ["predict", MODEL, "{table}", "-o", "parts.csv", "--explain"],
}
PEERS = {PEER: SCIKIT_LEARN, "statsmodels": STATSMODELS}


@dataclass(frozen=True)
class Ordinary:
    """A table: its rows, its columns of numbers, the levels of its categories.

    Parameters
    ----------
    one_sided : levels of the first category whose rows have one label only: no finite optimum
    """

    rows: int
    numbers: int
    levels: tuple[int, ...] = ()
    one_sided: int = 0

    @property
    def name(self) -> str:
        """As tables are called: 4,000 x 12 + 4."""
        levels = f" + {', '.join(map(str, self.levels))}" if self.levels else ""
        return f"{self.rows:,} x {self.numbers}{levels}"

    def write(self, path: Path, rows: int) -> None:
        """Write so many rows as CSV: numbers x1, ..., categories c1, ..., the label y."""
        import pyarrow as pa
        import pyarrow.csv as pacsv

        random = np.random.default_rng([self.rows, self.numbers])
        w = random.normal(size=self.numbers)
        X = np.round(random.normal(size=(rows, self.numbers)), 4)
        score = X @ (w * STEEPNESS / np.linalg.norm(w))
        columns = {f"x{j}": X[:, j - 1] for j in range(1, self.numbers + 1)}
        codes = [random.integers(k, size=rows) for k in self.levels]
        for j, (k, code) in enumerate(zip(self.levels, codes, strict=True), 1):
            score += random.normal(scale=0.5, size=k)[code]
            columns[f"c{j}"] = pa.array([f"level {i}" for i in range(k)]).take(pa.array(code))
        yes = random.random(rows) < 1.0 / (1.0 + np.exp(-score))
        if self.one_sided:
            yes = np.where(codes[0] < self.one_sided, codes[0] % 2 == 0, yes)
        columns["y"] = pa.array(["no", "yes"]).take(pa.array(yes.astype(np.int64)))
        pacsv.write_csv(pa.table(columns), path)


TABLES = (
    Ordinary(400_000, 8, (3,)),
    Ordinary(20_000, 10, (3, 5, 8, 12, 30)),
    Ordinary(100_000, 50),
    Ordinary(5_000, 300),
    Ordinary(50_000, 6, (200,), one_sided=50),
    Ordinary(4_000, 12, (4,)),
)


@dataclass(frozen=True)
class Used:
    """What a process used: seconds by the clock and of the processors, and its peak of memory."""

    wall: float
    cpu: float
    peak: float  # MiB
    failed: str = ""


@dataclass(frozen=True)
class Line:
    """What is known of one command on one table: medians of its turns.

    Parameters
    ----------
    to_peer : wall, cpu and peak over those of scikit-learn, turn by turn, the medians
    """

    table: str
    who: str
    turns: int
    used: Used
    to_peer: tuple[float, float, float] | None


def measured(command: Sequence[str], folder: Path, **environment: str) -> Used:
    """Run a command in a folder, to its end, and return what it and its children used."""
    done = run_whole(
        [sys.executable, "-S", "-c", LAUNCH, *command],
        cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    code, wall, cpu, peak = json.loads(done.stdout)
    last = (done.stderr.strip().splitlines() or [""])[-1]
    return Used(wall, cpu, peak / 1024, f"exit {code}: {last[:60]}" if code else "")


def commands(table: Path, sources: Mapping[str, Path]) -> Iterator[tuple[str, list[str], str]]:
    """Yield who runs, the command, and the folder of modules that it runs with."""
    for mark, source in sources.items():
        for what, words in OURS.items():
            told = [word.format(table=table) for word in words]
            yield f"{what}{mark}", [sys.executable, "-m", "separatrix", *told], str(source)
    for who, script in PEERS.items():
        yield who, [sys.executable, "-c", script, str(table)], ""


def measure(
    table: Ordinary, asked: argparse.Namespace, sources: Mapping[str, Path], journal: Journal
) -> list[Line]:
    """Return what every command used on a table; turns that the journal has are not run again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        every = commands(path, sources)
        run = [c for c in every if not asked.what or c[0].removesuffix(BEFORE) in asked.what]
        names = {who: f"{table.name}, {who}" for who, *_ in run}
        turns = [(turn, *one) for turn in range(1, asked.turns + 1) for one in run]
        left = [t for t in turns if not journal.done(f"{names[t[1]]}, turn {t[0]}")]
        if left:
            table.write(path, table.rows // SIZES[asked.size])
            for _, command, source in run:  # does not count; what follows reads its model
                measured(command, Path(folder), PYTHONPATH=source)
        for turn, who, command, source in left:
            used = measured(command, Path(folder), PYTHONPATH=source)
            figures = {"wall": used.wall, "cpu": used.cpu, "peak": used.peak}
            found = {"failed": used.failed, "figures": {} if used.failed else figures}
            name = f"{names[who]}, turn {turn}"
            journal.add(name, {"line": names[who], "turn": turn, "used": asdict(used), **found})
    return [line_of(table.name, who, names, asked.turns, journal) for who in names]


def line_of(table: str, who: str, names: Mapping[str, str], turns: int, journal: Journal) -> Line:
    """Return the medians of a command's turns."""

    def turns_of(name: str) -> list[dict[str, Any]]:
        rows = (journal.rows.get(f"{name}, turn {k}") for k in range(1, turns + 1))
        return [row["used"] for row in rows if row is not None]

    counted = turns_of(names[who])
    pairs = zip(counted, turns_of(names.get(PEER, "")), strict=False)
    ratios = [tuple(a[key] / b[key] for key in ("wall", "cpu", "peak")) for a, b in pairs]
    to_peer = tuple(map(median, zip(*ratios, strict=True))) if ratios and who != PEER else None
    failed = next((row["failed"] for row in counted if row["failed"]), "")
    middle = Used(*(median(row[key] for row in counted) for key in ("wall", "cpu", "peak")), failed)
    return Line(table, who, len(counted), middle, to_peer)  # type: ignore[arg-type]


def cells(line: Line) -> list[str]:
    """Return a line as it is printed."""
    used, ratios = line.used, line.to_peer or ()
    times = [f"{used.wall:.2f} s", f"{used.cpu:.2f} s", f"{used.peak:,.0f} MiB"]
    return [line.table, line.who, *times, *(f"{r:.2f}" for r in ratios), used.failed]


HEADER = ["table", "who", "wall", "CPU", "peak", f"/ {PEER}: wall", "CPU", "peak", ""]


def main() -> None:
    """Read the command line, measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ordinary",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("--turns", type=int, default=3, help="that count, after one that does not")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="tables")
    parser.add_argument("--what", action="append", default=[], metavar="WHO", help="commands")
    parser.add_argument("--before", type=Path, metavar="SRC", help="modules of another checkout")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="a row for each process; gone on with"
    )
    asked = parser.parse_args()
    stop_as_by_ctrl_c()
    sources, code = {"": ROOT / "src"}, stamp(ROOT / "src")
    if asked.before is not None:
        sources[BEFORE] = asked.before.resolve()
        code = f"{stamp(sources[BEFORE])} {code}"
    journal = Journal(asked.json, f"{asked.size} {code}")
    for table in TABLES:
        if asked.only and not any(name in table.name for name in asked.only):
            continue
        try:
            new = measure(table, asked, sources, journal)
        except KeyboardInterrupt:
            raise SystemExit(128 + signal.SIGINT) from None
        rows = [cells(line) for line in new]
        full = [row[:-1] + [""] * (len(HEADER) - len(row)) + row[-1:] for row in rows]
        print(aligned([HEADER, *full], {0, 1, len(HEADER) - 1}), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
