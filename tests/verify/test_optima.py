"""Optima: what a line and a few rows show of the least errors of all lines."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted
from tests.hostile.profile import cases
from tests.verify import by_hand as by
from tests.verify.arrays import in_tiles
from tests.verify.by_hand import LOGISTIC, PENALISED, SQUARES, THIRDS, TWO


def bounds_of(table, claim):
    asking = verify.bounds_of_optimum(table, verify.Part(claim))
    table.observed(*next(asking))
    try:
        next(asking)
    except StopIteration as stop:
        return stop.value


def gap_of(data, claim, **more):
    """The relative gap that is said of a claim."""
    text = by.said(data, by.proof_of(data, [claim], **more))
    return float(text.split("a relative ")[1].removeprefix("about ").split()[0])


def test_least_squares_of_and_by_hand():
    text = by.said(by.AND, by.proof_of(by.AND, [SQUARES]))
    assert "a relative 0 below" in text
    assert text.endswith("the line of claim 1, 1.")
    near = {**SQUARES, "weights": [-1.5, 1, 1.25]}  # 1.125 against 1
    assert gap_of(by.AND, {**near, "line": [-1.5, 1, 1]}) == pytest.approx(1 / 9, rel=1e-5)
    # by itself it shows less: sums (0.5, 0.25, 0.5) less are moved on rows 0, 1, 2
    assert gap_of(by.AND, near) == pytest.approx(
        sum(a * a for a in np.linalg.solve([[1, 1, 1], [0, 0, 1], [0, 1, 0]], [0.5, 0.25, 0.5]))
        / 1.125, rel=1e-5,
    )  # fmt: skip


def test_logistic_regression_by_hand():
    text = by.said(THIRDS, by.proof_of(THIRDS, [LOGISTIC]))
    assert f"about {6 * math.log(3) - 4 * math.log(2):.5f}" in text
    assert 0 < gap_of(THIRDS, LOGISTIC) < 1e-30
    off = {**LOGISTIC, "weights": [0.5, 0]}
    gap, best = gap_of(THIRDS, off), gap_of(THIRDS, {**off, "line": [math.log(2), 0]})
    attained = 2 * math.log1p(math.exp(0.5)) + 4 * math.log1p(math.exp(-0.5))
    assert best == pytest.approx(1 - (6 * math.log(3) - 4 * math.log(2)) / attained, rel=1e-5)
    # each share is to move the sum of the column x by what is missing there
    theta = 1 / (1 + math.exp(0.5))
    missing = (1 - theta) - 2 * theta
    moved = 2 * missing**2 / (theta * (1 - theta))
    assert gap == pytest.approx(moved / attained, rel=1e-5)
    assert gap > best


def test_a_penalty_is_paid_for_sums_that_are_not_met():
    theta = 1 / (1 + math.exp(1.2))
    attained = 2 * math.log1p(math.exp(-1.2)) + 1.2**2 / 4
    text = by.said(TWO, by.proof_of(TWO, [PENALISED]))
    assert "C = 2, w_0 left out" in text
    assert f"at most about {attained:.5f}" in text
    assert gap_of(TWO, PENALISED) == pytest.approx((2 * theta - 0.6) ** 2 / attained, rel=1e-5)
    through = {**PENALISED, "columns": [], "rows": []}
    assert gap_of(TWO, through, intercept=False) == pytest.approx(gap_of(TWO, PENALISED))
    # a column that is met costs nothing but the moves: those of row 1 and row 0 are equal
    met = gap_of(TWO, {**PENALISED, "columns": [0, 1], "rows": [0, 1]})
    assert met == pytest.approx(2 * (theta - 0.3) ** 2 / (theta * (1 - theta)) / attained, rel=1e-5)
    # what balances the intercept moves the other column's sum too
    odd = by.csv_of([(-1, "n"), (1, "y"), (3, "y")])
    shares = [1 / (1 + math.exp(1.2)), 1 / (1 + math.exp(1.2)), 1 / (1 + math.exp(3.6))]
    move, at = shares[2], shares[1]
    short = abs(0.6 - 2 * at - 3 * shares[2]) + move
    attained = sum(-math.log1p(-p) for p in shares) + 1.2**2 / 4
    expected = move**2 / (at * (1 - at)) + short**2
    assert gap_of(odd, PENALISED) == pytest.approx(expected / attained, rel=1e-5)


REFUSED = {
    "a penalty on least squares": (by.AND, {**SQUARES, "C": 1}, CannotCheck, "C is not positive"),
    "C is 0": (TWO, {**PENALISED, "C": 0}, CannotCheck, "C is not positive"),
    "C is below 0": (TWO, {**PENALISED, "C": -1}, CannotCheck, "C is not positive"),
    "an intercept not met": (
        TWO, {**PENALISED, "columns": [1]}, Refuted, "the sum of the intercept is not met"),
    "a column not met": (by.AND, {**SQUARES, "columns": [0, 1], "rows": [0, 2]}, Refuted,
                         "do not make up all others"),
    "a column that there is not": (by.AND, {**SQUARES, "columns": [0, 1, 2, 3]}, CannotCheck,
                                   "column that the table lacks"),
    "a vector that does not vanish": (
        by.AND, {**SQUARES, "columns": [0, 1], "rows": [0, 2], "null_space": [[0, 0, 1]]},
        Refuted, "said to vanish"),
    "a vector that makes up nothing": (
        by.FLAT, {**SQUARES, "weights": [0, 1, 0], "columns": [0], "rows": [0],
                  "null_space": [["5", "0", "-1"]]}, Refuted, "do not make up all others"),
    "fewer rows than columns": (by.AND, {**SQUARES, "rows": [0, 1]}, Refuted, "not as many"),
    "more rows than columns": (by.AND, {**SQUARES, "rows": [0, 1, 2, 3]}, Refuted, "not as many"),
    "rows that depend on each other": (
        THIRDS, {**LOGISTIC, "rows": [0, 1]}, Refuted, "not independent"),
    "a row that there is not": (by.AND, {**SQUARES, "rows": [0, 1, 4]}, CannotCheck, "lacks"),
    "a share below 0": (THIRDS, {**LOGISTIC, "weights": [20, 0]}, Refuted, "from 0 to 1"),
    "a share above 1": (THIRDS, {**LOGISTIC, "weights": [-20, 0]}, Refuted, "from 0 to 1"),
    "other errors": (by.AND, {**SQUARES, "errors": "hinge"}, CannotCheck, "'errors'"),
    "an old dual": (by.AND, {**SQUARES, "dual": [0.5]}, CannotCheck, "'dual'"),
    "a direction": (by.AND, {**SQUARES, "direction": []}, CannotCheck, "'direction'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_proves_no_optimum_is_refused(name):
    data, claim, error, reason = REFUSED[name]
    with pytest.raises(error, match=reason):
        by.said(data, by.proof_of(data, [claim]))


def test_lines_through_the_origin_have_no_intercept():
    with pytest.raises(CannotCheck, match="the line has an intercept"):
        by.said(by.AND, by.proof_of(by.AND, [SQUARES], intercept=False))
    claim = {**SQUARES, "weights": [0, 0, 0], "columns": [1, 2], "rows": [1, 2]}
    assert "a relative 0 below" in by.said(by.AND, by.proof_of(by.AND, [claim], intercept=False))


def test_columns_that_others_make_up_need_not_be_met():
    claim = {
        **SQUARES, "weights": [-0.5, 0, 0], "columns": [0, 1], "rows": [0, 2],
        "null_space": [["5", "0", "-1"]],
    }  # fmt: skip
    assert 1 / 33 < gap_of(by.FLAT, claim) < 0.05  # 8 / 3 against 11 / 4


def test_an_optimum_at_zero_is_one():
    data = by.csv_of([(0, "n"), (0, "y"), (1, "n"), (1, "y")])
    best = {**LOGISTIC, "weights": [0, 0], "rows": [0, 2]}
    assert gap_of(data, best) < 1e-30
    assert gap_of(data, {**best, "errors": "least squares"}) == 0
    # what is left is the rounding: of the sum both ways, and of the shares, which are 1 / 2 here
    table = by.opened(data, by.proof_of(data, [best]))
    attained, least = bounds_of(table, best)
    slack = Fraction(4 * (2 * verify.OFF + verify.ROUNDED), verify.UNIT)
    assert slack <= attained - least < slack * Fraction(1001, 1000)
    at = verify.Errors("logistic", [Fraction(0)] * 2)
    assert verify.gap_of_moves(table.take([0]), at, [Fraction(0)]) > 0


def random_claim(rng):
    """A table of few rows with weights, and what may be said of it."""
    n, d = int(rng.integers(3, 9)), int(rng.integers(1, 3))
    x0 = bool(rng.random() < 0.8)
    X = rng.integers(-3, 4, (n, d)) * rng.choice([1.0, 0.5, 1e-3, 1e6])
    y, m = rng.choice(["n", "y"], n), rng.choice([1.0, 2.0, 0.3], n)
    y[:2] = "n", "y"
    data = by.csv_of([(*x, w, s) for x, w, s in zip(X.tolist(), m.tolist(), y, strict=True)])
    size = np.abs(X).max() + 1e-9
    line = rng.normal(size=1 + d) / np.array([1.0, *[size] * d]) * rng.choice([0.1, 1, 9])
    line[0] *= x0
    errors = rng.choice(["logistic", "least squares"])
    C = float(rng.choice([0.1, 1, 1e4])) if errors == "logistic" and rng.random() < 0.5 else None
    usable = list(range(0 if x0 else 1, 1 + d))
    columns = [k for k in usable if rng.random() < (0.5 if C else 0.95)]
    claim = {
        "kind": "optimum", "errors": str(errors), "weights": line.tolist(),
        "columns": columns, "rows": rng.permutation(n)[: len(columns)].tolist(), "null_space": [],
    }  # fmt: skip
    claim |= {} if C is None else {"C": C}
    Z = np.where(y == "y", 1.0, -1.0)[:, None] * np.column_stack((np.full(n, float(x0)), X))
    if rng.random() < 0.7:
        near = best(Z, m, claim) * rng.normal(1, rng.choice([0.01, 0.1]), 1 + d)
        claim["line"] = near.tolist()
    proof = by.proof_of(data, [claim], intercept=x0)
    proof["table"] |= {"columns": [*range(d)], "weight": d}
    return data, proof, Z, m


def error(Z, m, claim, w):
    """P(w)."""
    if claim["errors"] == "least squares":
        return m @ (1 - Z @ w) ** 2
    ridge = w[1:] @ w[1:] / (2 * claim.get("C", np.inf))
    return m @ np.logaddexp(0, -(Z @ w)) + ridge


def best(Z, m, claim):
    """A line near the optimum: whatever its errors are, it attains them."""
    root = np.sqrt(m)
    if claim["errors"] == "least squares":
        return np.linalg.lstsq(Z * root[:, None], root, rcond=None)[0]
    scale = 1 / np.abs(Z).max(axis=0).clip(1e-9)
    bent = np.where(np.arange(Z.shape[1]), 1 / claim.get("C", np.inf), 0.0)
    bent, A, v = bent * scale**2, Z * scale, np.zeros(Z.shape[1])
    for _ in range(200):
        p = 1 / (1 + np.exp(np.clip(A @ v, -500, 500)))
        H = (A.T * (m * p * (1 - p))) @ A + np.diag(bent + 1e-9)
        step = np.linalg.solve(H, -(A.T @ (m * p)) + bent * v)
        value = error(Z, m, claim, v * scale)
        while error(Z, m, claim, (v - step) * scale) > value and np.abs(step).max() > 1e-12:
            step = step / 2
        v = v - step
    return v * scale


def test_no_bound_is_above_what_a_line_attains():
    rng, shown = np.random.default_rng(0), 0
    for _ in range(cases(300, 4000)):
        data, proof, Z, m = random_claim(rng)
        (claim,) = proof["claims"]
        try:
            table = by.opened(data, proof)
            attained, least = map(float, bounds_of(table, claim))
        except (CannotCheck, Refuted):
            continue
        value = error(Z, m, claim, np.array(claim["weights"]))
        assert attained == pytest.approx(value, rel=1e-9), claim
        assert 0 <= least <= error(Z, m, claim, best(Z, m, claim)) * (1 + 1e-9) + 1e-12, claim
        assert by.said(data, proof)
        shown += least > 0
    assert shown > cases(300, 4000) / 10


@pytest.mark.parametrize("name", ["logistic", "penalised", "squares"])
def test_tiles_say_the_same_as_memory(name, monkeypatch):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(50, 2)), 3)
    y = np.where(X[:, 0] + rng.normal(size=50) > 0, "y", "n")
    data = by.csv_of([(*x, s) for x, s in zip(X.tolist(), y, strict=True)])
    claim = {
        "logistic": {**LOGISTIC, "columns": [2, 0, 1], "rows": [9, 3, 30]},
        "penalised": {**PENALISED, "rows": [7]},
        "squares": {**SQUARES, "rows": [40, 3, 9]},
    }[name]
    Z = np.where(y == "y", 1.0, -1.0)[:, None] * np.column_stack((np.ones(50), X))
    claim |= {"weights": [0, 1, 0], "line": np.round(best(Z, np.ones(50), claim), 4).tolist()}
    proof = by.proof_of(data, [claim])
    text = json.dumps(proof).encode()
    said = verify.statements(text, data)
    in_tiles(monkeypatch, 7, 100)
    assert verify.statements(text, data) == said
    errors = verify.Errors("logistic", [Fraction(0)] * 3)
    by.opened(data, proof).observed(errors)
    assert errors.weight == 50


def test_levels_say_the_same_as_columns_of_their_numbers():
    """A table of columns that are mostly zeros."""
    rng = np.random.default_rng(2)
    X = np.where(rng.random((60, 12)) < 0.1, 1, 0)
    X[:12] |= np.eye(12, dtype=int)
    y = rng.choice(["n", "y"], 60)
    data = by.csv_of([(*x, s) for x, s in zip(X.tolist(), y, strict=True)])
    weights = [0, *(rng.normal(size=12) / 9).tolist()]
    claims = [
        {**SQUARES, "weights": weights, "columns": [*range(1, 13)], "rows": [*range(12)]},
        {**PENALISED, "weights": weights, "columns": [], "rows": []},
    ]
    proof = by.proof_of(data, claims, intercept=False)
    dense = by.said(data, proof)
    proof["table"]["columns"] = [{"index": j, "levels": ["0", "1"]} for j in range(12)]
    at, _ = by.opened(data, proof).columns[1]
    assert len(at) < 60
    assert by.said(data, proof).split("\n")[1:] == dense.split("\n")[1:]


def exactly(a):
    """e^-a and ln(1 + e^-a), to 100 digits."""
    with localcontext(prec=100):
        t = (-Decimal(a.numerator) / Decimal(a.denominator)).exp()
        return Fraction(t), Fraction((1 + t).ln())


def test_likelihoods_and_shares_are_off_by_no_more_than_is_said():
    rng = np.random.default_rng(3)
    ends = [0.0, 1e-12, 2.0**-24, 1 - 2.0**-40, 69.9, 87.99, 88.0, 88.5, 89.5, 200.0]
    for a in [*ends, *(-np.array(ends)), *rng.normal(0, 30, cases(300, 3000))]:
        table = by.in_memory([[1.0, float(a)]], [1], weights=[Fraction(1, 3)])
        at = verify.Likelihood(table, *table.agreements([Fraction(0), Fraction(1)]))
        t, error = exactly(abs(Fraction(float(a))))
        theta = t / (1 + t) if a >= 0 else 1 / (1 + t)
        unit = Fraction(1, verify.UNIT)
        assert abs(at.shares[0] * unit - theta) <= verify.OFF * unit
        if abs(a) < verify.FAR:  # the smaller share is a unit at least
            assert t / (1 + t) >= unit
        else:
            assert at.shares[0] in (0, verify.UNIT)
        low, high = at.bounds()
        true = -(error + max(Fraction(0), -Fraction(float(a)))) / 3
        assert low <= true <= high
        assert high - low == 2 * verify.OFF * unit / 3


def test_moves_are_bounded_whatever_the_sizes_of_the_numbers():
    """Where 128 bits cannot tell that rows are independent, more do."""
    rng = np.random.default_rng(4)
    p = 2.0**26 - 5.0  # a determinant of 1, of numbers of 52 bits
    tables = [np.array([[1, 0, 0], [p, 1, 0], [p, p, 1]]) @ [[1, p, p], [0, 1, p], [0, 0, 1]]]
    for scale in (1.0, 1e200, 1e-200, 2.0**40):
        for near in (1.0, 2.0**-30, 2.0**-50):
            x = rng.integers(-9, 9, (3, 3)).astype(float) * [1.0, scale, 1.0]
            x[2] = x[1] * (1.0 + near * np.array([1.0, 0.0, 0.0]))
            tables.append(x)
    precisions = set()
    for x in tables:
        for columns in (0, 1, 3), (1, 2, 3):
            table = by.in_memory([[1.0, *row] for row in x.tolist()], [1, -1, 1])
            wanted = [Fraction(3, 7), Fraction(x[1, 0]), Fraction(-1, 3)]
            try:
                moves = verify.Moves(table, columns)
            except Refuted:
                continue
            precisions.add(moves.bits)
            points = [*enumerate(by.points_of(table))]
            exact = solved([[Fraction(table.y[n]) * Fraction(r[k]) for n, r in points]
                            for k in columns], wanted)  # fmt: skip
            for bound, true in zip(moves.of(wanted), exact, strict=True):
                assert abs(true) <= bound <= abs(true) + max(map(abs, exact)) * Fraction(1, 10**9)
    assert precisions == {128, 512}


def solved(A, b):
    """The solution of a system of three rationals, by Cramer's rule."""

    def det(M):
        return sum(
            M[0][i] * (M[1][j] * M[2][k] - M[1][k] * M[2][j])
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        )

    swapped = ([[*r[:i], v, *r[i + 1 :]] for r, v in zip(A, b, strict=True)] for i in range(3))
    return [det(M) / det(A) for M in swapped]


