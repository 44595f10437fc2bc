"""Interrupts that somebody swallows are found again."""

from __future__ import annotations

import contextlib
import signal
import threading

import numpy as np
import pytest

from separatrix import make_noisy
from separatrix.certificates.interrupts import Interrupts
from separatrix.certificates.mistake_hunt import Hunt
from separatrix.certificates.mistake_question import NO_LIMITS, Question
from separatrix.data import read_arrays


def test_a_swallowed_interrupt_is_found_at_the_next_look():
    with Interrupts() as interrupts:
        interrupts.look()
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.look()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_others_stay():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
            interrupts.look()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [1]


def test_another_thread_changes_no_handler():
    found = []

    def enter():
        with Interrupts():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


def test_a_search_ends_though_its_progress_swallows_the_interrupt():
    X, y, _, _ = make_noisy(300, 9, 0.0, flip=0.25, seed=1)

    def swallowing(lower, upper):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    hunt = Hunt(Question(read_arrays(X, y), 1.0, NO_LIMITS), swallowing)
    hunt.run()
    assert hunt.interrupted
    assert hunt.upper < np.inf
