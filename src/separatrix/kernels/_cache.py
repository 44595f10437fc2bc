"""Machine code on disk: loaded where it is certainly that of these kernels, else compiled again.

Numba's own cache compares the file that a kernel stands in, but not the kernels that it calls; two
processes that write at once can leave its index pointing at the code of another signature; and half
a file stops the program, or crashes it. Here each kernel and signature is a file of its own:
SHA-256 of (stamp, key, code), then the code. The stamp covers the source text of the kernel's file
and of the files it imports, and the versions of what compiles them. Nothing is unpickled before
that hash is right, nor from a folder that another user can write to.

A wheel brings machine code in `machine_code` beside this file: of most kernels for any processor of
the level PORTABLE, of a few for each of the LEVELS (`_jit.widest`). Each of its files must have the
hash that SHA256SUMS names.

Processes that compile at once (`warm_up.py`) share the work: each kernel and signature has a byte
of a lock file, and a process that finds it locked waits for the code instead of compiling it again.
The system frees the locks of a process that ends, however it ends.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import pickle
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import llvmlite
import numba
import numpy as np
from llvmlite.binding import add_symbol, get_host_cpu_features, parse_bitcode
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
    "compiling kernels (each once for an installation whose cache is writable, some seconds) ..."
)
NOT_KEPT = (
    "cannot keep compiled kernels (%s); each run compiles them again, until NUMBA_CACHE_DIR names "
    "a folder that can be written"
)
HERE = Path(__file__).parent
PACKAGE = __name__.removesuffix("_cache")
IMPORTS = re.compile(rf"^ *from {re.escape(PACKAGE)}([\w.]+) import".encode(), re.MULTILINE)
STARTS_PROCESSES = "_misses"  # which import all kernels
SHIPPED = HERE / "machine_code"
SUMS = "SHA256SUMS"
VERSIONS = (  # of Python's and NumPy's, what machine code depends on
    sys.implementation.cache_tag,
    getattr(sys, "abiflags", ""),
    np.__version__.partition(".")[0],
    numba.__version__,
    llvmlite.__version__,
)
V3 = "sse3 ssse3 sse4.1 sse4.2 popcnt cx16 sahf avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
LEVELS = {  # the levels of the x86-64 psABI, best first: what a processor must have
    "x86-64-v4": f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl",
    "x86-64-v3": V3,
}
PORTABLE = "x86-64-v3"
EVENT = "separatrix:cache"  # as "numba:compile": its seconds are none of the work asked for
SETTINGS = sorted(  # that change what Numba makes: NUMBA_OPT, NUMBA_BOUNDSCHECK, ...
    f"{name}={value}"
    for name, value in os.environ.items()
    if name.startswith("NUMBA_")
    and name not in {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
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


class Source(NamedTuple):
    """The text of one file of the kernels: its hash, and the modules of kernels it imports."""

    digest: bytes
    imports: list[str]


def read_sources() -> dict[str, Source]:
    """Return all files of the kernels by the names of their modules: "zero_one.boxes"."""
    found = {}
    for path in HERE.rglob("*.py"):
        text = path.read_bytes()
        imports = [name.decode() for name in IMPORTS.findall(text)]
        name = ".".join(path.relative_to(HERE).with_suffix("").parts)
        found[name] = Source(sha256(text).digest(), imports)
    return found


def stamp(module: str, sources: dict[str, Source]) -> bytes:
    """Return the hash of the texts that a module is made of, and of the compiler's versions."""
    found, left = set[str](), [module]
    while left:
        name = left.pop()
        if name not in found and name in sources and name != STARTS_PROCESSES:
            found.add(name)
            left += sources[name].imports
    parts = [name.encode() + sources[name].digest for name in sorted(found)]
    return sha256(repr((VERSIONS, parts)).encode()).digest()


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


@cache
def is_private(folder: Path) -> bool:
    """Whether no other user can write to a folder: what is read from it is unpickled."""
    if not hasattr(os, "getuid"):  # Windows
        return True
    found = folder.stat()
    others = 0o002 if found.st_gid == os.getegid() else 0o022
    owners = {0, os.getuid(), HERE.stat().st_uid}  # the last wrote the text that is run here
    return not found.st_mode & others and found.st_uid in owners


@cache
def levels() -> tuple[str, ...]:
    """Return the levels of this processor, best first: none above one that the user has named."""
    features, named = get_host_cpu_features(), getattr(config, "CPU_NAME", None)
    known = [level for level, needs in LEVELS.items() if all(map(features.get, needs.split()))]
    if named is None:
        return tuple(known)
    return tuple(known[known.index(named) :]) if named in known else ()


