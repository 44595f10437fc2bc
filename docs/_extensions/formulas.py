"""Formulas as MathML, which browsers draw by themselves: no script, no font, no request.

docutils (which Sphinx stands on) translates TeX.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

BAR = re.compile(r"<mo[^>]*>\|</mo>")  # of |w|: close to what it encloses, and no higher
log = logging.getLogger(__name__)


def _mathml(node: nodes.Element, *, as_block: bool) -> str:
    try:
        drawn = str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        log.warning("%s in the formula %s", error, node.astext(), location=node)
        return escape(node.astext())
    return BAR.sub('<mo stretchy="false" lspace="0" rspace="0">|</mo>', drawn)


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
