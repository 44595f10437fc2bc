"""A rare answer: its ranking leads, and a threshold of its own is offered."""

import json

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from separatrix import judge, probability_figures, to_json
from separatrix.report.screen import first_screen
from separatrix.report.sections import to_text

N = 1500


def table(share=0.02, flip=False):
    random = np.random.default_rng(2)
    X = random.normal(size=(N, 2))
    s = 2.0 * X[:, 0] + random.logistic(size=N)
    y = (s > np.quantile(s, 1.0 - share)).astype(int)
    return X, 1 - y if flip else y


@pytest.fixture(scope="module")
def verdict():
    return judge(*table(), fewest_nodes=10)


def test_average_precision_is_that_of_scikit_learn_ties_and_weights_included():
    random = np.random.default_rng(0)
    y, p = random.integers(0, 2, 200), random.integers(0, 12, 200) / 12
    weight = random.integers(1, 4, 200).astype(float)
    found = probability_figures(y, p, weight)
    want = average_precision_score(y, p, sample_weight=weight)
    assert found.average_precision == pytest.approx(want, rel=1e-12)


def test_a_rare_answer_leads_with_what_its_ranking_is_worth(verdict):
    rare, held = verdict.rare, verdict.result("logistic regression").held_out
    assert (rare.label, rare.is_yes, rare.share) == ("1", True, pytest.approx(0.02))
    assert rare.figures.auc == pytest.approx(roc_auc_score(held.y, held.scores))
    lines = first_screen(verdict).splitlines()
    assert lines[1].startswith("Ranking       1 is rare (2 %): AUC 0.8")
    assert f"of {N:,} rows" in " ".join(lines[1:4])
    data = json.loads(to_json(verdict))
    assert list(data)[3] == "rare"
    assert data["rare"]["average_precision"] == data["probabilities"]["average_precision"]
    full = to_text(verdict)
    assert full.index("1 is rare (") < full.index("contradict")
    assert f"--threshold {rare.threshold:g}" in full
    assert "排序" in first_screen(verdict, "zh-Hant")


def test_the_threshold_answers_as_many_rows_as_have_the_label(verdict):
    found = verdict.rare.figures
    odds = np.log(verdict.rare.threshold) - np.log1p(-verdict.rare.threshold)
    assert (found.scores > odds).sum() == pytest.approx(N * 0.02, abs=3)


def test_the_label_that_is_not_asked_about_may_be_the_rare_one(verdict):
    other = judge(*table(flip=True), fewest_nodes=10).rare
    assert (other.label, other.is_yes) == ("0", False)
    assert other.figures.auc == pytest.approx(verdict.rare.figures.auc, abs=0.02)  # other folds
    assert other.threshold == pytest.approx(1.0 - verdict.rare.threshold, abs=0.01)


def test_noise_is_not_said_to_be_ranked():
    _, y = table(share=0.01)
    blind = judge(np.random.default_rng(8).normal(size=(N, 2)), y, fewest_nodes=10)
    assert not blind.rare.is_ranked
    assert blind.selection.why != "ranks"


def test_an_answer_of_a_tenth_or_more_is_not_rare():
    common = judge(*table(share=0.12), fewest_nodes=10)
    assert common.rare is None
    assert "Ranking" not in first_screen(common)
    assert json.loads(to_json(common))["rare"] is None
