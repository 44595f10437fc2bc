"""One search by many workers: the same bytes for any number of threads, and logs that prove."""

import numpy as np
import pytest

from separatrix import minimum_errors
from separatrix.exact.integers import column_exponents
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one import branch_and_bound
from separatrix.zero_one.branch_and_bound import N_WORKERS, Workers
from separatrix.zero_one.local_search import basis_around
from separatrix.zero_one.problem import presolve
from tests.zero_one.tables import definition, noisy, tiny


@pytest.fixture
def restless(monkeypatch):
    """Workers stop after every box, so that even a small search is shared out all the time."""
    monkeypatch.setattr(branch_and_bound, "SLICE_WORK", 1)


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
    assert one.nodes == many.nodes > 10 * N_WORKERS
    assert one.weights.tobytes() == many.weights.tobytes()
    assert proof == again
    assert many.certificate.verify(X, y)


def test_a_limit_on_nodes_holds_to_the_node_in_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "SLICE_WORK", 100_000)  # some ten boxes
    X, y = noisy(200, 5, 0.2, 1)
    for limit in (N_WORKERS + 3, 601):
        one, proof = answer(monkeypatch, 1, X, y, limit)
        two, again = answer(monkeypatch, 2, X, y, limit)
        assert one.nodes == two.nodes == limit
        assert (one.lower, one.upper) == (two.lower, two.upper)
        assert one.weights.tobytes() == two.weights.tobytes()
        assert proof == again


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("block", range(4))
def test_ties_are_resolved_by_whichever_worker_meets_them(block, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    for seed in range(1000 + 25 * block, 1025 + 25 * block):
        X, y, weight, fit_intercept = tiny(seed)
        found = minimum_errors(X, y, weight, None, fit_intercept=fit_intercept)
        assert found.proven
        assert found.exact_lower == definition(X, y, weight, fit_intercept), seed
        assert found.certificate.verify(X, y, weight), seed


@pytest.mark.usefixtures("restless")
def test_grids_with_ties_for_many_workers_are_proven(monkeypatch):
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


@pytest.mark.usefixtures("restless")
def test_cores_that_were_distrusted_count_for_no_worker_made_later():
    X, y = noisy(200, 4, 0.3, 1)
    left = presolve(*signed(X, y))
    workers = Workers(basis_around(left.rows, np.eye(5)[0]), 0)
    workers.distrust()
    assert workers.begin(0, 55)
    while len(workers.workers) < N_WORKERS:
        workers.run(55, 8)
    assert not any(worker.counters[boxes.TRUST] for worker in workers.workers)
