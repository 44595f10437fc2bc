"""Figures of two files of rows, before and after, and how many times better each has become.

    python -m benchmarks.compare BEFORE AFTER
    python -m benchmarks.compare BOTH          # of a run with --before: both took turns in it

A figure is the median over the turns and seeds of a file. Less is better, except for
`best peer / ours`. Rows below 0.67x are marked, and end it with exit code 1.
`answers` are compared where rows carry a hash of theirs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.journal import BEFORE, MORE_IS_BETTER, Row, rows_of
from benchmarks.printing import aligned

LEAST = 0.67
HEADER = ("row", "figure", "before", "after", "times better", "answers", "")
Figures = dict[tuple[str, str], list[float]]


def compared(before: Iterable[Row], after: Iterable[Row]) -> list[tuple[str, ...]]:
    """Return a row of text for each figure that both have, in the order of the first."""
    (old, old_answers), (new, new_answers) = _figures(before), _figures(after)
    table = []
    for (line, name), values in old.items():
        if (line, name) not in new:
            continue
        a, b = median(values), median(new[line, name])
        upper, lower = (b, a) if name in MORE_IS_BETTER else (a, b)
        ratio = upper / lower if lower else float("inf")
        pair = old_answers.get(line), new_answers.get(line)
        answers = "" if None in pair else "the same" if pair[0] == pair[1] else "OTHERS"
        worse = f"below {LEAST}x" if ratio < LEAST else ""
        table.append((line, name, f"{a:.4g}", f"{b:.4g}", f"{ratio:.2f}x", answers, worse))
    return table


def _figures(rows: Iterable[Row]) -> tuple[Figures, Mapping[str, Any]]:
    """Return the figures of each line, turn by turn, and the hashes of its answers."""
    found: Figures = {}
    answers: dict[str, Any] = {}
    for row in rows:
        for name, value in row.get("figures", {}).items():
            found.setdefault((row["line"], name), []).append(value)
        if "digest" in row:
            answers.setdefault(row["line"], {})[row.get("seed")] = row["digest"]
    return found, answers


def sides(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows of the other checkout under the names of ours, and ours."""
    before, after = [], []
    for row in rows:
        line = row.get("line", "")
        if line.endswith(BEFORE):
            before.append(row | {"line": line.removesuffix(BEFORE)})
        else:
            after.append(row)
    return before, after


def main() -> None:
    """Read the files, print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?")
    asked = parser.parse_args()
    rows = rows_of(asked.before).values()
    before, after = sides(rows) if asked.after is None else (rows, rows_of(asked.after).values())
    table = compared(before, after)
    if not table:
        raise SystemExit("no row has a figure before and after")
    print(aligned([HEADER, *table], {0, 1, 5, 6}))
    raise SystemExit(any(row[-1] for row in table))


if __name__ == "__main__":
    main()
