"""A tiny run of the benchmarks."""

import pytest

from tests.benchmarks.tiny import ROOT, TASKS, read
from tests.processes import python


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """What a tiny run printed, and what it wrote."""
    file = tmp_path_factory.mktemp("benchmarks") / "run.json"
    only = [part for name in (*TASKS, "nist") for part in ("--only", name)]
    command = ["-m", "benchmarks", "--size", "tiny", "--seed", "7", *only, "--json", file]
    done = python(*command, cwd=ROOT)
    return done.stdout, read(file)[0]
