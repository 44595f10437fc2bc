"""Whether all separating lines agree on a new row, against the definition: two questions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import agree, separability
from separatrix.data import InputError, read_arrays
from separatrix.exact.float_filter import exact_signs
from separatrix.exact.signed_rows import SignedRows
from separatrix.plain.elimination import fractions, solve
from separatrix.scale import with_constant
from separatrix.separation.constraint_generation import WorkingSet
from separatrix.separation.exact_simplex import Refusal
from separatrix.separation.working_rows import decided_exactly
from separatrix.version_space.separating_lines import surely_inside
from tests.hostile.profile import examples
from tests.separation import oracle
from tests.strategies import labelled_grids, small

rng = np.random.default_rng


def by_definition(X, y, x, fit_intercept):
    """Whether x could be a yes and could be a no, by elimination."""
    rows = oracle.signed(X, y, fit_intercept)
    (point,) = oracle.signed([x], [1], fit_intercept)
    if not any(point):
        return "no"
    yes, no = (oracle.separates([*rows, [side * a for a in point]]) for side in (1, -1))
    return "undecided" if yes and no else "yes" if yes else "no"


@given(labelled_grids(), st.booleans(), st.data())
@examples(150)
def test_answers_are_those_of_two_questions(table, fit_intercept, data):
    X, y = table
    new = np.array([[data.draw(small) for _ in X[0]] for _ in range(4)], dtype=float)
    if not oracle.separates(oracle.signed(X, y, fit_intercept)):
        return
    expected = [by_definition(X, y, x, fit_intercept) for x in new]
    assert agree(X, y, new, fit_intercept=fit_intercept).tolist() == expected
    assert agree(sp.csr_array(X), y, sp.csr_array(new), fit_intercept).tolist() == expected


def test_points_on_the_edge_of_the_hulls():
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]
    y = ["no", "no", "yes", "yes"]
    tiny = 2.0**-50
    new = [
        [0.5, 0.0], [0.5, tiny], [0.5, 2.0], [0.5, 2 - tiny], [-tiny, 0.0], [0.5, -1e9], [0.5, 1],
    ]  # fmt: skip
    open_ = "undecided"
    assert agree(X, y, new).tolist() == ["no", open_, "yes", open_, open_, "no", open_]


@pytest.mark.parametrize("labels", [("bad", "good"), (0, 7), (-1, 1), (False, True)])
def test_answers_in_the_words_of_the_labels(labels):
    no, yes = labels
    for X, answers in (([[0.0], [1.0], [3.0], [4.0]], [no, no, yes, yes]), ([[1], [1]], [no, yes])):
        found = agree(X, answers, [[0.5], [2.0], [3.5]])
        words = {"no": no, "yes": yes, "undecided": None}
        assert found.labels.tolist() == [words[a] for a in found.tolist()]
        assert found[1:].labels.tolist() == found.labels.tolist()[1:]
        assert [type(label) for label in found[found == "yes"].labels] == [type(yes)] * (
            found.tolist().count("yes")
        )
    assert agree([[0.0], [1.0]], labels, [[0.5], [-1.0]]).labels.tolist() == [None, no]


def test_many_columns_of_any_scale():
    r = rng(0)
    X = r.standard_normal((400, 12))
    w = r.standard_normal(12)
    y = np.where(X @ w > 0, 1, -1)
    new = np.vstack([X[:20], r.standard_normal((60, 12)), 10 * r.standard_normal((20, 12))])
    answers = agree(X, y, new)
    assert answers[:20].tolist() == ["yes" if s > 0 else "no" for s in y[:20]]
    assert set(answers[answers != "undecided"]) == {"yes", "no"}
    assert ((answers == "undecided") | ((answers == "yes") == (new @ w > 0))).all()
    scales = 2.0 ** r.integers(-300, 300, 12)
    assert agree(X * scales, y, new * scales).tolist() == answers.tolist()
    for x, answer in list(zip(new[20:], answers[20:], strict=True))[:12]:
        sides = [separable_with(X, y, x, side) for side in (1, -1)]
        assert answer == {(1, 1): "undecided", (1, 0): "yes", (0, 1): "no"}[tuple(sides)]


def separable_with(X, y, x, side):
    return int(separability(np.vstack([X, x]), np.append(y, side)).separable)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(InputError, match="columns"):
        agree([[0.0], [1.0]], [0, 1], [[0.5, 1.0]])
    with pytest.raises(InputError):
        agree([[0.0], [1.0]], [0, 1], [[np.nan]])


# ---------------------------------------------------------------------- parts


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(0, 40))
@examples(200)
def test_surely_inside_is_never_wrong(seed, k, exponent):
    r = rng(seed)
    basis = r.integers(-5, 6, (k, k)).astype(float)
    basis += 2.0**-exponent * r.integers(-1, 2, (k, k))
    points = np.vstack([r.integers(-9, 10, (5, k)) @ basis, basis, r.standard_normal((5, k))])
    for q, sure in zip(points, surely_inside(basis, points), strict=True):
        if sure:
            assert min(solve(fractions(basis.T.tolist()), fractions([q.tolist()])[0])) > 0
    if abs(np.linalg.det(basis)) > 0.1:
        assert surely_inside(basis, np.ones((1, k)) @ basis).all()


def test_signs_are_exact():
    r = rng(1)
    w = [Fraction(int(a), 7) for a in r.integers(-9, 10, 4)]
    points = r.standard_normal((50, 4))
    points[:, 3] = -(points[:, :3] @ [float(a) for a in w[:3]]) / float(w[3])
    expected = [sum(Fraction(a) * b for a, b in zip(q, w, strict=True)) for q in points.tolist()]
    assert exact_signs(points, w).tolist() == [int(s > 0) - int(s < 0) for s in expected]


@given(labelled_grids(), st.booleans(), st.data())
@examples(60)
def test_the_exact_way_is_right_by_itself(table, fit_intercept, data):
    X, y = table
    rows = oracle.signed(X, y, fit_intercept)
    sample, x0 = read_arrays(X, y), float(fit_intercept)
    extra = np.array([[data.draw(small) for _ in rows[0]]], dtype=float)
    working = WorkingSet(SignedRows(with_constant(sample, x0)), np.array([0]), extra)
    answer = decided_exactly(working)
    wanted = oracle.separates([*rows, [Fraction(a) for a in extra[0]]])
    assert isinstance(answer, list) is wanted
    if wanted:
        every = [*rows, [Fraction(a) for a in extra[0]]]
        assert min(sum(a * b for a, b in zip(z, answer, strict=True)) for z in every) > 0
    else:
        assert isinstance(answer, Refusal)
