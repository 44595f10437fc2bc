"""The fewest mistakes on tables in blocks: bounds that hold, for any blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix import InputError, minimum_errors
from separatrix.scale import ArraySource
from separatrix.tiles import TILE
from separatrix.zero_one import disjoint_cores
from separatrix.zero_one.minimum_errors import NOT_SEARCHED
from tests.separation.in_blocks import FarSource, in_blocks


def noisy(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float)
    y = np.where(X @ rng.integers(-2, 3, size=d) + 0.5 > 0, 1, -1)
    return X, np.where(rng.random(n) < 0.15, -y, y)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 3),
    tile=st.integers(15, 40),
    source=st.sampled_from([ArraySource, FarSource]),
)
def test_the_bounds_hold(seed, d, tile, source):
    X, y = noisy(seed, 160, d)
    expected = minimum_errors(X, y, max_nodes=20_000)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(disjoint_cores, "TILE", tile)
        patched.setattr(disjoint_cores, "ROUND", 2)
        tables = [in_blocks(X, y, tile * k, source=source) for k in (1, 2, 3, 99)]
        found, *others = (minimum_errors(table, max_nodes=100) for table in tables)
        few = [minimum_errors(table, max_nodes=2) for table in tables]
    z = np.where(y > 0, 1.0, -1.0)
    wrong = z * (X @ found.weights[1:] + found.weights[0]) <= 0
    assert found.lower <= expected.upper
    assert expected.lower <= found.upper == wrong.sum()
    assert found.proven == (found.lower == found.upper)
    for other in others:
        assert (found.lower, found.upper) == (other.lower, other.upper)
        assert found.weights.tobytes() == other.weights.tobytes()
    assert len({one.lower for one in few}) == 1
    assert few[0].lower <= found.lower
    if expected.upper > 10 and d < 3:
        assert found.lower > 0  # opposite labels at equal points are in each tile


def test_rows_sorted_by_their_label_are_packed_across_tiles():
    X, y = noisy(7, 4 * TILE, 2)
    order = np.argsort(y, kind="stable")
    found = minimum_errors(in_blocks(X[order], y[order], TILE), max_nodes=4)
    expected = minimum_errors(in_blocks(X, y, TILE), max_nodes=4)
    assert expected.lower / 2 < found.lower <= expected.upper


def test_contradictions_prove_the_bracket(monkeypatch):
    X, y = noisy(8, TILE, 3)
    weight = np.random.default_rng(9).integers(1, 4, size=TILE) / 2.0
    table = in_blocks(X, y, TILE, weight)
    found = minimum_errors(table, cost_wrong_no=1.5)
    proof = found.contradictions
    assert proof.verify(table)
    assert (proof.lower, proof.upper) == (found.exact_lower, found.exact_upper)
    assert not proof.verify(X, y)  # weighs otherwise
    plain = minimum_errors(in_blocks(X, y, TILE)).contradictions
    assert plain.verify(X, y)
    assert "any line makes at least" in str(plain)
    monkeypatch.setattr("separatrix.zero_one.minimum_errors.CERTIFIED", 40)
    few = minimum_errors(in_blocks(X, y, TILE)).contradictions
    assert 0 < few.lower <= 10
    assert few.verify(X, y)


def test_weights_and_costs_count():
    X, y = noisy(1, 200, 2)
    weight = np.random.default_rng(2).integers(1, 5, size=200).astype(float)
    found = minimum_errors(in_blocks(X, y, 70, weight), cost_wrong_yes=2.5, max_nodes=10)
    z = np.where(y > 0, 1.0, -1.0)
    wrong = z * (X @ found.weights[1:] + found.weights[0]) <= 0
    assert found.upper == (weight * np.where(y > 0, 1.0, 2.5))[wrong].sum()
    expected = minimum_errors(X, y, weight, cost_wrong_yes=2.5)
    assert found.lower <= expected.upper <= found.upper


def test_separable_rows_are_proven_to_need_none():
    X, y = noisy(3, 200, 2)
    y = np.where(X[:, 0] + 0.5 > 0, 1, -1)
    found = minimum_errors(in_blocks(X, y, 50))
    assert (found.lower, found.upper, found.proven, found.reason) == (0.0, 0.0, True, "")


def test_limits_and_what_is_not_there():
    X, y = noisy(4, 2 * TILE, 2)
    X += np.random.default_rng(5).normal(size=X.shape)
    table = in_blocks(X, y, TILE)
    found = minimum_errors(table, max_nodes=0)
    assert (found.lower, found.nodes) == (1.0, 0)  # for some rows contradict each other
    assert "prove the lower bound; the limit on nodes was reached" in found.reason
    assert not found.proven
    seen = []
    more = minimum_errors(table, progress=lambda low, high: seen.append((low, high)))
    assert more.lower > 0
    assert seen[-1] == (more.lower, more.upper)
    assert more.reason == NOT_SEARCHED
    with pytest.raises(InputError, match="has no certificate but `contradictions`"):
        _ = more.certificate
    with pytest.raises(InputError, match="ask for `certificate`"):
        _ = minimum_errors(X[:50], y[:50]).contradictions
    with pytest.raises(InputError, match="brings its weights"):
        minimum_errors(table, None, np.ones(2 * TILE))
    one = minimum_errors(table, max_nodes=1)
    assert 0 < one.lower < more.lower
    assert one.nodes == 1
