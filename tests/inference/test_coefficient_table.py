"""The coefficient table: its figures, its doors, and what it looks like."""

import csv
import io
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, norm

import separatrix as sx
from separatrix import coefficient_table
from separatrix.data import InputError
from separatrix.inference.table import CoefficientRow
from tests.inference.tables import meats
from tests.shared_data import DATA, needs_shared

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.5], [1.5, 0.0], [2.5, 1.0]])
Y = np.array(list("nynynyn"))


A = np.column_stack((np.ones(len(X)), X))


def test_figures_of_the_model_by_hand():
    table = sx.coefficient_table(X, Y, method="wald")
    figures = table.figures
    for row in table.rows:
        z, half = row.estimate / row.standard_error, norm.ppf(0.975) * row.standard_error
        assert (row.z, row.p) == pytest.approx((z, 2.0 * norm.sf(abs(z))))
        ends = row.estimate - half, row.estimate + half
        assert (row.wald_lower, row.wald_upper) == pytest.approx(ends)
        assert row.odds_ratio == pytest.approx(math.exp(row.estimate))
    scores = np.where(Y == "y", 1, -1) * (A @ [row.estimate for row in table.rows])
    reached, null = -np.logaddexp(0.0, -scores).sum(), 3 * math.log(3 / 7) + 4 * math.log(4 / 7)
    assert (table.log_likelihood, table.aic) == pytest.approx((reached, 6.0 - 2.0 * reached))
    assert figures.null_log_likelihood == pytest.approx(null)
    assert figures.mcfadden_r2 == pytest.approx(1.0 - reached / null)
    assert figures.chi2 == pytest.approx(2.0 * (reached - null))
    assert figures.p == pytest.approx(chi2.sf(figures.chi2, 2))


def test_corrections_of_the_errors_by_hand():
    estimates = [row.estimate for row in sx.coefficient_table(X, Y, method="wald").rows]
    p = 1.0 / (1.0 + np.exp(-A @ estimates))
    half = A * np.sqrt(p * (1.0 - p))[:, None]
    bread = np.linalg.inv(half.T @ half)
    slopes = A * ((Y == "y") - p)[:, None]
    for asked, meat in meats(slopes, np.diag(half @ bread @ half.T)):
        found = sx.coefficient_table(X, Y, method="wald", **asked)
        expected = np.sqrt(np.diag(bread @ meat @ bread))
        assert [row.standard_error for row in found.rows] == pytest.approx(expected, rel=1e-8)


