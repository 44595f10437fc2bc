"""Columns are standardised by the weights of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.verdict.scaling import standardisation


def test_a_row_of_weight_three_counts_as_three_rows():
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(12, 3)) * [1e-6, 1.0, 1e6], rng.integers(1, 4, 12)
    weighed = standardisation(X, weight.astype(float))
    repeated = standardisation(np.repeat(X, weight, axis=0), None)
    assert weighed.exponent.tolist() == repeated.exponent.tolist()
    assert weighed.mean == pytest.approx(repeated.mean, rel=1e-12)
    assert weighed.spread == pytest.approx(repeated.spread, rel=1e-12)
