"""Exported SELECTs, run for real: the answers and the scores of `predict`."""

import warnings

import numpy as np
import pandas as pd
import pytest

from separatrix import LinearRegressionClassifier, LogisticRegression, Perceptron, to_sql
from separatrix.learners._linear import LinearClassifier
from separatrix.model.lines import LEARNERS, learner_called
from tests.exporting.databases import DATABASES, WAYS, answered, learned, numbers_of, public
from tests.hostile.profile import cases
from tests.shared_data import manifest, needs_shared

PUBLIC = [entry["name"] for entry in manifest()]


@needs_shared
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "missing"), [*((n, "drop") for n in PUBLIC), ("crx_raw", "fill")])
def test_every_row_of_the_public_tables_is_answered_as_by_predict(name, missing):
    path, options, names, rows, first = public(name)
    model, table, X = learned(path, LogisticRegression(C=1.0), missing, **options)
    lines = list(range(first, first + len(rows)))
    kinds = ["INTEGER", *("REAL" if n in numbers_of(table) else "TEXT" for n in names)]
    columns = [lines, *(list(cells) for cells in zip(*rows, strict=True))]
    want = dict(
        zip(
            table.lines.tolist(),
            zip(model.predict(X), model.decision_function(X), strict=True),
            strict=True,
        )
    )
    for dialect, make in WAYS.values():
        con = make(["line", *names], columns, kinds=kinds)
        got = answered(con, to_sql(model, "t", dialect=dialect, keep=["line"]))
        assert [line for line, *_ in got] == lines
        for line, answer, score in got:
            if line not in want:  # dropped: a value is missing
                assert (answer, score) == (None, None)
                continue
            assert answer == want[line][0]
            # the same double, but where predict has replaced it by the exact one
            assert abs(score - want[line][1]) <= 1e-15 * np.abs(model.coef_).max()
        exact = sum(score == want[line][1] for line, _, score in got if line in want)
        assert exact == len(want) or name == "xor"


@needs_shared
@pytest.mark.parametrize(
    ("name", "degree"),
    [("lizards", 2), ("titanic_survival", 2), ("crx_raw", 2), ("spector", 2), ("spector", 3)],
)
def test_products_of_columns(name, degree):
    path, options, names, rows, _ = public(name)
    model, table, X = learned(path, LinearRegressionClassifier(), "fill", degree, **options)
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    for dialect, make in WAYS.values():
        kinds = ["NUMERIC" if name in numbers_of(table) else "TEXT" for name in names]
        con = make(names, columns, kinds=kinds)
        got = answered(con, to_sql(model, "t", dialect=dialect))
        assert [a for a, _ in got] == model.predict(X).tolist()
        assert [s for _, s in got] == model.decision_function(X).tolist()


TABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n,m,yes\n58,,yes\n23,f,no\n"


@pytest.fixture
def small(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)

    def make(missing="fill", degree=1):
        return learned(
            tmp_path / "t.csv", LogisticRegression(C=1.0), missing, degree, label="pays"
        )[0]

    return make


ODD = [
    ("30", "f"), (" 30 ", " f\t"), ("?", "f"), ("", "m"), (None, "m"), ("30", None), ("30", "NA"),
    ("30", "x"), ("old", "f"), ("1e999", "f"), ("30", "F"),
]  # fmt: skip


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("dialect", DATABASES)
def test_cells_that_predict_fills_are_filled_and_those_it_refuses_have_no_answer(
    small, dialect, degree
):
    model = small("fill", degree)
    con = DATABASES[dialect](["age", "sex"], list(zip(*ODD, strict=True)))
    got = answered(con, to_sql(model, "t", dialect=dialect))
    filled = {"age": 31.0, "sex": "f"}
    columns = model.table_.encoding.columns
    assert [c.fill for c in columns] == list(filled.values())
    scores = [score for _, score in got]
    assert scores[0] == scores[1] == scores[5] == scores[6]
    assert scores[3] == scores[4] is not None
    assert None not in scores[:7]
    assert got[7:] == [(None, None)] * 4
    con = DATABASES[dialect](["age", "sex"], [["31", "31"], ["f", "m"]])
    at_median = [score for _, score in answered(con, to_sql(model, "t", dialect=dialect))]
    assert [scores[2], scores[3]] == at_median


