import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from tests.hostile.profile import examples
from tests.learners.tables import weights
from tests.plain.drawn import tables
from tests.shared_data import public_table

ENDOMETRIAL = [3.774560, 2.929273, -0.034752, -2.604164]


@pytest.fixture(scope="module")
def endometrial():
    X, y, _ = public_table("endometrial")
    return X, y


def independent(X):
    table = np.column_stack((np.ones(len(X)), X))
    return np.linalg.matrix_rank(table) == table.shape[1]


def test_one_column_of_halves_is_half_a_row_more_of_each():
    # two groups: Firth's penalty adds half a yes and half a no to each (Jeffreys's prior)
    X, y = np.repeat([[0.0], [1.0]], 4, axis=0), np.array([0, 0, 0, 0, 0, 1, 1, 1])
    model = sx.FirthLogisticRegression().fit(X, y)
    logits = np.log(0.5 / 4.5), np.log(3.5 / 1.5)
    assert weights(model) == pytest.approx([logits[0], logits[1] - logits[0]], abs=1e-9)


@examples(40)
@given(tables(kinds=("integers", "eighths")), st.integers(0, 99))
def test_swapped_labels_swap_the_sign_and_the_order_of_rows_does_not_count(table, seed):
    X, y = table
    model = sx.FirthLogisticRegression().fit(X, y)
    order = np.random.default_rng(seed).permutation(len(y))
    others = (
        sx.FirthLogisticRegression().fit(X, -y),
        sx.FirthLogisticRegression().fit(X[order], y[order]),
    )
    size = 1.0 + np.abs(weights(model)).max()
    if not independent(X):
        return
    for other, sign in zip(others, (-1.0, 1.0), strict=True):
        best = model.penalised_log_likelihood_
        assert other.penalised_log_likelihood_ == pytest.approx(best, abs=1e-8)
        same = weights(other) == pytest.approx(sign * weights(model), abs=1e-5 * size)
        ways = [
            sx.FirthLogisticRegression().fit(-X, y)
        ]  # two maxima of one height may change places
        assert same or any(w.penalised_log_likelihood_ == pytest.approx(best) for w in ways)


@pytest.mark.parametrize("variant", ["flic", "flac"])
def test_the_mean_probability_is_the_share_of_yes(variant, endometrial):
    X, y = endometrial
    model = sx.FirthLogisticRegression(variant=variant).fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(np.mean(y > 0), abs=1e-7)
    plain = sx.FirthLogisticRegression().fit(X, y)
    assert abs(plain.predict_proba(X)[:, 1].mean() - np.mean(y > 0)) > 1e-3
    if variant == "flic":
        assert model.coef_.tolist() == plain.coef_.tolist()
    assert model.p_values_.tolist() == plain.p_values_.tolist()


def test_firths_line_is_the_likeliest_of_the_augmented_rows(endometrial):
    X, y = endometrial
    model = sx.FirthLogisticRegression().fit(X, y)
    half = model.leverages_ / 2.0
    weight = np.concatenate((np.ones(len(y)) + half, half))
    augmented = sx.LogisticRegression(tol=1e-12).fit(
        np.vstack((X, X)), np.concatenate((y, -y)), sample_weight=weight
    )
    assert weights(augmented) == pytest.approx(weights(model), abs=1e-6)


def test_a_saddle_is_left():
    X, y = np.array([[-1.0, 2.0], [-1.0, -2.0], [-2.0, -2.0], [2.0, 2.0]]), np.array([0, 1, 1, 1])
    model = sx.FirthLogisticRegression().fit(X, y)
    assert weights(model) == pytest.approx([1.173253, 0.724122, -0.767657], abs=1e-6)


def test_collinear_columns_share_or_are_left_out(endometrial):
    X, y = endometrial
    doubled = sx.FirthLogisticRegression().fit(np.column_stack((X, X[:, 0])), y)
    assert doubled.coef_[0, [0, 3]] == pytest.approx([ENDOMETRIAL[1] / 2] * 2, abs=1e-6)
    assert np.isnan(doubled.standard_errors_[[1, 4]]).all()
    nearly = X[:, 1] * 1.8 + 32.1
    with pytest.warns(sx.SeparatrixWarning, match="left out"):
        model = sx.FirthLogisticRegression().fit(np.column_stack((X, nearly)), y)
    assert len(model.collinear_) == 1


def test_parameters_are_checked(endometrial):
    with pytest.raises(sx.InputError, match="variant='jeffreys' is not known"):
        sx.FirthLogisticRegression(variant="jeffreys").fit(*endometrial)
    with pytest.raises(sx.InputError, match="tol"):
        sx.FirthLogisticRegression(tol=0.0).fit(*endometrial)
    with pytest.warns(sx.NotConvergedWarning, match="budget of steps"):
        sx.FirthLogisticRegression(max_iter=2).fit(*endometrial)
