"""`separatrix prove` and `separatrix verify`."""

import json
import sys

import pytest

from tests.cli.shell import GOOD


def test_what_is_proven_is_verified_and_nothing_else(run, tmp_path):
    table, proof = tmp_path / "t.csv", tmp_path / "p.json"
    table.write_text(GOOD)
    code, out, err = run("prove", table, "--label", "pays", "-o", proof)
    assert code == 0
    assert "age" in out
    assert f"separatrix verify {proof} {table}" in err
    assert run("verify", proof, table) == (0, f"VERIFIED\n{out}", "")
    table.write_text(GOOD.replace("58", "59"))
    code, out, _ = run("verify", proof, table)
    assert (code, out.split(":")[0]) == (3, "CANNOT CHECK")
    table.write_text(GOOD)
    data = json.loads(proof.read_text())
    data["claims"][0]["weights"] = ["1", "0", "0"]
    data["claims"][0]["kind"] = "separable"
    proof.write_text(json.dumps(data))
    code, out, _ = run("verify", proof, table)
    assert (code, out.split(":")[0]) == (1, "REFUTED")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["learn", "t.csv", "--label", "pays", "--proof", "t.csv"], "being read"),
        (["learn", "t.csv", "--label", "pays", "--proof", "none/p.json"], "does not exist"),
        (["learn", "t.csv", "--label", "pays", "--proof", "p", "--model", "p"], "same file"),
        (
            ["learn", "t.csv", "--label", "pays", "--proof", "p.json", "--model", "p.table.csv"],
            "same file",
        ),
        (["prove", "t.csv", "--label", "pays", "-o", "p", "--multiclass", "ova"], "one yes"),
        (
            ["prove", "t.csv", "--label", "pays", "-o", "p", "--multiclass", "ova", "--yes", "no"],
            "--yes makes one",
        ),
        (["prove", "-", "--label", "pays", "-o", "p.json"], "not stdin"),
        (["prove", "t.csv", "--label", "pays", "-o", "-"], "name of a file"),
        (["prove", "t.csv", "--label", "pay", "-o", "p.json"], "pays"),
        (["prove", "t.csv", "--label", "pays"], "--output"),
    ],
)
def test_proofs_that_cannot_be_are_refused_and_nothing_is_written(
    run, tmp_path, monkeypatch, arguments, word
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(GOOD)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert word in err
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == GOOD


def test_verify_never_shows_a_traceback(run, tmp_path):
    (tmp_path / "p").write_bytes(b"\xff\xfe")
    for proof, table in ((tmp_path / "p", tmp_path / "p"), (tmp_path, "none"), ("none", tmp_path)):
        code, out, err = run("verify", proof, table)
        assert (code, out.split(":")[0], err) == (3, "CANNOT CHECK", "")


class Opened:
    """Counts how often a file is opened."""

    def __init__(self, path):
        self.path, self.times = str(path), 0
        sys.addaudithook(self.hook)

    def hook(self, event, arguments):
        if self.path and event == "open" and str(arguments[0]) == self.path:
            self.times += 1


@pytest.mark.parametrize(
    "command",
    [
        "learn t.csv --label pays --proof p.json --model m.json --report r.html",
        "prove t.csv --label pays -o p.json",
    ],
)
def test_a_table_is_read_once_so_that_it_cannot_change_in_between(
    run, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(GOOD)
    opened = Opened("t.csv")
    code, _, _ = run(*command.split(), "-q")
    opened.path = ""
    assert (code, opened.times) == (0, 1)
    assert run("verify", "p.json", "t.csv")[0] == 0
