"""Whether all lines with the fewest mistakes agree on a new row, against the definition."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import InputError, SeparatrixWarning, agree, read_table
from separatrix.certificates.fewest_mistakes import FewestMistakes
from separatrix.tables import fit_encoding
from separatrix.version_space import fewest_mistake_lines
from separatrix.zero_one.limits import Limits
from tests.shared_data import DATA, needs_shared
from tests.zero_one.tables import noisy


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
