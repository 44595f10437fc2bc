"""Coefficients per standard deviation or per K units are those of a fit of rescaled columns."""

import math
from fractions import Fraction

import numpy as np
import pytest

from separatrix import coefficient_table
from separatrix.data import InputError

RNG = np.random.default_rng(5)
N = 60
X = np.column_stack((
    40.0 + 12.0 * RNG.standard_normal(N).round(2),
    RNG.integers(0, 2, N),
    0.01 * RNG.integers(-3, 4, N),
))  # fmt: skip
Y = (0.1 * (X[:, 0] - 40.0) + X[:, 1] + RNG.logistic(size=N) > 0.5).astype(int)
SD = [float(np.std(X[:, 0], ddof=1)), 1.0, float(np.std(X[:, 2], ddof=1))]
NUMBERS = "estimate", "standard_error", "wald_lower", "wald_upper", "lower", "upper", "odds_ratio"


@pytest.mark.parametrize("method", ["likelihood", "wald", "firth"])
@pytest.mark.parametrize(
    ("per", "units"), [("sd", SD), (10, [10.0, 1.0, 10.0]), ({"x1": 5}, [5, 1, 1])]
)
def test_as_if_the_columns_were_rescaled(method, per, units):
    table = coefficient_table(X, Y, method=method, per=per)
    expected = coefficient_table(X / units, Y, method=method)
    as_it_was = coefficient_table(X, Y, method=method)
    for row, other, old in zip(table.rows, expected.rows, as_it_was.rows, strict=True):
        for name in NUMBERS:
            assert getattr(row, name) == pytest.approx(getattr(other, name), rel=1e-5), name
        assert (row.z, row.chi2, row.p) == (old.z, old.chi2, old.p)
    assert table.rows[0] == as_it_was.rows[0]
    assert {name: unit.size for name, unit in table.units.items()} == pytest.approx(
        {f"x{j + 1}": unit for j, unit in enumerate(units) if unit != 1.0}
    )
    assert table.verify(X, Y)


def test_a_prior_stays_that_of_the_columns_as_they_are():
    old, new = (coefficient_table(X, Y, method="log-f", per=per) for per in (None, 4.0))
    assert new["x1"].estimate == 4.0 * old["x1"].estimate
    assert new["x1"].p == old["x1"].p


def test_brackets_hold_the_ends_in_the_new_unit():
    old, new = coefficient_table(X, Y), coefficient_table(X, Y, per={"x1": 0.3})
    size = Fraction(0.3)
    for (inside, outside), (a, b), way in zip(
        old.brackets["x1"], new.brackets["x1"], (1, -1), strict=True
    ):
        assert way * Fraction(a) >= way * size * Fraction(inside)
        assert way * Fraction(b) <= way * size * Fraction(outside)
    assert new["x1"].lower == new.brackets["x1"][0][0]
    assert new.brackets["x2"] == old.brackets["x2"]


def test_infinite_estimates_keep_their_unit():
    x = np.column_stack((np.where(np.arange(N) < 4, 2.5, 0.0), X[:, 0]))
    y = np.where(np.arange(N) < 4, 1, Y)
    table = coefficient_table(x, y, per={"x1": 2.0})
    row = table["x1"]
    assert row.estimate == row.upper == row.odds_ratio == math.inf
    assert row.lower == pytest.approx(2.0 * coefficient_table(x, y)["x1"].lower)
    assert table.sentences()[0].startswith("x1, per 2: estimate +infinity")
    assert math.inf == table.brackets["x1"][1][0]


def test_exact_and_linear_tables_have_units_too():
    x = [[k % 3, k // 5 % 2] for k in range(20)]
    y = [int(k % 3 == 2 or k < 3) for k in range(20)]
    exact = coefficient_table(x, y, method="exact", test=["x1"], per=2)
    assert (
        exact["x1"].lower == 2.0 * coefficient_table(x, y, method="exact", test=["x1"])["x1"].lower
    )
    line = coefficient_table(X, X[:, 0] + X[:, 1], method="least squares", per="sd")
    assert line["x1"].estimate == pytest.approx(SD[0])
    assert math.isnan(line["x1"].odds_ratio)


def test_every_form_says_the_unit():
    table = coefficient_table(X, Y, per={"x1": 10, "x3": "sd"})
    assert f"x3           {SD[2]:.4g} (SD)" in table.to_text()
    assert "<th scope='col'>per</th>" in table.to_html()
    assert "x1 & 10 &" in table.to_latex()
    assert table.to_frame()["unit"].tolist() == [1.0, 10.0, 1.0, pytest.approx(SD[2])]
    assert table.as_data()["per_standard_deviation"] == ["x3"]
    assert "per" not in coefficient_table(X, Y).to_text().splitlines()[3]
    x = X * [1000.0, 1.0, 1.0]
    said = 'Odds ratios close to 1 for want of a larger unit (--per sd, or per="sd"): x1.'
    assert said in coefficient_table(x, Y).below()
    assert not any("larger unit" in line for line in coefficient_table(x, Y, per=1000).below())


@pytest.mark.parametrize(
    ("per", "said"),
    [
        (0, "positive number"), ("sds", "positive number"), (True, "positive number"),
        (math.inf, "positive number"), ({"x9": 1}, "no column is called 'x9'"),
        ({"x2": 10}, "'x2' has no units"), ({"(Intercept)": 10}, "has no units"),
        ({"x1": 1e300 * 1e9}, "positive number"),
        ({"x3": 1e308}, "too large"),
    ],
)  # fmt: skip
def test_units_that_cannot_be(per, said):
    with pytest.raises(InputError, match=said):
        coefficient_table(X * [1.0, 1.0, 0.001], Y, per=per)
