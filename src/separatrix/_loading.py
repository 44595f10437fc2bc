"""Importing without the garbage collector, which would sweep half-loaded libraries over and over.

Loading scikit-learn, Numba and python-flint makes a million objects that all stay; the collector
looks at them again and again and finds nothing, for a sixth of the time to a first fit.
"""

from __future__ import annotations

import gc
import importlib
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType

from separatrix._types import Untyped

MANY_OBJECTS = 200_000  # new ones between two sweeps of a command's garbage


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


def load_lean() -> None:
    """Let a process of the command line load what it uses: half of all imports are of no use to it.

    scikit-learn imports pandas and `scipy.stats` for functions that no command calls. No command
    holds a data frame, so pandas is not found here; `scipy.stats` is loaded when first used. A
    process of somebody else's is left as it is.
    """
    gc.set_threshold(MANY_OBJECTS, 50, 50)
    sys.meta_path.insert(0, _WithoutPandas())
    sys.modules.setdefault("scipy.stats", _Deferred("scipy.stats"))


class _WithoutPandas(MetaPathFinder):
    """Finds no pandas; other modules are left to the finders behind it."""

    def find_spec(self, fullname: str, path: Untyped, target: Untyped = None) -> None:  # noqa: ARG002
        """Raise the error of a module that is not installed, for pandas alone."""
        if fullname == "pandas":
            raise ModuleNotFoundError("no command uses pandas", name=fullname)


class _Deferred(ModuleType):
    """A module that is loaded when something in it is first asked for."""

    def __getattr__(self, name: str) -> Untyped:
        """Return what the module itself has by that name."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)
