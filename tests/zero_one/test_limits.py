"""Interrupts that somebody swallows are found again."""

import contextlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from separatrix import make_noisy
from separatrix.data import read_arrays
from separatrix.zero_one.limits import Interrupts
from separatrix.zero_one.problem import Question
from separatrix.zero_one.strategy import Strategy


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

    search = Strategy(Question(read_arrays(X, y)), swallowing)
    search.run()
    assert search.budget.interrupted
    assert search.bracket.upper < np.inf


# HiGHS takes minutes for this program, whatever program it was asked to solve
LONG = """
import numpy as np, scipy.optimize, scipy.sparse
from separatrix import make_noisy, minimum_errors
solve = scipy.optimize.linprog
A = scipy.sparse.random(1500, 6000, density=0.02, random_state=0, format="csc")
A.data[:] = 1.0

def minutes(c, A_ub, b_ub, **more):
    print("begun", flush=True)
    return solve(-np.ones(6000), A_ub=A, b_ub=np.ones(1500), **more)

scipy.optimize.linprog = minutes
table = make_noisy(400, 12, flip=0.02, seed=0)
found = minimum_errors(table.X, table.y, time_limit=None)
print(found.upper, found.interrupted, found.reason, flush=True)
"""


def test_an_interrupt_does_not_wait_for_a_long_linear_program():
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        took = time.monotonic() - begun
    finally:
        process.kill()
    assert (process.returncode, "True it was interrupted" in out) == (0, True)
    assert took < 10.0  # a second, and the rest is for a machine that has more to do
