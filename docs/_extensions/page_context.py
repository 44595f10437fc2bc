"""What voices and fonts need: pages in Chinese say so, and captions of the contents are headings.

Sphinx writes `role="heading"` without a level, which is no valid heading.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

NAVIGATION = "furo_navigation_tree"


def _amend(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    if page.startswith("zh_TW/"):
        context["language"] = "zh-Hant-TW"
    if NAVIGATION in context:
        context[NAVIGATION] = context[NAVIGATION].replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Ask to be told of every page, after the theme was."""
    app.connect("html-page-context", _amend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
