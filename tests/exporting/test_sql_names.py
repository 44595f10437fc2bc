"""Exported SELECTs: names, levels and labels of any kind, and what is refused."""

import csv
import re
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest

from separatrix import (
    DualPerceptron,
    InputError,
    LinearRegression,
    LinearRegressionClassifier,
    Perceptron,
    SeparatrixWarning,
    VotedPerceptron,
    to_sql,
)
from tests.exporting.databases import DATABASES, WAYS, learned
from tests.exporting.selects import answered

HOSTILE = [
    'a"b',
    "'; DROP TABLE t; --",
    "--",
    "/*",
    "😀",
    "\u202eabc",
    "x\n;y",
    "%s :p ? {c} {v}",
    "n" * 10_000,
]


@pytest.mark.parametrize("way", WAYS)
def test_hostile_names_levels_and_labels(tmp_path, way):
    dialect, make = WAYS[way]
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, size=(40, len(HOSTILE))).astype(float)
    frame = pd.DataFrame(X, columns=HOSTILE)
    labels = np.where(X[:, 0] > X[:, 1], "it's; --\"", "n\\o\n")
    model = LinearRegressionClassifier().fit(frame, labels)
    table = 't"; DROP TABLE t; --'
    con = make(HOSTILE, X.T.tolist(), table)
    got = answered(con, to_sql(model, table, dialect=dialect, keep=[HOSTILE[1]]))
    assert [row[1] for row in got] == model.predict(frame).tolist()
    assert [row[0] for row in got] == X[:, 1].tolist()
    levels = ["it's", '"; --', "{c}", "😀", "\\"]
    with (tmp_path / "t.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["c", "y"], *([v, k % 2] for k, v in enumerate(levels))])
    model, _, X = learned(tmp_path / "t.csv", LinearRegressionClassifier(), label="y")
    con = make(["c"], [levels])
    got = answered(con, to_sql(model, "t", dialect=dialect))
    assert [a for a, _ in got] == model.predict(X).tolist()


def test_a_column_that_is_not_there_is_an_error_and_no_text():
    model = Perceptron().fit(pd.DataFrame({"a": [0.0, 1, 3, 4]}), [0, 0, 1, 1])
    con = DATABASES["sqlite"](["b"], [[1.0]])
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: t\.a"):
        con.execute(to_sql(model, "t"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", ["cells", "CELLS", "sums1", "t", "of_cells"])
def test_a_table_may_be_called_as_a_step(way, table):
    dialect, make = WAYS[way]
    model = Perceptron().fit(pd.DataFrame({"t": [0.0, 1, 3, 4]}), [0, 0, 1, 1])
    con = make(["t"], [[4.0, 0.0]], table)
    assert [a for a, _ in answered(con, to_sql(model, table, dialect=dialect))] == [1, 0]


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (VotedPerceptron(), "votes of many lines.*AveragedPerceptron"),
        (DualPerceptron(kernel="rbf"), "kernels with the rows"),
        (LinearRegression(), "LinearRegressionClassifier"),
    ],
)
def test_what_is_no_line_is_refused_with_the_reason(learner, words):
    with pytest.raises(InputError, match=words):
        to_sql(learner.fit([[0.0], [1.0], [3.0]], [0, 1, 1]), "t")


def test_other_refusals():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(InputError, match="call fit first"):
        to_sql(Perceptron(), "t")
    line = Perceptron(max_iter=1)

    def of(*names, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = line.fit(pd.DataFrame(X, columns=names), [0, 1] * 3)
        return to_sql(model, options.pop("table", "t"), **options)

    with pytest.raises(InputError, match="choose one of any, sqlite, duckdb, postgresql"):
        of("a", "b", dialect="oracle")
    with pytest.raises(InputError, match="PostgreSQL: the columns 'a' and 'A' are one name"):
        of("a", "A")
    assert '"A"' in of("a", "A", dialect="postgresql")
    with pytest.raises(InputError, match="NUL"):
        of("a", "b\0")
    with pytest.raises(InputError, match="table's name is empty"):
        of("a", "b", table="")
    with pytest.raises(InputError, match="empty name"):
        of("a", "", dialect="duckdb")
    with pytest.raises(InputError, match="'Answer' and 'answer'"):
        of("a", "b", keep=["Answer"])
    with pytest.raises(InputError, match="list of column names"):
        of("a", "b", keep="id")
    long = "é" * 31 + "x"
    with pytest.warns(SeparatrixWarning, match="cuts names off behind 63 bytes, here 1"):
        of(long + "y", "b", dialect="postgresql")
    with pytest.raises(InputError, match="are one name"):
        of(long + "y", long + "z", dialect="postgresql")


STRING = r"'(?:[^']|'')*'"

NAME = r'"(?:[^"]|"")+"'


def test_postgresql_sees_names_strings_and_doubles_only():
    """Without a server: once names and strings are off, nothing of the user's is left."""
    frame = pd.DataFrame(np.eye(len(HOSTILE[:-1])), columns=HOSTILE[:-1])
    model = LinearRegressionClassifier().fit(frame, ["it's; --"] * 4 + ["no"] * 4)
    sql = to_sql(model, 't"; --', dialect="postgresql", schema="s;'", keep=["; k"])
    tokens = [m[0] for m in re.finditer(f"{NAME}|{STRING}", sql)]
    names = {token[1:-1].replace('""', '"') for token in tokens if token[0] == '"'}
    bare = re.sub(f"{NAME}|{STRING}", "N", sql)
    assert set(HOSTILE[:-1]) | {'t"; --', "s;'", "; k"} <= names
    assert re.fullmatch(r"[A-Za-z0-9_\s.,()*+:<>=|-]*", bare)
    assert ";" not in bare
    assert "--" not in bare
    # every literal number is a double, or PostgreSQL would add decimals
    assert re.findall(r"[0-9.]+e[+-]?[0-9]+(?!::float8)(?![0-9])", bare) == []
