"""Coefficient tables of rows in blocks and in memory: the same bytes, and what they say."""

import pickle
from dataclasses import replace
from functools import cache

import cloudpickle
import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import InputError, coefficient_table, judge, to_html, to_text
from separatrix.data import Sample
from separatrix.inference.intervals.intervals import likelihood_intervals
from separatrix.inference.maximum import Maximum, Spread
from separatrix.learners.least_squares.least_squares import few_numbers
from separatrix.scale import ArraySource, Loop, Rows, with_constant
from separatrix.tiles import TILE

D = 6
FEW = 1 << 16  # numbers of a table that is read whole, for these tests: of more, rows are drawn
N = FEW // (D + 2) + 77  # a few rows less than these would be read whole
SIZES = TILE, 64 * TILE


pytestmark = pytest.mark.usefixtures("_few")


@cache
def rows():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, D)) * [1, 10, 1e-3, 1, 1, 1] + [0, 50, 0, 0, 3, 0]
    X[:, 5] = rng.random(N) < 0.01
    y = np.where(X[:, 0] + 0.1 * (X[:, 1] - 50) + rng.logistic(size=N) > 0.5, 1.0, -1.0)
    return X, y, rng.integers(0, 4, N).astype(float)


def cases():
    X, y, weight = rows()
    level = np.arange(N) % 3
    rare = np.where(X[:, 5] > 0, 1.0, y)
    exact = np.round(X * [4, 1, 4000, 4, 4, 1]) / 4
    return {
        "plain": (X, y, None, 1.0),
        "weights": (X, y, weight, 1.0),
        "no intercept": (X[:, 2:], y, None, 0.0),
        "levels": (np.column_stack([X[:, :4], *(level == k for k in range(3))]), y, None, 1.0),
        "but for rounding": (np.column_stack([X, X[:, 0] + 1e-13 * weight]), y, None, 1.0),
        "one coefficient diverges": (X, rare, None, 1.0),
        "separable": (exact, np.where(exact[:, 0] > 0.3, 1.0, -1.0), None, 1.0),
    }


def in_blocks(X, y, weight=None, size=TILE):
    weight = np.ones(len(y)) if weight is None else weight
    sample = Sample(X.astype(float), y, np.array(["no", "yes"]), weight)
    return Rows(ArraySource(sample), rows_in_block=size, memory="512MB")


def in_memory(X, y, weight, x0, **options):
    labels = np.where(y > 0, "yes", "no")
    return coefficient_table(
        X.astype(float), labels, sample_weight=weight, fit_intercept=bool(x0), **options
    )


def sources(X, y, weight):
    """The same rows in blocks, and of arrays."""
    labels = np.where(y > 0, "yes", "no")
    arrays = {"y": labels, "sample_weight": weight}
    return [
        *(((in_blocks(X, y, weight, size),), {}) for size in SIZES),
        ((X.astype(float),), arrays),
        ((sp.csr_array(X.astype(float)),), arrays),
    ]


@pytest.mark.parametrize("method", ["wald", "likelihood"])
@pytest.mark.parametrize("name", cases())
def test_a_table_has_the_same_bytes_of_any_source(name, method):  # "no intercept" has few numbers
    X, y, weight, x0 = cases()[name]
    told = set()
    for table, given in sources(X, y, weight):
        found = coefficient_table(*table, fit_intercept=bool(x0), method=method, **given)
        if given or not few_numbers(*table):  # exact proofs are of arrays
            assert found.verify(*table, *([given["y"]] if given else []))
        told.add(found.to_json())
    assert len(told) == 1


def test_groups_of_columns_are_tested_by_fits_without_them():
    X, y, _, _ = cases()["plain"]
    names = [f"x{j + 1}" for j in range(D)]
    for groups in ([["x1"], ["x3", "x6"]], [names]):
        found = coefficient_table(in_blocks(X, y), method="wald", test=groups)
        memory = in_memory(X, y, None, 1.0, method="wald", test=groups)
        for test, other in zip(found.tests, memory.tests, strict=True):
            assert (test.columns, test.degrees) == (other.columns, other.degrees)
            assert test.chi2 == pytest.approx(other.chi2, abs=1e-5, rel=1e-9)
            assert test.p == pytest.approx(other.p, rel=1e-5, abs=1e-300)


