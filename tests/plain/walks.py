"""Walking learners beside their plain forms: each law draws a table and compares."""

import numpy as np
import pytest
from hypothesis import strategies as st

import separatrix as sx
from separatrix.learners._parameters import generator
from separatrix.learners._stopping import Stopped
from separatrix.learners.walks.tuning import PocketTuning, Tuning
from separatrix.plain import (
    averaged_perceptron,
    dual_perceptron,
    margin_perceptron,
    passive_aggressive,
    pla,
    pocket,
    score,
    voted_perceptron,
)
from tests.as_plain import floats, labels, rows
from tests.learners.tables import weights
from tests.plain.drawn import (
    ORDERS,
    RULES,
    SEEDS,
    SMALL,
    UPDATES,
    fitted,
    last_weights,
    passes_of,
    same_bits,
    tables,
    visit_of,
)

TUNINGS = st.sampled_from([
    Tuning(), Tuning(filter_passes=0, filter_multiplications=0, loading=0),  # a filter of float32
    Tuning(slice_multiplications=12, slice_updates=3),
])  # fmt: skip


def perceptron(draw):
    X, y = draw(tables(kinds=(*SMALL, "orthogonal", "tall")))
    visit, rule, seed = draw(st.sampled_from(ORDERS)), draw(RULES), draw(SEEDS)
    x0, far = draw(st.sampled_from([(1, False), (1, False), (1, True), (0, True)]))
    start = [x0 * 0.5, *[0.25] * X.shape[1]] if far else None
    model = sx.Perceptron(
        visit=visit, sign_of_zero=rule, random_state=seed, init=start, fit_intercept=bool(x0),
        max_updates=UPDATES, max_iter=None,
    )  # fmt: skip
    model._tuning = draw(TUNINGS)
    fitted(model, X, y)
    w, visited, done = pla.pla(
        rows(X, x0), labels(y), visit=visit_of(visit, len(y), seed), sign_of_zero=rule,
        start=start, max_updates=UPDATES,
    )  # fmt: skip
    assert model.trace_.rows.tolist() == visited
    assert (model.stopped_ is Stopped.CLEAN_PASS) == done
    same_bits(weights(model), w)
    answers = [score.answer(score.exact_score(w, x), rule) for x in rows(X, x0)]
    assert model.predict(X).tolist() == [1.0 if h == 1 else -1.0 for h in answers]


def margin(draw):
    X, y = draw(tables(kinds=(*SMALL, "orthogonal", "tall")))
    visit, seed = draw(st.sampled_from(ORDERS[:3])), draw(SEEDS)
    m = draw(st.sampled_from([0.0, 0.0, 0.125, 3.0, 1e9]))
    x0 = draw(st.sampled_from([0, 1]))
    model = sx.MarginPerceptron(
        margin=m, visit=visit, random_state=seed, max_updates=UPDATES, max_iter=None,
        fit_intercept=bool(x0),
    )  # fmt: skip
    model._tuning = draw(TUNINGS)
    fitted(model, X, y)
    w, visited, done = margin_perceptron.margin_perceptron(
        rows(X, x0), labels(y), m, visit=visit_of(visit, len(y), seed), max_updates=UPDATES
    )
    assert model.trace_.rows.tolist() == visited
    assert (model.stopped_ is Stopped.CLEAN_PASS) == done
    same_bits(weights(model), w)
    assert isinstance(model.certificate_, sx.Separation if done else sx.Multipliers)
    assert model.certificate_.verify(X, y)


def averaged(draw):
    """The mean: within 1e-13 of the largest weight on the way for each visit averaged over."""
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(ORDERS[:2])), draw(RULES), draw(SEEDS)
    passes, x0 = draw(st.integers(1, 5)), draw(st.sampled_from([0, 1]))
    start = draw(st.sampled_from([None, [x0 * 0.5, *[0.25] * X.shape[1]]]))
    model = sx.AveragedPerceptron(
        visit=visit, sign_of_zero=rule, random_state=seed, max_iter=passes, init=start,
        fit_intercept=bool(x0),
    )  # fmt: skip
    model._tuning = draw(TUNINGS)
    model.fit(X, y)
    turns = passes_of(visit, len(y), seed, passes)
    mean, last, made, visited = averaged_perceptron.averaged_perceptron(
        rows(X, x0), labels(y), turns, sign_of_zero=rule, start=start
    )
    assert (model.n_visits_, model.n_updates_) == (made, len(visited))
    assert model.trace_.rows.tolist() == visited
    same_bits(last_weights(model), last)
    gap = 1e-13 * made * (1.0 + np.abs(X).max())
    assert np.abs(weights(model) - floats(mean)).max() <= gap
    proof = model.certificate_
    assert proof is None or proof.verify(X, y)
    if rule == "mistake" and start is None:
        clean = model.stopped_ is Stopped.CLEAN_PASS
        assert isinstance(proof, sx.Separation if clean else sx.Multipliers)


