"""A tiny run of the benchmarks works and says what it promises. Nothing here depends on a time."""

import json
import os
import re

from benchmarks.__main__ import main
from benchmarks.journal import Journal, rows_of, stamp

from tests.benchmarks.tiny import LINES, ROOT, TASKS


def of_kind(written, *kinds):
    return [m for m in written["measurements"] if m["task"].startswith(kinds)]


def test_every_task_has_ours_its_peers_the_null_peer_and_the_floor(run):
    _, written = run
    for measurement in written["measurements"]:
        roles = [entry["role"] for entry in measurement["entries"]]
        assert roles[0] == "ours"
        assert roles[-2:] == ["null", "floor"]
        alone = measurement["task"].startswith(("fewest", "simplex")) or measurement[
            "task"
        ].endswith("wide")  # no peer that installs does that
        assert "peer" in roles or alone
        assert set(roles[1:-2]) <= {"peer", "beside"}
        assert measurement["rounds"] == 2
    assert not written["failed"]
    assert all(of_kind(written, kind) for kind in TASKS)


def test_ours_is_right_and_proven(run):
    for measurement in of_kind(run[1], *LINES):
        ours = measurement["entries"][0]["judgement"]
        assert ours["right"]
        assert ours["proven"] != measurement["task"].startswith(("pass", "gradient", "pocket"))
        # the verdict on a table with levels is timed without a line in doubles
        if measurement["separable"] and not measurement["task"].endswith("levels"):
            assert (ours["mistakes"], ours["e_in"]) == (0, 0.0)


def test_table_has_a_line_for_every_entry(run):
    printed, written = run
    header, *lines = printed.split("\n\n")[1].splitlines()
    assert header.split()[:4] == ["task", "who", "median", "min"]
    expected = sum(len(m["entries"]) + len(m["left_out"]) + 1 for m in written["measurements"])
    assert len(lines) == expected
    assert all("/ ours" not in line for line in lines)


def test_ours_takes_turns_with_another_checkout(tmp_path, monkeypatch, capsys):
    """Which is here this one, behind an `__init__` of its own that says that it was imported."""
    other, file = tmp_path / "other" / "src", tmp_path / "rows.jsonl"
    (other / "separatrix").mkdir(parents=True)
    (other.parent / "benchmarks").symlink_to(ROOT / "benchmarks")
    ours = ROOT / "src" / "separatrix" / "__init__.py"
    (other / "separatrix" / "__init__.py").write_text(
        f"open({str(tmp_path / 'imported')!r}, 'a').write('x')\n"
        f"__path__ = [{str(ours.parent)!r}]\nexec(open({str(ours)!r}).read())\n"
    )
    for name in ("set_threads", "stop_as_by_ctrl_c"):
        monkeypatch.setattr(f"benchmarks.__main__.{name}", lambda *_: None)
    monkeypatch.setattr("benchmarks.suite.TURNS", 1)
    command = ["benchmarks", "--size", "tiny", "--only", "squares 200x2", "--before", str(other)]
    monkeypatch.setattr("sys.argv", [*command, "--json", str(file)])
    main()
    assert re.search(r"least squares 200x2 +seconds .*x +the same", capsys.readouterr().out)
    kept = file.read_text()
    lines = [json.loads(line)["line"] for line in kept.splitlines()]
    assert lines == ["least squares 200x2 (before)", "least squares 200x2"]
    assert (tmp_path / "imported").read_text() == "x"
    main()
    assert file.read_text() == kept


def test_half_a_line_and_other_code_are_done_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    journal = Journal(path, "one")
    journal.add("a", {"seconds": 1.0})
    journal.add("b", {"failed": "why"})
    with path.open("a") as file:
        file.write('{"row": "c", "sec')
    again = Journal(path, "one")
    assert [bool(again.done(name)) for name in "abc"] == [True, True, False]
    assert not Journal(path, "two").done("a")
    again.add("b", {"seconds": 2.0})
    assert {name: row.get("seconds") for name, row in rows_of(path).items()} == {"a": 1, "b": 2}
    (tmp_path / "m.py").write_text("x = 1\n")
    before = stamp(tmp_path)
    os.utime(tmp_path / "m.py", (0, 0))
    assert stamp(tmp_path) == before
    (tmp_path / "m.py").write_text("x = 2\n")
    assert stamp(tmp_path) != before
