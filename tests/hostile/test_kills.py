"""Commands killed while they write: every output is old or new, and nothing stays behind."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.hostile.killing import former_of
from tests.hostile.profile import cases
from tests.processes import python

ROOT = Path(__file__).parents[2]
TABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n52,m,yes\n58,f,yes\n23,f,no\n"
LEARN = "learn t.csv --label pays --degree 2 --fewest-nodes 9 --overwrite"

# a command, its outputs in the order in which they take their names, and its share of the kills
COMMANDS = {
    "learn": (f"{LEARN} --proof p.json --report r.html --model m.json",
              ["p.table.csv", "p.json", "r.html", "m.json"], cases(6, 120)),
    "prove": ("prove t.csv --label pays --degree 2 -o p.json --overwrite",
              ["p.table.csv", "p.json"], cases(2, 60)),
    "predict": ("predict model.json t.csv -o a.csv --overwrite", ["a.csv"], cases(2, 40)),
    "export": ("export model.json --sql people -o q.sql --overwrite", ["q.sql"], cases(0, 30)),
    "make": ("make credit --rows 40 -o made.csv --overwrite", ["made.csv"], cases(2, 30)),
    "animate": ("animate --demo --frames 2 -o f.gif --overwrite", ["f.gif"], cases(0, 20)),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    assert run("learn", "t.csv", "--label", "pays", "--quiet", "--model", "model.json")[0] == 0
    return tmp_path


@pytest.mark.timeout(cases(300, 7200))
def test_killed_commands_leave_old_files_or_new_ones(folder, tmp_path_factory):
    specs = []
    for name, (command, outputs, kills) in COMMANDS.items():
        if kills:
            own = shutil.copytree(folder, tmp_path_factory.mktemp(name), dirs_exist_ok=True)
            specs.append({"folder": str(own), "arguments": command.split(), "outputs": outputs,
                          "kills": kills})  # fmt: skip
    done = python("-m", "tests.hostile.killing", json.dumps(specs), cwd=ROOT)
    for spec, found in zip(specs, json.loads(done.stdout), strict=True):
        assert found["wrong"] == []
        assert found["kills"] == spec["kills"]
        assert found["old"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_leaves_the_old_files(folder, monkeypatch, run, name):
    command, outputs, _ = COMMANDS[name]
    for output, former in zip(outputs, former_of(outputs), strict=True):
        (folder / output).write_bytes(former)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = run(*command.split())
    assert code == 2
    assert "No space left" in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
