"""Rows asked for before they are needed, so that memory works while the processor computes.

Processors foresee a plain sum by themselves, but not several rows read side by side with work in
between: there this makes a pass up to three times as fast. Asking for what lies behind the end of
an array, or nowhere, does nothing.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from separatrix.kernels._jit import part

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
