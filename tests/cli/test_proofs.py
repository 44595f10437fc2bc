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
