"""The page driven as a person would: with a mouse, by touch, and by the keyboard alone."""

import re

import numpy as np
import pytest

from tests.browser import needs_chromium, until

pytestmark = needs_chromium

SQUARE = "#p=o2_2~o3_1~x-2_-2~x-1_-3&l=pla"


def points_of(page):
    """Return the points of the page's own CSV."""
    with page.expect_download() as download:
        page.click("#save-csv")
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == "x1,x2,label"
    return [line.split(",") for line in lines[1:]]


def click(page, across, up, kind="yes"):
    page.click(f"#modes [data-mode={kind}]")
    page.locator("#plane").click(position=at(page, across, up))


def at(page, across, up):
    page.locator("#plane").scroll_into_view_if_needed()
    box = page.locator("#plane").bounding_box()
    return {"x": box["width"] * across, "y": box["height"] * (1 - up)}


def test_on_a_phone_a_swipe_scrolls_and_a_point_is_dragged(opened):
    page = opened(SQUARE, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    session = page.context.new_cdp_session(page)

    def swipe(x, y):
        touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
        session.send("Input.dispatchTouchEvent", touch)
        for k in range(1, 11):
            touch = {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 10 * k}]}
            session.send("Input.dispatchTouchEvent", touch)
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def place(a, b):
        return page.evaluate(
            """([a, b]) => {
              const shown = document.getElementById("plane").getScreenCTM();
              const { x, y } = new DOMPoint(a, b).matrixTransform(shown);
              return [x, y];
            }""",
            [34 + 566 * a, 566 * (1 - b)],
        )

    before = page.evaluate("location.hash")
    assert page.inner_text("#hint") == "A line separates the points. PLA's updates: 1."
    assert page.locator("#hint").bounding_box()["y"] < 844
    span = 1.24 * 5
    share = [(2 - 0.5) / span + 0.5, (2 + 0.5) / span + 0.5]  # the point (2, 2)
    swipe(*place(*share))
    assert page.evaluate("scrollY") == 0
    until(page, f"() => location.hash !== {before!r}")
    page.wait_for_timeout(300)  # what is still on its way of the drag
    moved = page.evaluate("location.hash")
    swipe(*place(0.3, 0.8))
    until(page, "() => scrollY > 50")
    assert page.evaluate("location.hash") == moved
    assert page.locator("#plane .crosshair").count() == 0


def test_homework_that_asks_for_t_hides_it_until_it_is_found(opened):
    page = opened()
    page.select_option("#task", index=1)
    assert "count the updates" in page.inner_text("#now")
    assert not page.is_visible("#bound")
    assert "PLA's updates" not in page.inner_text("#hint")
    assert "Hidden until the task is answered" in page.inner_text("#theorem")
    page.click("#step")
    assert page.inner_text("#now").startswith("Step 1: ")
    page.click("#last")
    assert page.is_visible("#bound")
    assert "PLA's updates" in page.inner_text("#hint")


def test_a_beginner_starts_from_the_empty_plane_and_reads_what_words_mean(opened):
    page = opened()
    page.click("#starts button:has-text('Barely')")
    assert page.input_value("#presets") == "exBarely"
    assert not page.is_visible("#beginning")
    page.click("#theorem summary")
    assert "ρ (rho): the margin" in page.inner_text("#theorem")
    page.focus("details[data-explain=plane] summary")
    page.keyboard.press("Enter")
    assert "★ goes on to the next step" in page.inner_text("details[data-explain=plane]")


def test_every_example_is_learnt_and_every_learner_learns_some(opened):
    page = opened()
    values = "all => all.map(o => o.value).filter(Boolean)"
    presets, learners = (
        page.locator(f"#{name} option").evaluate_all(values) for name in ("presets", "learner")
    )
    assert len(presets) > 9
    for k, preset in enumerate(presets):
        page.select_option("#presets", preset)
        for learner in learners[k % 3 :: 3]:
            page.select_option("#learner", learner)
            assert page.inner_text("#now"), (preset, learner)


def test_the_missing_are_named_and_two_directions_are_shown(opened, tmp_path):
    random = np.random.default_rng(3)
    X = random.normal(size=(30, 2)) @ random.normal(size=(2, 4)) + random.normal(size=(30, 4)) / 9
    path = tmp_path / "t.csv"
    lines = [",".join(f"{a:.6f}" for a in x) + f",{'yes' if x[0] > 0 else 'no'}" for x in X]
    lines += [f",{'1,' * 3}yes", ",,1,1,no", "1,2"]
    path.write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")
    page = opened()
    page.set_input_files("#file", path)
    until(page, "() => document.getElementById('table-note').textContent !== ''")
    assert "Missing by column: a (2), b (1)." in page.inner_text("#table-note")
    assert "1 rows have another number of cells" in page.inner_text("#table-note")
    page.select_option("#columns select >> nth=2", "-1")
    assert page.input_value("#columns select >> nth=3") == "-2"
    found = np.array([[float(a) for a in p[:2]] for p in points_of(page)])
    rounded = np.round(X, 6)
    Z = (rounded - rounded.mean(axis=0)) / rounded.std(axis=0)
    directions = np.linalg.svd(Z)[2][:2]
    directions *= [[np.sign(v[np.abs(v).argmax()])] for v in directions]
    assert found == pytest.approx(Z @ directions.T, abs=6e-5)
    page.select_option("#columns select >> nth=2", "0")
    assert page.input_value("#columns select >> nth=3") == "1"


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL = """() => [...document.querySelectorAll("button, select, input, summary")]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.id || e.textContent, e.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 44)
  .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""


# a whole screen; what a browser's bars leave
@pytest.mark.parametrize(("locale", "height"), [("zh-TW", 844), ("en-US", 664)])
def test_on_a_phone_a_task_stands_above_the_plane_on_one_screen(opened, locale, height):
    page = opened(locale=locale, **{**PHONE, "viewport": {"width": 390, "height": height}})
    tasks = page.evaluate("[...document.querySelector('#task').options].map((o) => o.value)")
    assert len(tasks) == 11
    for task in tasks[1:]:
        page.select_option("#task", task)
        places = [
            page.locator(f"#{name}").bounding_box() for name in ("task-text", "plane", "step")
        ]
        ends = [(box["y"], box["y"] + box["height"]) for box in places]
        assert ends[0][0] >= 0
        assert ends[0][1] <= ends[1][0]
        assert ends[1][1] <= ends[2][0], task
        assert ends[2][1] <= height
        verdict = page.locator("#hint:not(.hidden)")  # an empty plane has none
        if verdict.count():
            box = verdict.bounding_box()
            assert ends[1][1] <= box["y"] + 1
            assert box["y"] + box["height"] <= ends[2][0], task
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(SMALL) == []
    page.tap("#large")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_task_is_done_by_touch_alone(opened):
    page = opened(**PHONE)
    page.select_option("#task", "updates")
    page.tap("#last")
    t = re.search(r"\d+", page.inner_text("#now"))[0]
    page.tap("#answer")
    page.fill("#answer", t)
    page.tap("#check")
    assert page.inner_text("#answered").startswith("Right")
    page.tap("#student")
    page.fill("#student", "Ada")
    with page.expect_download() as download:
        page.tap("#hand-in")
    assert f'"answer":{t}' in download.value.path().read_text()
