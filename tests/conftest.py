"""Settings of every test run: the same examples each time, and no clock in a verdict."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("separatrix", deadline=None, derandomize=True, database=None)
settings.load_profile("separatrix")

# A shell that starts the tests in the background has interrupts ignored, for all its children too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
