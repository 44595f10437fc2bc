"""Time limits begin when kernels are compiled."""

import time

import pytest
from numba import njit
from numba.core.errors import NumbaError

from separatrix import Perceptron
from separatrix.clock import work_clock
from separatrix.learners.walks.run import Slices
from separatrix.learners.walks.tuning import Tuning
from separatrix.zero_one.limits import Budget
from tests.processes import python


def elapsed(work) -> tuple[float, float]:
    """Return the seconds that some work takes by the wall, and by the clock."""
    wall, clock = time.monotonic(), work_clock()
    work()
    return time.monotonic() - wall, work_clock() - clock


def compile_something() -> None:
    inner = njit(lambda x: x + 1)

    @njit
    def outer(x):
        return inner(x) + inner(x * 0.5)

    assert outer(1) == 3.5


def test_the_clock_runs_as_the_wall_does():
    wall, clock = elapsed(lambda: time.sleep(0.05))
    assert 0.05 <= clock <= wall + 1e-3


def test_the_clock_stands_still_while_kernels_are_compiled():
    wall, clock = elapsed(compile_something)
    assert clock < 0.5 * wall


def test_a_compilation_that_fails_ends_too():
    def fail() -> None:
        with pytest.raises(NumbaError):
            njit(lambda x: x + "a")(1)

    wall, clock = elapsed(fail)
    assert clock < 0.9 * wall
    assert elapsed(lambda: time.sleep(0.02))[1] >= 0.02


def test_the_clock_goes_on_when_the_end_of_a_compilation_was_lost():
    program = """
from numba import njit
from numba.core import event
from separatrix import Perceptron
from separatrix.clock import work_clock
from separatrix.learners.walks.run import Slices
from separatrix.learners.walks.tuning import Tuning
import time

class Interrupt(event.Listener):  # as Ctrl-C would, before our own listener hears the end
    def on_start(self, _): pass
    def on_end(self, _): raise KeyboardInterrupt

work_clock()  # it listens from now on
event._registered["numba:compile"].insert(0, Interrupt())
try:
    njit(lambda x: x + 1)(1)
except KeyboardInterrupt:
    before = work_clock()
    time.sleep(0.05)
    print(work_clock() - before >= 0.05)
"""
    assert python("-c", program).stdout == "True\n"


def test_the_budget_of_a_search_is_not_spent_on_compiling():
    compile_something()  # Numba itself is loaded
    budget = Budget(work_clock() + 0.05, 1)
    wall, _ = elapsed(lambda: [compile_something() for _ in range(3)])
    assert wall > 0.05
    assert budget.seconds() > 0.0
    time.sleep(0.05)
    assert budget.seconds() < 0.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_limit_of_a_learner_is_for_the_search(monkeypatch):
    record, begun = Slices._record, time.monotonic()

    def compiling(walk, made):
        while time.monotonic() < begun + 0.6:
            compile_something()
        record(walk, made)

    monkeypatch.setattr(Slices, "_record", compiling)
    model = Perceptron(max_iter=None, time_limit=0.5).fit([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert str(model.stopped_) == "the time limit was reached"
    assert model.n_updates_ > Tuning().slice_updates
