"""Equal rows with opposite labels, against a dictionary."""

import numpy as np

from separatrix.separation.duplicates import contradictions


def test_one_pair_for_each_point_with_both_labels():
    for seed in range(30):
        r = np.random.default_rng(seed)
        X = r.integers(-2, 3, (int(r.integers(1, 60)), int(r.integers(1, 4)))) * 0.5
        X[r.random(X.shape) < 0.1] = -0.0
        y = np.where(r.random(len(X)) < 0.5, 1.0, -1.0)
        labels = {}
        for x, label in zip(X.tolist(), y, strict=True):
            labels.setdefault(tuple(a + 0.0 for a in x), set()).add(label)
        pairs = contradictions(X, y)
        assert len(pairs) == sum(len(both) == 2 for both in labels.values())
        for pair in pairs:
            a, b = pair.rows
            assert pair.multipliers == [1, 1]
            assert (X[a] == X[b]).all()
            assert y[a] != y[b]
        assert len({tuple(X[p.rows[0]] + 0.0) for p in pairs}) == len(pairs)
