"""The cache of kernels under several first runs at once, and under kills while it is written."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.cache_writers import COMPILED, RIGHT
from tests.hostile.profile import LONG, cases
from tests.scratch_kernels import environment, make_package


def outcome(folder: Path, pairs: int, kills: int) -> dict[str, object]:
    make_package(folder)
    writers = Path(__file__).with_name("cache_writers.py")
    done = subprocess.run(
        [sys.executable, str(writers), str(folder / "caches"), str(pairs), str(kills)],
        env=environment(folder, None),
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_two_first_runs_at_once_fill_one_cache(tmp_path):
    pairs = cases(2, 100)
    found = outcome(tmp_path, pairs, 0)
    assert set(found["codes"]) <= {RIGHT, COMPILED}
    assert found["loads"] == [RIGHT] * pairs


def test_a_first_run_killed_in_the_middle_leaves_a_cache_that_works(tmp_path):
    kills = cases(4, 300)
    found = outcome(tmp_path, 0, kills)
    assert set(found["codes"]) <= {RIGHT, COMPILED}
    assert found["loads"] == [RIGHT] * kills
    assert len(found["halves"]) == kills // 2  # the others were killed at any moment
    for most_bytes, code, left in found["halves"]:
        assert (code, left) == (-signal.SIGXFSZ, [most_bytes])


SEARCH = """
import numpy as np
from separatrix import minimum_errors
random = np.random.default_rng(0)
X, y = random.normal(size=(28, 4)).round(1), random.integers(0, 2, 28)
print(minimum_errors(X, y, time_limit=5.0).proven)
"""


@pytest.mark.skipif(not LONG, reason="compiles for half a minute: long profile")
def test_a_search_of_five_seconds_begins_when_its_kernels_are_compiled(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True\n"
