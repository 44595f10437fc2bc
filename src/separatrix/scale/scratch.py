"""Folders for what is made of tables on disk: locked while in use, removed afterwards.

A folder that a killed process left is not locked, and the next one beside it removes it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

from separatrix.data import InputError

PREFIX = "separatrix-scratch-"
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
        _remove_left(self.parent)
        while True:  # another process may take it for one that is left, before it is locked
            try:
                self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.parent))
            except OSError as error:
                raise InputError(
                    f"cannot make scratch files in {str(self.parent)!r}: {error.strerror}. Name "
                    "another folder with --scratch."
                ) from None
            try:
                lock = _lock(self.path)
            except FileNotFoundError:
                continue
            if self.path.is_dir():
                break
        self._finalizer = weakref.finalize(self, _remove, str(self.path), lock, os.getpid())

    def file(self, name: str) -> str:
        """Return the path of a file in it."""
        return str(self.path / name)

    def require(self, needed: int, what: str) -> None:
        """Raise `InputError` where there is no place for more bytes."""
        free = shutil.disk_usage(self.path).free
        if needed + SPARE > free:
            raise InputError(
                f"{what} needs {_size(needed)} of scratch files, and {str(self.parent)!r} has "
                f"{_size(free)} free. Name a folder with more room with --scratch, or write the "
                "table as Parquet files of numbers, which are read as they are."
            )

    def full(self, error: OSError) -> InputError:
        """Return what is said when a scratch file could not be written."""
        return InputError(
            f"cannot write scratch files in {str(self.parent)!r}: {error.strerror}. Name a folder "
            "with more room with --scratch."
        )

    def close(self) -> None:
        """Remove it."""
        self._finalizer()


def _size(n_bytes: float) -> str:
    """Return a number of bytes for people."""
    for unit in ("bytes", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.1f} GB"


def _lock(folder: Path) -> int | None:
    """Hold the lock of a folder; None where there are no locks."""
    if sys.platform == "win32":
        return None
    import fcntl

    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another process has it, or the file system has no locks
        os.close(held)
        return None
    return held


def _remove(path: str, lock: int | None, owner: int) -> None:
    if os.getpid() != owner:  # a fork has the object, and the folder is not its own
        return
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _remove_left(parent: Path) -> None:
    """Remove the folders that killed processes left."""
    if sys.platform == "win32":
        return
    for left in parent.glob(f"{PREFIX}*"):
        try:
            lock = _lock(left)
        except OSError:  # it has gone, or is not ours
            continue
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
