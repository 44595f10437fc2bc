"""The page in a real browser: on a desk, on a phone, in the dark, and under attack."""

from __future__ import annotations

import pytest

from separatrix import to_html
from tests.browser import chromium, needs_chromium
from tests.report.pages import credit, flowers, hostile

pytestmark = needs_chromium

PAGES = {"credit": credit, "hostile": hostile, "flowers": flowers}
WINDOWS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, make in PAGES.items():
        (folder / f"{name}.html").write_text(to_html(make(folder)), encoding="utf-8")
    return folder


class Visit:
    """One page in one window, and everything that happened."""

    def __init__(self, browser, folder, name, window):
        self.context = browser.new_context(**WINDOWS[window])
        self.page = self.context.new_page()
        self.address = (folder / f"{name}.html").as_uri()
        self.asked, self.dialogs, self.said = [], [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("dialog", self._dismiss)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(self.address)

    def _dismiss(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_it_fits_asks_nobody_and_runs_nothing(browser, folder, name, window):
    with Visit(browser, folder, name, window) as visit:
        widths = visit.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]
        assert visit.asked == [visit.address]
        assert visit.dialogs == []
        assert visit.said == []
        assert visit.page.title() != "run"
        assert visit.page.evaluate("document.scripts.length") == 0


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_no_serious_rule_of_accessibility_is_broken(browser, folder, name, window):
    from axe_playwright_python.sync_playwright import Axe

    with Visit(browser, folder, name, window) as visit:
        broken = Axe().run(visit.page).response["violations"]
        serious = [
            (rule["id"], rule["nodes"][0]["html"])
            for rule in broken
            if rule["impact"] in ("serious", "critical")
        ]
        assert serious == []


def test_text_and_drawings_follow_the_dark(browser, folder):
    found = {}
    for window in ("desktop", "dark"):
        with Visit(browser, folder, "credit", window) as visit:
            found[window] = visit.page.evaluate(
                """() => {
                    const of = (what) => getComputedStyle(document.querySelector(what));
                    return [of("body").backgroundColor, of("body").color,
                            of("figure svg text").fill, of("figure svg use").stroke];
                }"""
            )
    light, dark = found["desktop"], found["dark"]
    assert light[0] == "rgb(255, 255, 255)"
    assert all(a != b for a, b in zip(light, dark, strict=True))
    assert light[1] == light[2]
    assert dark[1] == dark[2]


def test_it_prints_on_paper_without_losing_columns(browser, folder):
    with Visit(browser, folder, "hostile", "dark") as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert visit.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert visit.page.pdf(format="A4")[:5] == b"%PDF-"
        overflow = visit.page.evaluate(
            "[...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e).overflowX)"
        )
        assert set(overflow) == {"visible"}
