"""The directive `live`: the lab's own page as a figure, at a preset of the chapter.

`{live} FRAGMENT` names the preset as the lab's links do. The lab is written into the built site,
and `live.js` puts it where the directive stands; with scripts off nothing is put there, and the
still picture above remains.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from separatrix.lab import single_file

PAGE = "the_lab.html"
WORDS = {
    "en": ("A live figure: the lab", "Open it in the lab"),
    "zh-Hant": ("互動圖：實驗室", "在實驗室中開啟"),
}


class Live(SphinxDirective):
    """A place for the lab; the argument is the fragment of its link."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the place."""
        name = self.env.docname
        language = "zh-Hant" if name.startswith("zh_TW/") else "en"
        title, link = WORDS[language]
        address = f"{'../' * name.count('/')}{PAGE}#{self.arguments[0]}&lang={language}"
        html = (
            f'<div class="live" data-lab="{escape(address, quote=True)}" data-title="{title}" '
            f'data-link="{link}"></div>'
        )
        return [nodes.raw("", html, format="html")]


def _write(app: Sphinx, failed: Exception | None) -> None:
    if failed is None and app.builder.format == "html":
        (Path(app.outdir) / PAGE).write_text(single_file(), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and write the lab with the site."""
    app.add_directive("live", Live)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
