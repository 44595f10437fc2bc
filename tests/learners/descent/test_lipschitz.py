"""The bound on an eigenvalue against exact elimination: never below it, and close."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import CrossEntropy, PerceptronError, Squared
from separatrix.data import read_arrays
from separatrix.learners.descent.mean_error import MeanError
from separatrix.learners.descent.run import (
    largest_eigenvalue_bound,
    lipschitz_of_mean,
    lipschitz_of_rows,
)
from separatrix.scale import Rows, with_constant
from tests.hostile.profile import examples

CURVATURE = {Squared: Fraction(2), CrossEntropy: Fraction(1, 4)}


def mean_error(measure, X, y, weight=None, *, x0=1.0):
    return MeanError(Rows.of(with_constant(read_arrays(X, y, weight), x0)), measure)


def bound(measure, X, y, weight=None, *, x0=1.0):
    error = mean_error(measure, X, y, weight, x0=x0)
    return lipschitz_of_mean(error, error, 10**6)


def is_positive_semidefinite(A):
    """By elimination in fractions: a pivot of 0 must have a row of zeros."""
    A = [list(row) for row in A]
    for k in range(len(A)):
        if A[k][k] < 0 or (A[k][k] == 0 and any(A[k][k:])):
            return False
        for i in range(k + 1, len(A)) if A[k][k] else ():
            factor = A[i][k] / A[k][k]
            A[i] = [a - factor * b for a, b in zip(A[i], A[k], strict=True)]
    return True


@examples(120)
@given(
    seed=st.integers(0, 10**6),
    measure=st.sampled_from([Squared(), CrossEntropy()]),
    x0=st.sampled_from([0.0, 1.0]),
    exponents=st.sampled_from([(0, 0), (-3, 3), (-160, -150), (140, 150), (-170, 100)]),
    sparse=st.booleans(),
)
def test_l_is_never_below_the_largest_eigenvalue(seed, measure, x0, exponents, sparse):
    r = np.random.default_rng(seed)
    n, d = int(r.integers(2, 12)), int(r.integers(1, 5))
    X = r.normal(size=(n, d)) * 10.0 ** r.integers(*exponents, d, endpoint=True)
    y, weight = np.append([0, 1], r.integers(0, 2, n - 2)), r.uniform(0.01, 3.0, n)
    L = bound(measure, sp.csr_array(X) if sparse else X, y, weight, x0=x0)
    Z = [[Fraction(x0), *map(Fraction, row)] for row in X.tolist()]
    share = [Fraction(w) for w in weight.tolist()]
    total, c = sum(share), CURVATURE[type(measure)]
    hessian = [
        [c * sum(w * z[i] * z[j] for w, z in zip(share, Z, strict=True)) for j in range(d + 1)]
        for i in range(d + 1)
    ]
    rest = [
        [Fraction(L) * total * int(i == j) - h for j, h in enumerate(row)]
        for i, row in enumerate(hessian)
    ]
    assert is_positive_semidefinite(rest)
    assert max(float(h / total) for row in hessian for h in row) <= L
    if not sparse and exponents == (0, 0):
        halved = [[r - Fraction(L) * total * int(i == j) / 100 for j, r in enumerate(row)]
                  for i, row in enumerate(rest)]  # fmt: skip
        assert not is_positive_semidefinite(halved)


@pytest.mark.parametrize("d", [1, 2, 30, 400])
def test_the_bound_by_squares_is_close(d):
    A = np.random.default_rng(d).normal(size=(2 * d, d))
    G = A.T @ A
    top = float(np.linalg.eigvalsh(G)[-1])
    assert top <= largest_eigenvalue_bound(G) <= top * d ** (1 / 2048) * (1 + 1e-9) + 1e-300
    assert largest_eigenvalue_bound(0.0 * G) == 0.0


def test_every_row_of_a_batch_is_bound():
    table = [[3.0, 4.0], [0.0, 1.0]], [0, 1]
    assert lipschitz_of_rows(mean_error(Squared(), *table)) == pytest.approx(2.0 * 26.0)
    without = mean_error(CrossEntropy(), *table, x0=0.0)
    assert lipschitz_of_rows(without) == pytest.approx(25.0 / 4.0)
    assert lipschitz_of_rows(mean_error(PerceptronError(), *table)) is None


def test_squares_that_overflow_have_no_bound():
    assert bound(Squared(), [[1e200], [1.0]], [0, 1]) == np.inf
