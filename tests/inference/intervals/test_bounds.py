"""Likelihood intervals of rows in blocks: memory's, in brackets that hold, for any blocks."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import coefficient_table
from separatrix.inference.estimates import OfArrays
from separatrix.inference.intervals import intervals
from separatrix.inference.intervals.bounds import WIDEST
from separatrix.inference.intervals.faces import PRECISION
from separatrix.inference.maximum import Maximum, Spread
from separatrix.scale import with_constant
from separatrix.tiles import TILE
from tests.inference.tables import likelihood_intervals
from tests.inference.test_blocks import SIZES, cases, in_blocks

pytestmark = pytest.mark.usefixtures("_few")
WIDTH = 1e-6  # of a standard error: brackets of tables whose columns are well-conditioned


def found_in(table, level=0.95):
    return intervals.likelihood_intervals(Maximum.fitted(table), level)


def some_rows(n=9000, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1, 1e5, 1e-4, 1][:d] + [0, 3e5, 0, 0][:d]
    y = np.where(X[:, 0] - X[:, 3] + rng.logistic(size=n) > 1.5, 1.0, -1.0)
    return X, y, rng.integers(1, 4, n).astype(float)


def end_in_more_digits(table, j, side, q):
    """Solve for the line where the likelihood falls by q and the others are best, in longdouble."""
    of = table.whole()
    Z = np.column_stack([np.ones(of.n), of.X]) * of.y[:, None]
    scale = 1.0 / np.abs(Z).max(axis=0)
    long, weight = (Z * scale).astype(np.longdouble), of.weight.astype(np.longdouble)

    def at(c):
        a = long @ c
        sigma = 1.0 / (1.0 + np.exp(a))
        H = (Z * scale).T * (of.weight * (sigma * (1.0 - sigma)).astype(float)) @ (Z * scale)
        return weight @ np.log1p(np.exp(-a)), (weight * sigma) @ long, H

    c = np.zeros(Z.shape[1], dtype=np.longdouble)
    for _ in range(12):
        _, g, H = at(c)
        c = c + np.linalg.solve(H, g.astype(float))
    top, _, H = at(c)
    u = np.linalg.solve(H, np.eye(c.size)[j])
    c = c + side * np.sqrt(q / u[j]) * u
    for _ in range(12):
        value, g, H = at(c)
        J, r = -H.copy(), -g
        J[j], r[j] = -2.0 * g.astype(float), q - 2.0 * (value - top)
        c = c + np.linalg.solve(J, r.astype(float))
    assert float(abs(r).max()) < 1e-13 * of.n
    return float(c[j] * scale[j])


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_brackets_hold_the_ends_in_more_digits(level):
    X, y, weight = some_rows()
    table = in_blocks(X, y, weight)
    found = found_in(table, level)
    assert not found.reasons
    for j in range(5):
        for k, side in enumerate((-1, 1)):
            inside, outside = found.brackets[j, k]
            end = end_in_more_digits(table, j, side, found.q)
            assert 0.0 < (end - inside) * side < (outside - inside) * side
            assert (outside - inside) * side < WIDTH * (found.upper[j] - found.lower[j])
    assert found.certificate.verify(table)


@pytest.mark.parametrize("name", [name for name in cases() if name != "separable"])
def test_ends_and_statistics_are_those_of_exact_proofs(name):
    X, y, weight, x0 = cases()[name]
    table = in_blocks(X, y, weight)
    found = intervals.likelihood_intervals(Maximum.fitted(with_constant(table, x0)))
    exact = likelihood_intervals(table.whole(), x0)
    assert exact.of.undetermined == found.of.undetermined
    assert found.chi2 == pytest.approx(exact.chi2, rel=1e-8, abs=1e-6, nan_ok=True)
    ours, theirs = (np.sort(each.brackets, axis=2) for each in (found, exact))
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    known = np.isfinite(theirs).all(axis=2)
    assert (ours[known].min(axis=1) <= theirs[known].max(axis=1)).all()
    assert (theirs[known].min(axis=1) <= ours[known].max(axis=1)).all()
    narrow = WIDTH * Maximum.fitted(with_constant(table, x0)).standard_errors(Spread())
    finite = np.isfinite(ours).all(axis=2) & np.isfinite(narrow)[:, None]
    assert ((ours[..., 1] - ours[..., 0] < narrow[:, None]) | ~finite).all()


def levels(n=9000, seed=4):
    """Two columns and twelve levels, some of which have one label only."""
    rng = np.random.default_rng(seed)
    X, level = rng.normal(size=(n, 2)), rng.integers(0, 9, n)
    level[:10], level[10:13], level[13:200] = 9, 10, 11
    y = np.where(X @ [1.0, -0.5] + rng.logistic(size=n) > 0, 1.0, -1.0)
    y[(level == 9) | (level == 11)], y[(level == 10) | (level == 3)] = 1.0, -1.0
    return np.column_stack([X, *(level == k for k in range(1, 12))]).astype(float), y


@pytest.mark.parametrize("name", ["one coefficient diverges", "levels", "separable"])
def test_the_finite_end_of_a_coefficient_that_diverges_is_that_of_memory(name):
    X, y = levels() if name == "levels" else cases()[name][:2]
    X = np.round(X * 8) / 8
    tables = [in_blocks(X, y, None, size) for size in SIZES]
    found = [coefficient_table(table) for table in tables]
    assert len({table.to_json() for table in found}) == 1
    exact = likelihood_intervals(tables[0].whole(), 1.0)
    diverging = np.flatnonzero(np.isinf(exact.of.estimates()))
    assert diverging.size
    for j in diverging:
        row = found[0].rows[j]
        assert row.estimate == exact.of.estimates()[j]
        assert row.chi2 == pytest.approx(exact.chi2[j], rel=1e-8, abs=1e-6)
        for ours, theirs in zip(found[0].brackets[row.name], exact.brackets[j], strict=True):
            assert not np.isnan(ours[0])
            if np.isfinite(theirs[0]):
                assert max(min(ours), min(theirs)) <= min(max(ours), max(theirs))
    assert found[0].verify(tables[1])


def test_an_end_on_a_face_does_not_hold_if_it_or_the_rows_are_moved():
    X, y = levels()
    table = in_blocks(X, y)
    claim = found_in(table).certificate
    (face,) = claim.faces
    assert sum(end.beside is not None for end in face.ends) == 4
    assert claim.verify(table)

    def holds(**changed):
        return replace(claim, faces=(replace(face, **changed),)).verify(table)

    for k, end in enumerate(face.ends):
        if end.beside is None:
            continue
        away, (direction, own) = end.outside - end.inside, end.beside
        for moved in (
            replace(end, outside=end.inside + 0.5 * away),
            replace(end, inside=end.outside + away),
            replace(end, beside=(tuple(-a for a in direction), own)),
            replace(end, beside=((0,) * len(direction), own)),
        ):
            assert not holds(ends=(*face.ends[:k], moved, *face.ends[k + 1 :]))
    assert not holds(lines=(face.lines[0][:1] + face.lines[1][1:], *face.lines[1:]))
    assert not claim.verify(in_blocks(X, np.where(np.arange(len(y)) < 5, -y, y)))


@pytest.mark.parametrize("kind", ["heavy tails", "nearly collinear"])
def test_rows_far_out_and_columns_near_one_another_have_brackets_too(kind):
    X, y, _ = some_rows()
    rng = np.random.default_rng(1)
    if kind == "heavy tails":
        X[:, 1] = rng.standard_cauchy(len(y))
    else:
        X[:, 1] = X[:, 0] + 1e-4 * rng.normal(size=len(y))
    table = in_blocks(X, y)
    found = found_in(table)
    memory = np.sort(likelihood_intervals(table.whole(), 1.0).brackets, axis=2)
    assert not found.reasons
    low, high = np.moveaxis(np.sort(found.brackets, axis=2), 2, 0)
    assert (low <= memory[..., 1]).all()
    assert (memory[..., 0] <= high).all()
    assert (high - low < WIDEST * np.subtract(found.upper, found.lower)[:, None]).all()


def test_rows_that_are_surely_right_do_not_widen_the_brackets_of_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    y = np.where(X.sum(axis=1) + 3e-3 * rng.logistic(size=len(X)) > 0, 1.0, -1.0)
    table = in_blocks(X, y)
    found = found_in(table)
    exact = np.sort(likelihood_intervals(table.whole(), 1.0).brackets, axis=2)
    low, high = np.moveaxis(np.sort(found.brackets, axis=2), 2, 0)
    assert not found.reasons
    assert (low <= exact[..., 1]).all()
    assert (exact[..., 0] <= high).all()
    assert (high - low < WIDTH * found.of.standard_errors(Spread())[:, None]).all()
    assert found.certificate.verify(table)


@pytest.mark.parametrize("seed", [5, 6, 8, 10])
def test_what_is_not_proven_exactly_is_shown_by_reads(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] + rng.logistic(size=300) > 0, 1.0, -1.0)
    X = np.column_stack((X, X[:, 0] + 1e-6 * rng.normal(size=300))) + 1e4
    table = coefficient_table(X, y)
    assert isinstance(table.proofs[-1], OfArrays)
    assert not np.isnan(list(table.brackets.values())).any()
    assert table.verify(X, y)


@pytest.mark.parametrize(
    ("seed", "shift", "near"), [(0, 9e3, 3e-4), (1, 3e4, 3e-4), (2, 2e6, 1e-3)]
)
def test_proofs_of_columns_far_from_zero_verify(seed, shift, near):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 3))
    y = X[:, 0] + rng.logistic(size=500) > 0
    X = np.column_stack((X, X[:, 0] + near * rng.normal(size=500))) + shift
    assert coefficient_table(X, y).verify(X, y)


def test_what_rounding_decides_is_said_to_be_undecided():
    X, y, _ = some_rows()
    X[:, 1] = X[:, 0] + 1e-8 * np.random.default_rng(1).normal(size=len(y))
    found = found_in(in_blocks(X, y))
    assert {found.reasons[1], found.reasons[2]} == {PRECISION}
    assert np.isnan(found.lower[[1, 2]]).all()


def test_a_claim_holds_of_its_rows_alone_and_not_if_it_is_moved():
    X, y, weight = some_rows()
    table = in_blocks(X, y, weight)
    claim = found_in(table).certificate
    assert claim.verify(table)
    assert claim.verify(in_blocks(X, y, weight, 4 * TILE))
    flipped = np.where(np.arange(len(y)) % 50 == 0, -y, y)
    assert not claim.verify(in_blocks(X, flipped, weight))
    assert not claim.verify(in_blocks(X, y, weight[::-1].copy()))
    assert not claim.verify(in_blocks(X * 1.001, y, weight))
    (at_top,) = claim.faces
    for k, end in enumerate(at_top.ends):
        away = end.outside - end.inside
        for moved in (
            replace(end, outside=end.inside + 0.5 * away),
            replace(end, inside=end.inside + 2.0 * away, outside=end.outside + 2.0 * away),
        ):
            ends = (*at_top.ends[:k], moved, *at_top.ends[k + 1 :])
            assert not replace(claim, faces=(replace(at_top, ends=ends),)).verify(table)
    assert not replace(claim, q=claim.q * 1.0001).verify(table)
