"""The compiled walk on every layout; tests/plain holds it to a walk in exact arithmetic."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from separatrix import Perceptron
from separatrix.data.points import SMALL

LARGE = 40_000  # rows of 7 numbers, half of them 0: float32 and 64-bit indices are kept as they are

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")


@st.composite
def integer_tables(draw):
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    small = st.integers(-3, 3)
    X = np.array(draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    y[0], y[1] = 1.0, -1.0
    return X.astype(float), y


def noisy_table(seed=3, n=300, d=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1, 0)
    return X, y


def fingerprint(model):
    return (
        model.trace_.rows.tobytes(),
        model.coef_.tobytes(),
        model.intercept_.tobytes(),
        model.n_iter_,
    )


@pytest.mark.parametrize("visit", ["cyclic", "naive", "permuted", "random"])
@pytest.mark.parametrize(
    ("n", "value", "index"),
    [
        (300, np.float32, np.int32),
        (300, np.float64, np.int64),
        (LARGE, np.float32, np.int64),
        (LARGE, np.float64, np.int32),
    ],
)
def test_the_path_does_not_depend_on_how_a_table_is_kept(visit, n, value, index):
    X, y = noisy_table(n=n)
    X[np.abs(X) < 0.7] = 0.0
    X[5] = 0.0
    model = Perceptron(visit=visit, random_state=0, max_updates=500, max_iter=None)
    expected = fingerprint(model.fit(X, y))
    sparse = sp.csr_array(X.astype(value))
    kept = sp.csr_array(
        (sparse.data, sparse.indices.astype(index), sparse.indptr.astype(index)), shape=X.shape
    )
    assert kept.indices.dtype == index
    assert (kept.nnz + n > SMALL) == (n == LARGE)
    before = [part.copy() for part in (kept.data, kept.indices, kept.indptr)]
    assert fingerprint(model.fit(kept, y)) == expected
    for other in (X.astype(value), np.asfortranarray(X), X[::-1][::-1]):
        assert fingerprint(model.fit(other, y)) == expected
    for part, was in zip((kept.data, kept.indices, kept.indptr), before, strict=True):
        assert part.tobytes() == was.tobytes()


def test_float32_whose_scores_are_rounding_error_walk_as_the_same_doubles():
    rng = np.random.default_rng(2)
    X = (rng.normal(size=(LARGE, 3)) * 2.0 ** rng.integers(-100, 100, (LARGE, 1))).astype("f4")
    X = np.vstack([X, np.nextafter(X, np.float32(0.0))])
    y = np.append(np.ones(LARGE), -np.ones(LARGE))
    model = Perceptron(max_updates=500, max_iter=None)
    assert fingerprint(model.fit(X, y)) == fingerprint(model.fit(X.astype(np.float64), y))


PROGRAM = """
import sys
sys.path.insert(0, {root!r})
import warnings; warnings.simplefilter("ignore")
import hashlib
from separatrix import Perceptron
from tests.kernels.walks.test_perceptron import fingerprint, noisy_table
X, y = noisy_table()
model = Perceptron(max_updates=3000, max_iter=None).fit(X, y)
print(hashlib.sha256(repr(fingerprint(model)).encode()).hexdigest())
"""


def test_the_path_does_not_depend_on_vector_width_or_threads(tmp_path):
    root = str(Path(__file__).parents[3])
    here = Perceptron(max_updates=3000, max_iter=None).fit(*noisy_table())
    printed = {hashlib.sha256(repr(fingerprint(here)).encode()).hexdigest() + "\n"}
    changes = {
        "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "+sse2", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    command, settings = [sys.executable, "-c", PROGRAM.format(root=root)], {**os.environ, **changes}
    printed.add(subprocess.check_output(command, env=settings, text=True))
    assert len(printed) == 1