@pytest.mark.parametrize("dialect", DATABASES)
def test_without_fills_a_missing_value_has_no_answer(small, dialect):
    con = DATABASES[dialect](["age", "sex"], list(zip(*ODD, strict=True)))
    got = answered(con, to_sql(small("drop"), "t", dialect=dialect))
    assert [answer is not None for answer, _ in got] == [True, True] + [False] * 9


READ_OTHERWISE = {"1_000": None, "9007199254740993": 2.0**53, "1e3": 1000.0, " 5. ": 5.0}


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_text_that_databases_read_as_another_number(small, dialect):
    cells = [list(READ_OTHERWISE), ["f"] * len(READ_OTHERWISE)]
    con = DATABASES[dialect](["age", "sex"], cells, kinds=["TEXT", "TEXT"])
    model = small("drop")
    got = [score for _, score in answered(con, to_sql(model, "t", dialect=dialect))]
    ages = list(READ_OTHERWISE.values())
    want = model.decision_function([[age, 0.0] for age in ages if age is not None]).tolist()
    assert got == [None if age is None else want.pop(0) for age in ages]


def test_what_any_refuses_of_text_in_duckdb(small):
    con = DATABASES["duckdb"](["age", "sex"], [["30", "1_000", "30"], ["f", "f", "\u00a0f"]])
    got = answered(con, to_sql(small("drop"), "t"))
    assert [answer is not None for answer, _ in got] == [True, False, False]


@pytest.mark.parametrize("degree", [1, 2])
def test_a_column_of_one_level_still_knows_no_other(tmp_path, degree):
    (tmp_path / "t.csv").write_text("a,b,y\n1,u,no\n2,u,no\n3,u,yes\n4,u,yes\n")
    model, *_ = learned(tmp_path / "t.csv", Perceptron(), degree=degree, label="y")
    for dialect, make in WAYS.values():
        con = make(["a", "b"], [[4.0, 4.0, 1.0], ["u", "v", "u"]])
        got = [a for a, _ in answered(con, to_sql(model, "t", dialect=dialect))]
        assert got == ["yes", None, "no"]


def test_nan_and_infinity_of_typed_columns_have_no_answer():
    model = Perceptron().fit(pd.DataFrame({"a": [0.0, 1, 3, 4]}), ["no", "no", "yes", "yes"])
    con = DATABASES["duckdb"](["a"], [[np.nan, np.inf, -np.inf, 4.0, 0.0]])
    for dialect in ("duckdb", "any"):
        got = [a for a, _ in answered(con, to_sql(model, "t", dialect=dialect))]
        assert got == [None, None, None, "yes", "no"]


@pytest.mark.parametrize("way", list(WAYS)[:: cases(3, 1)])
def test_more_terms_than_an_expression_may_have(way):
    dialect, make = WAYS[way]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 1100))
    model = LinearRegressionClassifier().fit(X, np.arange(20) % 2)
    con = make([f"x{j}" for j in range(1, 1101)], X.T.tolist())
    got = answered(con, to_sql(model, "t", dialect=dialect))
    assert [s for _, s in got] == model.decision_function(X).tolist()


def test_every_line_of_the_library_can_leave():
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    for name in LEARNERS:
        make = learner_called(name)
        if not issubclass(make, LinearClassifier):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make().fit(X, y)
        con = DATABASES["sqlite"](["x1"], [[v for (v,) in X]])
        assert [a for a, _ in answered(con, to_sql(model, "t"))] == model.predict(X).tolist(), name
