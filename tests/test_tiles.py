"""Sums over rows: the same bytes for any number of threads, and the threads themselves."""

import threading

import numpy as np
import pytest

from separatrix.tiles import TILE, in_threads, n_threads, shares, sum_of_runs, tiled_sum


def test_a_sum_is_the_same_bytes_for_any_number_of_threads(monkeypatch):
    A = np.random.default_rng(0).normal(size=(5 * TILE + 17, 3)) * 1e3

    def gram(tile: slice) -> np.ndarray:
        return A[tile].T @ A[tile]

    by_threads = []
    for n in (1, 2, 3, 7):
        monkeypatch.setenv("OMP_NUM_THREADS", str(n))
        by_threads.append(tiled_sum(len(A), gram).tobytes())
    assert len(set(by_threads)) == 1
    np.testing.assert_allclose(np.frombuffer(by_threads[0]).reshape(3, 3), A.T @ A, rtol=1e-12)


def test_a_sum_of_runs_is_the_same_bytes_as_the_sum_of_tiles(monkeypatch):
    A = np.random.default_rng(0).normal(size=(9 * TILE + 17, 3)) * 1e3

    def sums(start: int, stop: int) -> np.ndarray:
        return np.array([A[k : min(k + TILE, stop)].sum(axis=0) for k in range(start, stop, TILE)])

    expected = tiled_sum(len(A), lambda tile: A[tile].sum(axis=0)).tobytes()
    for n in (1, 2, 3):
        monkeypatch.setenv("OMP_NUM_THREADS", str(n))
        assert sum_of_runs(len(A), sums).tobytes() == expected
    assert sum_of_runs(0, sums).size == 0


def test_parts_run_in_threads_at_once_and_come_back_in_order(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    meeting = threading.Barrier(2, timeout=30)

    def part(k: int) -> int:
        meeting.wait()  # passed only when two are under way
        return k

    assert list(in_threads([lambda k=k: part(k) for k in range(4)])) == [0, 1, 2, 3]


def test_what_a_part_raises_reaches_the_caller(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")

    def refuse() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(in_threads([lambda: None, refuse, lambda: None]))


@pytest.mark.parametrize(("given", "expected"), [("3", 3), ("2,1", 2), (" 4 ", 4)])
def test_the_number_of_threads_follows_the_variable(monkeypatch, given, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert n_threads() == expected


@pytest.mark.parametrize("given", ["", "0", "-2", "many"])
def test_without_a_usable_variable_there_is_at_least_one_thread(monkeypatch, given):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert n_threads() >= 1


def test_shares_are_neighbours_of_nearly_equal_length():
    assert [list(s) for s in shares(range(7), 3)] == [[0, 1], [2, 3], [4, 5, 6]]
    assert [list(s) for s in shares(range(2), 5)] == [[0], [1]]
    assert list(shares([], 3)) == [[]]
