"""Whether all separating lines, or all with the fewest mistakes, agree on a new row."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, SeparatrixWarning, agree, read_table, separability, version_space
from separatrix.certificates.fewest_mistakes import FewestMistakes
from separatrix.data import read_arrays
from separatrix.exact.signed_rows import SignedRows
from separatrix.plain.elimination import fractions, solve
from separatrix.scale import with_constant
from separatrix.separation.constraint_generation import WorkingSet
from separatrix.separation.exact_simplex import Refusal
from separatrix.separation.working_rows import decided_exactly
from separatrix.tables import fit_encoding
from separatrix.version_space import surely_inside
from separatrix.zero_one.limits import Limits
from tests.hostile.profile import examples
from tests.separation import oracle
from tests.shared_data import DATA, needs_shared
from tests.strategies import labelled_grids, small
from tests.zero_one.tables import noisy

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


@needs_shared
def test_a_published_table_answers_for_its_own_kind():
    table = read_table(DATA / "published_01" / "cryotherapy.csv", label="label", yes="yes")
    X = fit_encoding(table.columns, "drop").encode(table.columns, table.lines)
    answers = agree(X, table.y, X[:20])
    right = np.where(table.y[:20] > 0, "yes", "no")
    # at most 4 of 90 rows are wrong by any line that makes the fewest
    assert ((answers != "undecided") & (answers != right)).sum() <= 4
    assert (answers == right).sum() >= 5


def test_what_is_open_is_said_to_be():
    X, y = noisy(200, 8, 0.25)
    with pytest.warns(
        SeparatrixWarning, match=r"undecided: limit: .* is open: between .*max_nodes"
    ):
        assert agree(X, y, X[:2], max_nodes=200).tolist() == ["undecided"] * 2


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_no_time_leaves_rows_undecided_and_says_so(noise):
    X, y = noisy(200, 4, noise)
    with pytest.warns(SeparatrixWarning, match=r"^undecided: limit: 2 of 2 .*the time limit"):
        assert agree(X, y, X[:2] * 0.9, time_limit=0.0).tolist() == ["undecided"] * 2
    with pytest.raises(InputError, match="time_limit"):
        agree(X, y, X[:2], time_limit=-1.0)


def test_a_limit_on_one_question_makes_it_undecided_with_a_warning(monkeypatch):
    X, y = noisy(60, 2, 0.15, 5)
    new = X[agree(X, y, X) != "undecided"][:2]
    assert len(new) == 2
    whole = version_space.fewest_mistakes

    def short_of_breath(question, *more):
        if question.sample.n == 61:
            question = replace(question, limits=Limits(nodes=0))
        return whole(question, *more)

    monkeypatch.setattr(version_space, "fewest_mistakes", short_of_breath)
    with pytest.warns(SeparatrixWarning, match="limit on nodes"):
        assert agree(X, y, new).tolist() == ["undecided", "undecided"]


def test_no_answer_without_its_certificate(monkeypatch):
    X, y = noisy(60, 2, 0.15, 5)
    monkeypatch.setattr(FewestMistakes, "verify", lambda *_: False)
    with pytest.warns(SeparatrixWarning, match="is open"):
        assert agree(X, y, [[3.0, 3.0]]).tolist() == ["undecided"]
