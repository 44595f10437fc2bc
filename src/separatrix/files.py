"""Files out: written whole or not at all, several of them together.

Contents are written into staging folders beside the files and synchronised. Only then do the files
take their names, one after the other, by a rename; the staging folder holds the former file, too,
so that a failure or an interrupt in between puts it back.

A SIGKILL cannot be answered. Between two names it leaves files of which the first are new and the
rest old, in the caller's order, each of them whole. A staging folder that it leaves is no longer
locked, and the next write into the same folder removes it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from separatrix.data import InputError, shortened

STAGING = ".separatrix-"  # how the names of staging folders begin
STAGED = ("new", "old")  # what can be in one


def refuse_unwritable(
    path: str | os.PathLike[str], inputs: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Raise `InputError` before any work is done when `path` cannot be written, or must not be."""
    shown = shortened(repr(str(path)))
    try:
        target = Path(path)
        if target.is_dir():
            raise InputError(f"{shown} is a folder; name a file in it.")
        if not target.parent.is_dir():
            raise InputError(f"the folder {str(target.parent)!r} does not exist; make it first.")
        if not os.access(target.parent, os.W_OK):
            raise InputError(f"the folder {str(target.parent)!r} is not writable.")
        if not target.exists():
            return
        for source in inputs:
            if Path(source).exists() and target.samefile(source):
                raise InputError(f"{shown} is being read; give the output another name.")
        if not target.is_file():
            raise InputError(f"{shown} is no regular file; give the output another name.")
        if not target.stat().st_mode & 0o222:  # os.access says yes to an administrator
            raise InputError(f"{shown} is read-only; give the output another name.")
    except OSError as error:  # a name too long, a folder that may not be looked into
        raise InputError(f"cannot write {shown}: {error.strerror}.") from None


def free_name(path: str) -> str:
    """Return `path` or, where something has that name, "p-2.json" for "p.json", or "p-3.json"."""
    start, ending = os.path.splitext(path)
    others = (f"{start}-{k}{ending}" for k in itertools.count(2))
    return next(name for name in itertools.chain([path], others) if not os.path.lexists(name))


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write text or bytes to `path`, whole or not at all; see `write_together`."""
    write_together({os.fspath(path): content})


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield where a file is written to in parts; it takes its name `path` at the end."""
    refuse_unwritable(path)
    with _refused(path), _staged(path) as output:
        yield output.new
        output.finish()
        output.new.replace(output.target)


def write_together(contents: Mapping[str, str | bytes]) -> None:
    """Write several files, all or none; they take their names in the order given."""
    for path in contents:
        refuse_unwritable(path)
    if len({Path(path).resolve() for path in contents}) < len(contents):
        raise InputError(f"two outputs name one file: {', '.join(map(repr, contents))}.")
    with ExitStack() as opened:
        outputs = []
        for path, content in contents.items():
            with _refused(path):
                outputs.append(output := opened.enter_context(_staged(path)))
                output.new.write_bytes(content if isinstance(content, bytes) else content.encode())
                output.finish()
        try:
            for path, output in zip(contents, outputs, strict=True):
                with _refused(path):
                    output.new.replace(output.target)
        except BaseException:
            for output in reversed(outputs):
                with contextlib.suppress(OSError):
                    output.put_back()
            raise


@contextmanager
def _refused(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        shown = shortened(repr(os.fspath(path)))
        raise InputError(f"cannot write {shown}: {error.strerror}.") from None


class _Output(NamedTuple):
    """One file on its way to its name."""

    target: Path  # links followed
    new: Path  # what is to have its name
    old: Path  # the former file, once it is finished

    def finish(self) -> None:
        with self.new.open("rb") as file:
            os.fsync(file.fileno())
        if self.target.exists():
            self.new.chmod(self.target.stat().st_mode & 0o777)
            try:
                os.link(self.target, self.old)
            except OSError:  # no hard links there, or none to a file of somebody else's
                shutil.copy2(self.target, self.old)

    def put_back(self) -> None:
        """Give its name back to the former file, if there was one."""
        if self.old.exists():
            self.old.replace(self.target)
        elif not self.new.exists():
            self.target.unlink()


@contextmanager
def _staged(path: str | os.PathLike[str]) -> Iterator[_Output]:
    target = Path(path).resolve()
    remove_left(target.parent, STAGING, STAGED)
    with new_folder(target.parent, STAGING) as staging:
        yield _Output(target, *(staging / name for name in STAGED))


def remove_left(folder: Path, prefix: str, names: Sequence[str]) -> None:
    """Remove the folders, of files of these names, that processes left when they were killed."""
    for left in folder.glob(f"{prefix}*"):
        with contextlib.suppress(OSError), _locked(left, wait=False):
            for name in names:  # a folder with anything else in it is not ours, and stays
                (left / name).unlink(missing_ok=True)
            left.rmdir()


@contextmanager
def new_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder in `parent`, locked while in use, then removed: not by a forked child."""
    owner = os.getpid()
    while True:  # another process may take it for one that is left, before it is locked
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            with _locked(made, wait=True):
                if made.is_dir():
                    yield made
                    return
        except FileNotFoundError:
            if made.is_dir():
                raise
        finally:
            if os.getpid() == owner:
                shutil.rmtree(made, ignore_errors=True)


@contextmanager
def _locked(folder: Path, *, wait: bool) -> Iterator[None]:
    """Hold the lock of a folder; `OSError` where another process has it and `wait` is False."""
    if sys.platform == "win32":
        if not wait:
            raise OSError("no locks of folders")
        yield
        return
    import fcntl

    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if wait:
            with contextlib.suppress(OSError):
                fcntl.flock(at, fcntl.LOCK_EX)
        else:
            fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(at)
