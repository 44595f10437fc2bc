"""Fewer rows than columns."""

import numpy as np
import pytest

from separatrix import separability
from separatrix.data import read_arrays
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation import constraint_generation
from separatrix.separation.constraint_generation import interpolating_line, triangular


def table_of(n=40, d=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    return X, (rng.random(n) < 0.4).astype(int)


@pytest.fixture
def small_ones_too(monkeypatch):
    monkeypatch.setattr(constraint_generation, "LARGE", 0)


@pytest.mark.parametrize("x0", [0.0, 1.0])
@pytest.mark.usefixtures("small_ones_too")
def test_rows_in_general_position_have_a_proven_line(x0):
    X, y = table_of()
    found = separability(X, y, fit_intercept=bool(x0))
    assert found.verdict == "separable"
    assert found.verify(X, y)
    assert found.rank == 40
    scores = np.sign(y - 0.5) * (X @ np.array(found.line[1:], dtype=float) + float(found.line[0]))
    size = np.frexp(np.abs(np.column_stack((np.full(40, x0), X))).max(axis=1))[1]
    assert scores == pytest.approx(np.ldexp(1.0, size), rel=1e-6)


@pytest.mark.usefixtures("small_ones_too")
def test_dependent_rows_are_decided_as_others_are():
    X, y = table_of()
    X[1], y[0], y[1] = X[0], 0, 1
    assert interpolating_line(SignedRows(read_arrays(X, y))) is None
    found = separability(X, y)
    assert found.separable is False
    assert found.refusal.rows == (0, 1)


@pytest.mark.usefixtures("small_ones_too")
def test_a_line_is_only_taken_where_every_sign_is_right():
    X, y = table_of()
    X[1] = X[0] * (1.0 + 2.0**-50)
    y[0], y[1] = 0, 1
    found = separability(X, y)
    assert found.verify(X, y)
    assert found.verdict == "separable"


def test_the_margin_of_a_wide_table_is_that_of_as_many_columns_as_rows():
    X, y = table_of(12, 50, seed=3)
    signs = np.where(y == 1, 1.0, -1.0)
    points = signs[:, None] * np.column_stack((np.ones(12), X))
    short = triangular(points)
    assert short.shape == (12, 12)
    assert short @ short.T == pytest.approx(points @ points.T)
    low, high = separability(X, y).margin
    again, _ = separability(short * signs[:, None], y, fit_intercept=False).margin
    assert low <= high <= low * (1.0 + 1e-5)
    assert again == pytest.approx(low, rel=1e-5)
