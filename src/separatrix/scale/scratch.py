"""Folders for what is made of tables on disk: locked while in use, removed afterwards.

A folder that a killed process left is not locked, and the next one beside it removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import ExitStack
from pathlib import Path

from separatrix.data import InputError
from separatrix.files import new_folder, remove_left

PREFIX = "separatrix-scratch-"
ARRAYS = "X", "columns", "starts", "y", "lines", "weight", "lacking"
NAMES = "kept.f8", *(f"{name}.npy" for name in ARRAYS)  # what may be in one
SPARE = 64 << 20  # bytes that are left free for others


class Scratch:
    """A folder of our own, removed when it is closed, when nothing uses it, or at the end."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self.parent = Path(parent or tempfile.gettempdir())
        if not self.parent.is_dir():
            raise InputError(
                f"the folder for scratch files, {str(self.parent)!r}, does not exist. Make it, or "
                "name another one with --scratch."
            )
        remove_left(self.parent, PREFIX, NAMES)
        opened = ExitStack()
        try:
            self.path = opened.enter_context(new_folder(self.parent, PREFIX))
        except OSError as error:
            raise InputError(
                f"cannot make scratch files in {str(self.parent)!r}: {error.strerror}. Name "
                "another folder with --scratch."
            ) from None
        self._finalizer = weakref.finalize(self, opened.close)

    def file(self, name: str) -> str:
        return str(self.path / name)

    def require(self, needed: int, what: str) -> None:
        free = shutil.disk_usage(self.path).free
        if needed + SPARE > free:
            raise InputError(
                f"{what} needs {_size(needed)} of scratch files, and {str(self.parent)!r} has "
                f"{_size(free)} free. Name a folder with more room with --scratch, or write the "
                "table as Parquet files of numbers, which are read as they are."
            )

    def full(self, error: OSError) -> InputError:
        return InputError(
            f"cannot write scratch files in {str(self.parent)!r}: {error.strerror}. Name a folder "
            "with more room with --scratch."
        )

    def close(self) -> None:
        self._finalizer()


def _size(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.1f} GB"
