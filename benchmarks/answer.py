"""The one shape in which every adapter, ours and the peers', gives its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Problem

SEPARABLE = "separable"
NOT_SEPARABLE = "not separable"


@dataclass(frozen=True)
class CheckedProof:
    """A proof file that was found VERIFIED.

    Parameters
    ----------
    kilobytes : its size
    proving : seconds from the answer to the file; for its words, the check is run once in them
    seconds : of the process that checks it
    """

    kilobytes: float
    proving: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Answer:
    """What one timed run gave.

    Parameters
    ----------
    weights : (1+d,) w_0 first; None where there is no line
    seconds : what is compared: a whole call, or one pass
    whole_seconds : the whole call where `seconds` is one pass of it
    claim : SEPARABLE, NOT_SEPARABLE, or None where nothing is claimed
    check : re-checks the proof that came with the answer, outside the timing; None without a proof
    prove : writes a proof file and has it checked, outside the timing; None where nothing is proven
    work : what was done, in words
    """

    weights: NDArray[np.float64] | None
    seconds: float
    whole_seconds: float | None = None
    claim: str | None = None
    check: Callable[[], bool] | None = None
    prove: Callable[[], CheckedProof] | None = None
    work: str = ""


class TooSlowError(Exception):
    """A peer that cannot be measured in reasonable time; the text says how long it took."""


Run = Callable[[], Answer]


class Adapter(Protocol):
    """One way to answer a task.

    `imports` is what a fresh process has to import before it can start: its time is reported apart.
    """

    name: str
    imports: str

    def prepare(self, problem: Problem) -> Run:
        """Do what is not timed (layouts of the data, told parameters); return the timed run.

        Peers are imported here, so that one that is not installed is absent from its own row alone.
        """
        ...