METHODS = [
    *(("wald", {"robust": kind}) for kind in (None, "HC0", "HC1", "HC2", "HC3")),
    *(("least squares", {"robust": kind}) for kind in (None, "HC1", "HC3")),
    ("likelihood", {}), ("firth", {}), ("log-f", {}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_weights_are_copies(method, options):
    y, k = X[:, 0] ** 2 + X[:, 1] if method == "least squares" else Y, [1, 2, 3, 1, 2, 1, 0]
    weighed = sx.coefficient_table(X, y, sample_weight=k, method=method, **options)
    copies = sx.coefficient_table(
        np.repeat(X, k, axis=0), np.repeat(y, k), method=method, **options
    )
    for row, other in zip(weighed.rows, copies.rows, strict=True):
        assert row[1:] == pytest.approx(other[1:], rel=1e-6, abs=1e-7, nan_ok=True)
    assert weighed.figures.n == copies.figures.n


@pytest.mark.parametrize("method", ["wald", "least squares", "likelihood", "firth"])
def test_columns_that_others_make_up_are_not_determined(method):
    y = X[:, 0] ** 2 + X[:, 1] if method == "least squares" else Y
    doubled = sx.coefficient_table(np.column_stack((X, 2.0 * X[:, 0])), y, method=method)
    alone = sx.coefficient_table(X, y, method=method)
    assert [row.name for row in doubled.rows if np.isnan(row.estimate)] == ["x1", "x3"]
    for name in ("(Intercept)", "x2"):
        assert doubled[name][1:7] == pytest.approx(alone[name][1:7], rel=1e-5, nan_ok=True)


def test_tjurs_r2_is_a_difference_of_means():
    table = sx.coefficient_table(X, Y, method="wald")
    p = sx.LogisticRegression().fit(X, Y).predict_proba(X)[:, 1]
    expected = p[Y == "y"].mean() - p[Y == "n"].mean()
    assert table.figures.tjur_r2 == pytest.approx(expected, rel=1e-6)


@needs_shared
def test_arrays_frames_and_tables_give_the_same_rows():
    pd = pytest.importorskip("pandas")
    path = DATA / "birthwt.csv"
    table = sx.read_table(path, label="label", yes="yes")
    frame = pd.read_csv(path)
    of_table = sx.coefficient_table(table, method="wald")
    of_frame = sx.coefficient_table(sx.read_frame(frame, "label", yes="yes"), method="wald")
    by_label = sx.coefficient_table(frame, label="label", method="wald")
    beside = sx.coefficient_table(frame.drop(columns="label"), frame["label"], method="wald")
    assert of_table.rows == of_frame.rows == by_label.rows == beside.rows
    assert of_table.source == "birthwt"
    assert "P(label = yes)" in of_table.title


def test_tests_of_groups_are_those_of_nested_models():
    both = sx.coefficient_table(X, Y, method="wald", test=["x1", ("x1", "x2"), "(Intercept)"])
    fewer = sx.coefficient_table(X[:, 1:], Y, method="wald", feature_names=["x2"])
    assert both.tests[0].chi2 == pytest.approx(2.0 * (both.log_likelihood - fewer.log_likelihood))
    assert both.tests[1].chi2 == pytest.approx(both.figures.chi2)
    assert both.tests[1].degrees == 2
    without = sx.coefficient_table(X, Y, method="wald", fit_intercept=False)
    assert both.tests[2].chi2 == pytest.approx(2.0 * (both.log_likelihood - without.log_likelihood))
    nested = both.compared_with(fewer)
    assert nested.columns == ("x1",)
    assert nested.chi2 == pytest.approx(both.tests[0].chi2)
    with pytest.raises(sx.InputError, match="not among"):
        fewer.compared_with(both)
    with pytest.raises(sx.InputError, match="other rows"):
        both.compared_with(
            sx.coefficient_table(X[:-1, 1:], Y[:-1], feature_names=["x2"], method="wald")
        )


@pytest.mark.parametrize(
    ("options", "name"),
    [({"robust": "HC3"}, "HC3"), ({"groups": [0, 0, 1, 1, 2, 2, 2]}, "clustered")],
)
def test_robust_figures_and_the_likelihoods_are_told_apart(options, name):
    table = sx.coefficient_table(X, Y, **options)
    header = table.to_text().splitlines()[3]
    for said in (f"{name} SE", f"{name} z", f"{name} p", "profile 2.5 %", "LR chi2", "LR p"):
        assert f"  {said}" in header
        assert f"<th scope='col'>{said}</th>" in table.to_html()
    assert f"{name} Wald 2.5 %" in table.to_text()
    assert (
        f"& {name} SE & profile 2.5 \\% & profile 97.5 \\% & OR & OR profile 2.5 \\%"
        in table.to_latex()
    )
    bases = {"errors": table.spread, "interval": "profile likelihood", "test": "likelihood ratio"}
    for row in table.as_data()["rows"]:
        assert bases.items() <= row.items()
    assert table.to_frame()[list(bases)].drop_duplicates().to_dict("records") == [bases]
    wald = sx.coefficient_table(X, Y, method="wald", **options)
    assert wald.bases["interval"] == wald.bases["test"] == f"Wald, {table.spread}"
    assert sx.coefficient_table(X, Y).bases["errors"] == "model"


@pytest.mark.parametrize("method", ["firth", "log-f", "exact"])
def test_robust_errors_are_refused_where_they_are_not_used(method):
    with pytest.raises(sx.InputError, match="standard errors of its own"):
        sx.coefficient_table(X, Y, method=method, robust="HC3")


def test_latex_with_a_caption_and_a_label():
    table = sx.coefficient_table(X, Y)
    plain = table.to_latex()
    assert "table}" not in plain
    whole = table.to_latex(caption="Ages & 50 %", label="tab:ages").splitlines()
    assert whole[1:5] == [
        "\\begin{table}", "\\centering", "\\caption{Ages \\& 50 \\%}", "\\label{tab:ages}",
    ]  # fmt: skip
    assert whole[5:-1] == plain.splitlines()[1:]
    assert whole[-1] == "\\end{table}"


def test_every_form_says_the_same():
    table = sx.coefficient_table(X, Y, method="wald", feature_names=["a_1", "b<&>"])
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    data = json.loads(table.to_json())
    frame = table.to_frame()
    fields = [
        *CoefficientRow._fields, "odds_ratio_lower", "odds_ratio_upper", "unit", "errors",
        "interval", "test",
    ]  # fmt: skip
    assert list(rows[0]) == list(frame.columns) == list(data["rows"][0]) == fields
    for row, cells, said in zip(table.rows, rows, data["rows"], strict=True):
        assert float(cells["estimate"]) == row.estimate == said["estimate"]
        assert cells["name"] == row.name
        assert float(cells["odds_ratio_upper"]) == said["odds_ratio_upper"] == math.exp(row.upper)
    assert (frame["estimate"] == [row.estimate for row in table.rows]).all()
    assert "b&lt;&amp;&gt;" in table.to_html()
    assert "b<" not in table.to_html()
    assert r"a\_1" in table.to_latex()
    assert r"b$<$\&$>$" in table.to_latex()
    assert data["log_likelihood"] == table.log_likelihood
    assert str(table) == table.to_text()
    assert len(repr(table).splitlines()) == 5
    assert table._repr_html_().startswith("<div>")


def test_infinite_and_open_estimates_in_every_form():
    rows = np.column_stack((X, [0, 1, 0, 1, 0, 1, 0], X[:, 1] * 2.0))
    table = sx.coefficient_table(rows, Y, method="wald")
    assert table["x3"].estimate == math.inf
    assert math.isnan(table["x2"].estimate)
    data = json.loads(table.to_json())
    assert data["rows"][3]["estimate"] == "+infinity"
    assert data["rows"][2]["estimate"] is None
    assert "x3: estimate +infinity; no Wald interval" in table.to_text()
    assert table.sentences()[1].endswith("others: (Intercept), x1, x2, x4")
    assert r"$+\infty$" in table.to_latex()
    assert ",inf," in table.to_csv()
    assert table["x3"].odds_ratio == math.inf


def test_the_proof_of_the_fit_is_checked_again():
    table = sx.coefficient_table(X, Y, method="wald")
    assert table.verify(X, Y)
    assert not table.verify(X + 1.0, Y[::-1])
    assert not sx.coefficient_table(X[:, :1], X[:, 1], method="least squares").verify(X, Y)


def test_summary_of_a_learner(tmp_path):
    model = sx.LogisticRegression().fit(X, Y)
    assert model.summary(method="wald").rows == sx.coefficient_table(X, Y, method="wald").rows
    for name, mine in (
        ("standard_error", model.standard_errors_), ("z", model.z_scores_), ("p", model.p_values_),
    ):  # fmt: skip
        shown = [getattr(row, name) for row in model.summary(method="wald").rows]
        np.testing.assert_allclose(shown, mine)
    with pytest.raises(sx.InputError, match="neither a model file"):
        pickle.loads(pickle.dumps(model)).summary()  # noqa: S301  # our own bytes
    sx.save(model, tmp_path / "m.json")
    with pytest.raises(sx.InputError, match="neither a model file"):
        sx.load(tmp_path / "m.json").summary()
    with pytest.raises(sx.InputError, match="with a penalty"):
        sx.LogisticRegression(C=1.0).fit(X, Y).summary()


def test_summary_refuses_rows_that_have_changed():
    mine = X.copy()
    model = sx.LogisticRegression().fit(mine, Y)
    mine += np.arange(14.0).reshape(7, 2) % 3
    with pytest.raises(sx.InputError, match="have changed"):
        model.summary(method="wald")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"lvl": 0.9}, "no option lvl"),
        ({"method": "firth", "columns": [1]}, "no option columns"),
        ({"test": [1]}, "test holds 1: give the names of columns"),
        ({"groups": [1.0, 1.0, 2.0, np.nan, 1.0, 2.0, 2.0]}, "groups holds nan in row 3"),
        ({"level": 95}, "level=95 must be a number between 0 and 1"),
        ({"method": "bayes"}, "method must be one of"),
        ({"test": ["x9"]}, "no column is called 'x9'"),
        ({"groups": [1, 2]}, "groups must be one value per row"),
        ({"robust": "HC9"}, "robust must be one of HC0, HC1, HC2, HC3"),
        ({"robust": "HC0", "groups": [0, 0, 1, 1, 2, 2, 2]}, "exclude each other"),
        ({"groups": [1] * 7}, "one group"),
        ({"y": None}, "needs the labels"),
        ({"feature_names": ["a"]}, "feature_names has 1 names"),
        ({"label": "a"}, "label names the column of a data frame"),
    ],
)
def test_refusals(words, said):
    with pytest.raises(sx.InputError, match=said):
        sx.coefficient_table(X, **{"y": Y, "method": "wald", **words})


