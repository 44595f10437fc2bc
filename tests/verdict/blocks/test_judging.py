"""`judge` over blocks: folds, scaling, findings and mistakes as in memory."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import separatrix
from separatrix import InputError, judge, open_table
from separatrix.data import Sample
from separatrix.scale import ArraySource, Rows
from separatrix.verdict.blocks.figures import (
    Mistakes,
    Ranges,
    _exactly,
    same_columns,
    standardisation_in_blocks,
)
from separatrix.verdict.blocks.views import FoldRows, Standardised
from separatrix.verdict.folds import dealt
from separatrix.verdict.scaling import standardisation

N = 9001


def table_of(X, y, weight=None, rows=4096):
    weight = np.ones(len(y)) if weight is None else weight
    sample = Sample(X, y, np.array(["no", "yes"]), weight)
    return Rows(ArraySource(sample), rows_in_block=rows)


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 4)) * [1.0, 1e6, 1e-9, 1.0] + [0.0, 5.0, 0.0, 0.0]
    X[:, 3] = 2.0
    y = np.where(X[:, 0] + rng.normal(size=N) > 0, 1.0, -1.0)
    return X, y, rng.integers(1, 4, N).astype(float)


@pytest.mark.parametrize("size", [4096, 8192])
def test_folds_are_those_of_memory_and_any_range_is_the_same_rows(rows, size):
    X, y, weight = rows
    table = table_of(X, y, weight, size)
    before = Ranges.of(table).before
    fold_of = dealt((y > 0).astype(np.int64), 5)
    for k in range(5):
        for held in (False, True):
            view = FoldRows(table.source, before, k, folds=5, held=held)
            there = (fold_of == k) == held
            assert view.n == there.sum()
            for start, stop in [(0, view.n), (0, 1), (1, 7), (view.n - 2, view.n), (640, 1281)]:
                part = view.read(start, stop)
                assert np.array_equal(part.X, X[there][start:stop])
                assert np.array_equal(part.y, y[there][start:stop])
                assert np.array_equal(part.weight, weight[there][start:stop])


def test_scaling_is_that_of_memory_whatever_the_blocks(rows):
    X, y, weight = rows
    scalings = []
    for size in (4096, 8192, 16384):
        table = table_of(X, y, weight, size)
        ranges = Ranges.of(table)
        found = standardisation_in_blocks(table, ranges, float(ranges.weight.sum()))
        scalings.append(b"".join(a.tobytes() for a in (found.exponent, found.mean, found.spread)))
    assert len(set(scalings)) == 1
    whole = standardisation(X, weight)
    assert np.array_equal(found.exponent, whole.exponent)
    assert np.allclose(found.mean, whole.mean, rtol=1e-12, atol=1e-15)
    assert np.allclose(found.spread, whole.spread, rtol=1e-12)
    seen = Standardised(table.source, found).read(10, 20)
    assert np.array_equal(seen.X, found.apply(X[10:20]))


def test_ranges_mistakes_and_duplicates_are_exact(rows):
    X, y, weight = rows
    weight = weight / 3.0
    X = np.column_stack([X, X[:, 1], -X[:, 1]])
    X[5000, 4] += 1.0
    X = np.column_stack([X, X[:, 0]])
    table = table_of(X, y, weight)
    ranges = Ranges.of(table)
    assert np.array_equal(ranges.low, [X[y < 0].min(axis=0), X[y > 0].min(axis=0)])
    assert ranges.rows.tolist() == [(y < 0).sum(), (y > 0).sum()]
    line = np.array([0.1, 1.0, 0, 0, 0, 0, 0, 0])
    found = Mistakes.of(table, [line, -line])
    wrong = y * (0.1 + X[:, 0]) <= 0
    assert found.rows.tolist() == [wrong.sum(), (~wrong).sum()]
    assert found.weight[0] == sum(map(Fraction, weight[wrong].tolist()))
    assert same_columns(table, X[:100]) == [(6, 0)]


def test_few_numbers_have_the_same_exact_sum():
    some = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(-20, 20).repeat(25)
    parts = _exactly(np.abs(some))
    assert sum(map(Fraction, parts.tolist())) == sum(map(Fraction, np.abs(some).tolist()))
    assert len(parts) < 60


def test_a_separable_table_is_said_to_be_so(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.integers(-50, 50, (5000, 2)).astype(float)
    score = 2 * X[:, 0] - X[:, 1] + 0.5
    made = {"a": X[:, 0], "b": X[:, 1], "k": np.ones(5000), "y": (score > 0).astype(int)}
    pq.write_table(pa.table(made), tmp_path / "t.parquet")
    verdict = judge(str(tmp_path / "t.parquet"), label="y")
    assert verdict.separability.verdict == "separable"
    assert verdict.separability.verify(open_table(tmp_path / "t.parquet", "y"), None)
    assert verdict.fewest_mistakes.proven
    assert verdict.fewest_mistakes.upper == 0.0
    assert [w.kind for w in verdict.warnings] == ["constant", "collinear", "no_optimum"] or [
        w.kind for w in verdict.warnings
    ] == ["constant", "no_optimum"]
    assert "yes (proven)" in str(verdict) or "5,000 rows" in str(verdict)
    assert "Linearly separable, proven" in separatrix.to_text(verdict)
    assert separatrix.to_html(verdict)
    memory = judge(separatrix.read_table(tmp_path / "t.parquet", "y"))
    for name in ("PLA", "linear regression"):
        assert verdict.result(name).n_errors == memory.result(name).n_errors


def test_a_verdict_does_not_depend_on_the_blocks(rows):
    X, y, weight = rows
    whole = judge(table_of(X[:, :3], y, weight, 12288))
    found = judge(table_of(X[:, :3], y, weight, 4096))
    for a, b in zip(found.results, whole.results, strict=True):
        assert a.weights.tobytes() == b.weights.tobytes(), a.name
        assert (a.n_errors, a.e_in, a.fold_errors) == (b.n_errors, b.e_in, b.fold_errors)
    assert found.separability.refusal.rows == whole.separability.refusal.rows


def test_what_a_verdict_over_blocks_lacks_is_refused(rows):
    X, y, _ = rows
    table = table_of(X, y)
    for how in ({"degree": 2}, {"multiclass": "ova"}, {"sample_weight": y}):
        with pytest.raises(InputError, match="blocks"):
            judge(table, **how)


def test_only_the_learners_named_read_the_rows(rows):
    X, y, _ = rows
    X = X[:, :2]
    reads = {}
    for learners in (None, ("logistic", "linear"), ("linear",), ("pla",)):
        table, counted = table_of(X, y), []
        table.progress = lambda done, n, _, counted=counted: counted.append(done == n)
        verdict = judge(table, learners=learners, fewest_nodes=1)
        reads[learners] = sum(counted)
        if learners is None:
            whole = verdict
            continue
        named = [r.name for r in verdict.results if not r.constant]
        assert len(named) == len(learners)
        for r in verdict.results:
            assert r.weights.tobytes() == whole.result(r.name).weights.tobytes()
            assert r.fold_errors == whole.result(r.name).fold_errors
        assert (verdict.coefficients is None) == ("logistic" not in learners)
        assert "linear regression" in separatrix.to_text(verdict) or learners == ("pla",)
    assert reads["linear",] < reads["logistic", "linear"] < reads[None]
