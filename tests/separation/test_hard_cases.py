"""Tables on which float solvers answer wrongly, and solvers that are broken on purpose."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

from separatrix.data import InputError
from separatrix.separation import constraint_generation as few
from separatrix.separation.decide import separability
from separatrix.separation.float_lp import Proposal
from separatrix.version_space.agreement import agree
from tests.separation import oracle
from tests.separation.test_decide import check

rng = np.random.default_rng


# ---------------------------------------------------------------------- known by construction


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


# ---------------------------------------------------------------------- the largest margin


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


# ---------------------------------------------------------------------- broken on purpose


def wrong_sign(points, slack, used, solve):
    line, used, nothing = solve(points, slack, used)
    return -line, used, nothing


def dropped_row(points, slack, used, solve):
    line, used, nothing = solve(points, slack, used)
    return line, used[1:], nothing


def float_no(points, slack, used, solve):
    line, used, _ = solve(points, slack, used)
    return line, used, True


def never_no(points, slack, used, solve):
    line, used, _ = solve(points, slack, used)
    return line, used, False


def early_stop(points, _slack, _used, _solve):
    return points[0], np.array([0]), False


def another_row(points, slack, used, solve):
    line, used, nothing = solve(points, slack, used)
    return line, (used + 1) % len(points), nothing


BROKEN = [wrong_sign, dropped_row, float_no, never_no, early_stop, another_row]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_float_solver_is_caught(broken, monkeypatch):
    solve = few.least_of
    tables = []
    for seed in range(25):
        r = rng(seed)
        X = r.integers(-3, 4, (12, 2)).astype(float) if seed % 2 else r.standard_normal((60, 3))
        y = np.where(X.sum(axis=1) + (0.0 if seed % 3 else r.standard_normal(len(X))) > 0.3, 1, -1)
        if len(set(y)) == 2:
            tables.append((X, y, separability(X, y).verdict, separability(X, y).margin))

    def spoiled(points, slack, used):
        return broken(points, slack, used, solve)

    monkeypatch.setattr(few, "least_of", spoiled)
    monkeypatch.setattr(
        sys.modules["separatrix.separation.iterative_refinement"], "least_of", spoiled
    )
    for X, y, verdict, margin in tables:
        found = check(X, y, verdict)
        assert found.margin[0] <= margin[1]
        assert margin[0] <= found.margin[1]


@pytest.mark.parametrize("kind", ["sign", "rows", "nothing"])
def test_a_broken_linear_program_is_caught(kind, monkeypatch):
    exact_part = sys.modules["separatrix.separation.alternative"]
    solve = exact_part.propose

    def spoiled(cone):
        proposal = solve(cone)
        if kind == "sign":
            return Proposal(-proposal.line, proposal.rows)
        if kind == "rows":
            return Proposal(proposal.line, proposal.rows[1:])
        return Proposal(np.zeros(cone.k), np.zeros(0, dtype=np.int64))

    monkeypatch.setattr(exact_part, "propose", spoiled)
    monkeypatch.setattr(
        sys.modules["separatrix.separation.decide"], "few_rows_tell", lambda _: None
    )
    for seed in range(25):
        X = rng(seed).integers(-2, 3, (9, 2)).astype(float)
        y = np.where(X[:, 0] + 0.5 > 0, 1, -1)
        if seed % 2:
            y[:2] = -y[:2]
        if len(set(y)) == 2:
            check(X, y, oracle.verdict(oracle.signed(X, y, True)))


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch):
    r = rng(8)
    X = r.standard_normal((120_000, 9))  # large enough to be read by several
    s = X @ r.standard_normal(9)
    clean, noisy = np.where(s > 0, 1, -1), np.where(s + r.standard_normal(len(s)) > 0, 1, -1)
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found, other = separability(X, clean), separability(X, noisy)
        answers.append((found.line, found.widest, found.radius, other.witness.multipliers))
    assert answers[0] == answers[1]
    assert answers[0][3]
