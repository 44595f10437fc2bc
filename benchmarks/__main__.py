"""`python -m benchmarks`: read the options, set the threads, run, print, write."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.machine import set_threads


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="data are drawn anew from it")
    parser.add_argument("--threads", type=int, default=1, help="of BLAS, OpenMP and Numba")
    parser.add_argument("--size", choices=("tiny", "small", "full"), default="small")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="tasks whose name contains NAME, or 'starting'; may be given again",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements")
    return parser.parse_args(arguments)


def main() -> None:
    """Run the suite."""
    asked = options()
    set_threads(asked.threads)  # before the libraries that read it are imported
    from benchmarks.suite import run

    result = run(asked.seed, asked.threads, asked.size, asked.only, print)
    if asked.json is not None:
        asked.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
