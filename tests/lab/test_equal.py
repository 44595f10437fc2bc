"""What the page computes is what the library computes, bit for bit where the path is canonical."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

import separatrix as sx
from tests.browser import needs_chromium
from tests.hostile.profile import cases
from tests.lab.sets import DECIDE, DESCEND, TIES, WALK, bits, point_sets, walks

pytestmark = [needs_chromium, pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")]


def test_paths_of_pla_and_the_pocket_are_the_library_s_bit_for_bit(opened):
    asked = walks(cases(200, 1000), seed=16)
    for one, page in zip(asked, opened().evaluate(WALK, asked), strict=True):
        how = {
            "visit": one["visit"],
            "sign_of_zero": TIES[one["signOfZero"]],
            "random_state": one["seed"],
            "init": one["start"],
        }
        walk = sx.Perceptron(
            **how, learning_rate=one["eta"], max_updates=one["maxUpdates"], max_iter=None
        ).fit(one["X"], one["y"])
        assert page["rows"] == walk.trace_.rows.tolist()
        assert page["w"] == bits([*walk.intercept_, *walk.coef_[0]])
        assert page["passes"] == walk.n_iter_
        assert page["done"] == (walk.stopped_ is sx.Perceptron().fit([[0], [1]], [0, 1]).stopped_)
        kept = sx.Pocket(**how, max_updates=200).fit(one["X"], one["y"])
        assert page["pocketRows"] == kept.trace_.rows.tolist()
        assert page["pocket"] == bits([*kept.intercept_, *kept.coef_[0]])
        assert page["swaps"] == kept.n_swaps_


def test_verdicts_and_fewest_mistakes_are_exact(opened):
    sets = list(point_sets(cases(120, 500), seed=17))
    asked = [{"X": X.tolist(), "y": y.tolist()} for X, y in sets]
    for (X, y), page in zip(sets, opened().evaluate(DECIDE, asked), strict=True):
        assert page["verdict"] == sx.separability(X, y).verdict
        bracket = sx.minimum_errors(X, y)
        assert bracket.lower == bracket.upper == page["fewest"] == page["counted"]
        if page["verdict"] == "separable":
            assert page["wrong"] == 0
            assert int(page["bound"]) >= 1
        else:
            assert contradict(X, y, page["rows"], [int(m) for m in page["multipliers"]])


def contradict(X, y, rows, multipliers):
    """Whether these rows, so multiplied, add up to nothing."""
    Z = [[Fraction(int(y[n])) * Fraction(a) for a in (1.0, *X[n])] for n in rows]
    sums = [sum(m * z[j] for m, z in zip(multipliers, Z, strict=True)) for j in range(3)]
    return min(multipliers) > 0 and len(rows) <= 4 and not any(sums)


def test_descents_agree_to_1e_12(opened):
    measures, random = ("perceptron", "squared", "cross_entropy"), np.random.default_rng(18)
    asked = []
    for k in range(60):
        X = random.standard_normal((30, 2))
        y = np.where(X @ [1.0, -0.5] + random.standard_normal(30) > 0, 1, -1)
        asked.append({
            "X": X.tolist(), "y": y.tolist(), "measure": measures[k % 3], "eta": 0.05,
            "batch": ("batch", "online")[k % 2], "maxUpdates": 150,
        })  # fmt: skip
    for one, page in zip(asked, opened().evaluate(DESCEND, asked), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sx.GradientDescent(
                error=one["measure"], learning_rate=0.05, max_updates=150, tol=0.0,
                batch_size=1 if one["batch"] == "online" else None, shuffle=False,
            ).fit(one["X"], one["y"])  # fmt: skip
            line = sx.LinearRegressionClassifier().fit(one["X"], one["y"])
            logit = sx.LogisticRegression(tol=1e-12).fit(one["X"], one["y"])
        for mine, theirs, off in (
            (page["descent"], model, 1e-12),
            (page["linear"], line, 1e-12),
            (page["logistic"], logit, 1e-5),
        ):
            weights = np.array([*theirs.intercept_, *theirs.coef_[0]])
            if off < 1e-9 or isinstance(logit.certificate_, sx.LogisticGap):
                np.testing.assert_allclose(mine, weights, rtol=off, atol=off)


def test_500_points_are_decided_in_a_moment(opened):
    random = np.random.default_rng(19)
    X = random.standard_normal((500, 2))
    y = np.where(X[:, 0] + random.standard_normal(500) > 0, 1, -1)
    (page,) = opened().evaluate(DECIDE, [{"X": X.tolist(), "y": y.tolist()}])
    assert page["verdict"] == "overlapping"
    assert page["counted"] == page["fewest"]
