"""One way to compile a kernel, whatever the machine lets us cache."""

import threading
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be reassociated and contracted (that is what makes them fast), because every sign taken
# from one is either certain by an error bound that holds for any order, or decided exactly.
# Never plain fastmath=True: it would make isnan(nan) False.
ANY_ORDER = {"reassoc", "contract", "nsz", "arcp"}

INSIDE_ONLY = {"no_cpython_wrapper": True}


class EntryPoint(NamedTuple):
    """A kernel, and types of arguments that Python calls it with."""

    kernel: Any
    types: tuple[Any, ...]

    @property
    def name(self) -> str:
        """Return "zero_one.boxes.search"."""
        return str(self.kernel._cache.name)

    def is_kept(self) -> bool:
        """Whether its code is in the cache."""
        return bool(self.kernel._cache.is_kept(self.types, self.kernel.targetctx))

    def compile(self) -> None:
        """Load its code, or compile and keep it."""
        self.kernel.compile(self.types)


def compiled(function: F) -> F:
    """Compile on first call and keep the machine code on disk where some folder is writable."""
    return _compiled(function, fastmath=False)


def compiled_any_order(function: F) -> F:
    """As `compiled`, for sums whose order does not matter (see ANY_ORDER)."""
    return _compiled(function, fastmath=ANY_ORDER)


def compiled_fused(function: F) -> F:
    """As `compiled`, with a * b + c rounded once where the processor can: never reordered."""
    return _compiled(function, fastmath={"contract"})


def inlined(function: F) -> F:
    """As `compiled`, but written into its caller, with the caller's settings.

    A call costs some 20 to 50 ns, most of it counting references to arrays: too much for a step
    that is run a million times on a few hundred numbers.
    """
    return _compiled(function, fastmath=False, inline="always")


def part(function: F) -> F:
    """As `compiled`, for a part of kernels that Python does not call: without the way in for it."""
    return _compiled(function, fastmath=False, **INSIDE_ONLY)


def part_any_order(function: F) -> F:
    """As `part`, for sums whose order does not matter (see ANY_ORDER)."""
    return _compiled(function, fastmath=ANY_ORDER, **INSIDE_ONLY)


def part_fused(function: F) -> F:
    """As `part`, with a * b + c rounded once where the processor can (see `compiled_fused`)."""
    return _compiled(function, fastmath={"contract"}, **INSIDE_ONLY)


def widest(kernel: F) -> F:
    """Compile a kernel for the widest vectors of this processor.

    All others use those that any processor of the level x86-64-v3 has, so that sums of floats, and
    with them the digits of an answer, are the same wherever it is worked out. Of a kernel like this
    nothing may come but counts and signs that are certain or decided exactly.
    """
    kernel.is_widest = True  # type: ignore[attr-defined]
    return kernel


def _compiled(function: F, fastmath: bool | set[str], **more: str | bool) -> F:
    own = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy", "fastmath": fastmath}
    settings: dict[str, Any] = {**own, **more}

    def make() -> Any:  # noqa: ANN401
        from separatrix.kernels._dispatcher import dispatcher

        return dispatcher(function, settings, widest=kernel.is_widest)

    kernel: Any = Kernel(function, make)
    return kernel


class Kernel:
    """A function of compiled code; Numba is loaded when one is first called."""

    is_widest = False  # see `widest`

    def __init__(self, function: Callable[..., Any], make: Callable[[], Any]) -> None:
        update_wrapper(self, function)
        self._made, self._make = None, make

    @property
    def made(self) -> Any:  # noqa: ANN401
        """Numba's object for it; with NUMBA_DISABLE_JIT the function itself."""
        with _making:
            if self._made is None:
                self._made = self._make()
        return self._made

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        """Compile it for arguments of these types, unless it is, and call it."""
        return (self._made or self.made)(*arguments)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Return an attribute of Numba's object: compiled callers ask for its `_numba_type_`."""
        return getattr(self.made, name)

    def __reduce__(self) -> str:
        """Pickle it by its name, as a function."""
        return str(self.__qualname__)  # of `update_wrapper`


_making = threading.RLock()  # of two threads one makes it


def _make_ask_ahead() -> Any:  # noqa: ANN401
    from numba import config

    from separatrix.kernels._dispatcher import ask_ahead as kernel

    asks_nothing = lambda *_: None  # noqa: E731  # for Python has no such instruction
    return asks_nothing if config.DISABLE_JIT else kernel.made  # type: ignore[attr-defined]


@partial(Kernel, make=_make_ask_ahead)
def ask_ahead(address: int, size: int) -> None:
    """Ask for rows before they are needed; see `_dispatcher`."""
