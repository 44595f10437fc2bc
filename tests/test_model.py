"""Model files: bit-identical after a round trip, and safe to load."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from separatrix import (
    AveragedPerceptron,
    CoordinateDescent01,
    InputError,
    LinearRegression,
    LinearRegressionClassifier,
    LogisticRegression,
    MarginPerceptron,
    NoFiniteOptimumWarning,
    PassiveAggressive,
    Perceptron,
    Pocket,
    RatchetPocket,
    load,
    save,
)
from separatrix.learners.baseline import Baseline


def noisy(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1e-3, 1.0, 1e5]
    y = np.where(X @ [1e3, 1.0, -1e-5] + rng.normal(size=n) > 0, "yes", "no")
    return X, y


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(max_iter=20, sign_of_zero=-1),
        Pocket(max_updates=100, random_state=0),
        RatchetPocket(max_updates=100, random_state=0),
        CoordinateDescent01(max_updates=20, random_state=0),
        AveragedPerceptron(learning_rate=0.1),
        MarginPerceptron(margin=2.5, max_iter=20),
        PassiveAggressive(variant="PA-II"),
        LinearRegressionClassifier(),
        LogisticRegression(),
        LogisticRegression(C=0.5),
        Baseline(answer=-1),
    ],
    ids=lambda m: type(m).__name__,
)
def test_a_round_trip_predicts_bit_for_bit(learner, tmp_path):
    X, y = noisy()
    learner.fit(X, y)
    save(learner, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert type(again) is type(learner)
    assert again.get_params() == learner.get_params()
    assert again.decision_function(X).tobytes() == learner.decision_function(X).tobytes()
    assert again.predict(X).tolist() == learner.predict(X).tolist()
    assert again.table_ is None
    if hasattr(learner, "predict_proba"):
        assert again.predict_proba(X).tobytes() == learner.predict_proba(X).tobytes()
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_numbers_as_labels_and_names_of_columns_survive(tmp_path):
    X, y = noisy()
    frame = pd.DataFrame(X, columns=["a", "<script>", "=cmd()"])
    model = LinearRegressionClassifier().fit(frame, np.where(y == "yes", 1, 0))
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.predict(frame).dtype.kind == "i"
    assert again.feature_names_in_.tolist() == ["a", "<script>", "=cmd()"]


def test_regression_and_limits_survive(tmp_path):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    line = LinearRegression().fit(X, [1.0, 2.0, 3.5, 3.0])
    save(line, tmp_path / "line")
    assert load(tmp_path / "line").predict(X).tobytes() == line.predict(X).tobytes()
    with pytest.warns(NoFiniteOptimumWarning):
        limit = LogisticRegression().fit(X, [0, 0, 1, 1])
    save(limit, tmp_path / "limit")
    assert load(tmp_path / "limit").predict_proba(X)[:, 1].tolist() == [0, 0, 1, 1]


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(InputError, match="not fitted"):
        save(Perceptron(), tmp_path / "m")
    with pytest.raises(InputError, match="cannot save a dict"):
        save({}, tmp_path / "m")
    X, y = noisy()
    with pytest.raises(InputError, match="does not exist"):
        save(LinearRegressionClassifier().fit(X, y), tmp_path / "no" / "m")
    assert list(tmp_path.iterdir()) == []


def written(tmp_path, change=lambda data: data, text=None):
    X, y = noisy()
    save(LinearRegressionClassifier().fit(X, y), tmp_path / "m")
    if text is None:
        text = json.dumps(change(json.loads((tmp_path / "m").read_text())))
    (tmp_path / "m").write_text(text)
    return tmp_path / "m"


def replaced(**values):
    return lambda data: {**data, **values}


THREE = [{"name": name, "kind": "number", "fill": None} for name in "abc"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (replaced(format="pickle"), "format"),
        (replaced(version=2), "version is 2"),
        (replaced(version=True), "version is True"),
        (replaced(learner="os.system"), "not known"),
        (replaced(learner="LinearRegression", labels=7), None),
        (replaced(version=1.0), "version is 1.0"),
        (replaced(version="x" * 1000), "version is 'xxx"),
        (
            replaced(
                learner="LinearRegression",
                table={"label": "y", "extra": [], "columns": [THREE[0], THREE[1], THREE[2]]},
            ),
            "no yes / no answers",
        ),
        (
            replaced(
                table={
                    "label": "y",
                    "extra": [],
                    "columns": [{**THREE[0], "fill": 10**400}, *THREE[1:]],
                }
            ),
            "too large",
        ),
        (
            replaced(
                learner="LogisticRegression",
                further={"direction_": None, "finite_weights_": None},
                parameters={},
            ),
            "finite_weights_",
        ),
        (replaced(surprise=1), "'surprise'"),
        (lambda d: {k: v for k, v in d.items() if k != "labels"}, "'labels'"),
        (replaced(weights=[1, "2"]), "no list of numbers"),
        (replaced(weights=[]), "0 numbers"),
        (replaced(weights=[10**400, 1, 2, 3]), "too large"),
        (replaced(weights={"a": 1}), "no list of numbers"),
        (replaced(labels={"kind": "text", "values": ["a"]}), "not two"),
        (replaced(labels={"kind": "text", "values": ["a", "a"]}), "not two"),
        (replaced(labels={"kind": "code", "values": ["a", "b"]}), "not two"),
        (replaced(features=["a"]), "1 features"),
        (replaced(parameters={"evil": 1}), "parameters"),
        (replaced(parameters={"fit_intercept": [1]}), "plain value"),
        (replaced(further={"direction_": [1.0]}), "'direction_'"),
        (replaced(table={"label": "y", "extra": [], "columns": []}), "0 features"),
        (replaced(table={"label": "y", "extra": [], "columns": [{"kind": "exec"}]}), "'exec'"),
        (lambda _: [1, 2], "format"),
    ],
)
def test_files_that_are_no_models_are_refused(tmp_path, change, words):
    path = written(tmp_path, change)
    if words is None:  # labels are not looked at where there are none
        load(path)
        return
    with pytest.raises(InputError, match=words):
        load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "1e999"),
        ("[" * 100_000, "deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "deep"),
        ('{"a": ' + "9" * 10_000 + "}", "not JSON"),
        ("gASVKAAAAA==", "not JSON"),
        ('{"a": "\\ud800"}', "half a character"),
    ],
)
def test_text_that_is_no_safe_json_is_refused(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, text=text))


def test_brackets_in_strings_are_not_depth(tmp_path):
    X, y = noisy()
    frame = pd.DataFrame(X, columns=["[" * 50, '"\\' + "{" * 50, "c"])
    save(LinearRegressionClassifier().fit(frame, y), tmp_path / "m")
    assert load(tmp_path / "m").feature_names_in_[0] == "[" * 50


def test_files_that_are_no_files(tmp_path):
    for path, words in ((tmp_path, "regular|directory"), (tmp_path / "absent", "No such file")):
        with pytest.raises(InputError, match=words):
            load(path)
    (tmp_path / "latin").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="UTF-8 at byte 0"):
        load(tmp_path / "latin")


def test_saving_replaces_whole_files(tmp_path):
    path = written(tmp_path, text="old")
    X, y = noisy()
    save(LinearRegressionClassifier().fit(X, y), path)
    assert load(path).predict(X).shape == (80,)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
