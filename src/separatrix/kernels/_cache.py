"""Machine code on disk: loaded where it is certainly that of these kernels, else compiled again.

Numba's own cache compares the file that a kernel stands in, but not the kernels that it calls; two
processes that write at once can leave its index pointing at the code of another signature; and half
a file stops the program, or crashes it. Here each kernel and signature is a file of its own:
SHA-256 of (stamp, key, code), then the code. The stamp covers all source text of the kernels and
the versions of what compiles them. Nothing is unpickled before that hash is right. The hash finds
damage, not malice: as with byte code, the folder must belong to its user.

Processes that compile at once (`warm_up.py`) share the work: each kernel and signature has a byte
of a lock file, and a process that finds it locked waits for the code instead of compiling it again.
The system frees the locks of a process that ends, however it ends.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import llvmlite
import numba
import numpy as np
from llvmlite.binding import add_symbol, parse_bitcode
from numba import config
from numba.core.caching import NullCache
from numba.core.compiler import compile_result
from numba.core.dispatcher import Dispatcher
from numba.core.event import trigger_event
from numba.core.runtime.nrt import _nrt
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from separatrix.kernels._misses import acted_on_miss

COMPILING = (
    "compiling kernels (each once for an installation whose cache is writable, up to a minute) ..."
)
NOT_KEPT = (
    "cannot keep compiled kernels (%s); each run compiles them again, until NUMBA_CACHE_DIR names "
    "a folder that can be written"
)
HERE = Path(__file__).parent
PACKAGE = __name__.removesuffix("_cache")
VERSIONS = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
EVENT = "separatrix:cache"  # as "numba:compile": its seconds are none of the work asked for
SETTINGS = sorted(  # that change what Numba makes: NUMBA_OPT, NUMBA_BOUNDSCHECK, ...
    f"{name}={value}"
    for name, value in os.environ.items()
    if name.startswith("NUMBA_") and name not in {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
)
DIGEST = 32  # bytes of SHA-256
LEFT_OVER = 3600.0  # seconds after which a temporary file belongs to a process that was killed

LOCK = "compiling.lock"

try:
    import fcntl
except ImportError:  # Windows: processes compile what they share more than once
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("separatrix")


class Compiled(NamedTuple):
    """A kernel that this process has compiled, and for which types."""

    kernel: str
    signature: str


def source_stamp() -> bytes:
    """Return the hash of the names and texts of all kernels, and of the compiler's versions."""
    files = {path.relative_to(HERE).as_posix(): path for path in HERE.rglob("*.py")}
    texts = [name.encode() + b"\0" + files[name].read_bytes() for name in sorted(files)]
    parts = [*map(str.encode, VERSIONS), *texts]
    return sha256(b"".join(sha256(part).digest() for part in parts)).digest()


def folders() -> tuple[Path, ...]:
    """Return where machine code is looked for; it is kept in the first of them that takes it."""
    if not (HERE / "_cache.py").is_file():  # in an archive: there is no text to compare
        return ()
    own = f"separatrix_{sha256(os.fsencode(HERE)).hexdigest()[:16]}"
    asked = getattr(config, "CACHE_DIR", "")  # read from the environment by Numba
    if asked:
        return (Path(asked, own),)
    users = AppDirs("separatrix", appauthor=False)  # type: ignore[no-untyped-call]
    found = HERE / "__pycache__", Path(users.user_cache_dir, own)
    return tuple(folder for folder in found if folder.is_absolute())  # "~" where there is no home


STAMP = source_stamp()
FOLDERS = folders()


