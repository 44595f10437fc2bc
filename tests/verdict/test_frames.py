"""A data frame is judged as the CSV file that it would be written to."""

import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import separatrix as sx
from tests.shared_data import DATA, needs_shared

LABELS = ["no", "yes", "no", "yes", "no", "yes", "yes", "no"]
COLUMNS = {
    "c": ["a", "b", "a", "b", "a", "c", "c", "b"],
    "flag": [True, False, True, True, False, False, None, True],
    "n": [1, 2, None, 4, 5, 6, 7, 8],
    "x": [0.1, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
}


def of_pandas():
    return pd.DataFrame(COLUMNS).astype({"c": "category", "flag": "boolean", "n": "Int64"})


def of_polars():
    return pl.DataFrame(COLUMNS).with_columns(pl.col("c").cast(pl.Categorical))


@pytest.mark.parametrize("frame", [of_pandas(), of_polars()], ids=["pandas", "polars"])
def test_trap_74_categories_booleans_and_nullables_are_as_in_the_csv(frame, tmp_path):
    path = tmp_path / "t.csv"
    written = pd.DataFrame(COLUMNS).assign(label=LABELS)
    written["n"] = written["n"].astype("Int64")
    written.to_csv(path, index=False)
    of_file = sx.judge(sx.read_table(path, "label"), fewest_nodes=50)
    of_frame = sx.judge(frame, LABELS, fewest_nodes=50)
    assert [f.casefold() for f in of_frame.features] == [f.casefold() for f in of_file.features]
    assert of_frame.separability.verdict == of_file.separability.verdict
    assert [r.n_errors for r in of_frame.results] == [r.n_errors for r in of_file.results]
    assert [r.weights.tobytes() for r in of_frame.results] == [
        r.weights.tobytes() for r in of_file.results
    ]
    assert of_frame.table.n_dropped == of_file.table.n_dropped == 2
    assert any("2 rows of 8 dropped because a value is missing" in n for n in of_frame.notes)
    assert any("'c' (3 levels)" in note for note in of_frame.notes)


def test_trap_74_times_are_refused_with_what_helps():
    when = pd.date_range("2026-01-01", periods=8)
    for frame in (pd.DataFrame({"when": when, "x": COLUMNS["x"]}), pl.DataFrame({"when": when})):
        with pytest.raises(
            sx.InputError, match=r"'when' holds dates or times.*leave column 'when' out"
        ):
            sx.judge(frame, LABELS)


def test_frames_that_cannot_be_judged():
    x = COLUMNS["x"]
    with pytest.raises(sx.InputError, match="row 2, column 'x': 'inf' is infinite"):
        sx.judge(pd.DataFrame({"x": [1.0, 2.0, np.inf, *x[3:]]}), LABELS)
    with pytest.raises(sx.InputError, match="'x' of the data frame has dtype complex128"):
        sx.judge(pd.DataFrame({"x": np.array(x) + 1j}), LABELS)
    with pytest.raises(sx.InputError, match="called 'x'"):
        sx.judge(pd.DataFrame([[1, 2]] * 8, columns=["x", "x"]), LABELS)
    with pytest.raises(sx.InputError, match="feature_names has 2 names for 1 columns"):
        sx.judge(pd.DataFrame({"x": x}), LABELS, feature_names=["a", "b"])
    with pytest.raises(sx.InputError, match="every row of class 'yes' lacks a value"):
        sx.judge(pd.DataFrame({"x": [1.0, None, 2.0]}), ["no", "yes", "no"])
    with pytest.warns(sx.SeparatrixWarning, match="'c' has levels that differ in case only"):
        sx.judge(pd.DataFrame({"c": list("aAbBaAbB"), "x": x}), LABELS, fewest_nodes=5)


def test_dates_declared_to_be_categories_are():
    when = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"] * 4)).astype("category")
    verdict = sx.judge(pd.DataFrame({"when": when, "x": COLUMNS["x"]}), LABELS, fewest_nodes=5)
    assert verdict.features[0].startswith("when=2026-01-02 00:00:00")


def test_the_options_an_error_names_are_said_to_be_of_read_frame():
    frame = of_pandas().assign(label=[*LABELS[:-1], None])
    with pytest.raises(
        sx.InputError, match=r'unlabelled="drop".* arguments of read_frame: .*label'
    ):
        sx.judge(frame, label="label")


def test_a_verdict_answers_frames_and_says_so():
    frame = of_pandas().assign(label=LABELS).dropna()
    verdict = sx.judge(frame, label="label", fewest_nodes=50)
    answers = verdict.predict_frame(frame)
    for asked in (verdict, verdict.model):
        assert answers.equals(sx.predict_frame(asked, frame))
    with pytest.raises(sx.InputError, match=r"say judge\(frame, label='label'\)"):
        sx.judge(frame, "label")
    assert "predict_frame(frame)" in repr(verdict)
    with pytest.raises(sx.InputError, match=r"'c' holds 'a'.*predict_frame\(model, frame\)"):
        verdict.model.predict(frame[["c", "flag", "n", "x"]].astype({"c": object}))


def test_what_takes_a_model_says_where_a_verdict_has_it(tmp_path):
    verdict = sx.judge(pd.DataFrame({"x": COLUMNS["x"]}), LABELS, fewest_nodes=50)
    with pytest.raises(sx.InputError, match=r"cannot save a Verdict: .*v\.model"):
        sx.save(verdict, tmp_path / "m.json")
    with pytest.raises(sx.InputError, match=r"a Verdict cannot be .*v\.model"):
        sx.scorecard(verdict, np.array(COLUMNS["x"])[:, None])


def content(table):
    """Return all that a verdict is made of, without what depends on the way the table came."""
    columns = [
        (type(c).__name__, c.name, getattr(c, "levels", None),
         np.asarray(c.codes if hasattr(c, "codes") else c.values, float).tobytes())
        for c in table.columns
    ]  # fmt: skip
    alike = replace(
        table, name="t", format="csv", sha256="0" * 64, lines=np.arange(table.y.size),
        line_word="row", dialect=None, notes=(), columns=(),
    )  # fmt: skip
    return columns, table.y.tolist(), repr(alike)


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
def test_every_way_gives_the_same_table(name, tmp_path):
    ways = dict(every_way(DATA / f"{name}.csv", tmp_path))
    wanted = content(ways.pop("csv"))
    for way, table in ways.items():
        assert content(table) == wanted, way


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
        assert [a in ("no", "yes") for a in answers["answer"].to_list()].index(False) == 5
    if hasattr(answers, "index"):
        assert answers.index.tolist() == new.index.tolist()
    odd = make(FRAME.assign(sex="x"))
    with pytest.raises(sx.InputError, match="'x' is not among the levels"):
        sx.predict_frame(model, odd, missing="blank")
    with pytest.raises(sx.InputError, match="lacks columns the model was trained on: 'age'"):
        sx.predict_frame(model, make(FRAME[["sex"]]))
