"""The verifier as a plain script, with the standard library alone."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from separatrix import verify
from tests.verify.by_hand import AND, SEPARABLE, proof_of


def run(*arguments: str) -> subprocess.CompletedProcess:
    # -I: no environment, no user site, not the folder of the script: the standard library alone
    return subprocess.run(
        [sys.executable, "-I", "-S", verify.__file__, *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_as_a_script_it_answers_and_exits_as_promised(tmp_path):
    table, proof = tmp_path / "and.csv", tmp_path / "proof.json"
    table.write_bytes(AND)
    for claim, code, word in (
        (SEPARABLE, 0, "VERIFIED\n"),
        ({**SEPARABLE, "weights": [1, 1, 1]}, 1, "REFUTED: "),
        ({"kind": "magic"}, 3, "CANNOT CHECK: "),
    ):
        proof.write_text(json.dumps(proof_of(AND, [claim])))
        done = run(str(proof), str(table))
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.startswith(word)
    assert "first argument is the proof" in run(str(table), str(proof)).stdout
    told = run("--help").stdout
    assert "PROOF TABLE" in told
    assert "The exit code is 0, 1, 3" in told
    assert run(str(tmp_path), str(table)).returncode == 3
    assert run(str(proof), str(tmp_path / "none")).returncode == 3


def test_it_imports_the_standard_library_alone():
    tree = ast.parse(Path(verify.__file__).read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.split(".")[0])
    assert imported <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    "arguments",
    [[], ["p"], *(["p", "t", *limit] for limit in (
        ["--time-limit", "x"], ["--memory-limit"], ["--more", "1"], ["--time-limit", "-1"],
        ["--time-limit", "nan"],
    ))],
)  # fmt: skip
def test_wrong_use_is_told_from_an_answer(arguments):
    wrong = run(*arguments)
    assert (wrong.returncode, wrong.stdout) == (2, "")
