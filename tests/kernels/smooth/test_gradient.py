"""The compiled slopes to the last bits, at every size of a; block sums on every shape."""

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_rows
from separatrix.kernels.rows import add_block, scores_of_block
from separatrix.kernels.smooth import gradient as kernel


@pytest.mark.parametrize("d", [1, 2, 3, 8, 21])
@pytest.mark.parametrize("x0", [0.0, 1.0])
def test_blocks_of_any_shape_are_matrix_products(d, x0):
    rng = np.random.default_rng(d)
    X = rng.integers(-3, 4, (30, d)).astype(float)  # whole numbers: sums are exact
    w = rng.integers(-3, 4, d + 1).astype(float)
    Z = np.column_stack((np.full(30, x0), X))
    for points in (X, sp.csr_array(X)):
        for start, stop in ((0, 30), (3, 3), (5, 6), (2, 13), (29, 30)):
            n = stop - start
            scores, g = np.full(n + 1, 7.0), np.ones(d + 1)
            scores_of_block(as_rows(points), start, stop, w, x0, scores)
            assert scores.tolist() == [*(Z[start:stop] @ w), 7.0]
            add_block(as_rows(points), start, stop, np.arange(1.0, n + 1), g, x0)
            assert g.tolist() == (1.0 + np.arange(1.0, n + 1) @ Z[start:stop]).tolist()


@pytest.mark.parametrize(
    ("g", "size"),
    [
        ([3.0, -4.0], 5.0), ([0.0, 0.0], 0.0), ([3e200, 4e200], 5e200), ([3e-200, 4e-200], 5e-200),
        ([np.inf, 0.0], np.inf), ([np.nan, 0.0], np.inf),
    ],
)  # fmt: skip
def test_lengths_do_not_overflow_or_vanish(g, size):
    assert kernel.length(np.array(g)) == pytest.approx(size)
