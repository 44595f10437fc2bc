"""Files out: written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from separatrix.data import InputError, shortened


def refuse_unwritable(
    path: str | os.PathLike[str], inputs: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Raise `InputError` before any work is done when `path` cannot be written, or must not be.

    A file that is being read, a read-only file and anything that is no regular file are never
    replaced, whoever asks.
    """
    target = Path(path)
    try:
        _refuse_unwritable(target, inputs)
    except OSError as error:  # a name too long, a folder that may not be looked into
        raise InputError(f"cannot write {shortened(repr(str(path)))}: {error.strerror}.") from None


def _refuse_unwritable(target: Path, inputs: Sequence[str | os.PathLike[str]]) -> None:
    path = shortened(repr(str(target)))
    if target.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise InputError(f"the folder {str(target.parent)!r} does not exist; make it first.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"the folder {str(target.parent)!r} is not writable.")
    if not target.exists():
        return
    for source in inputs:
        if Path(source).exists() and target.samefile(source):
            raise InputError(f"{path} is being read; give the output another name.")
    if not target.is_file():
        raise InputError(f"{path} is no regular file; give the output another name.")
    if not target.stat().st_mode & 0o222:  # os.access says yes to an administrator
        raise InputError(f"{path} is read-only; give the output another name.")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write text or bytes to `path` through a temporary file, fsync and rename: never half a file.

    Text is written as UTF-8.

    Raises
    ------
    InputError
        When the file cannot be written; what stood there before still does.
    """
    write_together({os.fspath(path): content})


def write_together(contents: Mapping[str, str | bytes]) -> None:
    """Write several files likewise: none takes its name before all of them lie on the disk.

    Raises
    ------
    InputError
        When one cannot be written.
    """
    for path in contents:
        refuse_unwritable(path)
    ready: list[tuple[Path, Path]] = []  # files under their temporary names, and what they become
    try:
        for path, content in contents.items():
            _make_ready(Path(path).resolve(), content, ready)  # through a link, to the file itself
        for path, (made, target) in zip(contents, ready, strict=True):  # noqa: B007  # told below
            made.replace(target)
    except OSError as error:
        shown = shortened(repr(str(path)))
        raise InputError(f"cannot write {shown}: {error.strerror}.") from None
    finally:
        for made, _ in ready:
            made.unlink(missing_ok=True)


def _make_ready(target: Path, content: str | bytes, ready: list[tuple[Path, Path]]) -> None:
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    made = Path(name)
    ready.append((made, target))
    with os.fdopen(handle, "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())
        stream.flush()
        os.fsync(stream.fileno())
    made.chmod(mode)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
