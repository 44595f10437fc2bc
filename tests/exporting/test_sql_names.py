"""Exported SELECTs: names, levels and labels of any kind, and what is refused."""

import csv
import re
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import separatrix as sx
from tests.exporting.databases import (
    DATABASES,
    WAYS,
    answered,
    learned,
    learned_classes,
    numbers_of,
)
from tests.exporting.test_onnx_graph import fed, run
from tests.shared_data import DATA, needs_shared

HOSTILE = [
    'a"b', "'; DROP TABLE t; --", "--", "/*", "😀", "\u202eabc", "x\n;y", "%s :p ? {c} {v}",
    "n" * 10_000,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_hostile_names_levels_and_labels(tmp_path, way):
    dialect, make = WAYS[way]
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, size=(40, len(HOSTILE))).astype(float)
    frame = pd.DataFrame(X, columns=HOSTILE)
    labels = np.where(X[:, 0] > X[:, 1], "it's; --\"", "n\\o\n")
    model = sx.LinearRegressionClassifier().fit(frame, labels)
    table = 't"; DROP TABLE t; --'
    con = make(HOSTILE, X.T.tolist(), table)
    got = answered(con, sx.to_sql(model, table, dialect=dialect, keep=[HOSTILE[1]]))
    assert [row[1] for row in got] == model.predict(frame).tolist()
    assert [row[0] for row in got] == X[:, 1].tolist()
    levels = ["it's", '"; --', "{c}", "😀", "\\"]
    with (tmp_path / "t.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["c", "y"], *([v, k % 2] for k, v in enumerate(levels))])
    model, _, X = learned(tmp_path / "t.csv", sx.LinearRegressionClassifier(), label="y")
    con = make(["c"], [levels])
    got = answered(con, sx.to_sql(model, "t", dialect=dialect))
    assert [a for a, _ in got] == model.predict(X).tolist()


def test_a_column_that_is_not_there_is_an_error_and_no_text():
    model = sx.Perceptron().fit(pd.DataFrame({"a": [0.0, 1, 3, 4]}), [0, 0, 1, 1])
    con = DATABASES["sqlite"](["b"], [[1.0]])
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: t\.a"):
        con.execute(sx.to_sql(model, "t"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", ["cells", "CELLS", "sums1", "t", "of_cells"])
def test_a_table_may_be_called_as_a_step(way, table):
    dialect, make = WAYS[way]
    model = sx.Perceptron().fit(pd.DataFrame({"t": [0.0, 1, 3, 4]}), [0, 0, 1, 1])
    con = make(["t"], [[4.0, 0.0]], table)
    assert [a for a, _ in answered(con, sx.to_sql(model, table, dialect=dialect))] == [1, 0]


@pytest.mark.parametrize("table", ["votes", "joint", "Sums1"])
def test_a_table_may_be_called_as_a_step_of_votes(table):
    X = np.arange(12.0).reshape(6, 2)
    model = OneVsOneClassifier(sx.LinearRegressionClassifier()).fit(X, [0, 1, 2] * 2)
    con = DATABASES["sqlite"](["x1", "x2"], X.T.tolist(), table)
    assert [row[0] for row in answered(con, sx.to_sql(model, table))] == model.predict(X).tolist()


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (sx.VotedPerceptron(), "votes of many lines.*AveragedPerceptron"),
        (sx.DualPerceptron(kernel="rbf"), "kernels with the rows"),
        (sx.LinearRegression(), "LinearRegressionClassifier"),
    ],
)
def test_what_is_no_line_is_refused_with_the_reason(learner, words):
    with pytest.raises(sx.InputError, match=words):
        sx.to_sql(learner.fit([[0.0], [1.0], [3.0]], [0, 1, 1]), "t")


def test_other_refusals():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(sx.InputError, match="call fit first"):
        sx.to_sql(sx.Perceptron(), "t")
    line = sx.Perceptron(max_iter=1)

    def of(*names, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = line.fit(pd.DataFrame(X, columns=names), [0, 1] * 3)
        return sx.to_sql(model, options.pop("table", "t"), **options)

    with pytest.raises(sx.InputError, match="choose one of any, sqlite, duckdb, postgresql"):
        of("a", "b", dialect="oracle")
    with pytest.raises(sx.InputError, match="PostgreSQL: the columns 'a' and 'A' are one name"):
        of("a", "A")
    assert '"A"' in of("a", "A", dialect="postgresql")
    with pytest.raises(sx.InputError, match="NUL"):
        of("a", "b\0")
    with pytest.raises(sx.InputError, match="table's name is empty"):
        of("a", "b", table="")
    with pytest.raises(sx.InputError, match="empty name"):
        of("a", "", dialect="duckdb")
    with pytest.raises(sx.InputError, match="'Answer' and 'answer'"):
        of("a", "b", keep=["Answer"])
    with pytest.raises(sx.InputError, match="list of column names"):
        of("a", "b", keep="id")
    long = "é" * 31 + "x"
    with pytest.warns(sx.SeparatrixWarning, match="cuts names off behind 63 bytes, here 1"):
        of(long + "y", "b", dialect="postgresql")
    with pytest.raises(sx.InputError, match="are one name"):
        of(long + "y", long + "z", dialect="postgresql")


STRING = r"'(?:[^']|'')*'"

NAME = r'"(?:[^"]|"")+"'


def test_postgresql_sees_names_strings_and_doubles_only():
    """Without a server: once names and strings are off, nothing of the user's is left."""
    frame = pd.DataFrame(np.eye(len(HOSTILE[:-1])), columns=HOSTILE[:-1])
    model = sx.LinearRegressionClassifier().fit(frame, ["it's; --"] * 4 + ["no"] * 4)
    sql = sx.to_sql(model, 't"; --', dialect="postgresql", schema="s;'", keep=["; k"])
    tokens = [m[0] for m in re.finditer(f"{NAME}|{STRING}", sql)]
    names = {token[1:-1].replace('""', '"') for token in tokens if token[0] == '"'}
    bare = re.sub(f"{NAME}|{STRING}", "N", sql)
    assert set(HOSTILE[:-1]) | {'t"; --', "s;'", "; k"} <= names
    assert re.fullmatch(r"[A-Za-z0-9_\s.,()*+:<>=|-]*", bare)
    assert ";" not in bare
    assert "--" not in bare
    # every literal number is a double, or PostgreSQL would add decimals
    assert re.findall(r"[0-9.]+e[+-]?[0-9]+(?!::float8)(?![0-9])", bare) == []


RULES = {"ova": OneVsRestClassifier, "ovo": OneVsOneClassifier}


def rows_of(path):
    with path.open(newline="") as stream:
        names, *rows = csv.reader(stream)
    return names, [list(cells) for cells in zip(*rows, strict=True)]


def assert_answered_as_by_predict(model, table, X, path, tmp_path):
    """In every database and as a graph: the same labels and the same doubles, row by row."""
    labels, scores = model.predict(X).tolist(), model.decision_function(X).tolist()
    want = dict(zip(table.lines.tolist(), zip(labels, scores, strict=True), strict=True))
    names, columns = rows_of(path)
    lines = list(range(2, 2 + len(columns[0])))
    kinds = ["INTEGER", *("REAL" if n in numbers_of(table) else "TEXT" for n in names)]
    for dialect, make in WAYS.values():
        con = make(["line", *names], [lines, *columns], kinds=kinds)
        for line, answer, *found in con.execute(
            sx.to_sql(model, "t", dialect=dialect, keep=["line"])
        ).fetchall():
            assert (answer, found) == want.get(line, (None, [None] * len(found)))
    sx.to_onnx(model, tmp_path / "m.onnx")
    answers, found = run(tmp_path / "m.onnx", fed(table.columns))
    assert answers.tolist() == labels
    assert found.tolist() == scores


@needs_shared
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("name", "label", "how"),
    [("lizards", "time", ()), ("lizards", "time", ("drop", 2)), ("birthwt", "race", ()),
     ("titanic_survival", "passengerClass", ()), ("crx_raw", "A13", ("fill",)),
     ("heart_statlog", "slope", ()), ("heart_statlog", "chest", ()),
     ("islp_smarket_leaky", "Year", ())],
)  # fmt: skip
def test_every_row_of_public_tables_with_three_labels_or_more(name, label, how, rule, tmp_path):
    path = DATA / f"{name}.csv"
    classifier = RULES[rule](sx.LinearRegressionClassifier())
    model, table, X = learned_classes(path, classifier, *how, label=label)
    assert_answered_as_by_predict(model, table, X, path, tmp_path)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("k", [2, 3, 4, 6])
@pytest.mark.parametrize("zero", ["mistake", 1])
def test_ties_are_resolved_as_by_the_model(rule, k, zero, tmp_path):
    """Small whole weights, many of them zero: votes, sums and scores are often equal, or 0."""
    rng = np.random.default_rng(k)
    X = rng.integers(-2, 3, size=(200, 2)).astype(float)
    seen = 0
    for _ in range(4):
        y = np.concatenate((np.arange(k), rng.integers(0, k, len(X) - k)))
        model = RULES[rule](sx.LinearRegressionClassifier()).fit(X, y)
        for part in model.estimators_:
            part.coef_ = rng.integers(-1, 2, size=(1, 2)).astype(float)
            part.intercept_ = rng.integers(-1, 2, size=1).astype(float)
            part.sign_of_zero_ = zero
        labels, scores = model.predict(X).tolist(), model.decision_function(X)
        if k > 2:
            best = np.sort(scores, axis=1)
            seen += int((best[:, -1] == best[:, -2]).sum())
        scores = scores.reshape(len(X), -1)
        for dialect, make in WAYS.values():
            con = make(["x1", "x2"], X.T.tolist())
            got = con.execute(sx.to_sql(model, "t", dialect=dialect)).fetchall()
            assert [row[0] for row in got] == labels
            assert [list(row[1:]) for row in got] == scores.tolist()
        sx.to_onnx(model, tmp_path / "m")
        answers, found = run(tmp_path / "m", {"X": X})
        assert answers.tolist() == labels
        assert found.reshape(len(X), -1).tolist() == scores.tolist()
    assert k == 2 or seen > 25


@pytest.mark.parametrize("dialect", DATABASES)
def test_rows_that_predict_refuses_have_no_answer_by_votes(dialect, tmp_path):
    rows = [f"{a},{s},{'uvw'[a % 3]}" for a, s in zip(range(12), "mffmmffmmfmf", strict=True)]
    (tmp_path / "t.csv").write_text("a,s,y\n" + "\n".join(rows) + "\n")
    model, *_ = learned_classes(
        tmp_path / "t.csv", OneVsOneClassifier(sx.LinearRegressionClassifier()), label="y"
    )
    con = DATABASES[dialect](["a", "s"], [["3", "", "3", "1e308"], ["m", "m", "x", "m"]])
    for part in model.estimators_:
        part.coef_ = np.array([[4.0, 1.0]])  # beyond the range of doubles for the last row
    got = con.execute(sx.to_sql(model, "t", dialect=dialect)).fetchall()
    assert None not in got[0]
    assert got[1:] == [(None,) * 4] * 3
    sx.to_onnx(model, tmp_path / "m")
    feeds = {
        "a": np.array([[3.0], [np.nan], [3.0], [1e308]]),
        "s": np.array([["m"], ["m"], ["x"], ["m"]], dtype=object),
    }
    answers, scores = run(tmp_path / "m", feeds)
    assert (answers != "").tolist() == [True, False, False, False]
    assert np.isnan(scores[1:]).all()
