"""`python -m benchmarks`: read the options, set the threads, run, print, write.

`python -m benchmarks --size full --seeds 0,1,2 --json F --markdown G` measures everything and ends
with the table of bars. Each row is in F as soon as it is done: the same command goes on with F
after Ctrl-C or SIGTERM (exit code 130), and measures anew what other code measured. `--again F`
makes the table from F alone; `python -m benchmarks.compare F1 F2` shows two files beside each
other. `--before ../other/src` times ours in turns with another checkout, in fresh processes.
"""

from __future__ import annotations

import argparse
import signal
from pathlib import Path
from typing import Any

from benchmarks.journal import ROOT, Journal, rows_of, stamp, stop_as_by_ctrl_c
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
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="rows, each written when it is done; gone on with"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of bars")
    parser.add_argument(
        "--again", type=Path, metavar="FILE", help="read rows from FILE, measure nothing"
    )
    parser.add_argument(
        "--before",
        type=Path,
        metavar="SRC",
        help="ours alone, in turns with the modules of another checkout",
    )
    return parser.parse_args(arguments)


def main() -> None:
    """Run the suite."""
    asked = options()
    set_threads(asked.threads)  # before the libraries that read it are imported
    from benchmarks.suite import run, runs_of

    if asked.again is not None:
        runs = runs_of(rows_of(asked.again))
    elif asked.before is not None:
        return in_turns(asked)
    else:
        stop_as_by_ctrl_c()
        journal, runs = Journal(asked.json, stamp(ROOT / "src")), []
        for seed in asked.seeds:
            runs.append(run(seed, asked.threads, asked.size, asked.only, print, journal=journal))
            if runs[-1]["interrupted"]:
                break
    show(asked, runs)
    if runs[-1].get("interrupted"):
        raise SystemExit(128 + signal.SIGINT)
    if any(run["failed"] for run in runs):
        raise SystemExit("separatrix failed on a task: see FAILED above")
    return None


def in_turns(asked: argparse.Namespace) -> None:
    """Measure beside another checkout, and compare."""
    from benchmarks.compare import HEADER, compared, sides
    from benchmarks.printing import aligned
    from benchmarks.suite import beside

    stop_as_by_ctrl_c()
    before = asked.before.resolve()
    journal = Journal(asked.json, f"{stamp(before)} {stamp(ROOT / 'src')}")
    try:
        for seed in asked.seeds:
            beside(before, asked.size, seed, asked.only, threads=asked.threads, journal=journal)
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    finally:
        print(aligned([HEADER, *compared(*sides(journal.rows.values()))], {0, 1, 5, 6}))
    if failed := [f"{row['line']}: {row['failed']}" for row in journal.rows.values()
                  if row.get("failed")]:  # fmt: skip
        raise SystemExit("\n".join(failed))


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
