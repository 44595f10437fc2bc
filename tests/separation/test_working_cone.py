"""Verdicts on tables in blocks: the answers in memory, for any block."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix import InputError, separability
from separatrix.scale import ArraySource
from separatrix.separation import constraint_generation, decide
from tests.separation.in_blocks import FarSource, answers, collected, in_blocks

KINDS = "line", "line with rows on it", "line with noise", "coins"


def integer_table(seed, kind, n, d, *, constant=False, collinear=False):
    """Rows of small integers, many of them twice, and labels of either kind."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, d)).astype(float)
    if constant:
        X[:, 0] = 1.0
    if collinear:
        X[:, -1] = 2.0 * X[:, 0]
    scores = X @ rng.integers(-3, 4, size=d) + rng.integers(-2, 3)
    y = np.where(scores > 0, 1, -1)
    if kind == "line" and scores.any():
        X, y = X[scores != 0], y[scores != 0]
    elif kind == "line with rows on it":
        y = np.where(scores == 0, rng.choice([-1, 1], size=n), y)
    elif kind == "line with noise":
        y = np.where(rng.random(n) < 0.05, -y, y)
    else:
        y = rng.choice([-1, 1], size=n)
    return np.vstack([X, X[:1], X[:1]]), np.append(y, [1, -1] if kind == "coins" else y[[0, 0]])


@st.composite
def integer_tables(draw):
    """X and y; sometimes with a constant column, or two that are collinear."""
    n, d = draw(st.integers(10, 150)), draw(st.integers(1, 4))
    how = {"constant": draw(st.booleans()), "collinear": draw(st.booleans())}
    return integer_table(draw(st.integers(0, 2**32)), draw(st.sampled_from(KINDS)), n, d, **how)


@settings(max_examples=60)
@given(
    table=integer_tables(),
    rows=st.integers(3, 60),
    x0=st.booleans(),
    source=st.sampled_from([ArraySource, FarSource]),
    first=st.sampled_from([2, constraint_generation.FIRST]),
)
def test_any_block_and_any_first_rows_give_the_answers_in_memory(table, rows, x0, source, first):
    X, y = table
    if len(set(y.tolist())) < 2:
        return
    expected = separability(X, y, fit_intercept=x0)
    table = in_blocks(X, y, rows, source=source)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(constraint_generation, "FIRST", first)
        found, of_few = (separability(points, labels, fit_intercept=x0)
                         for points, labels in ((table, None), (X, y)))  # fmt: skip
    assert (of_few.verdict, of_few.rank) == (expected.verdict, expected.rank)
    assert (of_few.aliased, of_few.diverging) == (expected.aliased, expected.diverging)
    assert of_few.verify(X, y)
    assert found.verdict == expected.verdict
    assert found.verify(X, y)
    assert found.verify(table, None)
    if found.verdict == "touching":
        assert (found.rank, found.divergent) == (expected.rank, expected.divergent)
        assert (found.diverging, found.mistake_bound) == (expected.diverging, None)
        assert found.divergence.verify(X, y)
        assert found.divergence.verify(table, None)
    if first > 2:
        assert answers(found) == answers(expected)


@pytest.mark.parametrize(("kind", "columns"), [("coins", 150), ("line", 60), ("few", 130)])
@pytest.mark.parametrize(
    ("form", "source"),
    [(np.asarray, ArraySource), (sp.csr_array, ArraySource), (np.asarray, collected)],
)
def test_tables_of_many_levels_have_the_answers_in_memory_for_any_block(
    kind, columns, form, source
):
    r = np.random.default_rng(columns)
    share = np.arange(1.0, columns) ** (-1.5 if kind == "coins" else 0.0)
    levels = np.eye(columns - 1)[r.choice(columns - 1, 3000, p=share / share.sum())]
    X = np.hstack([levels, r.normal(size=(3000, 2)).round(2)])
    X = X[:, X.any(axis=0)]
    scores = X @ r.normal(size=X.shape[1])
    y = r.integers(0, 2, 3000) if kind != "line" else (scores > np.median(scores)).astype(int)
    X, y = (X[:100], y[:100]) if kind == "few" else (X, y)
    expected = separability(form(X), y)
    assert expected.verdict == ("separable" if kind == "line" else "touching")
    for rows in (97, 1000) if source is ArraySource else (1000,):
        found = separability(in_blocks(form(X), y, rows, source=source))
        assert answers(found) == answers(expected)


def test_a_column_of_one_row_is_not_overlooked():
    rng = np.random.default_rng(8)
    X = np.column_stack([rng.integers(-5, 6, size=(4000, 2)), np.zeros(4000)]).astype(float)
    X[1501, 2], y = 3.0, rng.choice([-1, 1], size=4000)
    found, expected = separability(in_blocks(X, y, 100)), separability(X, y)
    assert found.verdict == expected.verdict == "touching"
    assert (found.rank, found.diverging) == (expected.rank, expected.diverging)
    assert found.verify(X, y)


def test_a_line_with_one_row_off_is_refused():
    X, y = integer_table(5, "line", 120, 3)
    table = in_blocks(X, y, 17)
    found = separability(table)
    flipped = y.copy()
    flipped[77] = -flipped[77]
    other = in_blocks(X, flipped, 17)
    assert found.verify(table, None)
    assert not found.verify(other, None)
    assert found.maximum_margin.verify(table, None)
    assert not found.maximum_margin.verify(other, None)
    assert not found.divergence.verify(other, None)
    longer = replace(found, line=tuple(w + Fraction(10**6) for w in found.line))
    assert not longer.verify(table, None)


def test_touching_lines_are_refused_where_rows_are_on_their_wrong_side():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [-1.0, 5.0]] * 20)
    y = np.array([1, -1, 1, 1, -1] * 20)
    table = in_blocks(X, y, 7)
    found = separability(table)
    assert found.verdict == "touching"
    assert found.verify(table, None)
    X[93, 0] = -1e-9
    assert not found.verify(in_blocks(X, y, 7), None)
    X[93, 0] = 0.0
    X[93, 1] = 1.0  # on the line, but off the rows that cancel
    assert not found.verify(in_blocks(X, y, 7), None)


def test_what_tables_in_blocks_are_refused_for(monkeypatch):
    X, y = integer_table(6, "line", 120, 3)
    assert separability(in_blocks(X, y, 17)).street == separability(X, y).street
    monkeypatch.setattr(decide, "MANY", 0)
    with pytest.raises(InputError, match="the street is measured on tables in memory"):
        _ = separability(in_blocks(X, y, 17)).street
    table = in_blocks(X, y, 17)
    table.source.sample.weight[50] = 0.0
    with pytest.raises(InputError, match="some rows have weight 0"):
        separability(table)
    with pytest.raises(InputError, match="brings its labels"):
        separability(table, y)
