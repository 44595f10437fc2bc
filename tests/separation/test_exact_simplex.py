"""The exact simplex method by itself: cold starts, degenerate tables, its limit."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix.data import read_arrays
from separatrix.exact.cone import cone_of_data, cone_of_table
from separatrix.exact.integers import root_above
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation import exact_simplex
from separatrix.separation.constraint_generation import Proposal
from separatrix.separation.decide import _answer, separability
from separatrix.separation.exact_simplex import Line, Refusal, Undecided, decide, gordan

rng = np.random.default_rng


def rows_of(seed, kind):
    r = rng(seed)
    n, d = int(r.integers(3, 40)), int(r.integers(2, 7))
    if kind == "grid":  # many ties: steps of length zero
        Z = r.integers(-2, 3, (n, d)).astype(float)
    elif kind == "cube":
        Z = r.choice([-1.0, 1.0], (n, d))
    else:
        Z = r.standard_normal((n, d))
    if seed % 2:  # on one side of a plane that many rows touch
        Z = Z[(Z @ np.ones(d)) >= 0]
    Z = Z[Z.any(axis=1)]
    return Z if len(Z) and Z.any(axis=0).all() else np.eye(d)


def checked(cone, answer):
    if isinstance(answer, Line):
        assert (cone.signs(answer.v) > 0).all()
        return True
    assert isinstance(answer, Refusal)
    assert min(answer.multipliers) > 0
    taken = cone.exact.take(answer.rows)
    pairs = list(zip(answer.multipliers, taken, strict=True))
    assert not any(sum(m * row[j] for m, row in pairs) for j in range(cone.k))
    assert len(answer.rows) <= cone.k + 1
    return False


@pytest.mark.parametrize("kind", ["grid", "cube", "normal"])
def test_any_start_leads_to_the_same_answer(kind):
    for seed in range(60):
        Z = rows_of(seed, kind)
        cone = cone_of_data(Z)
        expected = checked(cone, gordan(cone))
        r = rng(seed)
        for rows in (np.array([], dtype=np.int64), r.permutation(len(Z))):
            start = Proposal(r.uniform(-1, 1, cone.k), rows)
            assert checked(cone, decide(cone, start)) is expected
            assert checked(cone, decide(cone, start, patience=-1)) is expected  # Bland's rule


def cascade(seed, room, d, more, factors):
    """Rows that ask for w_0 > 0, w_(j+1) > k_j w_j, (k_0 k_1 ... + room) w_0 > w_(d-1); sums."""
    r = rng(seed)
    k = [int(a) for a in r.choice(factors, d - 1)]
    while math.prod(k) > 2**50:
        k[k.index(max(k))] = 1
    rows = np.zeros((d + 1, d), dtype=np.int64)
    for j in range(d):
        rows[j, j] = 1
    for j in range(d - 1):
        rows[j + 1, j] = -k[j]
    rows[d, 0], rows[d, d - 1] = math.prod(k) + room, -1
    sums = [r.choice(d, 3, replace=False) for _ in range(more)]
    rows = np.vstack([rows, *(rows[few].sum(axis=0) for few in sums)])
    return rows[r.permutation(len(rows))][:, r.permutation(d)].astype(float)


@pytest.mark.parametrize(
    ("seed", "room", "factors"),
    [(0, 1, (2,)), (1, 0, (2,)), (2, -1, (2,)), (3, 0, (1, 2, 3, 4)), (4, -1, (1, 2, 3, 4))],
)
def test_one_unit_in_fifty_columns_up_to_the_longest_whole_doubles(
    seed, room, factors, monkeypatch
):
    """Rows are yes, their images no, so an intercept is no way out; floats see nothing."""
    pivots = []
    whole = exact_simplex.Vertex.pivot
    monkeypatch.setattr(
        exact_simplex.Vertex, "pivot", lambda v, n, **k: pivots.append(n) or whole(v, n, **k)
    )
    Z = cascade(seed, room, 50, 0, factors)
    found = separability(np.vstack([Z, -Z]), np.repeat([1, -1], len(Z)))
    assert np.abs(Z).max() > 2.0**45
    assert found.verdict == {1: "separable", 0: "touching", -1: "overlapping"}[room]
    assert found.verify(np.vstack([Z, -Z]), np.repeat([1, -1], len(Z)))
    assert len(pivots) > 4  # it is the exact simplex method that tells


@pytest.mark.parametrize("room", [1, 0, -1])
def test_long_stretches_without_progress_are_left_in_a_few_steps(room):
    """With Bland's rule after 20 steps, such tables of 50 columns met the limit of 5,000."""
    Z = cascade(2, room, 30, 100, (2,))
    signed = np.column_stack([np.repeat([1.0, -1.0], len(Z)), np.vstack([Z, Z])])
    cone = cone_of_data(signed)
    answer = decide(cone, Proposal(np.zeros(cone.k), np.array([0])), max_pivots=300)
    assert checked(cone, answer) is (room == 1)


def test_integers_and_doubles_make_the_same_cone():
    for seed in range(20):
        Z = rows_of(seed, "grid")
        table = cone_of_table(Z.astype(int).tolist())
        assert checked(table, gordan(table)) is checked(cone_of_data(Z), gordan(cone_of_data(Z)))
        huge = cone_of_table([[int(a) << (700 * j) for j, a in enumerate(row)] for row in Z])
        assert checked(huge, gordan(huge)) is checked(table, gordan(table))


def test_a_limit_is_said_and_is_no_answer():
    cone = cone_of_data(rows_of(2, "normal"))
    answer = decide(cone, Proposal(np.zeros(cone.k), np.array([0])), max_pivots=1)
    assert isinstance(answer, Undecided)
    assert "limit of 1 pivots" in answer.reason


def test_an_undecided_verdict_claims_neither():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    table = SignedRows(read_arrays(X, y))
    found = _answer(table, "undecided", reason="a limit")
    assert found.margin == (0.0, root_above(Fraction(5)))
    assert (found.verdict, found.separable, found.weights) == ("undecided", None, None)
    assert found.diverging == {}
    assert found.verify(X, y)
    assert not replace(found, separable=False).verify(X, y)
    assert not replace(found, radius=1.0).verify(X, y)
    assert not replace(found, reason="").verify(X, y)
