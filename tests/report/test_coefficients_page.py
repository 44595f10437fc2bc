"""The page of a coefficient table: hostile names, no sideways scrolling, the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import coefficient_table
from separatrix.report.page.coefficients import coefficients_page
from tests.browser import chromium, needs_chromium
from tests.report.pages import HOSTILE

RNG = np.random.default_rng(4)


@pytest.fixture(scope="module")
def table():
    X = RNG.standard_normal((120, len(HOSTILE)))
    y = (X[:, 0] + RNG.logistic(size=120) > 0).astype(int)
    return coefficient_table(X, y, feature_names=HOSTILE, robust="HC3", per="sd")


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
