"""A tiny run of the benchmarks works and says what it promises. Nothing here depends on a time."""

import json
import math
import os
import re
import signal
import subprocess
import sys

import pytest
from benchmarks.__main__ import main
from benchmarks.journal import Journal, rows_of, stamp
from benchmarks.starting import start_ups, taking_turns

from tests.benchmarks.tiny import LINES, ROOT, TASKS, entries, read

SPREADS = ("seconds", "to_ours", "to_floor")


def of_kind(written, *kinds):
    return [m for m in written["measurements"] if m["task"].startswith(kinds)]


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
        alone = measurement["task"].startswith(("fewest", "simplex")) or measurement[
            "task"
        ].endswith("wide")  # no peer that installs does that
        assert "peer" in roles or alone
        assert set(roles[1:-2]) <= {"peer", "beside"}
        assert measurement["rounds"] == 2
    assert not written["failed"]
    assert all(of_kind(written, kind) for kind in TASKS)


def test_peers_that_are_not_installed_are_named(run):
    """Each is measured or named as absent, in what is printed as in what is written."""
    printed, written = run
    for measurement in of_kind(written, "logistic"):
        if measurement["task"].endswith(("two units", "levels", "wide C=1")):
            continue  # these two are not asked there
        measured = [entry["who"] for entry in measurement["entries"]]
        left_out = [who["who"] for who in measurement["left_out"]]
        assert sorted({"LIBLINEAR", "skglm ProxNewton"} & {*measured, *left_out}) == [
            "LIBLINEAR",
            "skglm ProxNewton",
        ]
        assert not {*measured} & {*left_out}
        assert all(f"{who['why']}" in printed for who in measurement["left_out"])


def test_spreads_are_in_order(run):
    for entry in entries(run[1]):
        for name in SPREADS:
            low, middle, high = (entry[name][key] for key in ("min", "median", "max"))
            assert low <= middle <= high
            assert math.isfinite(low)
            assert math.isfinite(high)


def test_ours_is_right_and_proven(run):
    for measurement in of_kind(run[1], *LINES):
        ours = measurement["entries"][0]["judgement"]
        assert ours["right"]
        assert ours["proven"] != measurement["task"].startswith(("pass", "gradient", "pocket"))
        # the verdict on a table with levels is timed without a line in doubles
        if measurement["separable"] and not measurement["task"].endswith("levels"):
            assert (ours["mistakes"], ours["e_in"]) == (0, 0.0)


def test_the_peer_walks_as_ours_does(run):
    """So a pass of the peer does the same work, and ratios compare the same thing."""
    for measurement in of_kind(run[1], "pass", "gradient", "pocket", "separation"):
        peer = measurement["entries"][1]
        assert peer["same_line"]
        assert peer["judgement"]["e_in"] == measurement["entries"][0]["judgement"]["e_in"]
        if measurement["task"].startswith("pocket"):  # as many updates, to the same last weights
            assert peer["work"] == measurement["entries"][0]["work"]


def test_every_optimum_is_held_against_the_least(run):
    for measurement in of_kind(run[1], "logistic"):
        for entry in measurement["entries"][:-2]:
            judged = entry["judgement"]
            assert judged["right"] == (judged["excess"] <= 1e-8), entry["who"]
        assert measurement["entries"][0]["judgement"]["right"]
    for measurement in of_kind(run[1], "least squares"):
        ours = measurement["entries"][0]["judgement"]
        assert ours["right"]
        assert ours["digits"] > 13
        assert ours["e_in"] is None


def test_table_has_a_line_for_every_entry(run):
    printed, written = run
    header, *lines = printed.split("\n\n")[1].splitlines()
    assert header.split()[:4] == ["task", "who", "median", "min"]
    expected = sum(len(m["entries"]) + len(m["left_out"]) + 1 for m in written["measurements"])
    assert len(lines) == expected
    assert all("/ ours" not in line for line in lines)


def test_start_up_is_measured_in_a_fresh_process():
    alone, with_numpy = start_ups([], rounds=1)
    assert not taking_turns({"absent": "import no_such_library"}, rounds=1)
    assert (alone.imports, with_numpy.imports) == ("pass", "import numpy")
    assert alone.seconds.min > 0.0


def test_an_unknown_task_is_refused():
    from benchmarks.suite import run

    with pytest.raises(SystemExit, match="nonsense"):
        run(0, 1, "tiny", ["nonsense"], print, journal=Journal(None))


