"""Which files are one table, and the names that messages give them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from separatrix.data import InputError

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
