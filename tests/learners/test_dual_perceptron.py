"""The dual perceptron: its kernels, and a cache that changes nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import separatrix as sx
from separatrix.learners.walks.tuning import Tuning
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])

walks = st.sampled_from(["cyclic", "naive", "permuted", "random"])


@examples(80)
@given(
    table=integer_tables(),
    kernel=st.sampled_from(["linear", "polynomial", "rbf", lambda A, B: rbf_kernel(A, B, gamma=2)]),
    rows_kept=st.integers(0, 3),
    visit=walks,
)
def test_cache_sparse_rows_and_slices_change_nothing(table, kernel, rows_kept, visit):
    X, y = table
    options = {"kernel": kernel, "max_iter": 20, "visit": visit, "random_state": 1}
    whole = sx.DualPerceptron(**options).fit(X, y)
    tight = sx.DualPerceptron(memory_limit=rows_kept * 8 * len(y), **options)
    pieces = sx.DualPerceptron(**options)
    pieces._tuning = Tuning(slice_multiplications=1, slice_updates=2)
    others = [tight.fit(X, y), pieces.fit(X, y)]
    if isinstance(kernel, str):
        others.append(sx.DualPerceptron(**options).fit(sp.csr_array(X), y))
        scores = others[-1].decision_function(sp.csr_array(X))
        assert scores.tobytes() == whole.decision_function(X).tobytes()
    for other in others:
        assert other.visited_.tolist() == whole.visited_.tolist()
        assert (other.n_iter_, other.stopped_) == (whole.n_iter_, whole.stopped_)
        assert other.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert np.bincount(whole.visited_, minlength=len(y)).tolist() == whole.alpha_.tolist()


def test_scores_are_those_of_the_kernels_by_another_hand():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(7, 3))
    y = np.where((X**2).sum(axis=1) > 2.5, 1, 0)
    for options, peer in (
        ({"kernel": "rbf", "gamma": 0.7}, lambda A, B: rbf_kernel(A, B, gamma=0.7)),
        ({"kernel": "rbf"}, rbf_kernel),
        ({"kernel": "polynomial"}, polynomial_kernel),
        ({"kernel": "poly"}, polynomial_kernel),  # its name in scikit-learn
        ({"kernel": "linear", "coef0": 3.0}, lambda A, B: 3.0 + A @ B.T),
        ({"kernel": rbf_kernel}, rbf_kernel),
    ):
        model = sx.DualPerceptron(max_iter=50, **options).fit(X, y)
        expected = (model.alpha_ * np.where(y == 1, 1, -1)) @ peer(X, new)
        assert model.decision_function(new) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_xor_is_separable_with_a_polynomial_kernel_and_not_with_a_line():
    y = [0, 1, 1, 0]
    for options in ({"kernel": "polynomial", "degree": 2}, {"kernel": "rbf"}):
        model = sx.DualPerceptron(**options).fit(XOR, y)
        assert model.predict(XOR).tolist() == y
        assert model.stopped_ is sx.Stopped.CLEAN_PASS
    with pytest.warns(sx.NotConvergedWarning, match="may not be separable"):
        sx.DualPerceptron(max_iter=30).fit(XOR, y)
