"""Which methods a fit went through."""

from __future__ import annotations

import pytest

from separatrix.learners.logistic import cross_entropy, subsampled


@pytest.fixture
def methods(monkeypatch):
    """Which methods gave an answer, with samples for tables of every size."""
    used = []

    def watched(name):
        method = getattr(cross_entropy, name)

        def ask(*args):
            fit = method(*args)
            used.append(name if fit is not None else f"{name} gave up")
            return fit

        monkeypatch.setattr(cross_entropy, name, ask)

    for name in ("newton", "newton_cg", "subsampled"):
        watched(name)
    monkeypatch.setattr(cross_entropy, "SMALL", 0)
    monkeypatch.setattr(subsampled, "FEWEST", 300)
    return used
