"""The largest margin and the widest street, from both sides; of tables with levels too."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import InputError, separability
from separatrix.separation import max_margin
from tests.separation.checks import check
from tests.separation.draws import rng


def test_brackets_close():
    for seed in range(12):
        r = rng(seed)
        n, d = int(r.integers(5, 200)), int(r.integers(1, 12))
        X = r.standard_normal((n, d)) * 10.0 ** r.integers(-4, 5, d)
        w = r.standard_normal(d) / np.abs(X).max(axis=0)
        y = np.where(X @ w + 0.1 > 0, 1, -1)
        if len(set(y)) < 2:
            continue
        for fit_intercept in (True, False):
            found = separability(X, y, fit_intercept=fit_intercept)
            if found.separable:
                low, high = found.margin
                assert 0 < low <= high <= low * (1 + 2e-6)
                assert found.verify(X, y)


def test_the_least_point_of_a_known_hull():
    # z = (-1, 1) and (1, 2): the nearest point of that segment is (-1, 1) + 1/5 (2, 1)
    found = separability([[-1.0], [2.0]], [0, 1])
    assert found.rho_squared == Fraction(9, 5)
    assert found.mistake_bound == 2  # 5 / (9 / 5)
    assert found.margin[1] == pytest.approx(1.8**0.5, rel=1e-15)


def test_a_margin_far_below_the_radius_is_closed_over_the_rationals():
    for exponent in (20, 34, 44):
        r = rng(exponent)
        X = r.integers(-8, 9, (60, 4)).astype(float)
        X[:, 3] = X[:, :3] @ [1.0, 2.0, 3.0]
        y = np.where(np.arange(60) % 2, 1, -1)
        X[:, 3] += y * 2.0**-exponent
        found = check(X, y, "separable")
        assert found.margin[0] <= found.margin[1] <= found.margin[0] * (1 + 2e-6)
        assert found.margin[1] >= 2.0**-exponent / 15**0.5 * (1 - 1e-9)


def test_a_table_that_was_written_to_is_not_judged_further():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0]]), [0, 0, 1]
    found = separability(X, y)
    X[2] = -5.0
    with pytest.raises(InputError, match="has changed"):
        _ = found.margin
    X[2] = 3.0
    assert found.margin[0] > 0


TOLERANCE = 1e-6


def with_numbers(n: int, levels: int, seed: int) -> tuple[sp.csr_array, np.ndarray]:
    """Return separable rows: two numbers, then one of some levels."""
    random = np.random.default_rng(seed)
    level = random.permutation(np.arange(n) % levels)
    numbers = np.round(random.normal([50.0, 1000.0], [10.0, 300.0], (n, 2)), 2)
    weights = np.linspace(-3.0, 3.0, levels)
    scores = (numbers - [50.0, 1000.0]) @ [0.1, 0.003] + weights[level]
    clear = np.abs(scores) > 0.05
    one_hot = sp.csr_array((np.ones(n), (np.arange(n), level)), shape=(n, levels))
    X = sp.csr_array(sp.hstack([numbers, one_hot]))
    return sp.csr_array(X[clear]), np.where(scores[clear] > 0.0, 1.0, -1.0)


def test_of_distinct_levels_alone_it_is_one_over_the_root_of_their_number() -> None:
    n = 200
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    low, high = separability(sp.eye_array(n, format="csr"), y).margin
    assert low <= n**-0.5 <= high <= low * (1.0 + TOLERANCE)


def test_it_is_proven_and_the_same_for_dense_and_sparse_rows() -> None:
    X, y = with_numbers(300, 300, 7)
    found = [separability(table, y).maximum_margin for table in (X, X.toarray())]
    assert found[0] is not None
    assert found[0].closes(TOLERANCE)
    assert found[0].verify(X, y)
    assert found[1] is not None
    assert found[0].claim() == found[1].claim()


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
