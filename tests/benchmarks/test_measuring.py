"""Measuring: tolerances, limits, rounds and threads."""

import pytest
from benchmarks.answer import Answer, TooSlowError
from benchmarks.journal import Journal
from benchmarks.ladder import at_most, loosest
from benchmarks.threads import doubled

from benchmarks import measuring, suite, threads


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


def test_slow_ones_take_part_in_the_first_rounds_alone(monkeypatch):
    monkeypatch.setattr(measuring, "SHARE", 0.0)
    runs = {name: lambda: Answer(None, 1.0) for name in ("a", "b")}
    assert {len(given) for given in measuring.take_turns(runs, 7).values()} == {2}
    monkeypatch.setattr(measuring, "SHARE", 1e9)
    assert {len(given) for given in measuring.take_turns(runs, 7).values()} == {7}


def test_a_second_thread_is_measured_in_fresh_processes():
    for found in doubled(["fewest 60x3, limited"], "tiny", 0, turns=1):
        assert found.one.min > 0.0
        assert found.one_to_two.median == found.one.median / found.two.median
        assert found.same_bytes


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
