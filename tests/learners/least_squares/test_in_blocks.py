"""Least squares of tables in blocks: the bytes of a table in memory, and its digits elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, LinearRegression, LinearRegressionClassifier, load, save
from separatrix.data import Sample, read_arrays
from separatrix.learners.least_squares.in_blocks import FEW_NUMBERS, ReadsInBlocks
from separatrix.learners.least_squares.normal_equations import ReadsInMemory
from separatrix.scale import ArraySource, NpySource, Rows
from separatrix.tiles import TILE
from tests.hostile.profile import examples

D = 5
N = FEW_NUMBERS // (D + 2) + 1001  # no multiple of a tile, and too many numbers to be read whole
SIZES = (TILE, 7 * TILE, 64 * TILE)


def drawn(n=N, d=D, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (3.0 * rng.normal(size=(n, d)) + 1.0).astype(dtype)
    return X, X @ rng.normal(size=d) + 0.5 + rng.normal(size=n)


def in_blocks(X, t, weight=None, rows=TILE):
    """Return a table in blocks whose y are numbers."""
    weight = np.ones(len(t)) if weight is None else weight
    return Rows(ArraySource(Sample(X, t, None, weight)), rows_in_block=rows)


def state(model):
    return np.ravel(model.intercept_).tobytes(), model.coef_.tobytes(), model.rank_


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_files_have_the_bytes_of_arrays_for_blocks_of_three_sizes(tmp_path, dtype):
    X, t = drawn(dtype=dtype)
    y = np.where(t > 1.0, "yes", "no")
    for name, array in (("X", X), ("y", y), ("t", t)):
        np.save(tmp_path / f"{name}.npy", array)
    paths = [str(tmp_path / "X.npy")]
    expected = state(LinearRegression().fit(X, t))
    answers = LinearRegressionClassifier(fit_intercept=False).fit(X, y)
    for rows in SIZES:
        of = NpySource(paths, [str(tmp_path / "t.npy")], numbers=True)
        assert state(LinearRegression().fit(Rows(of, rows_in_block=rows))) == expected
        of = NpySource(paths, [str(tmp_path / "y.npy")])
        model = LinearRegressionClassifier(fit_intercept=False)
        assert state(model.fit(Rows(of, rows_in_block=rows))) == state(answers)
        assert model.classes_.tolist() == ["no", "yes"]
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").coef_.tobytes() == answers.coef_.tobytes()
    assert state(LinearRegression().fit(paths[0], str(tmp_path / "t.npy"))) == expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 5, 40, 300])
def test_reads_of_single_precision_are_those_of_the_same_doubles(dtype, d):
    n = 2 * TILE + 77
    X, t = drawn(n, d, dtype=dtype)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, n)
    memory = ReadsInMemory(X.astype(np.float64), t, weight, 1.0)
    blocks = ReadsInBlocks(in_blocks(X, t, weight), 1.0)
    w, shift = np.linspace(-1.0, 1.0, 1 + d), np.linspace(0.0, 1.0, d)
    for kind in (np.float32, np.float64):
        grams = [reads.gram(shift, 1.0 + shift, kind) for reads in (memory, blocks)]
        assert grams[0].tobytes() == grams[1].tobytes()
    assert memory.left(w).tobytes() == blocks.left(w).tobytes()
    assert blocks.left_squares() == pytest.approx(memory.left_squares(), rel=1e-13)


@examples(5)
@given(
    seed=st.integers(0, 10**6), d=st.integers(1, 12), weighted=st.booleans(), wide=st.booleans(),
    rows=st.integers(1, 9),
)  # fmt: skip
def test_weights_and_shapes(seed, d, weighted, wide, rows):
    n = 300 if wide else FEW_NUMBERS // (d + 2) + 77
    X, t = drawn(n, d, seed)
    weight = np.random.default_rng(seed).integers(0, 4, n) * 1.0 if weighted else np.ones(n)
    expected = LinearRegression().fit(X, t, weight)
    assert state(LinearRegression().fit(in_blocks(X, t, weight, rows * TILE))) == state(expected)


def centred(X):
    """Return scores' share of each weight: columns about their means."""
    return X - X.mean(axis=0)


@pytest.mark.parametrize(("mean", "apart"), [(1e6, 1.0), (0.0, 1e-6), (1e3, 1e-4)])
def test_ill_conditioned_tables_are_solved_by_a_triangle_and_corrected(mean, apart):
    X, t = drawn()
    X[:, 3] = X[:, 2] + apart * X[:, 3]
    X[:, 1] += mean * 1e2
    inside = LinearRegression().fit(X, t)
    fits = [LinearRegression().fit(in_blocks(X, t, rows=rows)) for rows in SIZES]
    assert len({state(fit) for fit in fits}) == 1
    assert fits[0].rank_ == inside.rank_ == D + 1
    off = centred(X) @ (fits[0].coef_ - inside.coef_)
    assert np.abs(off).max() <= 1e-9 * np.ptp(t)
    assert np.abs(fits[0].predict(X[:99]) - inside.predict(X[:99])).max() <= 1e-7 * np.ptp(t)


def test_the_shortest_of_all_minimisers_is_taken_where_columns_are_collinear():
    X, t = drawn()
    X[:, 3] = 2.0 * X[:, 2]
    X[:, 4] = 0.0
    inside = LinearRegression().fit(X, t)
    fits = [LinearRegression().fit(in_blocks(X, t, rows=rows)) for rows in SIZES]
    assert len({state(fit) for fit in fits}) == 1
    assert fits[0].rank_ == inside.rank_ == 4
    np.testing.assert_allclose(fits[0].coef_, inside.coef_, rtol=1e-11, atol=1e-12)
    assert fits[0].collinear_ == inside.collinear_ == {}
    X[:, 3] *= 1.0 + 1e-15 * np.random.default_rng(0).normal(size=N)  # but for rounding
    assert LinearRegression().fit(in_blocks(X, t)).collinear_ == {4: (3,)}


def test_huge_numbers_take_the_triangle():
    X, t = drawn()
    model = LinearRegression().fit(in_blocks(X, np.ldexp(t, 300)))
    expected = LinearRegression().fit(X, t)
    np.testing.assert_allclose(np.ldexp(model.coef_, -300), expected.coef_, rtol=1e-12)


def test_what_needs_all_rows_is_refused_by_name():
    X, t = drawn()
    model = LinearRegression().fit(X, t)
    assert model.residuals_.size == N
    model.fit(in_blocks(X, t))
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
        LinearRegressionClassifier().fit(in_blocks(X, t))
    with pytest.raises(InputError, match="leave sample_weight out"):
        model.fit(in_blocks(X, t), sample_weight=np.ones(N))


def test_more_columns_than_rows_need_the_memory():
    X, t = drawn(600, 2000)
    table = in_blocks(X, t)
    with pytest.raises(InputError, match="Raise --memory"):
        LinearRegression().fit(Rows(table.source, memory="512MB"))
    model = LinearRegression().fit(Rows(table.source, memory="1GiB"))
    assert state(model) == state(LinearRegression().fit(X, t))
