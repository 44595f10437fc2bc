"""Says when kernels are being compiled, which happens once per installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SENTENCE = (
    "compiling kernels (once for this installation where its cache is writable, up to a minute) ..."
)


@contextmanager
def announce_compilation(note: Callable[[str], None]) -> Iterator[None]:
    """Call `note` once, before the first kernel that is not in the cache is compiled."""
    from numba.core import event

    class Listener(event.Listener):
        told = False

        def on_start(self, _: Any) -> None:  # noqa: ANN401
            if not self.told:
                self.told = True
                note(SENTENCE)

        def on_end(self, _: Any) -> None:  # noqa: ANN401
            """Nothing to say."""

    with event.install_listener("numba:compile", Listener()):
        yield
