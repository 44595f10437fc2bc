"""The fewest mistakes on the command line: limits, proofs, progress, Ctrl-C."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from tests.processes import separatrix


def table(path, n=120, d=2, noise=0.15, seed=0):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))
    y = (X @ r.standard_normal(d) > 0) ^ (r.random(n) < noise)
    names = ",".join([*(f"x{j}" for j in range(d)), "pays"])
    rows = [",".join([*map(repr, x), "ny"[int(k)]]) for x, k in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join([names, *rows]) + "\n")
    return path


def flat(text):
    return " ".join(text.split())


def test_learn_says_the_fewest_mistakes_and_puts_them_into_its_proof(run, tmp_path):
    path, proof = table(tmp_path / "t.csv"), tmp_path / "p.json"
    code, out, _ = run("learn", path, "--label", "pays", "--full", "--proof", proof)
    assert code == 0
    said = re.search(
        r"(\d+) of 120; (?:the fewest of any line is (\d+)|no line makes fewer)", flat(out)
    )
    fewest = said[2] or said[1]
    code, said, _ = run("verify", proof, path)
    assert code == 0
    assert f"at least {fewest} mistakes on the 120 rows, and the line of claim" in said


def test_limits_reach_the_search(run, tmp_path):
    path = table(tmp_path / "t.csv", 200, 9, 0.25)
    code, out, _ = run("learn", path, "--label", "pays", "--json", "--fewest-nodes", 700)
    found = json.loads(out)["fewest_mistakes"]
    assert (code, found["boxes"], found["bounds_meet"]) == (0, 700, False)
    code, out, _ = run("learn", path, "--label", "pays", "--json", "--fewest-seconds", 0)
    assert "depends on the machine" in json.loads(out)["fewest_mistakes"]["reason"]
    code, _, err = run("learn", path, "--label", "pays", "--fewest-seconds", -1)
    assert code == 2
    assert "--fewest-seconds" in err


def test_the_proof_of_many_rows_names_rows_that_contradict(run, tmp_path):
    path, proof = table(tmp_path / "t.csv", n=14_000, d=4), tmp_path / "p.json"
    few = "--learners", "linear"
    code, out, _ = run("learn", path, "--label", "pays", "--full", "--proof", proof, *few)
    assert code == 0
    fewest = re.search(r"no line makes fewer than ([\d,]+) \(proven\)", flat(out))[1]
    assert int(fewest.replace(",", "")) > 500
    assert "--fewest-seconds 60 searches for a minute" in flat(out)
    code, said, _ = run("verify", proof, path)
    assert code == 0
    assert f"at least {fewest} mistakes (rows on the line counted), since {fewest} sets" in said


def test_prove_fewest_with_costs_and_through_verify(run, tmp_path):
    path, proof = table(tmp_path / "t.csv", 60), tmp_path / "p.json"
    code, out, _ = run(
        "prove", path, "--label", "pays", "--fewest", "--cost-wrong-yes", 5, "-o", proof
    )
    assert code == 0
    assert "a wrong yes counts 5-fold, a wrong no 1-fold" in out
    code, said, _ = run("verify", proof, path)
    assert code == 0
    assert out in said
    code, out, _ = run("prove", path, "--label", "pays", "-o", tmp_path / "other.json")
    assert (code, "Every line makes" in out) == (0, False)
    code, out, _ = run("prove", path, "--label", "pays", "--fewest-nodes", 3, "-o", proof)
    assert (code, "Every line makes at least" in out) == (0, True)


def test_the_line_with_the_fewest_mistakes_is_a_model(run, tmp_path):
    path, model = table(tmp_path / "t.csv", 60, 3, 0.2, 4), tmp_path / "m"
    code, out, _ = run(
        "learn", path, "--label", "pays", "--json", "--model", model, "--line", "fewest"
    )
    assert code == 0
    found = json.loads(out)
    fewest = found["fewest_mistakes"]["upper"]
    assert fewest < min(r["mistakes"] for r in found["learners"])
    code, out, _ = run("predict", model, path)
    answers = [line.split(",")[1] for line in out.splitlines()[1:]]
    right = [line.split(",")[-1] for line in path.read_text().splitlines()[1:]]
    assert sum(a != b for a, b in zip(answers, right, strict=True)) == fewest
    code, _, err = run("learn", path, "--label", "pays", "--line", "fewest")
    assert (code, "name a file" in flat(err)) == (2, True)


@contextlib.contextmanager
def on_a_terminal(*arguments):
    """Yield a running command and what reads its terminal until words are shown there."""
    ours, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "separatrix", *arguments],
        stderr=terminal,
        stdout=subprocess.PIPE,
        env=os.environ | {"COLUMNS": "200"},  # no sentence is broken
    )
    os.close(terminal)
    shown = b""

    def until(words: bytes) -> bytes:
        nonlocal shown
        with contextlib.suppress(OSError):  # the terminal is gone when the process is
            while words not in shown and (part := os.read(ours, 4096)):
                shown += part
        return shown

    try:
        yield process, until
    finally:
        process.kill()  # a search that went on would outlive its test
        process.communicate(timeout=60)
        os.close(ours)


@pytest.mark.parametrize("doing", [b"writing the proof (", b"checking the proof as a stranger"])
def test_an_interrupt_while_a_proof_is_written_leaves_none(doing, tmp_path):
    """Nothing was told then, for as long as the search had taken."""
    path, proof = table(tmp_path / "t.csv", 300, 5, 0.2), tmp_path / "p.json"
    told = ["prove", str(path), "--label", "pays", "--fewest", "-o", str(proof)]
    with on_a_terminal(*told) as (process, until):
        assert doing in until(doing)
        process.send_signal(signal.SIGINT)
        shown = until(b"nothing was written")
        assert process.wait(timeout=60) == 130
    assert b"interrupted; nothing was written" in shown
    assert b"Traceback" not in shown
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("command", ["learn", "prove"])
def test_an_interrupt_on_a_terminal_keeps_the_best_bracket(command, tmp_path):
    path, proof = table(tmp_path / "t.csv", 300, 9, 0.25), tmp_path / "p.json"
    more = {
        "learn": ["--fewest-seconds", "1000", "--full", "--proof", str(proof)],
        "prove": ["--fewest", "-o", str(proof)],
    }[command]
    with on_a_terminal(command, str(path), "--label", "pays", *more) as (process, until):
        assert b"between 1 and" in until(b"between 1 and")  # both bounds are told as they are found
        process.send_signal(signal.SIGINT)
        shown = until(b"its terminal is gone")
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, shown
    assert b"Traceback" not in shown
    said = flat(out.decode())
    assert ("it was interrupted" if command == "learn" else "is open between them") in said
    assert "the least of all lines is open" in separatrix("verify", proof, path).stdout
