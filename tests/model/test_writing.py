"""Models that are written and read again answer bit for bit."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    AveragedPerceptron,
    CoordinateDescent01,
    DualPerceptron,
    InputError,
    LinearRegression,
    LinearRegressionClassifier,
    LogisticRegression,
    MarginPerceptron,
    NoFiniteOptimumWarning,
    NotConvergedWarning,
    PassiveAggressive,
    Perceptron,
    Pocket,
    RatchetPocket,
    VotedPerceptron,
    load,
    save,
)
from separatrix.learners.baseline import Baseline
from separatrix.model.kinds import LEARNERS
from tests.model.files import THREE, kept, noisy, replaced, written


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
        VotedPerceptron(max_iter=3),
        VotedPerceptron(init="regression", fit_intercept=False, visit="permuted"),
        VotedPerceptron(max_updates=0),
        DualPerceptron(max_iter=5),
        DualPerceptron(kernel="polynomial", degree=2, gamma=0.5, coef0=2.0, max_iter=5),
        DualPerceptron(kernel="rbf", max_iter=5),
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


KEEP_ROWS = [VotedPerceptron(max_iter=3), DualPerceptron(kernel="rbf", gamma=0.1, max_iter=5)]


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize("learner", KEEP_ROWS, ids=lambda m: type(m).__name__)
def test_votes_and_kernels_keep_sparse_rows_sparse(learner, tmp_path):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 500), density=0.01, random_state=rng, format="csr")
    y = np.where(X.sum(axis=1) > np.median(X.sum(axis=1)), "yes", "no")
    learner.fit(X, y)
    save(learner, tmp_path / "m")
    rows = json.loads((tmp_path / "m").read_text())["further"]["rows"]
    assert rows["columns"] == 500
    assert sum(map(len, rows["values"])) < 10 * 60
    again = load(tmp_path / "m")
    for new in (X, X.toarray()):
        assert again.decision_function(new).tobytes() == learner.decision_function(new).tobytes()


def test_a_kernel_that_is_a_program_is_refused(tmp_path):
    X, y = noisy()
    model = DualPerceptron(kernel=lambda a, b: a @ b.T, max_updates=5, max_iter=None)
    with pytest.warns(NotConvergedWarning):
        model.fit(X, y)
    with pytest.raises(InputError, match="Python function for a kernel"):
        save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_load_would_not_read_is_not_written(tmp_path, monkeypatch):
    X, y = noisy()
    model = VotedPerceptron(max_iter=1).fit(X, y)
    save(model, tmp_path / "m")
    size = (tmp_path / "m").stat().st_size
    monkeypatch.setattr("separatrix.model.writing.LARGEST_FILE", size - 1)
    with pytest.raises(InputError, match=f"takes {size:,} bytes.*at most {size - 1:,}"):
        save(model, tmp_path / "n")


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


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_learner_without_an_intercept_agrees_with_its_file(tmp_path, name):
    X, y = noisy()
    if "fit_intercept" not in LEARNERS[name]().get_params():
        pytest.skip("it has no such parameter")
    numbers = name == "LinearRegression"
    learner = LEARNERS[name](fit_intercept=False).fit(X, X[:, 0] if numbers else y)
    save(learner, tmp_path / "m")
    assert load(tmp_path / "m").predict(X).tolist() == learner.predict(X).tolist()


def test_a_loaded_model_that_is_fitted_again_forgets_its_table(tmp_path):
    path = written(tmp_path, replaced(table={"label": "y", "extra": ["y"], "columns": THREE}))
    model = load(path)
    assert model.table_.label == "y"
    model.fit([[0.0], [1.0]], ["a", "b"])
    save(model, path)
    assert load(path).table_ is None


def test_a_pipeline_is_saved_where_its_other_steps_do_nothing(tmp_path):
    X, y = noisy()
    pipeline = Pipeline([("as it is", "passthrough"), ("line", LogisticRegression())]).fit(X, y)
    save(pipeline, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.decision_function(X).tobytes() == pipeline.decision_function(X).tobytes()


def test_a_pipeline_that_changes_columns_is_refused_by_the_name_of_the_step(tmp_path):
    X, y = noisy()
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    with pytest.raises(
        InputError, match=r"step 'standardscaler' \(StandardScaler\).*pipeline\[-1\]"
    ):
        save(pipeline, tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    with pytest.raises(InputError, match="cannot save a KNeighborsClassifier"):
        save(make_pipeline(KNeighborsClassifier()).fit(X, y), tmp_path / "model.json")


ROW = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (kept("voted", weights=[1.0, 2.0, 3.0, 4.0]), "has no weights"),
        (kept("voted", votes=[1]), "votes has 1 numbers"),
        (kept("voted", visited=[10**6]), "visited is no list of whole numbers"),
        (kept("voted", visited=[-1]), "visited is no list of whole numbers"),
        (kept("voted", visited=[0], votes=[2**53 - 1, 2**53 - 1]), "too many votes"),
        (kept("voted", signs=[2]), "signs"),
        (kept("voted", start=[0.0]), "start has 1 numbers"),
        (kept("voted", intercept=1), "no truth value"),
        (kept("voted", surprise=1), "'surprise'"),
        (kept("dual", rows={"columns": 3, "values": [ROW]}), "'places'"),
        (kept("dual", rows={"columns": 0, "values": [], "places": None}), "no count of columns"),
        (kept("dual", rows={"columns": 2, "values": [ROW], "places": None}), "a row has 3"),
        (
            kept("dual", rows={"columns": 9, "values": [ROW], "places": [[2, 1, 3]]}),
            "ascending",
        ),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2]]}), "a row has 3"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2, 9]]}), "from 0 to 8"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": []}), "places"),
        (kept("dual", updates=[1]), "updates has 1 numbers"),
        (kept("dual", signs=[0]), "signs"),
        (kept("dual", parameters={"kernel": "exec"}), "kernel='exec'"),
        (kept("dual", parameters={"gamma": "wide"}), "kernel cannot be used"),
    ],
)
def test_votes_and_kernels_that_are_none_are_refused(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, change))
