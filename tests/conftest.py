"""Settings of every test run: the same examples each time, and no clock in a verdict."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

from tests.hostile.profile import examples

settings.register_profile(
    "separatrix", examples(100), deadline=None, derandomize=True, database=None
)
settings.load_profile("separatrix")

# A shell that starts the tests in the background has interrupts ignored, for all its children too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MANY = 500  # tests of a run that will need most kernels


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile all kernels on all cores before a whole run, instead of one by one within it."""
    if len(session.items) >= MANY and not session.config.option.collectonly:
        from separatrix.kernels.warm_up import compile_all

        compile_all()
