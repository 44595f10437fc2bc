"""What doubles settle of rows that pass by, against fractions."""

import random
from fractions import Fraction

import pytest

from separatrix import verify
from tests.hostile.profile import cases
from tests.verify.by_hand import in_memory, points_of

KINDS = {
    "near one": lambda draw: draw.gauss(0, 1),
    "of heavy tails": lambda draw: draw.gauss(0, 1) * 10.0 ** draw.choice([0, 0, 0, 5, 12]),
    "of many ties": lambda draw: float(draw.randint(-1, 1)),
    "far apart": lambda draw: draw.choice([-1, 1]) * 2.0 ** draw.randint(-300, 300),
    "below all digits": lambda draw: draw.gauss(0, 1) * 5e-324 * draw.choice([1, 10, 1e10]),
    "near the largest": lambda draw: draw.uniform(-1, 1) * 1.7e308 * draw.choice([1, 1e-10]),
}


def agreements(table, w):
    return [
        y * sum(a * Fraction(b) for a, b in zip(w, x, strict=True))
        for y, x in zip(table.y, points_of(table), strict=True)
    ]


def drawn(draw, number) -> tuple[verify.Table, list[Fraction]]:
    """A table, and a line that often goes through one of its points and separates the others."""
    d, n = draw.randint(1, 5), draw.randint(1, 40)
    x0 = float(draw.random() < 0.7)
    points = [[x0, *(number(draw) for _ in range(d))] for _ in range(n)]
    table = in_memory(points, [draw.choice([-1, 1]) for _ in range(n)], intercept=bool(x0))
    w = [Fraction(draw.choice([draw.gauss(0, 1), 1.0, 0.0, 1e-200, 1e200])) for _ in range(d + 1)]
    w[0] *= table.intercept
    through, j = draw.choice(points), draw.randint(0 if table.intercept else 1, d)
    if draw.random() < 0.7 and through[j]:
        w[j] -= sum(a * Fraction(b) for a, b in zip(w, through, strict=True)) / Fraction(through[j])
    if draw.random() < 0.6:
        signs = [(a > 0) - (a < 0) for a in agreements(table, w)]
        table.y = [
            y * sign if sign and draw.random() < 0.97 else y
            for y, sign in zip(table.y, signs, strict=True)
        ]
    return table, w


def in_tiles(table, size):
    for k in range(0, table.n, size):
        yield table.take(range(k, min(k + size, table.n)))


@pytest.mark.parametrize("kind", KINDS)
def test_tiles_say_of_a_line_what_fractions_say(kind):
    draw = random.Random(kind)
    for _ in range(cases(60, 20_000)):
        table, w = drawn(draw, KINDS[kind])
        survey, radius = verify.Survey(table, w), verify.Radius()
        for tile in in_tiles(table, draw.choice([1, 3, 11, 100])):
            survey.add(tile)
            radius.add(tile)
        exact = agreements(table, w)
        wrong = [n for n, a in enumerate(exact, 1) if a <= 0]
        below = [n for n, a in enumerate(exact, 1) if a < 0]
        if not wrong:
            assert survey.least() == min(exact)
        assert (survey.n_wrong, survey.n_on, survey.weight) == (
            len(wrong), exact.count(0), len(wrong)
        )  # fmt: skip
        assert survey.first_wrong == (f"line {wrong[0]}" if wrong else "")
        assert survey.first_below == (f"line {below[0]}" if below else "")
        assert radius.square == max(sum(Fraction(v) ** 2 for v in x) for x in points_of(table))
