"""Proofs in the benchmarks are verified, and reference values have more digits than doubles."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.adapters import numpy_steps
from benchmarks.answer import Answer, TooSlowError
from benchmarks.data import Likely, Numbers, Table, Words
from benchmarks.judging import judge
from benchmarks.nist import digits
from benchmarks.references import (
    correct_digits,
    cross_entropy_sum,
    least_cross_entropy,
    least_squares,
)
from scipy.optimize import minimize

from benchmarks import proofs
from separatrix import minimum_errors
from tests.benchmarks.tiny import ROOT
from tests.learners.test_linear_regression import exact_minimiser
from tests.shared_data import needs_shared


def test_proofs_are_measured_and_verified(monkeypatch):
    for name in proofs.PROOFS:
        monkeypatch.setitem(proofs.PROOFS, name, Table(60, 2, noise=0.1))
    found = proofs.sizes(seed=0)
    assert found.keys() == proofs.PROOFS.keys()
    assert all(of["kilobytes"] > 0.1 and of["seconds"] > 0.0 for of in found.values())


def test_a_proof_that_does_not_hold_or_is_of_something_else_fails_its_task(monkeypatch):
    """A bracket that is called proven, but is open, and a verifier that refutes."""
    problem = Table(40, 2, noise=0.2).draw(np.random.default_rng(0))
    closed = minimum_errors(problem.X, problem.y)
    assert proofs.of_fewest_mistakes(closed, problem).kilobytes > 0.1
    below = replace(closed, exact_lower=closed.exact_lower - 1, packing=None)
    with pytest.raises(proofs.UnprovenError, match="another claim"):
        proofs.of_fewest_mistakes(below, problem)
    monkeypatch.setattr(proofs, "CLOSED", ("words that are not there",))
    with pytest.raises(proofs.UnprovenError, match="VERIFIED"):
        proofs.of_fewest_mistakes(closed, problem)
    monkeypatch.setattr(proofs, "LONGEST", 1e-4)
    with pytest.raises(TooSlowError, match="the proof took more"):
        proofs.of_fewest_mistakes(closed, problem)
    slow = Answer(closed.weights, 1.0, prove=lambda: proofs.of_fewest_mistakes(closed, problem))
    found = judge(slow, problem, "perceptron error")
    assert (found.proven, found.proof) == (False, None)
    assert found.text.startswith("a line, unproven: the proof took more")


def test_the_least_is_the_least():
    """Against a minimiser of another kind, with a penalty and without, dense and sparse."""
    tables = [Likely(80, 3), Likely(80, 3, C=0.5), Likely(80, 3, scaled=True), Words(60, 9, 4)]
    for table in tables:
        problem = table.draw(np.random.default_rng(1))
        least = least_cross_entropy(problem)
        points = problem.X.toarray() if isinstance(table, Words) else problem.X
        scale = 1.0 / np.append(1.0, np.abs(points).max(axis=0))
        found = minimize(
            lambda v, p=problem, s=scale: cross_entropy_sum(p, v * s),
            np.zeros(problem.X.shape[1] + 1),
            options={"gtol": 1e-9},
        )
        assert least <= found.fun * (1.0 + 1e-14)
        assert least == pytest.approx(found.fun, rel=1e-9)


def test_least_squares_in_more_digits_than_doubles_have():
    problem = Numbers(40, 3).draw(np.random.default_rng(2))
    problem.X[:, 1] = problem.X[:, 0] + 1e-4 * problem.X[:, 1]  # nearly collinear
    exact = exact_minimiser(np.column_stack((np.ones(40), problem.X)), problem.y)
    found = least_squares(problem)
    assert found == pytest.approx(exact, rel=1e-15)
    assert correct_digits(found, found) == 16.0
    assert correct_digits(found * (1.0 + 1e-7), found) == pytest.approx(7.0, abs=0.1)
    assert correct_digits(found * np.nan, found) == 0.0


@needs_shared
def test_digits_on_the_reference_tables():
    found = digits([numpy_steps.LeastSquares(), numpy_steps.NormalEquations()])
    assert list(found) == ["Filip", "Wampler1", "Wampler5", "Longley"]
    assert found["Longley"]["NumPy lstsq"] > 10
    assert found["Filip"]["bare normal equations"] < 1
    assert not digits([], ROOT / "no such file")
