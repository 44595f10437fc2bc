"""Rows are in their file when they are done, and what is whole there is not done again."""

import json
import os
import signal
import subprocess
import sys

import pytest
from benchmarks.journal import Journal, rows_of, stamp

from tests.benchmarks.tiny import ROOT

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
