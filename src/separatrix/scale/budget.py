"""How much memory a table in blocks may take, and how many rows a block has."""

from __future__ import annotations

import contextlib
import ctypes
import math
import re
from collections.abc import Callable
from pathlib import Path

from separatrix.data import InputError
from separatrix.kernels._machine import available_memory
from separatrix.tiles import TILE

SHARE = 4  # the default is what is available over this
LEAST = 512 * 10**6  # bytes of a process that does work
STARTED = 400 * 10**6  # of them before any row: modules, kernels, what Arrow decodes at once
BLOCKS = 12  # blocks that fit beside that: those read ahead, and what kernels make of one
LARGEST_BLOCK = 64 << 20  # bytes: larger ones are no faster
COMPILER = "libllvmlite"  # 50 MB of it are in memory once kernels were loaded
DONT_NEED = 4  # MADV_DONTNEED: pages of a file that were not written are dropped
M_ARENA_MAX, ARENAS = -8, 2  # glibc's threads each keep what they freed, but for this limit
UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


def memory_in_bytes(asked: int | str, processes: int = 1) -> int:
    """Return a size such as "512MB" or 10**9 in bytes for each of some processes."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", str(asked))
    unit = found[2].lower() if found else None
    if found is None or unit not in UNITS:
        raise InputError(f"--memory is {asked!r}; give a size such as 512MB, 1.5GB or 2GiB.")
    size = int(float(found[1]) * UNITS[unit]) // processes
    if size < LEAST:
        several = f" for {processes} processes" if processes > 1 else ""
        raise InputError(
            f"--memory is {asked!r}; {LEAST * processes // 10**6}MB is the least that "
            f"works{several}."
        )
    return size


def memory_of(asked: int | str | None = None) -> int:
    """Return the bytes that a process may take: as asked, else a quarter of what is available."""
    if asked is not None:
        return memory_in_bytes(asked)
    available = available_memory() or 0
    return max(LEAST, available // SHARE)


def memory_budget(asked: int | str | None = None) -> int:
    """Return the bytes that rows may take of what a process may."""
    return memory_of(asked) - STARTED


# What learning from a wide table takes at most, as measured, in its kinds: bytes without columns;
# blocks of one tile; and matrices of all pairs of columns, those of whole numbers included.
MAPPED, DECODED, SPARSE = (300 * 10**6, 6, 45), (285 * 10**6, 20, 45), (450 * 10**6, 14, 7)
DRAWN, DRAWN_ROWS = 1 << 22, 16  # numbers in a subsample; rows for each column, if more
READERS = 2  # that decode a file at the same time
CHUNKS, OF_COLUMN = 300 * 10**6, 16 * 10**3  # what it takes to read chunks, and of each column
TEXT_SHARE = 24  # of the budget that text read at once may take: its cells take more
NONZERO, ROW = 12, 20  # bytes in CSR of a number, and of a row with its label and weight
LEAST_TEXT, MOST_TEXT = 1 << 20, 32 << 20  # bytes
WIDEST = 5000  # sparse columns, beyond which nothing was measured


def row_bytes_of(n: int, d: int, nnz: int | None, itemsize: int = 8) -> float:
    """Return what a row takes in memory, with its label and weight; nnz is None of dense rows."""
    return d * itemsize + 16 if nnz is None else ROW + NONZERO * nnz / max(n, 1)


def least_memory(
    n: int, d: int, nnz: int | None, itemsize: int = 8, *, maps: bool = False, decoding: int = 0
) -> float:
    """Return the bytes that a process takes to learn from a table, infer of it or prove."""
    tile = TILE * row_bytes_of(n, d, nnz, itemsize)
    if nnz is None:
        before, blocks, matrices = MAPPED if maps else DECODED
        drawn = 8.0 * min(n * d, max(DRAWN, DRAWN_ROWS * d * d))
    else:
        (before, blocks, matrices), drawn, d = SPARSE, 0.0, min(d, WIDEST)
    return before + blocks * tile + drawn + 8 * matrices * d * d + READERS * decoding


def refuse_too_little(asked: int | str | None, least: float, named: str) -> None:
    """Raise `InputError` where a table of this name takes more than was asked for, if it was."""
    least = max(LEAST, math.ceil(least / 10**6) * 10**6)
    if asked is not None and memory_of(asked) < least:
        raise InputError(
            f"--memory is {memory_of(asked) // 10**6}MB; {least // 10**6}MB is the least that "
            f"works for {named}. Give as much, or drop columns."
        )


def text_at_once(asked: int | str | None) -> int:
    """Return the bytes of text that are read at once."""
    return min(MOST_TEXT, max(LEAST_TEXT, memory_budget(asked) // TEXT_SHARE))


def share_arenas() -> None:
    """Let threads that begin from now on share what others freed."""
    _in_c_library(lambda library: library.mallopt(M_ARENA_MAX, ARENAS))


def trim() -> None:
    """Give back what was freed, and the code of Numba's compiler: it is read again if needed."""
    _in_c_library(lambda library: library.malloc_trim(0))
    with contextlib.suppress(OSError):  # no such file but on Linux
        for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
            if COMPILER in line and " r-xp " in line:
                start, end = (int(place, 16) for place in line.split()[0].split("-"))
                place, size = ctypes.c_void_p(start), ctypes.c_size_t(end - start)
                _in_c_library(lambda library, *of: library.madvise(*of, DONT_NEED), place, size)


def _in_c_library(call: Callable[..., object], *given: object) -> None:
    with contextlib.suppress(AttributeError, OSError):  # another library has no such function
        call(ctypes.CDLL(None), *given)


def rows_per_block(row_bytes: float, budget: int) -> int:
    size = min(LARGEST_BLOCK, budget // BLOCKS)
    return max(1, int(size // (row_bytes * TILE))) * TILE
