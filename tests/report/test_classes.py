"""What people read about many labels: text, terminal and JSON, with hostile names too."""

import json

import numpy as np
import pytest

from separatrix import judge, to_json, to_text
from separatrix.report.sections import warnings_of


def verdict(names=("a", "b"), labels=("low", "mid", "top"), rule="ova"):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 1.0, 2.0], 12) + rng.random(36) * 0.8, np.ones(36)])
    y = np.repeat(np.array(labels, dtype=object), 12)
    return judge(X, y, feature_names=list(names), multiclass=rule)


@pytest.fixture(scope="module")
def lines():
    return verdict()


def test_the_text_tells_every_question_and_the_joint_answer(lines):
    text = to_text(lines)
    words = " ".join(text.split())
    assert "3 labels in column y, asked as 3 yes / no questions: each label against the rest." in (
        words
    )
    assert "Linearly separable, proven: low or not and top or not." in words
    assert "Not linearly separable, proven: mid or not." in words
    assert "mid or not: Not linearly separable, proven: rows " in words
    assert "low (12 rows), mid (12 rows) and top (12 rows)" in words
    best = lines.winner
    assert best.n_errors == 0
    taken = f"Selected model: {best.name} ({lines.selection.reason}). On these rows it makes"
    assert f"{taken} no mistake in 36." in words
    for i, name in enumerate(("low", "mid", "top")):
        counts = "  +".join(map(str, best.confusion[i].tolist())).replace("+", "")
        assert any(row.split() == [name, *counts.split()] for row in text.splitlines()), (
            f"the confusion of {name}"
        )
    assert "low or mid" in to_text(verdict(rule="ovo"))


def test_json_holds_every_question_as_it_would_be_alone(lines):
    data = json.loads(to_json(lines))
    assert data["multiclass"] == "ova"
    assert data["table"]["labels"] == ["low", "mid", "top"]
    assert data["table"]["rows_of_labels"] == [12, 12, 12]
    assert [q["table"]["yes"] for q in data["questions"]] == ["low", "mid", "top"]
    for question, q in zip(data["questions"], lines.questions, strict=True):
        assert question["separability"]["verdict"] == q.separability.verdict
        assert len(question["learners"]) == 6
    for joint, r in zip(data["learners"], lines.results, strict=True):
        assert joint["confusion"] == r.confusion.tolist()
        assert np.sum(joint["confusion_left_out"]) == 36
        assert len(joint["lines"]) == 3
    assert data["winner"] == lines.winner.name


def test_a_warning_of_all_questions_is_told_once(lines):
    found = warnings_of(lines)
    assert sum("constant columns" in w for w in found) == 1
    assert any(w.startswith("'low or not' and 'top or not': ") for w in found)


def test_hostile_names_are_shown_as_text():
    found = verdict(("\u202eevil\x1b[31m", "x" * 500), ("<b>", "[red]", "\u202e!\n"))
    text = to_text(found)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "x" * 100 not in text
    assert "[red] or not" in text
    assert json.loads(to_json(found))["table"]["labels"] == ["<b>", "[red]", "\u202e!\n"]


def test_many_labels_keep_the_text_short():
    X = np.arange(60.0).reshape(-1, 1)
    found = judge(X, np.arange(60) // 4, multiclass="ova")
    text = to_text(found)
    assert "CONFUSION MATRIX" not in text
    assert "3 more with --json." in text
    assert "15 lines, in full with --json." in text


def test_a_warning_that_one_question_has_often_is_not_told_of_all():
    y = np.repeat(["low", "mid", "top"], 12)
    X = 5.0 * (y == "low")[:, np.newaxis] + np.random.default_rng(0).random((36, 3))
    found = warnings_of(judge(X, y, feature_names=["a", "a", "a"], multiclass="ova"))
    assert [w for w in found if "alone separates" in w] == [
        "'low or not': column 'a' alone separates: is it known before the answer is?"
    ]
