"""Commands killed while they write: every output is old or new, and nothing stays behind."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from separatrix import cli
from tests.hostile.killing import TRACEME, former_of, ptrace
from tests.hostile.profile import cases

ROOT = Path(__file__).parents[2]
TABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n52,m,yes\n58,f,yes\n23,f,no\n"
LEARN = "learn t.csv --label pays --degree 2 --fewest-nodes 9 --overwrite"

# a command, its outputs in the order in which they take their names, and its share of the kills
COMMANDS = {
    "learn": (
        f"{LEARN} --proof p.json --report r.html --model m.json",
        ["p.table.csv", "p.json", "r.html", "m.json"],
        cases(6, 120),
    ),
    "prove": (
        "prove t.csv --label pays --degree 2 -o p.json --overwrite",
        ["p.table.csv", "p.json"],
        cases(2, 60),
    ),
    "predict": ("predict model.json t.csv -o a.csv --overwrite", ["a.csv"], cases(2, 40)),
    "export": ("export model.json --sql people -o q.sql --overwrite", ["q.sql"], cases(0, 30)),
    "make": ("make credit --rows 40 -o made.csv --overwrite", ["made.csv"], cases(2, 30)),
    "animate": ("animate --demo --frames 2 -o f.gif --overwrite", ["f.gif"], cases(0, 20)),
}  # fmt: skip


def may_trace():
    """Whether a process may trace its child here."""
    pid = os.fork()
    if pid == 0:
        try:
            ptrace(TRACEME)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def fill(path):
    """Write until the disk is full."""
    with open(path, "wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(b"x" * 4096)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def with_model(folder):
    with pytest.raises(SystemExit) as left:
        cli.main(["learn", str(folder / "t.csv"), "--label", "pays", "--quiet",
                  "--model", str(folder / "model.json")])  # fmt: skip
    assert left.value.code == 0


@pytest.mark.timeout(cases(300, 7200))
@pytest.mark.skipif(not may_trace(), reason="ptrace is not permitted here")
@pytest.mark.parametrize("name", [name for name, (_, _, kills) in COMMANDS.items() if kills])
def test_a_killed_command_leaves_old_files_or_new_ones(folder, capfd, name):
    command, outputs, kills = COMMANDS[name]
    with_model(folder)
    spec = {"folder": str(folder), "arguments": command.split(), "outputs": outputs}
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.killing", json.dumps({**spec, "kills": kills})],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    with capfd.disabled():
        print(f"\n{name}: {json.dumps(found)}")
    assert found["wrong"] == []
    assert found["kills"] >= kills - 2  # one at the end may come too late
    assert found["old"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_leaves_the_old_files(tmp_path, monkeypatch, capfd, name):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only an administrator can mount a small disk")
    command, outputs, _ = COMMANDS[name]
    try:
        (disk / "t.csv").write_text(TABLE)
        with_model(disk)
        for output, former in zip(outputs, former_of(outputs), strict=True):
            (disk / output).write_bytes(former)
        fill(disk / "full")
        before = {path.name: path.read_bytes() for path in disk.iterdir()}
        monkeypatch.chdir(disk)
        with pytest.raises(SystemExit) as left:
            cli.main(command.split())
        monkeypatch.chdir(tmp_path)
        assert left.value.code == 2
        assert "No space left" in capfd.readouterr().err
        assert {path.name: path.read_bytes() for path in disk.iterdir()} == before
    finally:
        monkeypatch.chdir(tmp_path)
        subprocess.run(["umount", disk], check=True)
