"""Reference values of the benchmarks have more digits than doubles."""

import numpy as np
import pytest

from tests.benchmarks.tiny import ROOT
from tests.learners.test_linear_regression import exact_minimiser
from tests.shared_data import needs_shared


def test_the_least_is_the_least():
    """Against a minimiser of another kind, with a penalty and without, dense and sparse."""
    from benchmarks.data import Likely, Words
    from benchmarks.references import cross_entropy_sum, least_cross_entropy
    from scipy.optimize import minimize

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
    from benchmarks.data import Numbers
    from benchmarks.references import correct_digits, least_squares

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
    from benchmarks.adapters import numpy_steps
    from benchmarks.nist import digits

    found = digits([numpy_steps.LeastSquares(), numpy_steps.NormalEquations()])
    assert list(found) == ["Filip", "Wampler1", "Wampler5", "Longley"]
    assert found["Longley"]["NumPy lstsq"] > 10
    assert found["Filip"]["bare normal equations"] < 1
    assert not digits([], ROOT / "no such file")
