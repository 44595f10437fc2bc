"""Rows in batches: as one pass of fit over all of them in turn, bit for bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.learners.walks.tuning import Tuning
from tests.hostile.profile import examples
from tests.kernels.walks.test_perceptron import integer_tables
from tests.learners.tables import weights

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")

LEARNERS = [sx.Perceptron, sx.AveragedPerceptron, sx.MarginPerceptron, sx.PassiveAggressive]
AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])

learners = st.sampled_from(LEARNERS)


@examples(150)
@given(
    table=integer_tables(),
    real=st.booleans(),
    learner=learners,
    cuts=st.sets(st.integers(1, 7)),
    most=st.sampled_from([None, 1, 4]),
    started=st.booleans(),
    variant=st.sampled_from(["PA", "PA-I", "PA-II"]),
)
def test_batches_equal_one_pass_over_all_rows(
    table, real, learner, *, cuts, most, started, variant
):
    X, y = table
    X = X / 3.0 if real else X
    options = {"max_updates": most, "init": np.arange(X.shape[1] + 1) / 7.0 if started else None}
    if learner is sx.PassiveAggressive:
        options["variant"] = variant
    else:
        options["learning_rate"] = 0.3
    whole = learner(max_iter=1, **options).fit(X, y)
    parts = learner(max_iter=1, **options)
    for rows in np.split(np.arange(len(y)), sorted(c for c in cuts if c < len(y))):
        parts.partial_fit(X[rows], y[rows], classes=[-1, 1])
    assert weights(parts).tobytes() == weights(whole).tobytes()
    assert parts.counts_.tolist() == whole.counts_.tolist()
    assert (parts.n_updates_, parts.n_iter_) == (whole.n_updates_, whole.n_iter_)
    # that a pass was clean, batches do not know of the rows before
    clean = whole.stopped_ is sx.Stopped.CLEAN_PASS
    assert parts.stopped_ is (sx.Stopped.PASSES_SPENT if clean else whole.stopped_)
    if learner is sx.PassiveAggressive:
        return
    assert parts.trace_.rows.tolist() == whole.trace_.rows.tolist()
    assert list(parts.trace_.walk(X, y))[-1].tobytes() == (0.3 * parts.trace_.end).tobytes()
    if whole.n_updates_ > 0 and whole.stopped_ is not sx.Stopped.CLEAN_PASS:
        assert parts.stopped_ is whole.stopped_
        assert parts.certificate_ == whole.certificate_
        assert parts.certificate_.verify(X, y)


@examples(40)
@given(table=integer_tables(), learner=learners)
def test_after_fit_it_goes_on_where_that_ended(table, learner):
    X, y = table
    model = learner(max_iter=3).fit(X, y)
    updates = model.n_updates_
    before, passes = weights(model), model.n_iter_
    model.partial_fit(sp.csr_array(X), y)
    if learner is not sx.AveragedPerceptron:
        again = learner(max_iter=1, init=before).fit(X, y)
        assert weights(model).tobytes() == weights(again).tobytes()
        assert model.n_updates_ == updates + again.n_updates_
    assert model.n_iter_ == passes
    assert model.counts_.size == 2 * len(y)


def test_a_long_trace_stays_capped():
    model = sx.Perceptron()
    model._tuning = Tuning(trace_capacity=3)
    for _ in range(3):
        model.partial_fit([[0.0], [0.0]], [0, 1])
    assert (model.n_updates_, model.trace_.rows.tolist(), model.trace_.capped) == (6, [0, 1, 2], 1)


@pytest.mark.parametrize("learner", LEARNERS)
def test_labels_of_batches(learner):
    model = learner().partial_fit(AND[:2], ["no", "no"], classes=["yes", "no"])
    assert model.classes_.tolist() == ["no", "yes"]
    model.partial_fit(AND[3:], ["yes"])
    with pytest.raises(sx.InputError, match="'maybe' in row 1: the labels are 'no' and 'yes'"):
        model.partial_fit(AND[:2], ["no", "maybe"])
    with pytest.raises(sx.InputError, match="the rows before had"):
        model.partial_fit(AND[:2], ["no", "yes"], classes=["a", "b"])
    with pytest.raises(sx.InputError, match="missing labels"):
        model.partial_fit(AND[:2], ["no", None])
    with pytest.raises(sx.InputError, match="one class"):
        learner().partial_fit(AND[:2], ["no", "no"])
    for classes, words in (
        ("yes", "two labels"),
        ([1, 2, 3], "Only binary"),
        ([1, 1], "one class"),
    ):
        with pytest.raises(sx.InputError, match=words):
            learner().partial_fit(AND[:2], [1, 2], classes=classes)
    with pytest.raises(ValueError, match="1 features"):
        model.partial_fit(AND[:, :1], ["no", "no", "no", "yes"])


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_needs_all_rows_is_refused(learner, tmp_path):
    y = [0, 0, 0, 1]
    for options, words in (
        ({"visit": "permuted"}, "visit='permuted' needs all rows"),
        ({"init": "regression"}, "init='regression'"),
    ):
        with pytest.raises(AttributeError, match="partial_fit") as refusal:
            learner(**options).partial_fit(AND, y)
        assert isinstance(refusal.value.__cause__, sx.InputError)
        assert words in str(refusal.value.__cause__)
    sx.save(learner().fit(AND, y), tmp_path / "m")
    with pytest.raises(sx.InputError, match="loaded from a file"):
        sx.load(tmp_path / "m").partial_fit(AND, y)


def test_a_batch_that_is_refused_changes_nothing():
    model = sx.Perceptron().partial_fit(AND, [0, 0, 0, 1])
    before = weights(model)
    with pytest.raises(sx.InputError):
        model.partial_fit([[np.nan, 0.0]], [0])
    assert np.array_equal(weights(model), before)
    model.partial_fit(AND, [0, 0, 0, 1])
    assert model.counts_.size == 8
