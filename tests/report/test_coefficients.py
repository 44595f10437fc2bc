"""The coefficient table in the full text and on the page."""

import json

import matplotlib as mpl
import numpy as np
import pytest
from scipy.special import expit

import separatrix as sx
from separatrix import probability_figures
from separatrix.report.page.page import coefficients_page
from separatrix.report.question import (
    TITLE,
    TITLE_OF_PROBABILITIES,
    coefficient_section,
    figures_in_words,
    probabilities_section,
)
from separatrix.verdict import coefficients
from tests.browser import chromium, needs_chromium
from tests.report.pages import HOSTILE
from tests.shared_data import DATA, needs_shared

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.5], [1.5, 0.0], [2.5, 1.0]])
Y = np.array(list("nynynyn"))


@needs_shared
def test_it_is_shown_whoever_is_selected():
    verdict = sx.judge(sx.read_table(DATA / "endometrial.csv", label="label", yes="yes"))
    text, page = sx.to_text(verdict), sx.to_html(verdict)
    assert verdict.winner.name != "logistic regression"
    assert TITLE.upper() in text
    assert "odds ratio at least" in text
    assert "odds ratio at least 3.61; LR chi2 9.36" in page
    assert '<section id="coefficients">' in page
    section = coefficient_section(verdict)
    assert [row[0] for row in section.rows] == ["(Intercept)", "NV", "PI", "EH"]
    assert section.header[3:5] == ("2.5 %", "97.5 %")
    infer = verdict.coefficients.grids()["Coefficients"]  # both round ends outwards
    ends = [infer.header.index(name) for name in ("2.5 %", "97.5 %")]
    assert [row[3:5] for row in section.rows] == [tuple(r[j] for j in ends) for r in infer.rows]
    assert '"coefficients":' not in sx.to_json(verdict)


def test_large_tables_get_walds_intervals_and_larger_ones_a_command(monkeypatch):
    monkeypatch.setattr(coefficients, "MOST_FOR_ENDS", 1.0)
    assert sx.judge(X, Y).coefficients.method == "wald"
    assert "LR chi2" not in coefficient_section(sx.judge(X, Y)).header
    monkeypatch.setattr(coefficients, "MOST", 1.0)
    verdict = sx.judge(X, Y)
    assert verdict.coefficients is None
    assert "separatrix infer" in coefficient_section(verdict).sentences[0]
    assert TITLE.upper() in sx.to_text(verdict)


def test_of_many_coefficients_the_clearest_are_shown(monkeypatch):
    monkeypatch.setattr("separatrix.report.question.MOST_COLUMNS", 2)
    verdict = sx.judge(X, Y)
    section = coefficient_section(verdict)
    by_p = sorted(verdict.coefficients.rows, key=lambda row: row.p)
    assert {row[0] for row in section.rows} == {row.name for row in by_p[:2]}
    assert section.below[0].startswith("1 more with larger p-values")


mpl.use("agg")


def drawn(n=200):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, 2))
    return X, (rng.random(n) < expit(X @ [1.0, -0.5])).astype(int)


def test_text_json_and_page_hold_the_same_figures():
    verdict = sx.judge(*drawn())
    found = verdict.probabilities
    text, data = sx.to_text(verdict), json.loads(sx.to_json(verdict))["probabilities"]
    assert f"AUC {found.auc:.3f} (95 % interval" in " ".join(text.split())
    assert "each of the 5 folds got its probabilities from a line fitted without it" in " ".join(
        text.split()
    )
    assert data["auc"] == found.auc
    assert data["auc_interval"] == list(found.auc_interval)
    assert data["held_out"] is True
    parts = data["miscalibration"] - data["discrimination"] + data["uncertainty"]
    assert data["brier"] == pytest.approx(parts)
    page = sx.to_html(verdict)
    assert page.count(TITLE_OF_PROBABILITIES) == 1
    assert "Calibration" in page
    assert page == sx.to_html(verdict)


def test_rows_fitted_are_called_so_and_no_probabilities_are_no_figures():
    few = sx.judge([[0.0], [1.0], [2.0], [3.0], [1.5]], ["n", "n", "n", "n", "y"])
    assert "on the very rows that it was fitted to" in probabilities_section(few).sentences[0]
    separable = sx.judge([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    assert "no finite optimum" in probabilities_section(separable).sentences[0]
    assert json.loads(sx.to_json(separable))["probabilities"] is None
    assert "no finite optimum" in sx.to_html(separable)


def test_wrong_probabilities_are_said_to_be_wrong():
    rng = np.random.default_rng(1)
    p = rng.random(3000)
    right, wrong = (
        figures_in_words(probability_figures((rng.random(3000) < q).astype(int), p))[2]
        for q in (p, p**2)
    )
    assert "these probabilities are off" in wrong
    assert "Yes is on the whole less frequent than was said" in wrong
    assert "nothing speaks against these probabilities" in right


def test_the_pictures():
    X, y = drawn()
    verdict = sx.judge(X, y)
    learner = sx.LogisticRegression().fit(X, y)
    calibration = sx.CalibrationDisplay.from_estimator(learner, X, y)
    level = sx.CalibrationDisplay.from_predictions(y, learner.predict_proba(X)[:, 1])
    assert calibration.figures.brier == level.figures.brier
    heights = calibration.curve_.get_ydata()
    assert (np.diff(heights) >= 0).all()
    assert sx.CalibrationDisplay.from_verdict(verdict).figures.held_out
    with pytest.raises(sx.InputError, match="Perceptron gives no probabilities"):
        sx.CalibrationDisplay.from_estimator(sx.Perceptron(max_iter=5), X, y)
    separable = sx.judge([[0.0], [1.0], [2.0], [3.0]] * 3, [0, 0, 1, 1] * 3)
    with pytest.raises(sx.InputError, match="no probabilities"):
        sx.CalibrationDisplay.from_verdict(separable)


RNG = np.random.default_rng(4)


@pytest.fixture(scope="module")
def table():
    X = RNG.standard_normal((120, len(HOSTILE)))
    y = (X[:, 0] + RNG.logistic(size=120) > 0).astype(int)
    return sx.coefficient_table(X, y, feature_names=HOSTILE, robust="HC3", per="sd")


def page_of(table, **options):
    given = {"command": "separatrix infer t.csv", "digest": "", "lang": "en", "proven": False}
    return coefficients_page(table, **{**given, **options})


def test_the_page_escapes_names_and_has_the_same_bytes(table):
    page = page_of(table)
    assert page == page_of(table)
    for name in HOSTILE[:3]:
        assert name not in page
    assert "\u202e" not in page
    assert page.count("<script>") == 1
    assert "Finite ends are computed in floating point." in page
    assert "green end" not in page
    assert "HC3 SE" in page


@needs_chromium
def test_the_page_on_a_phone(table, tmp_path):
    for name, lang, proven in (("a", "en", True), ("b", "zh-Hant", False)):
        (tmp_path / f"{name}.html").write_text(page_of(table, lang=lang, proven=proven))
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text))
        for name in "ab":
            page.goto(f"file://{tmp_path}/{name}.html")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            assert page.locator("figure svg").bounding_box()["width"] <= 390
            assert page.title() != "run"
        assert not wrong
