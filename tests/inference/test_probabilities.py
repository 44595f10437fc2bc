"""AUC by all pairs, DeLong by his formula, KS by SciPy, scores by scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.special import expit
from scipy.stats import ks_2samp
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, roc_curve
from sklearn.model_selection import PredefinedSplit

from separatrix import InputError, LogisticRegression, judge, probability_figures
from separatrix.inference.probabilities import DRAWS, ProbabilityFigures
from separatrix.verdict.folds import dealt


def all_pairs(y, p):
    """DeLong's area and standard error from the m n comparisons of his formula."""
    yes, no = p[y == 1], p[y == 0]
    psi = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
    area = psi.mean()
    above, below = psi.mean(axis=1), psi.mean(axis=0)
    m, n = yes.size, no.size
    variance = ((above - area) ** 2).sum() / (m - 1) / m
    return area, np.sqrt(variance + ((below - area) ** 2).sum() / (n - 1) / n)


@pytest.mark.parametrize("seed", range(12))
def test_the_area_and_its_error_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 200))
    p = rng.random(n).round(int(rng.integers(1, 4)))
    y = (rng.random(n) < p).astype(int)
    y[:4] = 0, 1, 0, 1
    found = probability_figures(y, p)
    area, error = all_pairs(y, p)
    assert found.auc == pytest.approx(area, abs=1e-14)
    assert found.auc_error == pytest.approx(error, rel=1e-10)
    assert found.auc == pytest.approx(roc_auc_score(y, p), abs=1e-12)
    low, high = found.auc_interval
    assert low == pytest.approx(max(0, area - 1.959963984540054 * error), rel=1e-10)
    assert high == pytest.approx(min(1, area + 1.959963984540054 * error), rel=1e-10)
    assert found.ks == pytest.approx(ks_2samp(p[y == 1], p[y == 0]).statistic, abs=1e-14)
    assert found.brier == pytest.approx(brier_score_loss(y, p), rel=1e-12)
    inner = np.clip(p, 0.05, 0.95)
    assert probability_figures(y, inner).log_loss == pytest.approx(log_loss(y, inner), rel=1e-12)


def test_a_weight_of_k_is_k_rows():
    rng = np.random.default_rng(1)
    p, y = rng.random(40).round(2), rng.integers(0, 2, 40)
    k = rng.integers(0, 4, 40)
    weighed = probability_figures(y, p, k)
    long = probability_figures(np.repeat(y, k), np.repeat(p, k))
    for name in ("auc", "auc_error", "gini", "ks", "brier", "log_loss", "share_of_yes"):
        assert getattr(weighed, name) == pytest.approx(getattr(long, name), rel=1e-10)
    assert weighed.parts_of_brier == pytest.approx(long.parts_of_brier, rel=1e-9)
    np.testing.assert_allclose(weighed.reliability.observed, long.reliability.observed, rtol=1e-9)


def test_the_curve_is_that_of_scikit_learn_and_the_area_below_it():
    rng = np.random.default_rng(2)
    p, y = rng.random(60).round(1), rng.integers(0, 2, 60)
    no, yes = probability_figures(y, p).curve
    theirs = roc_curve(y, p, drop_intermediate=False)
    np.testing.assert_allclose(no, theirs[0])
    np.testing.assert_allclose(yes, theirs[1])
    assert np.trapezoid(yes, no) == pytest.approx(probability_figures(y, p).auc)


def test_brier_is_miscalibration_less_discrimination_and_uncertainty():
    rng = np.random.default_rng(3)
    p = rng.random(300).round(2)
    y = (rng.random(300) < p**2).astype(int)
    found = probability_figures(y, p)
    miscalibration, discrimination, uncertainty = found.parts_of_brier
    assert found.brier == pytest.approx(miscalibration - discrimination + uncertainty, rel=1e-12)
    order = np.argsort(p, kind="stable")
    levels, places = np.unique(p[order], return_inverse=True)
    count = np.bincount(places)
    fitted = isotonic_regression(np.bincount(places, y[order]) / count, weights=count).x
    best = np.mean((fitted[places] - y[order]) ** 2)
    assert miscalibration == pytest.approx(found.brier - best, rel=1e-10)
    assert uncertainty == pytest.approx(y.mean() * (1 - y.mean()))
    np.testing.assert_allclose(found.reliability.observed, fitted, rtol=1e-12)
    np.testing.assert_allclose(found.reliability.probability, levels, rtol=1e-12)


def test_the_band_holds_right_probabilities_and_shows_wrong_ones():
    rng = np.random.default_rng(4)
    shares, tests = [], []
    for _ in range(30):
        p = rng.random(200)
        curve = probability_figures((rng.random(200) < p).astype(int), p).reliability
        shares.append(curve.share_inside)
        tests.append(curve.p_value)
    assert 0.8 < np.mean(shares) < 0.99
    assert np.mean(np.array(tests) <= 0.2) < 0.45
    assert 0.3 < np.mean(tests) < 0.7
    p = rng.random(2000)
    wrong = probability_figures((rng.random(2000) < p**3).astype(int), p).reliability
    assert wrong.share_inside < 0.3
    assert wrong.p_value == 1 / (1 + DRAWS)
    assert (wrong.lower <= wrong.upper).all()
    assert DRAWS >= 200


def test_many_probabilities_are_grouped_and_keep_their_mean():
    rng = np.random.default_rng(5)
    p = rng.random(30_000)
    found = probability_figures((rng.random(30_000) < p).astype(int), p)
    curve = found.reliability
    assert curve.probability.size <= 2048
    assert curve.weight.sum() == 30_000
    assert (curve.weight @ curve.probability) / 30_000 == pytest.approx(p.mean(), rel=1e-12)
    assert (np.diff(curve.probability) > 0).all()
    assert (np.diff(curve.observed) >= 0).all()


def test_refusals_and_edges():
    with pytest.raises(InputError, match=r"probability is 1.5 in row 2"):
        probability_figures([0, 1, 1], [0.1, 0.2, 1.5])
    with pytest.raises(InputError, match="one number a row"):
        probability_figures([0, 1], [[0.1, 0.2], [0.3, 0.4]])
    sure = probability_figures([0, 0, 1, 1], [0.0, 0.5, 0.5, 1.0])
    assert (sure.auc, sure.brier) == (0.875, 0.125)
    assert sure.log_loss == pytest.approx(np.log(2) / 2)
    assert probability_figures([0, 1], [1.0, 0.5]).log_loss == np.inf
    assert np.isnan(probability_figures([0, 1, 1], [0.1, 0.2, 0.3]).auc_error)


def made(n=200):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, 2))
    return X, np.where(rng.random(n) < expit(X @ [1.0, -0.5]), "yes", "no")


def test_a_verdict_assesses_the_rows_left_out():
    X, y = made()
    verdict = judge(X, y)
    found = verdict.probabilities
    assert isinstance(found, ProbabilityFigures)
    assert found.held_out
    scores = np.empty(len(y))
    codes = (y == "yes").astype(int)
    for train, held in PredefinedSplit(dealt(codes, 5)).split():
        scores[held] = LogisticRegression().fit(X[train], y[train]).decision_function(X[held])
    assert found.auc == pytest.approx(roc_auc_score(codes, scores), rel=1e-12)
    assert found.log_loss == pytest.approx(log_loss(codes, expit(scores)), rel=1e-9)
    assert found.auc < roc_auc_score(codes, LogisticRegression().fit(X, y).decision_function(X))