def test_rows_that_only_rounding_makes_independent_are_refused():
    rng = np.random.default_rng(5)
    for _ in range(cases(200, 2000)):
        x = np.outer(rng.integers(1, 2**26, 3), rng.integers(1, 2**26, 3)).astype(float)
        table = by.in_memory([[0.0, *row] for row in x.tolist()], [1] * 3, intercept=False)
        with pytest.raises(Refuted, match="not independent"):
            verify.Moves(table.take([0, 1]), [1, 2])


def test_a_gap_is_rounded_up():
    near = {**SQUARES, "weights": [-1.5, 1, 1.25], "line": [-1.5, 1, 1]}  # 1/9 above the least
    assert "a relative about 0.111112 below" in by.said(by.AND, by.proof_of(by.AND, [near]))


@pytest.mark.parametrize(
    ("change", "left_out", "along", "reason"),
    [
        ({}, (), [{0: 1, 1: -1}], "wrong side of a direction"),
        ({}, (), [{0: Fraction(-3, 2), 1: 1}], "wrong side of a direction"),
        ({}, (), [{1: 1}, {0: -1}], "several directions"),
        ({"null_space": []}, (), [{0: -1, 1: 1}], "do not make up"),
        ({"null_space": [["1", "1"]]}, (), [{0: -1, 1: 1}], "said to vanish"),
        ({}, (1,), [{0: -1, 1: 1}], "left out moves"),
        ({"rows": [0]}, (), [{0: -1, 1: 1}], "goes to infinity"),
    ],
)
def test_a_face_is_of_the_rows_that_stay(change, left_out, along, reason):
    table = by.in_memory([[1.0, x] for x in (0.0, 1.0, 1.0, 2.0)], [-1, -1, 1, 1])
    told = {"rows": [1], "columns": [0], "null_space": [["1", "-1"]]}
    at = verify.Errors(verify.LOGISTIC, [Fraction(0)] * 2)
    good = verify.Face(table, verify.Part(told), (), [{0: Fraction(-1), 1: Fraction(1)}])
    assert (good.stay.index, good.gone.index) == ([1, 2], [0, 3])
    assert good.gap(at, good.rows) < Fraction(1, 10**60)
    told |= change
    with pytest.raises((CannotCheck, Refuted), match=reason):
        verify.Face(table, verify.Part(told), left_out, along).gap(at, told["rows"])
    with pytest.raises(Refuted, match="no row stays"):
        verify.Face(table.take([0, 3]), verify.Part({**told, "rows": [0]}), (), [{0: -1, 1: 1}])
