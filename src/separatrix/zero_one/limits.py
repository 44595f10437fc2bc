"""What a search may spend, seconds and nodes (boxes), how it is divided, and what Ctrl-C ends."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn, Self, TypeVar

from separatrix._types import Untyped
from separatrix.clock import work_clock
from separatrix.data import InputError

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
    """Notes every Ctrl-C while it is entered, beside raising `KeyboardInterrupt` as usual.

    A callback of compiled code prints its exception and forgets it: there Ctrl-C would be lost.
    """

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


ALL = 2**62  # nodes: no limit
NODES_SPENT = "the limit on nodes was reached"
TIME_SPENT = (
    "the time limit was reached; where that falls depends on the machine, and so do the bounds"
)
INTERRUPTED = "it was interrupted"
PATIENCE = 1e6  # nodes worth waiting for when there is no limit


class LimitReached(Exception):  # noqa: N818  # not an error: the text says which limit
    """Raised when a limit on nodes or seconds is reached."""


@dataclass(frozen=True)
class Limits:
    seconds: float | None = None  # without those of compiling kernels; None for no limit
    nodes: int = ALL  # of the branch and bound

    @classmethod
    def of(cls, time_limit: Untyped, max_nodes: Untyped) -> Limits:
        return cls(seconds_of(time_limit, "time_limit"), nodes_of(max_nodes, "max_nodes"))


NO_LIMITS = Limits()


def seconds_of(value: Untyped, name: str) -> float | None:
    seconds = math.inf if value is None else _number(value, name)
    return None if seconds == math.inf else seconds


def nodes_of(value: Untyped, name: str) -> int:
    if value is None:
        return ALL
    nodes = _number(value, name)
    if not nodes.is_integer():
        raise InputError(f"{name}={value!r} must be a whole number, or None.")
    return min(int(nodes), ALL)


def _number(value: Untyped, name: str) -> float:
    number = as_number(value)
    if not number >= 0.0:
        raise InputError(f"{name}={value!r} must be a number, 0 or more, or None for no limit.")
    return number


def as_number(value: Untyped) -> float:
    """Return the value as a double; NaN for what is not a number."""
    try:
        return float(value) if not isinstance(value, str | bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        return math.nan


@dataclass(eq=False)
class Budget:
    deadline: float | None  # of `work_clock`, or None
    most_nodes: int  # limit on nodes
    nodes: int = 0
    reason: str = ""  # why the search ended before its end; interrupted: by Ctrl-C
    interrupted: bool = False
    enough: int = ALL  # nodes after which the search is given up for enumeration
    report: Callable[[int], None] = lambda _: None
    started: float = field(default_factory=work_clock)
    interrupts: Interrupts = field(default_factory=Interrupts)

    @classmethod
    def of(cls, limits: Limits) -> Budget:
        """Return the budget of a search that begins now."""
        deadline = None if limits.seconds is None else work_clock() + limits.seconds
        return cls(deadline, limits.nodes)

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Note what ends a search, where that is a limit or Ctrl-C."""
        try:
            with self.interrupts:
                yield
        except LimitReached as limit:
            self.reason = str(limit)
        except KeyboardInterrupt:
            self.reason, self.interrupted = INTERRUPTED, True

    def forecast(self) -> float:
        """Return about how many more nodes there will be time for."""
        left = float(self.most_nodes - self.nodes)
        if self.deadline is None:
            return min(left, max(10.0 * self.nodes, PATIENCE))
        now = work_clock()
        return min(left, self.nodes / max(now - self.started, 1e-6) * (self.deadline - now))

    def left(self) -> int:
        self.report(self.nodes)
        self.interrupts.look()
        if self.nodes >= min(self.most_nodes, self.enough):
            raise LimitReached(NODES_SPENT)
        self.check_time()
        return self.most_nodes - self.nodes

    def check_time(self) -> None:
        if self.seconds() <= 0.0:
            raise LimitReached(TIME_SPENT)

    def seconds(self) -> float:
        return math.inf if self.deadline is None else self.deadline - work_clock()
