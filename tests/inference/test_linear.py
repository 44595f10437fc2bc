"""Linear regression's table beside statsmodels: coefficients, errors, intervals, figures."""

import numpy as np
import pytest

from separatrix import InputError, LinearRegression, coefficient_table
from tests.shared_data import manifest, needs_shared
from tests.tables_of_manifest import public_table

TABLES = [e["name"] for e in manifest() if e["n"] <= 3000 and e["d"] <= 60]


def columns(table, *names):
    return (np.array([getattr(row, name) for row in table.rows]) for name in names)


@needs_shared
@pytest.mark.parametrize("name", TABLES)
def test_columns_are_those_of_statsmodels(name):
    sm = pytest.importorskip("statsmodels.api", reason="a peer of the extra `bench`")
    X, y, names = public_table(name)
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    table = coefficient_table(X, y, method="least squares", feature_names=names)
    estimates, errors, t, lower, p = columns(table, "estimate", "standard_error", "z", "lower", "p")
    if np.isnan(estimates).any() or table.figures.degrees <= 0 or table.deviance < 1e-9:
        pytest.skip("columns that depend on one another, or no residuals")
    A, groups = sm.add_constant(X, has_constant="add"), np.arange(len(y)) % 12
    peer = sm.OLS(y, A).fit()
    scale = np.abs(peer.params).max()
    np.testing.assert_allclose(estimates, peer.params, rtol=1e-8, atol=1e-8 * scale + 1e-14)
    np.testing.assert_allclose(errors, peer.bse, rtol=1e-8)
    np.testing.assert_allclose(t, peer.tvalues, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(p, peer.pvalues, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(lower, peer.conf_int()[:, 0], rtol=1e-7, atol=1e-8 * scale + 1e-14)
    figures = table.figures
    assert figures.r2 == pytest.approx(peer.rsquared, rel=1e-9, abs=1e-12)
    assert figures.adjusted_r2 == pytest.approx(peer.rsquared_adj, rel=1e-8, abs=1e-12)
    assert figures.sigma == pytest.approx(np.sqrt(peer.scale), rel=1e-9)
    assert figures.f == pytest.approx(peer.fvalue, rel=1e-8, abs=1e-10)
    assert figures.f_p == pytest.approx(peer.f_pvalue, rel=1e-6, abs=1e-300)
    assert figures.log_likelihood == pytest.approx(peer.llf, rel=1e-9)
    assert figures.aic == pytest.approx(peer.aic + 2.0, rel=1e-9)  # R counts the variance
    kinds = {kind: {} for kind in ("HC0", "HC1", "HC2", "HC3")}
    for kind, words in {**kinds, "cluster": {"cov_kwds": {"groups": groups}}}.items():
        robust = sm.OLS(y, A).fit(cov_type=kind, use_t=True, **words)
        asked = {"groups": groups} if kind == "cluster" else {"robust": kind}
        ours = coefficient_table(X, y, method="least squares", **asked)
        errors, p = columns(ours, "standard_error", "p")
        np.testing.assert_allclose(errors, robust.bse, rtol=1e-8)
        np.testing.assert_allclose(p, robust.pvalues, rtol=1e-6, atol=1e-12)


def test_summary_of_a_learner():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["age", "income"])
    y = X["age"].to_numpy() + rng.normal(size=30)
    table = LinearRegression().fit(X, y).summary(robust="HC3")
    assert [row.name for row in table.rows] == ["(Intercept)", "age", "income"]
    assert table.spread == "HC3"
    assert "Residual standard error" in str(table)


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
