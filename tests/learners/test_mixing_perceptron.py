"""Iterative parameter mixing: its bound, its proof, and the same bytes for any size of block."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import InputError, MixingPerceptron, NotConvergedWarning, Perceptron, Stopped
from separatrix.certificates import Separation
from separatrix.data import read_arrays
from separatrix.scale import ArraySource, BlockedTable
from separatrix.tiles import TILE

N = 6 * TILE + 17


def table(*, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(N, 4)), np.array([1.0, -2.0, 0.5, 0.0])
    y = np.where(X @ w + 0.3 > 0, 1, -1)
    X += 0.1 * y[:, None] * w / np.linalg.norm(w)
    return X, np.where(rng.random(N) < noise, -y, y), np.append(0.3, w)


def everything(model):
    numbers = model.n_updates_, model.n_iter_, model.n_shards_, model.weighted_updates_
    proof = model.certificate_ and model.certificate_.weights.tobytes()
    return model.coef_.tobytes(), model.intercept_.tobytes(), numbers, model.stopped_, proof


@pytest.mark.parametrize("n_shards", [1, 2, 3, 7, 100])
def test_separable_rows_are_separated_within_the_bound(n_shards):
    X, y, w = table()
    model = MixingPerceptron(n_shards=n_shards).fit(X, y)
    assert model.stopped_ is Stopped.CLEAN_PASS
    assert model.certificate_.verify(X, y)
    assert (model.predict(X) == y).all()
    assert model.n_shards_ == min(n_shards, 7)
    assert model.weighted_updates_ <= min(
        model.certificate_.mistake_bound(X, y), Separation(w).mistake_bound(X, y)
    )
    expected = everything(model)
    for rows in (TILE, 2 * TILE, 16 * TILE):
        blocked = BlockedTable(ArraySource(read_arrays(X, y)), rows_in_block=rows)
        assert everything(model.fit(blocked)) == expected


def test_one_shard_is_pla():
    X, y, _ = table()
    mixed, pla = MixingPerceptron(n_shards=1).fit(X, y), Perceptron().fit(X, y)
    assert mixed.coef_.tobytes() == pla.coef_.tobytes()
    assert (mixed.n_updates_, mixed.weighted_updates_) == (pla.n_updates_, pla.n_updates_)


def test_rows_that_no_line_separates_spend_the_epochs():
    X, y, _ = table(noise=0.01)
    with pytest.warns(NotConvergedWarning, match="the shards are not done") as caught:
        model = MixingPerceptron(max_iter=3).fit(X, y)
    assert caught[0].filename == __file__
    assert (model.stopped_, model.n_iter_, model.certificate_) == (Stopped.PASSES_SPENT, 3, None)
    expected = everything(model)
    blocked = BlockedTable(ArraySource(read_arrays(X, y)), rows_in_block=TILE)
    with pytest.warns(NotConvergedWarning) as caught:
        assert everything(model.fit(blocked)) == expected
    assert caught[0].filename == __file__


def test_zero_scores_under_a_rule_are_nudged_off_the_line():
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([1, 1, -1])
    model = MixingPerceptron(sign_of_zero=1).fit(X, y)
    assert model.stopped_ is Stopped.CLEAN_PASS
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("n_shards", [0, 1.5, None])
def test_a_number_of_shards_is_a_whole_number(n_shards):
    with pytest.raises(InputError, match="n_shards"):
        MixingPerceptron(n_shards=n_shards).fit([[0.0], [1.0]], [0, 1])
