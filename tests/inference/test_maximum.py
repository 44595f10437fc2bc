"""The maximum of the likelihood and Wald's errors, beside statsmodels and published values."""

import warnings

import numpy as np
import pytest

from separatrix.data import InputError, read_arrays
from separatrix.inference.design import Spread
from separatrix.inference.maximum import Maximum
from separatrix.inference.methods import METHODS, method_named
from tests.shared_data import manifest, needs_shared, reference
from tests.tables_of_manifest import public_table

TABLES = [e["name"] for e in manifest() if not e["separable"] and e["n"] <= 3000 and e["d"] <= 60]
WITH_OPTIMUM = [
    name
    for name, known in (reference()["logistic_mle"].items() if manifest() else ())
    if "std_err" in known
]
POOR = (
    [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.5], [1.5, 0.0]],
    [0, 1, 0, 1, 0, 1],
)


@needs_shared
@pytest.mark.parametrize("name", TABLES)
def test_wald_columns_are_those_of_statsmodels(name):
    sm = pytest.importorskip("statsmodels.api", reason="a peer of the extra `bench`")
    X, y, _ = public_table(name)
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    found = Maximum.of(read_arrays(X, y), 1.0)
    if found.infinite or found.undetermined:
        pytest.skip("no finite optimum, or columns that depend on one another")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = sm.Logit(y > 0, sm.add_constant(X)).fit(disp=0, maxiter=500, tol=1e-14)
        robust = sm.Logit(y > 0, sm.add_constant(X)).fit(
            disp=0, maxiter=500, tol=1e-14, cov_type="HC0"
        )
        groups = np.arange(len(y)) % 12
        clustered = sm.Logit(y > 0, sm.add_constant(X)).fit(
            disp=0, maxiter=500, tol=1e-14, cov_type="cluster", cov_kwds={"groups": groups}
        )
    np.testing.assert_allclose(found.estimates(), peer.params, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found.standard_errors(Spread()), peer.bse, rtol=1e-8)
    np.testing.assert_allclose(found.standard_errors(Spread("HC0")), robust.bse, rtol=1e-8)
    with_groups = found.standard_errors(Spread(groups=groups))
    np.testing.assert_allclose(with_groups, clustered.bse, rtol=1e-8)
    assert found.log_likelihood == pytest.approx(peer.llf, rel=1e-12)


@needs_shared
@pytest.mark.parametrize("name", WITH_OPTIMUM)
def test_published_estimates_and_errors(name):
    known = reference()["logistic_mle"][name]
    X, y, _ = public_table(name)
    found = Maximum.of(read_arrays(X, y), 1.0)
    np.testing.assert_allclose(found.estimates(), known["coef"], rtol=1e-9)
    np.testing.assert_allclose(found.standard_errors(Spread()), known["std_err"], rtol=1e-8)


@needs_shared
def test_endometrial_has_an_infinite_estimate_beside_finite_ones():
    X, y, names = public_table("endometrial")
    found = Maximum.of(read_arrays(X, y), 1.0)
    assert names == ("NV", "PI", "EH")
    assert found.infinite == {1: 1}
    assert found.log_likelihood == pytest.approx(-27.696630, abs=5e-7)
    estimates, errors = found.estimates(), found.standard_errors(Spread())
    assert np.isposinf(estimates[1])
    assert np.isnan(errors[1])
    assert np.isfinite(np.delete(errors, 1)).all()


def test_weights_are_copies():
    X, y = np.array(POOR[0]), np.array(POOR[1])
    weight = np.array([1, 2, 3, 1, 2, 1])
    weighed = Maximum.of(read_arrays(X, y, weight), 1.0)
    copied = Maximum.of(read_arrays(np.repeat(X, weight, axis=0), np.repeat(y, weight)), 1.0)
    assert weighed.figures().n == copied.figures().n
    for robust in (None, "HC0", "HC1", "HC2", "HC3"):
        np.testing.assert_allclose(
            weighed.standard_errors(Spread(robust)), copied.standard_errors(Spread(robust))
        )


def test_corrections_by_hand():
    X, y = np.array(POOR[0]), np.array(POOR[1])
    found = Maximum.of(read_arrays(X, y), 1.0)
    A = np.column_stack((np.ones(6), X))
    p = 1.0 / (1.0 + np.exp(-A @ found.estimates()))
    half = A * np.sqrt(p * (1.0 - p))[:, None]
    bread = np.linalg.inv(half.T @ half)
    h = np.diag(half @ bread @ half.T)
    for name, scale in {
        "HC0": 1.0, "HC1": 6.0 / 3.0, "HC2": 1.0 / (1.0 - h), "HC3": 1.0 / (1.0 - h) ** 2,
    }.items():  # fmt: skip
        meat = (A * (scale * (y - p) ** 2)[:, None]).T @ A
        expected = np.sqrt(np.diag(bread @ meat @ bread))
        np.testing.assert_allclose(found.standard_errors(Spread(name)), expected, rtol=1e-10)


def test_columns_that_depend_on_others_are_not_determined():
    X = np.array(POOR[0])
    doubled = np.column_stack((X, 2.0 * X[:, 0]))
    found = Maximum.of(read_arrays(doubled, POOR[1]), 1.0)
    alone = Maximum.of(read_arrays(X, POOR[1]), 1.0)
    assert found.undetermined == {1, 3}
    assert np.isnan(found.estimates()[[1, 3]]).all()
    np.testing.assert_allclose(found.estimates()[2], alone.estimates()[2])
    np.testing.assert_allclose(
        found.standard_errors(Spread())[2], alone.standard_errors(Spread())[2]
    )


def test_without_an_intercept():
    X, y = np.array(POOR[0]), POOR[1]
    found = Maximum.of(read_arrays(X, y), 0.0)
    assert found.estimates()[0] == 0.0
    assert np.isnan(found.standard_errors(Spread())[0])


def test_separable_rows_have_likelihood_one():
    found = Maximum.of(read_arrays([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), 1.0)
    assert found.log_likelihood == 0.0
    assert found.infinite[1] == 1
    assert np.isnan(found.standard_errors(Spread())).all()


def test_refusals():
    with pytest.raises(InputError, match="HC0, HC1, HC2, HC3"):
        Spread.of("HC4", None)
    with pytest.raises(InputError, match="exclude"):
        Spread.of("HC0", np.zeros(3))
    with pytest.raises(InputError, match="one group"):
        Spread.of(None, np.zeros(3))
    with pytest.raises(InputError, match="wald"):
        method_named("bayes")


def test_walds_intervals_are_symmetric():
    found = METHODS["wald"](read_arrays(*POOR), 1.0, 0.9, {})
    np.testing.assert_allclose((found.lower + found.upper) / 2.0, found.estimate)
    np.testing.assert_allclose(
        found.upper - found.estimate, 1.6448536269514722 * found.standard_error
    )
