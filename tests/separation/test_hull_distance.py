"""The widest street between the classes: exact bounds, against brute force and by known answers."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import separability
from separatrix.separation import max_margin


def plane_distance(yes, no):
    """The distance of two hulls in the plane: of a corner from an edge, or a corner."""

    def to_edge(p, a, b):
        length = (b - a) @ (b - a)
        t = 0.0 if length == 0 else min(1.0, max(0.0, (p - a) @ (b - a) / length))
        return np.linalg.norm(p - a - t * (b - a))

    best = math.inf
    for one, other in ((yes, no), (no, yes)):
        for p in one:
            for a, b in itertools.combinations_with_replacement(other, 2):
                best = min(best, to_edge(p, a, b))
    return best


@pytest.mark.parametrize(
    ("X", "y", "width"),
    [
        ([[0.0, 0.0], [3.0, 4.0]], [0, 1], 5.0),
        ([[0.0], [1.0], [4.0]], [0, 0, 1], 3.0),
        ([[0.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [0, 0, 1], 1.0),
        ([[1e8, 0.0], [1e8 + 1.0, 0.0]], [0, 1], 1.0),
        ([[1e-200], [3e-200]], [0, 1], 2e-200),
        ([[-1e200], [1e200]], [0, 1], 2e200),
    ],
)
def test_known_widths(X, y, width):
    lower, upper = separability(X, y).street_width
    assert lower <= width * (1 + 1e-12)
    assert upper >= width * (1 - 1e-12)
    assert upper <= lower * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_of_a_long_table_few_rows_are_asked(form, seed, monkeypatch):
    """Every step read and copied all rows, four times and more: half of the time of a verdict."""
    draw = np.random.default_rng(seed)
    X, w = draw.standard_normal((20_000, 5)) * 2.0 ** draw.integers(-8, 8, 5), np.ones(5)
    score = X @ w + 0.3
    X, score = X[np.abs(score) > 0.2], score[np.abs(score) > 0.2]
    asked = []

    def counted(sample, *others):
        asked.append(sample.n)
        return widest(sample, *others)

    widest = max_margin.maximum_margin
    monkeypatch.setattr(max_margin, "maximum_margin", counted)
    lower, upper = separability(form(X), score > 0).street_width
    assert max(asked) < 4_000
    monkeypatch.setattr(max_margin, "LONG", len(X) + 1)
    other = separability(form(X), score > 0).street_width
    assert max(asked) == len(X)
    assert upper <= lower * (1 + 1e-6)
    assert max(lower, other[0]) <= min(upper, other[1])


@pytest.mark.parametrize("seed", range(12))
def test_the_distance_of_the_hulls_in_the_plane(seed):
    draw = np.random.default_rng(seed)
    X = draw.integers(-9, 10, (12, 2)).astype(float)
    w = draw.integers(-4, 5, 2) + 0.25
    yes = X @ w > 0.1
    assert yes.any()
    assert not yes.all()
    X[yes] += 10.0 * w / np.linalg.norm(w)
    lower, upper = separability(X, yes).street_width
    exact = plane_distance(X[yes], X[~yes])
    assert lower <= exact * (1 + 1e-12)
    assert upper >= exact * (1 - 1e-12)
    assert upper <= lower * (1 + 1e-6)


def test_moving_all_points_changes_the_margin_but_not_the_street():
    draw = np.random.default_rng(1)
    X = draw.standard_normal((200, 4))
    y = X @ [1.0, -2.0, 0.5, 1.0] > 0.2
    near, far = (separability(X + shift, y) for shift in (0.0, 64.0))
    assert near.street_width == pytest.approx(far.street_width, rel=1e-5)
    assert far.margin[1] < 0.5 * near.margin[0]


def test_without_an_intercept_the_street_is_two_margins_wide():
    X, y = [[1.0, 1.0], [-1.0, -2.0], [2.0, 0.5]], [1, 0, 1]
    found = separability(X, y, fit_intercept=False)
    assert found.street_width == pytest.approx([2 * m for m in found.margin], rel=1e-12)
    assert separability(X, y).street_width[0] >= found.street_width[0]


def test_there_is_no_street_where_nothing_separates():
    assert separability([[0.0], [1.0], [0.5], [2.0]], [0, 0, 1, 1]).street_width == (0.0, 0.0)


def test_a_wrong_direction_or_wrong_points_would_not_close(monkeypatch):
    X = np.random.default_rng(3).standard_normal((40, 3))
    y = X @ [1.0, 2.0, -1.0] > 0.1
    right = separability(X, y).street_width
    asked = max_margin.maximum_margin

    def broken(*arguments):
        found = asked(*arguments)
        return type(found)([-w for w in found.weights], found.rho_squared, found.proof)

    monkeypatch.setattr(max_margin, "maximum_margin", broken)
    lower, upper = separability(X, y).street_width
    assert 0.0 < lower < right[0]  # that of the line which separated
    assert upper == right[1]
