"""Whether all lines that make the fewest mistakes give a new row the same answer.

Let k be the fewest mistakes, proven. Some line that makes k says yes to x exactly when k is also
the fewest with x added as a yes, since a line that has x on it can be moved a little off it: its
right rows stay right. So the lines known to make k are tried first, and then whether k holds with x
on the other side: a line that shows it is kept for the rows to come, a bound above k refutes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from separatrix.clock import work_clock
from separatrix.data import Sample, dense
from separatrix.exact.float_filter import exact_signs
from separatrix.exact.integers import Floats, Indices
from separatrix.exact.signed_block import homogeneous
from separatrix.kernels.exact import signed_scores
from separatrix.zero_one.limits import Limits
from separatrix.zero_one.minimum_errors import ErrorBracket, fewest_mistakes
from separatrix.zero_one.problem import Question
from separatrix.zero_one.proof import Unproven


class FewestMistakeLines:
    def __init__(self, sample: Sample, limits: Limits, deadline: float = math.inf) -> None:
        self.sample, self.limits, self.deadline = sample, limits, deadline
        self.limit, self.limited = "", np.zeros(0, dtype=np.bool_)
        self.known: list[Floats | Sequence[Fraction]] = []
        found = self._fewest(sample)
        self.fewest = found.exact_upper
        if found.proven and _holds(found, sample):
            self.known.append(_line(found))
        else:
            self.limit = (
                "no line separates these data, and how few mistakes a line can make is open: "
                f"between {found.lower:g} and {found.upper:g} ({found.reason}). So the lines with "
                "the fewest mistakes are not known well enough to agree; a larger time_limit or "
                "max_nodes may find out"
            )

    def sides(self, points: Floats) -> Indices:
        """Return 1 (all say yes), -1 (all say no) or 0 for each point (d,) of (m, d)."""
        found = [self._side(point) for point in points]
        self.limited = np.array([side is None for side in found], dtype=np.bool_)
        return np.array([side or 0 for side in found], dtype=np.int64)

    def _side(self, point: Floats) -> int | None:
        """Return the side of a point, or None when a limit was met."""
        if not self.sample.x0 and not point.any():
            return -1
        row = np.ascontiguousarray(point[None, :])
        said = {self._said(row, line) for line in self.known}
        if len(said) > 1 or 0 in said:
            return 0
        if not said:
            return None
        (side,) = said
        other = self._other_side_too(row, side)
        return None if other is None else 0 if other else side

    def _said(self, row: Floats, line: Floats | Sequence[Fraction]) -> int:
        x0 = self.sample.x0
        if isinstance(line, np.ndarray):
            return int(np.sign(signed_scores(row, 1, line, x0)[0]))
        return int(exact_signs(homogeneous(row, x0), line[0 if x0 else 1 :])[0])

    def _other_side_too(self, row: Floats, side: int) -> bool | None:
        """Return whether one of these lines has the row on the other side; None if that is open."""
        sample = replace(
            self.sample,
            X=np.vstack([dense(self.sample.X, "the rows"), row]),
            y=np.append(self.sample.y, -float(side)),
            weight=np.append(self.sample.weight, 1.0),
        )
        found = self._fewest(sample)
        if found.exact_upper == self.fewest:
            self.known.append(_line(found))
            return True
        if found.exact_lower > self.fewest and _holds(found, sample):
            return False
        self.limit = found.reason or "a bound could not be proven"
        return None

    def _fewest(self, sample: Sample) -> ErrorBracket:
        """Return the fewest mistakes within what is left of the limits."""
        limits = self.limits
        if self.deadline < math.inf:
            limits = replace(limits, seconds=max(0.0, self.deadline - work_clock()))
        lines = [line for line in self.known if isinstance(line, np.ndarray)]
        return fewest_mistakes(Question(sample, limits), None, lines)


def _line(found: ErrorBracket) -> Floats | Sequence[Fraction]:
    """Return the line with the fewest mistakes, in doubles where they hold one."""
    return found.weights if found.exact_line is None else found.exact_line


def _holds(found: ErrorBracket, sample: Sample) -> bool:
    """Return whether the bounds were checked in whole numbers, by a certificate if there is one."""
    if found.enumeration is not None and found.enumeration.packing is None:
        return True
    try:
        return found.certificate.verify(sample.X, sample.y, sample.weight)
    except Unproven:
        return False
