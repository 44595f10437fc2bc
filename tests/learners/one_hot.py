"""One-hot tables for tests of the smooth learners."""

import numpy as np
import scipy.sparse as sp


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
