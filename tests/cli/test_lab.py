"""`separatrix lab`."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request

from separatrix.lab import single_file


def test_it_writes_one_file(run, tmp_path):
    path = tmp_path / "lab.html"
    code, out, err = run("lab", "-o", path)
    assert (code, out) == (0, "")
    assert "needs no network" in err
    assert path.read_text("utf-8") == single_file()


def test_it_is_served_until_ctrl_c():
    command = [sys.executable, "-m", "separatrix", "lab", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.readline()
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", said)
        with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310  # our own server
            assert b"separatrix lab" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) in (0, 130)


def test_a_port_that_is_taken_is_named(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("lab", "--no-browser", "--port", port)
    assert code == 2
    assert f"port {port}" in err
