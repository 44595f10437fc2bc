"""Tables on which float solvers answer wrongly, whose answer is known by construction."""

import numpy as np
import pytest

from separatrix.version_space.agreement import agree
from tests.separation.checks import check
from tests.separation.draws import rng


def planted(r, fit_intercept, kind):
    """Integers whose verdict is known: a line, or a point of one class in the hull of the other."""
    n, d = int(r.integers(8, 40)), int(r.integers(1, 7))
    X = r.integers(-20, 21, (n, d)).astype(float)
    if kind == "line":
        w = r.integers(-9, 10, d + 1).astype(float)
        scores = X @ w[1:] + (w[0] if fit_intercept else 0.0)
        X, y = X[scores != 0], np.sign(scores[scores != 0])
    else:
        y = np.where(r.random(n) < 0.5, 1.0, -1.0)
        y[0] = 1.0
        weights = np.where(y > 0, r.integers(0, 4, n), 0)
        weights[0] += 1
        total = weights.sum() if fit_intercept else int(r.integers(1, 4))
        X, y = np.vstack([X * total, weights @ X]), np.append(y, -1.0)
    return X, y


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_five_hundred_integer_problems(fit_intercept):
    decided = 0
    for seed in range(250):
        for kind in ("line", "hull"):
            X, y = planted(rng([seed, fit_intercept]), fit_intercept, kind)
            if len(set(y)) < 2:
                continue
            found = check(X, y, fit_intercept=fit_intercept)
            assert found.separable is (kind == "line")
            decided += 1
    assert decided > 470


@pytest.mark.parametrize("gap", [2.0**-27, 2.0**-40, 2.0**-52])
@pytest.mark.parametrize("d", [1, 4, 12])
def test_exact_margins_and_exact_overlaps(gap, d):
    """Rows on both sides of a plane at a known distance, on a grid that doubles hold exactly."""
    r = rng(d)
    base = r.integers(-64, 65, (12 * d, d)) / 64.0
    X = np.column_stack([np.vstack([base, base]), np.repeat([gap, -gap], len(base))])
    y = np.repeat([1, -1], len(base))
    found = check(X, y, "separable")
    assert found.margin[1] == pytest.approx(gap, rel=1e-5)
    assert found.margin[0] == pytest.approx(gap, rel=1e-5)
    check(X, -y, "separable")
    # the same rows, each class with a point of the other side among its own
    inside = np.vstack([X[: len(base)].mean(axis=0), X[len(base) :].mean(axis=0)])
    inside[:, :-1] = 0.0
    crossed = np.vstack([X, inside * [[1.0] * d + [1.0]] * [[1.0], [1.0]]])
    assert check(crossed, np.append(y, [-1, 1])).separable is False


def test_overlaps_of_one_in_a_hundred_million_are_overlaps():
    """A detector for R (firthmodels ports it) calls these separated."""
    for overlap in (1e-8, 1e-10, 1e-12):
        x = np.append(np.linspace(-1, overlap, 20), np.linspace(0, 1, 20))
        y = np.repeat([0, 1], 20)
        check(x[:, None], y, "overlapping")
        wide = np.column_stack([np.append(x, x), np.repeat([-1.0, 1.0], 40)])
        check(wide, np.append(y, y), "overlapping")
        x = np.append(np.linspace(-1, -overlap, 20), np.linspace(0, 1, 20))
        assert check(x[:, None], y, "separable").margin[0] > 0.0


def test_what_diverges_does_not_depend_on_units():
    r = rng(4)
    X = np.column_stack([r.standard_normal((60, 2)), r.random(60) < 0.15])
    y = np.where(r.random(60) < 0.5, 1, 0)
    y[X[:, 2] == 1] = 1
    found = check(X, y, "touching")
    assert found.diverging == {3: 1}
    for scales in ([1e-8, 1e8, 1e-6], [1e150, 1e-150, 1e12], [1.0, 1e-300, 1e300]):
        again = check(X * scales, y, "touching")
        assert again.diverging == {3: 1}


