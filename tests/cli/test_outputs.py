"""Files first, words afterwards: what is written, where, and when nothing is."""

import os
import re
import shlex
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix.cli.outputs import FEWEST, LEARNED, SEPARABILITY
from tests.cli.shell import GOOD


def test_what_is_no_file_to_write_stays(run, model):
    table, tmp_path = model.parent / "t.csv", model.parent
    (tmp_path / "frozen").write_text("keep")
    (tmp_path / "frozen").chmod(0o444)
    os.mkfifo(tmp_path / "pipe")
    for output, word in ((tmp_path / "frozen", "read-only"), (tmp_path / "pipe", "no regular")):
        code, _, err = run("predict", model, table, "-o", output)
        assert (code, word in err) == (2, True)
    assert (tmp_path / "frozen").read_text() == "keep"


FILES = "--model m.json --proof p.json"
REPORT = "--report r.html"  # drawing it takes as long as all else


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
        (f"{REPORT} 2>&1 | head -c 0", 0, ""), (">&-", 0, ""), ("2>&-", 0, ""), ("<&-", 0, ""),
        ("2>/dev/full", 0, ""),
        (f"{REPORT} >/dev/full", 2, "p.json, r.html and m.json were written"),
    ],
)  # fmt: skip
def test_files_are_whole_whatever_becomes_of_what_is_printed(run, tmp_path, ending, code, word):
    found, _, err = in_bash(tmp_path, f"separatrix learn t.csv --label pays {FILES} {ending}")
    assert (found, word in err) == (code, True)
    assert {path.name for path in tmp_path.iterdir()} - {"r.html"} == {"t.csv", "m.json", "p.json"}
    if REPORT in ending:
        assert (tmp_path / "r.html").read_text().rstrip().endswith("</html>")
    assert run("verify", tmp_path / "p.json", tmp_path / "t.csv")[0] == 0
    assert run("predict", tmp_path / "m.json", tmp_path / "t.csv")[0] == 0


def test_other_commands_write_their_files_first_too(tmp_path):
    for command, name, ending, expected in (
        ("prove t.csv --label pays --degree 2 -o p.json", "p.json", ">/dev/full 2>&1", 2),
        ("make credit --rows 50 -o made.csv", "made.csv", ">/dev/full 2>&1", 0),
        ("experiment noise --repeats 1 --picture n.svg", "n.svg", "2>&1 | head -c 0", 0),
        ("animate --demo --frames 2 -o f.gif", "f.gif", "2>&1 | head -c 0", 0),
    ):
        assert in_bash(tmp_path, f"separatrix {command} {ending}")[0] == expected
        assert (tmp_path / name).stat().st_size > 0


# ---------------------------------------------------------------------- what would be written over

LEARN = "learn t.csv --label pays"


@pytest.fixture
def at(run, tmp_path, monkeypatch):
    """Run a line of words where t.csv is; argv is what the command was started with."""
    (tmp_path / "t.csv").write_text(GOOD)
    monkeypatch.chdir(tmp_path)

    def call(line):
        monkeypatch.setattr(sys, "argv", ["separatrix", *shlex.split(line)])
        return run(*sys.argv[1:])

    return call


# a command, and one that would write something else over its file
ANOTHER_KIND = [
    (f"{LEARN} --proof f.json", "infer t.csv --label pays --proof f.json", LEARNED),
    (f"{LEARN} --proof f.json", "prove t.csv --label pays -o f.json", LEARNED),
    ("prove t.csv --label pays --fewest -o f.json", "prove t.csv --label pays -o f.json", FEWEST),
    ("prove t.csv --label pays -o f.json", "prove u.csv --label pays -o f.json", SEPARABILITY),
    ("prove t.csv --label pays -o f.json", f"{LEARN} --model f.json", SEPARABILITY),
    (f"{LEARN} --model f.json", "learn t.csv --label sex --model f.json", "a model"),
    (f"{LEARN} --model f.json", f"{LEARN} --report f.json", "a model"),
    (f"{LEARN} --report f.html", "learn u.csv --label pays --report f.html", "a report"),
    (f"{LEARN} --report f.html --lang zh-Hant", "lab -o f.html", "a report"),
    ("make credit --rows 20 -o f.csv", "make noisy --rows 20 -o f.csv", "a table of credits"),
    ("make noisy --rows 20 -o f.csv", "predict m.json t.csv -o f.csv", "a table of points"),
    ("export m.json --sql t -o f.sql", "export m.json --scorecard t.csv -o f.sql", "a SELECT"),
    ("infer t.csv --label pays --csv f", "infer t.csv --label pays --latex f", "coefficients"),
    ("cp t.csv u.json", f"{LEARN} --model u.json", "did not write ('age,sex,pays')"),
    ("cp t.csv u.json", "experiment noise --repeats 1 --picture u.svg", "did not write"),
    ("cp t.csv u.json", "grade homework -o u.json", "did not write"),
    ("cp t.csv p.table.csv", "prove t.csv --label pays --degree 2 -o p.json", "no part of p.json"),
    ("cp t.csv ck", f"{LEARN} --memory 600MB --checkpoint ck", "did not write"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "what"), ANOTHER_KIND)
