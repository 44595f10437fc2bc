"""The fewest mistakes of any line: against the definition and on real tables."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix import ErrorBracket, InputError, minimum_errors
from separatrix.certificates import Separation
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one import strategy
from tests.zero_one.tables import beside_a_plane, definition, noisy, sizes_far_apart, tiny


def test_costs_are_weights():
    X, y, weight, _ = tiny(1)
    found = minimum_errors(X, y, weight, None, cost_wrong_yes=3.0, cost_wrong_no=0.5)
    assert found.exact_upper == definition(X, y, weight * np.where(y == 1, 0.5, 3.0), True)
    assert found.proven
    assert found.certificate.verify(X, y, weight)
    with pytest.raises(InputError, match="cost_wrong_yes"):
        minimum_errors(X, y, cost_wrong_yes=0.0)


@pytest.mark.parametrize("table", [beside_a_plane, sizes_far_apart])
def test_rows_that_only_exact_fractions_separate_are_not_searched(table, monkeypatch):
    """No line of doubles was met that separates them: that kept the search going for ever."""
    monkeypatch.setattr(strategy, "better_lines", None)  # what searches begin with
    X, y = table()
    found = minimum_errors(X, y, time_limit=None)
    assert (found.lower, found.upper, found.proven, found.nodes) == (0.0, 0.0, True, 0)
    assert Separation(found.exact_line).verify(X, y)
    wrong = wrong_of(X, y, found.weights)
    assert found.mistakes == wrong > 0
    assert found.certificate.verify(X, y)
    line = list(found.exact_line)
    line[1] = -line[1]
    assert not replace(found.certificate, weights=line).verify(X, y)
    assert not replace(found.certificate, upper=Fraction(wrong)).verify(X, y)


def wrong_of(X, y, line):
    exact = [Fraction(a) for a in line]
    scores = [sum(a * Fraction(b) for a, b in zip(exact, (1, *x), strict=True)) for x in X.tolist()]
    return sum(s * int(a) <= 0 for s, a in zip(scores, y, strict=True))


def test_rows_without_weight_need_not_be_separated():
    X, y = beside_a_plane()
    X, y = np.vstack([X, X[:1]]), np.append(y, -y[0])
    weight = np.append(np.ones(len(y) - 1), 0.0)
    found = minimum_errors(X, y, weight, time_limit=None)
    assert (found.upper, found.proven) == (0.0, True)
    assert found.certificate.verify(X, y, weight)
    assert not found.certificate.verify(X, y)


def test_a_limit_on_nodes_gives_the_same_bytes_and_honest_bounds():
    X, y = noisy(300, 6, 0.2, 1)
    first = minimum_errors(X, y, None, None, max_nodes=3000)
    again = minimum_errors(X, y, None, None, max_nodes=3000)
    assert not first.proven
    assert "nodes" in first.reason
    assert first.nodes == again.nodes == 3000
    assert (first.lower, first.upper) == (again.lower, again.upper)
    assert first.weights.tobytes() == again.weights.tobytes()
    s = first.weights[0] + X @ first.weights[1:]
    assert first.upper == np.count_nonzero(y * s <= 0)


def test_an_interrupt_keeps_the_bracket(monkeypatch):
    X, y = noisy(300, 6, 0.2, 1)
    whole, calls = boxes.search, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(boxes, "search", interrupted)
    told = []
    found = minimum_errors(X, y, None, None, progress=lambda *bounds: told.append(bounds))
    assert found.interrupted
    assert "interrupted" in found.reason
    assert told[-1] == (found.lower, found.upper)


def test_a_pickle_keeps_bounds_and_the_certificate_that_was_written():
    X, y = noisy(40, 2, 0.1, 0)
    found = minimum_errors(X, y)
    bare = pickle.loads(pickle.dumps(found))  # noqa: S301  # our own bytes
    assert isinstance(bare, ErrorBracket)
    with pytest.raises(InputError, match="pickle"):
        _ = bare.certificate
    assert found.certificate.verify(X, y)
    assert pickle.loads(pickle.dumps(found)).certificate.verify(X, y)  # noqa: S301


@pytest.mark.filterwarnings("error")
def test_a_row_whose_squares_underflow_does_not_spoil_the_search_of_lines():
    """Divided by a length of 0 it was infinite, and so was every line that it took part in."""
    r = np.random.default_rng(0)
    X = r.standard_normal((60, 2))
    y = np.where((X[:, 0] > 0) ^ (r.random(60) < 0.1), 1, -1)
    X[0] *= 1e-170
    found = minimum_errors(X, y, None, None, 1, fit_intercept=False)
    whole = minimum_errors(X * [1e-3, 1e3], y, None, None, 2000, fit_intercept=False)
    assert whole.proven
    assert found.upper == whole.upper
