"""The section on probabilities in reports, and its two pictures."""

import json

import matplotlib as mpl
import numpy as np
import pytest
from scipy.special import expit

from separatrix import (
    CalibrationDisplay,
    InputError,
    LogisticRegression,
    Perceptron,
    judge,
    to_html,
    to_json,
    to_text,
)
from separatrix.report.coefficients import TITLE_OF_PROBABILITIES, probabilities_section

mpl.use("agg")


def drawn(n=200):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, 2))
    return X, (rng.random(n) < expit(X @ [1.0, -0.5])).astype(int)


def test_text_json_and_page_hold_the_same_figures():
    verdict = judge(*drawn())
    found = verdict.probabilities
    text, data = to_text(verdict), json.loads(to_json(verdict))["probabilities"]
    assert f"AUC {found.auc:.3f} (95 % interval" in " ".join(text.split())
    assert "each of the 5 folds got its probabilities from a line fitted without it" in " ".join(
        text.split()
    )
    assert data["auc"] == found.auc
    assert data["auc_interval"] == list(found.auc_interval)
    assert data["held_out"] is True
    parts = data["miscalibration"] - data["discrimination"] + data["uncertainty"]
    assert data["brier"] == pytest.approx(parts)
    page = to_html(verdict)
    assert page.count(TITLE_OF_PROBABILITIES) == 1
    assert "Calibration" in page
    assert page == to_html(verdict)


def test_rows_fitted_are_called_so_and_no_probabilities_are_no_figures():
    few = judge([[0.0], [1.0], [2.0], [3.0], [1.5]], ["n", "n", "n", "n", "y"])
    assert "on the very rows that it was fitted to" in probabilities_section(few).sentences[0]
    separable = judge([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    assert "no finite optimum" in probabilities_section(separable).sentences[0]
    assert json.loads(to_json(separable))["probabilities"] is None
    assert "no finite optimum" in to_html(separable)


def test_wrong_probabilities_are_said_to_be_wrong():
    from separatrix import probability_figures
    from separatrix.report.coefficients import figures_in_words

    rng = np.random.default_rng(1)
    p = rng.random(3000)
    right, wrong = (
        figures_in_words(probability_figures((rng.random(3000) < q).astype(int), p))[2]
        for q in (p, p**2)
    )
    assert "these probabilities are off" in wrong
    assert "Yes is on the whole less frequent than was said" in wrong
    assert "nothing speaks against these probabilities" in right


def test_the_pictures():
    X, y = drawn()
    verdict = judge(X, y)
    learner = LogisticRegression().fit(X, y)
    calibration = CalibrationDisplay.from_estimator(learner, X, y)
    level = CalibrationDisplay.from_predictions(y, learner.predict_proba(X)[:, 1])
    assert calibration.figures.brier == level.figures.brier
    heights = calibration.curve_.get_ydata()
    assert (np.diff(heights) >= 0).all()
    assert CalibrationDisplay.from_verdict(verdict).figures.held_out
    with pytest.raises(InputError, match="Perceptron gives no probabilities"):
        CalibrationDisplay.from_estimator(Perceptron(max_iter=5), X, y)
    separable = judge([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    with pytest.raises(InputError, match="no probabilities"):
        CalibrationDisplay.from_verdict(separable)
