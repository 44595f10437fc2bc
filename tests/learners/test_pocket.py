"""The pocket: the lecture's means, the naive trajectory, the copy that is kept."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import Pocket, RatchetPocket, Stopped
from separatrix.learners.walks.tuning import PocketTuning
from tests.hostile.profile import examples
from tests.plain.walks import pockets
from tests.shared_data import needs_shared, ntu, ntu_answers


def error_of(coef, intercept, X, y):
    return float((np.where(X @ coef[0] + intercept[0] > 0, 1, -1) != y).mean())


@needs_shared
def test_homework_1_18_means():
    X, y = ntu("hw1_18_train.dat")
    X_test, y_test = ntu("hw1_18_test.dat")
    known = next(v for k, v in ntu_answers().items() if k.startswith("hw1_18"))
    errors = []
    for seed in range(2000):
        model = Pocket(max_updates=50, sign_of_zero=-1, random_state=seed).fit(X, y)
        errors.append(
            (
                error_of(model.coef_, model.intercept_, X_test, y_test),
                error_of(model.last_coef_, model.last_intercept_, X_test, y_test),
            )
        )
    means = np.mean(errors, axis=0)
    for mean, stated, spread in zip(means, known[:2], (0.025, 0.174), strict=True):
        assert abs(mean - stated) < 4 * spread / math.sqrt(2000)


def test_regression_start_is_a_pocket_at_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] + 0.5 * rng.normal(size=100) > 0, 1, 0)
    start = Pocket(max_updates=0, init="regression").fit(X, y)
    later = Pocket(max_updates=200, init="regression", random_state=1).fit(X, y)
    assert start.n_errors_ < 30
    assert later.n_errors_ <= start.n_errors_


def test_it_says_in_which_sense_nothing_was_left():
    X = [[1.0, -1.0], [-2.0, -2.0], [0.0, 0.0]]
    under_rule = Pocket(visit="cyclic", sign_of_zero=1).fit(X, [0, 0, 1])
    assert under_rule.n_errors_ == 1.0
    assert under_rule.stopped_ is Stopped.CLEAN_UNDER_RULE
    line = [[0.0], [1.0], [2.0]]
    both = [[0.0], [1.0], [1.0]]
    weightless = Pocket(random_state=0).fit(both, [0, 1, 0], sample_weight=[1, 1, 0])
    assert weightless.n_errors_ == 0.0
    assert weightless.predict(both).tolist() != [0, 1, 0]
    assert weightless.stopped_ is Stopped.NOTHING_COUNTED
    assert Pocket(visit="cyclic").fit(line, [0, 1, 1]).stopped_ is Stopped.CLEAN_PASS


def test_why_the_ratchet_stops():
    line = [[0.0], [1.0], [2.0]]
    assert RatchetPocket(random_state=0).fit(line, [0, 1, 1]).stopped_ is Stopped.CLEAN_PASS
    spent = RatchetPocket(max_updates=9, random_state=0).fit(line, [0, 1, 0])
    assert (spent.stopped_, spent.n_updates_) == (Stopped.UPDATES_SPENT, 9)
    # two rows on the line, right by the rule and yet mistakes: nothing is left to correct
    passes = RatchetPocket(visit="cyclic", sign_of_zero=1, max_iter=7)
    passes.fit([[1.0, -1.0], [-2.0, -2.0], [0.0, 0.0]], [0, 0, 1])
    ended = Stopped.PASSES_SPENT, 7, 21
    assert (passes.stopped_, passes.n_iter_, passes.n_visits_) == ended


WAYS = {  # sizes at which the ways of looking at all rows take over
    "plain": {"gram_rows": 0, "few_updates": 10**9},
    "gram": {"gram_rows": 10**9, "few_updates": 0},
    "copy": {"gram_rows": 0, "few_updates": 0},
}


@pytest.mark.parametrize("way", WAYS)
@examples(80)
@given(data=st.data())
def test_every_way_is_the_plain_pocket(way, data):
    pockets(data.draw, PocketTuning(tile_rows=64, **WAYS[way]))  # tall tables have two tiles


@pytest.mark.parametrize("visit", ["random", "cyclic"])
def test_slices_threads_and_starts_change_nothing(visit, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 4)), rng.integers(0, 2, 900)

    def fitted(**tuning):
        model = Pocket(max_updates=300, visit=visit, init="regression", random_state=0)
        model._tuning = PocketTuning(**tuning)
        model.fit(X, y)
        return model.coef_.tobytes(), model.n_errors_, model.n_swaps_, model.trace_.rows.tobytes()

    whole = fitted()
    few = 900 * 5 * 7
    assert fitted(slice_multiplications=few) == whole
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert fitted(slice_multiplications=few, threaded_multiplications=0) == whole
    assert fitted(slice_multiplications=few, gram_rows=10**9) == whole
