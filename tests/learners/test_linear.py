"""Every yes / no learner: arrays, checked samples, and all classes by way of scikit-learn."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import separatrix
import separatrix as sx
from separatrix.data import read_arrays
from separatrix.learners._linear import NotConvergedWarning, YesNoClassifier
from separatrix.learners._weighted import WeightedLinearClassifier
from separatrix.learners.baseline import Baseline
from separatrix.scale import NpySource, Rows
from separatrix.tiles import TILE

PUBLIC = [getattr(separatrix, name) for name in separatrix.__all__]
LEARNERS = [
    Baseline,
    *(k for k in PUBLIC if isinstance(k, type) and issubclass(k, YesNoClassifier)),
]


def table():
    random = np.random.default_rng(5)
    X = random.integers(-6, 7, size=(60, 4)).astype(float)
    return X, np.where(X @ [2.0, -1.0, 0.0, 1.0] + 9.0 * random.normal(size=60) > 0.5, "yes", "no")


def outcome(learner):
    """Return what a fit leaves, but for the proofs and what holds rows: attributes by name."""
    kept = (str, int, float, np.ndarray, separatrix.Stopped)
    return {k: np.asarray(v).tolist() for k, v in vars(learner).items() if isinstance(v, kept)}


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_a_checked_sample_is_learned_from_as_its_arrays_are(kind):
    X, y = table()
    weight = np.arange(1.0, 61.0) if issubclass(kind, WeightedLinearClassifier) else None
    options = {} if weight is None else {"sample_weight": weight}
    by_arrays = kind().set_params(**seeded(kind)).fit(X, y, **options)
    by_sample = kind().set_params(**seeded(kind)).fit_sample(read_arrays(X, y, weight))
    assert outcome(by_sample) == outcome(by_arrays)
    assert by_sample.predict(X).tolist() == by_arrays.predict(X).tolist()


def seeded(kind):
    return {"random_state": 3} if "random_state" in kind().get_params() else {}


def test_a_checked_sample_leaves_no_names_of_an_earlier_fit():
    pandas = pytest.importorskip("pandas")
    X, y = table()
    model = separatrix.Perceptron(max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(pandas.DataFrame(X, columns=list("abcd")), y)
        model.fit_sample(read_arrays(X[:, :1], y))
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 1


@pytest.mark.parametrize("door", ["fit", "fit_sample"])
@pytest.mark.parametrize(
    "learner",
    [
        separatrix.Perceptron(max_iter=1),
        separatrix.MarginPerceptron(max_iter=1),
        separatrix.DualPerceptron(max_iter=1),
        separatrix.GradientDescent(max_updates=1, tol=1e-9),
        separatrix.LogisticRegression(max_iter=1),
        separatrix.MinimumErrorClassifier(max_nodes=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_warning_names_the_line_that_called_either_door(learner, door):
    X, y = table()
    arguments = (X, y) if door == "fit" else (read_arrays(X, y),)
    with pytest.warns(NotConvergedWarning) as seen:
        getattr(learner, door)(*arguments)
    assert [w.filename for w in seen] == [__file__]


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [
    "Perceptron", "AveragedPerceptron", "Pocket", "GradientDescent", "LinearRegression",
    "LinearRegressionClassifier", "LogisticRegression",
])  # fmt: skip
def test_files_of_arrays_are_learned_from_as_the_arrays_are(name, dtype, tmp_path):
    X = np.random.default_rng(1).normal(size=(2 * TILE + 9, 4)).astype(dtype)
    y = (X @ [1.0, -2.0, 0.5, 0.0] + np.random.default_rng(2).normal(size=len(X)) > 0.3) * 1.0
    paths = [str(tmp_path / "X.npy"), str(tmp_path / "y.npy")]
    for path, array in zip(paths, (X, y), strict=True):
        np.save(path, array)
    source = NpySource(paths[:1], paths[1:], numbers=name == "LinearRegression")
    of_arrays, of_paths, of_blocks = (
        getattr(separatrix, name)().set_params(**short(name)).fit(*rows)
        for rows in ((X, y), paths, (Rows(source, rows_in_block=TILE),))
    )
    for fit in (of_paths, of_blocks):
        assert fit.coef_.tobytes() == of_arrays.coef_.tobytes()
        assert np.all(fit.intercept_ == of_arrays.intercept_)


def short(name):
    seed = {"random_state": 0} if name == "Pocket" else {}
    return {} if "Regression" in name else {"max_updates": 50, **seed}


BINARY = [
    sx.AveragedPerceptron(),
    sx.DualPerceptron(kernel="rbf", gamma=0.5, max_iter=20),
    sx.GradientDescent(max_updates=200), sx.LinearRegressionClassifier(), sx.LogisticRegression(),
    sx.LogisticRegression(C=1.0), sx.MarginPerceptron(max_iter=20), sx.PassiveAggressive(),
    sx.Perceptron(max_iter=20),
    sx.Pocket(max_updates=100, random_state=0),
    sx.VotedPerceptron(),
]  # fmt: skip
RULES = [OneVsRestClassifier, OneVsOneClassifier]

IRIS = datasets.load_iris()
SPECIES = IRIS.target_names[IRIS.target]


def fitted(rule, learner, X=IRIS.data, y=SPECIES):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.SeparatrixWarning)
        return rule(learner).fit(X, y)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("learner", BINARY, ids=lambda m: type(m).__name__)
def test_answers_are_labels_better_than_chance_and_the_same_when_sparse(rule, learner, tmp_path):
    model = fitted(rule, learner)
    answers = model.predict(IRIS.data)
    assert set(answers) <= set(IRIS.target_names)
    assert (answers != SPECIES).mean() < 0.5  # always one species: 0.667
    assert fitted(rule, learner, sp.csr_array(IRIS.data)).predict(IRIS.data).tolist() == (
        answers.tolist()
    )
    sx.save(model, tmp_path / "m")
    again = sx.load(tmp_path / "m")
    assert type(again) is rule
    assert again.classes_.tolist() == model.classes_.tolist()
    scores = model.decision_function(IRIS.data)
    assert again.decision_function(IRIS.data).tobytes() == scores.tobytes()
    assert again.predict(sp.csr_array(IRIS.data)).tolist() == answers.tolist()
    sx.save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_probabilities_of_labels(tmp_path):
    model = fitted(OneVsRestClassifier, sx.LogisticRegression())
    chances = model.predict_proba(IRIS.data)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    sx.save(model, tmp_path / "m")
    assert sx.load(tmp_path / "m").predict_proba(IRIS.data).tobytes() == chances.tobytes()


def test_a_separable_label_does_not_outshout_the_others():
    # setosa has a separating line, whose length nothing decides; a short one would answer for all
    model = fitted(OneVsRestClassifier, sx.LogisticRegression())
    assert (model.predict(IRIS.data) != SPECIES).sum() <= 5
    setosa = model.estimators_[0]
    assert np.abs(setosa.decision_function(IRIS.data)).min() >= 40.0
    assert set(setosa.predict_proba(IRIS.data)[:, 1]) == {0.0, 1.0}
