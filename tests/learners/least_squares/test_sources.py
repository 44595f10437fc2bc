"""Least squares wherever the rows are: the same bytes, and the digits of a decomposition."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import InputError, LinearRegression, LinearRegressionClassifier
from separatrix.data import dense, read_arrays
from separatrix.learners.least_squares import least_squares as room
from separatrix.learners.least_squares import normal_equations
from separatrix.scale import ArraySource, Rows, rows
from separatrix.tiles import TILE
from tests.learners.tables import SOURCES, rows_from
from tests.learners.test_linear_regression import exact_minimiser

N, D = 3 * TILE + 501, 5


@pytest.fixture(autouse=True)
def few_numbers(monkeypatch):
    """Let tables of some tiles be too large to be read whole."""
    monkeypatch.setattr(room, "FEW_NUMBERS", 1 << 14)
    monkeypatch.setattr(normal_equations, "WIDE", 60)
    monkeypatch.setattr(rows, "IN_MEMORY", 1 << 20)  # and levels too many to be kept


def drawn(n=N, d=D, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (3.0 * rng.normal(size=(n, d)) + 1.0).astype(dtype)
    return X, X @ rng.normal(size=d) + 0.5 + rng.normal(size=n)


def state(model):
    return np.ravel(model.intercept_).tobytes(), model.coef_.tobytes(), model.rank_


def plain(X, t, rng):
    return X, t


def single(X, t, rng):
    return X.astype(np.float32), t


def one_column(X, t, rng):
    return np.repeat(X[:, :1], 2, axis=0), np.repeat(t, 2)


def wide_products(X, t, rng):
    return rng.normal(size=(TILE + 9, 70)), t[: TILE + 9]


def sparse(X, t, rng):
    return sp.csr_array(np.where(rng.random(X.shape) < 0.7, 0.0, X)), t


def few(X, t, rng):
    return X[:300], t[:300]


def interpolated(X, t, rng):
    return rng.normal(size=(300, 400)), t[:300]


def levels(X, t, rng):
    return np.eye(30)[rng.integers(0, 30, N)], t


def far_and_nearly_dependent(X, t, rng):
    X[:, 3] = X[:, 2] + 1e-4 * X[:, 3]
    X[:, 1] += 1e5
    return X, t


def dependent(X, t, rng):
    X[:, 3] = 2.0 * X[:, 2]
    X[:, 4] = 0.0
    return X, t


def converted(X, t, rng):
    X[:, 3] = X[:, 2].round(1) * 1.8 + 32.0
    X[:, 2] = X[:, 2].round(1)
    return X, t


def huge(X, t, rng):
    return X, np.ldexp(t, 1015)


def tiny(X, t, rng):
    return X, np.ldexp(t, -1000)


TABLES = [
    plain, single, one_column, wide_products, sparse, few, interpolated, levels,
    far_and_nearly_dependent, dependent, converted, huge, tiny,
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_bytes_wherever_the_rows_are(table, weighted):
    X, t = table(*drawn(), np.random.default_rng(0))
    weight = np.random.default_rng(1).integers(0, 4, len(t)) * 1.0 if weighted else None
    fits = [
        LinearRegression(fit_intercept=table is not levels or weighted).fit(
            rows_from(source, X, t, weight)
        )
        for source in SOURCES
    ]
    assert len({(*state(fit), str(fit.collinear_)) for fit in fits}) == 1
    A = np.column_stack((np.full(len(t), float(fits[0].fit_intercept)), dense(X, "a test")))
    w = np.append(fits[0].intercept_, fits[0].coef_)
    root = np.ones(len(t)) if weight is None else np.sqrt(weight)
    size = np.abs(t).max()
    expected = np.linalg.lstsq(A * root[:, None], root * (t / size), rcond=1e-13)[0]
    assert A @ (w / size) == pytest.approx(A @ expected, abs=1e-7)
    assert fits[0].rank_ == np.linalg.matrix_rank(A * root[:, None], tol=1e-9 * len(t))
    assert (fits[0].collinear_ != {}) == (table is converted)


def test_rows_without_a_weight_do_not_say_what_is_collinear():
    X, t = converted(*drawn(), np.random.default_rng(0))
    there = np.arange(N) % 3 > 0
    X[~there, 3] += 1.0
    fits = [LinearRegression().fit(rows_from(source, X, t, there * 1.0)) for source in SOURCES]
    assert {str(fit.collinear_) for fit in fits} == {"{4: (3,)}"}
    assert LinearRegression().fit(rows_from("memory", X, t)).collinear_ == {}


@pytest.mark.parametrize("apart", [1e-7, 1e-9, 1e-11])
def test_the_triangle_has_the_digits_that_rationals_give(apart):
    X, t = drawn(TILE + 50)
    X[:, 3] = X[:, 2] + apart * X[:, 3]
    model = LinearRegression(fit_intercept=False).fit(X, t)
    w = exact_minimiser(X, t)
    assert model.coef_ == pytest.approx(w, rel=0.0, abs=1e-15 * np.abs(w).max())


def test_sums_of_tiles_keep_what_rounding_takes():
    tiles = np.array([[[1e16], [0.0]], [[1.0], [0.5]], [[-1e16], [0.0]]])
    assert room._added_twice(np.zeros((2, 1)), tiles).sum() == 1.5


def test_what_needs_all_rows_is_refused_by_name():
    X, t = drawn()
    model = LinearRegression().fit(X, t)
    assert model.residuals_.size == N
    model.fit(rows_from("blocks of 1 tile", X, t))
    for name in ("residuals_", "certificate_"):
        assert not hasattr(model, name)
        with pytest.raises(InputError, match=f"{name} takes all .* rows at once"):
            getattr(model, name)
    with pytest.raises(InputError, match="read in blocks"):
        model.summary()
    with pytest.raises(AttributeError, match="has no attribute 'nothing_'"):
        _ = model.nothing_
    with pytest.raises(InputError, match="holds labels"):
        model.fit(Rows(ArraySource(read_arrays(X[:9], ["a", "b", "b"] * 3))))
    with pytest.raises(InputError, match="holds numbers"):
        LinearRegressionClassifier().fit(rows_from("blocks of 1 tile", X, t))
    with pytest.raises(InputError, match="leave sample_weight out"):
        model.fit(rows_from("blocks of 1 tile", X, t), sample_weight=np.ones(N))


def test_few_rows_for_many_columns_need_the_memory():
    X, t = drawn(TILE + 4, 1100)
    source = rows_from("blocks of 1 tile", X, t).source
    with pytest.raises(InputError, match="Raise --memory"):
        LinearRegression().fit(Rows(source, memory="512MB"))