def test_what_takes_all_rows_in_memory_is_refused():
    X, y, weight = rows()
    table = in_blocks(X, y)
    for options in (
        {"method": "firth"},
        {"robust": "HC1"},
        {"sample_weight": weight},
        {"groups": weight},
        {"degree": 2},
        {"m": 2.0},
    ):
        with pytest.raises(InputError, match="is not available for a table that is read in blocks"):
            coefficient_table(table, **{"method": "wald", **options})
    with pytest.raises(InputError, match="holds numbers"):
        coefficient_table(Rows(ArraySource(Sample(X, y, None, weight))), method="wald")


def test_a_verdict_over_blocks_shows_it():
    X, y, weight, _ = cases()["weights"]
    weight = weight + 1.0
    verdict = judge(in_blocks(X, y, weight, SIZES[1]), learners="logistic", fewest_nodes=1)
    assert verdict.coefficients.rows == in_memory(X, y, weight, 1.0).rows
    shown = to_text(verdict)
    assert "COEFFICIENTS (LOGISTIC REGRESSION)" in shown
    assert "Not available" not in shown
    assert f"{verdict.coefficients['x1'].estimate:.4f}"[:5] in shown
    assert "Coefficients" in to_html(verdict)


class Elsewhere(Loop):
    """Blocks are worked on by copies of functions and what they take, as on a cluster."""

    def map(self, source, ranges, function, broadcast):
        for rows in ranges:
            parts = pickle.loads(cloudpickle.dumps((source, [rows], function, broadcast)))  # noqa: S301
            yield from pickle.loads(cloudpickle.dumps([*super().map(*parts)]))  # noqa: S301


def test_workers_of_a_cluster_give_the_same_bytes():
    X, y, _, _ = cases()["plain"]
    there = Rows(in_blocks(X, y).source, rows_in_block=TILE, back_end=Elsewhere())
    assert coefficient_table(there).to_json() == coefficient_table(in_blocks(X, y)).to_json()


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_small_tables_of_every_kind_have_the_maximum_of_memory(first):
    kinds = set()
    for seed in range(first, first + 30):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 60)), int(rng.integers(1, 5))
        X, x0 = rng.integers(-2, 3, (n, d)).astype(float), float(seed % 4 > 0)
        X[:, -1] = X[:, 0] if seed % 5 == 0 else X[:, -1]
        y = np.where(X[:, 0] + rng.normal(size=n) * rng.choice([0.1, 0.5, 2.0]) > 0, 1.0, -1.0)
        if abs(y.sum()) == n:
            continue
        table = in_blocks(X, y, rng.integers(1, 3, n).astype(float))
        found = Maximum.fitted(with_constant(table, x0))
        memory = Maximum.of(replace(table.whole(), x0=x0))
        kinds.add((found.optimum is None, found.line is None))
        a, b = (m.estimates() for m in (found, memory))
        assert np.array_equal(np.isinf(a), np.isinf(b)), seed
        assert np.allclose(a, b, rtol=1e-6, atol=1e-6, equal_nan=True), seed
        a, b = (m.standard_errors(Spread()) for m in (found, memory))
        assert np.allclose(a, b, rtol=1e-5, equal_nan=True), seed
        assert found.figures().as_data() == pytest.approx(memory.figures().as_data(), abs=1e-7)
        assert found.undetermined == memory.undetermined
        ours, theirs = likelihood_intervals(found), likelihood_intervals(memory)
        known = np.isfinite(ours.brackets).all(axis=2)
        low, high = np.moveaxis(np.sort(ours.brackets, axis=2)[known], 1, 0)
        others = np.sort(theirs.brackets, axis=2)[known]
        assert ((low <= others[:, 1]) & (others[:, 0] <= high)).all(), seed
    assert len(kinds) == 3
