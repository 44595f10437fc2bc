"""Measuring: tolerances, limits and threads."""

import pytest
from benchmarks.answer import TooSlowError
from benchmarks.journal import Journal
from benchmarks.ladder import at_most, loosest

from benchmarks import suite, threads


def test_the_loosest_tolerance_that_is_good_enough():
    for usual in (1e-1, 1e-5, 1e-9):
        assert loosest(lambda tol: 1e-4 * tol, usual).tolerance == pytest.approx(1e-4)
        assert loosest(lambda tol: 2e-5 * tol, usual).tolerance == pytest.approx(10**-3.5)
    never = loosest(lambda tol: 1e-3 + abs(tol - 1e-8), 1e-5)
    assert never.tolerance == pytest.approx(1e-8)
    assert never.excess == pytest.approx(1e-3)


def test_a_fit_that_takes_too_long_is_given_up():
    with pytest.raises(TooSlowError, match="a loop took more than"):
        endless(at_most(0.05, "a loop"))
    with at_most(60.0, "nothing"):
        pass


def endless(limit):
    with limit:
        while True:
            pass


def test_another_answer_of_two_threads_is_a_failure(monkeypatch):
    def other(*task):
        return threads.Least(1.0, "one" if task[-1] == 1 else "two")

    said = []
    monkeypatch.setattr(threads, "child", other)
    monkeypatch.setattr(threads, "TASKS", ("fewest 60x3, limited",))
    found = suite.run(
        seed=0, threads=1, size="tiny", only=["threads"], say=said.append, journal=Journal(None)
    )
    why = "two threads gave other bytes than one: fewest 60x3, limited"
    assert found["failed"] == {"threads": why}
    assert "OTHERS" in said[-2]
    assert said[-1] == f"\nFAILED: threads: {why}"
