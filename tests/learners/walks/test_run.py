"""Walks over any source: every bit and attribute is the same, however the table is cut."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.data import read_arrays
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.counts import OF_A_ROW, SHARE
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import ArraySource, NpySource, Rows
from separatrix.scale.checkpoint import Checkpoint
from separatrix.scale.rows import Journal
from separatrix.tiles import TILE
from tests.hostile.profile import examples

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")

SIZES = [TILE, 2 * TILE, 16 * TILE]


def in_blocks(X, y, rows=TILE, **options):
    return Rows(ArraySource(read_arrays(X, y)), rows_in_block=rows, **options)


def everything(model):
    """Return all that a fit leaves, bit for bit."""
    proof = model.certificate_
    claim = [] if proof is None else [type(proof).__name__, proof.x0]
    if hasattr(proof, "rows"):
        claim += [proof.rows, proof.multipliers, proof.squared_bound]
    elif hasattr(proof, "weights"):
        claim += [w if isinstance(w, str) else w.hex() if isinstance(w, float) else w
                  for w in list(proof.weights)]  # fmt: skip
    arrays, numbers = [model.counts_], [model.n_updates_, model.n_iter_]
    if (trace := getattr(model, "trace_", None)) is not None:
        arrays += [trace.start, trace.rows, trace.end]
        numbers += [trace.learning_rate, trace.n_updates, trace.x0]
    arrays += [getattr(model, name) for name in ("coef_", "intercept_", "last_coef_",
               "last_intercept_", "votes_") if hasattr(model, name)]  # fmt: skip
    arrays += getattr(model, "_walk", ())[:-1]  # of votes
    further = [getattr(model, name, None) for name in ("n_visits_", "n_errors_", "n_swaps_",
               "expected_error_bound_")]  # fmt: skip
    bits = [(a.dtype.str, a.shape, a.tobytes()) for a in arrays]
    return bits, numbers, further, model.stopped_, claim, model.classes_.tolist()


@st.composite
def tiled_tables(draw):
    """Few distinct rows of small integers, repeated in another order in each tile of some."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    d, n = draw(st.integers(1, 3)), draw(st.sampled_from([TILE, 2 * TILE + 1, 4 * TILE + 9]))
    few = rng.integers(-3, 4, size=(draw(st.integers(2, 9)), d)).astype(float)
    kinds = rng.integers(len(few), size=n)
    rule = rng.integers(-3, 4, size=d + 1)
    sides = np.where(few @ rule[1:] + rule[0] >= draw(st.sampled_from([-1, 0])), 1, -1)
    X, y = few[kinds], sides[kinds]
    for row in rng.integers(n, size=draw(st.integers(0, 3))):
        y[row] = -y[row]
    y[rng.integers(n)], y[n - 1] = 1, -1
    return X, y


@st.composite
def walkers(draw):
    """A learner that walks in order or at random, with any budgets."""
    kind = draw(
        st.sampled_from([
            sx.Perceptron, sx.AveragedPerceptron, sx.MarginPerceptron, sx.VotedPerceptron,
            sx.PassiveAggressive,
        ])
    )  # fmt: skip
    updates, passes = draw(
        st.sampled_from([(None, 6), (0, 6), (1, 6), (40, None), (None, 0), (None, 1)])
    )
    options = {}
    if kind not in (sx.VotedPerceptron, sx.PassiveAggressive):
        options["learning_rate"] = draw(st.sampled_from([1.0, 0.3]))
    if kind is sx.PassiveAggressive:
        options["variant"] = draw(st.sampled_from(["PA", "PA-I", "PA-II"]))
        options["C"] = draw(st.sampled_from([0.1, 1.0]))
    elif kind is sx.MarginPerceptron:
        options["margin"] = draw(st.sampled_from([0.0, 1.0, 7.5]))
    else:
        options["sign_of_zero"] = draw(st.sampled_from(["mistake", -1, 1]))
    if kind is sx.Perceptron:
        options["visit"] = draw(st.sampled_from(["cyclic", "cyclic", "naive", "random"]))
        if options["visit"] != "cyclic" and updates is None:
            updates, passes = (40, None) if passes == 6 else (9, passes)
        options["random_state"] = draw(st.integers(0, 99))
    return partial(kind, max_updates=updates, max_iter=passes, **options)


@examples(120)
@given(
    table=tiled_tables(),
    rows=st.sampled_from(SIZES),
    learner=walkers(),
    started=st.booleans(),
    constant=st.booleans(),
)
def test_walks_are_those_of_memory(table, rows, learner, *, started, constant):
    X, y = table
    start = np.arange(X.shape[1] + 1) / 7.0 * np.append(constant, np.ones(X.shape[1]))
    model = partial(learner, init=start if started else None, fit_intercept=constant)
    expected = everything(model().fit(X, y))
    assert everything(model().fit(in_blocks(X, y, rows))) == expected


def noisy(n=5 * TILE + 17, dtype=np.float64):
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(n, 4)) * [1.0, 3.0, 1e-3, 20.0]).astype(dtype)
    y = np.where(X @ [1.0, -2.0, 300.0, 0.1] + 0.2 * rng.normal(size=n) > 0.5, "yes", "no")
    return X, y


