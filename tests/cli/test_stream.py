"""`learn - --stream`: what it prints and writes, and how it ends."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import termios
import time

import numpy as np
import pytest

from separatrix import Perceptron, load
from tests.hostile.profile import cases

ROWS = 20_000
ODD = 17_654  # the row, from 0, that contradicts those before it


def text_of_rows(n=ROWS, odd=ODD, start=0):
    """Return lines of rows that a line separates until the odd one."""
    rng = np.random.default_rng(start)
    X = rng.normal(size=(n, 4)).round(4)
    yes = X @ [1.0, -2.0, 0.5, 3.0] + 0.3 > 0.0
    if start <= odd < start + n:
        X[odd - start], yes[odd - start] = [1, -1, 1, 1], False
    return "".join(
        f"{','.join(map(repr, x))},{'good' if label else 'bad'}\n"
        for x, label in zip(X.tolist(), yes.tolist(), strict=True)
    )


HEAD = "a,b,c,d,loan\n"


def learn(*arguments, data="", **options):
    return subprocess.run(
        [sys.executable, "-m", "separatrix", "learn", *map(str, arguments), "--stream"],
        capture_output=True,
        input=data,
        text=True,
        timeout=200,
        check=False,
        **options,
    )


@pytest.fixture(scope="module")
def rows():
    return HEAD + text_of_rows()


@pytest.fixture(scope="module")
def found(rows):
    return json.loads(learn("-", "--label", "loan", "--json", data=rows).stdout)


def test_the_first_screen(rows, tmp_path):
    done = learn("-", "--label", "loan", "--model", tmp_path / "m.json", data=rows)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 80
    said = " ".join(done.stdout.split())
    assert "stdin: 20,000 rows, 4 columns; good " in said
    assert "no (proven) since line 17,656: it and " in said
    assert "the 17,654 rows before it are separable (proven)" in said
    assert "separatrix predict" in said
    assert done.stderr.count("not separable (proven) by line 17,656") == 1
    model = load(tmp_path / "m.json")
    assert model.classes_.tolist() == ["bad", "good"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    chinese = learn("-", "--label", "loan", "--lang", "zh-Hant", data=rows)
    assert "自第 17,656 行起否（已證明）" in chinese.stdout


def test_json_has_what_the_rows_show(rows, found):
    assert found["table"]["rows"] == ROWS
    assert found["separability"]["first_rows_separable"] == ODD
    assert found["separability"]["first_rows_not_separable"] == ODD + 1
    assert found["separability"]["ceased_at_line"] == ODD + 2
    lines = rows.splitlines()
    total = [0] * 5
    for row in found["separability"]["contradiction"]:
        *x, label = lines[row["line"] - 1].split(",")
        sign = 1 if label == "good" else -1
        assert row["signed_row"] == [sign * float(v) for v in ("1", *x)]
        exact = [int(row["multiplier"]) * a for a in scaled(row["signed_row"])]
        total = [a + b for a, b in zip(total, exact, strict=True)]
    assert total == [0] * 5
    X = np.array([line.split(",")[:4] for line in lines[1:]], dtype=float)
    y = np.array([line.split(",")[4] for line in lines[1:]])
    pla = Perceptron().partial_fit(X, y)
    assert found["learner"]["weights"] == [*pla.intercept_, *pla.coef_[0]]
    assert found["mistakes"] == pla.n_updates_


def scaled(row):
    """Return doubles times 2^80, as integers."""
    return [int(a * 2.0**70) * 2**10 for a in row]


def test_however_the_bytes_come_the_answer_is_the_same(rows, found):
    command = [sys.executable, "-m", "separatrix", "learn", "-", "--label", "loan", "--stream"]
    with subprocess.Popen(
        [*command, "--json", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        data = rows.encode()
        for start in range(0, len(data), 99_991):
            process.stdin.write(data[start : start + 99_991])
            process.stdin.flush()
            time.sleep(0.01)
        out, _ = process.communicate(timeout=200)
    assert json.loads(out) == found


def test_a_file_is_streamed_and_predicts(rows, found, tmp_path):
    (tmp_path / "rows.csv").write_text(rows)
    for learner in ("pla", "averaged", "margin", "pa"):
        model = tmp_path / f"{learner}.json"
        done = learn(
            tmp_path / "rows.csv", "--label", "loan", "--json", "--learner", learner,
            "--model", model,
        )  # fmt: skip
        said = json.loads(done.stdout)
        assert said["separability"] == found["separability"]
        answered = subprocess.run(
            [sys.executable, "-m", "separatrix", "predict", model, tmp_path / "rows.csv"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert answered.stdout.count("\n") == ROWS + 1


def test_a_file_is_read_again_where_that_decides(rows, tmp_path):
    lines = rows.splitlines()[1:]
    by_label = sorted(lines, key=lambda line: line.endswith("good"))
    kept = [line for line in by_label if line != lines[ODD]]
    text = "\n".join([HEAD.strip(), *kept, ""])
    from_pipe = learn("-", "--label", "loan", "--json", data=text)
    assert json.loads(from_pipe.stdout)["separability"]["separable"] is None
    shown = learn("-", "--label", "loan", data=text).stdout
    assert "not known: the first" in shown
    (tmp_path / "rows.csv").write_text(text)
    from_file = learn(tmp_path / "rows.csv", "--label", "loan", "--json")
    assert json.loads(from_file.stdout)["separability"]["separable"] is True
    (tmp_path / "rows.csv").write_text(text + lines[ODD] + "\n")
    ceased = learn(tmp_path / "rows.csv", "--label", "loan", "--json")
    assert json.loads(ceased.stdout)["separability"]["ceased_at_line"] == ROWS + 1


def test_what_is_known_is_said_every_so_many_rows(rows, tmp_path):
    (tmp_path / "rows.csv").write_text(rows)
    for table, data in (("-", rows), (tmp_path / "rows.csv", "")):
        done = learn(table, "--label", "loan", "--every", "5000", "--delta", "0.01", data=data)
        said = [line.split(" rows, ")[0].split(": ")[-1] for line in done.stderr.splitlines()]
        assert said == ["5,000", "10,000", "15,000", "20,000"]
        assert "99 % sure" in " ".join(done.stdout.split())
    assert learn("-", "--label", "loan", "--quiet", data=rows).stderr == ""


def test_labels_and_options_of_reading():
    text = "id;x;y\n1;1,5;1\n2;2,5;0\n3;;1\n4;0,5;1\n"
    done = learn(
        "-", "--label", "y", "--yes", "0", "--drop", "id", "--decimal", ",", "--json", data=text
    )
    said = json.loads(done.stdout)
    assert (said["table"]["yes"], said["table"]["no"]) == ("0", "1")
    assert (said["table"]["rows"], said["table"]["rows_dropped"]) == (3, 1)
    assert said["separability"]["separable"] is True


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (["--label", "y"], "", "stdin is empty"),
        ([], "x,y\n1,a\n2,b\n", "--label"),
        (["--label", "y"], "x,y\n1,a\nred,b\n", "line 3, column 'x': 'red'"),
        (["--label", "y"], "x,y\n1,a\n2,b\n3,c\n", "line 4, column 'y': 'c' is a third label"),
        (["--label", "y"], "x,y\n1,a\n2,a\n", "one label only"),
        (["--label", "y", "--no", "a", "--yes", "a"], "x,y\n1,a\n", "the same label"),
        (["--label", "y", "--degree", "2"], "x,y\n", "--degree does not go with --stream"),
        (["--label", "y", "--report", "r.html"], "x,y\n", "--report does not go with --stream"),
        (["--label", "y", "--missing", "fill"], "x,y\n", "takes all rows to know"),
        (["--label", "y", "--learner", "logistic"], "x,y\n", "reads its rows more than once"),
        (["--label", "y", "--format", "parquet"], "x,y\n", "--stream reads CSV"),
        (["--label", "y", "--delta", "0"], "x,y\n", "--delta"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(arguments, data, message, tmp_path):
    done = learn("-", *arguments, "--model", "m.json", data=data, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_options_of_a_stream_need_it(tmp_path):
    for arguments in (["--every", "5"], ["--no", "a"], ["--delta", "0.1"], ["--learner", "pa"]):
        done = subprocess.run(
            [sys.executable, "-m", "separatrix", "learn", "-", "--label", "y", *arguments],
            capture_output=True,
            text=True,
            check=False,
            input="x,y\n1,a\n2,b\n",
            cwd=tmp_path,
        )
        assert done.returncode == 2
        assert "--stream" in done.stderr
    refused = learn(tmp_path / "absent.csv", "--label", "y")
    assert refused.returncode == 2
    assert "absent.csv' cannot be read: No such file" in refused.stderr
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    same = learn(tmp_path / "t.csv", "--label", "y", "--model", tmp_path / "t.csv")
    assert "is being read" in same.stderr


@contextlib.contextmanager
def running(tmp_path, *arguments):
    command = [sys.executable, "-m", "separatrix", "learn", "-", "--label", "loan", "--stream"]
    with subprocess.Popen(
        [*command, "--model", "m.json", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        yield process
        process.kill()


def said_until(process, text):
    """Return the lines on stderr up to the first with this text."""
    lines = [""]
    while text not in lines[-1]:
        line = process.stderr.readline().decode()
        assert line, f"ended before {text!r}: {lines}"
        lines.append(line)
    return lines[1:]


def test_rows_that_came_are_worked_on_before_more_are_waited_for(rows, found, tmp_path):
    """A burst, then nothing: all is said of it, and Ctrl-C ends with all of its whole rows."""
    with running(tmp_path, "--json", "--every", "5000") as process:
        process.stdin.write(rows.encode() + b"0.5,0.5,")  # the pipe stays open
        process.stdin.flush()
        lines = said_until(process, "20,000 rows")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=100)
    said = [line.split(" rows, ")[0].split(": ")[-1] for line in lines]
    assert said == ["5,000", "10,000", "15,000", "20,000"]
    assert "not separable (proven) by line 17,656" in lines[-1]
    assert process.returncode == 130
    assert json.loads(out) == found | {"interrupted": True}
    assert load(tmp_path / "m.json").coef_.tolist() == [found["learner"]["weights"][1:]]


def test_a_contradiction_is_said_when_its_row_comes(tmp_path):
    """Also where no batch of rows is full, and nothing was asked to be said."""
    with running(tmp_path) as process:
        process.stdin.write((HEAD + text_of_rows(3000, 2500)).encode())
        process.stdin.flush()
        said_until(process, "3,000 rows, ")
        process.stdin.write(text_of_rows(10, -1, start=1).encode())
        process.stdin.close()
        process.stdin = None
        out, err = process.communicate(timeout=100)
    assert b"3,010 rows" in out
    assert err == b""


def test_an_interrupt_in_the_wait_for_more_keeps_what_came(tmp_path):
    """Fewer rows than a dialect is found from, and an end within a row."""
    with running(tmp_path, "--json") as process:
        process.stdin.write((HEAD + text_of_rows(60, -1)).encode() + b"9,9,9")
        process.stdin.flush()
        while struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4))[0]:
            time.sleep(0.01)  # until they are read
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
    assert process.returncode == 130, err
    said = json.loads(out)
    assert (said["interrupted"], said["table"]["rows"]) == (True, 60)
    assert (tmp_path / "m.json").exists()


def test_an_interrupt_before_the_first_rows_writes_nothing(tmp_path):
    with running(tmp_path) as process:
        process.stdin.write(HEAD.encode())
        process.stdin.flush()
        time.sleep(3.0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)
    assert process.returncode == 130
    assert b"nothing was written" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="sizes of processes are those of Unix")
def test_memory_does_not_grow_with_the_rows():
    """Peak memory of a stream three times as long, past the first blocks of bytes."""
    most, blocks = [], cases(1_200_000, 6_000_000) // 10_000
    block = text_of_rows(10_000, -1).encode()
    for n in (blocks // 3, blocks):
        command = [sys.executable, "-m", "separatrix", "learn", "-", "--label", "loan", "--stream"]
        with subprocess.Popen(
            [*command, "-q", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            process.stdin.write(HEAD.encode())
            for _ in range(n):
                process.stdin.write(block)
            process.stdin.close()
            said = json.loads(process.stdout.read())
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert said["table"]["rows"] == 10_000 * n
        most.append(used.ru_maxrss / (1 if sys.platform == "darwin" else 1024))
    assert isinstance(used, resource.struct_rusage)
    assert most[1] < most[0] + 40  # MiB
