"""Keyboard alone, screen readers, motion, dark, type, phone and languages, in both browsers."""

import re
from pathlib import Path

import axe_playwright_python
import pytest

from tests.lab.places import everywhere

SQUARE = "#p=o2_2~o3_1~x-2_-2~x-1_-3&l=pla"
XOR = "#p=x0_0~o0_1~o1_0~x1_1&l=pla"
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
CSV = "a,b,c,y\n1,2,3,no\n2,3,1,yes\n4,1,2,no\n0,5,1,yes\n,1,1,no\n"


def tab_to(person, name, most=70):
    for _ in range(most):
        if person.see("document.activeElement.id") == name:
            return
        person.press("Tab")
    raise AssertionError(f"Tab does not come to {name}")


@everywhere
def test_everything_is_done_with_the_keyboard_alone(person):
    person.open()
    tab_to(person, "plane")
    person.press("o")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "x", "ArrowDown", "ArrowDown", "x"):
        person.press(key)
    assert [p[2] for p in person.points()] == ["o", "x", "x"]
    tab_to(person, "place")
    person.press("Home")
    assert person.value("#place") == "0"
    person.press("ArrowRight")
    assert person.value("#place") == "1"
    person.press("End")
    last = person.value("#place")
    assert last == person.see("document.getElementById('place').max")
    tab_to(person, "learner")
    person.press("ArrowDown")
    if person.value("#learner") == "pla":  # the list is open now
        person.press("ArrowDown")
        person.press("Enter")
    person.until("document.getElementById('learner').value === 'pocket'")
    assert "The pocket has 0 wrong" in person.text("#now")
    tab_to(person, "guess-first")
    person.press("Space")
    tab_to(person, "winner")
    person.press("Tab")
    person.press("Enter")
    assert "The fewest mistakes" in person.text("#won")
    tab_to(person, "side-step")
    person.press("Enter")
    tab_to(person, "task")
    person.press("ArrowDown")
    if person.value("#task") == "":  # the list is open now
        person.press("ArrowDown")
        person.press("Enter")
    person.until("document.getElementById('task').value !== ''")
    tab_to(person, "answer")
    person.type("1")
    person.press("Enter")
    assert person.text("#answered") == "Not right yet."
    tab_to(person, "hand-in")
    tab_to(person, "save-csv")
    tab_to(person, "command")


def test_what_happens_is_announced(person):
    person.open(SQUARE)
    how = "((e) => [e.role || e.getAttribute('role'), e.ariaLive])(document.getElementById('{}'))"
    assert person.see(how.format("now")) == ["status", "polite"]
    for name in ("guessed", "won", "table-note", "answered", "shared"):
        assert person.see(how.format(name))[0] == "status", name
    assert person.see(how.format("problem"))[0] == "alert"
    person.click("#first")
    person.click("#step")
    assert re.match(r"Step 1 of \d+: row 1 \(yes\) was a mistake", person.text("#now"))
    assert person.see("document.getElementById('place').getAttribute('aria-valuetext')").startswith(
        "Step 1 / "
    )
    for selector in ("button", "input:not([type=file])", "select", "svg[role=img]"):
        unnamed = person.see(
            f"[...document.querySelectorAll({selector!r})].filter((e) => e.checkVisibility() && "
            "!(e.ariaLabel || e.innerText || e.labels?.[0]?.innerText)).map((e) => e.outerHTML)"
        )
        assert unnamed == [], selector


def test_with_reduced_motion_nothing_animates_and_play_plays(person):
    person.prefer(still=True)
    person.open("#e=exSwings&l=pla")
    assert person.see("matchMedia('(prefers-reduced-motion: reduce)').matches")
    moving = """[...document.querySelectorAll("*")].filter((e) => {
      const s = getComputedStyle(e);
      return [s.transitionDuration, s.animationDuration].some((d) => /[1-9]/.test(d))
        || s.scrollBehavior === "smooth" || e.localName.startsWith("animate");
    }).map((e) => e.outerHTML.slice(0, 80))"""
    assert person.see(moving) == []
    person.choose("#speed", "4")
    person.click("#play")
    assert person.text("#play") == "Pause"
    for _ in range(5):
        assert person.see("document.getAnimations().length") == 0
    person.until("document.getElementById('place').value === '20'")
    assert person.text("#play") == "Play"
    assert person.see(moving) == []


def test_dark_large_type_and_chinese(person):
    person.prefer(dark=True)
    person.open(SQUARE)
    back = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
    assert max(person.see(back)) < 60
    person.prefer()
    assert min(person.see(back)) > 200
    size = "parseFloat(getComputedStyle(document.getElementById('now')).fontSize)"
    small = person.see(size)
    person.click("#large")
    assert person.see(size) > 1.2 * small
    person.click("#large")
    person.click("#language")
    assert person.see("document.documentElement.lang") == "zh-Hant"
    assert "沒有錯誤了" in person.text("#now")
    shown = "[...document.querySelectorAll('h2, button:not(#language), label > span')]"
    for text in person.see(f"{shown}.map((e) => e.innerText)"):
        assert not re.search(r"[a-z]{5,}", text), text
    person.click("#language")
    assert person.see("document.documentElement.lang") == "en"


def loaded(person):
    person.drop("t.csv", CSV)
    person.until("document.getElementById('columns').children.length > 0")


def refused(person):
    person.drop("t.csv", "a\n1\n")
    person.until("document.getElementById('table-note').textContent !== ''")


def four(person):
    person.choose("#side-count", "4")
    person.until("document.querySelectorAll('#compared svg').length === 4")


def answered(person):
    person.choose("#task", "updates")
    person.fill("#answer", "1")
    person.click("#answering [type=submit]")


STATES = [  # address, what is done, how
    (SQUARE, [], {}), (XOR, [], {"dark": True}), ("", [], {}), ("#p=o1", [], {"dark": True}),
    (SQUARE, [four], {}), (SQUARE, [four], {"dark": True}), ("", [loaded], {}),
    ("", [loaded], {"dark": True}), ("", [refused], {}), (SQUARE, [refused], {"dark": True}),
    ("", [answered], {}), ("", [answered], {"dark": True}),
    (SQUARE, ["#language", four, loaded, answered], {}),
    (SQUARE, ["#guess-first", "#large"], {}), ("#e=exSwings&l=dual", ["#snap", "#brush"], {}),
]  # fmt: skip


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_no_accessibility_rule_is_broken(person, phone):
    """Every state in Chromium from a file, at both sizes in turn; a few in each of the others."""
    person.resize(*((390, 844) if phone else (1366, 800)))
    whole = "Chromium" in type(person).__name__ and person.address.startswith("file:")
    states = STATES[phone::2] + STATES[1 - phone :: 6] if whole else STATES[4 + phone :: 8]
    for fragment, steps, how in states:
        person.prefer(**how)
        person.open(fragment)
        person.until("document.querySelector('#compared table') !== null")
        for step in steps:
            person.click(step) if isinstance(step, str) else step(person)
        found = person.script(f"async () => {{ {AXE}; return (await axe.run()).violations; }}")
        assert [(v["id"], v["nodes"][0]["html"][:120]) for v in found] == [], (fragment, steps, how)
        assert person.see("document.documentElement.scrollWidth <= innerWidth"), (fragment, steps)
    person.resize(1366, 800)
