"""A table is the same whichever way it comes: CSV, Parquet, pandas, polars, a database."""

import json
import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import separatrix as sx
from tests.messy import messy_csv
from tests.shared_data import DATA, needs_shared
from tests.verdict.tables import timeless


def alike(table):
    """Return a table without what depends on the way it came."""
    return replace(
        table, name="t", format="csv", sha256="0" * 64, lines=np.arange(table.y.size),
        line_word="row", dialect=None, notes=(),
    )  # fmt: skip


def verdict_of(table):
    """Return the bytes of the verdict, without measured times."""
    return json.dumps(timeless(json.loads(sx.to_json(sx.judge(alike(table), fewest_nodes=20)))))


def every_way(path, folder):
    """Yield the table of a CSV file, and those of the same values that come in other ways."""
    options = {"label": "label", "yes": "yes"}
    yield "csv", sx.read_table(path, **options)
    frame = pd.read_csv(path, float_precision="round_trip", low_memory=False)
    yield "pandas", sx.read_frame(frame, **options)
    yield "pandas of Arrow", sx.read_frame(frame.convert_dtypes(dtype_backend="pyarrow"), **options)
    yield "polars", sx.read_frame(pl.read_csv(path, infer_schema_length=None), **options)
    frame.to_parquet(folder / "t.parquet")
    yield "parquet", sx.read_table(folder / "t.parquet", **options)
    with sqlite3.connect(folder / "t.db") as database:
        frame.to_sql("t", database, index=False)
    database.close()
    yield "SQLite", sx.read_table(folder / "t.db", query="SELECT * FROM t", **options)


@needs_shared
@pytest.mark.parametrize("name", ["crx_raw", "titanic_survival", "haberman", "lizards"])
def test_every_way_gives_the_same_verdict(name, tmp_path):
    ways = dict(every_way(DATA / f"{name}.csv", tmp_path))
    wanted = verdict_of(ways.pop("csv"))
    for way, table in ways.items():
        assert verdict_of(table) == wanted, way


def test_recipes_are_for_frames_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(messy_csv(120))
    how = {
        "label": "defaulted", "fold_labels": True, "fold_case": True, "missing": "level",
        "parse": ["money", "percent", "dates"], "drop": ["customer_id", "name_note", "zip"],
    }  # fmt: skip
    of_file = verdict_of(sx.read_table(path, **how))
    frame = pd.read_csv(path, sep=";", dtype=str, keep_default_na=False)
    assert verdict_of(sx.read_frame(frame, **how)) == of_file
    assert verdict_of(sx.read_frame(pl.from_pandas(frame), **how)) == of_file


LABELS = "no", "yes"
FRAME = pd.DataFrame({
    "age": [20, 35, 50, 42, 23, 61, 44, 58],
    "sex": pd.Categorical(list("fmfmfmmf")),
    "smokes": pd.array([True, False, None, True, False, True, False, True], dtype="boolean"),
    "pays": ["no", "yes", "yes", "no", "no", "yes", "yes", "no"],
})  # fmt: skip


def test_judge_takes_the_label_column_by_name():
    found = sx.judge(FRAME, label="pays", fewest_nodes=5)
    assert [name.partition("=")[0] for name in found.features] == ["age", "sex", "smokes"]
    apart = sx.judge(FRAME.drop(columns="pays"), FRAME["pays"], fewest_nodes=5)
    assert [r.weights.tobytes() for r in found.results] == [
        r.weights.tobytes() for r in apart.results
    ]
    for arguments in ((FRAME, FRAME["pays"]), ([[1], [2]], None)):
        with pytest.raises(sx.InputError, match="label names the column of a data frame"):
            sx.judge(*arguments, label="pays")
    with pytest.raises(sx.InputError, match=r"no column 'pay'.*Nearest: 'pays'"):
        sx.judge(FRAME, label="pay")
    with pytest.raises(sx.InputError, match="a list is no data frame"):
        sx.read_frame([1], "y")
    with pytest.raises(sx.InputError, match="0 rows"):
        sx.read_frame(FRAME.iloc[:0], "pays")


def test_many_labels_of_a_frame():
    frame = pd.DataFrame({"c": list("abcabcabc") * 2, "x": range(18), "y": list("pqr") * 6})
    by_name = sx.judge(frame, label="y", multiclass="ova", fewest_nodes=5)
    apart = sx.judge(frame[["c", "x"]], frame["y"], multiclass="ova", fewest_nodes=5)
    assert by_name.classes.tolist() == apart.classes.tolist() == ["p", "q", "r"]
    assert [r.n_errors for r in by_name.results] == [r.n_errors for r in apart.results]


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_frames_in_frames_out(make, tmp_path):
    model = sx.judge(make(FRAME), label="pays", fewest_nodes=5).model
    sx.save(model, tmp_path / "m.json")
    new = make(FRAME.drop(columns="pays").iloc[::-1])
    with pytest.raises(sx.InputError, match=r"row 5, column 'smokes'.*missing"):
        sx.predict_frame(model, new)
    for one in (model, sx.load(tmp_path / "m.json")):
        answers = sx.predict_frame(one, new, missing="blank")
        assert type(answers) is type(new)
        assert list(answers.columns)[:2] == ["answer", "score"]
        assert answers.shape[0] == 8
        assert [a in LABELS for a in answers["answer"].to_list()].index(False) == 5
    if hasattr(answers, "index"):
        assert answers.index.tolist() == new.index.tolist()
    odd = make(FRAME.assign(sex="x"))
    with pytest.raises(sx.InputError, match="'x' is not among the levels"):
        sx.predict_frame(model, odd, missing="blank")
    with pytest.raises(sx.InputError, match="lacks columns the model was trained on: 'age'"):
        sx.predict_frame(model, make(FRAME[["sex"]]))


def test_certificates_take_categories_of_frames():
    whole = FRAME.dropna()
    X = np.array([whole["age"], whole["sex"] == "m", whole["smokes"].astype(bool)], float).T
    frame, y = whole.drop(columns="pays"), whole["pays"]
    assert sx.separability(frame, y).verdict == sx.separability(X, y).verdict
    assert sx.minimum_errors(frame, y).upper == sx.minimum_errors(X, y).upper
    with pytest.raises(sx.InputError, match="row 2 of the data frame lacks a value"):
        sx.separability(FRAME.drop(columns="pays"), FRAME["pays"])
