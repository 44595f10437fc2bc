"""Many labels: every question as it would be alone, and joint answers that are recounts."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from separatrix import InputError, judge, load, read_classes, read_table, save, separability
from tests.verdict.tables import write

IRIS = datasets.load_iris()
SPECIES = IRIS.target_names[IRIS.target]
LINES = ["PLA", "pocket", "linear regression", "logistic regression"]


@pytest.fixture(scope="module")
def ova():
    return judge(IRIS.data, SPECIES, multiclass="ova")


@pytest.fixture(scope="module")
def ovo():
    return judge(IRIS.data, SPECIES, multiclass="ovo")


def test_every_question_is_a_verdict_of_its_own(ova, ovo):
    finds = [q.separability.verdict for q in ova.questions]
    assert finds == ["separable", "overlapping", "overlapping"]
    for label, q in zip(IRIS.target_names, ova.questions, strict=True):
        assert (q.table.no, q.table.yes) == (f"not {label}", label)
        alone = judge(IRIS.data, np.where(label == SPECIES, "y", "n"))
        for joint, single in zip(q.results, alone.results, strict=True):
            assert joint.weights.tobytes() == single.weights.tobytes()
            assert joint.n_errors == single.n_errors
        assert q.separability.verify(IRIS.data, label == SPECIES)
    asked = [(q.table.no, q.table.yes) for q in ovo.questions]
    assert asked == [
        ("setosa", "versicolor"), ("setosa", "virginica"), ("versicolor", "virginica"),
    ]  # fmt: skip
    for (no, yes), q in zip(asked, ovo.questions, strict=True):
        rows = (no == SPECIES) | (yes == SPECIES)
        found = separability(IRIS.data[rows], SPECIES[rows])
        assert q.separability.verdict == found.verdict
        assert q.table.lines.tolist() == np.flatnonzero(rows).tolist()


def naive_ova(lines, X):
    return np.argmax([X @ w[1:] + w[0] for w in lines], axis=0)


def naive_ovo(lines, X, k):
    votes, sums = np.zeros((len(X), k)), np.zeros((len(X), k))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for (i, j), w in zip(pairs, lines, strict=True):
        s = X @ w[1:] + w[0]
        votes[s > 0, j] += 1
        votes[s <= 0, i] += 1
        sums[:, j] += s
        sums[:, i] -= s
    return np.argmax(votes + sums / (3 * (np.abs(sums) + 1)), axis=1)


@pytest.mark.parametrize("rule", ["ova", "ovo"])
def test_joint_answers_are_recounts(rule, ova, ovo):
    verdict = {"ova": ova, "ovo": ovo}[rule]
    assert [r.name for r in verdict.results] == ["always setosa", *LINES]
    for k, r in enumerate(verdict.results[1:], 2):
        lines = [q.results[k].weights for q in verdict.questions]
        X = IRIS.data
        answers = naive_ova(lines, X) if rule == "ova" else naive_ovo(lines, X, 3)
        assert r.n_errors == (answers != IRIS.target).sum()
        assert r.e_in == pytest.approx(r.n_errors / 150)
        for i in range(3):
            assert r.confusion[i].tolist() == [
                ((IRIS.target == i) & (answers == j)).sum() for j in range(3)
            ]
        assert r.cv_error == pytest.approx(np.mean(r.fold_errors))
        assert r.cv_spread == pytest.approx(np.std(r.fold_errors, ddof=1))
        assert r.confusion_left_out.sum() == 150
        wrong = 150 - np.trace(r.confusion_left_out)
        assert r.cv_error == pytest.approx(wrong / 150)  # folds of equal size
    baseline = verdict.results[0]
    assert baseline.confusion[:, 0].tolist() == [50, 50, 50]
    least = min(verdict.results, key=lambda r: r.cv_error)
    assert verdict.winner.cv_error <= least.cv_error + least.cv_spread / 5**0.5


@pytest.mark.parametrize("rule", ["ova", "ovo"])
def test_the_model_is_scikit_learns_and_survives_a_file(rule, ova, ovo, tmp_path):
    verdict = {"ova": ova, "ovo": ovo}[rule]
    model = verdict.model
    assert type(model) is {"ova": OneVsRestClassifier, "ovo": OneVsOneClassifier}[rule]
    assert (model.predict(IRIS.data) != SPECIES).sum() == verdict.winner.n_errors
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.predict(IRIS.data).tolist() == model.predict(IRIS.data).tolist()
    scores = model.decision_function(IRIS.data)
    assert again.decision_function(IRIS.data).tobytes() == scores.tobytes()


def test_weights_weigh_and_copies_count():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (90, 2)).astype(float)
    y = rng.integers(0, 3, 90)
    k = rng.integers(0, 3, 90)
    weighted = judge(X, y, sample_weight=k, multiclass="ova")
    copies = judge(np.repeat(X, k, axis=0), np.repeat(y, k), multiclass="ova")
    a, b = (v.result("linear regression") for v in (weighted, copies))
    assert a.e_in == pytest.approx(b.e_in)
    assert any("weight 0" in note for note in weighted.notes)
    commonest = np.bincount(y, weights=k).argmax()
    assert weighted.results[0].name == f"always {commonest}"
    with pytest.raises(InputError, match="every row of class '2' lacks a value or has weight 0"):
        judge(X, y, sample_weight=np.where(y == 2, 0, 1), multiclass="ova")


def test_categories_share_one_encoding(tmp_path):
    # no pair of labels has all levels of c, and yet every line takes every row
    rows = [[i % 7, "pqr"[i % 3], "ABC"[i % 3]] for i in range(45)]
    path = write(tmp_path / "t.csv", ["a", "c", "y"], rows)
    verdict = judge(read_classes(path, label="y"), multiclass="ovo")
    assert verdict.features == ("a", "c=q", "c=r")
    assert verdict.winner.n_errors == 0
    save(verdict.model, tmp_path / "m")
    assert load(tmp_path / "m").table_.encoding == verdict.encoding


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_labels_that_are_numbers_keep_their_order(tmp_path):
    rows = [[i % 3 + i / 100, [2, 10, 1][i % 3]] for i in range(30)]
    data = read_classes(write(tmp_path / "t.csv", ["a", "y"], rows), label="y")
    assert data.names == ("1", "2", "10")
    assert data.counts.tolist() == [10, 10, 10]
    for rule in ("ova", "ovo"):
        verdict = judge(data, multiclass=rule)
        X = np.array([[row[0]] for row in rows])
        answers = verdict.model.predict(X)
        labels = np.array([str(row[1]) for row in rows])
        assert (answers != labels).sum() == verdict.winner.n_errors
        save(verdict.model, tmp_path / "m")
        assert load(tmp_path / "m").predict(X).tolist() == answers.tolist()


def test_groups_and_small_labels():
    X = np.arange(14.0).reshape(-1, 1)
    verdict = judge(X, [0] * 6 + [1] * 7 + [2], multiclass="ova")
    assert verdict.n_folds == 0
    assert verdict.winner.cv_error is None
    assert verdict.winner.confusion_left_out is None
    assert any("no cross-validation" in note for note in verdict.notes)
    assert all(q.n_folds == 0 for q in verdict.questions)


def test_what_is_refused(tmp_path):
    path = write(tmp_path / "t.csv", ["a", "y"], [[i, "ABC"[i % 3]] for i in range(30)])
    two = write(tmp_path / "two.csv", ["a", "y"], [[i, "AB"[i % 2]] for i in range(30)])
    many = write(tmp_path / "many.csv", ["a", "y"], [[i, f"k{i % 20}"] for i in range(60)])
    data = read_classes(path, label="y")
    with pytest.raises(InputError, match=r"multiclass=.ova"):
        read_table(path, label="y")
    with pytest.raises(InputError, match=r"2 labels.*one yes / no question"):
        read_classes(two, label="y")
    with pytest.raises(InputError, match="one yes / no question"):
        judge([[1.0], [2.0]], [0, 1], multiclass="ova")
    with pytest.raises(InputError, match="3 labels: say multiclass"):
        judge(data)
    with pytest.raises(InputError, match="leave multiclass out"):
        judge(read_table(two, label="y"), multiclass="ova")
    with pytest.raises(InputError, match="'all' is not known"):
        judge(data, multiclass="all")
    with pytest.raises(InputError, match=r'20 labels make 190.*"ova" asks one for each'):
        judge(read_classes(many, label="y"), multiclass="ovo")
    with pytest.raises(InputError, match='multiclass="ova"'):
        judge(IRIS.data, SPECIES)
    with pytest.raises(InputError, match="labels y"):
        judge(IRIS.data, multiclass="ova")
