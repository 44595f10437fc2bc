"""A tiny run of the benchmarks works and says what it promises. Nothing here looks at a time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
TASKS = ("pass", "gradient", "pocket", "separation", "separability")
SPREADS = ("seconds", "to_ours", "to_floor")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What a tiny run printed, and what it wrote."""
    file = tmp_path_factory.mktemp("benchmarks") / "run.json"
    only = [part for name in TASKS for part in ("--only", name)]
    command = [sys.executable, "-m", "benchmarks", "--size", "tiny", "--seed", "7", *only]
    done = subprocess.run(
        [*command, "--json", str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(file.read_text())


def entries(written):
    return [entry for m in written["measurements"] for entry in m["entries"]]


def test_says_where_when_and_with_what(run):
    printed, written = run
    machine = written["machine"]
    assert {"date", "cpu", "cores", "load_average", "python", "threads"} <= set(machine)
    assert machine["thread_pools"]
    assert all(pool.endswith(" 1") for pool in machine["thread_pools"])
    assert {"separatrix", "numpy", "scipy", "scikit-learn", "numba"} <= set(machine["versions"])
    assert (written["seed"], written["size"]) == (7, "tiny")
    assert machine["cpu"] in printed


def test_every_task_has_ours_its_peers_the_null_peer_and_the_floor(run):
    _, written = run
    for measurement in written["measurements"]:
        roles = [entry["role"] for entry in measurement["entries"]]
        assert roles[0] == "ours"
        assert roles[-2:] == ["null", "floor"]
        assert set(roles[1:-2]) == {"peer"}
        assert measurement["rounds"] >= 5
    tasks = {m["task"].split()[0] for m in written["measurements"]}
    assert tasks == set(TASKS)


def test_spreads_are_in_order(run):
    for entry in entries(run[1]):
        for name in SPREADS:
            low, middle, high = (entry[name][key] for key in ("min", "median", "max"))
            assert low <= middle <= high
            assert math.isfinite(low)
            assert math.isfinite(high)


def test_ours_is_right_and_proven(run):
    for measurement in run[1]["measurements"]:
        ours = measurement["entries"][0]["judgement"]
        assert ours["right"]
        assert ours["proven"] != measurement["task"].startswith(("pass", "gradient", "pocket"))
        if measurement["separable"]:
            assert (ours["mistakes"], ours["e_in"]) == (0, 0.0)


def test_the_peer_walks_as_ours_does(run):
    """So a pass of the peer does the same work, and ratios compare the same thing."""
    for measurement in run[1]["measurements"]:
        if not measurement["task"].startswith("separability"):
            peer = measurement["entries"][1]
            assert peer["same_line"]
            assert peer["judgement"]["e_in"] == measurement["entries"][0]["judgement"]["e_in"]
        if measurement["task"].startswith("pocket"):  # as many updates, to the same last weights
            assert peer["work"] == measurement["entries"][0]["work"]


def test_table_has_a_line_for_every_entry(run):
    printed, written = run
    header, *lines = printed.split("\n\n")[1].splitlines()
    assert header.split()[:4] == ["task", "who", "median", "min"]
    assert len(lines) == sum(len(m["entries"]) + 1 for m in written["measurements"])
    assert all("/ ours" not in line for line in lines)


@pytest.fixture
def _benchmarks(monkeypatch):
    """The folder that holds `benchmarks`, importable."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.usefixtures("_benchmarks")
def test_wrong_answers_are_called_wrong():
    from benchmarks.answer import NOT_SEPARABLE, SEPARABLE, Answer
    from benchmarks.data import Table
    from benchmarks.judging import judge

    problem = Table(50, 2, margin=0.1).draw(np.random.default_rng(0))
    off = -problem.target

    def text(*answer, **more):
        return judge(Answer(*answer, **more), problem, "perceptron error").text

    assert text(problem.target, 1.0) == "separates, unproven"
    assert text(problem.target, 1.0, claim=SEPARABLE) == "separable, unproven"
    assert text(problem.target, 1.0, claim=SEPARABLE, check=lambda: True) == "separable, proven"
    assert text(problem.target, 1.0, claim=SEPARABLE, check=lambda: False) == "separable, unproven"
    assert text(off, 1.0) == "DOES NOT SEPARATE: misses 50 rows"
    assert text(off, 1.0, claim=SEPARABLE) == "WRONG: its line misses 50 rows, unproven"
    assert text(None, 1.0, claim=NOT_SEPARABLE) == "WRONG: claims not separable, unproven"


@pytest.mark.usefixtures("_benchmarks")
def test_a_task_draws_the_same_table_whatever_else_is_run():
    from benchmarks.tasks import TINY

    first, again, other = (TINY[1].problem(seed) for seed in (3, 3, 4))
    assert first.X.tobytes() == again.X.tobytes()
    assert first.X.tobytes() != other.X.tobytes()


@pytest.mark.usefixtures("_benchmarks")
def test_start_up_is_measured_in_a_fresh_process():
    from benchmarks.starting import start_ups

    alone, with_numpy = start_ups([], rounds=1)
    assert (alone.imports, with_numpy.imports) == ("pass", "import numpy")
    assert alone.seconds.min > 0.0


@pytest.mark.usefixtures("_benchmarks")
def test_an_unknown_task_is_refused():
    from benchmarks.suite import run

    with pytest.raises(SystemExit, match="nonsense"):
        run(seed=0, threads=1, size="tiny", only=["nonsense"], say=print)
