"""Pages under zh_TW say that they are in Traditional Chinese: for voices and for fonts."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def _language(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    if page.startswith("zh_TW/"):
        context["language"] = "zh-Hant-TW"


def setup(app: Sphinx) -> dict[str, Any]:
    """Ask to be told of every page."""
    app.connect("html-page-context", _language)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
