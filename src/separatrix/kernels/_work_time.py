"""Hears when kernels are compiled; see `separatrix.clock`."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from numba.core import event

from separatrix.kernels._cache import EVENT as CACHE


class _Reading(NamedTuple):
    """What the listener knows; replaced whole, so that other threads never see half of a change."""

    compiled: float = 0.0  # seconds of finished compilations
    since: float = 0.0
    outermost: dict[str, Any] | None = None  # what is being compiled, since then


class _Compilations(event.Listener):
    """Adds up the seconds in which anything is compiled, in whatever thread."""

    def __init__(self) -> None:
        self.reading = _Reading()

    def on_start(self, event: event.Event) -> None:
        """Note when the outermost compilation begins."""
        if not _under_way(self.reading):
            self.reading = _Reading(self.reading.compiled, time.monotonic(), event.data)

    def on_end(self, event: event.Event) -> None:
        """Add its seconds when it ends."""
        compiled, since, outermost = self.reading
        if event.data is outermost:
            self.reading = _Reading(compiled + time.monotonic() - since)


def work_time() -> float:
    """Return seconds of a monotonic clock that stands still while anything is compiled."""
    reading = _compilations.reading
    return (reading.since if _under_way(reading) else time.monotonic()) - reading.compiled


def _under_way(reading: _Reading) -> bool:
    # an interrupt may fall where the end of a compilation would be noted: Numba itself knows
    return reading.outermost is not None and bool(reading.outermost["dispatcher"].is_compiling)


_compilations = _Compilations()
for kind in ("numba:compile", CACHE):
    event.register(kind, _compilations)  # type: ignore[no-untyped-call]
