"""Packings of cores by branch and price: never above the truth, and better than at random."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import minimum_errors
from separatrix.data import read_arrays
from separatrix.verify import mistakes_shown
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.branch_and_price import TUNED, BranchAndPrice
from separatrix.zero_one.core_packing import EVERY_LINE, Disjunction
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.local_search import best_line
from separatrix.zero_one.problem import Problem, Question
from separatrix.zero_one.proof import packed_proof
from tests.verify.by_hand import without_zeros
from tests.zero_one.tables import noisy


def tree_of(X, y, weight=None, steps=400, **tuning):
    """The search on these rows, from the line of a short local search."""
    problem = Problem(Question(read_arrays(X, y, weight)))
    rows = problem.rows
    line = rows.unscaled(best_line(rows, None, steps, 0))
    known = Knowledge(rows, Budget(None, ALL))
    return BranchAndPrice(rows, known, line, replace(TUNED, **tuning)), problem.base


def packings(tree, rounds):
    found = []
    for _ in range(rounds):
        if not tree.finished:
            found += [a for a in tree.round() if not isinstance(a, np.ndarray)]
    return found


def shown(packing, rows):
    """What a stranger reads from the proof of it, in whole numbers."""
    proof = packed_proof(packing, (list(range(rows.dimension)), []))
    whole = without_zeros(rows.integers(np.arange(rows.n)))
    return mistakes_shown(whole, rows.weight.tolist(), proof, rows.dimension)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_grow_hold_and_stay_below_the_truth(seed):
    X, y = noisy(80, 3, 0.25, seed)
    if seed % 2:
        X = np.round(2 * X)  # ties, equal rows, small cores
    weight = np.random.default_rng(seed).integers(1, 4, 80) if seed % 3 else None
    tree, base = tree_of(X, y, weight)
    found = packings(tree, 6)
    bounds = [packing.bound for packing in found]
    assert bounds == sorted(set(bounds))
    assert [shown(packing, tree.rows) for packing in found] == bounds
    truth = minimum_errors(X, y, weight, None)
    assert truth.proven
    assert 0 < bounds[-1] + base <= truth.upper


def test_stabilised_duals_show_more_than_cores_that_share_no_row():
    X, y = noisy(240, 8, 0.2, 1)
    tree, _ = tree_of(X, y)
    tree.pool.separate_line(tree.line, 12)
    by_chance = tree.pool.packing(EVERY_LINE).bound
    assert packings(tree, 12)[-1].bound > 1.3 * by_chance


@pytest.mark.parametrize("weighed", [False, True])
def test_branching_closes_the_gap_that_pricing_leaves(weighed):
    for seed in (0, 3):
        X, y = noisy(40, 3, 0.3, seed)
        weight = np.random.default_rng(seed).integers(1, 4, 40) if weighed else None
        tree, base = tree_of(X, y, weight, 4000, stalled=1, promising=0.0)
        found = packings(tree, 60)
        assert [shown(packing, tree.rows) for packing in found] == [p.bound for p in found]
        assert isinstance(found[-1], Disjunction)
        assert found[-1].bound > tree.root.value + 1
        truth = minimum_errors(X, y, weight, None)
        assert truth.proven
        assert found[-1].bound + base == truth.upper


def test_branching_does_not_go_on_without_end():
    """A proof is read recursively, and recursion is limited."""

    def depth(proof):
        return 1 + max(map(depth, (proof.wrong, proof.right))) if is_disjunction(proof) else 0

    def is_disjunction(proof):
        return isinstance(proof, Disjunction)

    for deepest in (1, 2):
        tuning = {"stalled": 1, "promising": 0.0, "deepest": deepest}
        tree, _ = tree_of(*noisy(40, 3, 0.3, 0), None, 4000, **tuning)
        assert max(depth(proof) for proof in packings(tree, 60)) == deepest
        assert tree.finished


def test_the_same_rows_give_the_same_packing():
    first, again = (packings(tree_of(*noisy(90, 4, 0.2, 5))[0], 4)[-1] for _ in range(2))
    assert (first.bound, first.cores) == (again.bound, again.cores)


def test_ends_when_there_is_no_more_to_be_had():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    tree, _ = tree_of(X, y)
    assert not tree.finished
    packings(tree, TUNED.idle + 1)
    assert (tree.finished, tree.bound) == (True, 1)


def test_a_bracket_cut_short_has_its_bound_from_pricing_and_a_certificate():
    X, y = noisy(200, 10, 0.2, 3)
    found = minimum_errors(X, y, None, None, max_nodes=4000)
    assert found.by_cores
    assert not found.proven
    assert 2 * found.lower >= found.upper
    assert found.certificate.verify(X, y)


def test_the_line_counts_when_the_time_ends_within_the_local_search():
    X, y = noisy(300, 6, 0.1, 4)
    found = minimum_errors(X, y, time_limit=0.0)
    assert "time limit" in found.reason
    assert found.upper < 0.2 * len(y) < min((y > 0).sum(), (y < 0).sum())