def test_counts_that_take_too_much_room_are_not_kept(monkeypatch):
    X, y = noisy()
    table = in_blocks(X, y)
    model = sx.Perceptron(max_iter=1).fit(X, y)
    changed = int((model.counts_ > 0).sum())
    table.budget = SHARE * OF_A_ROW * changed  # as much as they take
    model.fit(table)
    assert model.certificate_.rows == sx.Perceptron(max_iter=1).fit(X, y).certificate_.rows
    with pytest.raises(sx.InputError, match=r"counts_ takes all 20,497 rows at once"):
        _ = model.counts_
    with pytest.raises(sx.InputError, match=r"counts_ takes all"):
        model.partial_fit(X, y)
    table.budget -= SHARE * OF_A_ROW
    assert model.fit(table).certificate_ is None
    table.budget = 8 * 6 * changed - 1
    with pytest.raises(sx.InputError, match=r"the votes need the .* rows that were corrected"):
        sx.VotedPerceptron(max_iter=1).fit(table)


@pytest.mark.parametrize("rows", [TILE, 16 * TILE])
def test_a_killed_walk_goes_on_from_its_checkpoint(tmp_path, rows):
    class KilledError(Exception):
        pass

    class Dies(Checkpoint):
        left = 9

        def note(self, done, value):
            super().note(done, value)
            self.left -= 1
            if not self.left:
                raise KilledError

    X, y = noisy()
    path = str(tmp_path / "kept")
    for model in (
        sx.Perceptron(max_iter=6),
        sx.AveragedPerceptron(max_iter=4),
        sx.VotedPerceptron(max_iter=4),
        sx.PassiveAggressive(max_iter=4),
        sx.Pocket(max_updates=30, random_state=1),
    ):
        expected = everything(model.fit(X, y))
        if not isinstance(model, sx.Pocket):  # a step of one block is a slice, part of a pass
            model._tuning = Tuning(slices=1, slice_multiplications=4 * TILE)
        kills = 0
        while True:
            try:
                model.fit(in_blocks(X, y, rows, journal=Dies(path, "data", every=0.0, share=0)))
                break
            except KilledError:
                kills += 1
        assert kills >= 2, model
        assert everything(model) == expected
        Checkpoint(path, "data").remove()


def test_an_interrupt_keeps_the_walk_so_far():
    X, y = noisy()
    table, seen = in_blocks(X, y), []

    class Interrupts(Journal):
        def note(self, done, value):  # noqa: ARG002
            seen.append(done)
            if done == 8:
                raise KeyboardInterrupt

    table.journal = Interrupts()
    model = sx.Perceptron(max_iter=5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table)
    assert (model.stopped_, model.n_iter_) == (sx.Stopped.INTERRUPTED, 2)
    assert model.trace_.n_updates == model.counts_.sum() == model.n_updates_


@pytest.mark.parametrize("rows", [TILE, 16 * TILE])  # many blocks, and a walk within one
def test_a_time_limit_ends_it(rows, tmp_path):
    X, y = noisy()
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    source = NpySource([str(tmp_path / "X.npy")], [str(tmp_path / "y.npy")])
    model = sx.Perceptron(max_iter=2_000, time_limit=0.05).fit(Rows(source, rows_in_block=rows))
    assert model.stopped_ is sx.Stopped.TIME_SPENT


def test_a_budget_of_exact_decisions_ends_it_whatever_the_time():
    rows, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # scores are often zero
    found = []
    for most in (100, 100, 1 << 20):
        model = sx.Perceptron(max_iter=500_000)
        model._tuning = replace(model._tuning, most_decided=most, slice_multiplications=4096)
        found.append((model.fit(rows, labels).stopped_, model.n_updates_))
    assert found[0] == found[1] != found[2]
    assert [stopped for stopped, _ in found[1:]] == [Stopped.DECISIONS_SPENT, Stopped.PASSES_SPENT]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (sx.Perceptron(visit="permuted"), "one random cycle"),
        (sx.AveragedPerceptron(visit="permuted"), "one random cycle"),
        (sx.AveragedPerceptron(visit="random"), "searches all rows"),
        (sx.Perceptron(visit="backwards"), "is not known"),
        (sx.PassiveAggressive(visit="permuted"), "one random cycle"),
        (sx.RatchetPocket(), "needs all rows in memory .it draws each row"),
        (sx.DualPerceptron(), "needs all rows in memory .its scores are sums of kernel values"),
    ],
)
def test_what_cannot_walk_over_blocks_says_why(model, message):
    with pytest.raises(sx.InputError, match=message):
        model.fit(in_blocks(*noisy()))


@examples(40)
@given(
    table=tiled_tables(),
    rows=st.sampled_from(SIZES),
    visit=st.sampled_from(["random", "cyclic", "naive"]),
    rule=st.sampled_from(["mistake", -1, 1]),
    most=st.sampled_from([0, 1, 5, 20]),
    weights=st.sampled_from([None, (0.0, 1.0, 2.0), (0.1, 0.7, 1.3)]),
    seed=st.integers(0, 99),
)
def test_the_pocket_is_that_of_memory(table, rows, visit, rule, *, most, weights, seed):
    X, y = table
    weight = None if weights is None else np.random.default_rng(seed).choice(weights, len(y))
    if weight is not None and not all(weight[y == label].any() for label in (-1, 1)):
        return
    model = sx.Pocket(max_updates=most, visit=visit, sign_of_zero=rule, random_state=seed)
    expected = everything(model.fit(X, y, weight))
    proof = model.certificate_
    whole = ArraySource(read_arrays(X, y, weight))
    table = Rows(whole, rows_in_block=rows)
    assert everything(model.fit(table)) == expected
    claim = model.certificate_
    assert (claim.weights == proof.weights).all()
    assert (claim.n_errors, claim.sample_weight) == (proof.n_errors, None)
    assert claim.verify(table)
    assert not replace(claim, n_errors=claim.n_errors + 1).verify(table)
