"""Models that are written and read again answer bit for bit."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import separatrix as sx
from separatrix import judge, read_table, scorecard, to_text
from separatrix.learners.baseline import Baseline
from separatrix.model import strengths, strongest_first
from separatrix.report.page.rows import RowsOf
from tests.model.files import kept, noisy, written


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize(
    "learner",
    [
        sx.Perceptron(max_iter=20, sign_of_zero=-1),
        sx.Pocket(max_updates=100, random_state=0),
        sx.RatchetPocket(max_updates=100, random_state=0),
        sx.CoordinateDescent01(max_updates=20, random_state=0),
        sx.AveragedPerceptron(learning_rate=0.1),
        sx.MarginPerceptron(margin=2.5, max_iter=20),
        sx.PassiveAggressive(variant="PA-II"), sx.LinearRegressionClassifier(),
        sx.LogisticRegression(), sx.LogisticRegression(C=0.5), Baseline(answer=-1),
        sx.VotedPerceptron(max_iter=3),
        sx.VotedPerceptron(init="regression", fit_intercept=False, visit="permuted"),
        sx.VotedPerceptron(max_updates=0),
        sx.DualPerceptron(max_iter=5),
        sx.DualPerceptron(kernel="polynomial", degree=2, gamma=0.5, coef0=2.0, max_iter=5),
        sx.DualPerceptron(kernel="rbf", max_iter=5),
    ],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
def test_a_round_trip_predicts_bit_for_bit(learner, tmp_path):
    X, y = noisy()
    learner.fit(X, y)
    sx.save(learner, tmp_path / "model.json")
    again = sx.load(tmp_path / "model.json")
    assert type(again) is type(learner)
    assert again.get_params() == learner.get_params()
    assert again.decision_function(X).tobytes() == learner.decision_function(X).tobytes()
    assert again.predict(X).tolist() == learner.predict(X).tolist()
    assert again.table_ is None
    if hasattr(learner, "predict_proba"):
        assert again.predict_proba(X).tobytes() == learner.predict_proba(X).tobytes()
    sx.save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


KEEP_ROWS = [sx.VotedPerceptron(max_iter=3), sx.DualPerceptron(kernel="rbf", gamma=0.1, max_iter=5)]


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize("learner", KEEP_ROWS, ids=lambda m: type(m).__name__)
def test_votes_and_kernels_keep_sparse_rows_sparse(learner, tmp_path):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 500), density=0.01, random_state=rng, format="csr")
    y = np.where(X.sum(axis=1) > np.median(X.sum(axis=1)), "yes", "no")
    learner.fit(X, y)
    sx.save(learner, tmp_path / "m")
    rows = json.loads((tmp_path / "m").read_text())["further"]["rows"]
    assert rows["columns"] == 500
    assert sum(map(len, rows["values"])) < 10 * 60
    again = sx.load(tmp_path / "m")
    for new in (X, X.toarray()):
        assert again.decision_function(new).tobytes() == learner.decision_function(new).tobytes()


def test_a_kernel_that_is_a_program_is_refused(tmp_path):
    X, y = noisy()
    model = sx.DualPerceptron(kernel=lambda a, b: a @ b.T, max_updates=5, max_iter=None)
    with pytest.warns(sx.NotConvergedWarning):
        model.fit(X, y)
    with pytest.raises(sx.InputError, match="Python function for a kernel"):
        sx.save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_load_would_not_read_is_not_written(tmp_path, monkeypatch):
    X, y = noisy()
    model = sx.VotedPerceptron(max_iter=1).fit(X, y)
    sx.save(model, tmp_path / "m")
    size = (tmp_path / "m").stat().st_size
    monkeypatch.setattr("separatrix.model.writing.LARGEST_FILE", size - 1)
    with pytest.raises(sx.InputError, match=f"takes {size:,} bytes.*at most {size - 1:,}"):
        sx.save(model, tmp_path / "n")


def test_numbers_as_labels_and_names_of_columns_survive(tmp_path):
    X, y = noisy()
    names = ["[" * 50, '"\\' + "{" * 50, "<script>=cmd()"]  # no depth: they are strings
    frame = pd.DataFrame(X, columns=names)
    model = sx.LinearRegressionClassifier().fit(frame, np.where(y == "yes", 1, 0))
    sx.save(model, tmp_path / "m")
    again = sx.load(tmp_path / "m")
    assert again.predict(frame).dtype.kind == "i"
    assert again.feature_names_in_.tolist() == names


def test_regression_and_limits_survive(tmp_path):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    line = sx.LinearRegression().fit(X, [1.0, 2.0, 3.5, 3.0])
    sx.save(line, tmp_path / "line")
    assert sx.load(tmp_path / "line").predict(X).tobytes() == line.predict(X).tobytes()
    with pytest.warns(sx.NoFiniteOptimumWarning):
        limit = sx.LogisticRegression().fit(X, [0, 0, 1, 1])
    sx.save(limit, tmp_path / "limit")
    assert sx.load(tmp_path / "limit").predict_proba(X)[:, 1].tolist() == [0, 0, 1, 1]


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(sx.InputError, match="not fitted"):
        sx.save(sx.Perceptron(), tmp_path / "m")
    with pytest.raises(sx.InputError, match="cannot save a dict"):
        sx.save({}, tmp_path / "m")
    X, y = noisy()
    with pytest.raises(sx.InputError, match="does not exist"):
        sx.save(sx.LinearRegressionClassifier().fit(X, y), tmp_path / "no" / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_pipeline_is_saved_where_its_other_steps_do_nothing(tmp_path):
    X, y = noisy()
    pipeline = Pipeline([("as it is", "passthrough"), ("line", sx.LogisticRegression())]).fit(X, y)
    sx.save(pipeline, tmp_path / "model.json")
    again = sx.load(tmp_path / "model.json")
    assert again.decision_function(X).tobytes() == pipeline.decision_function(X).tobytes()


def test_a_pipeline_that_changes_columns_is_refused_by_the_name_of_the_step(tmp_path):
    X, y = noisy()
    pipeline = make_pipeline(StandardScaler(), sx.LogisticRegression()).fit(X, y)
    with pytest.raises(
        sx.InputError, match=r"step 'standardscaler' \(StandardScaler\).*pipeline\[-1\]"
    ):
        sx.save(pipeline, tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    with pytest.raises(sx.InputError, match="cannot save a KNeighborsClassifier"):
        sx.save(make_pipeline(KNeighborsClassifier()).fit(X, y), tmp_path / "model.json")


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
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[2, 1, 3]]}), "ascending"),
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
    with pytest.raises(sx.InputError, match=words):
        sx.load(written(tmp_path, change))


LEVELS = ("mild", "sharp", "none")


def verdict_of(tmp_path):
    rng = np.random.default_rng(11)
    rows = ["big,taste,small,liked"]
    for big, level, small in zip(  # noqa: B905
        rng.normal(0, 1000, 200), rng.integers(0, 3, 200), rng.normal(0, 1, 200)
    ):
        score = 0.0005 * big + 3.0 * (level == 1) - 2.0 * (level == 2) + small
        liked = "yes" if score + rng.normal() > 0 else "no"
        rows.append(f"{big:.3f},{LEVELS[level]},{small:.4f},{liked}")
    (tmp_path / "t.csv").write_text("\n".join(rows))
    return judge(read_table(tmp_path / "t.csv", label="liked", yes="yes"))


def test_of_a_number_it_is_weight_times_deviation_and_of_a_category_of_its_total(tmp_path):
    verdict = verdict_of(tmp_path)
    X, weights = verdict.question.sample.X, verdict.winner.weights[1:]
    found = strengths(verdict.encoding, weights, X)
    parts = [slice(0, 1), slice(1, 3), slice(3, 4)]
    expected = [(X[:, part] @ weights[part]).std() for part in parts]
    assert np.allclose(found, expected, rtol=1e-12)
    assert np.allclose(strengths(verdict.encoding, weights, sp.csr_array(X)), expected)
    assert np.isclose(found[2], abs(weights[3]) * X[:, 3].std())


def test_every_list_has_the_same_order(tmp_path):
    verdict = verdict_of(tmp_path)
    X, weights = verdict.question.sample.X, verdict.winner.weights[1:]
    order = list(strongest_first(verdict.encoding, weights, X))
    names = [verdict.encoding.columns[k].name for k in order]
    assert names[0] == "taste"
    screen = str(verdict)[str(verdict).index("Weights") :]
    assert sorted(names, key=screen.index) == names
    assert [part.name for part in RowsOf.of(verdict).strongest] == names
    card = scorecard(verdict.model, verdict.table)
    assert list(dict.fromkeys(entry.column for entry in card.entries)) == names
    assert "Strongest column first" in card.to_text()
    full = to_text(verdict)
    listed = full[full.index("\ncolumn") :].splitlines()[2:]
    cells = [line.split()[0] for line in listed if line]
    assert list(dict.fromkeys(cell.partition("=")[0] for cell in cells))[:3] == names
