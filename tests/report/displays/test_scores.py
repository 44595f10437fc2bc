"""Bars of scores: none is lost, and mistakes have their own."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from separatrix.report.displays.scores import bar_heights, edges_at
from tests.report.displays.drawn import new_axes, rendered


def test_mistakes_fill_bars_of_their_own(iris, ax):
    X, y, _ = iris
    model = sx.LinearRegressionClassifier().fit(X, y)
    display = rendered(sx.ScoresDisplay.from_estimator(model, X, y, ax=ax))
    wrong = {}
    for sign, bars in display.bars_.items():
        heights = np.array([abs(bar.get_height()) for bar in bars])
        hatched = np.array([bool(bar.get_hatch()) for bar in bars])
        assert heights.sum() == 50
        wrong[sign] = heights[hatched].sum()
    assert sum(wrong.values()) == display.n_mistakes == (model.predict(X) != y).sum()
    assert 0.0 in display.edges_
    assert display.threshold_line_.get_xdata()[0] == 0.0


@pytest.mark.parametrize(
    "scores",
    [
        [0.0, 0.0, 0.0, 0.0],
        [7.0, 7.0, 7.0, 7.0],
        [1e-100, -1e-100, 0.0, 2e-100],
        [1e100, -1e100, 1.7e101, 0.0],
        [1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3],
        [0.5, 0.5, -0.5, 1e9],
    ],
)
def test_any_scores_can_be_drawn_and_none_is_lost(scores):
    y = ["a", "b", "a", "b"]
    display = rendered(sx.ScoresDisplay.from_predictions(y, scores, ax=new_axes()))
    for sign, bars in display.bars_.items():
        heights = np.array([abs(bar.get_height()) for bar in bars])
        hatched = np.array([bool(bar.get_hatch()) for bar in bars])
        rows = display.y == sign
        assert heights.sum() == 2
        assert heights[hatched].sum() == display.wrong[rows].sum()


def test_weights_count_and_the_threshold_moves():
    y, scores = [0, 0, 1, 1], [0.0, 2.0, 1.0, 3.0]
    display = sx.ScoresDisplay.from_predictions(
        y, scores, threshold=1.0, sample_weight=[1.0, 2.0, 4.0, 8.0], ax=new_axes()
    )
    assert display.n_mistakes == 6.0  # 2 above, and the yes row on the threshold itself
    assert display.ax_.get_ylabel().startswith("weight")
    for bad in ([0.0, np.nan, 1.0, 2.0], [[0.0]] * 4):
        with pytest.raises(sx.InputError):
            sx.ScoresDisplay.from_predictions(y, bad)


def test_edges_hold_the_threshold_and_all_scores():
    r = np.random.default_rng(2)
    for threshold in (-5.0, 0.0, 0.3, 100.0):
        scores = r.normal(size=200)
        edges = edges_at(scores, threshold)
        assert threshold in edges
        assert edges[0] <= scores.min() and scores.max() <= edges[-1]  # noqa: PT018
        for sign in (1, -1):
            assert bar_heights(scores, np.ones(200), edges, sign).sum() == 200
