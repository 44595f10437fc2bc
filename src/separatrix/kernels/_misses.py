"""What is done when code is wanted that is not in the cache. Imports no compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_waiting: list[Callable[[], None]] = []


@contextmanager
def at_first_miss(action: Callable[[], None]) -> Iterator[None]:
    """Call `action` once, when code is wanted that is not kept; it may see to it that it is."""
    _waiting.append(action)
    try:
        yield
    finally:
        if action in _waiting:
            _waiting.remove(action)


def acted_on_miss() -> bool:
    """Do what was to be done at the first miss; return whether there was anything."""
    if not _waiting:
        return False
    _waiting.pop()()
    return True
