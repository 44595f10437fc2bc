"""`separatrix learn` on tables that are read in blocks."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix import InputError, LinearRegression, load, open_table
from separatrix.cli.showing import _Shown
from separatrix.scale.rows import Reads
from separatrix.verdict.judging import Told
from tests.scale import killed

N = 6000
SOON = ("--learners", "linear", "--fewest-nodes", "1")  # where not the learners are tested


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 3))
    level = rng.choice(["red", "green", "blue"], N)
    yes = X @ [2.0, -1.0, 0.0] + (level == "red") + rng.normal(size=N) > 0.2
    table = pa.table({
        "a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "level": level,
        "y": np.where(yes, "good", "bad"),
    })  # fmt: skip
    for k in range(3):
        part = table.slice(k * N // 3, N // 3)
        pq.write_table(part.drop_columns(["level"]), tmp_path / f"part-{k}.parquet")
    pq.write_table(table.drop_columns(["level"]), tmp_path / "all.parquet")
    lines = ["a,b,c,level,y"]
    columns = (table[name].to_pylist() for name in table.column_names)
    lines += [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_pattern_of_parquet_files_gets_a_verdict_a_model_and_a_report(folder, run):
    code, out, err = run(
        "learn", "part-*.parquet", "--label", "y", "--model", "m.json", "--report", "r.html",
        "--fewest-nodes", "1",
    )  # fmt: skip
    assert code == 0, err
    assert "part-0.parquet and 2 more: 6,000 rows, 3 columns" in out
    assert "Separable     no (proven)" in out
    assert "6,000 rows are read in blocks; the memory budget is" in err
    model = load("m.json")
    X = np.column_stack([pq.read_table("all.parquet")[name].to_numpy() for name in "abc"])
    assert (model.predict(X) == pq.read_table("all.parquet")["y"].to_numpy()).mean() > 0.8
    page = (folder / "r.html").read_text("utf-8")
    assert "of the rows, evenly spaced" not in page  # so few are all shown


def test_a_check_of_a_pattern_proposes_a_command_that_runs(folder, run):
    code, out, err = run("check", "part-*.parquet", "--label", "y", "--memory", "512MB")
    assert code == 0, err
    assert out.startswith("of 3 files, the first: part-0.parquet: 2,000 rows, 4 columns")
    _, out_of_one, _ = run("check", "part-[0].parquet", "--label", "y")
    assert out_of_one.startswith("part-0.parquet: 2,000 rows, 4 columns")
    words = " ".join(out.replace("\\\n", " ").split())
    learn = "learn 'part-*.parquet' --memory 512MB --label y --yes good --model part.model.json"
    assert learn in words
    assert "--report part.report.html" in words


def test_a_check_of_an_array_says_how_to_learn_from_it(folder, run):
    np.save("X.npy", np.zeros((4, 2)))
    code, _, err = run("check", "X.npy")
    assert code == 2
    assert "separatrix learn X.npy --label INDEX" in err
    np.save("X.npy", [[0.0, 1.0], [1.0, 2.0], [0.0, 3.0], [1.0, 4.0]])
    code, out, _ = run("learn", "X.npy", "--label", "0", "--model", "m.json")
    assert code == 0
    assert "predict" not in out  # which takes tables with names
    rows = open_table("X.npy", 0)
    with pytest.raises(InputError, match=r"give it the files, as fit\(path, column\)"):
        LinearRegression().fit(rows)


def test_answers_are_written_block_by_block_and_a_check_shows_the_first_rows(
    folder, run, monkeypatch
):
    learned = ("learn", "all.csv", "--label", "y", "--learner", "linear", "--model", "m.json", "-q")
    assert run(*learned)[0] == 0
    code, out, err = run("predict", "m.json", "all.csv", "--memory", "512MB", "-o", "out.parquet")
    assert (code, out) == (0, ""), err
    assert pq.read_table("out.parquet").column_names == ["line", "answer", "score"]
    assert pq.read_table("out.parquet").num_rows == N
    code, _, err = run("predict", "m.json", "all.csv", "--memory", "512MB")
    assert code == 2
    assert "go to a file" in err
    code, out, err = run("check", "part-*.parquet", "--label", "y")
    assert code == 0
    assert "the first 2,000 rows of part-0.parquet are shown" in err
    assert "learn" in out
    code, out, err = run("check", "all.csv", "--label", "y", "--memory", "512MB")
    assert (code, err) == (0, "")  # all rows are shown
    monkeypatch.setattr("separatrix.scale.budget.MOST_TEXT", 1 << 12)
    assert run("check", "all.csv", "--memory", "512MB")[1].startswith("all.csv: the first ")


def test_an_interrupted_command_says_what_is_kept_and_how_to_go_on(tmp_path):
    killed.save(tmp_path)
    words = [
        "learn", "X.npy", "--label", "y.npy", "--memory", "512MB", "--checkpoint", "c.bin",
        "--learners", "pocket,logistic,linear", "--fewest-nodes", "1", "--json",
    ]  # fmt: skip
    command = [sys.executable, "-m", "separatrix", *words]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        kept = set()  # the first is of no work, the second of a second's
        while len(kept) < 2:
            assert process.poll() is None
            kept |= {path.read_bytes() for path in tmp_path.glob("c.bin")}
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert said.splitlines()[-1] == (
        "separatrix: interrupted; no result was written. What is done is kept in c.bin; go on "
        f"with: separatrix {' '.join(words)}"
    )
    again = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    of_before = re.search(r"goes on from there, after ([\d.]+) s$", again.stderr, re.MULTILINE)[1]
    last = again.stderr.splitlines()[-1]
    whole = re.fullmatch(
        rf"separatrix: done in ([\d.]+) s, {of_before} s of them before it was resumed", last
    )[1]
    assert float(whole) + 0.05 >= json.loads(again.stdout)["seconds"] > float(of_before) > 0


def test_an_interrupted_command_leaves_no_scratch_files(folder, tmp_path):
    (tmp_path / "scratch").mkdir()
    words = ["learn", "all.csv", "--label", "y", "--memory", "512MB", "--scratch", "scratch"]
    command = [sys.executable, "-m", "separatrix", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while " features" not in process.stderr.readline():
            assert process.poll() is None
        assert os.listdir("scratch")
        process.send_signal(signal.SIGINT)
        process.stderr.read()
    assert (process.returncode, os.listdir("scratch")) == (130, [])


def test_a_lost_worker_costs_one_line(tmp_path):
    killed.save(tmp_path)
    words = ["learn", "X.npy", "--label", "y.npy", "--workers", "2", "--memory", "1536MB"]
    words += ["--learners", "linear", "--fewest-nodes", "1", "--json"]
    command = [sys.executable, "-m", "separatrix", *words]
    with (
        open(tmp_path / "said", "w") as said,
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=said) as process,
    ):
        while "not separable" not in (tmp_path / "said").read_text():
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        found = json.loads(process.stdout.read())
    assert process.returncode == 0
    assert found["learners"][-1]["name"] == "linear regression"
    lines = (tmp_path / "said").read_text().splitlines()
    assert len(lines) == 4, lines
    assert re.match(r"separatrix: a Dask worker was lost \(tcp://", lines[-1])


def workers_of(pid):
    """Return the processes that a process has started to work for it, the oldest first."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid and "spawn_main" in (folder / "cmdline").read_text():
                    found.append(int(folder.name))
    return sorted(found)


