"""Linear regression's table by hand: coefficients, errors, intervals, figures."""

import math

import numpy as np
import pytest
from scipy.stats import f, t

from separatrix import InputError, coefficient_table
from tests.inference.tables import meats


def columns(table, *names):
    return (np.array([getattr(row, name) for row in table.rows]) for name in names)


def test_figures_and_errors_by_hand():
    rng = np.random.default_rng(1)
    X, k = rng.normal(9.0, 1.0, size=(30, 2)), 3
    y = X @ [1.0, -0.3] + rng.normal(size=30)
    table = coefficient_table(X, y, method="least squares")
    estimates, errors, z, lower, p = columns(table, "estimate", "standard_error", "z", "lower", "p")
    A = np.column_stack((np.ones(30), X))
    bread, w = np.linalg.inv(A.T @ A), np.linalg.lstsq(A, y, rcond=None)[0]
    rest = y - A @ w
    left, whole = rest @ rest, ((y - y.mean()) ** 2).sum()
    np.testing.assert_allclose(estimates, w, rtol=1e-10)
    np.testing.assert_allclose(errors, np.sqrt(np.diag(bread) * left / 27), rtol=1e-10)
    np.testing.assert_allclose(z, w / errors, rtol=1e-10)
    np.testing.assert_allclose(p, 2.0 * t.sf(np.abs(z), 27), rtol=1e-8)
    np.testing.assert_allclose(lower, w - t.ppf(0.975, 27) * errors, rtol=1e-9)
    figures, ratio = table.figures, (whole - left) / 2 / (left / 27)
    assert figures.r2 == pytest.approx(1.0 - left / whole)
    assert figures.adjusted_r2 == pytest.approx(1.0 - left / 27 / (whole / 29))
    assert (figures.sigma, figures.f) == pytest.approx((math.sqrt(left / 27), ratio))
    assert figures.f_p == pytest.approx(f.sf(ratio, 2, 27), rel=1e-6)
    assert figures.log_likelihood == pytest.approx(-15 * (math.log(2 * math.pi * left / 30) + 1))
    assert figures.aic == pytest.approx(2 * (k + 1) - 2 * figures.log_likelihood)
    slopes = A * rest[:, None]
    for asked, meat in meats(slopes, np.diag(A @ bread @ A.T)):
        errors, p = columns(
            coefficient_table(X, y, method="least squares", **asked), "standard_error", "p"
        )
        np.testing.assert_allclose(errors, np.sqrt(np.diag(bread @ meat @ bread)), rtol=1e-8)
        degrees = 2 if "groups" in asked else 27
        np.testing.assert_allclose(p, 2.0 * t.sf(np.abs(w / errors), degrees), rtol=1e-6)


def test_categories_of_a_frame_become_columns():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"sex": list("fmfmfm"), "age": [1.0, 2.0, 4.0, 3.0, np.nan, 5.0]})
    table = coefficient_table(X, [1.0, 2.0, 2.5, 4.0, 9.0, 3.0], method="least squares")
    assert [row.name for row in table.rows] == ["(Intercept)", "sex=f", "age"]
    assert table.n == 5


def test_a_table_of_labels_has_no_numbers():
    with pytest.raises(InputError, match="needs numbers y"):
        coefficient_table([[0.0], [1.0]], method="least squares")
    with pytest.raises(InputError, match="least squares takes X and y"):
        coefficient_table([[0.0], [1.0], [2.0]], [0, 1, 2], method="least squares", test=["x1"])


@pytest.mark.parametrize(
    ("method", "y"), [("least squares", [1, 2, 4, 2, 3]), ("wald", [1, 0, 1, 1, 0])]
)
@pytest.mark.parametrize("robust", [None, "HC3"])
def test_columns_of_any_size_have_standard_errors(method, y, robust):
    x = np.array([[1.0], [2.0], [-1.0], [0.5], [-2.0]])
    usual = coefficient_table(x, y, method=method, robust=robust)["x1"].standard_error
    for size in (1e-300, 1e300):
        found = coefficient_table(x * size, y, method=method, robust=robust)["x1"]
        assert found.standard_error * size == pytest.approx(usual)
