"""Debian's Firefox, driven by its own Marionette protocol: JSON over a socket of this machine."""

from __future__ import annotations

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


class Marionette:
    """Commands to one running Firefox."""

    def __init__(self, port: int) -> None:
        self.stream = _connected(port).makefile("rwb")
        self.sent = 0
        self._read()  # its greeting
        self.command("WebDriver:NewSession")

    def command(self, name: str, **parameters: Any) -> Any:
        """Send a command and return its answer."""
        self.sent += 1
        message = json.dumps([0, self.sent, name, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, number, error, answer = self._read()
        assert (number, error) == (self.sent, None)
        return answer

    def evaluate(self, script: str) -> Any:
        """Return what a script of the page returns."""
        return self.command("WebDriver:ExecuteScript", script=script, args=[])["value"]

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
def firefox(profile: Path) -> Iterator[Marionette]:
    """Yield a headless Firefox with a profile of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (profile / "user.js").write_text(
        f'user_pref("marionette.port", {port});\nuser_pref("network.proxy.type", 1);\n'
        'user_pref("network.proxy.http", "127.0.0.1");\nuser_pref("network.proxy.http_port", 9);\n'
        'user_pref("intl.accept_languages", "en-US");\n'
    )
    command = [str(FIREFOX), "--headless", "--no-remote", "--profile", str(profile), "--marionette"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            yield Marionette(port)
        finally:
            running.terminate()
            running.wait()
