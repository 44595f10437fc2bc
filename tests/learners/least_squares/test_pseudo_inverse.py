"""The pseudo-inverse and the hat matrix: Penrose's laws, which one matrix has, and the doors."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, LinearRegression, hat_matrix, pseudo_inverse
from tests.hostile.profile import examples


@st.composite
def factors(draw):
    """B (n, r), C (r, m) of full rank r, and r; the columns of C in units from 1e-6 to 1e6."""
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    r = draw(st.integers(1, min(n, m)))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    units = np.array(draw(st.lists(st.integers(-6, 6), min_size=m, max_size=m)), dtype=float)
    return rng.normal(size=(n, r)), rng.normal(size=(r, m)) * 10.0**units, r


def condition(B, C):
    """How far the answer can be off, in units of rounding: cond of both, units aside."""
    return np.linalg.cond(B) * np.linalg.cond(C / np.abs(C).max(axis=0))


@examples(200)
@given(made=factors())
def test_the_four_laws_of_penrose(made):
    B, C, _ = made
    X = B @ C
    P = pseudo_inverse(X)
    tolerance = 1e-12 * condition(B, C)
    columns, rows = np.abs(X).max(axis=0), np.abs(P).max(axis=1)
    assert P.shape == X.T.shape
    assert (np.abs(X @ P @ X - X) <= tolerance * columns).all()
    assert (np.abs(P @ X @ P - P) <= tolerance * rows[:, np.newaxis]).all()
    assert np.abs(X @ P - (X @ P).T).max() <= tolerance
    unit = np.outer(rows, columns)
    assert (np.abs(P @ X - (P @ X).T) <= tolerance * (unit + unit.T)).all()


@examples(150)
@given(made=factors())
def test_the_laws_of_the_hat_matrix(made):
    B, C, r = made
    X = B @ C
    H = hat_matrix(X)
    rest = np.eye(len(X)) - H
    tolerance = 1e-12 * condition(B, C)
    assert np.array_equal(H, H.T)
    for k in (2, 3):
        assert np.linalg.matrix_power(H, k) == pytest.approx(H, abs=1e-12)
        assert np.linalg.matrix_power(rest, k) == pytest.approx(rest, abs=1e-12)
    assert np.trace(H) == pytest.approx(r, abs=1e-12)
    assert np.abs(H - X @ pseudo_inverse(X)).max() <= tolerance
    assert (np.abs(H @ X - X) <= tolerance * np.abs(X).max(axis=0)).all()


def test_it_is_what_linear_regression_uses_and_leverages_are_the_diagonal():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    model = LinearRegression().fit(X, y)
    full = np.column_stack((np.ones(40), X))
    assert pseudo_inverse(full) @ y == pytest.approx(np.append(model.intercept_, model.coef_))
    assert np.diag(hat_matrix(full)) == pytest.approx(model.leverages(X))
    assert hat_matrix(full) @ y == pytest.approx(model.predict(X))
    plain = LinearRegression(fit_intercept=False).fit(X, y)
    assert np.diag(hat_matrix(X)) == pytest.approx(plain.leverages(X))


def test_units_decide_neither_rank_nor_digits():
    X = np.random.default_rng(7).normal(size=(8, 3))
    scale = np.ldexp(1.0, [-400, 0, 300])
    assert np.array_equal(pseudo_inverse(X * scale) * scale[:, np.newaxis], pseudo_inverse(X))
    assert np.array_equal(hat_matrix(X * scale), hat_matrix(X))
    # one row, columns of unlike size: the shortest solution leans on the large one
    assert pseudo_inverse([[1e-9, 1.0]]).ravel() == pytest.approx([1e-9, 1.0], rel=1e-15)


def test_zero_matrices_sparse_matrices_and_inverses():
    assert np.array_equal(pseudo_inverse(np.zeros((3, 2))), np.zeros((2, 3)))
    assert np.array_equal(hat_matrix(np.zeros((3, 2))), np.zeros((3, 3)))
    X = np.array([[2.0, 1.0], [0.0, 4.0]])
    assert pseudo_inverse(X) == pytest.approx(np.linalg.inv(X))
    assert np.array_equal(pseudo_inverse(sp.csr_array(X)), pseudo_inverse(X))
    assert np.array_equal(pseudo_inverse([[2, 1], [0, 4]]), pseudo_inverse(X))


BAD = {
    "NaN": ([[1.0, np.nan]], "NaN"),
    "infinity": ([[1.0], [np.inf]], "infinity"),
    "text": ([["a"], ["b"]], "text"),
    "complex": ([[1j]], "Complex"),
    "3-d": (np.zeros((2, 2, 2)), "2-d"),
    "1-d": ([1.0, 2.0], "2-d"),
    "nothing": (np.zeros((0, 2)), "0 sample"),
    "ragged": ([[1.0], [1.0, 2.0]], "length"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("function", [pseudo_inverse, hat_matrix])
def test_other_things_are_refused(function, name):
    X, word = BAD[name]
    with pytest.raises(InputError, match=word):
        function(X)


def test_what_float64_cannot_hold_is_refused_with_the_way_out():
    with pytest.raises(InputError, match="Multiply X"):
        pseudo_inverse([[5e-324]])
    with pytest.raises(InputError, match="memory"):
        hat_matrix(np.ones((3_000_000, 1)))
