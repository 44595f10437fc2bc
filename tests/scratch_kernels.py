"""A package of three tiny kernels that is compiled and cached by our own `_jit.py`, in seconds.

It is called `separatrix` and comes first on the path, so that `_jit.py` runs as it is.
"""

import os
import shutil
from pathlib import Path

from tests.processes import python

KERNELS = Path(__file__).parents[1] / "src" / "separatrix" / "kernels"
CALLEE = """
from separatrix.kernels._jit import compiled

@compiled
def one(x):
    return x + 1
"""
CALLER = """
from separatrix.kernels._jit import compiled
from separatrix.kernels.callee import one

@compiled
def two(x):
    return one(x) + 1

@compiled
def three(x):
    return two(x) + 1
"""
ENTRY_POINTS = """
from numba import float64, int64
from separatrix.kernels._jit import EntryPoint
from separatrix.kernels.callee import one
from separatrix.kernels.caller import two, three

def entry_points():
    return points(three), points(two, one)

def points(*kernels):
    return tuple(EntryPoint(k, (kind,)) for k in kernels for kind in (int64, float64))
"""
# kernels, each for whole numbers and for doubles: what they answer, then what was logged
PROGRAM = """
import logging, sys
class Said(logging.Handler):
    def emit(self, record):
        print(record.levelname, record.getMessage())
logging.getLogger("separatrix").addHandler(Said())
logging.getLogger("separatrix").setLevel(logging.INFO)
from separatrix.kernels.callee import one
from separatrix.kernels.caller import two, three
print(three(0), three(0.5), two(0), one(0))
"""
ANSWERS = "3 3.5 2 1"


def make_package(folder: Path, callee: str = CALLEE) -> Path:
    kernels = folder / "separatrix" / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    (folder / "separatrix" / "__init__.py").write_text("")
    for path in [*KERNELS.glob("_*.py"), KERNELS / "warm_up.py"]:
        shutil.copy(path, kernels)
    (kernels / "entry_points.py").write_text(ENTRY_POINTS)
    (kernels / "caller.py").write_text(CALLER)
    (kernels / "callee.py").write_text(callee)
    return kernels


def environment(folder: Path, cache: Path | None) -> dict[str, str]:
    """Return the environment of a process that imports the package and caches in `cache`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    asked = {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
    asked["PYTHONDONTWRITEBYTECODE"] = "1"  # where files are kept short, kernels come first
    return {**kept, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "home"), **asked}


def run(folder: Path, cache: Path | None = None, before: str = "") -> list[str]:
    """Return the lines that the program prints in a process of its own, which must end well."""
    done = python("-c", before + PROGRAM, env=environment(folder, cache))
    assert done.stderr == ""
    return done.stdout.splitlines()
