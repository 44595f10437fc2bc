"""How much of the machine this process may use: its cores and its memory, limits of a group too."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")


def cores(root: Path = ROOT) -> int:
    """Return the number of cores, at least 1: of its affinity, and of a group's share of time."""
    count = os.cpu_count() or 1
    with contextlib.suppress(AttributeError):  # not everywhere
        count = len(os.sched_getaffinity(0))
    for group in _groups(root):
        with contextlib.suppress(OSError, ValueError):
            share, period = (group / "cpu.max").read_text().split()
            if share != "max":
                count = min(count, math.ceil(int(share) / int(period)))
    return max(1, count)


def available_memory(root: Path = ROOT) -> int | None:
    """Return the bytes that can be had without swapping, or None where the system does not say."""
    rooms = []
    with contextlib.suppress(OSError, ValueError):
        lines = (root / "proc/meminfo").read_text().splitlines()
        rooms += [1024 * int(a.split()[1]) for a in lines if a.startswith("MemAvailable:")]
    if not rooms:
        with contextlib.suppress(ValueError, OSError, AttributeError):
            rooms.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES"))
    for group in _groups(root):
        with contextlib.suppress(OSError, ValueError):  # "max" is no number: no limit
            most = int((group / "memory.max").read_text())
            rooms.append(max(0, most - int((group / "memory.current").read_text())))
    return min(rooms, default=None)


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of this process's control group (Linux, version 2) and of those around."""
    with contextlib.suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::/"):
                within = Path(line.removeprefix("0::/"))
                for part in (within, *within.parents):
                    yield root / "sys/fs/cgroup" / part