def test_a_pass_says_how_much_of_it_is_read(tmp_path):
    paths = killed.save(tmp_path)
    table = open_table(paths[0], paths[1], memory="512MB")
    tell, seen = _Shown(), []
    tell("logistic regression")
    tell.since -= 7

    table.progress = lambda done, n, _: seen.append((done, n))
    table.map(lambda block: block.n)
    assert seen == [(stop, table.n) for _, stop in table.ranges]
    assert table.reads.done == pytest.approx(1)
    tell.of_rows(45_000, 90_000, table.reads)
    assert tell.text() == "logistic regression, 50% of 90,000 rows read, 7 s"
    tell(Told("90,000 rows, 3 features", "fold 2 of 5: pocket"))
    reads = Reads(done=14.5, kept=4.5, expected=61.0)
    reads.began -= 60
    tell.of_rows(45_000, 90_000, reads)
    said = "fold 2 of 5: pocket: 14.5 of about 61 reads, about 5 min left"
    assert tell.text() == said


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Three CSV files; line 4 of the first and of the last have one point and two labels."""
    rng = np.random.default_rng(5)
    for k, name in enumerate(("a", "b", "c")):
        x = np.round(rng.normal(size=(8, 2)), 3)
        lines = [f"{u},{v},{'yes' if u > 0 else 'no'}" for u, v in x.tolist()]
        lines[1] = ",1,yes"  # dropped: what follows keeps its line
        lines[2] = ["5,5,yes", "6,6,yes", "5,5,no"][k]
        (tmp_path / f"{name}.csv").write_text("\n".join(["u,v,y", *lines]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lines_of_a_table_of_several_files_are_named_with_their_file(parts, run):
    asked = ("learn", "*.csv", "--label", "y", "-q", *SOON)
    code, out, err = run(*asked, "--report", "r.html")
    assert code == 0, err
    said = " ".join(out.split())
    assert "lines 4 of a.csv, 4 of c.csv have the same values and opposite labels" in said
    said = " ".join(run(*asked, "--full")[1].split())
    assert "lines 4 of a.csv, 4 of c.csv have the same values" in said
    refusal = json.loads(run(*asked, "--json")[1])["separability"]["refusal"]
    assert (refusal["lines"], refusal["files"]) == ([4, 4], ["a.csv", "c.csv"])
    page = (parts / "r.html").read_text("utf-8")
    for file in ("a.csv", "c.csv"):
        assert f'<tr><th scope="row" class="num">4</th><td><bdi>{file}</bdi></td>' in page
    assert re.search(r"closest: line \d+ of <bdi>[abc]\.csv</bdi>\.", page)
    assert page.count('<th scope="col">file</th>') == 2


def test_what_a_report_shows_of_some_rows_says_of_how_many(folder, run):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(95_000, 2))
    y = np.where(x @ [2.0, 1.0] + rng.normal(size=95_000) > 0.5, "yes", "no")
    pq.write_table(pa.table({"u": x[:, 0], "v": x[:, 1], "y": y}), "many.parquet")
    asked = ("learn", "many.parquet", "--label", "y", "-q", "--report", "r.html", *SOON)
    code, _, err = run(*asked, "--memory", "512MB")
    assert code == 0, err
    blocks = (folder / "r.html").read_text("utf-8")
    said = re.search(r"of the 4,1\d\d rows that are shown here", blocks)[0]
    for title in ("One row explained", "Right and wrong by threshold", "Rows and their answers"):
        assert f"<h2>{title} <small>{said}</small></h2>" in blocks
    for summary in ("for some ratios", "nearest to the line"):
        assert f"{summary} <small>({said})</small></summary>" in blocks
    assert f"where the answer is closest, {said}: row " in blocks
    assert f"The table is {said}. Of all rows the line answers " in blocks
    assert blocks.count(f"The picture is {said}.") == 2


def test_what_to_type_next_answers_tables_in_blocks(parts, run):
    asked = ("learn", "*.csv", "--label", "y", "-q", "--model", "m.json")
    code, out, err = run(*asked)
    assert code == 0, err
    step = re.search(
        r"separatrix (predict m\.json NEW\.csv -o answers\.csv --missing blank)\n", out
    )[1]
    assert run(*step.replace("NEW.csv", "[bc].csv").split())[0] == 0
    answers = (parts / "answers.csv").read_text("utf-8").splitlines()
    assert answers[0].startswith("file,line,answer")
    assert answers[9].startswith("c.csv,2,")
