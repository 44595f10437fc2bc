"""The fewest mistakes in the verdict: true, checked, never worse than a learner's line."""

import json
import tracemalloc

import numpy as np
import pytest

from separatrix import judge, read_table, to_json, to_text
from separatrix.kernels.zero_one import boxes
from separatrix.verdict import fewest
from separatrix.zero_one.limits import Limits
from tests.shared_data import DATA, needs_shared
from tests.zero_one.tables import noisy


def wrong(X, y, line):
    return y * (X @ line[1:] + line[0]) <= 0


def flat(text):
    return " ".join(text.split())


def test_a_bracket_that_closes_is_proven_and_its_line_recounted():
    X, y = noisy(80, 2, 0.1)
    verdict = judge(X, y)
    found = verdict.fewest_mistakes
    assert found.proven
    assert verdict.fewest_checked
    assert wrong(X, y, found.weights).sum() == found.upper == found.lower
    assert found.upper <= min(r.n_errors for r in verdict.results)
    told = flat(to_text(verdict))
    assert "no line makes fewer (proven)" in told or f"line is {found.lower:.0f} (proven)" in told
    told = json.loads(to_json(verdict))["fewest_mistakes"]
    assert told["proven"]
    assert told["lower_exact"] == told["upper_exact"] == str(int(found.upper))
    assert told["weights"] == found.weights.tolist()


def test_of_many_rows_tiles_prove_far_more_than_boxes_in_little_memory():
    X, y = noisy(30_000, 8, 0.2)
    verdict = judge(X, y)
    found = verdict.fewest_mistakes
    assert 500 < found.lower < found.upper == wrong(X, y, found.weights).sum()
    assert found.upper <= min(r.n_errors for r in verdict.results)
    question = verdict.question
    tracemalloc.start()
    effort = fewest.Effort.of(None, None, *X.shape)
    again = fewest.fewest_of(
        question.sample, question.separability, [r.weights for r in verdict.results], effort,
        lambda _: None,
    ).bracket  # fmt: skip
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30e6
    assert (again.lower, again.upper) == (found.lower, found.upper)
    assert again.weights.tobytes() == found.weights.tobytes()
    proof = found.contradictions
    assert proof.lower == found.lower
    assert proof.verify(X, y)


def test_a_limit_leaves_it_open_with_bounds_that_hold():
    X, y = noisy(200, 9, 0.25, 1)
    verdict = judge(X, y, fewest_nodes=300)
    found = verdict.fewest_mistakes
    assert not found.proven
    assert verdict.fewest_checked
    assert 1 <= found.lower < found.upper == wrong(X, y, found.weights).sum()
    assert found.certificate.verify(X, y)
    text = flat(to_text(verdict))
    assert "is open (the limit on nodes was reached)" in text
    assert not json.loads(to_json(verdict))["fewest_mistakes"]["proven"]
    again = judge(X, y, fewest_nodes=300).fewest_mistakes
    assert (again.lower, again.upper) == (found.lower, found.upper)
    assert again.weights.tobytes() == found.weights.tobytes()


def test_separable_rows_need_no_search():
    verdict = judge([[0.0], [1.0], [1.0 + 1e-12]], [0, 0, 1])
    found = verdict.fewest_mistakes
    assert (found.lower, found.upper, found.proven, found.nodes) == (0.0, 0.0, True, 0)
    assert verdict.fewest_checked
    assert "of any line" not in to_text(verdict)


def test_weights_weigh_mistakes():
    X = np.array([[0.0], [0.0], [1.0], [2.0]])
    y = [1, 0, 0, 1]  # the first two contradict each other; the lighter of them is lost
    verdict = judge(X, y, sample_weight=[0.25, 3.0, 1.0, 1.0])
    assert verdict.fewest_mistakes.upper == verdict.fewest_mistakes.lower == 0.25
    assert "the fewest of any line is about 0.25 by weight (proven)" in flat(to_text(verdict))


def test_a_line_better_than_all_learners_is_said_to_be():
    X, y = noisy(60, 3, 0.2, 4)
    verdict = judge(X, y)
    best = min(verdict.results, key=lambda r: r.n_errors)
    said = "No learner found the best line" in flat(to_text(verdict))
    assert said == (verdict.fewest_mistakes.upper < best.n_errors)
    assert said


def test_what_is_too_long_to_check_is_not_called_proven(monkeypatch):
    monkeypatch.setattr(fewest, "CHECK_WORK", 0)
    X, y = noisy(60, 3, 0.2, 4)
    verdict = judge(X, y)
    assert verdict.fewest_mistakes.proven
    assert not verdict.fewest_checked
    told = json.loads(to_json(verdict))["fewest_mistakes"]
    assert (told["proven"], told["bounds_meet"], told["checked"]) == (False, True, False)
    assert "(by search" in told["in_words"]
    assert "proven" not in told["in_words"]


def interrupt(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(boxes, "search", interrupted)


def test_an_interrupt_keeps_the_verdict_where_a_limit_was_asked_for(monkeypatch):
    X, y = noisy(100, 4, 0.2, 1)
    interrupt(monkeypatch)
    verdict = judge(X, y, fewest_seconds=100)
    assert verdict.fewest_mistakes.interrupted
    assert "it was interrupted" in flat(to_text(verdict))
    with pytest.raises(KeyboardInterrupt):
        judge(X, y)


def test_many_questions_have_a_bracket_each():
    r = np.random.default_rng(0)
    X = r.normal(size=(90, 2))
    y = np.array(["a", "b", "c"])[np.int64(X[:, 0] + 0.5 * r.normal(size=90) > 0) + (X[:, 1] > 0.3)]
    verdict = judge(X, y, multiclass="ova")
    for question in verdict.questions:
        found = question.fewest_mistakes
        assert found.lower <= found.upper <= min(r.n_errors for r in question.results)
        assert question.fewest_checked
    assert "fewest: of the mistakes" in flat(to_text(verdict))


@needs_shared
def test_the_default_limit_is_enough_where_people_look_first():
    table = read_table(DATA / "published_01" / "cryotherapy.csv", label="label", yes="yes")
    verdict = judge(table)
    assert verdict.fewest_mistakes.upper == 4
    assert "pocket comes closest with 7 mistakes" in flat(to_text(verdict))


def test_a_search_without_a_limit_says_how_to_end_it():
    told = []
    for limits in (Limits(), Limits(nodes=9)):
        fewest.told_to(told.append, limits)(1.0, 2.0)
    assert told[0] == f"{told[1]} (no limit: Ctrl-C ends the search and keeps both)"
