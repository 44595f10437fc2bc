"""Directions of diverging coefficients: what is said has been checked."""

import pickle
from fractions import Fraction

import pytest

from separatrix import LogisticRegression, NoFiniteOptimumWarning, judge, separability
from separatrix.separation import divergence, working_rows
from separatrix.separation.exact_simplex import Refusal, Undecided

SEPARABLE = [[0.0, 0.3], [1.0, -0.3], [3.0, 0.1], [4.0, 0.2]], [0, 0, 1, 1]
TOUCHING = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 3.0], [2.0, -1.0]], [0, 0, 1, 1, 1]
TOUCHING[0].append([1.0, 1.0])
TOUCHING[1].append(0)


@pytest.mark.parametrize("table", [SEPARABLE, TOUCHING])
def test_verify_checks_every_direction(table):
    """That no other line goes the other way was taken on trust."""
    found = separability(*table)
    assert found.divergence.bounds
    assert any(found.diverging.values())
    assert found.divergence.verify(*table)
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert again.verify(*table)
    assert again.divergence.verify(*table)
    assert again.street_width == found.street_width


def test_a_wrong_combination_shows_no_direction(monkeypatch):
    """Directions were printed as the search had them, whatever its multipliers were worth."""
    assert "'x1' (+inf)" in warning_of(judge(*SEPARABLE))
    monkeypatch.setattr(working_rows, "refusal_on", lambda rows: [1] * (len(rows) - 1) + [7])
    found = separability(*SEPARABLE)
    assert found.directionless
    assert all(found.diverging[j] == 0 for j in found.directionless)
    said = warning_of(judge(*SEPARABLE))
    assert "(direction not known)" in said
    with pytest.warns(NoFiniteOptimumWarning, match="direction open"):
        LogisticRegression().fit(*SEPARABLE)


def test_a_limit_is_no_either_way(monkeypatch):
    """0 stands for both ways and for neither known: the words said both ways of the latter."""
    monkeypatch.setattr(divergence, "line_or_refusal", lambda _: Undecided("a limit"))
    said = warning_of(judge(*SEPARABLE))
    assert "'x1' (+inf or -inf)" not in said
    assert "'x1' (direction not known)" in said


def warning_of(verdict):
    return next(warning for warning in verdict.warnings if "no finite optimum" in warning)


def test_a_line_with_rows_on_its_wrong_side_shows_nothing(monkeypatch):
    line = [Fraction(9), Fraction(-1), Fraction(-1)]
    monkeypatch.setattr(divergence, "line_or_refusal", lambda _: line)
    found = separability(*SEPARABLE)
    assert len(found.divergence.lines) == 1
    assert found.directionless == (0, 1, 2)


def test_the_other_side_of_two_coefficients_by_hand():
    found = separability([[0.0], [1.0]], [0, 1])
    assert found.diverging == {0: -1, 1: 1}
    told = found.divergence.bounds[1]
    assert (told.direction, sorted(told.rows), told.times) == (1, [0, 1], Fraction(1))
    assert Refusal(told.rows, told.multipliers).multipliers == [1, 1]
