"""The page in a real browser: on a desk, on a phone, in the dark, and under attack."""

import json
import re

import numpy as np
import pandas
import pytest
from axe_playwright_python.sync_playwright import Axe

from separatrix import judge, read_table, to_html
from separatrix.report.page.outcomes import costs_of, steps_of
from separatrix.report.page.rows import RowsOf
from tests.browser import chromium, needs_chromium
from tests.report.pages import as_number, credit, flowers, hostile, page_of

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


@pytest.fixture(scope="module", autouse=True)
def files(folder):
    for name, make in PAGES.items():
        (folder / f"{name}.html").write_text(page_of(make, folder), encoding="utf-8")


CELLS = """what => [...document.querySelectorAll(what + " tbody tr")]
    .filter(row => !row.hidden).map(row => [...row.cells].map(cell => cell.title
        || (cell.querySelector("span[title]") ?? {}).title || cell.textContent.trim()))"""


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

    def select(self, label, value):
        self.page.get_by_label(label, exact=True).select_option(label=value)

    def cells(self, table):
        return self.page.evaluate(CELLS, table)

    def _dismiss(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_it_fits_asks_nobody_runs_nothing_and_breaks_no_serious_rule(browser, folder, name, window):
    with Visit(browser, folder, name, window) as visit:
        widths = visit.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]
        assert visit.asked == [visit.address]
        assert visit.dialogs == []
        assert visit.said == []
        assert visit.page.title() != "run"
        broken = Axe().run(visit.page).response["violations"]
        serious = [
            (rule["id"], rule["nodes"][0]["html"])
            for rule in broken
            if rule["impact"] in ("serious", "critical")
        ]
        assert serious == []


@pytest.mark.parametrize("window", WINDOWS)
def test_everything_can_be_used_and_unfolded_on_a_hostile_page(browser, folder, window):
    with Visit(browser, folder, "hostile", window) as visit:
        page = visit.page
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        for select in page.locator("select").all():
            for k in range(select.locator("option").count()):
                select.select_option(index=k)
        for field in page.locator("input[type=text]").all():
            field.fill("<img src=x onerror=alert(1)>")
            assert field.get_attribute("aria-invalid") == "true"
            field.fill("1")
        page.locator("input[type=range]").fill("0")
        for button in page.locator("button:visible").all():
            button.click()
        assert page.locator("main img, main iframe, main script").count() == 0
        widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]
        assert visit.asked == [visit.address]
        assert visit.dialogs == visit.said == []
        assert page.title() != "run"


def test_a_typed_row_gets_the_answer_of_the_model(browser, folder):
    verdict = credit(folder)
    age, income, house = verdict.table.columns
    X = pandas.DataFrame(verdict.question.points, columns=verdict.features)
    said, scores = verdict.model.predict(X), verdict.model.decision_function(X)
    with Visit(browser, folder, "credit", "desktop") as visit:
        page = visit.page
        assert page.locator(".verdict").text_content() == ""
        for row in np.argsort(np.abs(scores))[[0, 1, 2, 40, 79]]:
            visit.select("house", house.levels[house.codes[row]])
            page.get_by_label("age", exact=True).fill(repr(float(age.values[row])))
            page.get_by_label("income", exact=True).fill(repr(float(income.values[row])))
            answer = page.locator(".verdict").text_content()
            assert answer.startswith(f"Answer: {said[row]}.")
            assert as_number(answer.split("score is ")[1][:-1]) == pytest.approx(
                scores[row],
                rel=6e-3,
                abs=1e-9,  # three digits
            )
            added = [as_number(cells[2]) for cells in visit.cells("#explained")]
            total = page.locator("#explained tfoot td.num").first.get_attribute("title")
            assert sum(added) == pytest.approx(as_number(total), rel=1e-4, abs=1e-6)
        page.get_by_label("age", exact=True).fill("4o")
        assert page.locator(".verdict").text_content() == "Type a number for age."


def test_the_sign_of_a_score_is_exact(browser, folder, tmp_path):
    page = (folder / "credit.html").read_text()
    data = json.loads(re.search(r'id="live">(.*?)</script>', page)[1])
    numbers = [column for column in data["columns"] if "levels" not in column]
    numbers[0]["weights"], numbers[1]["weights"] = [1e17], [-1e17]
    data["columns"][2]["weights"] = [2.0**-60 for _ in data["columns"][2]["weights"]]
    data["steps"] = [[0.0, 0, 0]]
    data["threshold"] = 0.0
    changed = json.dumps(data).replace("<", "\\u003c")
    (tmp_path / "cancel.html").write_text(
        re.sub(r'(?<=id="live">).*?(?=</script>)', lambda _: changed, page)
    )
    with Visit(browser, tmp_path, "cancel", "desktop") as visit:
        for age, income, level, answer in [
            ("1", "1", 1, "good"),  # 1e17 - 1e17 + 2^-60
            ("1", "1", 0, "bad"),  # 0 is not more than 0
            ("3", "3", 1, "good"),
            ("1e290", "1e290", 1, "good"),
            ("0.1", "0.10000000000000002", 1, "bad"),
        ]:
            visit.page.get_by_label("age", exact=True).fill(age)
            visit.page.get_by_label("income", exact=True).fill(income)
            visit.page.get_by_label("house", exact=True).select_option(index=level)
            said = visit.page.locator(".verdict strong").text_content()
            assert said == answer