@needs_shared
def test_endometrial_says_what_the_data_say_of_an_infinite_estimate():
    table = sx.coefficient_table(sx.read_table(DATA / "endometrial.csv", label="label", yes="yes"))
    assert table.method == "likelihood"
    assert table.sentences() == [
        "NV: estimate +infinity; 95 % likelihood interval [1.284, infinity), "
        "odds ratio at least 3.61; LR chi2 9.36"
    ]
    row = table["NV"]
    assert table.log_likelihood == pytest.approx(-27.696630, abs=5e-7)
    assert row.lower == pytest.approx(1.284112, abs=5e-7)
    assert row.upper == math.inf
    assert row.chi2 == pytest.approx(9.357643, abs=5e-7)
    assert row.p == pytest.approx(0.00222058, rel=1e-5)
    assert "2.5 %" in table.to_text()
    assert table.title.startswith("Logistic regression of P(label = yes) in endometrial, ")
    assert "N 79 (30 events, 49 non-events), log-likelihood" in table.to_text()
    assert (
        "Null deviance: 104.903 on 78 degrees of freedom. Residual deviance: 55" in table.to_text()
    )


def test_a_coefficient_that_diverges_either_way_is_not_determined():
    table = sx.coefficient_table([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 2.0]], [0, 0, 1, 1])
    assert table["x1"].estimate == math.inf
    assert math.isnan(table["x2"].estimate)
    assert (table["x2"].lower, table["x2"].upper) == (-math.inf, math.inf)
    assert "not determined" in table.to_text()
    assert "x2" in table.undetermined


