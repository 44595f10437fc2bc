"""Files out: written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from separatrix.data import InputError


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` before any work is done when `path` cannot be written."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise InputError(f"the folder {str(target.parent)!r} does not exist; make it first.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"the folder {str(target.parent)!r} is not writable.")


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write text to `path` through a temporary file, fsync and rename: never half a file.

    Raises
    ------
    InputError
        When the file cannot be written; what stood there before still does.
    """
    target = Path(path)
    refuse_unwritable(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # mkstemp's 0600 is for secrets; this is not one
        Path(name).replace(target)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}.") from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
