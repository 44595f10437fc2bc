"""The page driven as a person would: with a mouse, by touch, and by the keyboard alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

import separatrix as sx
from tests.browser import needs_chromium, until

pytestmark = needs_chromium

SQUARE = "#p=o2_2~o3_1~x-2_-2~x-1_-3&l=pla"
XOR = "#p=x0_0~o0_1~o1_0~x1_1&l=pla"


def points_of(page):
    """Return the points of the page's own CSV."""
    with page.expect_download() as download:
        page.click("#save-csv")
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == "x1,x2,label"
    return [line.split(",") for line in lines[1:]]


def click(page, across, up, kind="yes"):
    """Click at a share of the plane."""
    page.click(f"#modes [data-mode={kind}]")
    page.locator("#plane").click(position=at(page, across, up))


def at(page, across, up):
    """Return the place of a share of the plane."""
    page.locator("#plane").scroll_into_view_if_needed()
    box = page.locator("#plane").bounding_box()
    return {"x": box["width"] * across, "y": box["height"] * (1 - up)}


def test_points_are_added_moved_removed_and_all_of_it_undone(opened):
    page = opened()
    assert "Click or tap" in page.inner_text("#hint")
    click(page, 0.7, 0.7)
    click(page, 0.3, 0.3, "no")
    assert [p[2] for p in points_of(page)] == ["yes", "no"]
    assert page.get_attribute("#verdict", "data-verdict") == "separable"
    before = points_of(page)[0]
    place = at(page, 0.7, 0.7)
    box = page.locator("#plane").bounding_box()
    page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + place["x"] + 40, box["y"] + place["y"], steps=4)
    page.mouse.up()
    moved = points_of(page)[0]
    assert float(moved[0]) > float(before[0])
    assert moved[1] == before[1]
    page.click("#undo")
    assert points_of(page)[0] == before
    page.click("#redo")
    assert points_of(page)[0] == moved
    page.click("#modes [data-mode=erase]")
    page.locator("#plane").click(position=at(page, 0.3, 0.3))
    assert len(points_of(page)) == 1
    page.click("#clear")
    assert points_of(page) == []


def test_the_keyboard_alone_makes_points_and_plays(opened):
    page = opened()
    page.focus("#plane")
    page.keyboard.press("o")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("x")
    assert "Added no" in page.inner_text("#now")
    found = points_of(page)
    assert [p[2] for p in found] == ["yes", "no"]
    assert float(found[1][0]) < float(found[0][0])
    page.focus("#step")
    page.keyboard.press("Home")
    assert page.input_value("#place") == "0"
    page.keyboard.press("ArrowRight")
    assert page.input_value("#place") == "1"
    page.keyboard.press("End")
    assert page.input_value("#place") == page.get_attribute("#place", "max")
    page.focus("#plane")
    page.keyboard.press("Delete")
    assert len(points_of(page)) == 1


def test_a_tap_on_a_phone_adds_a_point(opened):
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    place = at(page, 0.6, 0.6)
    box = page.locator("#plane").bounding_box()
    page.touchscreen.tap(box["x"] + place["x"], box["y"] + place["y"])
    assert len(points_of(page)) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


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


def test_a_brush_adds_many(opened):
    page = opened()
    page.click("#brush")
    box = page.locator("#plane").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    for k in range(8):
        page.mouse.move(box["x"] + 200 + 20 * k, box["y"] + 200)
        page.wait_for_timeout(70)
    page.mouse.up()
    assert len(points_of(page)) > 3


def test_the_step_is_said_and_the_theorem_comes_true(opened):
    page = opened(SQUARE)
    model = sx.Perceptron().fit([[2, 2], [3, 1], [-2, -2], [-1, -3]], [1, 1, -1, -1])
    T = model.n_updates_
    assert f"T = {T};" in page.inner_text("#bound")
    bound = int(re.search(r"= ([\d,]+); R", page.inner_text("#bound"))[1].replace(",", ""))
    assert bound >= T
    assert "no mistake is left" in page.inner_text("#now")
    page.click("#first")
    page.click("#step")
    assert "row 1 (yes) was a mistake, so its x is added to w" in page.inner_text("#now")
    assert page.locator("#growth svg").count() == 3
    assert page.is_visible("#space")
    assert page.locator("#plane .mistake").count() == 1


