"""Learners that descend, search or solve beside their plain forms."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

import separatrix as sx
from separatrix.learners._parameters import generator
from separatrix.plain import (
    coordinate_descent_01,
    error_measures,
    fewest_mistakes,
    firth_logistic_regression,
    gradient_descent,
    linear_regression,
    logistic_regression,
    score,
)
from separatrix.plain import separability as lines
from tests.as_plain import floats, labels, rows
from tests.learners.tables import weights
from tests.plain.drawn import MEASURES, SEEDS, SMALL, fitted, same_bits, tables
from tests.separation.oracle import truth


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
    model = sx.GradientDescent(
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
    model = sx.CoordinateDescent01(
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
    X, y = draw(tables(kinds=SMALL))
    x0 = draw(st.sampled_from([0, 1]))
    model = sx.MinimumErrorClassifier(fit_intercept=bool(x0))
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
    model = sx.LinearRegression(fit_intercept=bool(x0)).fit(X, target)
    w = floats(linear_regression.linear_regression(rows(X, x0), target.tolist()))
    assert weights(model) == pytest.approx(w, abs=1e-9 * (1.0 + np.abs(w).max()))


def classification(draw):
    """Within 1e-9 of the exact minimiser for y = -1 / +1."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    model = sx.LinearRegressionClassifier().fit(X, y)
    w = floats(linear_regression.linear_regression(rows(X), y.tolist()))
    assert weights(model) == pytest.approx(w, abs=1e-9 * (1.0 + np.abs(w).max()))


def logistic(draw):
    """The sum of errors within tol of plain Newton's; with a penalty the weights within 1e-5."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    signs, C = labels(y), draw(st.sampled_from([0.5, 4.0, math.inf]))
    Z = lines.signed_rows(rows(X), signs)
    if math.isinf(C) and truth(Z).verdict != "overlapping":
        C = 4.0
    model = sx.LogisticRegression(C=C, tol=1e-10).fit(X, y)
    plain = logistic_regression.logistic_regression(rows(X), signs, C)
    w = weights(model)
    penalty = 0.0 if math.isinf(C) else float(w[1:] @ w[1:]) / (2.0 * C)
    total = len(y) * error_measures.E_in(w.tolist(), rows(X), signs, "cross_entropy") + penalty
    assert abs(total - plain.error) <= 2e-10 * total + 1e-12
    if not math.isinf(C):
        assert w == pytest.approx(plain.w, abs=1e-4)


def firth(draw):
    """The penalised likelihood within 1e-9 of plain scoring's or above; weights within 1e-5."""
    X, y = draw(tables(kinds=("integers", "eighths")))
    table = np.column_stack((np.ones(len(y)), X))
    if np.linalg.matrix_rank(table) < table.shape[1]:
        X = np.arange(len(y), dtype=float)[:, np.newaxis]
    model = sx.FirthLogisticRegression().fit(X, y)
    plain = firth_logistic_regression.firth_logistic_regression(rows(X), labels(y))
    assert model.penalised_log_likelihood_ >= plain.penalised - 1e-9
    if model.penalised_log_likelihood_ <= plain.penalised + 1e-9:
        assert weights(model) == pytest.approx(plain.w, abs=1e-4 * (1.0 + np.abs(plain.w).max()))
