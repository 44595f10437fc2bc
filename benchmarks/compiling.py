"""What it takes to compile the kernels: `python -m benchmarks.compiling`.

Every entry point is compiled by this process into an empty folder, those of the demo first. CPU
seconds are a kernel's own, without those of the kernels that it calls; of Numba's front end (types,
lowering) and of LLVM. Machine code holds that of the kernels it calls, too.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from numba import config
from numba.core import event

OWN = "(Numba's own functions)"


@dataclass
class Kernel:
    """What compiling has taken; CPU seconds."""

    demo: bool
    signatures: int = 0
    front: float = 0.0
    llvm: float = 0.0
    libraries: list[Any] = field(default_factory=list)

    def cells(self, name: str) -> tuple[str, ...]:
        """Return a row of the table."""
        size = sum(len(library._get_compiled_object()) for library in self.libraries)
        seconds = (f"{s:.2f}" for s in (self.front + self.llvm, self.front, self.llvm))
        of_demo = "demo" if self.demo else ""
        return (name, str(self.signatures), *seconds, f"{size / 1e3:.0f}", of_demo)


class Compilations(event.Listener):
    """Adds up the seconds of what is compiled; what is innermost is charged."""

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}
        self.under_way: list[Kernel] = []
        self.demo, self.in_llvm, self.since = True, 0, 0.0

    def on_start(self, started: event.Event) -> None:
        """Charge what was under way, and begin."""
        self._charge()
        if started.kind == "numba:llvm_lock":
            self.in_llvm += 1
        else:
            name = getattr(started.data["dispatcher"]._cache, "name", OWN)
            self.under_way.append(self.kernels.setdefault(name, Kernel(self.demo)))
            self.under_way[-1].signatures += 1

    def on_end(self, ended: event.Event) -> None:
        """Charge what ends."""
        self._charge()
        if ended.kind == "numba:llvm_lock":
            self.in_llvm -= 1
        else:
            made = ended.data["dispatcher"].overloads.get(tuple(ended.data["args"]))
            self.under_way.pop().libraries += [made.library] if made else []

    def _charge(self) -> None:
        now = time.process_time()
        if self.under_way and self.in_llvm:
            self.under_way[-1].llvm += now - self.since
        elif self.under_way:
            self.under_way[-1].front += now - self.since
        self.since = now


def main() -> None:
    """Compile, and print the table."""
    from benchmarks.printing import aligned
    from separatrix.kernels.entry_points import entry_points

    compilations = Compilations()
    for kind in ("numba:compile", "numba:llvm_lock"):
        event.register(kind, compilations)
    found, totals = compilations.kernels, []
    for points in entry_points():
        for point in points:
            point.compile()
        totals.append(total(found.values()).cells("in all"))
        compilations.demo = False
    names = sorted(found, key=lambda name: found[name].front + found[name].llvm, reverse=True)
    header = ("kernel", "signatures", "CPU s", "front end", "LLVM", "kB", "")
    rows = [header, *(found[name].cells(name) for name in names)]
    print(aligned([*rows, *totals], {0, 6}))


def total(kernels: Iterable[Kernel]) -> Kernel:
    """Return what they take together; marked where all are the demo's."""
    found = Kernel(demo=True)
    for kernel in kernels:
        found.demo &= kernel.demo
        found.signatures += kernel.signatures
        found.front += kernel.front
        found.llvm += kernel.llvm
        found.libraries += kernel.libraries
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        config.CACHE_DIR = folder  # type: ignore[attr-defined]  # before kernels are imported
        main()
