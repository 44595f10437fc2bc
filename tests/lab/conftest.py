"""The lab in a real browser, opened from a file, with the network off."""

import re
import signal
import subprocess
import sys

import pytest

from separatrix.lab import single_file
from tests.browser import chromium
from tests.firefox import firefox
from tests.lab.person import InChromium, InFirefox
from tests.lab.places import CROSSED


@pytest.fixture(scope="package")
def browser():
    """Chromium, for the tests of this folder: Playwright runs once at a time in a process."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("lab") / "lab.html"
    path.write_text(single_file(), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="package")
def fox(tmp_path_factory):
    """Firefox, for the tests of this folder."""
    with firefox(tmp_path_factory.mktemp("firefox")) as opened:
        yield opened


@pytest.fixture(scope="package")
def served():
    """The address that `separatrix lab` says."""
    command = [sys.executable, "-m", "separatrix", "lab", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        (found,) = re.findall(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
        yield found
        process.send_signal(signal.SIGINT)


@pytest.fixture(scope="module", params=CROSSED)
def someone(request, tmp_path_factory):
    """A person at the page: both browsers, both ways to open it; `everywhere` asks for all four."""
    name, origin = request.param
    address = request.getfixturevalue("address" if origin == "file" else "served")
    if name == "firefox":
        yield InFirefox(request.getfixturevalue("fox"), address)
        return
    context = request.getfixturevalue("browser").new_context(
        offline=origin == "file", locale="en-US", viewport={"width": 1366, "height": 800}
    )
    yield InChromium(context, address, tmp_path_factory.mktemp("saved"))
    context.close()


@pytest.fixture
def person(someone):
    """A person at the page; whatever it complains of, or asks of another host, fails the test."""
    someone.prefer()
    yield someone
    assert someone.complaints() == []
    asked = someone.see("performance.getEntriesByType('resource').map((e) => e.name.slice(0, 60))")
    home = (someone.address, "data:", "blob:")
    assert [name for name in asked if not name.startswith(home)] == []


@pytest.fixture
def opened(browser, address):
    """Open the page, offline, with a fragment; whatever it complains of fails the test."""
    contexts, complaints = [], []

    def open_page(fragment="", **how):
        context = browser.new_context(offline=True, **{"locale": "en-US", **how})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("request", lambda request: _refuse_network(request, complaints))
        page.goto(address + fragment)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _refuse_network(request, complaints):
    if not request.url.startswith(("file:", "data:", "blob:")):
        complaints.append(request.url)
