"""One law for every public learner: it does what its plain form does.

Bit for bit where the path is canonical: on integers, on tables of eighths, on ordinary doubles,
and on rows that are opposite or orthogonal but for the last digits, since both sides decide signs
exactly and round each step once. Where the sums of a learner may be rounded in another order, its
row of the table states the gap instead.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import separatrix
from separatrix import (
    AveragedPerceptron,
    CoordinateDescent01,
    DualPerceptron,
    GradientDescent,
    LinearRegression,
    LinearRegressionClassifier,
    LogisticRegression,
    MarginPerceptron,
    MinimumErrorClassifier,
    NotConvergedWarning,
    PassiveAggressive,
    Perceptron,
    Pocket,
    RatchetPocket,
    VotedPerceptron,
    error_table,
    minimum_errors,
    mistake_bound,
    separability,
)
from separatrix.learners._parameters import generator
from separatrix.learners._stopping import Stopped
from separatrix.plain import (
    averaged_perceptron,
    coordinate_descent_01,
    dual_perceptron,
    error_measures,
    fewest_mistakes,
    gradient_descent,
    linear_regression,
    logistic_regression,
    margin_perceptron,
    passive_aggressive,
    pla,
    pocket,
    ratchet_pocket,
    score,
    visits,
    voted_perceptron,
)
from separatrix.plain import mistake_bound as bounds
from separatrix.plain import separability as lines
from tests.as_plain import floats, labels, rows
from tests.separation.oracle import verdict

RULES = st.sampled_from([-1, 1, "mistake"])
ORDERS = ("cyclic", "permuted", "naive", "random")
MEASURES = ("perceptron", "squared", "cross_entropy")
SEEDS = st.integers(0, 999)
UPDATES = 40


@st.composite
def tables(draw, kinds=("integers", "eighths", "doubles", "opposite", "orthogonal")):
    """X (N, d) and y in -1, +1, both present."""
    kind, seed = draw(st.sampled_from(kinds)), draw(SEEDS)
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    if kind == "eighths":
        X = rng.integers(-24, 25, (n, d)) / 8.0
    elif kind == "doubles":
        X = rng.normal(size=(n, d)) / 3.0
    elif kind == "opposite":  # but for the last digits
        X = rng.normal(size=(n, d)) / 3.0
        X[n // 2 :] = X[: n - n // 2] * (1.0 + rng.choice([0.0, 2.0**-52, -(2.0**-52)]))
    elif kind == "orthogonal":  # to the first row, so that scores are all rounding error
        X = rng.normal(size=(n, d)) / 3.0
        X[1:, -1] = -(1.0 + X[1:, :-1] @ X[0, :-1]) / X[0, -1]
    y = rng.choice([-1.0, 1.0], n)
    y[0], y[1] = 1.0, -1.0
    return X, y


def weights(model):
    return np.append(model.intercept_, model.coef_)


def last_weights(model):
    return np.append(model.last_intercept_, model.last_coef_)


def same_bits(found, expected):
    assert found.tobytes() == floats(expected).tobytes()


def visit_of(name, n, seed):
    """The visits that a learner of this seed makes."""
    random = generator(seed)
    if name == "random":
        return visits.random(n, iter(random.random, None))
    if name == "naive":
        return visits.naive(n)
    return visits.in_turn(random.permutation(n).tolist() if name == "permuted" else range(n))


def passes_of(name, n, seed, passes):
    """The rows that so many passes visit in turn."""
    order = generator(seed).permutation(n).tolist() if name == "permuted" else list(range(n))
    return order * passes


def fitted(model, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(X, y, **options)


# ---------------------------------------------------------------- one row of the table each


def perceptron(draw):
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(ORDERS)), draw(RULES), draw(SEEDS)
    x0, far = draw(st.sampled_from([(1, False), (1, False), (1, True), (0, True)]))
    start = [x0 * 0.5, *[0.25] * X.shape[1]] if far else None
    model = Perceptron(
        visit=visit, sign_of_zero=rule, random_state=seed, init=start, fit_intercept=bool(x0),
        max_updates=UPDATES, max_iter=None,
    )  # fmt: skip
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
    X, y = draw(tables())
    visit, seed = draw(st.sampled_from(ORDERS[:3])), draw(SEEDS)
    m = draw(st.sampled_from([0.0, 0.0, 0.125, 3.0]))
    model = MarginPerceptron(
        margin=m, visit=visit, random_state=seed, max_updates=UPDATES, max_iter=None
    )
    fitted(model, X, y)
    w, visited, done = margin_perceptron.margin_perceptron(
        rows(X), labels(y), m, visit=visit_of(visit, len(y), seed), max_updates=UPDATES
    )
    assert model.trace_.rows.tolist() == visited
    assert (model.stopped_ is Stopped.CLEAN_PASS) == done
    same_bits(weights(model), w)


def averaged(draw):
    """The mean: within 1e-13 of the largest weight on the way for each visit averaged over."""
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(ORDERS[:2])), draw(RULES), draw(SEEDS)
    passes = draw(st.integers(1, 5))
    model = AveragedPerceptron(
        visit=visit, sign_of_zero=rule, random_state=seed, max_iter=passes
    ).fit(X, y)
    turns = passes_of(visit, len(y), seed, passes)
    mean, last, made, visited = averaged_perceptron.averaged_perceptron(
        rows(X), labels(y), turns, sign_of_zero=rule
    )
    assert (model.n_visits_, model.n_updates_) == (made, len(visited))
    assert model.trace_.rows.tolist() == visited
    same_bits(last_weights(model), last)
    gap = 1e-13 * made * (1.0 + np.abs(X).max())
    assert np.abs(weights(model) - floats(mean)).max() <= gap


def voted(draw):
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(ORDERS[:2])), draw(RULES), draw(SEEDS)
    passes = draw(st.integers(1, 4))
    model = VotedPerceptron(visit=visit, sign_of_zero=rule, random_state=seed, max_iter=passes)
    model.fit(X, y)
    turns = passes_of(visit, len(y), seed, passes)
    voters = voted_perceptron.voted_perceptron(rows(X), labels(y), turns, sign_of_zero=rule)
    assert model.votes_.tolist() == [votes for _, votes in voters]
    new = np.vstack((X, -X[::-1] * 0.5))
    expected = [voted_perceptron.vote(voters, x) / model.votes_.sum() for x in rows(new)]
    assert model.decision_function(new).tolist() == expected


def passive(draw):
    X, y = draw(tables())
    visit, seed = draw(st.sampled_from(ORDERS[:2])), draw(SEEDS)
    variant, C = draw(st.sampled_from(["PA", "PA-I", "PA-II"])), draw(st.sampled_from([0.3, 1.0]))
    x0, passes = draw(st.sampled_from([0, 1])), draw(st.integers(1, 3))
    model = PassiveAggressive(
        variant=variant, C=C, visit=visit, random_state=seed, max_iter=passes,
        fit_intercept=bool(x0),
    ).fit(X, y)  # fmt: skip
    turns = passes_of(visit, len(y), seed, passes)
    w = passive_aggressive.passive_aggressive(rows(X, x0), labels(y), turns, variant=variant, C=C)
    same_bits(weights(model), w)


def dual(draw):
    """Counts bit for bit with kernels that are lines, or exact; the scores of rbf within 1e-12."""
    kernel = draw(st.sampled_from(["linear", "polynomial", "rbf"]))
    X, y = draw(tables() if kernel == "linear" else tables(kinds=("integers", "eighths")))
    visit, rule, seed = draw(st.sampled_from(ORDERS)), draw(RULES), draw(SEEDS)
    coef0 = draw(st.sampled_from([0.0, 1.0]))
    model = DualPerceptron(
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


def pockets(draw):
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(ORDERS)), draw(RULES), draw(SEEDS)
    weight = draw(st.sampled_from([None, np.arange(len(y)) % 3 / 2.0 + 0.5]))
    model = Pocket(visit=visit, sign_of_zero=rule, random_state=seed, max_updates=UPDATES)
    model.fit(X, y, sample_weight=weight)
    found = pocket.pocket(
        rows(X), labels(y), visit_of(visit, len(y), seed), UPDATES, sign_of_zero=rule,
        weight=None if weight is None else weight.tolist(),
    )  # fmt: skip
    assert model.trace_.rows.tolist() == found.visited
    assert (model.n_errors_, model.n_swaps_) == (found.n_errors, found.swaps)
    same_bits(weights(model), found.w)
    same_bits(last_weights(model), found.last)


def ratchet(draw):
    X, y = draw(tables())
    visit, rule, seed = draw(st.sampled_from(["cyclic", "permuted", "random"])), draw(RULES), 7
    passes, n = draw(st.integers(1, 9)), len(y)
    model = RatchetPocket(
        visit=visit, sign_of_zero=rule, random_state=seed, max_updates=UPDATES, max_iter=passes
    ).fit(X, y)
    turns = passes_of(visit, n, seed, passes)
    if visit == "random":
        turns = (generator(seed).random(passes * n) * n).astype(int).tolist()
    found = ratchet_pocket.ratchet_pocket(
        rows(X), labels(y), turns, max_updates=UPDATES, sign_of_zero=rule
    )
    assert model.trace_.rows.tolist() == found.visited
    assert (model.n_errors_, model.run_length_) == (found.n_errors, found.run_length)
    same_bits(weights(model), found.w)
    same_bits(last_weights(model), found.last)


def descent(draw):
    """Bit for bit online on the perceptron error (PLA's own steps); else within 1e-9."""
    error, batch = draw(st.sampled_from(MEASURES)), draw(st.sampled_from([None, 1, 3]))
    online = batch == 1 and error == "perceptron"
    # the perceptron error jumps at 0: in sums of all rows only exact ones are comparable
    exact = error == "perceptron" and not online
    kinds = (
        ("integers",) if exact else ("eighths", "doubles", "orthogonal" if online else "integers")
    )
    X, y = draw(tables(kinds=kinds))
    if exact:  # 4 or 2 rows in a batch: means without rounding
        X, y, batch = np.vstack((X, X))[:4], np.array([1.0, -1.0, 1.0, -1.0]), batch and 2
    eta = 1.0 if error == "perceptron" else 0.0625
    shuffle, seed = draw(st.booleans()), draw(SEEDS)
    model = GradientDescent(
        error=error, learning_rate=eta, batch_size=batch, shuffle=shuffle, random_state=seed,
        max_updates=20,
    )  # fmt: skip
    fitted(model, X, y)
    made, n, random = model.n_updates_, len(y), generator(seed)
    assert made == 20 or model.gradient_norm_ == 0.0
    zero, slope = [0.0] * (1 + X.shape[1]), error_measures.SLOPE[error]
    batches = []
    while len(batches) < made:
        order = random.permutation(n).tolist() if shuffle and batch else list(range(n))
        batches += [order[k : k + (batch or n)] for k in range(0, n, batch or n)]
    options = rows(X), labels(y), slope, eta, zero
    if batch is None:
        w = gradient_descent.batch(*options, updates=made)
    elif batch == 1:
        w = gradient_descent.online(*options, turns=[i for (i,) in batches[:made]])
    else:
        w = gradient_descent.mini_batch(*options, batches=batches[:made])
    if error == "perceptron":
        same_bits(weights(model), w)
    assert weights(model) == pytest.approx(floats(w), rel=1e-9, abs=1e-9)
    e_in = error_measures.E_in(w, rows(X), labels(y), error)
    assert model.e_in_ == pytest.approx(e_in, rel=1e-9, abs=1e-9)


def coordinates(draw):
    """One search along a weight: the same count, and the same line within 1e-9."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    seed = draw(SEEDS)
    rng = np.random.default_rng(seed)
    start = rng.integers(-3, 4, 1 + X.shape[1]).astype(float)
    model = CoordinateDescent01(
        max_updates=1, direction="coordinate", init=start, random_state=seed
    ).fit(X, y)
    signs = labels(y)
    assert model.n_errors_ == len(score.mistakes(weights(model).tolist(), rows(X), signs))
    if model.n_updates_ == 0:  # no line makes fewer than the start
        return
    random = generator(seed)
    usable = np.flatnonzero(np.append(1.0, np.abs(X).max(axis=0)))
    direction = [0.0] * start.size
    direction[usable[random.integers(usable.size, size=1)][0]] = 1.0
    searches = [(direction, float(random.random(1)[0]))]
    found = coordinate_descent_01.coordinate_descent_01(rows(X), signs, start.tolist(), searches)
    assert model.n_errors_ == found.n_errors
    sizes = np.abs(weights(model)).max(), np.abs(floats(found.w)).max()
    if sizes[1] > 0.0:
        close = pytest.approx(floats(found.w) / sizes[1], abs=1e-9)
        assert weights(model) / sizes[0] == close


def fewest(draw):
    X, y = draw(tables())
    x0 = draw(st.sampled_from([0, 1]))
    model = MinimumErrorClassifier(fit_intercept=bool(x0))
    fitted(model, X, y)
    Z = lines.signed_rows(rows(X, x0), labels(y))
    least = fewest_mistakes.fewest_mistakes(Z, [1] * len(y))
    assert model.lower_bound_ <= least <= model.n_errors_
    assert model.n_errors_ == least or not model.proven_
    if X.shape[1] == 2 and x0:
        assert fewest_mistakes.in_the_plane(X.tolist(), labels(y)) == least


def regression(draw):
    """Within 1e-9 of the exact shortest minimiser, times the size of what goes in."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    x0 = draw(st.sampled_from([0, 1]))
    target = np.random.default_rng(len(y)).integers(-9, 10, len(y)) / 4.0
    model = LinearRegression(fit_intercept=bool(x0)).fit(X, target)
    w = floats(linear_regression.linear_regression(rows(X, x0), target.tolist()))
    assert weights(model) == pytest.approx(w, abs=1e-9 * (1.0 + np.abs(w).max()))


def classification(draw):
    """Within 1e-9 of the exact minimiser for y = -1 / +1."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    model = LinearRegressionClassifier().fit(X, y)
    w = floats(linear_regression.linear_regression(rows(X), y.tolist()))
    assert weights(model) == pytest.approx(w, abs=1e-9 * (1.0 + np.abs(w).max()))


def logistic(draw):
    """The sum of errors within tol of plain Newton's; with a penalty the weights within 1e-5."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    signs, C = labels(y), draw(st.sampled_from([0.5, 4.0, math.inf]))
    Z = lines.signed_rows(rows(X), signs)
    if math.isinf(C) and verdict(Z) != "overlapping":
        C = 4.0
    model = LogisticRegression(C=C, tol=1e-10).fit(X, y)
    plain = logistic_regression.logistic_regression(rows(X), signs, C)
    w = weights(model)
    penalty = 0.0 if math.isinf(C) else float(w[1:] @ w[1:]) / (2.0 * C)
    total = len(y) * error_measures.E_in(w.tolist(), rows(X), signs, "cross_entropy") + penalty
    assert abs(total - plain.error) <= 2e-10 * total + 1e-12
    if not math.isinf(C):
        assert w == pytest.approx(plain.w, abs=1e-4)


LAWS = {
    AveragedPerceptron: (averaged, averaged_perceptron),
    CoordinateDescent01: (coordinates, coordinate_descent_01),
    DualPerceptron: (dual, dual_perceptron),
    GradientDescent: (descent, gradient_descent),
    LinearRegression: (regression, linear_regression),
    LinearRegressionClassifier: (classification, linear_regression),
    LogisticRegression: (logistic, logistic_regression),
    MarginPerceptron: (margin, margin_perceptron),
    MinimumErrorClassifier: (fewest, fewest_mistakes),
    PassiveAggressive: (passive, passive_aggressive),
    Perceptron: (perceptron, pla),
    Pocket: (pockets, pocket),
    RatchetPocket: (ratchet, ratchet_pocket),
    VotedPerceptron: (voted, voted_perceptron),
}


@pytest.mark.parametrize("learner", LAWS, ids=lambda learner: learner.__name__)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_fast_equals_plain(learner, data):
    law, _ = LAWS[learner]
    law(data.draw)


def test_every_public_learner_has_a_row():
    public = [getattr(separatrix, name) for name in separatrix.__all__]
    learners = {a for a in public if inspect.isclass(a) and issubclass(a, BaseEstimator)}
    assert learners == set(LAWS)


@pytest.mark.parametrize("learner", LAWS, ids=lambda learner: learner.__name__)
def test_the_docstring_points_to_the_plain_form(learner):
    _, module = LAWS[learner]
    named = re.findall(r"Plain form: `([\w.]+)`", inspect.getdoc(learner))
    assert named == [module.__name__]
    assert importlib.import_module(named[0]) is module


# ---------------------------------------------------------------- checks


@settings(max_examples=30, deadline=None)
@given(table=tables())
def test_separability_is_decided_as_by_elimination(table):
    X, y = table
    Z = lines.signed_rows(rows(X), labels(y))
    answer, found = lines.separability(Z), separability(X, y)
    assert found.separable == (answer.line is not None)
    if answer.line is None:
        assert lines.contradict(Z, answer.multipliers)
    else:
        assert min(score.exact_score(answer.line, z) for z in Z) > 0
    if X.shape[1] == 2:
        yes, no = X[y > 0].tolist(), X[y < 0].tolist()
        assert lines.separable_in_the_plane(yes, no) == found.separable


@settings(max_examples=40, deadline=None)
@given(table=tables())
def test_the_fewest_mistakes_are_those_of_the_enumeration(table):
    X, y = table
    bracket = minimum_errors(X, y)
    Z = lines.signed_rows(rows(X), labels(y))
    assert bracket.lower == fewest_mistakes.fewest_mistakes(Z, [1] * len(y))


@settings(max_examples=30, deadline=None)
@given(table=tables(), start=st.sampled_from([None, -3.0, 0.5]))
def test_the_mistake_bound_is_the_formula(table, start):
    X, y = table
    line = lines.separability(lines.signed_rows(rows(X), labels(y))).line
    if line is None:
        return
    if start is None:
        assert mistake_bound(X, y, line) == bounds.mistake_bound(rows(X), labels(y), line)
        return
    w_0 = [start] * len(line)
    expected = bounds.mistake_bound_from(rows(X), labels(y), line, w_0)
    assert mistake_bound(X, y, line, w_0) == expected


@settings(max_examples=40, deadline=None)
@given(table=tables(), seed=SEEDS)
def test_the_errors_of_a_line_are_the_definitions(table, seed):
    X, y = table
    w = np.random.default_rng(seed).integers(-3, 4, 1 + X.shape[1]).astype(float)
    plain = {
        name: error_measures.E_in(w.tolist(), rows(X), labels(y), name)
        for name in error_measures.ERROR
    }
    assert error_table(w, X, y) == pytest.approx(plain, rel=1e-12, abs=1e-12)
    assert Fraction(error_table(w, X, y)["zero_one"]) == Fraction(plain["zero_one"])
