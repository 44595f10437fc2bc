"""Descent: the same bytes, when it ends and how."""

import numpy as np
import pytest
from sklearn.base import clone

from separatrix import GradientDescent, NotConvergedWarning, Stopped
from tests.learners.descent.measures import SMOOTH, Own, OwnSquared, naive, noisy
from tests.learners.paths import weights


def test_the_seed_decides_the_order_of_every_pass():
    X, y = noisy(9)

    def fitted(**options):
        return weights(GradientDescent(batch_size=7, max_updates=50, **options).fit(X, y)).tobytes()

    assert fitted(shuffle=True, random_state=1) == fitted(shuffle=True, random_state=1)
    assert fitted(shuffle=True, random_state=1) != fitted(shuffle=True, random_state=2)
    assert fitted(random_state=1) == fitted(random_state=2)


@pytest.mark.parametrize("batch", [None, 1, 7])
@pytest.mark.parametrize("error", ["squared", OwnSquared()])
def test_a_learning_rate_too_large_keeps_the_last_finite_weights(batch, error):
    X, y = noisy(11)
    model = GradientDescent(error=error, learning_rate=9.0, batch_size=batch, max_updates=10_000)
    with pytest.warns(NotConvergedWarning, match="overflow.*Lower learning_rate"):
        model.fit(X, y)
    assert model.stopped_ is Stopped.OVERFLOW
    assert 0 < model.n_updates_ < 10_000
    assert np.isfinite(weights(model)).all()
    assert np.abs(weights(model)).max() > 1e140
    assert set(model.predict(X)) <= {-1.0, 1.0}
    one_less = clone(model).set_params(max_updates=model.n_updates_)
    with pytest.warns(NotConvergedWarning, match="above its start"):
        one_less.fit(X, y)
    if batch is not None or error != "squared":  # the Gram matrix is chosen by the budget
        assert weights(one_less).tobytes() == weights(model).tobytes()


@pytest.mark.parametrize("error", SMOOTH)
@pytest.mark.parametrize("batch", [None, 1])
def test_values_that_overflow_are_said_and_never_hidden(error, batch):
    X = np.array([[1e308, -1e308], [1e308, 1e308], [-1e308, 1e308], [1e308, 9e307]])
    model = GradientDescent(error=error, batch_size=batch, learning_rate=1e3)
    with pytest.warns(NotConvergedWarning, match="power of two"):
        model.fit(X, [0, 1, 0, 1])
    assert np.isfinite(weights(model)).all()


def test_a_tolerance_not_reached_warns_and_one_not_asked_for_does_not():
    X, y = noisy(12)
    with pytest.warns(NotConvergedWarning, match=r"\|grad\| is .*raise max_updates"):
        model = GradientDescent(max_updates=3, tol=1e-9).fit(X, y)
    assert model.stopped_ is Stopped.UPDATES_SPENT
    assert model.gradient_norm_ > 1e-9
    GradientDescent(max_updates=3).fit(X, y)  # a warning would be an error here


@pytest.mark.parametrize("batch", [None, 1, 2])
@pytest.mark.parametrize("step", ["gradient", "unit"])
def test_a_line_without_mistakes_ends_descent_on_the_perceptron_error(batch, step):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    model = GradientDescent(error="perceptron", batch_size=batch, step=step, max_updates=None)
    model.fit(X, y)
    assert model.stopped_ is Stopped.SMALL_GRADIENT
    assert (model.e_in_, model.gradient_norm_) == (0.0, 0.0)
    assert model.predict(X).tolist() == y.tolist()


def test_interrupted_it_keeps_the_weights_so_far():
    X, y = noisy(14)
    calls = []

    class Impatient(Own):
        def slope(self, a):
            calls.append(1)
            if len(calls) > 5:
                raise KeyboardInterrupt
            return super().slope(a)

    model = GradientDescent(error=Impatient())
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert (model.stopped_, model.n_updates_) == (Stopped.INTERRUPTED, 5)
    assert weights(model) == pytest.approx(naive("cross_entropy", X, y, 0.1, 5))
