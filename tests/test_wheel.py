"""A wheel with machine code: nothing is compiled, and every answer is that of the source.

`.ci/wheels` makes the wheel; without one in dist/ for this Python these tests are skipped.
"""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from separatrix.kernels._cache import levels
from tests.processes import python

ROOT = Path(__file__).parents[1]
ABI = sysconfig.get_config_var("SOABI").split("-")[1]
WHEELS = sorted((ROOT / "dist").glob(f"separatrix-*-cp*-cp{ABI}-manylinux*.whl"))
pytestmark = pytest.mark.skipif(not WHEELS, reason=f"no wheel for cp{ABI} in dist/")

PROGRAM = """
import json
import numpy as np
from separatrix import Perceptron, coefficient_table, judge
from separatrix.report.as_json import as_data

for seed in range(12):
    r = np.random.default_rng(seed)
    n, d = (80, 2) if seed % 3 == 0 else (300, 5) if seed % 3 == 1 else (1500, 9)
    s = r.normal(size=(n, d))
    X = [s * 10.0 ** r.integers(-3, 4, d), s.round(2), np.round(3 * s)][seed % 3]
    noise = 0.4 if n < 1500 and seed % 2 else 0.0  # so that all fewest mistakes are found
    y = s @ r.normal(size=d) + noise * r.logistic(size=n) > 0
    data = as_data(verdict := judge(X, y))
    exact = Perceptron(max_updates=2000).fit(X, y).coef_.tolist()
    text = [str(verdict), str(coefficient_table(X, y))]
    print(json.dumps({"exact": exact, "text": text, "floats": data}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = ["-m", "pip", "install", "-q", "--no-deps", "--target", folder / "site", WHEELS[-1]]
    python(*command)
    return folder


def answers(path: Path, cache: Path, **target: str) -> list[dict]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("NUMBA_")}
    settings = {**kept, "PYTHONPATH": str(path), "XDG_CACHE_HOME": str(cache), **target}
    return [json.loads(line) for line in python("-c", PROGRAM, env=settings).stdout.splitlines()]


def without_seconds(data):
    if isinstance(data, dict):
        return {key: without_seconds(data[key]) for key in data if key != "seconds"}
    return [without_seconds(each) for each in data] if isinstance(data, list) else data


def test_every_answer_is_that_of_the_source(installed, tmp_path):
    native = answers(ROOT / "src", tmp_path / "source")
    assert len(native) == 12
    for level in (None, *levels()[1:]):  # without one asked for, the best is taken
        target = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""} if level else {}
        found = answers(installed / "site", tmp_path / f"none_{level}", **target)
        assert not list(tmp_path.glob("none_*/**/*.nbc"))
        assert without_seconds(found) == without_seconds(native)


def test_the_first_command_compiles_nothing(installed):
    settings = {"PYTHONPATH": str(installed / "site"), "XDG_CACHE_HOME": str(installed / "cache")}
    command = [sys.executable, "-m", "separatrix", "demo"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=settings)
    assert "compiling" not in done.stderr
    assert not list(installed.rglob("cache/**/*.nbc"))


def test_the_wheel_has_the_code_of_most_kernels_once(installed):
    code = list((installed / "site/separatrix/kernels/machine_code").glob("*.nbc"))
    kernels = {path.name.split("-")[0] for path in code}
    assert len(kernels) > 150
    assert len(kernels) < len(code) < 2 * len(kernels)  # each once for all levels, but for a few
