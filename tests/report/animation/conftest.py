"""A table that PLA separates."""

import pytest

import separatrix as sx


@pytest.fixture(scope="session")
def separated():
    made = sx.make_separable(60, 2, margin=0.02, seed=21)
    return made.X, made.y
