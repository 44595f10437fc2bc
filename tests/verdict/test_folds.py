"""Folds that do not peek, and the scaling that each learns for itself."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import LinearRegressionClassifier, judge, read_table, separability
from separatrix.tables import fit_encoding
from separatrix.verdict.columns import standardisation
from separatrix.verdict.folds import dealt, folds_of, folds_of_label, left_out_before
from tests.verdict.tables import noisy, write


def test_fold_errors_are_those_of_lines_that_never_saw_the_rows():
    X, y = noisy(10, n=60)
    k = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    verdict = judge(X, y, sample_weight=k)
    folds, _ = folds_of(verdict.table, verdict.question.encoding)
    errors = []
    for fold in folds:
        train, held = fold.train, fold.held
        line = LinearRegressionClassifier().fit(train.X, train.codes, sample_weight=train.weight)
        errors.append(np.average(line.predict(held.X) != held.codes, weights=held.weight))
        rows = {r.tobytes() for r in train.X}
        assert not any(r.tobytes() in rows for r in held.X)
    result = verdict.result("linear regression")
    assert result.fold_errors == pytest.approx(errors)
    assert result.cv_spread == pytest.approx(np.std(errors, ddof=1))


def test_the_bound_beside_pla_is_that_of_the_columns_it_saw():
    X = np.array([[0.0], [1.0], [2.0], [1000.0]])
    y = [0, 0, 1, 1]
    verdict = judge(X, y)
    seen = standardisation(X, None).apply(X)
    assert verdict.pla_bound == separability(seen, y).mistake_bound
    assert verdict.pla_bound != verdict.separability.mistake_bound


@pytest.mark.parametrize("size", [-1072, -1030, -600, 0, 600, 1020])
def test_standardised_columns_are_the_same_bytes_as_scaling_by_ldexp(size):
    X = np.ldexp(np.random.default_rng(0).random((50, 3)) - 0.5, [0, size, size])
    scaling = standardisation(X, None)
    shrunk = np.ldexp(X, -scaling.exponent)
    assert np.array_equal(scaling.mean, shrunk.mean(axis=0) * (scaling.mean != 0.0))
    assert np.array_equal(scaling.apply(X), (shrunk - scaling.mean) / scaling.spread)


def test_scaling_and_filling_are_learned_inside_each_fold(tmp_path):
    rows = [
        [i, "" if i % 7 == 0 else "ab"[i % 2], 10.0**9 if i == 3 else i, "ny"[i % 3 == 0]]
        for i in range(60)
    ]
    path = write(tmp_path / "t.csv", ["a", "c", "big", "y"], rows)
    table = read_table(path, label="y", missing="fill")
    folds, note = folds_of(table, fit_encoding(table.columns, "fill"))
    assert (len(folds), note) == (5, "")
    with_outlier = [f for f in folds if (f.held.X == 10.0**9).any()]
    assert len(with_outlier) == 1
    scaling = standardisation(with_outlier[0].train.X, None)
    spread = np.ldexp(scaling.spread, scaling.exponent)
    assert spread.max() < 100  # it never saw the row held out
    for fold in folds:
        assert len(fold.train.codes) + len(fold.held.codes) == 60
        assert abs(fold.held.codes.sum() - 4) <= 1


def test_groups_are_never_split(tmp_path):
    rows = [[i, f"g{i // 4}", "ny"[(i // 2) % 2]] for i in range(48)]
    table = read_table(write(tmp_path / "t.csv", ["a", "who", "y"], rows), label="y", group="who")
    folds, _ = folds_of(table, fit_encoding(table.columns, "drop"))
    for fold in folds:
        held = set(fold.held.X[:, 0].astype(int) // 4)
        assert not held & set(fold.train.X[:, 0].astype(int) // 4)


def test_small_classes_get_fewer_folds_or_none():
    X = np.arange(12.0).reshape(-1, 1)
    three = judge(X, [1, 1, 1] + [0] * 9)
    assert three.n_folds == 3
    assert any("3 folds" in note for note in three.notes)
    assert judge(X, [1, 1] + [0] * 10).n_folds == 2
    one = judge(X, [1] + [0] * 11)
    assert one.n_folds == 0
    assert one.winner.cv_error is None
    assert one.optimism is None
    assert one.winner.n_errors == 0


def test_folds_are_by_label_whichever_of_them_is_yes():
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 2))
    y = np.where(X[:, 0] + random.logistic(size=90) > 0.5, "a", "b")
    found = [
        {line.name: line.fold_errors for line in judge(X, y, yes=yes, fewest_nodes=1).lines}
        for yes in "ab"
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_folds_are_exactly_stratified_and_a_row_s_fold_needs_no_later_row(k):
    random = np.random.default_rng(k)
    y = random.permutation(np.repeat(np.arange(3), [60, 33, 500]))
    fold_of = dealt(y, k)
    for label in range(3):
        of_label = fold_of[y == label]
        whole = of_label[: of_label.size // k * k].reshape(-1, k)
        assert (np.sort(whole, axis=1) == np.arange(k)).all()
        assert len(set(of_label[of_label.size // k * k :])) == of_label.size % k
        for first, stop in [(0, 1), (3, 7), (k - 1, 2 * k + 1), (of_label.size, of_label.size)]:
            assert folds_of_label(label, first, stop, k).tolist() == of_label[first:stop].tolist()
        for fold in range(k):
            before = np.append(0, np.cumsum(of_label == fold))
            counts = np.arange(before.size)
            assert left_out_before(label, counts, fold, k).tolist() == before.tolist()
    assert dealt(y[:300], k).tolist() == fold_of[:300].tolist()
    orders = {tuple(order) for order in folds_of_label(2, 0, 1000 * k, k).reshape(-1, k).tolist()}
    assert len(orders) == math.factorial(k)


def test_columns_of_mostly_zeros_keep_them_and_are_divided_by_their_largest_size():
    random = np.random.default_rng(0)
    X = np.where(random.random((60, 140)) < 0.05, random.normal(size=(60, 140)), 0.0)
    X[:, 3], X[:, 9], X[:, 11] = random.normal(5.0, 2.0, 60), 7.0, 0.0
    scaling = standardisation(sp.csr_array(X), None)
    seen = scaling.apply(sp.csr_array(X))
    assert seen.has_canonical_format
    seen = seen.toarray()
    full = standardisation(X[:, [3, 9]], None)
    assert np.allclose(seen[:, [3, 9]], full.apply(X[:, [3, 9]]), rtol=1e-12)
    others = np.delete(np.arange(140), [3, 9])
    assert ((seen[:, others] == 0.0) == (X[:, others] == 0.0)).all()
    largest = np.abs(seen[:, others]).max(axis=0)
    assert np.array_equal(largest, np.where(np.abs(X[:, others]).max(axis=0) > 0.0, 1.0, 0.0))
    line = random.normal(size=141)
    back = scaling.undo(line)
    assert np.allclose(back[0] + X @ back[1:], line[0] + seen @ line[1:])
