"""Columns that others make up but for rounding, or more columns than rows."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

import separatrix as sx
from separatrix import LinearRegression, LinearRegressionClassifier
from separatrix.data import read_arrays
from separatrix.learners.least_squares import least_squares as room
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.scale import Rows
from separatrix.verdict.candidates import LOGISTIC, fitted
from separatrix.verdict.cases import Pair
from separatrix.verdict.columns import TrainingRows
from separatrix.verdict.folds import folds_of

N = 200
LEFT_OUT = "Columns are left out"

left_out_on_purpose = pytest.mark.filterwarnings("ignore:Columns are left out")


def answers(X, seed=1):
    """Labels (N,) that follow the columns, with noise."""
    rng = np.random.default_rng(seed)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return (Z.sum(axis=1) + 2.0 * rng.logistic(size=len(X)) > 0.0).astype(int)


def celsius(rng):
    """A temperature in two scales; index of the second."""
    degrees = rng.normal(15.0, 8.0, N).round(1)
    return np.column_stack((degrees, rng.normal(size=N), degrees * 1.8 + 32.0)), {3: (1,)}


def shares(rng):
    x = rng.normal(170.0, 10.0, N).round()
    return np.column_stack((x, rng.integers(0, 2, N), 0.3 * x)), {3: (1,)}


def inches_and_pounds(rng):
    x, m = rng.normal(170.0, 10.0, N).round(), rng.normal(70.0, 8.0, N).round(1)
    return np.column_stack((x, m, x / 2.54, m * 2.20462)), {3: (1,), 4: (2,)}


def float_sum(rng):
    a, b = rng.normal(size=(2, N)).round(3)
    return np.column_stack((a, b, rng.normal(size=N), a + b)), {4: (1, 2)}


def total_far_from_zero(rng):
    seconds = 1.6e9 + rng.uniform(0.0, 1e5, N).round()
    return np.column_stack((rng.normal(size=N), seconds, seconds / 86400.0)), {3: (2,)}


TABLES = (celsius, shares, inches_and_pounds, float_sum, total_far_from_zero)


def as_found(found):
    """Each group of dependent columns, whichever of them was left out."""
    return {tuple(sorted((j, *others))) for j, others in found.items()}


def check(model, X, y, n_left_out):
    """What is promised of a fit whose table has such columns."""
    left_out = list(model.collinear_)
    assert len(left_out) == n_left_out
    assert np.append(model.intercept_, model.coef_)[left_out].tolist() == [0.0] * n_left_out
    assert np.flatnonzero(np.isnan(model.standard_errors_)).tolist() == left_out
    assert model.certificate_.gap <= model.tol
    assert model.certificate_.left_out == tuple(left_out)
    assert model.certificate_.verify(X, y)
    kept = [j - 1 for j in range(1, X.shape[1] + 1) if j not in left_out]
    rest = sx.LogisticRegression().fit(X[:, kept], y)
    assert np.allclose(model.coef_[0, kept], rest.coef_[0], rtol=1e-6, atol=1e-12)
    assert np.array_equal(model.predict(X), rest.predict(X[:, kept]))


@pytest.mark.parametrize("table", TABLES)
def test_unit_conversions_and_float_sums(table):
    X, expected = table(np.random.default_rng(0))
    y = answers(X)
    with pytest.warns(sx.SeparatrixWarning, match=LEFT_OUT):
        model = sx.LogisticRegression().fit(X, y)
    assert as_found(model.collinear_) == as_found(expected)
    check(model, X, y, len(expected))


@pytest.mark.parametrize("eps", [1e-12, 1e-13, 2e-15])
def test_a_column_whose_rounding_separates_the_rows_is_left_out_with_a_warning(eps):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = (rng.random(60) < 1.0 / (1.0 + np.exp(-x))).astype(int)
    X = np.column_stack((x, x + eps * (2 * y - 1)))
    sentence = r"left out, with weight 0: x2 \(of x1\)\. .*`separability\(X, y\)` gives the exact"
    with pytest.warns(sx.SeparatrixWarning, match=sentence):
        model = sx.LogisticRegression().fit(X, y)
    assert model.collinear_ == {2: (1,)}
    assert model.stopped_ is sx.Stopped.CERTIFIED_OF_OTHERS
    assert "of the other columns" in str(model.stopped_)
    assert sx.separability(X, y).separable
    named = pd.DataFrame(X, columns=["celsius", "again"])
    with pytest.warns(sx.SeparatrixWarning, match=re.escape("again (of celsius)")):
        sx.LogisticRegression().fit(named, y)


@left_out_on_purpose
@pytest.mark.parametrize(
    ("table", "options", "expected"),
    [
        (celsius, {}, {3: (1,)}),  # of two columns the later one
        (celsius, {"C": 1.0}, {}),  # with a penalty every column counts
        (celsius, {"fit_intercept": False}, {}),  # and only multiples without an intercept
        (shares, {"fit_intercept": False}, {3: (1,)}),
    ],
)
def test_which_columns_are_left_out(table, options, expected):
    X, _ = table(np.random.default_rng(0))
    y = answers(X)
    X[:, 1] += table is shares
    model = sx.LogisticRegression(**options).fit(X, y)
    assert model.collinear_ == expected
    assert model.certificate_.verify(X, y)
    constant = np.column_stack((np.full(N, 0.1), X))
    if not options:
        assert sx.LogisticRegression().fit(constant, y).collinear_ == {4: (2,)}


@left_out_on_purpose
def test_exactly_collinear_columns_keep_their_own_name():
    """A copy is aliased, and shares; a converted column is left out; both may be there."""
    X, _ = celsius(np.random.default_rng(0))
    y = answers(X)
    copied = np.column_stack((X, X[:, 1]))
    model = sx.LogisticRegression().fit(copied, y)
    assert model.collinear_ == {3: (1,)}
    assert sx.separability(copied, y).aliased == (2, 4)
    assert model.coef_[0, 1] == pytest.approx(model.coef_[0, 3])
    assert np.isnan(model.standard_errors_).tolist() == [False, False, True, True, True]
    assert model.certificate_.gap <= 1e-8
    assert model.certificate_.verify(copied, y)
    only = sx.LogisticRegression().fit(copied[:, [0, 1, 3]], y)
    assert only.collinear_ == {}
    twice = np.column_stack((X, X[:, 2]))  # of the copies of a converted column both are left out
    assert sx.LogisticRegression().fit(twice, y).collinear_ == {3: (1,), 4: (1,)}


@left_out_on_purpose
@pytest.mark.parametrize("exponent", [3, 8, 10.5, 11.5, 13, 16])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_near_the_threshold_a_fit_is_certified_or_the_column_is_named(exponent, offset):
    rng = np.random.default_rng(int(10 * exponent))
    B = rng.normal(size=(100, 3)) + offset
    noise = 10.0**-exponent * rng.normal(size=100)
    X = np.column_stack((B, 1.3 * B[:, 0] + B[:, 1] + noise))
    y = answers(B)
    model = sx.LogisticRegression().fit(X, y)
    assert len(model.collinear_) == (exponent >= (11.5 if offset == 0.0 else 8))
    assert model.certificate_.gap <= 1e-8
    assert model.certificate_.verify(X, y)


def test_a_column_that_is_made_up_by_others_on_most_rows_only_is_kept():
    """On a long table some rows propose, all rows decide."""
    X, y = make_classification(9000, 20, n_informative=5, n_redundant=0, random_state=3, flip_y=0.2)
    X[:, 19] = X[:, 0] * 1.8 + 32.0
    X[4321, 19] += 1.0
    sample = read_arrays(X, y)
    assert collinear_of(Rows.of(sample)) == {}
    X[4321, 19] -= 1.0
    assert list(collinear_of(Rows.of(read_arrays(X, y)))) == [20]


@left_out_on_purpose
def test_the_verdict_names_them_apart_from_exactly_collinear_ones():
    X, _ = celsius(np.random.default_rng(0))
    y = answers(X)
    names = ["celsius", "wind", "fahrenheit", "wind again"]
    verdict = sx.judge(np.column_stack((X, X[:, 1])), y, feature_names=names)
    text = sx.to_text(verdict)
    assert "Collinear but for rounding" in text
    assert "'fahrenheit' (of 'celsius')" in " ".join(text.split())
    written = json.loads(sx.to_json(verdict))["separability"]
    assert written["collinear"] == [{"index": 3, "name": "fahrenheit", "of": ["celsius"]}]
    assert [column["name"] for column in written["aliased"]] == ["wind", "wind again"]
    result = verdict.result("logistic regression")
    assert result.stopped.startswith("the certified gap reached tol, of the other columns")
    assert result.learner.collinear_ == {3: (1,)}
    folds, _ = folds_of(verdict.table, verdict.question.encoding)
    for fold in folds:
        rows = TrainingRows.of(fold.train.asked(Pair(0, 1), verdict.classes))
        line = fitted(LOGISTIC, rows, separable=False)
        assert line.collinear_ == {3: (1,)}
        assert line.stopped_ is sx.Stopped.CERTIFIED_OF_OTHERS


@left_out_on_purpose
@pytest.mark.parametrize("ratio", [1e9, 1e10, 1e11])
def test_far_from_0_the_rounding_of_the_columns_themselves_decides(ratio):
    rng = np.random.default_rng(0)
    x = 1e4 + 1e4 / ratio * rng.normal(size=100)
    y = (rng.random(100) < 1.0 / (1.0 + np.exp(-(x - 1e4) * ratio / 1e4))).astype(int)
    X = np.column_stack((x, 1.8 * x + 32.0))
    model = sx.LogisticRegression().fit(X, y)
    assert model.collinear_ == {2: (1,)}
    assert model.certificate_.gap <= 1e-8
    assert model.certificate_.verify(X, y)
    own = 1.8 * x + 32.0 + 1e4 / ratio * 1e-3 * rng.normal(size=100)
    if ratio < 1e11:  # 1e-3 of the spread is more than what doubles round off
        assert sx.LogisticRegression().fit(np.column_stack((x, own)), y).collinear_ == {}


@pytest.fixture
def interpolated(monkeypatch):
    """Whether rows were interpolated, on tables of any size."""
    used = []
    whole = room._interpolating
    monkeypatch.setattr(room, "LARGE", 0)
    monkeypatch.setattr(room, "_interpolating", lambda *args: used.append(whole(*args)) or used[-1])
    return lambda: used[-1] is not None


def wide(seed, n=20, d=45):
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-2, 3, size=d)
    return rng.normal(size=(n, d)) * units + 5.0, rng.normal(size=n)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_shortest_line_through_all_rows(seed, intercept, interpolated):
    X, y = wide(seed)
    model = LinearRegression(fit_intercept=intercept)
    model.fit(X, y, sample_weight=np.arange(1.0, 21.0))
    assert interpolated()
    A = np.column_stack((np.full(20, float(intercept)), X))
    w = np.append(model.intercept_, model.coef_)
    assert w == pytest.approx(np.linalg.pinv(A) @ y, rel=1e-7, abs=1e-10)
    assert np.abs(model.residuals_).max() < 1e-10
    assert model.rank_ == 20
    assert model.collinear_ == {}
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize(("step", "all_fit"), [(1, True), (10, False)])
def test_rows_of_several_lengths_are_interpolated_as_far_as_doubles_can(
    step, all_fit, interpolated
):
    X, y = wide(2)
    X *= np.ldexp(1.0, np.arange(20) * step)[:, None]
    model = LinearRegressionClassifier().fit(X, y > 0.0)
    assert interpolated() == all_fit
    if all_fit:
        assert model.predict(X).tolist() == (y > 0.0).tolist()
