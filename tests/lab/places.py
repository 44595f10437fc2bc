"""Where the page is opened: in two browsers, from a file and from `separatrix lab`."""

import pytest

from tests.browser import CHROMIUM
from tests.firefox import FIREFOX
from tests.hostile.profile import cases

PLACES = [
    pytest.param((name, origin), id=f"{name}-{origin}",
                 marks=pytest.mark.skipif(not path.exists(), reason=f"no {name} on this machine"))
    for name, path in (("chromium", CHROMIUM), ("firefox", FIREFOX))
    for origin in ("file", "served")
]  # fmt: skip

# Each browser and each origin, but not each browser from each origin: that is for tests of what an
# origin changes (files, links, the keyboard's way to them).
CROSSED = PLACES[:: cases(3, 1)]
everywhere = pytest.mark.parametrize("someone", PLACES, indirect=True)
# What a page computes is the same in both: tests/lab/test_equal.py compares them.
in_chromium = pytest.mark.parametrize("someone", cases(PLACES[:1], PLACES), indirect=True)
