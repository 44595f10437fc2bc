"""What takes Numba to be written down: it is imported when a kernel is first called."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core.codegen import JITCPUCodegen
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.extending import intrinsic

from separatrix.kernels._cache import PORTABLE, KernelCache, levels
from separatrix.kernels._jit import part


class PortableCodegen(JITCPUCodegen):
    """Compiles for all processors of the level x86-64-v3 alike."""

    def _get_host_cpu_name(self) -> str:
        return PORTABLE

    def _get_host_cpu_features(self) -> str:
        return ""


class PortableTarget(CPUTarget):
    """As Numba's own target, with that."""

    @cached_property
    def target_context(self) -> Any:  # noqa: ANN401
        """What compiles a function."""
        codegen = PortableCodegen("separatrix")  # type: ignore[no-untyped-call]
        return cpu_target.target_context.subtarget(_internal_codegen=codegen)

    @property
    def typing_context(self) -> Any:  # noqa: ANN401
        """What types it."""
        return cpu_target.typing_context


class PortableDispatcher(CPUDispatcher):
    """Compiles a kernel whose sums have the same order in vectors of any processor."""

    targetdescr = PortableTarget("cpu")  # type: ignore[no-untyped-call]


def dispatcher(function: Callable[..., Any], settings: dict[str, Any], *, widest: bool) -> Any:  # noqa: ANN401
    """Return what compiles a function when it is called, and keeps the code."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    kind = CPUDispatcher if widest or PORTABLE not in levels() else PortableDispatcher
    made: Any = kind(function, targetoptions={"nopython": True, "boundscheck": None, **settings})
    made._cache = KernelCache(made)  # as cache=True does
    made.get_call_template = _without_literals(made.get_call_template)
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
