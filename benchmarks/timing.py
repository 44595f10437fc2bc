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


def timed_pass(fit: Callable[[int], Any], passes: int) -> tuple[Any, float, float]:
    """Return the model after so many passes, the seconds of one of them and of the whole fit.

    A fit of one pass is taken off, so that reading and checking the input, and the first pass with
    its many updates, do not count as passes.
    """
    _, once = timed(fit, 1)
    model, whole = timed(fit, 1 + passes)
    return model, (whole - once) / passes, whole
