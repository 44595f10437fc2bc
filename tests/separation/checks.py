"""Every claim of a verdict, checked from scratch."""

import numpy as np

from separatrix.separation.decide import separability
from tests.separation import oracle


def check(X, y, verdict=None, *, fit_intercept=True):
    """The result, its verdict compared and its claims recomputed in plain Fractions."""
    found = separability(X, y, fit_intercept=fit_intercept)
    assert found.verify(X, y)
    assert verdict is None or found.verdict == verdict
    x0 = 1.0 if fit_intercept else 0.0
    y = np.where(np.asarray(y) == np.max(y), 1, -1)
    if found.verdict != "overlapping":
        scores = oracle.scores(X, y, found.exact_weights, x0)
        assert min(scores) > 0 or (found.verdict == "touching" and min(scores) == 0 < max(scores))
    if found.verdict != "separable":
        for rows, multipliers in (
            (found.witness.rows, found.witness.multipliers),
            (found.refusal.rows, found.refusal.multipliers),
        ):
            assert min(multipliers) > 0
            assert not any(oracle.combination(X, y, rows, multipliers, x0))
        assert len(found.refusal.rows) <= found.rank + 1
        assert len(found.witness.rows) <= max(2 * found.rank, 1)
    return found
