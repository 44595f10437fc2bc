"""Ctrl-C that is not lost where a callback of compiled code prints its exception and forgets it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import Any, NoReturn, Self, TypeVar

T = TypeVar("T")


def waited_for(work: Callable[[], T]) -> T:
    """Return what the work returns, done in a thread of its own so that Ctrl-C ends the waiting."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # raised where it is waited for
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result()


class Interrupts:
    """Notes every Ctrl-C while it is entered, beside raising `KeyboardInterrupt` as usual."""

    def __init__(self) -> None:
        self.met = False
        self._before: Any = None

    def __enter__(self) -> Self:
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if usual and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG002  # Python's
        self.met = True
        raise KeyboardInterrupt

    def look(self) -> None:
        if self.met:
            raise KeyboardInterrupt