CLINIC = "sex,ward,age,ill\n" + "".join(
    f"{'MFF'[k % 3]},{'abca'[k % 4]},{20 + 7 * k % 41},{'yes' if k * k % 7 < 3 else 'no'}\n"
    for k in range(40)
)


def test_reference_levels_are_stated_and_can_be_chosen(tmp_path):
    (tmp_path / "clinic.csv").write_text(CLINIC)
    table = sx.read_table(tmp_path / "clinic.csv", label="ill", yes="yes")
    usual = sx.coefficient_table(table)
    chosen = sx.coefficient_table(table, reference={"sex": "M", "ward": "c"}, test=["ward"])
    assert usual.reference == {"sex": "F", "ward": "a"}
    assert chosen["sex=F"].estimate == pytest.approx(-usual["sex=M"].estimate)
    assert [row.name for row in chosen.rows if "ward" in row.name] == ["ward=a", "ward=b"]
    assert chosen.log_likelihood == pytest.approx(usual.log_likelihood)
    said = "Reference levels: sex=M, ward=c."
    assert said in chosen.to_text()
    assert said in chosen.to_html()
    assert said in chosen.to_latex()
    assert json.loads(chosen.to_json())["reference"] == {"sex": "M", "ward": "c"}
    pairs = sx.coefficient_table(table, reference={"sex": "M"}, degree=2, method="wald")
    assert any("sex=F" in row.name for row in pairs.rows)
    for wrong, why in (({"sex": "x"}, "has no level 'x'"), ({"age": "3"}, "no category is called")):
        with pytest.raises(sx.InputError, match=why):
            sx.coefficient_table(table, reference=wrong)
    with pytest.raises(sx.InputError, match="reference names levels"):
        sx.coefficient_table(X, Y, reference={"x1": "0"})


def test_summary_says_once_that_the_fit_does_not_exist():
    rows = np.arange(6.0)[:, np.newaxis]
    with pytest.warns(sx.NoFiniteOptimumWarning):
        model = sx.LogisticRegression().fit(rows, rows[:, 0] > 2.0)
    with pytest.warns(sx.NoFiniteOptimumWarning) as warned:
        model.summary()
    assert len(warned) == 1
    said = str(warned[0].message)
    assert "x1 (+)" in said
    assert "FirthLogisticRegression" in said
    assert "C=1.0" in said


def test_an_end_is_not_shown_by_shares_that_rounding_is_larger_than():
    table = sx.coefficient_table([[0.4], [-1.1], [-1.0]], [0, 0, 1])
    assert np.isfinite(table.brackets["x1"]).all()
    assert table.verify([[0.4], [-1.1], [-1.0]], [0, 0, 1])


