"""The directives of the handbook: `picture` (code and what it draws) and `file` (and its name).

The first picture of a page runs its Python, as the tests do (which run its commands too); what is
then not as shown is a warning of the build. Pictures are drawn by the code shown, nothing hidden.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from pages import run_page
from runners import Run
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

FOLDER = "_pictures"
log = logging.getLogger(__name__)


class Picture(SphinxDirective):
    """Code that draws one figure or film, and that; the argument says what is to be seen."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"caption": directives.unchanged}  # noqa: RUF012  # docutils' convention

    def run(self) -> list[nodes.Node]:
        """Return the code and what it drew."""
        state = self.env.current_document
        done: Run = state.get("handbook_run") or _run(self.env.doc2path(self.env.docname))
        number = state.get("handbook_pictures", 0)
        state["handbook_run"], state["handbook_pictures"] = done, number + 1
        code = "\n".join(self.content)
        shown = nodes.literal_block(code, code, language="python")
        suffix, drawn = done.pictures[number]
        name = f"{self.env.docname.replace('/', '-')}-{number + 1}{suffix}"
        target = Path(self.env.app.outdir) / FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(drawn)
        up = "../" * self.env.docname.count("/")
        caption = escape(self.options.get("caption", ""))
        html = (
            f'<figure class="drawn"><img src="{up}{FOLDER}/{name}" '
            f'alt="{escape(self.arguments[0], quote=True)}">'
            f"{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>"
        )
        return [shown, nodes.raw("", html, format="html")]


class File(SphinxDirective):
    """A file of the page: its name and what is in it."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return its content under its name."""
        content = "\n".join(self.content)
        name = nodes.caption("", "", nodes.literal("", self.arguments[0]))
        block = nodes.literal_block(content, content, language="text")
        classes = ["literal-block-wrapper"]
        return [nodes.container("", name, block, literal_block=True, classes=classes)]


def _run(page: str | Path) -> Run:
    done = run_page(Path(page), leave_out=frozenset({"console"}))
    for line in done.wrong:
        log.warning(line, type="handbook")
    return done


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("picture", Picture)
    app.add_directive("file", File)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
