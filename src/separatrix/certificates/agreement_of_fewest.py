"""Whether all lines that make the fewest mistakes give a new row the same answer.

Let k be the fewest mistakes, proven. Some line that makes k says yes to x exactly when k is also
the fewest with x added as a yes, since a line that has x on it can be moved a little off it: its
right rows stay right. So the lines known to make k are asked first, and then whether k holds with x
on the other side: a line that shows it is known for the rows to come, a bound above k refutes it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.certificates.exact import Floats, Indices
from separatrix.certificates.fewest_mistakes import ErrorBracket, fewest_mistakes
from separatrix.certificates.mistake_proof import Unproven
from separatrix.certificates.mistake_question import Limits
from separatrix.data import InputError, Sample, dense
from separatrix.kernels.exact import signed_scores


class FewestMistakeLines:
    """All lines that make the fewest mistakes on a sample.

    Parameters
    ----------
    sample : of equal weights; x0 : 1.0 with an intercept, 0.0 without
    limits : of the search for the fewest mistakes, and of each question after it

    Attributes
    ----------
    known : (1+d,) each, some of these lines
    limit : why some row is called undecided though it may not be; "" when none is

    Raises
    ------
    InputError
        When it is open within the limits how few mistakes a line can make.
    """

    def __init__(self, sample: Sample, x0: float, limits: Limits) -> None:
        self.sample, self.x0, self.limits = sample, x0, limits
        found = fewest_mistakes(sample, x0, limits)
        if not found.proven or not _holds(found, sample):
            raise InputError(
                "no line separates these data, and how few mistakes a line can make is open: "
                f"between {found.lower:g} and {found.upper:g} ({found.reason}). So the lines with "
                "the fewest mistakes are not known well enough to agree; `agree` with a larger "
                "max_nodes may find out."
            )
        self.fewest = found.exact_upper
        self.known: list[Floats] = [found.weights]
        self.limit = ""

    def sides(self, points: Floats) -> Indices:
        """Return 1 (all say yes), -1 (all say no) or 0 for each point (d,) of (m, d)."""
        return np.array([self._side(point) for point in points], dtype=np.int64)

    def _side(self, point: Floats) -> int:
        if not self.x0 and not point.any():
            return -1
        row = np.ascontiguousarray(point[None, :])
        said = {int(np.sign(signed_scores(row, 1, line, self.x0)[0])) for line in self.known}
        if len(said) > 1 or 0 in said:
            return 0
        (side,) = said
        return 0 if self._other_side_too(row, side) else side

    def _other_side_too(self, row: Floats, side: int) -> bool:
        """Return whether one of these lines has the row on the other side, or that is open."""
        sample = replace(
            self.sample,
            X=np.vstack([dense(self.sample.X, "the rows"), row]),
            y=np.append(self.sample.y, -float(side)),
            weight=np.append(self.sample.weight, 1.0),
        )
        found = fewest_mistakes(sample, self.x0, self.limits, None, self.known)
        if found.exact_upper == self.fewest:
            self.known.append(found.weights)
            return True
        if found.exact_lower > self.fewest and _holds(found, sample):
            return False
        self.limit = found.reason or "a bound could not be proven"
        return True


def _holds(found: ErrorBracket, sample: Sample) -> bool:
    """Return whether the certificate of the bounds was written and checked, in whole numbers."""
    try:
        return found.certificate.verify(sample.X, sample.y, sample.weight)
    except Unproven:
        return False
