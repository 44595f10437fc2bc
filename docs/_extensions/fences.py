"""The fenced blocks of a page in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<kind>\{?[\w-]+\}?)[ \t]*(?P<argument>.*)$")


@dataclass(frozen=True)
class Block:
    """One fenced block: what it is, what it holds, the line (1, 2, ...) of its first content."""

    kind: str
    argument: str
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order."""
    lines = text.splitlines()
    n = 0
    while n < len(lines):
        found = FENCE.match(lines[n])
        n += 1
        if found is None:
            continue
        first = n
        while n < len(lines) and lines[n].strip() != found["fence"]:
            n += 1
        content = "\n".join(lines[first:n])
        yield Block(found["kind"], found["argument"].strip(), content, first + 1)
        n += 1


def without_options(text: str) -> list[str]:
    """Return the lines of a directive's content after its ":option:" lines."""
    lines = text.splitlines()
    while lines and re.match(r":[\w-]+:", lines[0]):
        lines.pop(0)
    return lines
