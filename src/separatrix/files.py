"""Files out: written whole or not at all, several of them together.

Contents are written to anonymous files, which vanish with the process, and synchronised. Only then
do they take their names, one after the other. A new name is linked to its file. A name that exists
is replaced by a rename from a staging folder, which holds the former files, too, so that a failure
or an interrupt in between puts them back. Where the file system has no anonymous files, contents
are written in the staging folder.

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
from dataclasses import dataclass
from pathlib import Path

from separatrix.data import InputError, shortened

STAGING = ".separatrix-"  # how the names of staging folders begin
STAGED = ("new", "old")  # what can be in one
OWN_FILES = Path("/proc/self/fd")


def refuse_unwritable(
    path: str | os.PathLike[str], inputs: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Raise `InputError` before any work is done when `path` cannot be written, or must not be."""
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
    target = Path(path).resolve()
    remove_left(target.parent, STAGING, STAGED)
    try:
        with new_folder(target.parent, STAGING) as staging:
            new = staging / "new"
            yield new
            with new.open("rb") as file:
                os.fsync(file.fileno())
            if target.exists():
                new.chmod(target.stat().st_mode & 0o777)
            new.replace(target)
    except OSError as error:
        shown = shortened(repr(os.fspath(path)))
        raise InputError(f"cannot write {shown}: {error.strerror}.") from None


def write_together(contents: Mapping[str, str | bytes]) -> None:
    """Write several files, all or none; they take their names in the order given."""
    for path in contents:
        refuse_unwritable(path)
    targets = {Path(path).resolve(): path for path in contents}  # the file that a link leads to
    if len(targets) < len(contents):
        raise InputError(f"two outputs name one file: {', '.join(map(repr, contents))}.")
    for folder in {target.parent for target in targets}:
        remove_left(folder, STAGING, STAGED)
    with ExitStack() as opened:
        outputs = [
            _Output(name, target, opened.enter_context(_anonymous(target)))
            for name, target in zip(contents, targets, strict=True)
        ]
        encoded = [c if isinstance(c, bytes) else c.encode() for c in contents.values()]
        for output, content in zip(outputs, encoded, strict=True):
            with output.refused():
                output.write(content)
        for output, content in zip(outputs, encoded, strict=True):
            with output.refused():
                output.stage(content, opened)
        _take_names(outputs)


@dataclass(slots=True)
class _Output:
    """One file on its way to its name."""

    name: str  # as the caller has it
    target: Path  # the same, links followed
    file: int | None  # descriptor of an anonymous file with its content
    new: Path | None = None
    old: Path | None = None  # where the former file stands there; None if there was none

    @contextmanager
    def refused(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            shown = shortened(repr(self.name))
            raise InputError(f"cannot write {shown}: {error.strerror}.") from None

    def write(self, content: bytes) -> None:
        if self.file is not None:
            _write(self.file, content, self.mode)

    def stage(self, content: bytes, opened: ExitStack) -> None:
        """Put the content and the former file into a staging folder, if there is need for one."""
        exists = self.target.exists()
        if self.file is not None and not exists:
            return
        staging = opened.enter_context(new_folder(self.target.parent, STAGING))
        self.new = staging / "new"
        if self.file is None:
            made = os.open(self.new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            try:
                _write(made, content, self.mode)
            finally:
                os.close(made)
        else:
            _link(self.file, self.new)
        if exists:
            old = staging / "old"
            try:
                os.link(self.target, old)
            except OSError:  # no hard links there, or none to a file of somebody else's
                shutil.copy2(self.target, old)
            self.old = old

    @property
    def mode(self) -> int | None:
        return self.target.stat().st_mode & 0o777 if self.target.exists() else None

    def take_name(self) -> None:
        if self.new is not None:
            self.new.replace(self.target)
        elif self.file is not None:
            _link(self.file, self.target)

    def put_back(self) -> None:
        """Give its name back to the former file, if there was one."""
        if self.old is not None:
            self.old.replace(self.target)
        elif self.new is not None:
            if not self.new.exists():
                self.target.unlink()
        elif self.file is not None and os.fstat(self.file).st_nlink:
            self.target.unlink()


def _take_names(outputs: Sequence[_Output]) -> None:
    """Give all files their names or, where that fails or is interrupted, none."""
    try:
        for output in outputs:
            with output.refused():
                output.take_name()
    except BaseException:
        for output in reversed(outputs):
            with contextlib.suppress(OSError):
                output.put_back()
        raise


@contextmanager
def _anonymous(target: Path) -> Iterator[int | None]:
    """Yield a new file without a name on the target's file system; None where there are none."""
    kind = getattr(os, "O_TMPFILE", None)
    file = None
    if kind is not None and OWN_FILES.is_dir():
        with contextlib.suppress(OSError):
            file = os.open(target.parent, os.O_WRONLY | kind, 0o666)
    try:
        yield file
    finally:
        if file is not None:
            os.close(file)


def _write(file: int, content: bytes, mode: int | None) -> None:
    if mode is not None and os.chmod in os.supports_fd:
        os.chmod(file, mode)
    with os.fdopen(os.dup(file), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(file)


def _link(file: int, name: Path) -> None:
    """Give an anonymous file a name that nothing has."""
    with _folder(name.parent) as at:  # only with a folder does os.link follow the link in /proc
        os.link(OWN_FILES / str(file), name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=True)


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

    with _folder(folder) as at:
        if wait:
            with contextlib.suppress(OSError):
                fcntl.flock(at, fcntl.LOCK_EX)
        else:
            fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    at = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield at
    finally:
        os.close(at)
