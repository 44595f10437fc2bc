"""Whether all lines with the fewest mistakes agree on a new row, against the definition."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import InputError, SeparatrixWarning, agree, read_table, separability
from separatrix.certificates.fewest_mistakes import FewestMistakes
from separatrix.plain.fewest_mistakes import fewest_mistakes
from separatrix.tables import fit_encoding
from separatrix.version_space import fewest_mistake_lines
from separatrix.zero_one.limits import Limits
from tests.hostile.profile import cases
from tests.shared_data import DATA, needs_shared


def overlapping(seed):
    """A few rows of small integers that no line separates, new rows, x0."""
    r = np.random.default_rng(seed)
    d, n = int(r.integers(1, 3)), int(r.integers(4, 8))
    X, new = (r.integers(-2, 3, (m, d)).astype(float) for m in (n, 5))
    y = r.integers(0, 2, n)
    y[0] = 1 - y[1]
    fit_intercept = seed % 3 > 0
    return None if separability(X, y, fit_intercept).separable else (X, y, new, fit_intercept)


def rows(X, y, fit_intercept):
    return [
        [int(s) * Fraction(v) for v in ([1] if fit_intercept else []) + list(x)]
        for x, s in zip(X, 2 * np.asarray(y) - 1, strict=True)
    ]


def by_definition(X, y, x, fit_intercept):
    known = rows(X, y, fit_intercept)
    (point,) = rows([x], [1], fit_intercept)
    if not any(point):
        return "no"
    fewest = fewest_mistakes(known, [1] * len(known))
    yes, no = (
        fewest_mistakes([*known, [s * a for a in point]], [1] * (len(known) + 1)) == fewest
        for s in (1, -1)
    )
    return "undecided" if yes and no else "yes" if yes else "no"


@pytest.mark.parametrize("block", range(2))
def test_answers_are_those_of_two_questions(block):
    seen = set()
    for seed in range(25 * block, 25 * block + cases(12, 25)):
        table = overlapping(seed)
        if table is None:
            continue
        X, y, new, fit_intercept = table
        expected = [by_definition(X, y, x, fit_intercept) for x in new]
        assert agree(X, y, new, fit_intercept).tolist() == expected, seed
        assert agree(sp.csr_array(X), y, new, fit_intercept).tolist() == expected, seed
        seen |= set(expected)
    assert seen == {"yes", "no", "undecided"}


@needs_shared
def test_a_published_table_answers_for_its_own_kind():
    table = read_table(DATA / "published_01" / "cryotherapy.csv", label="label", yes="yes")
    X = fit_encoding(table.columns, "drop").encode(table.columns, table.lines)
    answers = agree(X, table.y, X[:20])
    right = np.where(table.y[:20] > 0, "yes", "no")
    # at most 4 of 90 rows are wrong by any line that makes the fewest
    assert ((answers != "undecided") & (answers != right)).sum() <= 4
    assert (answers == right).sum() >= 5


def noisy(n, d, noise, seed=0):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))
    y = np.where(X @ r.standard_normal(d) + 0.3 > 0, 1, -1)
    return X, np.where(r.random(n) < noise, -y, y)


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
    whole = fewest_mistake_lines.fewest_mistakes

    def short_of_breath(question, *more):
        if question.sample.n == 61:
            question = replace(question, limits=Limits(nodes=0))
        return whole(question, *more)

    monkeypatch.setattr(fewest_mistake_lines, "fewest_mistakes", short_of_breath)
    with pytest.warns(SeparatrixWarning, match="limit on nodes"):
        assert agree(X, y, new).tolist() == ["undecided", "undecided"]


def test_no_answer_without_its_certificate(monkeypatch):
    X, y = noisy(60, 2, 0.15, 5)
    monkeypatch.setattr(FewestMistakes, "verify", lambda *_: False)
    with pytest.warns(SeparatrixWarning, match="is open"):
        assert agree(X, y, [[3.0, 3.0]]).tolist() == ["undecided"]
