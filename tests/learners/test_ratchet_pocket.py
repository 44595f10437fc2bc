"""Gallant's ratchet against ten lines in fractions, and what its pocket promises."""

import numpy as np
import pytest

from separatrix import RatchetPocket, Stopped
from separatrix.kernels.walks import ratchet as kernel
from separatrix.trace import CAPACITY

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_why_it_stops():
    assert RatchetPocket(random_state=0).fit(XOR, [0, 0, 0, 1]).stopped_ is Stopped.CLEAN_PASS
    spent = RatchetPocket(max_updates=9, random_state=0).fit(XOR, [0, 1, 1, 0])
    assert (spent.stopped_, spent.n_updates_) == (Stopped.UPDATES_SPENT, 9)
    # two rows on the line, right by the rule and yet mistakes: nothing is left to correct
    passes = RatchetPocket(visit="cyclic", sign_of_zero=1, max_iter=7)
    passes.fit([[1.0, -1.0], [-2.0, -2.0], [0.0, 0.0]], [0, 0, 1])
    assert (passes.stopped_, passes.n_iter_, passes.n_visits_) == (Stopped.PASSES_SPENT, 7, 21)


def test_an_interrupted_fit_keeps_its_pocket(monkeypatch):
    whole, calls = kernel.walk_with_ratchet, []

    def interrupted(*arguments):
        calls.append(1)
        made = whole(*arguments)
        if len(calls) > 1:  # the signal is seen when compiled code has come back
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(kernel, "walk_with_ratchet", interrupted)
    model = RatchetPocket(max_updates=None, max_iter=None, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(XOR, [0, 1, 1, 0])
    assert model.stopped_ is Stopped.INTERRUPTED
    assert model.n_errors_ == 1.0
    assert len(model.trace_.rows) == min(model.n_updates_, CAPACITY)
