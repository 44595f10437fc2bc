"""How much memory a table in blocks may take, and how many rows a block has."""

from __future__ import annotations

import re

from separatrix.data import InputError
from separatrix.kernels._machine import available_memory
from separatrix.tiles import TILE

SHARE = 4  # the default budget is what is available over this
LEAST = 64 << 20  # bytes: less is no budget to work with
BLOCKS = 12  # blocks that fit into a budget: those read ahead, and what kernels make of one
LARGEST_BLOCK = 64 << 20  # bytes: larger ones are no faster
UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


def memory_in_bytes(asked: int | str) -> int:
    """Return a size such as "512MB", "1 GiB" or 10**9 in bytes.

    Raises
    ------
    InputError
        For anything else, and for less than 64 MiB.
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", str(asked))
    unit = found[2].lower() if found else None
    if found is None or unit not in UNITS:
        raise InputError(f"--memory is {asked!r}; give a size such as 512MB, 1.5GB or 2GiB.")
    size = int(float(found[1]) * UNITS[unit])
    if size < LEAST:
        raise InputError(f"--memory is {asked!r}; 64MiB is the least to work with.")
    return size


def memory_budget(asked: int | str | None = None) -> int:
    """Return the budget in bytes: what was asked for, else a quarter of what is available."""
    if asked is not None:
        return memory_in_bytes(asked)
    available = available_memory()
    return max(LEAST, (available or 4 * LEAST) // SHARE)


def rows_per_block(d: int, itemsize: int, budget: int) -> int:
    """Return how many rows a block has, in whole tiles, for d columns of `itemsize` bytes each."""
    size = min(LARGEST_BLOCK, budget // BLOCKS)
    return max(1, size // ((d * itemsize + 16) * TILE)) * TILE
