"""Rows that floats prove to cancel, against the multipliers of exact arithmetic."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from separatrix import separability
from separatrix.exact.cancelling import Solved, refusal_on


def cancelling(seed, d, least):
    """Return d + 1 rows that cancel but for rounding, by multipliers of which one is `least`."""
    r = np.random.default_rng(seed)
    rows, weights = r.standard_normal((d + 1, d)), r.uniform(0.5, 2.0, d + 1)
    weights[0] = least
    rows[-1] = -(weights[:-1] @ rows[:-1]) / weights[-1]
    return rows


@pytest.mark.parametrize("least", [1.0, 1e-6, 0.0, -1e-6, -1.0])
def test_what_floats_prove_is_so_exactly(least):
    for seed, d in enumerate((14, 15, 40)):
        rows = cancelling(seed, d, least)
        found = refusal_on(rows)
        assert not (isinstance(found, Solved) and least <= -1e-6)
        if found is not None:
            assert min(found) > 0
            for column in rows.T.tolist():
                assert sum(m * Fraction(z) for m, z in zip(found, column, strict=True)) == 0
        if least >= 1e-6:
            assert isinstance(found, Solved) == (d >= 15)


def test_a_wide_overlap_is_proven_before_its_multipliers_are_solved_for():
    r = np.random.default_rng(0)
    X, y = r.standard_normal((600, 70)), r.integers(0, 2, 600)
    found = separability(X, y)
    assert found.verify(X, y)
    assert "exact" not in vars(found.witness.multipliers)
    rows, again = found.witness.rows, pickle.loads(pickle.dumps(found))  # noqa: S301
    assert (np.diff(rows) > 0).all()
    assert again.witness.multipliers == found.refusal.multipliers
    X[rows[3], 5] = np.nextafter(X[rows[3], 5], 9.0)
    assert not found.verify(X, y)
