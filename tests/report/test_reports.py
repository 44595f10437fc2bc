"""What people read: text, terminal and JSON say the same and survive hostile names."""

import json
from fractions import Fraction

import numpy as np
import pytest

from separatrix import judge, to_json, to_text
from separatrix.report.sections import sections
from separatrix.report.text import full_text, wrapped
from separatrix.report.wording import joined, percent, plain
from separatrix.report.words import words_of

ANSWER = "Separable."
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def table(names=("a", "b")):
    X = np.repeat(XOR, 5, axis=0) + np.arange(20.0)[:, None] * [0.01, 0.0]
    y = ["no" if a + b < 1.5 else "yes" for a, b in X]
    return judge(X, y, feature_names=list(names))


def test_text_says_proven_only_with_a_checked_proof():
    text = to_text(table())
    assert "Linearly separable, proven" in text
    assert "floor(R^2 / rho^2)" in text
    xor = judge(np.repeat(XOR, 6, axis=0), [0] * 6 + [1] * 12 + [0] * 6)
    text = to_text(xor)
    assert "Not linearly separable, proven: rows " in text
    assert "contradict each other" in text
    assert "weighted average" in text
    pair = to_text(judge([[1.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]))
    assert "rows 0 and 1 have the same values and opposite answers" in pair
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
    shown = full_text(sections(verdict), ANSWER, words_of("en"), columns)
    assert "[red]a[/red]" in shown
    assert shown.count(ANSWER) == 2
    for section in sections(verdict):
        assert section.title.upper() in shown
        for line in wrapped(section.sentences, columns):
            assert len(line) <= columns or " " not in line.replace(" %", "")
    for result in verdict.results:
        assert f"{result.name} *" in shown or f"{result.name}  " in shown
        assert percent(result.e_in) in shown


def test_hostile_names_are_shown_as_text():
    names = ("\u202eevil\x1b[31m\n", "x" * 10_000)
    text = to_text(table(names))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "x" * 100 not in text
    assert json.loads(to_json(table(names)))["table"]["features"] == list(names)


def test_small_words():
    assert plain("a\tb\u2028") == "a\\u0009b\\u2028"
    assert percent(0.12345) == "12.35 %"
    assert percent(None) == "-"
    assert joined(["1"]) == "1"
    assert joined(["1", "2", "3"]) == "1, 2 and 3"
    assert joined([str(k) for k in range(20)], most=3) == "0, 1, 2 and 17 more"
