"""What people read: text, terminal and JSON say the same and survive hostile names."""

import json
from fractions import Fraction

import numpy as np
import pytest

from separatrix import judge, to_json, to_text
from separatrix.report.sections import full_text, sections, warnings_of
from separatrix.report.wording import percent, wrapped
from separatrix.report.words import words_of

ANSWER = "Separable."
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def table(names=("a", "b")):
    X = np.repeat(XOR, 5, axis=0) + np.arange(20.0)[:, None] * [0.01, 0.0]
    y = ["no" if a + b < 1.5 else "yes" for a, b in X]
    return judge(X, y, feature_names=list(names))


def test_text_says_proven_only_with_a_checked_proof():
    text = to_text(table())
    assert "Linearly separable? Yes (proven)" in text
    assert "floor(R^2 / rho^2)" in text
    xor = judge(np.repeat(XOR, 6, axis=0), [0] * 6 + [1] * 12 + [0] * 6)
    text = to_text(xor)
    assert "Linearly separable? No (proven): rows " in text
    assert "contradict each other" in text
    assert "weighted average" in text
    pair = to_text(judge([[1.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]))
    assert "rows 0, 1 have the same values and opposite labels" in pair
    assert all(line == line.rstrip() and len(line) <= 160 for line in text.splitlines())


def test_json_holds_exact_rationals():
    verdict = table()
    data = json.loads(to_json(verdict))
    proof = data["separability"]
    rho, radius = Fraction(proof["rho_squared"]), Fraction(proof["radius_squared"])
    assert radius // rho == proof["mistake_bound"] == verdict.separability.mistake_bound
    w = [Fraction(v) for v in proof["weights"]]
    points = [[Fraction(float(v)) for v in c.values] for c in verdict.table.columns]
    agreements = [
        s * (w[0] + sum((a * b for a, b in zip(w[1:], row, strict=True)), Fraction(0)))
        for s, row in zip(map(int, verdict.table.y), zip(*points, strict=True), strict=True)
    ]
    assert min(agreements) > 0
    assert min(agreements) ** 2 / sum(v * v for v in w) == rho
    assert proof["refusal"] is None
    assert data["line"]["weights"] == verdict.winner.weights.tolist()


@pytest.mark.parametrize("columns", [20, 60, 100])
def test_sections_of_any_width_lose_no_figure(columns):
    verdict = table(("[red]a[/red]", "b"))
    shown = full_text([*sections(verdict).values()], ANSWER, words_of("en"), columns)
    assert "[red]a[/red]" in shown
    assert shown.count(ANSWER) == 2
    for section in sections(verdict).values():
        assert section.title.upper() in shown
        for line in wrapped(section.sentences, columns):
            assert len(line) <= columns or " " not in line.replace(" %", "")
    for result in verdict.results:
        assert f"{result.name} *" in shown or f"{result.name}  " in shown
        assert percent(result.e_in) in shown


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
    assert "3 labels in column y, asked as 3 yes / no questions." in words
    assert "yes (proven) for low, top; no (proven) for mid [one against the rest]." in words
    assert "mid: Linearly separable? No (proven): rows " in words
    assert "low (12 rows), mid (12 rows) and top (12 rows)" in words
    best = lines.winner
    assert best.n_errors == 0
    assert f"Selected model: {best.name}: cross-validated error " in words
    assert "Mistakes on these rows: 0 of 36." in words
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
    assert any(w.startswith("'low' and 'top': ") for w in found)


def test_hostile_names_of_classes_are_shown_as_text():
    found = verdict(("\u202eevil\x1b[31m", "x" * 500), ("<b>", "[red]", "\u202e!\n"))
    text = to_text(found)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "x" * 100 not in text
    assert "[red]  " in text
    assert json.loads(to_json(found))["table"]["labels"] == ["<b>", "[red]", "\u202e!\n"]


def test_a_warning_that_one_question_has_often_is_not_told_of_all():
    y = np.repeat(["low", "mid", "top"], 12)
    X = 5.0 * (y == "low")[:, np.newaxis] + np.random.default_rng(0).random((36, 3))
    found = warnings_of(judge(X, y, feature_names=["a", "a", "a"], multiclass="ova"))
    assert [w for w in found if "alone separates" in w] == [
        "'low': column 'a' alone separates: is it known before the answer is?"
    ]
