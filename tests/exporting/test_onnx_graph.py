"""Exported ONNX graphs, run by onnxruntime: the answers and the scores of `predict`."""

import sys

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

import separatrix as sx
from separatrix.tables import NumberColumn
from tests.exporting.databases import learned, public
from tests.shared_data import manifest, needs_shared

PUBLIC = [entry["name"] for entry in manifest()]


def run(path, feeds):
    onnx.checker.check_model(str(path), full_check=True)
    return session(path).run(None, feeds)


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options)


def fed(columns):
    """Columns as the graph wants them: NaN and "" where missing."""
    return {
        c.name: c.values[:, None]
        if isinstance(c, NumberColumn)
        else np.array([[c.levels[k] if k >= 0 else ""] for k in c.codes], dtype=object)
        for c in columns
    }


@needs_shared
@pytest.mark.parametrize(
    ("name", "missing", "degree"),
    [*((n, "drop", 1) for n in PUBLIC), ("crx_raw", "fill", 1), ("titanic_survival", "fill", 2),
     ("lizards", "drop", 2), ("birthwt", "drop", 2),
     ("spector", "drop", 3)],
)  # fmt: skip
def test_every_row_of_the_public_tables_is_answered_as_by_predict(name, missing, degree, tmp_path):
    path, options, *_ = public(name)
    learner = sx.LogisticRegression(C=1.0) if degree == 1 else sx.LinearRegressionClassifier()
    model, table, X = learned(path, learner, missing, degree, **options)
    sx.to_onnx(model, tmp_path / "m.onnx")
    answers, scores = run(tmp_path / "m.onnx", fed(table.columns))
    assert answers.tolist() == model.predict(X).tolist()
    want = model.decision_function(X)
    assert (np.abs(scores - want) <= 1e-15 * np.abs(model.coef_).max()).all()
    assert (scores == want).all() or name == "xor"


def test_rows_that_predict_refuses_have_no_answer(tmp_path):
    (tmp_path / "t.csv").write_text("age,sex,one,y\n20,f,u,no\n30,m,u,no\n40,f,u,yes\n50,m,u,yes\n")
    for missing, degree in (("drop", 1), ("fill", 1), ("drop", 2)):
        model, *_ = learned(tmp_path / "t.csv", sx.Perceptron(), missing, degree, label="y")
        sx.to_onnx(model, tmp_path / "m")
        feeds = {
            "age": np.array([[50.0], [np.nan], [50.0], [np.inf], [50.0], [50.0]]),
            "sex": np.array([["m"], ["m"], ["x"], ["m"], [""], ["m"]], dtype=object),
            "one": np.array([["u"], ["u"], ["u"], ["u"], ["u"], ["v"]], dtype=object),
        }
        answers, scores = run(tmp_path / "m", feeds)
        filled = missing == "fill"
        assert (answers != "").tolist() == [True, filled, False, False, filled, False]
        assert ((answers == "") == np.isnan(scores)).all()
        assert answers[0] == "yes"


@pytest.mark.parametrize(
    ("labels", "blank"),
    [(["no", "yes"], ""), ([3, 7], -(2**63)), ([0.5, 1.5], np.nan), ([False, True], False)],
)
def test_a_model_of_arrays_takes_a_matrix_and_keeps_its_labels(tmp_path, labels, blank):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]])
    model = sx.Perceptron().fit(X, np.array([0, 0, 1, 1]))
    model.classes_ = np.array(labels)
    sx.to_onnx(model, tmp_path / "m")
    answers, scores = run(tmp_path / "m", {"X": np.vstack([X, [[np.nan, 0.0]]])})
    assert answers[:-1].tolist() == model.predict(X).tolist()
    assert answers.dtype == (object if isinstance(labels[0], str) else np.array(labels).dtype)
    assert answers[-1] == blank or np.isnan(answers[-1])
    assert scores[:-1].tolist() == model.decision_function(X).tolist()


NAMES = ["answer", "score", "x", "<script>", "=cmd()", "😀 \u202e", 'a"b', "n" * 10_000]


def test_columns_may_be_called_anything_that_a_name_can_be(tmp_path):
    names = ",".join('"' + n.replace('"', '""') + '"' for n in NAMES)
    rows = np.random.default_rng(0).integers(0, 9, size=(20, len(NAMES)))
    body = "".join(",".join(map(str, r)) + f",{'ab'[int(r[0] > 4)]}\n" for r in rows)
    (tmp_path / "t.csv").write_text(f"{names},label\n{body}", encoding="utf-8")
    model, table, X = learned(tmp_path / "t.csv", sx.LinearRegressionClassifier(), label="label")
    sx.to_onnx(model, tmp_path / "m")
    runner = session(tmp_path / "m")
    assert [o.name for o in runner.get_outputs()] == ["answer_", "score_"]
    answers, _ = runner.run(None, fed(table.columns))
    assert answers.tolist() == model.predict(X).tolist()


def test_the_same_model_gives_the_same_bytes(tmp_path):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]])
    for name in "ab":
        sx.to_onnx(sx.Perceptron().fit(X, [0, 0, 1, 1]), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_without_the_package_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    model = sx.Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(sx.InputError, match=r"pip install onnx,.*--sql"):
        sx.to_onnx(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_refusals(tmp_path):
    with pytest.raises(sx.InputError, match="votes of many lines"):
        sx.to_onnx(sx.VotedPerceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m")
    (tmp_path / "t.csv").write_text("/0,y\n1,a\n2,b\n")
    model, *_ = learned(tmp_path / "t.csv", sx.Perceptron(), label="y")
    with pytest.raises(sx.InputError, match="beginning with /"):
        sx.to_onnx(model, tmp_path / "m")
    frame = pd.DataFrame({"/0": [0.0, 1.0]})
    sx.to_onnx(sx.Perceptron().fit(frame, [0, 1]), tmp_path / "m")  # one input, X
