"""Bounds of the fewest mistakes of sparse tables, against the search of the same dense rows."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import Sample, read_arrays
from separatrix.scale import with_constant
from separatrix.verify import merged
from separatrix.zero_one.levels import LevelFit, Merged, _best_shifts
from separatrix.zero_one.limits import Limits
from separatrix.zero_one.minimum_errors import fewest_mistakes
from separatrix.zero_one.problem import Question
from tests.verify.by_hand import without_zeros


def one_hot(seed, n=60, levels=5, width=130, weighted=False):
    """Rows of a category, spread over many columns, and one number; a sparse sample."""
    random = np.random.default_rng(seed)
    X = np.zeros((n, width))
    level = random.integers(0, levels, n)
    X[np.arange(n)[level > 0], 20 * level[level > 0]] = 1.0
    X[:, 7] = random.integers(-4, 5, n) / 4
    yes = X[:, 7] + (level % 2) + random.normal(size=n) > 0.5
    weight = random.integers(1, 4, n) / 2 if weighted else None
    return read_arrays(sp.csr_array(X), yes, weight)


def dense(sample: Sample) -> Sample:
    return replace(sample, X=sample.X.toarray())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("x0", [1.0, 0.0])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_for_the_dense_rows_and_the_proof_checks(seed, x0, weighted):
    sample = one_hot(seed, weighted=weighted)
    assert sp.issparse(sample.X)
    found = fewest_mistakes(Question(with_constant(sample, x0)))
    limits = Limits(None, 20_000)
    known = fewest_mistakes(Question(with_constant(dense(sample), x0), limits))
    assert found.lower <= known.upper
    assert known.lower <= found.upper <= known.upper + 4
    assert found.lower >= 0.5 * known.lower
    assert found.certificate.verify(sample.X, sample.y, sample.weight)
    assert found.certificate.verify(sample.X.toarray(), sample.y, sample.weight)
    false = replace(found.certificate, lower=found.exact_lower + found.certificate.unit)
    assert not false.verify(sample.X, sample.y, sample.weight)


@pytest.mark.parametrize("x0", [1.0, 0.0])
def test_rows_are_merged_as_the_verifier_merges_them(x0):
    random = np.random.default_rng(3)
    X = np.where(random.random((80, 200)) < 0.01, random.choice([1.0, -1.0], (80, 200)), 0.0)
    y, weight = random.choice([-1.0, 1.0], 80), random.integers(0, 3, 80)
    sample = replace(read_arrays(X, y), weight=weight.astype(float))
    made = Merged.of(with_constant(sample, x0), weight)
    z = y[:, None] * np.column_stack([np.full(80, x0), X])
    base, kept = merged(without_zeros(z.astype(int).tolist()), weight.tolist())
    points = np.column_stack([np.full(80, x0), X])[made.rows]
    assert base == made.base
    assert [w for _, w in kept] == made.weight.tolist()
    assert [row for row, _ in kept] == without_zeros((points * made.sign[:, None]).tolist())


def test_the_best_shifts_of_each_level_are_those_of_all_thresholds():
    random = np.random.default_rng(0)
    for _ in range(200):
        n = int(random.integers(1, 12))
        scores, y = random.integers(-3, 4, n).astype(float), random.choice([-1.0, 1.0], n)
        weight, level = random.integers(1, 4, n).astype(float), random.integers(0, 3, n)
        shift = _best_shifts(scores, y, weight, level, 4)
        for k in range(4):
            rows = level == k
            tried = np.append(-scores[rows], [-9.0, 9.0])
            tried = np.concatenate([tried - 0.5, tried + 0.5])
            wrong = y[rows] * (scores[rows] + tried[:, None]) <= 0
            least = (wrong * weight[rows]).sum(axis=1).min()
            assert (weight[rows] * (y[rows] * (scores[rows] + shift[k]) <= 0)).sum() == least


def test_fitted_lines_are_not_worse_and_their_mistakes_are_counted():
    sample = one_hot(2, levels=4, width=100)
    sample = replace(sample, X=sp.csr_array(sp.hstack([one_hot(1, width=200).X, sample.X])))
    fit = LevelFit(sample, sample.weight)
    start = np.append(1.0, np.zeros(sample.d))
    line = fit.improve(start)
    assert fit.mistakes(fit.scores(line)) < fit.mistakes(fit.scores(start))