def voted(draw):
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(ORDERS[:2])), draw(RULES), draw(SEEDS)
    passes, x0 = draw(st.integers(1, 4)), draw(st.sampled_from([0, 1]))
    model = sx.VotedPerceptron(
        visit=visit, sign_of_zero=rule, random_state=seed, max_iter=passes, fit_intercept=bool(x0)
    )
    model._tuning = draw(TUNINGS)
    model.fit(X, y)
    turns = passes_of(visit, len(y), seed, passes)
    voters = voted_perceptron.voted_perceptron(rows(X, x0), labels(y), turns, sign_of_zero=rule)
    assert model.votes_.tolist() == [votes for _, votes in voters]
    new = np.vstack((X, -X[::-1] * 0.5))
    expected = [voted_perceptron.vote(voters, x) / model.votes_.sum() for x in rows(new, x0)]
    assert model.decision_function(new).tolist() == expected
    answers = [1.0 if s > 0 or (s == 0 and rule == 1) else -1.0 for s in expected]
    assert model.predict(new).tolist() == answers


def passive(draw):
    X, y = draw(tables())
    visit, seed = draw(st.sampled_from(ORDERS[:2])), draw(SEEDS)
    variant, C = draw(st.sampled_from(["PA", "PA-I", "PA-II"])), draw(st.sampled_from([0.3, 1.0]))
    x0, passes = draw(st.sampled_from([0, 1])), draw(st.integers(1, 3))
    model = sx.PassiveAggressive(
        variant=variant, C=C, visit=visit, random_state=seed, max_iter=passes,
        fit_intercept=bool(x0),
    )  # fmt: skip
    model._tuning = draw(TUNINGS)
    model.fit(X, y)
    turns = passes_of(visit, len(y), seed, passes)
    w = passive_aggressive.passive_aggressive(rows(X, x0), labels(y), turns, variant=variant, C=C)
    same_bits(weights(model), w)
    assert model.counts_.sum() == model.n_updates_


def dual(draw):
    """Counts bit for bit with kernels that are lines, or exact; the scores of rbf within 1e-12."""
    kernel = draw(st.sampled_from(["linear", "polynomial", "rbf"]))
    X, y = draw(tables() if kernel == "linear" else tables(kinds=("integers", "eighths")))
    visit, rule, seed = draw(st.sampled_from(ORDERS)), draw(RULES), draw(SEEDS)
    coef0 = draw(st.sampled_from([0.0, 1.0]))
    model = sx.DualPerceptron(
        kernel=kernel, degree=2, gamma=0.5, coef0=coef0, visit=visit, sign_of_zero=rule,
        random_state=seed, max_updates=UPDATES, max_iter=None,
    )  # fmt: skip
    fitted(model, X, y)
    K = {
        "linear": dual_perceptron.linear(coef0),
        "polynomial": dual_perceptron.polynomial(2, 0.5, coef0),
        "rbf": dual_perceptron.rbf(0.5),
    }[kernel]
    points, signs = X.tolist(), labels(y)
    if kernel != "rbf":
        alpha, visited, done = dual_perceptron.dual_perceptron(
            points, signs, K, visit=visit_of(visit, len(y), seed), sign_of_zero=rule,
            max_updates=UPDATES,
        )  # fmt: skip
        assert model.alpha_.tolist() == alpha
        assert model.visited_.tolist() == visited
        assert (model.stopped_ is Stopped.CLEAN_PASS) == done
    pulls = [a * s for a, s in zip(model.alpha_.tolist(), signs, strict=True)]
    scores = [sum(p * K(a, b) for p, a in zip(pulls, points, strict=True)) for b in points]
    assert model.decision_function(X) == pytest.approx(scores, rel=1e-12, abs=1e-12 * UPDATES * 20)


def pockets(draw, tuning=None):
    X, y = draw(tables(kinds=(*SMALL, "orthogonal", "tall", "scaled")))
    visit, rule, seed = draw(st.sampled_from(ORDERS)), draw(RULES), draw(SEEDS)
    weight = draw(st.sampled_from([None, np.arange(len(y)) % 3 / 2.0 + 0.5]))
    model = sx.Pocket(visit=visit, sign_of_zero=rule, random_state=seed, max_updates=UPDATES)
    model._tuning = tuning or PocketTuning()
    model.fit(X, y, sample_weight=weight)
    found = pocket.pocket(
        rows(X), labels(y), visit_of(visit, len(y), seed), UPDATES, sign_of_zero=rule,
        weight=None if weight is None else weight.tolist(),
    )  # fmt: skip
    assert model.trace_.rows.tolist() == found.visited
    assert model.counts_.tolist() == np.bincount(found.visited, minlength=len(y)).tolist()
    assert (model.n_errors_, model.n_swaps_) == (found.n_errors, found.swaps)
    same_bits(weights(model), found.w)
    same_bits(last_weights(model), found.last)


def ratchet(draw):
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(["cyclic", "permuted", "random"])), draw(RULES), 7
    passes, n = draw(st.integers(1, 9)), len(y)
    model = sx.RatchetPocket(
        visit=visit, sign_of_zero=rule, random_state=seed, max_updates=UPDATES, max_iter=passes
    ).fit(X, y)
    turns = passes_of(visit, n, seed, passes)
    if visit == "random":
        turns = (generator(seed).random(passes * n) * n).astype(int).tolist()
    found = pocket.ratchet_pocket(rows(X), labels(y), turns, max_updates=UPDATES, sign_of_zero=rule)
    assert model.trace_.rows.tolist() == found.visited
    assert (model.n_errors_, model.run_length_) == (found.n_errors, found.run_length)
    same_bits(weights(model), found.w)
    same_bits(last_weights(model), found.last)
