"""Rows of any size: the line of a logistic regression separates, or is said not to."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from separatrix import InputError, LogisticRegression, NoFiniteOptimumWarning, Stopped, separability
from separatrix.plain.score import exact_score
from tests.hostile.profile import cases


def wrong_rows(model, X, y):
    """Rows that are not strictly on their own side of the line, counted in fractions."""
    line = (float(model.intercept_[0]), *map(float, model.coef_[0]))
    w = [Fraction(a) for a in line]
    scores = [exact_score(w, (1, *map(Fraction, x))) for x in np.asarray(X, dtype=float).tolist()]
    return [n for n, s in enumerate(scores) if not (s > 0 if y[n] else s < 0)]


def fitted(X, y, **options):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = LogisticRegression(**options).fit(X, y)
    words = [str(w.message) for w in said if issubclass(w.category, NoFiniteOptimumWarning)]
    return model, words[0] if words else ""


def normal(n=12, d=2):
    return np.random.default_rng(0).standard_normal((n, d))


HUGE = ([[3e301, 0, 0, -1e301], [0, 1, 0, 0], [0, 0, 1, 1e301], [1, 1, 1, 1]], [1, 0, 1, 0])
MIXED = (
    [[3e301, 0, 0, -1e301], [1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, -1, 0]],
    [1, 1, 0, 1, 0],
)
TINY = (
    np.column_stack((normal(), 1e-301 * np.random.default_rng(1).standard_normal(12))),
    normal()[:, 0] > 0,
)
ONLY_TINY = (1e-301 * normal(12, 1), normal(12, 1)[:, 0] > 0)
SMALLEST = (np.column_stack((np.arange(6.0), 5e-324 * np.arange(6))), np.arange(6) > 2)
OPPOSITE = ([[1e300, 1e-300], [1e300, 2e-300], [-1e300, 1e-300]], [0, 1, 1])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("table", [HUGE, MIXED, TINY, ONLY_TINY, SMALLEST, OPPOSITE])
def test_rows_that_a_line_of_doubles_separates_get_one(table, intercept):
    X, y = np.array(table[0], dtype=float), np.array(table[1])
    if separability(X, y, fit_intercept=intercept).verdict != "separable":
        pytest.skip("not separable without an intercept")
    model, words = fitted(X, y, fit_intercept=intercept)
    assert wrong_rows(model, X, y) == []
    assert model.stopped_ is Stopped.SEPARABLE
    assert "usable" in words


def test_decided_rows_of_a_touching_table_are_on_their_own_side_however_small():
    noise = np.random.default_rng(3).standard_normal(12)
    for size in (1e-301, 1e-306, 3e301):
        X = np.column_stack((normal(12, 1), size * (np.arange(12) < 3)))
        y = np.where(np.arange(12) < 3, True, X[:, 0] + noise > 0)
        assert separability(X, y, fit_intercept=False).verdict == "touching"
        model, words = fitted(X, y, fit_intercept=False)
        assert not {0, 1, 2} & set(wrong_rows(model, X, y))
        assert "usable" in words


def test_where_doubles_hold_no_separating_line_the_warning_counts_its_mistakes():
    """w_1 / w_2 would be between neighbours in the Farey sequence: no double is long enough."""
    q = 2**53 - 1
    X, y = np.array([[q, 1 - q], [q + 1, -q], [q + 1, q + 1]], dtype=float), np.array([1, 0, 1])
    model, words = fitted(X, y, fit_intercept=False)
    wrong = wrong_rows(model, X, y)
    assert wrong
    assert model.stopped_ is Stopped.ROUNDED
    assert f"fails {len(wrong)} of 3 rows" in words
    assert "usable" not in words


def test_a_line_is_called_usable_only_if_the_recount_agrees():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(cases(60, 2000)):
        n, d = rng.integers(3, 9), rng.integers(1, 4)
        exponents = rng.integers(-1070, 1020, (n, d) if rng.random() < 0.5 else (1, d))
        X = np.ldexp(rng.integers(-8, 9, (n, d)) / 8.0, exponents)
        y = rng.random(n) < 0.5
        if y.all() or not y.any():
            continue
        intercept = bool(rng.random() < 0.5)
        proof = separability(X, y, fit_intercept=intercept)
        try:
            model, words = fitted(X, y, fit_intercept=intercept)
        except InputError:  # an optimum of weights that doubles do not hold
            seen.add(f"{proof.verdict}, refused")
            continue
        if "No finite optimum" not in words:
            assert proof.verdict == "overlapping" or model.collinear_
            continue
        seen.add(proof.verdict)
        wrong = wrong_rows(model, X, y)
        if proof.verdict == "separable":
            assert ("usable" in words) == (model.stopped_ is Stopped.SEPARABLE) == (not wrong)
        elif "usable" in words:
            w = [Fraction(a) for a in proof.line]
            rows = [exact_score(w, (int(intercept), *map(Fraction, x))) for x in X.tolist()]
            assert not {n for n, s in enumerate(rows) if s != 0} & set(wrong)
        if "usable" not in words:
            assert model.stopped_ is Stopped.ROUNDED
            assert "rows" in words
    assert {"separable", "touching"} <= seen <= {"separable", "touching", "overlapping, refused"}


def test_units_too_far_apart_for_a_shortest_line():
    """The part of a line in the row space was asked of a singular matrix: a traceback."""
    units = [2.0**879, 2.0**914, 2.0**-933]
    X, y = np.array([[0, 4, 6], [-1, -4, -10], [3, -4, 8]]) * units, np.array([1, 0, 1])
    model, _ = fitted(X, y, fit_intercept=False)
    assert wrong_rows(model, X, y) == []
