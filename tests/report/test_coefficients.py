"""The coefficient table in the full text and on the page."""

from __future__ import annotations

import numpy as np

from separatrix import judge, read_table, to_html, to_json, to_text
from separatrix.report.coefficients import TITLE, coefficient_section
from separatrix.verdict import coefficients
from tests.shared_data import DATA, needs_shared

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.5], [1.5, 0.0], [2.5, 1.0]])
Y = np.array(list("nynynyn"))


@needs_shared
def test_it_is_shown_whoever_is_selected():
    verdict = judge(read_table(DATA / "endometrial.csv", label="label", yes="yes"))
    text, page = to_text(verdict), to_html(verdict)
    assert verdict.winner.name != "logistic regression"
    assert TITLE.upper() in text
    assert "odds ratio at least" in text
    assert "odds ratio at least 3.61; LR chi2 9.36" in page
    assert '<section id="coefficients">' in page
    section = coefficient_section(verdict)
    assert [row[0] for row in section.rows] == ["(Intercept)", "NV", "PI", "EH"]
    assert section.header[3:5] == ("2.5 %", "97.5 %")
    assert '"coefficients":' not in to_json(verdict)


def test_large_tables_get_walds_intervals_and_larger_ones_a_command(monkeypatch):
    monkeypatch.setattr(coefficients, "MOST_FOR_ENDS", 1.0)
    assert judge(X, Y).coefficients.method == "wald"
    assert "LR chi2" not in coefficient_section(judge(X, Y)).header
    monkeypatch.setattr(coefficients, "MOST", 1.0)
    verdict = judge(X, Y)
    assert verdict.coefficients is None
    assert "separatrix infer" in coefficient_section(verdict).sentences[0]
    assert TITLE.upper() in to_text(verdict)


def test_of_many_coefficients_the_clearest_are_shown(monkeypatch):
    monkeypatch.setattr("separatrix.report.coefficients.MOST_COLUMNS", 2)
    verdict = judge(X, Y)
    section = coefficient_section(verdict)
    by_p = sorted(verdict.coefficients.rows, key=lambda row: row.p)
    assert {row[0] for row in section.rows} == {row.name for row in by_p[:2]}
    assert section.below[0].startswith("1 more with larger p-values")
