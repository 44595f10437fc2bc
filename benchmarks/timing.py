"""How one call and one pass are timed: the same for ours and for the peers."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:  # noqa: ANN401
    """Return what a call gives and its seconds, without the garbage of earlier calls."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        result = function(*arguments)
        return result, time.perf_counter() - start
    finally:
        gc.enable()


def timed_pass(fit: Callable[[int], Any], passes: int, first: int = 1) -> tuple[Any, float, float]:
    """Return the model after so many passes, the seconds of one of them and of the whole fit.

    A fit of the first pass (or `first` of them) is taken off, so that reading and checking the
    input, and that pass with its many updates, do not count as passes.
    """
    _, begun = timed(fit, first)
    model, whole = timed(fit, first + passes)
    return model, (whole - begun) / passes, whole
