"""`separatrix prove` and `separatrix verify`."""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.shell import GOOD
from tests.proving.test_any_size import D, N, arrays


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


class Opened:
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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of a table of arrays, and of three Parquet files."""
    X, y = arrays("overlapping")
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    for k in range(3):
        part = slice(k * N // 3, (k + 1) * N // 3)
        columns = {f"a{j}": X[part, j] for j in range(D)}
        answer = np.where(y[part], "yes", "no")
        pq.write_table(pa.table({**columns, "y": answer}), tmp_path / f"part{k}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "against"),
    [
        (["X.npy", "--label", "y.npy"], ["X.npy", "y.npy"]),
        (["part*.parquet", "--label", "y"], ["p.table.csv"]),
        (["part0.parquet", "part1.parquet", "--label", "y"], ["p.table.csv"]),
    ],
)
def test_the_command_proves_and_names_what_verifies(run, folder, words, against):
    code, out, err = run("prove", *words, "-o", "p.json")
    assert code == 0, err
    assert f"separatrix verify p.json {' '.join(against)}" in err
    assert run("verify", "p.json", *against) == (0, f"VERIFIED\n{out}", "")


def test_the_command_proves_a_bracket_of_the_fewest_mistakes(run, folder):
    X, y = (np.tile(np.load(name), (30, 1)[: np.load(name).ndim]) for name in ("X.npy", "y.npy"))
    np.save("X.npy", X + np.random.default_rng(0).normal(size=X.shape).astype(np.float32))
    np.save("y.npy", y)
    words = ("X.npy", "--label", "y.npy", "--fewest-nodes", "2", "--memory", "512MB")
    code, out, err = run("prove", *words, "-o", "p.json")
    assert code == 0, err
    assert "sets of rows contradict each other" in out
    assert run("verify", "p.json", "X.npy", "y.npy") == (0, f"VERIFIED\n{out}", "")


MADE_OF = [
    (["part*.parquet", "--label", "y", "--memory", "512MB"], ["part*.parquet"]),
    (["part0.parquet", "--label", "y"], ["part0.parquet"]),
    (["X-*.npy", "--label", "y.npy"], ["X-*.npy", "y.npy"]),
    (["F.npy", "--label", "-1"], ["F.npy"]),
    (["X.npy", "--label", "words.npy"], ["X.npy", "words.npy"]),
]


@pytest.mark.parametrize(("proven", "given"), MADE_OF)
def test_the_table_of_a_proof_is_made_again_of_what_it_was_made_of(run, folder, proven, given):
    X, y = np.load("X.npy"), np.load("y.npy")
    np.save("X-0.npy", X[:700])
    np.save("X-1.npy", X[700:])
    np.save("F.npy", np.asfortranarray(np.column_stack([X, y])))
    np.save("words.npy", np.where(y, "yes", "no"))
    words = ["prove", *proven, "-o", "p.json"]
    assert run(*words)[0] == 0
    code, said, err = run(*words)
    assert code == 0
    assert "is written beside it: p.table.csv" in err
    assert ("'1' (yes" in said) == ("F.npy" in given or "y.npy" in given)
    code, out, _ = run("verify", "p.json", *given)
    assert code == 0
    assert out.startswith(f"VERIFIED\n{said}(Lines and columns are those of the plain table that ")
    assert run("verify", "p.json", "p.table.c*")[1] == f"VERIFIED\n{said}"
    content = json.loads(Path("p.json").read_text())
    content["table"]["files"][0]["sha256"] = "0" * 64
    Path("p.json").write_text(json.dumps(content))
    code, out, _ = run("verify", "p.json", *given)
    assert code == 3
    assert out.startswith("CANNOT CHECK: ")
    assert "gives another table than that of the proof" in out
    code, out, _ = run("verify", "p.json", "y.npy")
    assert code == 3
    assert "its SHA-256 is another one. It was written beside the proof" in out