def test_a_file_of_another_kind_is_written_over_only_if_asked_for(
    at, tmp_path, first, second, what
):
    for name in ("u.csv", "u.svg"):
        (tmp_path / name).write_text(GOOD)
    (tmp_path / "homework").mkdir()
    (tmp_path / "homework" / "ada.json").write_text("{}")
    if "m.json" in first + second:
        assert at(f"{LEARN} --model m.json -q")[0] == 0
    words = first.split()
    if words[0] == "cp":
        (tmp_path / words[2]).write_text(GOOD)
    else:
        assert at(first)[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code, out, err = at(second)
    assert (code, out) == (2, "")
    assert what in err
    assert "--overwrite" in err
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()} == before
    if "ck" not in words:
        assert at(f"{second} --overwrite")[0] == 0


SAME_KIND = [
    f"{LEARN} --proof p.json --model m.json --report r.html",
    f"{LEARN} --lang zh-Hant --proof p.json --model m.json --report r.html",
    "learn v.csv --label pays --multiclass ova --proof p.json --model m.json --report r.html",
    "infer t.csv --label pays --proof p.json --csv c.csv --latex l.tex",
    "infer t.csv --label pays --report r.html --plot f.png",
    "prove t.csv --label pays --degree 2 -o p.json",
    "prove ./t.csv --label pays --memory 600MB -o p.json",
    "prove t.parquet --label y -o p.json --memory 600MB",
    "predict m.json t.csv --explain -o a.parquet",
    "export m.json --sql t -o s.sql",
    "export m.json --onnx m.onnx",
    "export m.json --scorecard t.csv --json -o card.json",
    "make separable --rows 20 -o m.csv",
    "make noisy --rows 20 -o m.parquet",
    "experiment noise --repeats 1 --picture n.svg",
    "animate --demo --frames 2 -o f.gif",
    "lab -o lab.html",
    "grade homework -o g.csv",
]


@pytest.mark.parametrize("line", SAME_KIND)
def test_a_result_is_written_over_its_own_earlier_one(at, tmp_path, line):
    (tmp_path / "homework").mkdir()
    (tmp_path / "homework" / "ada.json").write_text("{}")
    (tmp_path / "v.csv").write_text(GOOD + "70,f,late\n75,m,late\n")
    if "t.parquet" in line:
        rows = {"a": [0.1, 1.0, 2.0, 3.0], "b": ["u", "v", "u", "u"], "y": [0, 1, 0, 1]}
        pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    if "m.json" in line and not line.startswith("learn"):
        assert at(f"{LEARN} --model m.json -q")[0] == 0
    for _ in range(2):
        code, _, err = at(line)
        assert code == 0, err


def test_an_output_is_no_input_and_no_other_output_by_any_name(at, tmp_path):
    assert at(f"{LEARN} --model m.json -q")[0] == 0
    (tmp_path / "soft").symlink_to("t.csv")
    (tmp_path / "hard").hardlink_to(tmp_path / "t.csv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "up").symlink_to(".")
    (tmp_path / "one").write_text("")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    for name in ("./t.csv", "soft", "hard", "folder/../t.csv", "up/t.csv", tmp_path / "t.csv"):
        for line in (
            f"{LEARN} --model {name}", f"{LEARN} --proof {name}", f"{LEARN} --checkpoint {name}",
            f"infer t.csv --label pays --csv {name}",
            f"prove t.csv --label pays -o {name}", f"predict m.json t.csv -o {name}",
        ):  # fmt: skip
            code, _, err = at(f"{line} --overwrite")
            assert (code, "is being read" in err) == (2, True)
    for first, second in (("a", "./a"), ("a", "up/a"), ("one", "two"), ("a", tmp_path / "a")):
        code, _, err = at(f"{LEARN} --model {first} --report {second} --overwrite")
        assert (code, "name the same file" in err) == (2, True)
    (tmp_path / "p.table.csv").write_text(GOOD)
    code, _, err = at("prove p.table.csv --label pays -o p.json --overwrite")
    assert (code, "is being read" in err) == (2, True)
    assert (tmp_path / "t.csv").read_text() == GOOD
    assert not (tmp_path / "a").exists()


def named_by(text, tmp_path):
    """Return the output files that the commands in a text name."""
    options = r"(?:--model|--report|--proof|--csv|--latex| -o)[ =](\S+)"
    return re.findall(options, text.replace("\\\n", " "))


def test_commands_that_are_printed_name_files_that_are_not_there(at, tmp_path):
    for name in ("report.html", "model.json", "t.model.json", "t.model-2.json", "pla.gif"):
        (tmp_path / name).write_text("")
    said = []
    for line in (
        LEARN, f"{LEARN} --proof p.json", f"{LEARN} --model=m.json --line fewest",
        f"{LEARN} --report r.html", f"{LEARN} --lang zh-Hant --model m2.json --report r2.html",
        f"{LEARN} --memory 600MB --model m3.json", "check t.csv", "check t.csv --lang zh-Hant",
        "demo",
    ):  # fmt: skip
        code, out, err = at(line)
        assert code == 0
        said += [*named_by(out, tmp_path), *named_by(err, tmp_path)]
    assert {"p-2.json", "report-2.html", "model-2.json", "t.model-3.json", "pla-2.gif"} <= {*said}
    assert [name for name in said if (tmp_path / name).exists()] == []
    (own,) = named_by((tmp_path / "r.html").read_text(), tmp_path)  # how the page is made again
    assert own.startswith("r.html<")


def test_what_follows_learn_keeps_the_proof(at, tmp_path):
    _, out, err = at(f"{LEARN} --proof p.json")
    proof = (tmp_path / "p.json").read_bytes()
    (line,) = [one.partition("separatrix ")[2] for one in out.splitlines() if " infer " in one]
    assert line in err
    assert at(line)[0] == 0
    assert (tmp_path / "p.json").read_bytes() == proof
