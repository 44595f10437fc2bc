"""Answers for a table by a model file."""

import csv
import io
import warnings

import numpy as np
import pytest

from separatrix import InputError, Perceptron, SeparatrixWarning, judge, read_table, save
from separatrix.model import TableModel
from separatrix.predicting import answers_csv
from separatrix.tables import Encoding, NumberEncoding
from tests.predicting.files import learned_file


def test_probabilities_and_scores_read_back_to_the_same_doubles(saved):
    folder, model, X = saved
    rows = list(csv.DictReader(io.StringIO(answers_csv(folder / "m.json", folder / "t.csv"))))
    assert list(rows[0]) == ["line", "answer", "score", "probability_of_yes"]
    assert [float(r["score"]) for r in rows] == model.decision_function(X).tolist()
    assert [float(r["probability_of_yes"]) for r in rows] == model.predict_proba(X)[:, 1].tolist()
    assert [r["answer"] for r in rows] == model.predict(X).tolist()


def test_a_model_of_arrays_knows_no_columns(tmp_path):
    save(Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="learned from arrays"):
        answers_csv(tmp_path / "m.json", tmp_path / "t.csv")


def test_levels_never_seen_are_left_blank_when_asked(tmp_path):
    learned_file(tmp_path)
    (tmp_path / "n.csv").write_text("age,sex\n10,f\n11,x\n60,m\n")
    with pytest.raises(InputError, match=r"line 3.*'x' is not among .*unknown=.blank"):
        answers_csv(tmp_path / "m.json", tmp_path / "n.csv")
    lines = answers_csv(tmp_path / "m.json", tmp_path / "n.csv", unknown="blank").splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == ["no", "", "yes"]


def probabilities(folder, known, new):
    """What logistic regression on some rows says of others, and whether it warns."""
    (folder / "t.csv").write_text(f"x,y\n{known}\n")
    verdict = judge(read_table(folder / "t.csv", "y"))
    model = verdict.result("logistic regression").learner
    model.table_, model.classes_ = verdict.model.table_, np.array(["no", "yes"])
    save(model, folder / "m.json")
    (folder / "n.csv").write_text(f"x\n{new}\n")
    text = answers_csv(folder / "m.json", folder / "n.csv")
    return [line.split(",")[3] for line in text.splitlines()[1:]]


def test_probabilities_of_a_model_without_an_optimum_are_no_certainties(tmp_path):
    with pytest.warns(SeparatrixWarning, match="no certainties"):
        found = probabilities(tmp_path, "0,no\n1,no\n3,yes\n4,yes", "-5\n9")
    assert found == ["0.0", "1.0"]


@pytest.mark.filterwarnings("error:.*no certainties")
def test_a_probability_rounded_to_one_is_not_taken_for_a_missing_optimum(tmp_path):
    assert probabilities(tmp_path, "0,no\n1,yes\n2,no\n3,yes", "1e6") == ["1.0"]


def answers_with(labels, tmp_path):
    """What `predict` writes for two labels, and its warnings."""
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    model.classes_ = np.array(labels)
    encoding = Encoding((NumberEncoding("x", None),))
    model.table_ = TableModel(encoding, "y", ("y",))
    save(model, tmp_path / "m.json")
    (tmp_path / "n.csv").write_text("x\n-5\n5\n5\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = answers_csv(tmp_path / "m.json", tmp_path / "n.csv", explain=True)
    return [row["answer"] for row in csv.DictReader(io.StringIO(text, newline=""))], caught


@pytest.mark.parametrize(
    "label", ["=1+1", "+a", "-a", "@a", "\ta", "\ra", "--1", "+", "'=1", "-1 2"]
)
def test_labels_that_a_spreadsheet_would_run_are_quoted_and_said_once(tmp_path, label):
    answers, caught = answers_with([label, "yes"], tmp_path)
    assert answers == [f"'{label}", "yes", "yes"]
    assert len(caught) == 1
    assert "quote mark" in str(caught[0].message)


@pytest.mark.parametrize("label", ["-1", "+1", "-1.5e3", "a=b", "yes", "'yes", "", " =1", "-.5"])
def test_other_labels_stay_as_they_are(tmp_path, label):
    answers, caught = answers_with([label, "no"], tmp_path)
    assert (answers, caught) == ([label, "no", "no"], [])