def test_a_run_that_is_stopped_keeps_what_is_finished_goes_on_and_gives_its_table_again(
    tmp_path, monkeypatch
):
    file, table = tmp_path / "run.jsonl", tmp_path / "bars.md"
    command = [sys.executable, "-m", "benchmarks", "--size", "tiny", "--seeds", "3,5"]
    command += ["--only", "squares 200x2", "--only", "simplex", "--json", str(file)]
    started = subprocess.Popen(
        [*command, "--only", "open tables", "--markdown", str(table)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr.readline().startswith("simplex 18x8 touching: ")
    before = file.read_text()  # on disk when it is said to be done
    started.terminate()
    printed, rest = started.communicate()
    assert (started.returncode, "Traceback" in rest) == (130, False)
    assert of_kind(read(file)[0], "simplex")
    assert not of_kind(read(file)[0], "least squares")
    assert "interrupted: only what was finished before is kept" in printed
    assert table.exists()
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert file.read_text().startswith(before)
    rows = map(json.loads, file.read_text().splitlines())
    measured = [row["row"] for row in rows if "measurement" in row]
    assert len(measured) == len(set(measured)) == sum(len(r["measurements"]) for r in read(file))
    assert all(of_kind(written, "least squares") for written in read(file))
    assert "simplex 18x8" in again.stdout
    monkeypatch.setattr("benchmarks.__main__.set_threads", lambda _: None)
    monkeypatch.setattr("sys.argv", ["benchmarks", "--again", str(file), "--markdown", str(table)])
    main()
    head, _, rest = table.read_text().partition("\n\n")
    assert read(file)[0]["machine"]["cpu"] in head
    assert rest.startswith("| bar | must | goal | seed 3 | seed 5 | reached | against |\n| --- |")


def test_ours_takes_turns_with_another_checkout(tmp_path, monkeypatch, capsys):
    """Which is here this one, behind an `__init__` of its own that says that it was imported."""
    other, file = tmp_path / "other" / "src", tmp_path / "rows.jsonl"
    (other / "separatrix").mkdir(parents=True)
    (other.parent / "benchmarks").symlink_to(ROOT / "benchmarks")
    ours = ROOT / "src" / "separatrix" / "__init__.py"
    (other / "separatrix" / "__init__.py").write_text(
        f"open({str(tmp_path / 'imported')!r}, 'a').write('x')\n"
        f"__path__ = [{str(ours.parent)!r}]\nexec(open({str(ours)!r}).read())\n"
    )
    for name in ("set_threads", "stop_as_by_ctrl_c"):
        monkeypatch.setattr(f"benchmarks.__main__.{name}", lambda *_: None)
    monkeypatch.setattr("benchmarks.suite.TURNS", 1)
    command = ["benchmarks", "--size", "tiny", "--only", "squares 200x2", "--before", str(other)]
    monkeypatch.setattr("sys.argv", [*command, "--json", str(file)])
    main()
    assert re.search(r"least squares 200x2 +seconds .*x +the same", capsys.readouterr().out)
    kept = file.read_text()
    lines = [json.loads(line)["line"] for line in kept.splitlines()]
    assert lines == ["least squares 200x2 (before)", "least squares 200x2"]
    assert (tmp_path / "imported").read_text() == "x"
    main()
    assert file.read_text() == kept


def test_the_fewest_mistakes_come_with_a_checked_proof(run):
    printed, written = run
    (measurement,) = of_kind(written, "fewest 200x2")
    judged = measurement["entries"][0]["judgement"]
    assert judged["proven"]
    assert judged["text"].endswith("proven")
    assert set(judged["proof"]) == {"kilobytes", "proving", "seconds"}
    assert min(judged["proof"].values()) > 0.0
    assert f"{judged['proof']['kilobytes']:.3g} kB" in printed
    assert all(m["entries"][0]["judgement"]["proof"] is None for m in of_kind(written, *LINES))


WRITER = """
import sys, time
from pathlib import Path
from benchmarks.journal import Journal, stop_as_by_ctrl_c
stop_as_by_ctrl_c()
journal = Journal(Path(sys.argv[1]))
try:
    for k in range(3):
        if not journal.done(f"row {k}"):
            journal.add(f"row {k}", {"k": k})
            print(k, flush=True)
            time.sleep(60 if k == int(sys.argv[2]) else 0)
except KeyboardInterrupt:
    raise SystemExit(130)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_keeps_its_rows_and_goes_on(tmp_path, how):
    path = tmp_path / "rows.jsonl"
    command = [sys.executable, "-c", WRITER, str(path)]
    started = subprocess.Popen([*command, "1"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert [started.stdout.readline() for _ in range(2)] == ["0\n", "1\n"]
    started.send_signal(how)
    started.communicate()
    assert started.returncode == (-how if how == signal.SIGKILL else 130)
    again = subprocess.run([*command, "9"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert again.stdout == "2\n"
    assert [json.loads(line)["k"] for line in path.read_text().splitlines()] == [0, 1, 2]


def test_half_a_line_and_other_code_are_done_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    journal = Journal(path, "one")
    journal.add("a", {"seconds": 1.0})
    journal.add("b", {"failed": "why"})
    with path.open("a") as file:
        file.write('{"row": "c", "sec')
    again = Journal(path, "one")
    assert [bool(again.done(name)) for name in "abc"] == [True, True, False]
    assert not Journal(path, "two").done("a")
    again.add("b", {"seconds": 2.0})
    assert {name: row.get("seconds") for name, row in rows_of(path).items()} == {"a": 1, "b": 2}
    (tmp_path / "m.py").write_text("x = 1\n")
    before = stamp(tmp_path)
    os.utime(tmp_path / "m.py", (0, 0))
    assert stamp(tmp_path) == before
    (tmp_path / "m.py").write_text("x = 2\n")
    assert stamp(tmp_path) != before
