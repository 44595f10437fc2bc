"""Files first, words afterwards: what is written, where, and when nothing is."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.shell import GOOD


def test_outputs_never_replace_inputs(run, tmp_path):
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text(GOOD)
    assert run("learn", table, "--label", "pays", "--model", table)[0] == 2
    assert run("learn", table, "--label", "pays", "--model", model)[0] == 0
    saved = model.read_text()
    (tmp_path / "link").symlink_to(table)
    for output in (table, model, tmp_path / "link"):
        code, _, err = run("predict", model, table, "-o", output)
        assert (code, "is being read" in err) == (2, True)
    (tmp_path / "frozen").write_text("keep")
    (tmp_path / "frozen").chmod(0o444)
    os.mkfifo(tmp_path / "pipe")
    for output, word in ((tmp_path / "frozen", "read-only"), (tmp_path / "pipe", "no regular")):
        code, _, err = run("predict", model, table, "-o", output)
        assert (code, word in err) == (2, True)
    assert (table.read_text(), model.read_text()) == (GOOD, saved)
    assert (tmp_path / "frozen").read_text() == "keep"


def test_an_output_link_is_written_through(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    (tmp_path / "real.json").write_text("{}")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    assert (
        run("learn", tmp_path / "t.csv", "--label", "pays", "--model", tmp_path / "link.json")[0]
        == 0
    )
    assert (tmp_path / "link.json").is_symlink()
    assert "separatrix model" in (tmp_path / "real.json").read_text()


@pytest.mark.parametrize("redirect", [">&-", "2>&-", "<&-", ">/dev/full"])
def test_streams_that_are_closed_or_full(tmp_path, redirect):
    (tmp_path / "t.csv").write_text(GOOD)
    command = f'"{sys.executable}" -m separatrix learn t.csv --label pays --quiet {redirect}'
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if "full" in redirect else 0)


def test_a_pipe_that_nobody_reads_is_no_failure(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    command = (
        f'"{sys.executable}" -m separatrix learn t.csv --label pays | true; echo ${{PIPESTATUS[0]}}'
    )
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "0"
    assert "Traceback" not in done.stderr


def test_files_asked_for_are_written_though_the_pipe_is_closed(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    for asked in ("learn", "prove"):
        made = {"learn": "--model m.json --report r.html", "prove": "-o p.json"}[asked]
        command = (
            f'"{sys.executable}" -m separatrix {asked} t.csv --label pays {made} | true; '
            "echo ${PIPESTATUS[0]}"
        )
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stdout.strip() == "0"
        assert "Traceback" not in done.stderr
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"t.csv", "m.json", "r.html", "p.json"}


FILES = "--model m.json --proof p.json --report r.html"


def in_bash(folder, command):
    """Run a line of bash in which `separatrix` is ours: exit code of its first part, stderr."""
    ours = f'separatrix() {{ "{sys.executable}" -m separatrix "$@"; }}'
    (folder / "t.csv").write_text(GOOD)
    done = subprocess.run(
        ["bash", "-c", f"{ours}\n{command}\nexit ${{PIPESTATUS[0]}}"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("ending", "code", "word"),
    [
        ("2>&1 | head -n 5", 0, ""),
        ("2>&1 | head -c 0", 0, ""),
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        ("2>/dev/full", 0, ""),
        (">/dev/full", 2, "p.json, r.html and m.json were written"),
        (">/dev/full 2>&1", 2, ""),
    ],
)
def test_files_are_whole_whatever_becomes_of_what_is_printed(run, tmp_path, ending, code, word):
    found, _, err = in_bash(tmp_path, f"separatrix learn t.csv --label pays {FILES} {ending}")
    assert (found, word in err) == (code, True)
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "m.json", "p.json", "r.html"}
    assert (tmp_path / "r.html").read_text().rstrip().endswith("</html>")
    assert run("verify", tmp_path / "p.json", tmp_path / "t.csv")[0] == 0
    assert run("predict", tmp_path / "m.json", tmp_path / "t.csv")[0] == 0


def test_other_commands_write_their_files_first_too(tmp_path):
    for command, name in (
        ("prove t.csv --label pays --degree 2 -o p.json", "p.json"),
        ("make credit --rows 50 -o made.csv", "made.csv"),
        ("experiment noise --repeats 1 --picture n.svg", "n.svg"),
        ("animate --demo --frames 2 -o f.gif", "f.gif"),
    ):
        for ending in ("2>&1 | head -c 0", ">/dev/full 2>&1"):
            code, _, _ = in_bash(tmp_path, f"separatrix {command} {ending}")
            prints = command.startswith(("prove", "experiment"))
            assert code == (2 if "full" in ending and prints else 0)
            assert (tmp_path / name).stat().st_size > 0
            (tmp_path / name).unlink()


def test_no_file_is_written_where_one_of_them_cannot_be(tmp_path):
    (tmp_path / "m.json").write_text("old")
    if subprocess.run(["chattr", "+i", tmp_path / "m.json"], check=False).returncode:
        pytest.skip("this file system or user cannot make a file immutable")
    try:
        code, out, err = in_bash(tmp_path, f"separatrix learn t.csv --label pays {FILES} | cat")
    finally:
        subprocess.run(["chattr", "-i", tmp_path / "m.json"], check=True)
    assert (code, out) == (2, "")
    assert "m.json" in err
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "m.json"}
    assert (tmp_path / "m.json").read_text() == "old"
