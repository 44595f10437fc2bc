"""The plane and weight space, driven as a person would, in one browser or both."""

import re
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from tests.lab.places import everywhere, in_chromium

DOCS = Path(__file__).parents[2] / "docs"
SQUARE = "#p=o2_2~o3_1~x-2_-2~x-1_-3&l=pla"
XOR = "#p=x0_0~o0_1~o1_0~x1_1&l=pla"


@everywhere
def test_a_click_and_a_tap_add_o_and_x(person):
    person.open()
    assert "Click or tap" in person.text("#hint")
    person.add("yes", 0.7, 0.7)
    person.click("#modes [data-mode=no]")
    person.click_plane(0.3, 0.4, touch=True)
    (a, b, one), (c, d, other) = person.points()
    assert (one, other) == ("o", "x")
    assert a == pytest.approx(4, abs=1)
    assert b == pytest.approx(4, abs=1)
    assert c == pytest.approx(-4.5, abs=1)
    assert d == pytest.approx(-2.3, abs=1)
    assert person.verdict() == "separable"


def test_the_keyboard_adds_moves_on_and_deletes(person):
    person.open()
    person.script("() => document.getElementById('plane').focus()")
    person.press("o")
    for _ in range(6):
        person.press("ArrowLeft")
    person.press("ArrowUp", "Shift")
    person.press("x")
    assert "Added no" in person.text("#now")
    (a, b, one), (c, d, other) = person.points()
    assert (one, other) == ("o", "x")
    assert c < a
    assert d > b
    person.press("Delete")
    assert [p[2] for p in person.points()] == ["o"]


def test_a_point_is_dragged_by_mouse_and_by_finger_and_all_is_undone_and_redone(person):
    person.open(SQUARE)
    states = [person.points()]
    for touch in (False, True):
        person.drag(0, [(30, 0), (60, 20)], touch=touch)
        states.append(person.points())
        assert states[-1][0][0] > states[-2][0][0]
        assert states[-1][0][1] < states[-2][0][1]
        assert states[-1][1:] == states[0][1:]
    person.click("#undo")
    assert person.points() == states[1]
    person.press("z", "Control")
    assert person.points() == states[0]
    person.press("Z", "Control", "Shift")
    assert person.points() == states[1]
    person.click("#redo")
    assert person.points() == states[2]


def test_a_click_erases_and_clear_takes_all_away(person):
    person.open(SQUARE)
    person.click("#modes [data-mode=erase]")
    person.stroke([person.point(1)])
    assert [p[:2] for p in person.points()] == [(2, 2), (-2, -2), (-1, -3)]
    person.click("#clear")
    assert person.points() == []
    person.click("#undo")
    assert len(person.points()) == 3


def test_the_brush_adds_many(person):
    person.open()
    person.click("#brush")
    person.stroke([person.on_plane(0.2 + 0.06 * k, 0.5) for k in range(8)], pause=0.07)
    assert len(person.points()) > 3
    assert {p[2] for p in person.points()} == {"o"}


def test_points_snap_to_the_lines_of_the_grid(person):
    person.open()
    person.click("#snap")
    person.add("yes", 0.71, 0.68)
    person.add("no", 0.313, 0.287)
    for a, b, _ in person.points():
        assert a == int(a)
        assert b == int(b)
    person.open("#p=o0_0~x8_1000&l=pla")
    person.click("#snap")
    person.add("yes", 0.71, 0.68)
    a, b, _ = person.points()[-1]
    assert a == pytest.approx(round(a, 1))
    assert 5 < a < 8
    assert b % 10 == 0


def examples():
    """Return {name: (points, verdict, T, bound, fewest mistakes)} as the handbook has them."""
    lines = re.findall(r"^\| (.+) \|$", (DOCS / "lab.md").read_text("utf-8"), re.M)
    table = [line.split(" | ") for line in lines if len(line.split(" | ")) == 6]
    return {name: tuple(cells) for name, *cells in table[1:]}


