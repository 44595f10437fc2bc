"""Mutants are one place of a file; tests in a copy say which of them are noticed."""

import ast
import subprocess
from pathlib import Path

import pytest
from benchmarks.journal import Journal
from benchmarks.mutants import mutants_of

from benchmarks import mutants

EVERY = '''
def f(a: int | None, b) -> int | str:
    """No + in here."""
    if (a) < (b) and not a:  # é
        return -a * b
    return a if a is not b else [a + b, a
                                 != b]
'''


def test_every_place_is_changed_alone_and_no_type_is(tmp_path):
    path = tmp_path / "every.py"
    path.write_text(EVERY, encoding="utf-8")
    text, found = path.read_bytes(), list(mutants_of(path))
    for mutant in found:
        assert ast.dump(ast.parse(mutant.applied(text))) != ast.dump(ast.parse(text))
        assert "int | None, b) -> int | str" in mutant.applied(text).decode()
    changed = {(m.line, text[m.start : m.end].decode(), m.now) for m in found}
    assert changed == {
        (4, "<", "<="), (4, "<", ">="), (4, "and", "or"), (4, "not ", ""),
        (4, "(a) < (b) and not a", "not ((a) < (b) and not a)"),
        (5, "-", ""), (5, "*", "/"), (5, "*", "+"),
        (6, "a is not b", "not (a is not b)"), (6, "is not", "is"), (6, "+", "-"),
        (7, "!=", "=="),
    }  # fmt: skip


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = tmp_path / "project"
    for name, text in {
        "src/separatrix/__init__.py": "",
        "src/separatrix/room/__init__.py": "",
        "src/separatrix/room/more.py": "def more(a, b):\n    return a > b\n",
        "src/separatrix/other/user.py": "from separatrix.room.more import more\n",
        "tests/room/test_more.py": "from separatrix.room.more import more\n\n"
        "def test_a():\n    assert more(2, 1)\n",
        "tests/other/test_user.py": "from separatrix.other.user import more\n\n"
        "def test_b():\n    assert not more(1, 1)\n",
        "tests/room/test_rest.py": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    monkeypatch.setattr(mutants, "ROOT", root)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return root


def test_survivors_are_told_from_killed_and_meet_further_tests_later(
    project, tmp_path, monkeypatch
):
    file = tmp_path / "rows.jsonl"
    assert mutants.tests_of(Path("src/separatrix/room/more.py")) == {
        "near": [Path("tests/room/test_more.py")],
        "room": [Path("tests/room/test_rest.py")],
        "named": [Path("tests/other/test_user.py")],
        "whole": [],
    }
    asked = mutants.drawn("room", 0, 9)
    rows = mutants.judge_all(asked, Journal(file), "room", 60.0)
    assert {row["diff"][-1]: (row["verdict"], row["by"]) for row in rows} == {
        "+    return a >= b": ("survived", ""),
        "+    return a <= b": ("killed", "tests/room/test_more.py::test_a"),
    }
    rows = mutants.judge_all(asked, Journal(file), "named", 60.0)
    assert {row["by"] for row in rows} == {
        "tests/room/test_more.py::test_a", "tests/other/test_user.py::test_b"
    }  # fmt: skip
    assert len(file.read_text().splitlines()) == 3  # the one that was killed met no test again
    monkeypatch.delattr(mutants.Copy, "run")
    assert mutants.judge_all(asked, Journal(file), "named", 60.0) == rows
    assert "return a > b" in (project / "src/separatrix/room/more.py").read_text()
