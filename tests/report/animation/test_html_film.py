"""The film as a page: the same pictures, step by step, in a real browser."""

from __future__ import annotations

import base64
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

import separatrix as sx
from separatrix.report.animation.film import Film
from separatrix.report.animation.gif import Palette
from separatrix.report.animation.scene import INKS, PAPERS, Scene
from separatrix.report.inline import digest_of
from tests.browser import chromium, needs_chromium
from tests.report.animation.films import decoded, needs_ffmpeg
from tests.report.pages import HOSTILE, Read

SIZE = 640


@pytest.fixture(scope="module")
def filmed(separated, tmp_path_factory) -> tuple[Film, object]:
    path = tmp_path_factory.mktemp("film") / "pla.html"
    return sx.animate(*separated, path, frames=24, size=SIZE, names=HOSTILE[:2]), path


def data_of(page):
    return json.loads(re.search(r'id="film">(.*?)</script>', page)[1])


def test_the_page_asks_nobody_and_names_are_text(filmed):
    film, path = filmed
    page = path.read_text("utf-8")
    read = Read.of(page)
    (policy,) = [v for k, v in read.attributes if v.startswith("default-src 'none'")]
    hashes = [f"sha256-{digest_of(read.whole[tag][0])}" for tag in ("style", "script")]
    assert re.findall(r"'(sha256-[^']+)'", policy) == hashes
    assert len(read.whole["script"]) == 1
    assert not {"iframe", "link", "object", "form"} & set(read.tags)
    assert not [k for k, _ in read.attributes if k.startswith("on") or k == "style"]
    assert HOSTILE[0] not in page
    assert len(data_of(page)["said"]) == len(film.moments)


def test_every_picture_is_the_scene_in_the_colours_of_the_palette(filmed):
    film, path = filmed
    scene, palette = Scene(film, SIZE), Palette(PAPERS, INKS)
    shown = Image.new("RGBA", (scene.width, scene.height))
    for moment, (left, top, milliseconds, picture) in zip(
        film.moments, data_of(path.read_text("utf-8"))["patches"], strict=True
    ):
        part = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGBA")
        shown.alpha_composite(part, (left, top))
        drawn = palette.colours[palette.positions(scene.at(moment))]
        assert (np.asarray(shown)[..., :3] == drawn).all()
        assert milliseconds == moment.milliseconds


@needs_chromium
def test_it_plays_and_steps_by_mouse_and_keyboard(filmed):
    from axe_playwright_python.sync_playwright import Axe

    film, path = filmed
    last = len(film.moments) - 1
    said = data_of(path.read_text("utf-8"))["said"]
    with chromium() as browser:
        page = browser.new_page()
        asked, errors = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("canvas")

        def pixels():
            return page.evaluate("document.querySelector('canvas').toDataURL()")

        def at():
            return page.locator("#now").text_content()

        first = pixels()
        assert at() == said[0]
        page.get_by_role("button", name="One step on").click()
        page.keyboard.press("ArrowRight")
        third = pixels()
        assert at() == said[2]
        page.get_by_role("button", name="One step back").click()
        page.keyboard.press("ArrowLeft")
        assert pixels() == first
        page.get_by_label("Moment of the film").fill("2")
        assert pixels() == third
        page.keyboard.press("End")
        assert at() == said[last]
        page.keyboard.press("Home")
        assert at() == said[0]
        page.get_by_label("speed").select_option("4")
        page.get_by_role("button", name="Play").click()
        page.get_by_role("button", name="Pause").wait_for()
        page.locator("#now", has_text=said[0]).wait_for(state="detached")
        page.keyboard.press("End")
        assert page.get_by_role("button", name="Play").is_visible()
        broken = Axe().run(page).response["violations"]
        assert [rule["id"] for rule in broken if rule["impact"] in ("serious", "critical")] == []
        assert [url for url in asked if not url.startswith("data:image/png")] == [path.as_uri()]
        assert errors == []


def test_films_have_the_width_that_is_asked_for(separated, tmp_path):
    sx.animate(*separated, tmp_path / "f.gif", frames=2, size=1280)
    frames, _ = decoded(tmp_path / "f.gif")
    assert frames[0].shape == (776, 1280, 3)
    for size in (1281, 100, 5000, True, 700.5):
        with pytest.raises(sx.InputError, match="size="):
            sx.animate(*separated, tmp_path / "g.gif", size=size)
    assert not (tmp_path / "g.gif").exists()


@needs_ffmpeg
def test_an_mp4_of_another_width(separated, tmp_path):
    sx.animate(*separated, tmp_path / "f.mp4", frames=2, size=1280)
    assert (tmp_path / "f.mp4").read_bytes()[4:8] == b"ftyp"


@needs_chromium
def test_on_a_phone_it_fills_the_width_and_the_dark_is_dark(tmp_path, separated):
    sx.animate(*separated, tmp_path / "pla.html", frames=6, size=SIZE, names=["x1", "x2"])
    page = (tmp_path / "pla.html").read_text("utf-8")
    assert page.count("standardised</title>") == 1
    assert "<title>PLA on x1 and x2, standardised</title>" in page
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    with chromium() as browser:
        window = browser.new_context(**phone).new_page()
        window.goto((tmp_path / "pla.html").as_uri())
        window.wait_for_selector("canvas")
        box = window.locator("canvas").bounding_box()
        assert box["x"] == 0
        assert box["width"] >= 390  # the plane fills it, the curves are a swipe away
        for name in ("#play", "#back", "#step"):
            button = window.locator(name).bounding_box()
            assert min(button["width"], button["height"]) >= 44
            assert button["y"] + button["height"] <= 844
        widths = window.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]
        window.keyboard.press("End")
        assert window.locator("#place").input_value() == window.locator("#place").get_attribute(
            "max"
        )
        window.keyboard.press("Home")
        window.keyboard.press("ArrowRight")
        assert window.locator("#place").input_value() == "1"
        shot = Image.open(io.BytesIO(window.screenshot())).convert("L")
        assert np.median(np.asarray(shot)) < 60