def test_play_goes_to_the_end(opened):
    page = opened(SQUARE)
    page.click("#first")
    page.select_option("#speed", "4")
    page.click("#play")
    last = page.get_attribute("#place", "max")
    until(page, f"() => document.getElementById('place').value === '{last}'")
    assert page.inner_text("#play") == "Play"


def test_xor_has_no_line_and_a_kernel_separates_it(opened):
    page = opened(XOR)
    assert page.get_attribute("#verdict", "data-verdict") == "overlapping"
    assert "contradict each other" in page.inner_text("#contradiction")
    assert "never stops" in page.inner_text("#cycle")
    until(page, "() => document.getElementById('fewest').textContent.includes('1 (exact)')")
    page.click("#show-fewest")
    assert page.locator("#plane path.best").count() == 1
    assert "is drawn dashed; the learner stays the same" in page.inner_text("#now")
    assert page.input_value("#learner") == "pla"
    page.click("#show-fewest")
    assert page.locator("#plane path.best").count() == 0
    page.select_option("#learner", "fewest")
    assert "1 of 4 wrong" in page.inner_text("#now")
    page.select_option("#learner", "pla")
    page.click("#guess-first")
    page.fill("#guess", "7")
    page.click("#guessing button")
    assert "does not stop" in page.inner_text("#guessed")
    page.click("#guess-first")
    page.select_option("#learner", "dual")
    assert "0 of 4 wrong" in page.inner_text("#now")
    assert page.locator("#plane .yes-region").count() == 1


@pytest.mark.parametrize("preset", [
    "exSwings", "exCircle", "exTouching", "exSeparable", "exBarely", "exFlipped", "exNoise",
    "exCredit", "exGraduation", "exOutlier",
])  # fmt: skip
def test_every_example_is_learnt_by_every_learner(opened, preset):
    page = opened()
    page.select_option("#presets", preset)
    for learner in page.locator("#learner option").evaluate_all("all => all.map(o => o.value)"):
        page.select_option("#learner", learner)
        assert page.inner_text("#now")
    until(page, "() => document.getElementById('fewest').textContent.includes('exact')")
    if preset == "exBarely":
        page.select_option("#learner", "pla")
        bound = re.search(r"= ([\d,]+); R", page.inner_text("#bound"))[1].replace(",", "")
        assert int(bound) > 1000


def test_the_link_and_the_program_repeat_the_run(opened):
    page = opened(SQUARE + "&visit=random&seed=5&eta=0.5")
    code = page.inner_text("#python")
    made = {}
    exec(code[: code.index("print")], made)  # noqa: S102  # the page's own program
    w = [*np.ravel(made["model"].intercept_), *np.ravel(made["model"].coef_)]
    shown = [float(a) for a in re.search(r"\((.*)\)", page.inner_text("#weights"))[1].split(", ")]
    assert w == pytest.approx(shown, rel=1e-4)
    again = opened(page.evaluate("location.hash"))
    assert again.inner_text("#weights") == page.inner_text("#weights")


def test_a_table_of_one_s_own(opened, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name;a;b;c;y\n\'x;1;2;9;no\n"u;v";3;4;8;yes\n;5;;7;yes\nz;6;7;6;yes\n')
    page = opened()
    page.set_input_files("#file", path)
    until(page, "() => document.getElementById('table-note').textContent !== ''")
    assert page.locator("#plane .axis").all_text_contents() == ["a", "b"]
    assert "3 rows used; 1 left out" in page.inner_text("#table-note")
    assert "--label y --yes yes" in page.inner_text("#all-columns")
    assert len(points_of(page)) == 3


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


def test_learners_stand_side_by_side_and_play_in_step(opened):
    page = opened("#p=o2_2~o3_1~x-2_-2~x-1_-3~o-3_-2&l=pla")
    page.wait_for_selector("#compared table")
    page.select_option("#side-count", "4")
    until(page, "() => document.querySelectorAll('#compared svg').length === 4")

    def line(name):
        cells = page.locator("#compared tr", has=page.locator(f"th:text-is('{name}')")).locator(
            "td"
        )
        return cells.all_inner_texts()

    assert line("wrong")[3] == "0"
    page.select_option("#compared select >> nth=0", "dual")
    page.select_option("#compared select >> nth=1", "pocket")
    page.locator("#side-place").fill("3")
    assert [t.split(" / ")[0] for t in line("Step")] == ["3", "3", "0", "0"]
    page.focus("#side-step")
    page.keyboard.press("Enter")
    assert line("Step")[1].startswith("4 /")
    X = np.array([[2, 2], [3, 1], [-2, -2], [-1, -3], [-3, -2]])
    y = np.array([1, 1, -1, -1, 1])
    linear = sx.LinearRegressionClassifier().fit(X, y)
    error = np.mean((1 - y * (X @ linear.coef_.ravel() + linear.intercept_)) ** 2)
    squared = page.locator("#compared tr").nth(6).locator("td").nth(2).inner_text()
    assert float(squared) == pytest.approx(error, rel=5e-3)


