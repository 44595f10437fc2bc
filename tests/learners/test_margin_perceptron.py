"""The margin perceptron: the naive walk in fractions, the margin it promises, its bound."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import MarginPerceptron, NotConvergedWarning, Perceptron, Separation, Stopped
from separatrix.plain.score import exact_score
from tests.as_plain import labels, rows
from tests.hostile.profile import examples
from tests.learners.tables import quiet, separable_tables, weights


@examples(80)
@given(seed=st.integers(0, 10_000), ulps=st.integers(-3, 3))
@quiet
def test_scores_that_meet_the_margin_up_to_rounding_are_decided_exactly(seed, ulps):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4, 3)) / 3
    y = np.array([1.0, -1.0, 1.0, -1.0])
    # after the first update the second row's score is x_1.x_2 + 1: take that as the margin
    margin = abs(float(X[0] @ X[1] + 1.0)) + ulps * 2.0**-52
    y[1] = 1.0
    model = MarginPerceptron(margin=margin, max_updates=1, max_iter=None).fit(X, y)
    v = [Fraction(1), *(Fraction(float(a)) for a in X[0])]
    second = exact_score(v, rows(X)[1])
    again = MarginPerceptron(margin=margin, max_updates=2, max_iter=None).fit(X, y)
    assert model.trace_.rows.tolist() == [0]
    assert (again.trace_.rows[1] == 1) == (second <= Fraction(margin))


@examples(100)
@given(
    table=separable_tables(),
    margin=st.sampled_from([0.0, 0.25, 5.0, 1000.0]),
    eta=st.sampled_from([1.0, 0.5]),
)
def test_the_mistake_bound_and_the_margin_promised(table, margin, eta):
    X, y, target = table
    model = MarginPerceptron(margin=margin, learning_rate=eta, max_iter=None).fit(X, y)
    m = Fraction(margin) / Fraction(eta)
    best = Separation(target)
    rho_squared, radius_squared = best.rho_squared(X, y), best.radius_squared(X, y)
    assert model.n_updates_ <= (radius_squared + 2 * m) / rho_squared
    w = [Fraction(float(c)) for c in weights(model)]
    least = min(s * exact_score(w, x) for s, x in zip(labels(y), rows(X), strict=True))
    assert least > Fraction(margin)
    reached = model.certificate_.rho_squared(X, y)
    assert reached >= rho_squared * (m / (radius_squared + 2 * m)) ** 2


@examples(60)
@given(table=separable_tables(), k=st.integers(-20, 20))
def test_margin_and_learning_rate_scale_w_together(table, k):
    X, y, _ = table
    plain = MarginPerceptron(margin=2.0, max_iter=None).fit(X, y)
    both = MarginPerceptron(margin=2.0 ** (k + 1), learning_rate=2.0**k, max_iter=None).fit(X, y)
    assert both.trace_.rows.tolist() == plain.trace_.rows.tolist()
    assert np.array_equal(weights(both), np.ldexp(weights(plain), k))
    none = MarginPerceptron(margin=0, max_iter=None).fit(X, y)
    assert none.trace_.rows.tolist() == Perceptron(max_iter=None).fit(X, y).trace_.rows.tolist()


def test_data_without_a_line_end_by_a_budget():
    with pytest.warns(NotConvergedWarning, match="margin is not reached"):
        model = MarginPerceptron(max_iter=5).fit([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert (model.stopped_, model.n_iter_) == (Stopped.PASSES_SPENT, 5)
