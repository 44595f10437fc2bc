"""Ctrl-C during a fit: the answer so far is the answer, and it says so."""

import numpy as np
import pytest

import separatrix as sx
from separatrix.kernels.walks import dual, perceptron, pocket, pocket_gram, pocket_scan
from separatrix.learners import passive_aggressive
from separatrix.learners.walks.tuning import PocketTuning, Tuning
from tests.as_plain import mistakes
from tests.learners.tables import weights


@pytest.mark.parametrize(
    ("learner", "home", "kernel"),
    [
        (sx.Perceptron, perceptron, "walk_in_order"),
        (sx.AveragedPerceptron, perceptron, "walk_in_order"),
        (sx.VotedPerceptron, perceptron, "walk_in_order"),
        (sx.MarginPerceptron, perceptron, "walk_in_order"),
        (sx.PassiveAggressive, passive_aggressive, "walk_passively"),
        (sx.DualPerceptron, dual, "walk_on_gram"),
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
    assert model.stopped_ is sx.Stopped.INTERRUPTED
    assert model.n_updates_ > 0
    assert model.predict(X).shape == (3,)
    if hasattr(model, "n_visits_"):
        assert model.n_visits_ == 6
    if hasattr(model, "votes_"):
        assert model.votes_.sum() == 6


KERNELS = [
    (perceptron, "walk_in_order"), (pocket, "walk_searching"), (pocket_gram, "walk_with_gram"),
    (pocket_scan, "walk_with_tiles"), (pocket_scan, "walk_ahead"), (pocket, "walk_with_ratchet"),
]  # fmt: skip


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("visit", ["cyclic", "random"])
@pytest.mark.parametrize(
    ("kind", "n"), [(sx.Perceptron, 20), (sx.Pocket, 70), (sx.Pocket, 900), (sx.RatchetPocket, 20)]
)
def test_what_is_kept_has_all_rows_of_the_slices_made(kind, n, visit, late, monkeypatch):
    calls = []

    def interrupted(kernel):
        def run(*arguments):
            calls.append(1)
            if len(calls) <= 3:
                return kernel(*arguments)
            if late:  # the signal is seen when compiled code has come back
                kernel(*arguments)
            raise KeyboardInterrupt

        return run

    for home, name in KERNELS:
        monkeypatch.setattr(home, name, interrupted(getattr(home, name)))
    X, y = np.random.default_rng(0).normal(size=(n, 3)), np.tile([-1.0, 1.0], n // 2)
    model = kind(visit=visit, random_state=0)
    model.set_params(**{k: None for k in ("max_iter", "max_updates") if k in model.get_params()})
    tuning = Tuning if kind is sx.Perceptron else PocketTuning
    model._tuning = tuning(slice_multiplications=20 * n)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stopped_ is sx.Stopped.INTERRUPTED
    assert len(model.trace_.rows) == model.n_updates_ == model.counts_.sum() > 3
    *_, last = model.trace_.walk(X, y)
    if kind is not sx.Perceptron:
        assert model.n_errors_ == len(mistakes(X, y, weights(model)))
        assert last.tolist() == [*model.last_intercept_, *model.last_coef_[0]]
    else:
        assert last.tolist() == weights(model).tolist()
