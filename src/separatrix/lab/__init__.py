"""The lab: a page in which the line turns under the finger, for teaching.

The page is plain JavaScript, a module per algorithm, named like those of `plain/` and equal to the
library bit for bit (`tests/lab`). `single_file` puts all of it into one HTML file that opens
without a server and without a network; `server` serves the folder on this machine alone.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlsplit

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


HOSTS = ("127.0.0.1", "localhost")


class _Pages(BaseHTTPRequestHandler):
    """Answers GET for the page and its modules, to those who ask this machine by its own name."""

    server_version = "separatrix"
    sys_version = ""
    pages: dict[str, tuple[str, bytes]]

    def do_GET(self) -> None:  # the name that http.server calls
        """Send a page, a module, or why not."""
        if self.headers.get("Host", "").rsplit(":", 1)[0] not in HOSTS:
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        found = self.pages.get(urlsplit(self.path).path)
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        kind, body = found
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # http.server's name
        """Keep requests off the terminal."""


def server(port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the lab on 127.0.0.1; port 0 takes a free one."""
    pages = {"/": ("text/html", served_page().encode("utf-8"))}
    for name, text in modules().items():
        pages[f"/{name}"] = ("text/javascript", text.encode("utf-8"))
    handler = type("Pages", (_Pages,), {"pages": pages})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)
