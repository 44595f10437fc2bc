"""Smaller tables in blocks, so that they are soon done."""

import pytest

from separatrix.learners.least_squares import least_squares as reading
from separatrix.learners.logistic import cross_entropy
from tests.inference.test_blocks import FEW


@pytest.fixture
def _few(monkeypatch):
    """Let fewer numbers than usual be read whole."""
    monkeypatch.setattr(reading, "FEW_NUMBERS", FEW)
    monkeypatch.setattr(cross_entropy, "SMALL", FEW // 2)
