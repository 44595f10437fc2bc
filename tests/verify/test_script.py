"""The verifier as a plain script, with the standard library alone, and within little memory."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from separatrix import verify
from tests.hostile.attacks import ATTACKS
from tests.processes import python
from tests.verify.arrays import checked, proof_of_arrays, sha256
from tests.verify.by_hand import AND, FITS, PROOFS, SEPARABLE, csv_of, proof_of


def run(*arguments: str) -> subprocess.CompletedProcess:
    # -I: no environment, no user site, not the folder of the script: the standard library alone
    return python("-I", "-S", verify.__file__, *arguments, check=False)


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


ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import verify
sys.stdout.write(json.dumps([verify.check_files(f"{k}.json", f"{k}.csv") for k in KS]))
"""


@pytest.mark.parametrize("minor", range(8, 15))
def test_every_python_answers_as_this_one(minor, tmp_path, monkeypatch):
    monkeypatch.setenv("PYENV_VERSION", f"3.{minor}")  # where pyenv is what starts them
    command = [f"python3.{minor}", "-I", "-S", "-c"]
    try:
        subprocess.run([*command, ""], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no such Python here")
    known = [(data, json.dumps(proof).encode()) for data, proof in [*PROOFS, *FITS]]
    tried = [*known, *(ATTACKS[name]()[:2] for name in ATTACKS if "exhausts" not in name)]
    for k, (data, proof) in enumerate(tried):
        (tmp_path / f"{k}.csv").write_bytes(data)
        (tmp_path / f"{k}.json").write_bytes(proof)
    shutil.copy(verify.__file__, tmp_path)
    monkeypatch.chdir(tmp_path)
    ask = ASK.replace("KS", f"range({len(tried)})")
    done = subprocess.run([*command, ask, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for k, (code, said) in enumerate(json.loads(done.stdout)):
        mine = verify.check_files(f"{k}.json", f"{k}.csv")
        assert code == mine[0]
        assert said == mine[1] or code == verify.CANNOT_CHECK


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


def test_a_time_limit_ends_the_check(tmp_path):
    rows = [(k, "y" if k > 100_000 else "n") for k in range(200_000)]
    data, told = tmp_path / "t.csv", tmp_path / "p.json"
    data.write_bytes(csv_of(rows))
    claims = [{"kind": "separable", "weights": [-100_000.5, 1]}]
    told.write_text(json.dumps(proof_of(data.read_bytes(), claims)))
    late = run(str(told), str(data), "--time-limit", "0.01")
    assert late.returncode == verify.CANNOT_CHECK
    assert late.stdout.startswith("CANNOT CHECK: the time limit was met")
    assert late.stdout.count("\n") == 1
    assert run(str(told), str(data)).stdout.startswith("VERIFIED")


LIMIT = 40 * 2**20  # bytes of data
SIZE = 60 * 2**20  # of the table
D = 200

# the limit is the process's own, so that it bounds what the verifier takes, however it is asked
WITHIN = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[1]),) * 2)
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_within(limit: int, *arguments: str) -> tuple[int, str]:
    words = ["-I", "-S", "-c", WITHIN, limit, verify.__file__, *arguments]
    done = python(*words, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit on data here")
def test_a_table_far_larger_than_memory_is_checked(tmp_path):
    n = SIZE // (8 * D)
    rows = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "<f8", (n, D))
    rows[:] = np.random.default_rng(0).normal(size=(n, D))
    rows[:, 0] += np.where(rows[:, 0] > 0, 0.25, -0.25)
    np.save(tmp_path / "y.npy", (rows[:, 0] > 0).astype("i1"))
    rows[7] = -rows[5]  # with its label (see below) on the other side: they contradict each other
    first = rows[5, 0] > 0
    rows.flush()
    files = [tmp_path / "X.npy", tmp_path / "y.npy"]
    labels = np.load(files[1])
    labels[7] = not first
    np.save(files[1], labels)
    line = [0, 1, *[0] * (D - 1)]
    claims = [{"kind": "separable", "weights": line}, {"kind": "mistakes", "weights": line}]
    proof = tmp_path / "p.json"
    text = proof_of_arrays(files, D, claims)
    proof.write_text(json.dumps(text))
    code, answer = run_within(LIMIT, str(proof), *map(str, files))
    assert code == verify.VERIFIED, answer
    assert f"The {n:,} rows are linearly separable" in answer
    # what needs all rows at once says so
    fewest = {"kind": "fewest mistakes", "weights": line, "unit": 1, "proof": "eJyLjgUAARUAuQ=="}
    fewest |= {"cost_wrong_yes": 1, "cost_wrong_no": 1}
    proof.write_text(json.dumps({**text, "claims": [fewest]}))
    code, answer = run_within(LIMIT, str(proof), *map(str, files), "--memory-limit", "16")
    assert code == verify.CANNOT_CHECK, answer
    assert f"a look at {n:,} rows at once takes about" in answer
    # one bit of the table is another
    with files[0].open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\0")
    proof.write_text(json.dumps(text))
    assert run_within(LIMIT, str(proof), *map(str, files))[0] == verify.CANNOT_CHECK


def test_a_csv_that_memory_does_not_hold_is_read_in_tiles(tmp_path):
    data = csv_of([(k % 89, -(k % 7), "y" if k % 89 > 40 else "n") for k in range(20_000)])
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    proof = proof_of(data, [{"kind": "separable", "weights": [-81, 2, 0]}])
    assert sha256(path) == proof["table"]["files"][0]["sha256"]
    at_once = checked(proof, [path], tmp_path)
    assert at_once[0] == verify.VERIFIED
    assert checked(proof, [path], tmp_path, memory_limit=2.0**23) == at_once
