"""Debian's Firefox, driven by its own Marionette protocol: JSON over a socket of this machine."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FIREFOX = Path("/usr/bin/firefox-esr")
PATIENCE = 120.0  # seconds, for a start on a loaded machine

needs_firefox = pytest.mark.skipif(not FIREFOX.exists(), reason="no Firefox on this machine")

PREFERENCES = {
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9, "intl.accept_languages": "en-US",
    "browser.download.folderList": 2,  # the folder of browser.download.dir
    "browser.download.useDownloadDir": True,
}  # fmt: skip


class Marionette:
    """Commands to one running Firefox.

    Parameters
    ----------
    port : of Marionette
    saved : the folder of what is downloaded
    """

    def __init__(self, port: int, saved: Path) -> None:
        self.saved = saved
        self.stream = _connected(port).makefile("rwb")
        self.sent = 0
        self._read()  # its greeting
        self.command("WebDriver:NewSession")
        self.browser("Services.io.offline = true;")

    def command(self, name: str, **parameters: Any) -> Any:
        self.sent += 1
        message = json.dumps([0, self.sent, name, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, number, error, answer = self._read()
        assert (number, error) == (self.sent, None), str(error)[:300]
        return answer

    def evaluate(self, script: str, *given: Any) -> Any:
        answer = self.command("WebDriver:ExecuteScript", script=script, args=list(given))
        return answer["value"]

    def wait_for(self, script: str, *given: Any) -> Any:
        """Return what an asynchronous script gives to its last argument, a function."""
        answer = self.command("WebDriver:ExecuteAsyncScript", script=script, args=list(given))
        return answer["value"]

    def browser(self, script: str) -> Any:
        """Return what a script of the browser itself returns."""
        self.command("Marionette:SetContext", value="chrome")
        try:
            return self.evaluate(script)
        finally:
            self.command("Marionette:SetContext", value="content")

    def prefer(self, name: str, value: int) -> None:
        self.browser(f"Services.prefs.setIntPref({json.dumps(name)}, {value});")

    def complaints(self) -> list[str]:
        """Return what the console has of errors and warnings of pages, and empty it."""
        script = """
          const found = Services.console.getMessageArray()
            .filter((m) => m instanceof Ci.nsIScriptError)
            .filter((m) => /^(file|http|data|blob)/.test(m.sourceName))
            .map((m) => m.message.slice(0, 300))
            .filter((m) => !m.includes("Script terminated by timeout")); // by leaving the page
          Services.console.reset();
          return found;"""
        found: list[str] = self.browser(script)
        return found

    def _read(self) -> Any:
        length = b""
        while (byte := self.stream.read(1)) != b":":
            length += byte
        return json.loads(self.stream.read(int(length)))


def _connected(port: int) -> socket.socket:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


@contextmanager
def firefox(folder: Path) -> Iterator[Marionette]:
    """Yield a headless, offline Firefox; its profile and what it saves lie in an empty folder."""
    profile, saved = folder / "profile", folder / "saved"
    for path in (profile, saved):
        path.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wanted = {**PREFERENCES, "marionette.port": port, "browser.download.dir": str(saved)}
    (profile / "user.js").write_text(
        "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in wanted.items())
    )
    command = [
        str(FIREFOX), "--headless", "--no-remote", "--profile", str(profile), "--marionette",
        "--remote-allow-system-access",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            yield Marionette(port, saved)
        finally:
            running.terminate()
            running.wait()
