"""Docstrings are plain text, to be read in an editor.

What reStructuredText would take for markup (|w|, coef_, the * of a product) is escaped before
numpydoc reads them.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

LITERAL = re.compile(r"(``.+?``|`[^`\s][^`]*`)")
MARKUP = re.compile(r"[|*]|(?<=\w)_(?=\W|$)")


def _escape(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    code = False  # between >>> and the next empty line
    for n, line in enumerate(lines):
        code = line.lstrip().startswith(">>>") or (code and bool(line.strip()))
        if not code:
            parts = LITERAL.split(line)
            parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
            lines[n] = "".join(parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Come before numpydoc."""
    app.connect("autodoc-process-docstring", _escape, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
