"""The stack of boxes: nothing is written past its ends, and its size changes no answer."""

import numpy as np
import pytest

from separatrix.exact.integers import column_exponents
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one.branch_and_bound import FIRST_TIE, Worker
from separatrix.zero_one.local_search import basis_around
from separatrix.zero_one.problem import presolve
from tests.zero_one.tables import noisy

BEYOND, UNTOUCHED = 64, -7  # places behind the ends of a stack, and what stands there
LOG = 1 << 18
CUTOFF = 30  # of 60 noisy rows: better lines are found on the way


def explored(n_boxes, pool):
    """Explore a face on a stack of this size; return the log, and how often it was full."""
    X, y = noisy(60, 3, 0.3, 1)
    Z = np.column_stack([np.ones(len(X)), X]) * y[:, None]
    rows = presolve(Z, np.ones(len(X), dtype=np.int64), column_exponents(Z)).rows
    instance = basis_around(rows, np.eye(4)[0]).instance
    dimension, n = instance.rows.shape
    worker = Worker(dimension, n, LOG)
    whole = boxes.new_stack(dimension, n_boxes + BEYOND, pool * n + BEYOND)
    for column in whole:
        column.fill(UNTOUCHED)
    worker.stack = boxes.Stack(*(column[:-BEYOND] for column in whole))
    worker.counters[boxes.CUTOFF] = CUTOFF
    assert boxes.begin(instance, worker.stack, worker.box, worker.counters, 0, FIRST_TIE)
    full = 0
    while worker.size:
        worker.run(instance, 1 << 20)
        assert all((column[-BEYOND:] == UNTOUCHED).all() for column in whole)
        assert worker.why in {boxes.DONE, boxes.ROOM}
        if worker.why == boxes.ROOM:
            worker.make_room()
            full += 1
    return worker.notes.log[: worker.counters[boxes.LOGGED]].tolist(), full


@pytest.mark.parametrize(("n_boxes", "pool"), [(2, 400), (3, 400), (200, 1), (200, 2), (2, 1)])
def test_a_full_stack_is_left_as_it_is_until_there_is_room(n_boxes, pool):
    log, full = explored(n_boxes, pool)
    roomy, never = explored(200, 400)
    assert never == 0 < full
    assert len(log) > 500
    assert log == roomy
