"""Passes on what the package logs: that kernels are compiled, and that they cannot be kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Notes(logging.Handler):
    """Hands every message to a function."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self.note = note

    def emit(self, record: logging.LogRecord) -> None:
        """Hand it on."""
        self.note(record.getMessage())


@contextmanager
def announce_log(note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` with what is logged, each of which is logged once in a process."""
    log = logging.getLogger("separatrix")
    level, handler = log.level, _Notes(note)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)
