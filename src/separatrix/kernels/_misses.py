"""What is done when code is wanted that is not in the cache. Imports no compiler."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

_helpers: list[Generator[None]] = []


@contextmanager
def helped() -> Iterator[None]:
    """Once code is wanted that is not kept, let other cores compile what may be called next."""
    helper = _help()
    _helpers.append(helper)
    try:
        yield
    finally:
        _helpers.remove(helper)
        helper.close()


def _help() -> Generator[None]:
    from separatrix.kernels.warm_up import compiling_ahead

    yield from compiling_ahead()


def acted_on_miss() -> bool:
    """Let helpers begin, or go on; return whether there are any."""
    for helper in _helpers:
        next(helper, None)
    return bool(_helpers)