class KernelCache(NullCache):
    """What Numba asks for the machine code of one kernel. It never raises an error."""

    def __init__(self, kernel: Dispatcher) -> None:
        function = kernel.py_func
        self.event = {"dispatcher": kernel}
        self.name = f"{function.__module__.removeprefix(PACKAGE)}.{function.__qualname__}"
        stamped = HERE in Path(function.__code__.co_filename).parents
        self.folders = FOLDERS if stamped and function.__closure__ is None else ()

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Return the code kept for a signature, or None."""
        with trigger_event(EVENT, self.event):
            kept = self._load(sig, target_context)
            if kept is None and acted_on_miss():
                kept = self._load(sig, target_context)
            if kept is None and _locks and _lock(self._key(sig, target_context.codegen())):
                kept = self._load(sig, target_context)
        if kept is None:
            say_compiling()
        return kept

    def is_kept(self, sig: Any, target_context: Any) -> bool:  # noqa: ANN401
        """Whether there is a whole file for a signature."""
        return any(True for _ in self._whole_files(self._key(sig, target_context.codegen())))

    def _load(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        _name_runtime()  # all that code made before needs of Numba's registries
        for path, code in self._whole_files(self._key(sig, target_context.codegen())):
            try:
                with _interrupts_wait():
                    return _rebuilt(target_context, *pickle.loads(code))  # noqa: S301  # ours
            except Exception as error:  # compiling mends whatever it is
                log.debug("cannot load compiled kernel %s: %r", path, error)
        return None

    def _whole_files(self, key: bytes) -> Iterator[tuple[Path, bytes]]:
        """Yield the files with the code of a key, and that code, where its hash is right."""
        for path in self._paths(key):
            with contextlib.suppress(OSError):  # none, or none that can be read
                content = path.read_bytes()
                if content[:DIGEST] == _digest(key, content[DIGEST:]):
                    yield path, content[DIGEST:]

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Keep the code compiled for a signature, where some folder takes it."""
        _compiled.append(Compiled(self.name, str(sig)))
        with trigger_event(EVENT, self.event):
            try:
                self._save(sig, data)
            except Exception as error:  # the kernel is compiled: work goes on
                _say_not_kept(error)
            _unlock(self._key(sig, data.codegen))
        for tell in _tell:
            tell(_compiled[-1])

    def _save(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        if data.library.has_dynamic_globals or source_stamp() != STAMP:  # edited since it was read
            return
        key = self._key(sig, data.codegen)
        module = data.library._get_module_for_linking()
        named = chain(module.functions, module.global_variables)
        symbols = {each.name for each in named if not each.is_declaration}
        code: bytes = dumps((symbols, *data._reduce()))  # type: ignore[no-untyped-call]
        _write_first(self._paths(key), _digest(key, code) + code)

    def _key(self, sig: Any, codegen: Any) -> bytes:  # noqa: ANN401
        return f"{self.name} {sig} {codegen.magic_tuple()} {SETTINGS}".encode()

    def _paths(self, key: bytes) -> list[Path]:
        short = sha256(key).hexdigest()[:16]
        name = f"{self.name}-{short}.{sys.implementation.cache_tag}.nbc"
        return [folder / name for folder in self.folders]


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Raise a Ctrl-C at the end only.

    LLVM asks for the machine code by a callback, and forgets what is raised there: the kernel would
    be empty. Between LLVM's taking a module and our noting it, the module would be freed twice.
    """
    usual, met = signal.getsignal(signal.SIGINT), list[int]()
    ours = callable(usual) and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGINT, lambda number, _: met.append(number))
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, usual)
        if met:
            signal.raise_signal(signal.SIGINT)


@cache
def _name_runtime() -> None:
    """Say where the functions of Numba's runtime are that machine code calls.

    The part of the runtime that LLVM compiles stands in each kernel's code: to compile it again, as
    Numba does, takes 20 ms and pages in 27 MB of LLVM.
    """
    for name, address in _nrt.c_helpers.items():
        add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _rebuilt(
    context: Any,  # noqa: ANN401
    symbols: set[str],
    of_library: tuple[str, str, tuple[bytes, bytes]],
    fndesc: Any,  # noqa: ANN401
    environment: Any,  # noqa: ANN401
    signature: Any,  # noqa: ANN401
    objectmode: bool,
    lifted: Any,  # noqa: ANN401
    type_annotation: str,
    reload_init: Sequence[Callable[[], None]],
    referenced_envs: Sequence[Any],
) -> Any:  # noqa: ANN401
    """Return a compiled kernel, as Numba does of what it keeps, without parsing its LLVM code.

    That code takes longer to parse, and more memory, than the machine code; it is asked for only
    where another kernel is compiled that calls this one.
    """
    for init in reload_init:
        init()
    name, _, (machine_code, llvm_code) = of_library
    codegen = context.codegen()
    library = codegen.create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    library._get_module_for_linking = cache(partial(parse_bitcode, llvm_code))
    codegen._engine._defined_symbols |= symbols
    for each in referenced_envs:
        codegen.set_env(each.env_name, each)
    return compile_result(
        target_context=context, typing_context=context.typing_context, library=library,
        environment=environment, entry_point=context.get_executable(library, fndesc, environment),
        fndesc=fndesc, type_annotation=type_annotation, signature=signature, objectmode=objectmode,
        lifted=lifted, reload_init=reload_init, referenced_envs=referenced_envs,
    )  # type: ignore[no-untyped-call]  # fmt: skip


def _digest(key: bytes, code: bytes) -> bytes:
    return sha256(STAMP + sha256(key).digest() + code).digest()


def _write_first(paths: list[Path], content: bytes) -> None:
    """Write to the first path that can be written; raise the first error if none can."""
    errors = []
    for path in paths:
        try:
            _make_folder(path.parent)
            _write(path, content)
        except OSError as error:
            errors.append(error)
        else:
            return
    if errors:
        raise errors[0]


def _write(path: Path, content: bytes) -> None:
    """Write through a temporary file, so that half a file is never read."""
    made = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
    try:
        made.write_bytes(content)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)


@cache
def _make_folder(folder: Path) -> None:
    """Make the folder; remove what processes that were killed have left in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.nbc.*.tmp"):
        with contextlib.suppress(OSError):  # another process removes it, too, or another user's
            if time.time() - left.stat().st_mtime > LEFT_OVER:
                left.unlink()


def writable_folder() -> Path | None:
    """Return the folder that takes the code of kernels, or None."""
    for folder in FOLDERS:
        with contextlib.suppress(OSError):
            _make_folder(folder)
            with open(folder / LOCK, "ab"):
                return folder
    return None


def why_not_kept() -> str:
    """Return why code could not be kept; "" where all was."""
    return str(_not_kept[0]) if _not_kept else ""


def share_work(folder: Path, tell: Callable[[Compiled], None]) -> None:
    """Leave to another process, from now on, what it has begun to compile into this folder."""
    _tell.append(tell)
    if fcntl is not None:
        _locks.append(open(folder / LOCK, "ab"))  # noqa: SIM115  # closing it would free all locks


def _lock(key: bytes) -> bool:
    """Wait for the process that compiles this; return whether one may have compiled it."""
    try:
        fcntl.lockf(_locks[0], fcntl.LOCK_EX, 1, _byte(key))
    except OSError:  # no locks on this file system
        return False
    return True


def claimed(key: bytes, wait: bool) -> bool:
    """Take what no other process has taken until `free_work`, waiting for it or not."""
    try:
        for file in _locks:
            fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, _byte(key))
    except OSError as error:
        return not isinstance(error, (BlockingIOError, PermissionError))
    return True


def _unlock(key: bytes) -> None:
    for file in _locks:
        with contextlib.suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_UN, 1, _byte(key))


def free_work() -> None:
    """Leave to other processes what this one has begun and could not compile."""
    for file in _locks:
        with contextlib.suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_UN)


def _byte(key: bytes) -> int:
    return int.from_bytes(sha256(key).digest()[:4], "big")


@cache
def say_compiling() -> None:
    """Log, once, that kernels are being compiled."""
    log.info(COMPILING)


def _say_not_kept(error: Exception) -> None:
    """Say why, once: what stops one kernel stops all of them."""
    if not _not_kept:
        _not_kept.append(error)
        log.warning(NOT_KEPT, error)


_not_kept: list[Exception] = []
_compiled: list[Compiled] = []
_locks: list[IO[bytes]] = []
_tell: list[Callable[[Compiled], None]] = []
