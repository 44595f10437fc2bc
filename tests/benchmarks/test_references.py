"""Reference values of the benchmarks have more digits than doubles."""

from fractions import Fraction

import numpy as np
import pytest

from tests.benchmarks.tiny import ROOT
from tests.shared_data import needs_shared


@pytest.mark.usefixtures("_benchmarks")
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


@pytest.mark.usefixtures("_benchmarks")
def test_least_squares_in_more_digits_than_doubles_have():
    from benchmarks.data import Numbers
    from benchmarks.references import correct_digits, least_squares

    problem = Numbers(40, 3).draw(np.random.default_rng(2))
    problem.X[:, 1] = problem.X[:, 0] + 1e-4 * problem.X[:, 1]  # nearly collinear
    rows = [[Fraction(1), *map(Fraction, row)] for row in problem.X.tolist()]
    exact = solved(rows, [Fraction(value) for value in problem.y.tolist()])
    found = least_squares(problem)
    assert found == pytest.approx([float(w) for w in exact], rel=1e-15)
    assert correct_digits(found, found) == 16.0
    assert correct_digits(found * (1.0 + 1e-7), found) == pytest.approx(7.0, abs=0.1)
    assert correct_digits(found * np.nan, found) == 0.0


def solved(rows, y):
    width = range(len(rows[0]))
    M = [
        [sum(r[i] * r[j] for r in rows) for j in width]
        + [sum(r[i] * v for r, v in zip(rows, y, strict=True))]
        for i in width
    ]
    for i in width:
        M[i] = [value / M[i][i] for value in M[i]]
        for k in width:
            if k != i:
                M[k] = [a - M[k][i] * b for a, b in zip(M[k], M[i], strict=True)]
    return [row[-1] for row in M]


@needs_shared
@pytest.mark.usefixtures("_benchmarks")
def test_digits_on_the_reference_tables():
    from benchmarks.adapters import numpy_steps
    from benchmarks.nist import digits

    found = digits([numpy_steps.LeastSquares(), numpy_steps.NormalEquations()])
    assert list(found) == ["Filip", "Wampler1", "Wampler5", "Longley"]
    assert found["Longley"]["NumPy lstsq"] > 10
    assert found["Filip"]["bare normal equations"] < 1
    assert not digits([], ROOT / "no such file")
