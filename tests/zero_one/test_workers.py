"""One search in many lanes: the same bytes for any number of threads, and logs that prove."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import minimum_errors
from separatrix.exact.integers import column_exponents
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one import workers
from separatrix.zero_one.coordinates import chart
from separatrix.zero_one.presolve import count_rows
from separatrix.zero_one.workers import LANES, Lane, Lanes, Stretch
from tests.zero_one.tables import definition, noisy, tiny


@pytest.fixture
def restless(monkeypatch):
    """Lanes stop after every box, so that even a small search is shared out all the time."""
    monkeypatch.setattr(workers, "WORK_A_LANE", 1)


def signed(X, y):
    """Rows, weights and column exponents as the search counts them."""
    Z = np.column_stack([np.ones(len(X)), X]) * y[:, None]
    return Z, np.ones(len(X), dtype=np.int64), column_exponents(Z)


def answer(monkeypatch, threads, X, y, max_nodes=None):
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    found = minimum_errors(X, y, None, None, max_nodes)
    return found, found.certificate.proof


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_gives_the_same_bytes(threads, monkeypatch):
    X, y = noisy(150, 4, 0.2, 2)
    one, proof = answer(monkeypatch, 1, X, y)
    many, again = answer(monkeypatch, threads, X, y)
    assert one.proven
    assert one.nodes == many.nodes > 10 * LANES
    assert one.weights.tobytes() == many.weights.tobytes()
    assert proof == again
    assert many.certificate.verify(X, y)


def test_a_limit_on_nodes_holds_to_the_node_in_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(workers, "WORK_A_LANE", 100_000)  # some ten boxes
    X, y = noisy(200, 5, 0.2, 1)
    for limit in (LANES + 3, 601):
        one, proof = answer(monkeypatch, 1, X, y, limit)
        two, again = answer(monkeypatch, 2, X, y, limit)
        assert one.nodes == two.nodes == limit
        assert (one.lower, one.upper) == (two.lower, two.upper)
        assert one.weights.tobytes() == two.weights.tobytes()
        assert proof == again


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("block", range(4))
def test_ties_are_settled_in_whichever_lane_they_are_met(block, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    for seed in range(1000 + 25 * block, 1025 + 25 * block):
        X, y, weight, fit_intercept = tiny(seed)
        found = minimum_errors(X, y, weight, None, fit_intercept=fit_intercept)
        assert found.proven
        assert found.exact_lower == definition(X, y, weight, fit_intercept), seed
        assert found.certificate.verify(X, y, weight), seed


@pytest.mark.usefixtures("restless")
def test_grids_with_ties_in_many_lanes_are_proven(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    r = np.random.default_rng(1)
    X = r.integers(-1, 2, (60, 4)).astype(float)
    y, weight = 2 * r.integers(0, 2, 60) - 1, r.integers(20, 60, 60)
    whole, met = boxes.search, set()

    def watched(*arguments):
        why = whole(*arguments)
        met.add((why, arguments[1].low.ctypes.data))
        return why

    monkeypatch.setattr(boxes, "search", watched)
    found = minimum_errors(X, y, weight)
    assert len({stack for why, stack in met if why == boxes.TIE}) > 1
    assert found.proven
    assert found.certificate.verify(X, y, weight)


def test_a_log_is_that_of_one_depth_first_search():
    first = Stretch()
    first.log = np.array([1, 2])
    early, late = Stretch(np.array([7])), Stretch(np.array([4, 5]))
    first.behind += [early, late]  # what was taken later lay higher on the stack
    late.behind.append(Stretch(np.array([6])))
    assert first.whole().tolist() == [1, 2, 4, 5, 6, 7]


def test_a_lane_takes_the_box_at_the_bottom_with_its_rows():
    giver, taker = Lane(2, 3, 0), Lane(2, 1, 0)
    for k, rows in enumerate(([0, 1, 2], [2], [0])):
        giver.stack.low[k], giver.stack.high[k] = k, k + 1
        giver.stack.wrong[k], giver.stack.share[k], giver.stack.tie[k] = k, 0.5**k, k
        giver.stack.first[k], giver.stack.last[k] = 3 * k, 3 * k + len(rows)
        giver.stack.pool[3 * k : 3 * k + len(rows)] = rows
    giver.counters[boxes.SIZE] = 3
    taker.take_from(giver)
    assert (giver.size, taker.size) == (2, 1)
    assert taker.stack.pool[taker.stack.first[0] : taker.stack.last[0]].tolist() == [0, 1, 2]
    assert taker.box.row.size >= 3  # it made room for them
    assert (taker.stack.share[0], giver.stack.share[0]) == (1.0, 0.5)
    assert giver.stack.low[0].tolist() == [1.0, 1.0]
    assert giver.stack.pool[giver.stack.first[0] : giver.stack.last[0]].tolist() == [2]
    assert taker.bottom_share() == 0.0  # its only box is its own


@pytest.mark.usefixtures("restless")
def test_cores_that_were_distrusted_count_in_no_lane_made_later():
    X, y = noisy(200, 4, 0.3, 1)
    count = count_rows(*signed(X, y))
    lanes = Lanes(chart(count.rows, np.eye(5)[0]), 0)
    lanes.distrust()
    assert lanes.begin(0, 55)
    while len(lanes.lanes) < LANES:
        lanes.look(55, 8)
    assert not any(lane.counters[boxes.TRUST] for lane in lanes.lanes)
