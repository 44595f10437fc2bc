"""A tiny run of the benchmarks."""

import subprocess
import sys

import pytest

from tests.benchmarks.tiny import ROOT, TASKS, read


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """What a tiny run printed, and what it wrote."""
    file = tmp_path_factory.mktemp("benchmarks") / "run.json"
    only = [part for name in (*TASKS, "nist") for part in ("--only", name)]
    command = [sys.executable, "-m", "benchmarks", "--size", "tiny", "--seed", "7", *only]
    done = subprocess.run(
        [*command, "--json", str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, read(file)[0]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
