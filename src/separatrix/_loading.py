"""Importing without the garbage collector, which would sweep half-loaded libraries over and over.

Loading scikit-learn, Numba and python-flint makes a million objects that all stay; the collector
looks at them again and again and finds nothing, for a sixth of the time to a first fit.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

from separatrix._types import Untyped

DEFERRED = {
    "scipy.stats", "scipy.interpolate", "scipy.sparse.linalg", "scipy.fft",
    "scipy.linalg.interpolative", "joblib", "yaml",
    "sklearn.callback._progressbar", "sklearn.utils.parallel",
    "narwhals", "narwhals.stable", "narwhals.stable.v2",
    "numpy.f2py", "numpy.testing",  # SciPy copies the names of all that NumPy has
}  # fmt: skip
DOCUMENTING = "scipy._lib._array_api"  # parses the texts of a hundred functions to add a note
MANY_OBJECTS = 200_000  # new ones between two sweeps of a command's garbage
# of the C library's mallopt: one arena for all threads, and what is this large goes back at once
ALLOCATION = {-8: 1, -3: 4 << 20}  # M_ARENA_MAX, M_MMAP_THRESHOLD


def load(module: str) -> ModuleType:
    """Return the module; when it is loaded, what came with it counts as old to the collector."""
    if not gc.isenabled():  # somebody else's decision, or a module of ours that asks for another
        return importlib.import_module(module)
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        if not gc.get_freeze_count():  # else what its user froze would thaw
            gc.freeze()
            gc.unfreeze()  # both move lists and look at nothing
        gc.enable()


class Later:
    """A module that is loaded when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Untyped:
        """Return what the module has of that name."""
        vars(self)[attribute] = getattr(importlib.import_module(self._name), attribute)
        return vars(self)[attribute]


def load_lean() -> None:
    """Let a process of the command line load what it uses: half of all imports are of no use to it.

    scikit-learn imports pandas, joblib, parts of SciPy and progress bars for functions that no
    command calls, and SciPy adds a note to the text of each of a hundred functions. No command
    holds a data frame, so pandas is not found here; DEFERRED are loaded when something of theirs is
    first used. A module of scikit-learn's that cannot be imported so, in some other release, is
    imported as usual. What is freed goes back to the system: the holes that arenas and Arrow's own
    pool keep are up to a third of a peak. A process of somebody else's is left as it is.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library has none
        for setting, value in ALLOCATION.items():
            ctypes.CDLL(None).mallopt(setting, value)
    gc.set_threshold(MANY_OBJECTS, 50, 50)
    sys.meta_path.insert(0, _Lean(DEFERRED))


class _Lean(MetaPathFinder, Loader):
    """Finds no pandas, and what is deferred; others are left to the finders behind it."""

    def __init__(self, deferred: Iterable[str]) -> None:
        self.deferred = set(deferred)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise the error of a module that is not installed, for pandas alone."""
        if fullname == "pandas":
            raise ModuleNotFoundError("no command uses pandas", name=fullname)
        if fullname in self.deferred:
            return ModuleSpec(fullname, self, is_package=True)
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if isinstance(parent, _Deferred):
            path = self.loaded(parent).__path__
        elif fullname.partition(".")[0] != "sklearn" and fullname != DOCUMENTING:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            usual = spec.loader.exec_module
            vars(spec.loader)["exec_module"] = lambda module: self._run(module, usual)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return what stands for a deferred module."""
        return _Deferred(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Load nothing yet."""

    def loaded(self, module: ModuleType) -> ModuleType:
        """Load the module that a deferred one stands for, and those above it."""
        name = module.__name__
        above = sys.modules.get(name.rpartition(".")[0])
        if isinstance(above, _Deferred):
            self.loaded(above)
        self.deferred.discard(name)
        if sys.modules.get(name) is module:
            del sys.modules[name]
        return importlib.import_module(name)

    def _run(self, module: ModuleType, usual: Callable[[ModuleType], None]) -> None:
        """Run a module; if that fails, again with all that it asks for."""
        try:
            usual(module)
            if module.__name__ == DOCUMENTING:
                vars(module)["FunctionDoc"] = _Undocumented
        except Exception:
            if self not in sys.meta_path:
                raise
            sys.meta_path.remove(self)
            for name in DEFERRED:
                if isinstance(sys.modules.get(name), _Deferred):
                    del sys.modules[name]
            usual(module)


class _Undocumented(defaultdict[str, list[object]]):
    """The sections of a function's documentation: none, for a process that shows no such text."""

    def __init__(self, _: object) -> None:
        super().__init__(list)

    def __str__(self) -> str:
        """Return an empty text after an empty signature."""
        return "\n"


class _Deferred(ModuleType):
    """A module that is loaded when a function or class of it is first used."""

    def __getattr__(self, name: str) -> Untyped:
        """Return what stands for the module's object of that name; of its own, there is none."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _DeferredName(self, name)


class _DeferredName:
    """Stands for a function or class of a deferred module, which ``from ... import`` has asked for.

    It can be called, read from, derived from and used by `isinstance`: each loads the module.
    """

    def __init__(self, module: _Deferred, name: str) -> None:
        self._module, self._name = module, name

    def _loaded(self) -> Untyped:
        lean: Untyped = self._module.__loader__
        return getattr(lean.loaded(self._module), self._name)

    def __call__(self, *arguments: Untyped, **named: Untyped) -> Untyped:
        """Call it."""
        return self._loaded()(*arguments, **named)

    def __getattr__(self, name: str) -> Untyped:
        """Return an attribute of it."""
        return getattr(self._loaded(), name)

    def __mro_entries__(self, bases: tuple[Untyped, ...]) -> tuple[Untyped, ...]:
        """Return the class to derive from."""
        return (self._loaded(),)

    def __instancecheck__(self, instance: object) -> bool:
        """Whether an object is one of the class."""
        return isinstance(instance, self._loaded())
