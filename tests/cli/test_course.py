"""The commands of the course: films, made tables, grades, the lab."""

import csv
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from separatrix.lab import single_file
from tests.course.test_homework import TASKS, file_of, right_answer
from tests.report.films import decoded, needs_ffmpeg


def test_the_command_films_the_demonstration(run, tmp_path):
    code, out, err = run("animate", "--demo", "-o", tmp_path / "d.gif", "--frames", "20")
    assert (code, out) == (0, "")
    assert "a whole pass met no mistake" in err
    assert len(decoded(tmp_path / "d.gif")[0]) <= 20


def test_the_command_films_columns_of_a_table(run, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        'sex,"pay, net",age,ok\n' + "".join(
            f"{'fm'[k % 2]},{10 * k},{20 + k % 5},{'ny'[k % 2]}\n" for k in range(12)
        )
    )  # fmt: skip
    code, _, err = run(
        "animate", table, "--label", "ok", "--yes", "n", "--columns", 'sex,"pay, net"', "-o",
        tmp_path / "f.gif", "--frames", "5",
    )  # fmt: skip
    assert code == 0, err
    assert len(decoded(tmp_path / "f.gif")[0]) <= 5


@needs_ffmpeg
def test_an_interrupt_leaves_nothing(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    script = (
        "import sys, numpy as np, separatrix as sx\n"
        "made = sx.make_separable(60, 2, margin=0.02, seed=21)\n"
        "def tell(sentence):\n"
        "    if 'frame 5 ' in sentence: print('five', flush=True)\n"
        f"path = {str(tmp_path / 'out' / 'f.mp4')!r}\n"
        "sx.animate(made.X, made.y, path, frames=2000, progress=tell)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    assert process.stdout.readline().strip() == "five"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in told
    assert list((tmp_path / "out").iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []


pytestmark = pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")


def test_a_folder_is_graded(run, tmp_path):
    folder, task = tmp_path / "in", TASKS["updates"]
    folder.mkdir()
    (folder / "a.json").write_text(file_of(task, *right_answer(task)))
    (folder / "b.json").write_text("no")
    code, out, err = run("grade", folder)
    assert code == 0
    assert [line.split(",")[3] for line in out.splitlines()] == ["right", "yes", "no"]
    assert "1 of 2 files are right" in err
    code, out, _ = run("grade", folder, "-o", tmp_path / "grades.csv", "-q")
    assert (code, out) == (0, "")
    assert (
        (tmp_path / "grades.csv")
        .read_text()
        .startswith("file,student,task,right,why,same as\na.json")
    )


@pytest.mark.parametrize("name", ["separable", "noisy", "credit", "graduation"])
def test_what_is_made_can_be_learned_from(run, tmp_path, name):
    code, out, err = run("make", name, "--rows", 60, "--seed", 3)
    rows = list(csv.DictReader(io.StringIO(out)))
    label = {"credit": "approved", "graduation": "graduates"}.get(name, "label")
    assert code == 0
    assert len(rows) == 60
    assert {row[label] for row in rows} == {"no", "yes"}
    assert err.startswith(f"separatrix: The known target: {label} is yes if ")
    assert err.count("\n") == 1
    csv_path, parquet_path = tmp_path / "t.csv", tmp_path / "t.PARQUET"
    for path in (csv_path, parquet_path):
        assert run("make", name, "--rows", 60, "--seed", 3, "-o", path, "-q") == (0, "", "")
    assert csv_path.read_text() == out
    assert parquet_path.read_bytes().startswith(b"PAR1")
    verdicts = [
        json.loads(run("learn", path, "--label", label, "--json", "-q")[1])
        for path in (csv_path, parquet_path)
    ]
    assert verdicts[0]["separability"] == verdicts[1]["separability"] or name == "noisy"
    assert verdicts[0]["separability"]["separable"] is (name != "noisy")


def test_make_obeys_its_options(run):
    code, out, err = run("make", "noisy", "--rows", 30, "--columns", 4, "--flip", 1, "-o", "-")
    assert (code, out.splitlines()[0]) == (0, "x1,x2,x3,x4,label")
    assert "30 labels were turned round, in row 1, 2, 3" in err
    _, clean, _ = run("make", "separable", "--rows", 30, "--columns", 4)
    for noisy, right in zip(out.split()[1:], clean.split()[1:], strict=True):
        assert noisy.rsplit(",", 1)[0] == right.rsplit(",", 1)[0]
        assert {noisy.rsplit(",", 1)[1], right.rsplit(",", 1)[1]} == {"no", "yes"}
    _, out, _ = run("make", "credit", "--rows", 200, "--missing", 0.2)
    cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
    assert 150 < cells.count("") < 350
    _, wide, _ = run("make", "separable", "--margin", 50)
    values = [float(v) for row in list(csv.reader(io.StringIO(wide)))[1:] for v in row[:-1]]
    assert max(map(abs, values)) > 25


def test_it_writes_one_file(run, tmp_path):
    path = tmp_path / "lab.html"
    code, out, err = run("lab", "-o", path)
    assert (code, out) == (0, "")
    assert "needs no network" in err
    assert path.read_text("utf-8") == single_file()


def test_it_is_served_until_ctrl_c():
    command = [sys.executable, "-m", "separatrix", "lab", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.readline()
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", said)
        with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310  # our own server
            assert b"separatrix lab" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) in (0, 130)


def test_a_port_that_is_taken_is_named(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("lab", "--no-browser", "--port", port)
    assert code == 2
    assert f"port {port}" in err
