"""Tables and rows for tests of learners, and lines as one vector."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from separatrix.data import Sample
from separatrix.scale import ArraySource, Rows
from separatrix.tiles import TILE

quiet = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")


def weights(model):
    return np.append(model.intercept_, model.coef_)


@st.composite
def separable_tables(draw):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (n, d)).astype(float)
    target = rng.integers(-3, 4, d + 1).astype(float)
    s = X @ target[1:] + target[0] + 0.5  # never zero: the target separates
    target[0] += 0.5
    y = np.sign(s)
    if abs(y.sum()) == n:
        X[0], y[0] = X[0] - np.ceil(s[0] / max(1e-9, target[1:] @ target[1:])) * target[1:], -y[0]
        if np.sign(X[0] @ target[1:] + target[0]) != y[0]:
            X, y, target = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0]), np.array([-0.5, 1.0])
    return X, y, target


def one_hot_table(seed, n=400, levels=(20, 6, 3), numbers=2, *, baseline=True):
    """Return CSR rows of one-hot categories and then numbers, scores, and levels of the first."""
    rng = np.random.default_rng(seed)
    parts, score, first = [], np.zeros(n), None
    for m in levels:
        code = rng.integers(m, size=n)
        score += rng.normal(size=m)[code]
        first = code if first is None else first
        parts.append((code[:, None] == np.arange(int(baseline), m)).astype(float))
    Z = rng.normal(size=(n, numbers)) * 10.0 ** rng.integers(-2, 3, size=numbers) + 3.0
    parts.append(Z)
    return sp.csr_array(np.hstack(parts)), score, first


SOURCES = {"memory": None, "blocks of 1 tile": 1, "blocks of 2 tiles": 2}


def rows_from(source, X, y, weight=None, classes=None):
    """Return rows X (N, d) with numbers y, or with labels -1 and +1 where there are classes."""
    sample = Sample(X, y, classes, np.ones(len(y)) if weight is None else weight)
    tiles = SOURCES[source]
    if tiles is None:
        return Rows.of(sample)
    return Rows(ArraySource(sample), rows_in_block=tiles * TILE)
