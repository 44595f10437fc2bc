"""Input that cannot be used: one clear message, exit code 2, and nothing is written."""

import csv
import io
import json
import shlex
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix import judge, read_table, save
from tests.cli.shell import GOOD

INFER = "infer t.csv --label pays"
EXPORT = "export m.json"
LEARN = "learn t.csv --label pays"
PROVE = "prove t.csv --label pays"
BLOCKS = "learn all.parquet --label y"
BAD = {  # one of each stage of reading: the rest is refused by `read_table` in tests/tables
    "a,y\n1,no\n2,\n3,yes\n": "missing",
    "a,y\n1,Yes\n2,yes\n3,no\n": "--fold-labels",
    "a,y\n2026-01-01,no\n2026-01-02,yes\n": "date",
    "": "empty",
    "a,y\n1,no\n2,yes,3\n": "line 3",
    "a,y\n1,n\xe9\n2,yes\n": "--encoding",
    'a,y\n"1,000",no\n"2,500",yes\n': "--decimal",
    "1,0\n2,1\n3,0\n": "--no-header",
    "a,w,y\n1,-1,no\n2,1,yes\n3,1,no\n": "line 2",
    "aa,y\n1,no\n2,yes\n": "'aa'",
    "a,y\n1,no\n2e200,yes\n3e200,no\n": "line 3, column 'a'",
}
BAD_OPTIONS = {8: " --weight w", 9: " --drop ab", 10: " --degree 2"}
REFUSED = [
    *((f"learn bad{k}.csv --label y --model n.json{BAD_OPTIONS.get(k, '')}", word)
      for k, word in enumerate(BAD.values())),
    ("predict t.csv t.csv", "no model file"),
    ("learn t.csv --label labl", "has no column 'labl' (--label)"),
    *((f"{LEARN} --degree {degree}", "--degree") for degree in (0, "two")),
    *(("learn k.csv --label kind", word)
      for word in ("--yes VALUE", "--multiclass ova", "--multiclass ovo", "'u' (20 rows)")),
    ("lab -o absent/lab.html", "does not exist"),
    ("grade absent", "absent"),
    ("grade . --tasks absent", "absent"),
    (f"{EXPORT}", "give one of --sql NAME, --onnx F and --scorecard TABLE"),
    (f"{EXPORT} --onnx -", "name a file"),
    (f"{EXPORT} --onnx f -o g", "leave -o out"),
    (f"{EXPORT} --scorecard none.csv", "none.csv"),
    (f"{INFER} --firth --penalty log-f", "give one of --firth, --penalty log-f"),
    (f"{INFER} --proof p.json --wald", "--proof is of likelihood intervals"),
    (f"{INFER} --csv -", "--csv needs the name of a file"),
    (f"{INFER} --report x.svg --plot x.svg", "--report and --plot name the same file"),
    (f"{INFER} --plot x.jpg", "'x.jpg': a picture ends in .svg, .png, .pdf"),
    (f"{INFER} --caption x", "--caption is that of --latex F"),
    (f"{INFER} --per sd --proof p.json", "leave out --reference and --per"),
    (f"{INFER} --reference sex", "--reference sex must be COL=LEVEL"),
    (f"{LEARN} --penalty 1 --learners linear", "which --learners leaves out"),
    (f"{LEARN} --threshold 0.1", "--threshold is what --model writes"),
    (f"{LEARN} --proof p.json --model p.table.csv", "same file"),
    (f"{LEARN} --model no/m.json", "does not exist"),
    (f"{LEARN} --multiclass ovo", "one yes / no question"),
    ("learn k.csv --label kind --multiclass ova --yes u", "--yes"),
    (f"{PROVE} -o p --multiclass ova", "one yes"),
    ("prove - --label pays -o p.json", "not stdin"),
    (f"{PROVE} -o -", "name of a file"),
    (f"{PROVE}", "--output"),
    ("prove X.npy --label y.npy -o p --degree 2", "leave out --degree"),
    ("prove X.npy - --label y.npy -o p", "a proof needs the table as files"),
    ("learn 'p-*.parquet' --label z", "separatrix check 'p-*.parquet'"),
    ("learn 'absent-*.parquet' --label y", "no file is called"),
    (f"{BLOCKS} --memory '12 monkeys'", "give a size such as 512MB"),
    (f"{BLOCKS} --memory 1MB", "512MB is the least"),
    (f"{BLOCKS} --memory 512MB --degree 2", "--degree is not"),
    ("learn t.csv --label pays --scratch absent", "does not exist"),
    (f"{LEARN} --memory 512MB --group age", "--group is not used"),
    ("learn 'p-*.parquet' --label y --proof p.json", "separatrix prove"),
    ("learn 'p-*.parquet' --label y --model p-1.parquet", "is being read"),
    ("learn - --label y --memory 512MB", "stdin is not read in blocks"),
    *(
        (f"infer all.parquet --label y --memory 512MB {option}",
         f"{option.split()[0]} is not available for a table that is read in blocks")
        for option in ("--firth", "--robust HC1", "--degree 2", "--penalty log-f", "--proof p.json")
    ),
    *(
        (f"{command} a.csv b.csv c.csv",
         f"too many arguments for {command.split()[0]}, which takes one TABLE: b.csv c.csv.")
        for command in ("learn --label y", "infer --label y", "check", "predict m.json")
    ),
    ("learn a.csv b.csv c.csv d.csv e.csv", "b.csv c.csv d.csv and 1 more. Several files"),
    ("learn a.csv b.csv", 'in quotes, such as "csv/*.csv"'),
    ("animate -o f.gif", "TABLE or --demo"),
    ("animate --demo -o f.gif --columns a", "two names"),
    ("experiment bound --margins 0.5,x", "must be a finite number from 0 up; it is \'x\'"),
    ("experiment bound --margins 0.5 --repeats 1 --picture p.docx", "a picture ends in .svg"),
    ("make separable --flip 0.1", "no --flip"),
    (f"make noisy --rows {10**13} -o n.csv", "memory"),
    ("learn", "TABLE"),
    ("dance", "dance"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of every kind, and a model of one of them."""
    folder = tmp_path_factory.mktemp("refusals")
    (folder / "t.csv").write_text(GOOD)
    save(judge(read_table(folder / "t.csv", label="pays")).model, folder / "m.json")
    (folder / "k.csv").write_text(
        "a,kind\n" + "".join(f"{k * 0.37},{'uvw'[k % 3]}\n" for k in range(60))
    )
    for k, text in enumerate(BAD):
        (folder / f"bad{k}.csv").write_bytes(text.encode("latin-1"))
    for name in "abc":
        (folder / f"{name}.csv").write_text("u,y\n1,no\n2,yes\n")
    X, y = np.random.default_rng(1).normal(size=(60, 2)), np.arange(60) % 2
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    columns = pa.table({"a": X[:, 0], "b": X[:, 1], "y": np.where(y, "good", "bad")})
    for name in ("all", "p-0", "p-1"):
        pq.write_table(columns, folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_what_cannot_be_is_said_and_nothing_is_written(run, folder, monkeypatch, line, said):
    monkeypatch.chdir(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(*shlex.split(line))
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert "error: " in err.lower()
    assert "Traceback" not in err
    assert "is read in blocks: " not in err or err.startswith("separatrix: error: ")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_hostile_names_are_shown_harmlessly(run, tmp_path):
    names = ["__proto__", "<script>alert(1)</script>", "=cmd()", "🦉", "\u202eevil", "x" * 10_000]
    header = io.StringIO()
    csv.writer(header).writerow([*names, "y"])
    rows = "".join(
        ",".join(map(str, (i, i % 3, i % 2, i, i, i))) + f",{'ab'[i > 4]}\n" for i in range(10)
    )
    (tmp_path / "t.csv").write_text(header.getvalue() + rows, encoding="utf-8")
    model = tmp_path / "m.json"
    code, out, _ = run("learn", tmp_path / "t.csv", "--label", "y", "--model", model)
    assert code == 0
    assert "\u202e" not in out
    assert "x" * 200 not in out
    assert run("predict", model, tmp_path / "t.csv")[0] == 0


@pytest.mark.parametrize(
    "table",
    [
        "x,l\n1e160,a\n2e160,b\n",
        "x,y,l\n1.7e308,2,no\n-1.7e308,4,yes\n1.6e308,5,yes\n1.7e308,4,no\n",
        "x,l\n5e-324,a\n1e-323,b\n5e-324,a\n1e-323,b\n",
        "x,y,l\n1.7e308,2,no\n1.7e308,4,yes\n?,5,yes\n",
        "x,l\n0,no\n4,no\n5,yes\n70000000000,yes\n",
    ],
)
def test_huge_tiny_and_far_values_are_judged_soon(run, tmp_path, monkeypatch, table):
    monkeypatch.setattr("separatrix.verdict.candidates.PLA_MULTIPLICATIONS", 2**29)
    (tmp_path / "t.csv").write_text(table)
    started = time.monotonic()
    code, out, err = run("learn", tmp_path / "t.csv", "--label", "l", "--missing", "fill", "-q")
    assert (code, err) == (0, "") or (code == 2 and "overflow" in err)
    assert "nan" not in out
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(("rule", "questions"), [("ova", 3), ("ovo", 3)])
def test_many_labels_are_judged_saved_and_answered(run, tmp_path, iris, rule, questions):
    model = tmp_path / "m.json"
    options = ["learn", iris, "--label", "species", "--multiclass", rule]
    code, out, err = run(*options, "--json", "--model", model)
    separable = 1 if rule == "ova" else 2
    size = "separatrix: 150 rows, 4 features"
    assert (code, err) == (0, f"{size}\n{size}, {separable} of 3 separable\n")
    verdict = json.loads(out)
    assert verdict["format"] == "separatrix multiclass verdict"
    assert verdict["table"]["labels"] == ["setosa", "versicolor", "virginica"]
    assert len(verdict["questions"]) == questions
    assert verdict["questions"][0]["separability"]["separable"] is True
    assert verdict["questions"][-1]["separability"]["separable"] is False
    best = next(r for r in verdict["learners"] if r["name"] == verdict["winner"])
    assert best["cv_error"] < 0.1
    code, answers, _ = run("predict", model, iris, "--match-names")
    rows = list(csv.DictReader(io.StringIO(answers)))
    species = [line.rsplit(",", 1)[1] for line in iris.read_text().splitlines()[1:]]
    wrong = sum(r["answer"] != k for r, k in zip(rows, species, strict=True))
    assert (code, wrong) == (0, best["mistakes"])
    assert list(rows[0])[:5] == [
        "line", "answer", "score_of_setosa", "score_of_versicolor", "score_of_virginica",
    ]  # fmt: skip
    if rule == "ova":
        for r in rows:
            scores = [float(r[f"score_of_{k}"]) for k in verdict["table"]["labels"]]
            assert verdict["table"]["labels"][int(np.argmax(scores))] == r["answer"]


@pytest.mark.parametrize("rule", ["ova", "ovo"])
def test_many_labels_are_proven_and_verified(run, tmp_path, iris, rule):
    asked = [iris, "--label", "species", "--multiclass", rule]
    proof, model = tmp_path / "p.json", tmp_path / "m.json"
    code, _, err = run("learn", *asked, "--proof", proof, "--model", model)
    assert (code, model.exists()) == (0, True)
    assert f"separatrix verify {proof} {iris}" in err
    code, out, err = run("verify", proof, iris)
    assert (code, err) == (0, "")
    assert out.startswith("VERIFIED\nThe classes: column 'species'")
    rest = "the rest (no, 100" if rule == "ova" else "class 'setosa' (no, 50"
    assert f"class 'versicolor' (yes, 50 rows) against {rest} rows)" in out
    code, alone, err = run("prove", *asked, "-o", tmp_path / "s.json")
    assert (code, alone.count("Question ")) == (0, 3)
    assert f"VERIFIED\n{alone}" == run("verify", tmp_path / "s.json", iris)[1]
    code, out, _ = run("prove", *asked, "--degree", 2, "--drop", "sl", "-o", tmp_path / "d.json")
    assert code == 0
    assert run("verify", tmp_path / "d.json", tmp_path / "d.table.csv")[1] == f"VERIFIED\n{out}"
