"""What the monitor says of every prefix of a stream is what `separability` says of those rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.data import Sample
from separatrix.separation.decide import separability_of
from separatrix.streaming.monitor import MOST, Cones, Monitor
from tests.hostile.profile import examples
from tests.strategies import labelled_grids

LABELS = np.array([-1.0, 1.0])


def sample_of(X, y, x0=1.0):
    return Sample(np.ascontiguousarray(X), y, LABELS, np.ones(len(y)), x0)


def read(X, y, *, x0, batch, keep):
    monitor = Monitor(X.shape[1] + int(x0), keep)
    for start in range(0, len(y), batch):
        part = slice(start, start + batch)
        monitor.take(sample_of(X[part], y[part], x0))
    return monitor


def first_refused(X, y, x0):
    """Return the fewest first rows that are not separable; None if all are separable."""
    for n in range(1, len(y) + 1):
        if not separability_of(sample_of(X[:n], y[:n], x0)).separable:
            return n
    return None


def check(monitor, X, y, x0):
    """Check what a monitor claims against the rows, kept here."""
    refused = first_refused(X, y, x0)
    right = len(y) if refused is None else refused - 1
    assert monitor.n == len(y)
    assert monitor.proven <= right
    if monitor.separable is True:
        assert refused is None
        assert monitor.proven == len(y)
        z = y[:, None] * np.hstack([np.full((len(y), int(x0)), x0), X])
        margin = (z @ monitor.line).min() / np.linalg.norm(monitor.line)
        assert 0.0 <= monitor.margin <= margin * (1.0 + 1e-12)
        assert monitor.radius >= np.sqrt((z * z).sum(axis=1).max())
    elif monitor.separable is False:
        assert refused is not None
        assert refused <= monitor.refused <= len(y)
        assert monitor.contradiction.verify()
        assert max(monitor.contradiction.rows) < monitor.refused
        for row, signed in zip(
            monitor.contradiction.rows, monitor.contradiction.signed, strict=True
        ):
            assert signed.tolist() == (y[row] * np.append([x0] * int(x0), X[row])).tolist()
    else:
        assert monitor.proven < len(y)


@examples(200)
@given(
    table=labelled_grids(max_rows=14),
    x0=st.sampled_from([0.0, 1.0]),
    batch=st.integers(1, 6),
    keep=st.sampled_from([1, 2, 3, 1000]),
)
def test_every_claim_holds_of_the_rows_so_far(table, *, x0, batch, keep):
    X, y = table
    monitor = read(X, y, x0=x0, batch=batch, keep=keep)
    check(monitor, X, y, x0)
    if keep == 1000:  # no row was let go
        assert monitor.separable is (first_refused(X, y, x0) is None)
        assert monitor.refused == first_refused(X, y, x0)


def drawn(n, d, seed=0, gap=0.0):
    """Return rows that a line through them separates, with or without room beside it."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d + 1)
    w /= np.linalg.norm(w[1:])
    X = rng.normal(size=(n, d))
    score = X @ w[1:] + w[0]
    X += gap * np.sign(score)[:, None] * w[1:]
    return X, np.where(score > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("gap", [0.0, 0.2])
@pytest.mark.parametrize("at", [100, 24_575, 24_576, 25_000])
def test_a_contradiction_is_named_at_its_row(gap, at):
    X, y = drawn(30_000, 4, gap=gap)
    score = np.abs(X @ np.linalg.lstsq(X, y, rcond=None)[0])
    row = at + int(np.argmax(score[at : at + 1000]))
    y[row] = -y[row]
    monitor = read(X, y, x0=1.0, batch=1024, keep=100)
    assert monitor.separable is False
    assert (monitor.proven, monitor.refused) == (row, row + 1)
    assert row in monitor.contradiction.rows
    assert monitor.contradiction.verify()


def test_rows_let_go_are_remembered_by_cones():
    X, y = drawn(40_000, 3)
    monitor = read(X, y, x0=1.0, batch=1000, keep=40)
    assert monitor.separable is True
    assert len(monitor._kept.z) <= 80
    assert len(monitor._cones.lines) > 3
    z = y[:, None] * np.hstack([np.ones((len(y), 1)), X])
    assert (z @ monitor.line > 0.0).all()
    assert monitor.margin <= (z @ monitor.line).min() / np.linalg.norm(monitor.line)


def test_when_too_few_rows_are_kept_it_says_that_it_does_not_know():
    X, y = drawn(20_000, 10)
    monitor = read(X, y, x0=1.0, batch=1000, keep=2)
    assert monitor.separable is None
    assert 0 < monitor.proven < len(y)
    assert monitor.margin == 0.0
    row = 19_000
    again = np.vstack([X, X[row], X[row]])
    monitor = read(again, np.append(y, [1.0, -1.0]), x0=1.0, batch=1000, keep=2)
    assert monitor.separable is False  # the two rows cancel, whatever was before
    assert monitor.proven + 1 < monitor.refused == len(again)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_very_long_and_very_short_rows_are_decided_exactly():
    X = np.array([[1e300, 1e-300], [-1e300, 1e-300], [1e-320, 5e-324], [-5e-324, 1e308]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    for x0 in (0.0, 1.0):
        check(read(X, y, x0=x0, batch=1, keep=1000), X, y, x0)
        check(read(X, y, x0=x0, batch=1, keep=1), X, y, x0)


def settle(monitor, X, y, *, x0, batch):
    def read():
        for start in range(0, len(y), batch):
            part = slice(start, start + batch)
            yield sample_of(X[part], y[part], x0), start + np.arange(len(y[part]))

    monitor.settle(read)


@examples(150)
@given(
    table=labelled_grids(max_rows=14),
    x0=st.sampled_from([0.0, 1.0]),
    batch=st.integers(1, 6),
    again=st.integers(1, 6),
    keep=st.sampled_from([1, 2, 3]),
)
def test_rows_read_again_decide_what_was_not_known(table, *, x0, batch, again, keep):
    X, y = table
    monitor = read(X, y, x0=x0, batch=batch, keep=keep)
    settle(monitor, X, y, x0=x0, batch=again)
    check(monitor, X, y, x0)
    refused = first_refused(X, y, x0)
    assert monitor.separable is (refused is None)
    assert monitor.refused == refused


@pytest.mark.parametrize("wrong", [0, 1, 50])
def test_rows_sorted_by_label_are_decided_by_reading_them_again(wrong):
    X, y = drawn(20_000, 4)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    random = np.random.default_rng(0).permutation(len(y))[:wrong]
    y[random] = -y[random]
    monitor = read(X, y, x0=1.0, batch=1000, keep=100)
    assert monitor.separable is None or wrong
    settle(monitor, X, y, x0=1.0, batch=777)
    check_first = monitor.refused
    if not wrong:
        assert monitor.separable is True
        z = y[:, None] * np.hstack([np.ones((len(y), 1)), X])
        assert (z @ monitor.line > 0.0).all()
        assert 0.0 < monitor.margin <= (z @ monitor.line).min() / np.linalg.norm(monitor.line)
        row = sample_of(X[:1], -y[:1])  # and it goes on from there
        monitor.take(row)
        assert (monitor.proven, monitor.refused) == (20_000, 20_001)
        return
    assert monitor.separable is False
    assert monitor.proven == check_first - 1
    assert monitor.contradiction.verify()
    assert max(monitor.contradiction.rows) == check_first - 1
    assert separability_of(sample_of(X[: check_first - 1], y[: check_first - 1])).separable


def cone_of(rows, line):
    lengths = np.linalg.norm(rows, axis=1)
    scores = rows @ line
    known = (scores / lengths).min() * (1 - 1e-12), scores.min() * (1 - 1e-12)
    return np.array([*known, lengths.min(), lengths.max()])


@pytest.mark.parametrize("n_cones", [1, 5, MOST + 40])
def test_a_line_that_cones_hold_is_right_on_all_their_rows(n_cones):
    rng = np.random.default_rng(n_cones)
    cones, gone = Cones(4), []
    truth = np.array([1.0, 0.0, 0.0, 0.0])
    for k in range(n_cones):
        rows = rng.normal(size=(30, 4))
        rows[:, 0] = np.abs(rows[:, 0]) + 0.3
        line = truth + rng.normal(size=4) * 0.02 / (1 + k)
        line /= np.linalg.norm(line)
        cones.add(line, cone_of(rows, line))
        gone.append(rows)
    assert len(cones.lines) == min(n_cones, MOST)
    rows, held = np.vstack(gone), 0
    for size in np.geomspace(1e-3, 1.0, 200):
        u = truth + rng.normal(size=4) * size
        u /= np.linalg.norm(u)
        if cones.hold(u):
            held += 1
            assert (rows @ u > 0.0).all()
            assert (rows @ u).min() >= cones.least_score(u)
            assert not len(cones.violated(u))
        else:
            edges = cones.violated(u)
            assert len(edges)
            assert (edges @ u <= 1e-3).all()
    assert 20 < held < 180


@pytest.mark.parametrize("far", [1e145, 1e150])
def test_the_margin_counts_a_row_too_long_to_be_measured(far):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.001, far]])
    y = np.array([1.0, -1.0, 1.0])
    check(read(X, y, x0=0.0, batch=2, keep=None), X, y, 0.0)
