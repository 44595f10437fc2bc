"""PLA: the lecture's numbers, its trace, what stops it, what it proves."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, Multipliers, NotConvergedWarning, Perceptron, Separation, Stopped
from tests.as_plain import mistakes
from tests.hostile.profile import examples
from tests.learners.tables import quiet, separable_tables, weights
from tests.shared_data import manifest, needs_shared, ntu, ntu_answers, public_table

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@needs_shared
def test_homework_1_15_to_the_update():
    X, y = ntu("hw1_15_train.dat")
    known = ntu_answers()["hw1_15 cyclic, sign(0) = -1"]
    model = Perceptron(sign_of_zero=-1).fit(X, y)
    assert model.n_updates_ == known["updates"] == 45
    assert model.trace_.rows[-1] == known["last_mistake_index0"] == 135
    assert weights(model).tolist() == known["weights"]
    assert model.n_iter_ == known["passes_incl_clean"]
    half = Perceptron(sign_of_zero=-1, learning_rate=0.5).fit(X, y)
    assert half.trace_.rows.tolist() == model.trace_.rows.tolist()
    assert np.array_equal(weights(half), weights(model) / 2)


@needs_shared
def test_homework_1_15_mean_over_permuted_orders():
    X, y = ntu("hw1_15_train.dat")
    known = ntu_answers()["hw1_15 permuted orders, mean updates over 200000"]
    updates = [
        Perceptron(visit="permuted", sign_of_zero=-1, random_state=seed).fit(X, y).n_updates_
        for seed in range(2000)
    ]
    standard_error = known["std"] / math.sqrt(len(updates))
    assert abs(np.mean(updates) - known["mean"]) < 4 * standard_error
    assert known["min"] - 3 <= min(updates) <= max(updates) <= known["max"] + 10


@needs_shared
@pytest.mark.parametrize(
    "entry", [e for e in manifest() if "cyclic_pla" in e], ids=lambda e: e["name"]
)
@quiet
def test_cyclic_pla_on_the_public_tables(entry):
    X, y, _ = public_table(entry["name"])
    rules = {"sign0=-1": -1, "sign0=+1": 1, "sign0=0 (always wrong)": "mistake"}
    for name, rule in rules.items():
        known = entry["cyclic_pla"][name]
        model = Perceptron(sign_of_zero=rule, max_updates=500_000, max_iter=None).fit(X, y)
        if known["float64_updates"] == ">500000":
            assert model.stopped_ is Stopped.UPDATES_SPENT
            continue
        assert model.n_updates_ == known["float64_updates"]
        assert model.trace_.rows[-1] == known["last_index0"]
        assert weights(model).tolist() == pytest.approx(known["float64_weights"], rel=1e-12)


@pytest.mark.parametrize("eta", [1.0, 0.3])
def test_the_trace_replays_every_w(eta):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "b", "a")
    start = np.array([0.25, 1.0, -1.0, 0.5])
    model = Perceptron(learning_rate=eta, init=start, max_iter=None).fit(X, y)
    path = list(model.trace_.walk(X, y))
    assert len(path) == model.n_updates_ + 1
    assert path[-1].tobytes() == weights(model).tobytes()
    for t in (1, model.n_updates_ // 2, model.n_updates_ - 1):
        stopped = Perceptron(learning_rate=eta, init=start, max_updates=t, max_iter=None)
        with pytest.warns(NotConvergedWarning):
            stopped.fit(X, y)
        assert path[t].tobytes() == weights(stopped).tobytes()


def test_a_replay_on_other_data_is_noticed():
    X, y = AND, np.array([0, 0, 0, 1])
    trace = Perceptron().fit(X, y).trace_
    with pytest.raises(InputError, match="not the data of this run"):
        list(trace.walk(X[::-1], y[::-1]))
    with pytest.raises(InputError, match="not the data of this run"):
        list(trace.walk(X[:, :1], y))


@quiet
def test_growth_curves_stay_inside_their_bounds():
    X, y = AND, np.array([0, 0, 0, 1])
    model = Perceptron().fit(X, y)
    growth = model.trace_.growth(X, y, np.array([-1.5, 1.0, 1.0]))
    assert (growth.inner >= growth.inner_lower - 1e-12).all()
    assert (growth.length_squared <= growth.length_squared_upper + 1e-12).all()
    assert growth.inner.size == model.n_updates_ + 1


def test_budgets_say_which_of_them_ended():
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    for options, stopped in (
        ({"max_updates": 7, "max_iter": None}, Stopped.UPDATES_SPENT),
        ({"max_iter": 3}, Stopped.PASSES_SPENT),
        ({"max_iter": None, "time_limit": 0.05}, Stopped.TIME_SPENT),
    ):
        with pytest.warns(NotConvergedWarning, match=str(stopped)):
            model = Perceptron(**options).fit(X, y)
        assert model.stopped_ is stopped
    assert Perceptron(max_updates=18).fit(AND, [0, 0, 0, 1]).stopped_ is Stopped.CLEAN_PASS


def test_without_an_intercept_a_clean_pass_under_sign_zero_proves_nothing():
    X, y = [[0.0], [1.0]], [0, 1]
    model = Perceptron(fit_intercept=False, sign_of_zero=-1).fit(X, y)
    assert model.stopped_ is Stopped.CLEAN_PASS
    assert model.certificate_ is None
    with_intercept = Perceptron(sign_of_zero=-1).fit(X, y)
    assert with_intercept.certificate_.verify(X, y)


def test_a_refit_that_failed_leaves_the_learner_as_it_was():
    model = Perceptron().fit(AND, [0, 0, 0, 1])
    with pytest.raises(InputError):
        model.fit(np.ones((3, 6)), [1, 1, 1])
    assert model.n_features_in_ == 2
    assert model.predict(AND).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (
            [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]],
            "by a factor of 1 only: scaling.*little",
        ),
        ([[0.0, 0.0], [0.0, 1e6], [1.0, 0.0], [1.0, 1e6]], r"by a factor of 1e\+06: dividing each"),
        (np.zeros((4, 2)), "by a factor of 1 only"),
        (
            [[0.0, 0.0], [0.0, 1e300], [1e-300, 0.0], [1e-300, 1e300]],
            "by a factor of inf: dividing",
        ),
        (sp.csr_array([[0.0, 0.0], [0.0, 50.0], [1.0, 0.0], [1.0, 50.0]]), "a factor of 50: divid"),
    ],
)
def test_rows_that_it_cannot_separate_come_with_ways_on(X, words):
    with pytest.warns(NotConvergedWarning, match=words) as caught:
        model = Perceptron(max_iter=50).fit(X, [0, 1, 1, 0])
    said = str(caught[0].message)
    points = X.toarray() if sp.issparse(X) else np.array(X)
    line = np.append(model.intercept_, model.coef_[0])
    made = len(mistakes(points, np.array([-1, 1, 1, -1]), line))
    assert f"The last line makes {made} mistakes in 4 rows; Pocket keeps the best" in said
    assert "separatrix.separability does, with a proof" in said


@pytest.mark.parametrize("sign_of_zero", [-1, 1])
@pytest.mark.parametrize("size", [0, -480, -530, -700])
def test_rows_of_score_zero_are_moved_by_less_than_the_least_score_of_the_others(
    size, sign_of_zero
):
    X = np.ldexp([[0.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [-3.0, -1.0]], size)
    y = np.where(X.any(axis=1), -sign_of_zero, sign_of_zero)
    proof = Perceptron(sign_of_zero=sign_of_zero).fit(X, y).certificate_
    assert proof.verify(X, y.astype(float))


@examples(120)
@given(
    table=separable_tables(),
    visit=st.sampled_from(["cyclic", "naive", "permuted", "random"]),
    sign_of_zero=st.sampled_from([-1, 1, "mistake"]),
)
def test_the_mistake_bound_holds(table, visit, sign_of_zero):
    X, y, target = table
    model = Perceptron(visit=visit, sign_of_zero=sign_of_zero, max_iter=None, random_state=0).fit(
        X, y
    )
    z = [[Fraction(s), *(Fraction(float(s * v)) for v in row)] for s, row in zip(y, X, strict=True)]
    w_f = [Fraction(float(v)) for v in target]
    rho_squared = min(sum(a * b for a, b in zip(r, w_f, strict=True)) for r in z) ** 2 / sum(
        v * v for v in w_f
    )
    radius_squared = max(sum(v * v for v in r) for r in z)
    assert model.n_updates_ <= radius_squared // rho_squared
    assert model.counts_.sum() == model.n_updates_
    assert isinstance(model.certificate_, Separation)
    assert model.certificate_.verify(X, y)
    if visit in ("naive", "random"):
        assert model.n_iter_ == model.n_updates_ + 1


@examples(80)
@given(table=separable_tables(), rule=st.sampled_from([-1, 1, "mistake"]), seed=st.integers(0, 99))
def test_swapping_labels_sign_of_zero_and_start_negates_w(table, rule, seed):
    X, y, _ = table
    start = np.random.default_rng(seed).integers(-2, 3, X.shape[1] + 1).astype(float)
    swapped = rule if rule == "mistake" else -rule
    a = Perceptron(sign_of_zero=rule, init=start, max_iter=None).fit(X, y)
    b = Perceptron(sign_of_zero=swapped, init=-start, max_iter=None).fit(X, -y)
    assert a.trace_.rows.tolist() == b.trace_.rows.tolist()
    assert np.array_equal(weights(a), -weights(b))


@examples(80)
@given(table=separable_tables(), k=st.integers(-300, 300))
def test_scaling_whole_rows_by_a_power_of_two_leaves_the_path(table, k):
    X, y, _ = table
    whole = np.column_stack((np.ones(len(X)), X))
    model = Perceptron(fit_intercept=False, max_iter=None)
    plain = model.fit(whole, y).trace_.rows.tolist(), weights(model)
    scaled = model.fit(np.ldexp(whole, k), y)
    assert scaled.trace_.rows.tolist() == plain[0]
    assert np.array_equal(weights(scaled), np.ldexp(plain[1], k))


@examples(60)
@given(table=separable_tables(), k=st.integers(-20, 20), eta=st.floats(1e-6, 1e6))
def test_the_learning_rate_scales_w_and_never_the_path(table, k, eta):
    X, y, _ = table
    start = np.arange(X.shape[1] + 1.0)
    plain = Perceptron(init=start, max_iter=None).fit(X, y)
    both = Perceptron(init=np.ldexp(start, k), learning_rate=2.0**k, max_iter=None).fit(X, y)
    assert both.trace_.rows.tolist() == plain.trace_.rows.tolist()
    assert np.array_equal(weights(both), np.ldexp(weights(plain), k))
    from_zero = Perceptron(max_iter=None).fit(X, y).trace_.rows.tolist()
    assert Perceptron(learning_rate=eta, max_iter=None).fit(X, y).trace_.rows.tolist() == from_zero


@examples(60)
@given(seed=st.integers(0, 10**6), budget=st.integers(1, 60))
@quiet
def test_a_run_cut_short_bounds_every_margin(seed, budget):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (12, 2)).astype(float)
    y = np.where(X @ [1.0, 2.0] + 0.5 > 0, 1, -1)
    if len(set(y)) == 1:
        return
    start = rng.integers(-3, 4, 3).astype(float)
    model = Perceptron(max_updates=budget, init=start, learning_rate=0.5).fit(X, y)
    if model.stopped_ is Stopped.CLEAN_PASS:
        return
    proof = model.certificate_
    assert isinstance(proof, Multipliers)
    assert proof.verify(X, y)
    distance = np.linalg.norm(weights(model) - start) / (0.5 * model.n_updates_)
    assert math.sqrt(proof.margin_bound_squared(X, y)) == pytest.approx(distance)
    target = np.array([0.5, 1.0, 2.0])
    z = y[:, None] * np.column_stack((np.ones(12), X))
    assert (z @ target).min() / np.linalg.norm(target) <= distance * (1 + 1e-12)
