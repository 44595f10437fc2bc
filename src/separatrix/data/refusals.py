"""What the doors raise and warn with, and the words they share."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from separatrix.data.spelling import in_python
from separatrix.kernels._machine import available_memory


class SeparatrixWarning(UserWarning):
    """A warning of separatrix; the result is still valid."""

    def __str__(self) -> str:
        """Return the message with options as Python's parameters; see `typed`."""
        return in_python(super().__str__())


QUIET = threading.local()  # `depth`: of `quiet` in this thread


@contextmanager
def quiet() -> Iterator[None]:
    """Silence warnings of learners in this thread alone: filters of warnings are of all threads."""
    QUIET.depth = getattr(QUIET, "depth", 0) + 1
    try:
        yield
    finally:
        QUIET.depth -= 1


def ignored(category: type[Warning]) -> bool:
    """Whether no warning of a category is shown, whatever it says and wherever it is given."""
    if getattr(QUIET, "depth", 0):
        return True
    for action, message, of, module, line in warnings.filters:
        if issubclass(category, of):
            return action == "ignore" and message is None and module is None and line == 0
    return False


class NotConvergedWarning(SeparatrixWarning, ConvergenceWarning):  # type: ignore[misc]
    """A limit on updates, passes or time ended the fit before it converged."""


class NoFiniteOptimumWarning(SeparatrixWarning):
    """The error measure has no finite minimiser on these data: coefficients diverge."""


class InputError(ValueError):
    """The input cannot be used; the message names the place, the value and a remedy."""

    def __str__(self) -> str:
        """Return the message with options as Python's parameters; see `typed`."""
        return in_python(super().__str__())


class InputTypeError(InputError, TypeError):
    """Likewise, where scikit-learn's contract asks for a TypeError: things that are no numbers."""


def typed(told: Exception) -> str:
    """Return the message of an error or warning with options as they are typed in a shell."""
    return str(told.args[0]) if isinstance(told, InputError | SeparatrixWarning) else str(told)


def require_memory(needed: int, purpose: str) -> None:
    """Raise `InputError` when `needed` bytes are more than this machine has available."""
    available = available_memory()
    if available is not None and needed > available:
        raise InputError(
            f"{purpose} needs {needed:,} bytes of memory and {available:,} are available. "
            "Use fewer rows or columns, or a machine with more memory."
        )


def describe_counts(counts: Iterable[tuple[Any, int]], most: int = 10) -> str:
    """Return "3 labels: 'a' (12 rows), ..." for a message, shortened after `most` labels."""
    pairs = [f"{shortened(repr(v))} ({k} row{'s' if k != 1 else ''})" for v, k in counts]
    return f"{len(pairs)} labels: {joined(pairs, most)}"


def joined(parts: Sequence[str], most: int = 10, by: str = ", ") -> str:
    """Return "a, b and 3 more"."""
    more = f" and {len(parts) - most} more" if len(parts) > most else ""
    return by.join(parts[:most]) + more


def shortened(text: str, most: int = 60) -> str:
    """Return text cut to `most` characters, saying that it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
