"""One way to compile a kernel, whatever the machine lets us cache."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from llvmlite import ir
from numba import njit, types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from separatrix.kernels._cache import KernelCache

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


def _compiled(function: F, fastmath: bool | set[str], **more: str | bool) -> F:
    settings: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, **more}
    made: Any = njit(error_model="numpy", fastmath=fastmath, **settings)(function)
    if isinstance(made, Dispatcher):  # not with NUMBA_DISABLE_JIT
        made._cache = KernelCache(made)  # type: ignore[attr-defined]  # as cache=True does
        made.get_call_template = _without_literals(made.get_call_template)  # type: ignore[method-assign]
    return made


def _without_literals(template_of: Callable[..., Any]) -> Callable[..., Any]:
    """Return what finds the signature of a call in a kernel, blind to the values of its constants.

    Numba compiles f(x, 0) apart from f(x, n): the type of a constant names its value.
    """

    def template(arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:  # noqa: ANN401
        kinds = tuple(map(_kind, arguments))
        return template_of(kinds, {name: _kind(type_) for name, type_ in names.items()})

    return template


def _kind(type_: Any) -> Any:  # noqa: ANN401
    return types.unliteral(type_)  # type: ignore[no-untyped-call]


# Rows asked for before they are needed, so that memory works while the processor computes. It
# foresees a plain sum by itself, but not several rows read side by side with work in between: there
# asking makes a pass up to three times as fast. Behind the end of an array it does nothing.
DISTANCE = 8192  # bytes: what memory brings while it is being asked
LINE = 64  # bytes that come at once
FOR_READING, KEEP, DATA = 0, 3, 1  # LLVM's llvm.prefetch


@intrinsic
def _prefetch(typing: Any, address: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ANN401, ARG001
    """Ask for the line at an address; nothing happens where there is none."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
        number = ir.IntType(32)
        place = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
        builder.call(ask, [place, *(ir.Constant(number, k) for k in (FOR_READING, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(types.intp), generate


@part
def ask_ahead(address: int, size: int) -> None:
    """Ask for what lies DISTANCE bytes behind `size` bytes that are about to be read."""
    for offset in range(DISTANCE, DISTANCE + size, LINE):
        _prefetch(address + offset)  # type: ignore[call-arg]  # Numba passes the first
