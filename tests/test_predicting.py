"""Answers for a table by a model file."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from separatrix import InputError, LogisticRegression, Perceptron, read_table, save
from separatrix.model import TableModel
from separatrix.predicting import answers_csv
from separatrix.tables import fit_encoding

TABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n,m,yes\n58,f,no\n23,f,no\n"


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    table = read_table(tmp_path / "t.csv", label="pays", missing="fill")
    encoding = fit_encoding(table.columns, "fill")
    X = encoding.encode(table.columns, table.lines)
    model = LogisticRegression().fit(X, np.where(table.y > 0, "yes", "no"))
    model.table_ = TableModel(encoding, table.label, table.extra)
    save(model, tmp_path / "m.json")
    return tmp_path, model, X


def test_probabilities_and_scores_read_back_to_the_same_doubles(saved):
    folder, model, X = saved
    rows = list(csv.DictReader(io.StringIO(answers_csv(folder / "m.json", folder / "t.csv"))))
    assert list(rows[0]) == ["line", "answer", "score", "probability_of_yes"]
    assert [float(r["score"]) for r in rows] == model.decision_function(X).tolist()
    assert [float(r["probability_of_yes"]) for r in rows] == model.predict_proba(X)[:, 1].tolist()
    assert [r["answer"] for r in rows] == model.predict(X).tolist()


def test_missing_values_are_filled_as_in_training(saved):
    folder = saved[0]
    median = 31  # of the ages in training
    (folder / "new.csv").write_text(f"age,sex\n?,f\n{median},f\n")
    rows = list(csv.DictReader(io.StringIO(answers_csv(folder / "m.json", folder / "new.csv"))))
    assert rows[0]["score"] == rows[1]["score"]


def test_a_model_of_arrays_knows_no_columns(tmp_path):
    save(Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="learned from arrays"):
        answers_csv(tmp_path / "m.json", tmp_path / "t.csv")
