"""Gallant's ratchet against ten lines in fractions, and what its pocket promises."""

import numpy as np

from separatrix import RatchetPocket, Stopped

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_why_it_stops():
    assert RatchetPocket(random_state=0).fit(XOR, [0, 0, 0, 1]).stopped_ is Stopped.CLEAN_PASS
    spent = RatchetPocket(max_updates=9, random_state=0).fit(XOR, [0, 1, 1, 0])
    assert (spent.stopped_, spent.n_updates_) == (Stopped.UPDATES_SPENT, 9)
    # two rows on the line, right by the rule and yet mistakes: nothing is left to correct
    passes = RatchetPocket(visit="cyclic", sign_of_zero=1, max_iter=7)
    passes.fit([[1.0, -1.0], [-2.0, -2.0], [0.0, 0.0]], [0, 0, 1])
    assert (passes.stopped_, passes.n_iter_, passes.n_visits_) == (Stopped.PASSES_SPENT, 7, 21)
