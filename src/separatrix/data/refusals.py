"""What the doors raise and warn with, and the words they share.

A message names an option as a shell has it, ``--missing fill``. Raised in Python it reads
``missing="fill"``; the command line prints it as it was written (`typed`).
"""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from separatrix.kernels._machine import available_memory
from separatrix.said import Said


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


def warn(message: str, category: type[Warning]) -> None:
    """Warn where this package was called from."""
    if ignored(category):
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("separatrix."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


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
    few = {f"part{k}": part for k, part in enumerate(parts[:most])}
    items = Said(by.join(f"{{{place}}}" for place in few), **few)
    more = len(parts) - most
    return Said("{items} and {n} more", items=items, n=more) if more > 0 else items


def shortened(text: str, most: int = 60) -> str:
    """Return text cut to `most` characters, saying that it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


FLAGS = {
    "fold-case": "fold_case=True", "fold-labels": "fold_labels=True", "header": "header=True",
    "no-header": "header=False", "match-names": "match_names=True", "explain": "explain=True",
}  # fmt: skip
LISTS = frozenset({"drop", "text", "as-category", "parse"})
VALUES = frozenset({
    "label", "yes", "weight", "group", "missing", "unlabelled", "delimiter", "encoding", "quote",
    "decimal", "format", "query", "sheet", "group-rare", "degree", "multiclass", "learner",
    "learners", "unknown", "learned-from", "penalty",
})  # fmt: skip
WORDS = frozenset({
    "drop", "fill", "level", "refuse", "blank", "ova", "ovo", "csv", "parquet", "svmlight", "tab",
    "whitespace", "logistic", "linear", "pocket", "pla", "dates", "latin-1", "utf-8", "utf-16",
    "utf-16-le", "utf-16-be", "cp1252", ",", ".",
})  # fmt: skip
KINDS = "money", "percent", "thousands", "dates", "day-first", "month-first"
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
OPTION = re.compile(
    rf"(?<!\w)(?:{QUOTED})"  # a name of the user's, in which nothing is an option
    rf"|(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)"
    rf"(?: (?P<value>{QUOTED}|[A-Z]+\b|\d+\b|[.,](?= |$)|[a-z][a-z0-9,-]*[a-z0-9]))?"
)


def in_python(text: str) -> str:
    """Return a message whose options are written as parameters: ``--yes NO`` is ``yes=NO``."""
    return OPTION.sub(_parameter, text) if "--" in text else text


def _parameter(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if name is None or name not in FLAGS.keys() | LISTS | VALUES:
        return found[0]
    if name in FLAGS:
        return FLAGS[name] + ("" if value is None else f" {value}")
    parameter = "text" if name == "as-category" else name.replace("-", "_")
    if value is None:
        return parameter
    parts = value.split(",") if name == "parse" else [value]
    if value[0].islower() or value in WORDS:
        if not WORDS.union(KINDS).issuperset(parts):
            return f"{parameter} {value}"  # what the sentence goes on with
        parts = [f'"{part}"' for part in parts]
    return f"{parameter}=[{', '.join(parts)}]" if name in LISTS else f"{parameter}={parts[0]}"