@pytest.mark.parametrize("scales", [[1e150, 1e-150, 1.0], [1e-150, 1e150, 1e-150]])
def test_margins_at_any_scale_are_bracketed(scales):
    r = rng(7)
    X = r.standard_normal((50, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0.2, 1, -1)
    found = check(X * scales, y, "separable")
    assert 0 < found.margin[0] <= found.margin[1] <= found.margin[0] * (1 + 1e-5)
    answers = ["yes" if s > 0 else "no" for s in y[:5]]
    assert agree(X * scales, y, X[:5] * scales).tolist() == answers


def test_collinear_up_to_one_in_a_hundred_million():
    r = rng(5)
    for seed in range(5):
        X = rng(seed).standard_normal((80, 3))
        almost = X @ [1.0, 2.0, -1.0] * (1 + 1e-8 * r.standard_normal(80))
        s = X @ [1.0, -1.0, 0.5]
        for y in (np.where(s > 0, 1, -1), np.where(s + 0.5 * r.standard_normal(80) > 0, 1, -1)):
            found = check(np.column_stack([X, almost]), y)
            assert (found.rank, found.aliased) == (5, ())
            assert found.separable is not None


def test_duplicates_with_both_labels_in_every_place():
    r = rng(6)
    X = r.integers(-2, 3, (300, 3)).astype(float)
    y = np.where(X.sum(axis=1) + 0.5 > 0, 1, -1)
    check(X, y, "separable")
    for n in (0, 150, 299):
        found = check(np.vstack([X, X[n]]), np.append(y, -y[n]))
        assert found.separable is False
        assert found.refusal.rows == (found.refusal.rows[0], 300)
        assert found.refusal.multipliers == (1, 1)


def grid_beside_a_plane(r):
    """Whole points on both sides of x_4 = 0, by 2^-40 of the others."""
    X = np.column_stack([r.integers(-64, 65, (60, 3)), np.repeat([1.0, -1.0], 30) * 2.0**-40])
    return X, np.repeat([1, -1], 30)


def overlap_of_one_unit(r):
    """The same with a point of each class as far on the other side: 1e-12 of the largest."""
    X, y = grid_beside_a_plane(r)
    inside = np.array([[0.0, 0.0, 0.0, 2.0**-40], [0.0, 0.0, 0.0, -(2.0**-40)]])
    corners = [[64.0 * a, 64.0 * b, 64.0 * c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    around = np.column_stack([corners * 2, np.repeat([2.0**-40, -(2.0**-40)], 8)])
    return np.vstack([X, around, inside]), np.concatenate([y, np.repeat([1, -1], 8), [-1, 1]])


def columns_of_any_scale(r):
    X, y = grid_beside_a_plane(r)
    return X * [1e150, 1e-150, 1.0, 2.0**40 * 1e-150], y


def overlap_at_any_scale(r):
    X, y = overlap_of_one_unit(r)
    return X * [2.0**490, 2.0**-490, 1.0, 2.0**-450], y


def almost_collinear(r):
    """The difference of two columns, 1e-8 of them, tells the classes apart."""
    X, y = r.integers(-9, 10, (60, 2)).astype(float), np.repeat([1, -1], 30)
    return np.column_stack([X, X[:, 0] + X[:, 1] + y * 2.0**-27]), y


def one_row_with_both_labels(r):
    X, y = almost_collinear(r)
    return np.vstack([X, X[7]]), np.append(y, -y[7])


@pytest.mark.parametrize(
    ("table", "separable"),
    [
        (grid_beside_a_plane, True),
        (overlap_of_one_unit, False),
        (columns_of_any_scale, True),
        (overlap_at_any_scale, False),
        (almost_collinear, True),
        (one_row_with_both_labels, False),
    ],
)
def test_an_intercept_and_a_column_of_ones_are_one_question(table, separable):
    """And its answer is known by construction; without either, the origin may be in the way."""
    for seed in range(4):
        X, y = table(rng(seed))
        assert check(X, y).separable is separable
        ones = np.column_stack([X, np.ones(len(X))])
        assert check(ones, y, fit_intercept=False).separable is separable
        mirrored, both = np.vstack([X, -X]), np.append(y, -y)  # through the origin or not at all
        assert check(mirrored, both, fit_intercept=False).separable is separable
        assert check(mirrored, both).separable is separable
