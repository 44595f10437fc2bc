"""The fields of a claim, which may have been built by hand: as numbers, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError
from separatrix.exact.integers import Floats, fractions_of
from separatrix.exact.signed_rows import doubles_of

ODD = TypeError, ValueError, AttributeError, ArithmeticError, LookupError

F = TypeVar("F", bound=Callable[..., Untyped])


def unless_odd(refuted: Untyped) -> Callable[[F], F]:
    """Let a check return `refuted` where a field holds something of another kind, not raise."""

    def of(check: F) -> F:
        @wraps(check)
        def checked(*arguments: Untyped) -> Untyped:
            try:
                return type(refuted)(check(*arguments))
            except InputError:  # about the table
                raise
            except ODD:
                return refuted

        return cast("F", checked)

    return of


def doubles(numbers: ArrayLike, size: int) -> Floats:
    """Return `size` finite numbers that are doubles; `ValueError` where they are anything else."""
    are_doubles = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
    found = numbers if are_doubles else doubles_of(fractions_of(numbers))
    if found is None or found.shape != (size,) or not np.isfinite(found).all():
        raise ValueError("not doubles, or not as many as there should be")
    return np.asarray(found)
