"""Branch and bound by itself: what it shows at every cutoff, and never more than is true."""

import numpy as np

from separatrix import minimum_errors
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one.branch_and_bound import BranchAndBound, Knowledge
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.local_search import in_basis
from separatrix.zero_one.problem import presolve


def grid(seed):
    """Signed rows of small whole numbers: many vanish together on some line; and their weights."""
    r = np.random.default_rng(seed)
    X = r.integers(-1, 2, (9, 2 + seed % 2)).astype(float)
    return X, 2 * r.integers(0, 2, 9) - 1, r.integers(1, 4, 9)


def test_every_cutoff_is_shown_and_none_above_the_fewest_mistakes(monkeypatch):
    whole, ties = boxes.search, []

    def watched(*arguments):
        why = whole(*arguments)
        ties.append(why == boxes.TIE)
        return why

    for seed in range(40):
        X, y, weight = grid(seed)
        Z = np.column_stack([np.ones(len(X)), X]) * y[:, None]
        presolved = presolve(Z, weight, np.zeros(Z.shape[1], dtype=np.int64))
        rows = presolved.rows
        if rows is None or np.linalg.matrix_rank(rows.values) < rows.dimension:
            continue
        fewest = int(minimum_errors(X, y, weight).exact_upper) - presolved.base
        monkeypatch.setattr(boxes, "search", watched)
        for cutoff in range(1, fewest + 2):
            known = Knowledge(rows, Budget(None, ALL))
            search = BranchAndBound(in_basis(rows, np.eye(rows.dimension)), cutoff, known)
            finished = search.run(2000)  # around no good line: it need not end above the fewest
            if cutoff <= fewest:
                assert finished
                assert (search.bound(), search.incumbent) == (cutoff, None), (seed, cutoff)
            else:
                assert search.bound() in ((fewest,) if finished else (0,)), (seed, cutoff)
                assert search.incumbent is None or rows.mistakes(search.incumbent) == fewest
        monkeypatch.setattr(boxes, "search", whole)
    assert sum(ties) > 100


def test_a_tie_whose_rows_some_line_gets_right_is_not_pruned():
    rows = presolve(np.eye(2), np.ones(2, dtype=np.int64), np.zeros(2, dtype=np.int64)).rows
    search = BranchAndBound(in_basis(rows, np.eye(2)), 1, Knowledge(rows, Budget(None, ALL)))
    (worker, *_), top = search.workers.workers, 0
    assert search.workers.begin(0, 1)
    stack = worker.stack
    stack.low[top], stack.high[top] = [0.5, -0.5], [1.0, 0.0]  # the first row is right here,
    stack.first[top], stack.last[top], stack.pool[0] = 0, 1, 1  # the second nowhere, but at a tie
    stack.wrong[top] = 0
    search._resolve_tie(worker)
    assert (worker.size, search.cutoff, search.incumbent) == (1, 1, None)
    assert stack.tie[top] > 0.0
