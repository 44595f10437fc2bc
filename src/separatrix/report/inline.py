"""Pages in one file: styles and scripts of our own inside them, allowed by their hash alone."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from separatrix._types import Untyped

ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&'"}


@cache
def own_text(package: str, name: str) -> Markup:
    """Return a style sheet or script of a package's templates, without comments and indentation."""
    lines = files(package).joinpath(f"templates/{name}").read_text("utf-8").splitlines()
    kept = (line.strip() for line in lines)
    text = "\n".join(line for line in kept if line and not line.startswith("//"))
    return Markup(text)  # noqa: S704  # our own file


def digest_of(text: str) -> str:
    """Return the hash by which a page's policy allows its own style or script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def harmless(json: str) -> Markup:
    """Return JSON in ASCII such that nothing in it ends the element that it stands in."""
    return Markup(json.translate(ESCAPED))  # noqa: S704  # escaped just now


@cache
def templates(package: str) -> Untyped:
    """Return a package's templates, which escape every value."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
