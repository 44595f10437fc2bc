"""`separatrix infer`: what is printed, what is written, and what is refused."""

import csv
import io
import json
import statistics

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix.learners.least_squares.least_squares import FEW_NUMBERS
from tests.shared_data import DATA, needs_shared

ROWS = "age,sex,ward,pays\n" + "".join(
    f"{20 + 7 * k % 41},{'fm'[k % 2]},{'abc'[k % 3]},{'yes' if (k * k) % 7 < 3 else 'no'}\n"
    for k in range(30)
)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    return tmp_path / "t.csv"


def test_forms_and_files(run, path, tmp_path):
    files = tmp_path / "c.csv", tmp_path / "c.tex"
    code, out, err = run(
        "infer", path, "--label", "pays", "-q", "--json", "--test", "ward", "--test", "age, sex",
        "--level", "0.9", "--csv", files[0], "--latex", files[1],
    )  # fmt: skip
    data = json.loads(out)
    rows = list(csv.DictReader(io.StringIO(files[0].read_text())))
    assert (code, err) == (0, "")
    assert data["level"] == 0.9
    assert [row["name"] for row in rows] == [row["name"] for row in data["rows"]]
    assert [(t["name"], t["degrees"]) for t in data["tests"]] == [("ward", 2), ("age, sex", 2)]
    assert files[1].read_text().startswith("% \\usepackage{booktabs}\n\\begin{table}\n")
    assert "\\caption{Logistic regression of P(pays = yes) in t, 90 \\% likelihood intervals.}" in (
        files[1].read_text()
    )
    assert "\\label{tab:c}\n" in files[1].read_text()


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_a_report_and_a_plot_for_a_paper(run, path, tmp_path, lang):
    rows = ROWS.replace("age,sex", "age,new").replace(",f,", ",0,").replace(",m,", ",0,")
    path.write_text(rows + "33,1,a,yes\n44,1,b,yes\n51,1,c,yes\n")
    files = [tmp_path / f"f.{kind}" for kind in ("html", "png", "svg")]
    asked = ["infer", path, "--label", "pays", "-q", "--lang", lang, "--report", files[0]]
    for plot in files[1:]:
        code, _, err = run(*asked, "--plot", plot)
        assert (code, err) == (0, "")
    page, png, svg = (file.read_bytes() for file in files)
    text = page.decode()
    assert ("Forest plot" if lang == "en" else "森林圖") in text
    infinite = "estimate +infinity; 95 % likelihood interval [", "估計值 +無限大；95 % 概似區間"
    assert f"new: {infinite[0]}" in text or f"new：{infinite[1]}" in text
    assert ("A green end is proven" if lang == "en" else "綠色的端點已證明") in text
    assert png.startswith(b"\x89PNG")
    assert b">infinite (proven)<" in svg
    assert b">proven end<" in svg
    assert run(*asked, "--plot", files[1])[0] == 0
    assert files[1].read_bytes() == png


def test_coefficients_per_unit(run, path, tmp_path):
    asked = ["infer", path, "--label", "pays", "-q"]
    one, ten, sd = (
        json.loads(run(*asked, "--json", *words)[1])["rows"]
        for words in ([], ["--per", "age=10"], ["--per", "sd"])
    )
    age = [row["name"] for row in one].index("age")
    for rows, unit in ((ten, 10.0), (sd, sd[age]["unit"])):
        assert rows[age]["unit"] == unit
        assert rows[age]["estimate"] == pytest.approx(unit * one[age]["estimate"])
        assert rows[age]["p"] == one[age]["p"]
        assert [row for row in rows if row["name"] != "age"] == [
            row for row in one if row["name"] != "age"
        ]
    ages = [float(row["age"]) for row in csv.DictReader(io.StringIO(ROWS))]
    assert sd[age]["unit"] == pytest.approx(statistics.stdev(ages))
    code, out, _ = run(
        *asked, "--per", "10", "--latex", tmp_path / "t.tex", "--caption", "Ages & ward"
    )
    assert code == 0
    assert out.splitlines()[3].split()[:2] == ["per", "Estimate"]
    assert "\\caption{Ages \\& ward}" in (tmp_path / "t.tex").read_text()


def test_errors_may_be_robust_or_clustered(run, path):
    for words, said in (
        (["--robust", "HC3"], "standard errors HC3"),
        (["--group", "ward"], "standard errors clustered in 3 groups"),
        (["--wald"], "Wald intervals"),
        (["--firth"], "Firth profile intervals"),
        (["--penalty", "log-f"], "log-F profile intervals"),
    ):
        code, out, _ = run("infer", path, "--label", "pays", *words)
        assert code == 0
        assert said in out.splitlines()[0]


def test_the_reference_level_is_chosen(run, path):
    code, out, _ = run("infer", path, "--label", "pays", "-q", "--reference", "ward=c")
    assert code == 0
    assert "ward=a " in out
    assert "Reference levels: sex=f, ward=c.\n" in out


def test_exact_tests_are_of_the_columns_named(run, path):
    asked = ["infer", path, "--label", "pays", "--drop", "age"]
    code, out, _ = run(*asked, "--exact", "--test", "sex", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)["rows"]] == ["sex=m"]


@pytest.mark.parametrize("tag", ["zh-Hant", "zh-TW", "zh_TW", "zh"])
def test_headings_in_chinese(run, path, tag):
    code, out, _ = run("infer", path, "--label", "pays", "--lang", tag)
    assert code == 0
    assert "係數:\n" in out


@needs_shared
def test_ends_are_proven_to_strangers(run, tmp_path):
    proof = tmp_path / "p.json"
    code, out, err = run("infer", DATA / "endometrial.csv", "--label", "label", "--proof", proof)
    assert code == 0
    assert "interval [1.284, infinity)" in out
    assert "anybody can check" in err
    code, out, _ = run("verify", proof, DATA / "endometrial.csv")
    assert code == 0
    assert "VERIFIED" in out
    assert "NV" in out


N = FEW_NUMBERS // 5 + 99  # of three columns: fewer rows would be read whole


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(N, 3))
    yes = X @ [2.0, -1.0, 0.0] + rng.logistic(size=N) > 0.2
    table = pa.table({
        "a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": np.where(yes, "good", "bad"),
    })  # fmt: skip
    for k in range(2):
        pq.write_table(
            table.slice(k * N // 2, (k + 1) * N // 2 - k * N // 2), folder / f"{k}.parquet"
        )
    pq.write_table(table, folder / "all.parquet")
    return folder


def test_a_table_of_several_files_is_that_of_one(files, run, tmp_path):
    asked = ["--label", "y", "--json", "--test", "b,c"]
    code, out, said = run("infer", files / "all.parquet", *asked, "--memory", "512MB")
    assert code == 0, said
    assert f"{N:,} rows are read in" in said
    found = json.loads(out)
    where = ["--checkpoint", tmp_path / "F", "--csv", tmp_path / "t.csv"]
    where += ["--latex", tmp_path / "t.tex"]
    code, again, _ = run("infer", files / "?.parquet", *asked, *where)
    assert code == 0
    assert json.loads(again)["rows"] == found["rows"]
    caption = (tmp_path / "t.tex").read_text("utf-8")
    assert "P(y = good) in 2 files (0.parquet and 1 more), 95" in caption
    rows = list(csv.DictReader((tmp_path / "t.csv").open(encoding="utf-8")))
    assert [row["name"] for row in rows] == ["(Intercept)", "a", "b", "c"]
    assert not (tmp_path / "F").exists()
