"""Ctrl-C during a fit: the answer so far is the answer, and it says so."""

import numpy as np
import pytest

from separatrix import (
    AveragedPerceptron,
    DualPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Stopped,
    VotedPerceptron,
)
from separatrix.kernels.walks import dual, perceptron, pocket
from separatrix.learners import passive_aggressive
from separatrix.learners.walks.tuning import Tuning


@pytest.mark.parametrize(
    ("learner", "home", "kernel"),
    [
        (Perceptron, perceptron, "walk_in_order"),
        (AveragedPerceptron, perceptron, "walk_in_order"),
        (VotedPerceptron, perceptron, "walk_in_order"),
        (MarginPerceptron, perceptron, "walk_in_order"),
        (PassiveAggressive, passive_aggressive, "walk_passively"),
        (DualPerceptron, dual, "walk_on_gram"),
    ],
)
def test_an_interrupted_fit_keeps_what_it_has(learner, home, kernel, monkeypatch):
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    whole, calls = getattr(home, kernel), []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) > 6:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(home, kernel, interrupted)
    model = learner(max_iter=None)
    model._tuning = Tuning(slice_multiplications=1)  # a slice visits a row or two
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stopped_ is Stopped.INTERRUPTED
    assert model.n_updates_ > 0
    assert model.predict(X).shape == (3,)
    if hasattr(model, "n_visits_"):
        assert model.n_visits_ == 6
    if hasattr(model, "votes_"):
        assert model.votes_.sum() == 6


@pytest.mark.parametrize("visit", ["cyclic", "random"])
def test_a_signal_that_is_seen_after_a_slice_loses_none_of_its_rows(visit, monkeypatch):
    home = pocket if visit == "random" else perceptron
    name = "walk_searching" if visit == "random" else "walk_in_order"
    whole, calls = getattr(home, name), []

    def interrupted(*arguments):
        made = whole(*arguments)
        calls.append(1)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(home, name, interrupted)
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.tile([0, 1], 10)
    model = Perceptron(visit=visit, max_iter=None, random_state=0)
    model._tuning = Tuning(slice_multiplications=60)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(model.trace_.rows) == model.n_updates_ == model.counts_.sum() > 3
    *_, last = model.trace_.walk(X, y)
    assert last.tolist() == [*model.intercept_, *model.coef_[0]]
