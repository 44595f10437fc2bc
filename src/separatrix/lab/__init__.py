"""The lab: a page in which the line turns under the finger, for teaching.

The page is plain JavaScript, a module per algorithm, named like those of `plain/` and equal to the
library bit for bit (`tests/lab`). `single_file` puts all of it into one HTML file that opens
without a server and without a network; `serving` serves the folder on this machine alone.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import quote

START = 'import "lab/main.js";'
# lines that are comments and nothing else: a fifth of the single file, which a phone would read
_COMMENTS = re.compile(r"^ *(//[^\n]*|/\*\*((?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)
_PLAIN = "!*'()/:;,= {}[]|^`?&+@$~"  # what stands in a data: URL, and in JSON, as it is


def modules() -> dict[str, str]:
    """Return {file name: text} of the page's modules."""
    found = (path for path in files(__package__).iterdir() if path.name.endswith(".js"))
    return {path.name: path.read_text("utf-8") for path in sorted(found, key=lambda p: p.name)}


def task_list() -> list[Any]:
    """Return the tasks of the homework that comes with the page."""
    found = {path.name: path for path in (files(__package__) / "tasks").iterdir()}
    return [json.loads(found[name].read_text("utf-8")) for name in sorted(found)]


def single_file() -> str:
    """Return the page with all its modules in it, each a `data:` URL of its import map."""
    urls = {
        f"lab/{name}": "data:text/javascript," + quote(_COMMENTS.sub("", text), safe=_PLAIN)
        for name, text in modules().items()
    }
    return _page(urls, "data:")


def served_page() -> str:
    """Return the page that asks for its modules where it comes from."""
    return _page({f"lab/{name}": f"/{name}" for name in modules()}, "'self'")


def _page(urls: dict[str, str], source: str) -> str:
    """Return the page, with a content security policy that allows what is in it and no network."""
    folder = files(__package__)
    style = (folder / "lab.css").read_text("utf-8")
    import_map = json.dumps({"imports": urls})
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; img-src data: blob:; "
        f"script-src {source} '{_hash(import_map)}' '{_hash(START)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    tasks = json.dumps(task_list(), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "policy": policy,
        "style": style,
        "imports": import_map,
        "tasks": tasks,
        "start": START,
    }
    page = (folder / "index.html").read_text("utf-8")
    for name, text in parts.items():
        page = page.replace(f"{{{{ {name} }}}}", text)
    return page


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
