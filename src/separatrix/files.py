"""Files out: written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from separatrix.data import InputError


def refuse_unwritable(
    path: str | os.PathLike[str], inputs: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Raise `InputError` before any work is done when `path` cannot be written, or must not be.

    A file that is being read, a read-only file and anything that is no regular file are never
    replaced, whoever asks.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise InputError(f"the folder {str(target.parent)!r} does not exist; make it first.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"the folder {str(target.parent)!r} is not writable.")
    if not target.exists():
        return
    for source in inputs:
        if Path(source).exists() and target.samefile(source):
            raise InputError(f"{str(path)!r} is being read; give the output another name.")
    if not target.is_file():
        raise InputError(f"{str(path)!r} is no regular file; give the output another name.")
    if not target.stat().st_mode & 0o222:  # os.access says yes to an administrator
        raise InputError(f"{str(path)!r} is read-only; give the output another name.")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write text or bytes to `path` through a temporary file, fsync and rename: never half a file.

    Text is written as UTF-8.

    Raises
    ------
    InputError
        When the file cannot be written; what stood there before still does.
    """
    refuse_unwritable(path)
    target = Path(path).resolve()  # through a link, to the file itself
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())
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
