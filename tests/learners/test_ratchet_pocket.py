"""Gallant's ratchet against ten lines in fractions, and what its pocket promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import RatchetPocket, Stopped
from separatrix.kernels.walks import ratchet as kernel
from separatrix.learners._parameters import generator
from separatrix.plain.pocket import ratchet_pocket
from separatrix.trace import CAPACITY
from tests.as_plain import floats, labels, mistakes, rows
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def weights(model):
    return np.append(model.intercept_, model.coef_[0])


@examples(200)
@given(
    table=integer_tables(),
    visit=st.sampled_from(["random", "cyclic", "permuted"]),
    rule=st.sampled_from([-1, 1, "mistake"]),
    seed=st.integers(0, 20),
)
def test_against_the_naive_ratchet(table, visit, rule, seed):
    X, y = table
    n, passes = len(y), 12
    random = generator(seed)
    if visit == "random":
        turns = (random.random(passes * n) * n).astype(int)
    else:
        turns = np.tile(random.permutation(n) if visit == "permuted" else np.arange(n), passes)
    model = RatchetPocket(
        max_updates=15, max_iter=passes, visit=visit, sign_of_zero=rule, random_state=seed
    ).fit(X, y)
    kept, best, longest, last, _ = ratchet_pocket(
        rows(X), labels(y), turns.tolist(), max_updates=15, sign_of_zero=rule
    )
    assert weights(model).tobytes() == floats(kept).tobytes()
    assert (model.n_errors_, model.run_length_) == (best, longest)
    assert np.append(model.last_intercept_, model.last_coef_[0]).tobytes() == floats(last).tobytes()
    assert model.n_errors_ == len(mistakes(X, y, weights(model)))
    *_, end = model.trace_.walk(X, y)
    assert end.tobytes() == floats(last).tobytes()


def test_swapped_labels_negate_the_pocket():
    X = np.random.default_rng(0).integers(-4, 5, (40, 3)).astype(float)
    y = np.random.default_rng(1).integers(0, 2, 40)
    for rule in (-1, 1, "mistake"):
        other = rule if rule == "mistake" else -rule
        one = RatchetPocket(sign_of_zero=rule, random_state=3).fit(X, y)
        two = RatchetPocket(sign_of_zero=other, random_state=3).fit(X, 1 - y)
        assert np.array_equal(weights(one), -weights(two))


def test_why_it_stops():
    assert RatchetPocket(random_state=0).fit(XOR, [0, 0, 0, 1]).stopped_ is Stopped.CLEAN_PASS
    spent = RatchetPocket(max_updates=9, random_state=0).fit(XOR, [0, 1, 1, 0])
    assert (spent.stopped_, spent.n_updates_) == (Stopped.UPDATES_SPENT, 9)
    # two rows on the line, right by the rule and yet mistakes: nothing is left to correct
    passes = RatchetPocket(visit="cyclic", sign_of_zero=1, max_iter=7)
    passes.fit([[1.0, -1.0], [-2.0, -2.0], [0.0, 0.0]], [0, 0, 1])
    assert (passes.stopped_, passes.n_iter_, passes.n_visits_) == (Stopped.PASSES_SPENT, 7, 21)


def test_an_interrupted_fit_keeps_its_pocket(monkeypatch):
    whole, calls = kernel.walk_with_ratchet, []

    def interrupted(*arguments):
        calls.append(1)
        made = whole(*arguments)
        if len(calls) > 1:  # the signal is seen when compiled code has come back
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(kernel, "walk_with_ratchet", interrupted)
    model = RatchetPocket(max_updates=None, max_iter=None, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(XOR, [0, 1, 1, 0])
    assert model.stopped_ is Stopped.INTERRUPTED
    assert model.n_errors_ == 1.0
    assert len(model.trace_.rows) == min(model.n_updates_, CAPACITY)
