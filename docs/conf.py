"""How the handbook is built: `sphinx-build -W --keep-going docs docs/_build`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "separatrix"
author = "The separatrix engineers"
project_copyright = author
exclude_patterns = ["_build", "_extensions"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "blocks",  # pictures and files that a page shows
    "live",  # the lab as a figure
    "formulas",  # mathematics as MathML: no script, no request to anywhere
    "plain_docstrings",  # docstrings are plain text, not reStructuredText
    "page_context",  # pages under zh_TW say that they are Chinese; headings have levels
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
default_role = "py:obj"
highlight_language = "python"
autosummary_generate = False
autodoc_typehints = "none"  # the docstrings say shapes and units, which types cannot
autodoc_default_options = {
    # scikit-learn writes these into every class
    "exclude-members": "set_fit_request, set_partial_fit_request, set_score_request",
}
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "separatrix: the handbook"
html_static_path = ["_static"]
html_css_files = ["handbook.css"]
html_js_files = [("live.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
