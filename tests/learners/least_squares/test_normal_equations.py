"""The fast way to least squares: the digits of the slow one, and never a table it cannot judge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import LinearRegression
from separatrix.learners.least_squares.normal_equations import WIDE, minimiser_by_gram, rows_of
from tests.hostile.profile import examples


def drawn(n=5000, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.5 + rng.normal(size=n)


def least_squares_by_gram(X, y, weight, x0):
    """Return the minimiser and its residuals; None where it is left to a decomposition."""
    residuals = np.empty(len(y))
    w = minimiser_by_gram(rows_of(X, y, weight, x0), residuals)
    return None if w is None else (w, residuals)


def certain(X, y, weight, x0=1.0):
    """Return the minimiser by QR of the centred table in extended precision, refined."""
    A = np.column_stack((np.full(len(y), x0), X))[:, 0 if x0 else 1 :].astype(np.longdouble)
    root, scale = np.sqrt(weight.astype(np.longdouble)), np.abs(A).max(axis=0)
    A = A / scale * root[:, np.newaxis]
    R = np.linalg.qr(A.astype(float), mode="r")
    w, b = np.zeros(A.shape[1], np.longdouble), y.astype(np.longdouble) * root
    for _ in range(6):
        w += np.linalg.solve(R.T @ R, (A.T @ (b - A @ w)).astype(float))
    w = (w / scale).astype(float)
    return w if x0 else np.concatenate(([0.0], w))


def close(got, expected, X, digits):
    """Whether weights agree, each in units of the largest score that a column makes."""
    size = np.concatenate(([1.0], np.abs(X).max(axis=0)))
    off = np.abs(got - expected) * size
    return off.max() <= 10.0**-digits * (np.abs(expected) * size).max()


@examples(40)
@given(
    seed=st.integers(0, 10**6), d=st.integers(4, 12), x0=st.sampled_from([0.0, 1.0]),
    mean=st.sampled_from([0.0, 3.0, 1e3]), mixing=st.sampled_from([0.0, 0.9, 0.999]),
)  # fmt: skip
def test_it_has_the_digits_of_a_decomposition(seed, d, x0, mean, mixing):
    rng = np.random.default_rng(seed)
    X, y = drawn(4200, d, seed)
    X = ((1 - mixing) * X + mixing * X[:, :1]) * 10.0 ** rng.integers(-30, 30, d)
    X += mean * np.abs(X).max(axis=0)
    weight = rng.integers(0, 3, len(y)).astype(float)
    found = least_squares_by_gram(X, y, weight, x0)
    if mean < 1e3 or x0:
        assert found is not None
    if found is not None:
        w, residuals = found
        assert close(w, certain(X, y, weight, x0), X, 10 if mean or mixing else 13)
        assert residuals == pytest.approx(y - X @ w[1:] - w[0], abs=1e-9 * np.abs(y).max())


def test_wide_tables_lose_nothing_by_single_precision():
    X, y = drawn(4 * (WIDE + 20), WIDE + 10)
    for mean in (0.0, 100.0):
        found = least_squares_by_gram(X + mean, y, np.ones(len(y)), 1.0)
        assert found is not None
        assert close(found[0], certain(X + mean, y, np.ones(len(y))), X + mean, 12)


def test_rows_of_another_kind_after_the_first_ones():
    X, y = drawn(9000, 4)
    X[:300] *= 1e-3
    X[5000:] += [50.0, 0.0, -20.0, 3.0]
    found = least_squares_by_gram(X, y, np.ones(9000), 1.0)
    assert found is not None
    assert close(found[0], certain(X, y, np.ones(9000)), X, 12)


def spoiled(kind):
    X, _ = drawn()
    if kind == "a combination":
        X[:, 2] = X[:, 0] - 3.0 * X[:, 5]
    elif kind == "a combination, nearly":
        X[:, 2] = X[:, 0] - 3.0 * X[:, 5] + 1e-8 * X[:, 2]
    elif kind == "a copy":
        X[:, 3] = X[:, 1]
    elif kind == "a constant":
        X[:, 4] = 0.1
    elif kind == "zeros":
        X[:, 0] = 0.0
    elif kind == "all dummies of a factor":
        X[:, :3] = np.eye(3)[np.arange(len(X)) % 3]
    elif kind == "a copy in another unit":
        X[:, 3] = X[:, 1] * 1e9
    return X


RANKS = {
    "a combination": 6, "a combination, nearly": 7, "a copy": 6, "a constant": 6, "zeros": 6,
    "all dummies of a factor": 6, "a copy in another unit": 6,
}  # fmt: skip


@pytest.mark.parametrize("kind", RANKS)
def test_dependent_columns_are_left_to_the_decomposition(kind):
    X, y = spoiled(kind), drawn()[1]
    assert least_squares_by_gram(X, y, np.ones(len(y)), 1.0) is None
    model = LinearRegression().fit(X, y)
    assert model.rank_ == RANKS[kind]
    assert model.leverages(X).sum() == pytest.approx(RANKS[kind])


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X + 1e6, lambda X: X * 1e150, lambda X: X * 1e-150, lambda X: X[:20],
        lambda X: np.vstack((X, np.diag(np.full(6, 1e200)))),
    ],
)  # fmt: skip
def test_what_it_cannot_judge_it_does_not(change):
    X = change(drawn()[0])
    y = drawn(len(X))[1]
    assert least_squares_by_gram(X, y, np.ones(len(X)), 1.0) is None
    assert LinearRegression().fit(X, y).rank_ == 7
