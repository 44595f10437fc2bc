"""`separatrix animate`: films of tables from the command line."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from separatrix import animate, make_separable
from tests.report.animation.films import decoded, needs_ffmpeg
from tests.shared_data import DATA, needs_shared


def test_the_command_films_the_demonstration(run, tmp_path):
    code, out, err = run("animate", "--demo", "-o", tmp_path / "d.gif", "--frames", "20")
    assert (code, out) == (0, "")
    assert "a whole pass met no mistake" in err
    assert len(decoded(tmp_path / "d.gif")[0]) <= 20


def test_the_command_films_columns_of_a_table(run, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        'sex,"pay, net",age,ok\n' + "".join(
            f"{'fm'[k % 2]},{10 * k},{20 + k % 5},{'ny'[k % 2]}\n" for k in range(12)
        )
    )  # fmt: skip
    code, _, err = run(
        "animate", table, "--label", "ok", "--yes", "n", "--columns", 'sex,"pay, net"', "-o",
        tmp_path / "f.gif", "--frames", "5",
    )  # fmt: skip
    assert code == 0, err
    assert len(decoded(tmp_path / "f.gif")[0]) <= 5


@needs_shared
def test_the_command_films_a_real_table(run, tmp_path):
    asked = (DATA / "wdbc.csv", "--label", "label", "-o", tmp_path / "f.gif", "--frames", "10")
    code, _, err = run("animate", *asked)
    assert code == 0
    assert "of the updates are shown" in err
    assert (tmp_path / "f.gif").stat().st_size < 100_000


def test_an_interrupt_that_a_callback_swallows_is_not_lost(tmp_path):
    def tell(sentence):
        if "frame 2 " in sentence:
            with contextlib.suppress(KeyboardInterrupt):  # as a callback from compiled code does
                os.kill(os.getpid(), signal.SIGINT)

    made = make_separable(30, 2, margin=0.05, seed=1)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        animate(made.X, made.y, tmp_path / "f.gif", frames=4, progress=tell)
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGINT) is before


@needs_ffmpeg
def test_an_interrupt_leaves_nothing(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    script = (
        "import sys, numpy as np, separatrix as sx\n"
        "made = sx.make_separable(60, 2, margin=0.02, seed=21)\n"
        "def tell(sentence):\n"
        "    if 'frame 5 ' in sentence: print('five', flush=True)\n"
        f"path = {str(tmp_path / 'out' / 'f.mp4')!r}\n"
        "sx.animate(made.X, made.y, path, frames=2000, progress=tell)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    assert process.stdout.readline().strip() == "five"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in told
    assert list((tmp_path / "out").iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []
