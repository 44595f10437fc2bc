"""Passive-aggressive learning: the updates of Crammer et al. in fractions, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import PassiveAggressive, Separation, Stopped
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables
from tests.learners.tables import weights

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])

variants = st.sampled_from(["PA", "PA-I", "PA-II"])


@examples(80)
@given(seed=st.integers(0, 10**6), variant=variants)
def test_one_update_solves_its_small_problem(seed, variant):
    """The first update from w_0, against scores and lengths computed afresh."""
    rng = np.random.default_rng(seed)
    X, start, C = rng.normal(size=(2, 3)), rng.normal(size=4), 0.5
    model = PassiveAggressive(variant=variant, C=C, init=start, max_updates=1, max_iter=1)
    y = np.array([1.0, -1.0])
    model.fit(X, y)
    if model.counts_.tolist() != [1, 0]:
        return
    z = np.array([1.0, *X[0]])
    tau = np.linalg.norm(weights(model) - start) / np.linalg.norm(z)
    error = 1.0 - z @ weights(model)
    if variant == "PA":
        assert error == pytest.approx(0.0, abs=1e-12)
    elif variant == "PA-I":
        assert tau == pytest.approx(C) or error == pytest.approx(0.0, abs=1e-12)
        assert error >= -1e-12
        assert tau <= C * (1 + 1e-12)
    else:
        assert error == pytest.approx(tau / (2 * C))  # what the optimum of e^2 C + |dw|^2/2 says


def test_a_clean_pass_stops_and_proves():
    model = PassiveAggressive(variant="PA", max_iter=1000).fit(AND, [0, 0, 0, 1])
    assert isinstance(model.certificate_, Separation)
    assert model.certificate_.verify(AND, [0, 0, 0, 1])
    done = PassiveAggressive(variant="PA", init=[-30.0, 20.0, 20.0]).fit(AND, [0, 0, 0, 1])
    assert (done.n_updates_, done.n_iter_, done.stopped_) == (0, 1, Stopped.CLEAN_PASS)
    xor = PassiveAggressive().fit(AND, [0, 1, 1, 0])
    assert xor.certificate_ is None
    assert (xor.stopped_, xor.n_iter_) == (Stopped.PASSES_SPENT, 10)


def test_a_row_of_zeros_without_an_intercept_is_left_alone():
    model = PassiveAggressive(fit_intercept=False).fit([[0.0], [1.0], [-1.0]], [0, 1, 0])
    assert model.counts_.tolist() == [0, 1, 0]
    assert weights(model).tolist() == [0.0, 1.0]


@examples(80)
@given(table=integer_tables(), variant=variants)
def test_a_clean_pass_means_every_score_is_1_or_more(table, variant):
    X, y = table
    model = PassiveAggressive(variant=variant, C=100.0, max_iter=60).fit(X, y)
    least = (y * model.decision_function(X)).min()
    if model.stopped_ is Stopped.CLEAN_PASS:
        assert least >= 1.0 - 1e-12
        assert isinstance(model.certificate_, Separation)
    else:
        assert (model.stopped_, model.n_iter_) == (Stopped.PASSES_SPENT, 60)
    assert (model.certificate_ is not None) == (least > 0.0)
