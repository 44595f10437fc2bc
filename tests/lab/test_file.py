"""The page as one file, and served; what is hostile does nothing to it."""

import http.client
import re
import threading

import numpy as np
import pytest

from separatrix.lab import modules, served_page, server, single_file
from separatrix.report.page.page import digest_of
from tests.browser import needs_chromium
from tests.hostile.profile import cases


@pytest.fixture
def served():
    serving = server()
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield serving.server_address[1]
    serving.shutdown()
    thread.join()
    serving.server_close()


def get(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


def test_the_file_holds_all_and_asks_for_nothing():
    page = single_file()
    assert len(page.encode()) < 350_000
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert f"sha256-{digest_of(style)}" in policy
    for name in modules():
        assert f'"lab/{name}": "data:' in page
    assert not re.findall(r"https?://(?!www\.w3\.org)", page)


def test_every_module_is_imported_by_another():
    text = "".join(modules().values())
    for name in set(modules()) - {"main.js"}:
        assert f'from "lab/{name}"' in text


def test_every_word_stands_in_both_languages_and_is_used():
    text = {name: body for name, body in modules().items() if name != "words.js"}
    keys = re.findall(r"^  (\w+): \[\"(.+?)\", \"(.+?)\"\],$", modules()["words.js"], re.M)
    assert len(keys) > 100
    page = served_page()
    for key, english, chinese in keys:
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", chinese)), key
        used = any(re.search(rf"\b{key}\b", body) for body in text.values())
        assert used or f'"{key}"' in page or key.startswith("ended_"), key


def test_it_is_served_to_this_machine_alone(served):
    assert get(served, "/")[0] == 200
    status, body = get(served, "/pla.js")
    assert (status, body) == (200, modules()["pla.js"])
    assert get(served, "/../../pyproject.toml")[0] == 404
    assert get(served, "/server.py")[0] == 404
    assert get(served, "/", Host="evil.example")[0] == 403


HOSTILE = [
    "#p=<script>alert(1)</script>", "#p=o1_2&l=__proto__", "#p=o1_2&l=constructor",
    "#p=oNaN_1", "#p=oInfinity_1", "#p=o1e999_1", "#p=o1_2_3", "#p=z1_2", "#%E0%A4%A", "#p",
    "#l=pla&maxUpdates=1e12", "#l=pla&seed=-1", "#l=pla&eta=0", "#l=pla&nothing=1", "#=&=&=",
    "#p=" + "o1_1~" * 600, "#p=" + "9" * 200_000,
]  # fmt: skip


@needs_chromium
def test_a_hostile_link_is_an_error_state(opened, address):
    page = opened()
    for fragment in HOSTILE:
        page.goto("about:blank")
        page.goto(address + fragment)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        assert page.is_visible("#problem"), fragment[:50]
        page.select_option("#presets", "exXor")
        assert page.get_attribute("#verdict", "data-verdict") == "overlapping"


@needs_chromium
def test_random_links_and_tables_leave_the_page_alive(opened, tmp_path):
    random = np.random.default_rng(20)
    pieces = [*'ox~_&=1-.%,;\n"\u202e', "p=", "l=pla", "e9", "<b>", "yes", "no", "NaN"]
    page = opened()
    for _ in range(cases(60, 5000)):
        text = "".join(random.choice(pieces, size=int(random.integers(1, 40))))
        page.evaluate("text => { location.hash = text; }", text)
        found = page.evaluate(
            """async (text) => {
              const { readTable, pointsOf } = await import("lab/table.js");
              const { fromFragment } = await import("lab/share.js");
              const table = readTable(text);
              const asked = { label: 0, yes: "yes", across: 0, up: 0 };
              if (table.names.length) pointsOf(table, asked);
              const state = fromFragment("#" + text);
              return state === null || state.points.length <= 500;
            }""",
            text,
        )
        assert found
    page.select_option("#presets", "exXor")
    assert page.get_attribute("#verdict", "data-verdict") == "overlapping"
