"""The lab in a real browser, opened from a file, with the network off."""

from __future__ import annotations

import pytest

from separatrix.lab import single_file
from tests.browser import chromium


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the tests of a file: Playwright runs once at a time in a process."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The page as one file."""
    path = tmp_path_factory.mktemp("lab") / "lab.html"
    path.write_text(single_file(), "utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    """Open the page, offline, with a fragment; whatever it complains of fails the test."""
    contexts, complaints = [], []

    def open_page(fragment="", **how):
        context = browser.new_context(offline=True, locale="en-US", **how)
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
