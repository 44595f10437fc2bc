"""Which files are one table, their names in messages, and folders for what is made of them.

A folder is locked while in use and removed afterwards; one that a killed process left is not
locked, and the next one beside it removes it.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from separatrix.data import InputError
from separatrix.files import new_folder, remove_left

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def paths_of(path: Paths) -> list[str]:
    """Return the files that are meant, those of a pattern in the order of their names."""
    given = [path] if isinstance(path, str | os.PathLike) else list(path)
    found: list[str] = []
    for one in [os.fspath(one) for one in given]:
        if not os.path.exists(one) and glob.has_magic(one):
            some = sorted(name for name in glob.glob(one) if os.path.isfile(name))
            if not some:
                raise InputError(
                    f"no file is called {one!r}, and none fits it as a pattern. Files are found "
                    "from the folder that the command runs in."
                )
            found.extend(some)
        else:
            found.append(one)
    if not found:
        raise InputError("the list of files is empty.")
    return found


def file_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the names of files; their paths where two have one name."""
    names = tuple(Path(path).name for path in paths)
    return names if len(set(names)) == len(names) else tuple(paths)


def named(paths: Sequence[str]) -> str:
    first = Path(paths[0]).name
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"


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