def test_answers_are_hidden_until_the_guess(opened):
    page = opened(SQUARE)
    page.click("#guess-first")
    assert not page.is_visible("#now")
    assert page.input_value("#place") == "0"
    page.wait_for_selector("#compared table")
    assert not page.is_visible("#compared tr:last-child td")
    page.fill("#guess", "3")
    page.click("#guessing button")
    assert page.is_visible("#now")
    assert page.inner_text("#guessed").startswith("You said 3. It needs ")
    page.select_option("#winner", "pla")
    page.click("#winning button")
    assert page.inner_text("#won").startswith("Right. The fewest mistakes: Perceptron (PLA)")
    assert page.is_visible("#compared tr:last-child td >> nth=0")


def test_the_bound_explodes_while_a_point_is_dragged_towards_the_line(opened):
    page = opened("#p=o0_2~o4_2~x0_-2~x4_-2&l=pla")
    page.locator("#plane").scroll_into_view_if_needed()
    box = page.locator("#plane").bounding_box()
    x, y = page.evaluate(
        """([a, b]) => {
          const shown = document.getElementById("plane").getScreenCTM();
          const { x, y } = new DOMPoint(a, b).matrixTransform(shown);
          return [x, y];
        }""",
        [34 + 566 * 0.48 / 4.96, 566 * 0.48 / 4.96],  # the point (0, 2)
    )
    page.mouse.move(x, y)
    page.mouse.down()
    bounds = []
    for k in range(1, 8):
        page.mouse.move(x + k * box["width"] * 0.03, y + k * box["height"] * 0.085)
        text = page.inner_text("#bound")
        found = re.search(r"= ([\d,]+); R", text)
        bounds.append(int(found[1].replace(",", "")) if found else None)
    page.mouse.up()
    assert page.evaluate("String(getSelection())") == ""
    known = [b for b in bounds if b is not None]
    assert len(known) > 3
    assert known == sorted(known)
    assert known[-1] > 5 * known[0]


def test_weight_space_shows_the_move_and_the_half_plane(opened):
    page = opened()
    page.select_option("#presets", "exSwings")
    assert page.locator("#space .row-edge").count() == 1
    assert page.locator("#space .row-side").count() == 1
    page.click("#first")
    assert page.locator("#space .row-edge").count() == 0


def test_chinese_words_everywhere(opened):
    page = opened(SQUARE)
    page.click("#language")
    assert page.get_attribute("html", "lang") == "zh-Hant"
    assert "感知器" in page.inner_text("#learner")
    assert "錯誤" in page.inner_text("#now")
    for selector in ("h2", "button:not(#language)"):
        for text in page.locator(selector).all_inner_texts():
            assert not re.search(r"[a-z]{5,}", text), text


def test_no_accessibility_rule_is_broken(opened):
    from axe_playwright_python.sync_playwright import Axe

    phone = {"viewport": {"width": 390, "height": 844}}
    states = [
        (SQUARE, {}, []), (XOR, {"color_scheme": "dark"}, []), ("", {}, []), (SQUARE, phone, []),
        (SQUARE, {}, ["#language"]), (SQUARE, {}, ["#guess-first", "#large"]),
        ("", {"color_scheme": "dark"}, ["task"]),
    ]  # fmt: skip
    for fragment, how, clicks in states:
        page = opened(fragment, bypass_csp=True, **how)
        for selector in clicks:
            if selector == "task":
                page.select_option("#task", index=1)
                page.click("#answering button[type=submit]")
            else:
                page.click(selector)
        page.wait_for_selector("#compared table")
        found = Axe().run(page).response["violations"]
        assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found] == []
