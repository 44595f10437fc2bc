"""The lab's page and its modules, served on this machine alone."""

from __future__ import annotations

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from separatrix.lab import modules, served_page

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
