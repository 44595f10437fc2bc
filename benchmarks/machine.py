"""On what, with what and when it was measured."""

from __future__ import annotations

import math
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# what decides how many threads BLAS, OpenMP and Numba start with, read when they are loaded
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "llvmlite", "python-flint")
PEERS = (  # the extra `bench`
    "liblinear-official",
    "statsmodels",
    "firthmodels",
    "glum",
    "skglm",
    "scikit-learn-intelex",
    "vowpalwabbit",
    "river",
    "mlxtend",
)
ABSENT = "absent"


def set_threads(threads: int) -> None:
    """Set the environment of this process and its children: before anything else is imported."""
    for name in THREAD_VARIABLES:
        os.environ[name] = str(threads)


def describe(threads: int) -> dict[str, Any]:
    """Return machine, versions, threads and date; call it when everything is loaded."""
    from numba import config
    from threadpoolctl import threadpool_info

    from separatrix import __version__

    pools = [f"{p['internal_api']} {p['num_threads']}" for p in threadpool_info()]
    pools.append(f"numba {config.NUMBA_NUM_THREADS}")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "load_average": load_average(),
        "system": platform.platform(),
        "python": sys.version.split()[0],
        "versions": {"separatrix": __version__} | {n: _version(n) for n in (*PACKAGES, *PEERS)},
        "threads": threads,
        "thread_pools": pools,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ABSENT


def load_average() -> float:
    """Return how many processes wanted to run in the last minute; nan where nobody counts them."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan


def _cpu_name() -> str:
    """Return the processor's name; Linux alone says more than its family."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
