"""Importing without the garbage collector, which would sweep half-loaded libraries over and over.

Loading scikit-learn, Numba and python-flint makes a million objects that all stay; the collector
looks at them again and again and finds nothing, for a sixth of the time to a first fit.
"""

from __future__ import annotations

import gc
import importlib
from types import ModuleType


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
