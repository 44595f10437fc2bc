"""`python -m benchmarks`: read the options, set the threads, run, print, write.

`python -m benchmarks --size full --seeds 0,1,2 --json F --markdown G` measures everything and ends
with the table of bars; `--again F --markdown G` makes that table from what was written before.
Ctrl-C ends it with what was finished so far, and exit code 130.
"""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path
from typing import Any

from benchmarks.machine import set_threads


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seeds",
        "--seed",
        type=lambda text: [int(seed) for seed in text.split(",")],
        default=[0],
        metavar="N,N,..",
        help="data are drawn anew from each",
    )
    parser.add_argument("--threads", type=int, default=1, help="of BLAS, OpenMP and Numba")
    parser.add_argument("--size", choices=("tiny", "small", "full", "whole"), default="small")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="tasks whose name contains NAME, or 'nist', 'starting', 'threads', 'proofs', "
        "'open tables', 'firth', 'exact tests'; may be given again",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements and bars")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of bars")
    parser.add_argument(
        "--again", type=Path, metavar="FILE", help="read measurements from FILE, measure nothing"
    )
    return parser.parse_args(arguments)


def main() -> None:
    """Run the suite."""
    asked = options()
    if asked.again is not None:
        runs = json.loads(asked.again.read_text(encoding="utf-8"))["runs"]
    else:
        set_threads(asked.threads)  # before the libraries that read it are imported
        from benchmarks.suite import run

        runs = []
        for seed in asked.seeds:  # written after each seed, so that nothing is lost
            runs.append(run(seed, asked.threads, asked.size, asked.only, print))
            write(asked, runs)
            if runs[-1]["interrupted"]:
                break
    show(asked, runs)
    if runs[-1].get("interrupted"):  # files written before know no such word
        raise SystemExit(128 + signal.SIGINT)
    if any(run["failed"] for run in runs):
        raise SystemExit("separatrix failed on a task: see FAILED above")


def write(asked: argparse.Namespace, runs: list[dict[str, Any]]) -> None:
    """Write the measurements of all seeds so far."""
    from benchmarks import bars

    if asked.json is not None:
        written = {"runs": runs, "bars": bars.as_dicts(runs)}
        asked.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def show(asked: argparse.Namespace, runs: list[dict[str, Any]]) -> None:
    """Print the table of bars, and write it."""
    from benchmarks import bars
    from benchmarks.printing import aligned, markdown

    table = bars.rows(runs)
    if len(table) > 1:
        print("\n" + aligned(table, {0, len(table[0]) - 1}))
    if not asked.only and (missing := bars.unmeasured(runs)):
        print(f"\nnot measured in this run: {'; '.join(missing)}")
    if asked.markdown is not None:
        asked.markdown.write_text(markdown(table, runs[0]), encoding="utf-8")


if __name__ == "__main__":
    main()