def test_the_threshold_moves_and_mistakes_and_costs_are_counted(browser, folder):
    verdict = credit(folder)
    rows = RowsOf.of(verdict)
    steps = steps_of(rows, costs_of(rows))
    with Visit(browser, folder, "credit", "desktop") as visit:
        page = visit.page
        slider = page.get_by_label("Move the threshold")
        before = visit.cells(".counts")
        page.get_by_label("Cost of a wrong yes").fill("5")
        for k in (0, len(steps) // 3, len(steps) - 1):
            slider.fill(str(k))
            (_, as_yes, as_no, _), (_, no_as_yes, no_as_no, _) = visit.cells(".counts")
            assert int(as_no) == steps[k].wrong_no
            assert int(no_as_yes) == steps[k].wrong_yes
            assert int(as_yes) + int(as_no) == verdict.n_yes
            assert int(no_as_yes) + int(no_as_no) == 80 - verdict.n_yes
            cost = 5 * steps[k].wrong_yes + steps[k].wrong_no
            assert page.locator("output").text_content() == str(cost)
            line = page.locator("#scores line.moved")
            assert line.get_attribute("visibility") == "visible"
        page.get_by_role("button", name="Cheapest threshold").click()
        least = min(5 * step.wrong_yes + step.wrong_no for step in steps)
        assert page.locator("output").text_content() == str(least)
        page.get_by_role("button", name="Reset").click()
        assert visit.cells(".counts") == before
        assert page.locator("#scores line.moved").get_attribute("visibility") == "hidden"


def test_rows_are_filtered_and_tables_sorted(browser, folder):
    wrong = credit(folder).winner.n_errors
    with Visit(browser, folder, "credit", "desktop") as visit:
        page = visit.page
        page.locator("#rows summary").click()
        everything = visit.cells("#answers")
        page.get_by_label("Show").select_option(label="mistakes")
        assert len(visit.cells("#answers")) == wrong
        page.get_by_label("Show").select_option(label="right answers")
        assert all(cells[1] == cells[2] for cells in visit.cells("#answers"))
        page.get_by_label("Show").select_option(label="all rows")
        for order in (1, -1):
            page.locator("#answers thead button", has_text="score").click()
            scores = [as_number(cells[3]) for cells in visit.cells("#answers")]
            assert scores == sorted(scores)[::order]
        assert sorted(visit.cells("#answers")) == sorted(everything)


def test_without_a_script_the_page_is_whole(browser, folder):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "credit.html").as_uri())
    assert page.locator("form, .controls, button").count() == 0
    assert page.locator("#explained tbody tr").count() == 3
    assert page.locator("#outcomes .counts tbody tr").count() == 2
    page.locator("#rows summary").click()
    assert page.locator("#answers tbody tr").first.is_visible()
    context.close()


def test_products_of_columns_are_multiplied_as_the_model_does(browser, tmp_path):
    rng = np.random.default_rng(6)
    lines = ["a,house,b,kind"]
    for a, house, b in zip(rng.normal(size=50), rng.integers(0, 3, 50), rng.normal(size=50)):  # noqa: B905
        lines.append(f"{a:.2f},{'xyz'[house]},{b:.2f},{'in' if a * a + b * b < 1.2 else 'out'}")
    (tmp_path / "t.csv").write_text("\n".join(lines))
    verdict = judge(read_table(tmp_path / "t.csv", label="kind", yes="in"), degree=3)
    (tmp_path / "t.html").write_text(to_html(verdict))
    rows, (a, house, b) = RowsOf.of(verdict), verdict.table.columns
    with Visit(browser, tmp_path, "t", "desktop") as visit:
        for row in np.argsort(np.abs(rows.scores))[[0, 1, 2, 20, 49]]:
            visit.page.get_by_label("a", exact=True).fill(repr(float(a.values[row])))
            visit.page.get_by_label("b", exact=True).fill(repr(float(b.values[row])))
            visit.select("house", house.levels[house.codes[row]])
            answer = visit.page.locator(".verdict").text_content()
            assert answer.startswith(f"Answer: {'in' if rows.scores[row] > 0 else 'out'}.")
            score = as_number(answer.split("score is ")[1][:-1])
            assert score == pytest.approx(rows.scores[row], rel=6e-3, abs=1e-9)
        visit.page.get_by_label("a", exact=True).fill("1e200")
        assert "too large" in visit.page.locator(".verdict").text_content()


def test_a_chinese_page_writes_its_controls_in_chinese(browser, folder, tmp_path):
    (tmp_path / "zh.html").write_text(to_html(credit(folder), lang="zh-Hant"))
    with Visit(browser, tmp_path, "zh", "phone") as visit:
        texts = visit.page.locator("button:not(.order), .controls label, .try h3").all_inner_texts()
        assert len(texts) >= 6
        assert not [text for text in texts if text and text.isascii()]
        assert visit.said == []


@pytest.mark.parametrize("name", PAGES)
def test_no_table_scrolls_sideways_and_thirty_rows_stand_open(browser, folder, name):
    with Visit(browser, folder, name, "desktop") as visit:
        page = visit.page
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        for width in (390, 1100, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_timeout(300)  # tables are measured after they are laid out
            for wide in ("scrollWidth > e.clientWidth + 1", "scrollHeight > e.clientHeight + 2"):
                assert (
                    page.evaluate(f"""[...document.querySelectorAll('.scroll')]
                    .filter(e => e.{wide}).map(e => e.ariaLabel)""")
                    == []
                ), width
