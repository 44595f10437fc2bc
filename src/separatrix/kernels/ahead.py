"""Rows asked for before they are needed, so that memory works while the processor computes."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from separatrix.kernels._jit import compiled
from separatrix.kernels.rows import Rows

# Blocks of rows are small: while one is worked on, the next comes. Their rows are a multiple of 4,
# so that rows are added up in the same groups whatever the block.
BLOCK_NUMBERS = 1 << 11
LEAST_ROWS, MOST_ROWS = 32, 512

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


@compiled
def rows_of_block(width: int) -> int:
    """Return how many rows of 1 + d numbers are scored, and then summed, together."""
    return min(MOST_ROWS, max(LEAST_ROWS, BLOCK_NUMBERS // width // 4 * 4))


@compiled
def read_ahead(rows: Rows, start: int, stop: int, n: int) -> None:
    """Ask for the dense rows start, ..., min(stop, n) - 1; sparse ones the processor foresees."""
    if not isinstance(rows, tuple):
        last = min(stop, n)
        if start < last:
            part = rows[start:last]
            first = part.ctypes.data
            for offset in range(0, part.size * part.itemsize, LINE):
                _prefetch(first + offset)  # type: ignore[call-arg]  # Numba passes the first