@in_chromium
def test_the_examples_are_what_the_handbook_says(person):
    person.open()
    offered = person.see("[...document.querySelectorAll('#presets option')].map((o) => o.text)")
    known = examples()
    assert offered == ["–", *known]
    for k, (name, (points, verdict, T, bound, fewest)) in enumerate(known.items(), 1):
        person.choose("#presets", person.see(f"document.getElementById('presets')[{k}].value"))
        X, y = person.arrays()
        assert (str(len(y)), person.verdict()) == (points, verdict), name
        person.until(
            f"document.getElementById('fewest').textContent.includes(': {fewest} (exact)')"
        )
        decided = sx.separability(X, y)
        assert decided.verdict == verdict
        assert sx.minimum_errors(X, y).upper == int(fewest)
        if verdict == "separable":
            assert person.text("#bound").startswith(f"T = {T}; (R/ρ)² = {bound};"), name
            assert sx.Perceptron(max_iter=None, max_updates=None).fit(X, y).n_updates_ == int(T)
            assert decided.mistake_bound == int(bound.replace(",", ""))
    person.choose("#presets", "exOutlier")
    person.choose("#learner", "linear")
    assert "3 of 25 wrong" in person.text("#now")
    person.choose("#learner", "pla")
    assert "0 of 25 wrong" in person.text("#now")


def ends(person, selector):
    """Return the first and the last point of a path, in pixels."""
    found = person.numbers(selector, "d")
    return np.array(found[:2]), np.array(found[-2:])


@in_chromium
def test_the_plane_has_axes_the_line_with_its_sides_and_w_at_a_right_angle(person):
    person.open(SQUARE)
    names = "[...document.querySelectorAll('#plane .axis')].map((t) => t.textContent)"
    assert person.see(names) == ["x₁", "x₂"]
    assert person.count("#plane .tick") > 6
    line = np.subtract(*ends(person, "#plane .line path.line"))
    foot, tip = ends(person, "#plane .normal:not(.head)")
    assert abs((tip - foot) @ line) < 1e-3 * np.linalg.norm(tip - foot) * np.linalg.norm(line)
    w = person.weights()
    assert (tip - foot) / np.linalg.norm(tip - foot) == pytest.approx(
        np.array([w[1], -w[2]]) / np.hypot(*w[1:]), abs=1e-3
    )
    sides = [np.reshape(person.numbers(f"#plane .{k}-side", "d"), (-1, 2)) for k in ("yes", "no")]
    for corners, sign in zip(sides, (1, -1), strict=True):
        assert ((corners - foot) @ (tip - foot) * sign > -1).all()


@in_chromium
def test_the_mistake_is_ringed_and_its_x_is_added_to_w_as_vectors(person):
    person.open("#e=exSwings&l=pla")
    person.click("#first")
    assert person.count("#plane .mistake") == 0
    before = None
    for _ in range(3):
        person.click("#step")
        row, label = re.search(
            r"row (\d+) \((yes|no)\) was a mistake", person.text("#now")
        ).groups()
        w = np.array(person.weights())
        X, y = person.arrays()
        if before is not None:
            n = int(row) - 1
            assert w == pytest.approx(before + y[n] * np.array([1, *X[n]]), rel=1e-3)
            assert label == ("yes" if y[n] > 0 else "no")
            (a,), (b,) = (person.numbers("#plane .mistake", name) for name in ("cx", "cy"))
            assert person.on_plane(a / 600, 1 - b / 600) == pytest.approx(person.point(n), abs=0.5)
            old, added, new = (
                ends(person, f"#plane .vectors .{name}:not(.head):not(text)")
                for name in ("old", "added", "new")
            )
            assert added[0] == pytest.approx(old[1], abs=0.02)
            assert added[1] == pytest.approx(new[1], abs=0.02)
            x = y[n] * X[n] * [1, -1]
            turned = (added[1] - added[0]) / np.linalg.norm(added[1] - added[0])
            assert turned == pytest.approx(x / np.linalg.norm(x), abs=0.01)
        before = w


@in_chromium
def test_in_weight_space_every_point_is_a_half_plane_and_the_version_space_shrinks(person):
    person.open(SQUARE)
    person.click("#first")
    assert person.count("#space .row-edge") == 0
    person.click("#last")
    assert person.count("#space .cell") == 1
    for count in (4, 5, 6):
        assert person.count("#space .half") == count
        X, y = person.arrays()
        w = np.random.default_rng(0).standard_normal((400_000, 3))
        share = (((w[:, :1] + w[:, 1:] @ X.T) * y) > 0).all(axis=1).mean()
        shown = float(re.match(r"([0-9.e-]+) % of all directions", person.text("#space-note"))[1])
        assert shown / 100 == pytest.approx(share, rel=0.05)
        person.add("yes" if count == 4 else "no", 0.5, 0.6 if count == 4 else 0.36)
    assert person.count("#space .row-side") == person.count("#space .row-edge") == 1
    assert person.count("#space .here") == 1
    assert person.visible("#space")
