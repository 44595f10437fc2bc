"""Settings of every test run: the same examples each time, and no clock in a verdict."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("separatrix", deadline=None, derandomize=True, database=None)
settings.load_profile("separatrix")