@cache
def shipped_sums() -> dict[str, str]:
    """Return the SHA-256 of the files that the wheel brought, by their names."""
    try:
        lines = (SHIPPED / SUMS).read_text("utf-8", "replace").splitlines()
    except OSError:  # installed from source
        return {}
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


SOURCES = read_sources()
FOLDERS = folders()


class KernelCache(NullCache):
    """What Numba asks for the machine code of one kernel. It never raises an error."""

    def __init__(self, kernel: Dispatcher) -> None:
        function = kernel.py_func
        self.event = {"dispatcher": kernel}
        self.module = function.__module__.removeprefix(PACKAGE)
        self.name = f"{self.module}.{function.__qualname__}"
        stamped = HERE in Path(function.__code__.co_filename).parents
        self.folders = FOLDERS if stamped and function.__closure__ is None else ()

    @cached_property
    def stamp(self) -> bytes:
        return stamp(self.module, SOURCES)

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Return the code kept for a signature, or None."""
        with trigger_event(EVENT, self.event):
            kept = self._load(sig, target_context)
            if kept is None and acted_on_miss():
                kept = self._load(sig, target_context)
            if (
                kept is None
                and _locks
                and _lock(self._key(sig, target_context.codegen().magic_tuple()))
            ):
                kept = self._load(sig, target_context)
        if kept is None:
            say_compiling()
        return kept

    def is_kept(self, sig: Any, target_context: Any) -> bool:  # noqa: ANN401
        """Whether there is a whole file for a signature."""
        return any(True for _ in self._whole_files(sig, target_context.codegen()))

    def _load(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        _name_runtime()  # all that code made before needs of Numba's registries
        for path, code in self._whole_files(sig, target_context.codegen()):
            try:
                with _interrupts_wait():
                    return _rebuilt(target_context, *pickle.loads(code))  # noqa: S301  # ours
            except Exception as error:  # compiling mends whatever it is
                log.debug("cannot load compiled kernel %s: %r", path, error)
        return None

    def _whole_files(self, sig: Any, codegen: Any) -> Iterator[tuple[Path, bytes]]:  # noqa: ANN401
        """Yield the files with the code for a signature, and that code, where it may be run."""
        triple, name, _ = processor = codegen.magic_tuple()
        places = [(folder, self._key(sig, processor)) for folder in self.folders]
        if self.folders and shipped_sums():
            others = () if name in LEVELS else levels()
            shipped = *((triple, level, "") for level in others), processor
            places[:0] = [(SHIPPED, self._key(sig, each)) for each in shipped]
        for folder, key in places:
            with contextlib.suppress(OSError):  # none, or none that can be read
                path = folder / self._file(key)
                content = path.read_bytes()
                digest, code = content[:DIGEST], content[DIGEST:]
                if digest == self._digest(key, code) and _may_be_run(path, content):
                    yield path, code

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Keep the code compiled for a signature, where some folder takes it."""
        _compiled.append(Compiled(self.name, str(sig)))
        with trigger_event(EVENT, self.event):
            try:
                self._save(sig, data)
            except Exception as error:  # the kernel is compiled: work goes on
                _say_not_kept(error)
            _unlock(self._key(sig, data.codegen.magic_tuple()))
        for tell in _tell:
            tell(_compiled[-1])

    def _save(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        if data.library.has_dynamic_globals or self.stamp != stamp(self.module, read_sources()):
            return  # edited since it was read
        key = self._key(sig, data.codegen.magic_tuple())
        module = data.library._get_module_for_linking()
        named = chain(module.functions, module.global_variables)
        symbols = {each.name for each in named if not each.is_declaration}
        code: bytes = dumps((symbols, *data._reduce()))  # type: ignore[no-untyped-call]
        paths = [folder / self._file(key) for folder in self.folders]
        _write_first(paths, self._digest(key, code) + code)

    def _digest(self, key: bytes, code: bytes) -> bytes:
        return sha256(self.stamp + sha256(key).digest() + code).digest()

    def _key(self, sig: Any, processor: tuple[str, str, str]) -> bytes:  # noqa: ANN401
        return f"{self.name} {sig} {processor} {SETTINGS}".encode()

    def _file(self, key: bytes) -> str:
        short = sha256(key).hexdigest()[:16]
        return f"{self.name}-{short}.{sys.implementation.cache_tag}.nbc"


def _may_be_run(path: Path, content: bytes) -> bool:
    """Whether a file is from this user, or as the wheel brought it."""
    if path.parent == SHIPPED and sha256(content).hexdigest() != shipped_sums().get(path.name):
        return False
    return is_private(path.parent)


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
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not is_private(folder):
        raise PermissionError(errno.EPERM, "another user can write to the folder", str(folder))
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