RNG = np.random.default_rng(5)
N = 60
XS = np.column_stack((
    40.0 + 12.0 * RNG.standard_normal(N).round(2),
    RNG.integers(0, 2, N),
    0.01 * RNG.integers(-3, 4, N),
))  # fmt: skip
YS = (0.1 * (XS[:, 0] - 40.0) + XS[:, 1] + RNG.logistic(size=N) > 0.5).astype(int)
SD = [float(np.std(XS[:, 0], ddof=1)), 1.0, float(np.std(XS[:, 2], ddof=1))]
NUMBERS = "estimate", "standard_error", "wald_lower", "wald_upper", "lower", "upper", "odds_ratio"


@pytest.mark.parametrize("method", ["likelihood", "wald", "firth"])
@pytest.mark.parametrize(
    ("per", "units"), [("sd", SD), (10, [10.0, 1.0, 10.0]), ({"x1": 5}, [5, 1, 1])]
)
def test_as_if_the_columns_were_rescaled(method, per, units):
    table = coefficient_table(XS, YS, method=method, per=per)
    expected = coefficient_table(XS / units, YS, method=method)
    as_it_was = coefficient_table(XS, YS, method=method)
    for row, other, old in zip(table.rows, expected.rows, as_it_was.rows, strict=True):
        for name in NUMBERS:
            assert getattr(row, name) == pytest.approx(getattr(other, name), rel=1e-5), name
        assert (row.z, row.chi2, row.p) == (old.z, old.chi2, old.p)
    assert table.rows[0] == as_it_was.rows[0]
    assert {name: unit.size for name, unit in table.units.items()} == pytest.approx(
        {f"x{j + 1}": unit for j, unit in enumerate(units) if unit != 1.0}
    )
    assert table.verify(XS, YS)


def test_a_prior_stays_that_of_the_columns_as_they_are():
    old, new = (coefficient_table(XS, YS, method="log-f", per=per) for per in (None, 4.0))
    assert new["x1"].estimate == 4.0 * old["x1"].estimate
    assert new["x1"].p == old["x1"].p


def test_brackets_hold_the_ends_in_the_new_unit():
    old, new = (
        coefficient_table(XS, YS),
        coefficient_table(XS, YS, per={"x1": 0.3}),
    )
    size = Fraction(0.3)
    for (inside, outside), (a, b), way in zip(
        old.brackets["x1"], new.brackets["x1"], (1, -1), strict=True
    ):
        assert way * Fraction(a) >= way * size * Fraction(inside)
        assert way * Fraction(b) <= way * size * Fraction(outside)
    assert new["x1"].lower == new.brackets["x1"][0][0]
    assert new.brackets["x2"] == old.brackets["x2"]


def test_infinite_estimates_keep_their_unit():
    x = np.column_stack((np.where(np.arange(N) < 4, 2.5, 0.0), XS[:, 0]))
    y = np.where(np.arange(N) < 4, 1, YS)
    table = coefficient_table(x, y, per={"x1": 2.0})
    row = table["x1"]
    assert row.estimate == row.upper == row.odds_ratio == math.inf
    assert row.lower == pytest.approx(2.0 * coefficient_table(x, y)["x1"].lower)
    assert table.sentences()[0].startswith("x1, per 2: estimate +infinity")
    assert math.inf == table.brackets["x1"][1][0]


def test_every_form_says_the_unit():
    table = coefficient_table(XS, YS, per={"x1": 10, "x3": "sd"})
    assert f"x3           {SD[2]:.4g} (SD)" in table.to_text()
    assert "<th scope='col'>per</th>" in table.to_html()
    assert "x1 & 10 &" in table.to_latex()
    assert table.to_frame()["unit"].tolist() == [1.0, 10.0, 1.0, pytest.approx(SD[2])]
    assert table.as_data()["per_standard_deviation"] == ["x3"]
    assert "per" not in coefficient_table(XS, YS).to_text().splitlines()[3]
    x = XS * [1000.0, 1.0, 1.0]
    said = 'Odds ratios close to 1 for want of a larger unit (--per sd, or per="sd"): x1.'
    assert said in coefficient_table(x, YS).below()
    assert not any("larger unit" in line for line in coefficient_table(x, YS, per=1000).below())


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
        coefficient_table(XS * [1.0, 1.0, 0.001], YS, per=per)
