"""All consistent lines at once (Mitchell 1977): where they agree on an unseen row.

They are the lines that separate, or where none does, those with the fewest mistakes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.clock import work_clock
from separatrix.data import (
    InputError,
    Labels,
    Sample,
    SeparatrixWarning,
    dense,
    read_arrays,
    to_points,
)
from separatrix.exact.cancelling import Truths, surely_inside
from separatrix.exact.integers import Floats, Indices
from separatrix.exact.signed_block import exact_signs, homogeneous
from separatrix.exact.signed_rows import SignedRows
from separatrix.kernels.exact import signed_scores
from separatrix.scale import with_constant
from separatrix.separation.constraint_generation import WorkingSet, first_rows
from separatrix.separation.decide import separability_of
from separatrix.separation.exact_simplex import Undecided
from separatrix.separation.working_rows import line_or_refusal
from separatrix.tiles import one_blas_thread
from separatrix.zero_one.limits import TIME_SPENT, Limits
from separatrix.zero_one.minimum_errors import ErrorBracket, fewest_mistakes
from separatrix.zero_one.problem import Question
from separatrix.zero_one.proof import Unproven

ANSWERS = np.array(["no", "undecided", "yes"])


class Agreement(np.ndarray[Any, np.dtype[np.str_]]):
    """What `agree` returns: an array (m,) of "yes", "no" and "undecided"."""

    classes: Labels

    def __array_finalize__(self, whole: Untyped) -> None:
        """Keep the labels in a part of the array."""
        self.classes = getattr(whole, "classes", ANSWERS[::2])

    @property
    def labels(self) -> NDArray[np.object_]:
        """The same in the labels of y, (m,): None where undecided."""
        words = dict(zip(ANSWERS[::2].tolist(), self.classes.tolist(), strict=True))
        labels = np.empty(self.shape, dtype=object)
        labels[...] = [words.get(answer) for answer in self.tolist()]
        return labels


@dataclass(frozen=True, eq=False)
class Agreed:
    """What all the best lines say of new rows, and where a limit was met."""

    answers: Agreement  # (m,) of "yes", "no" or "undecided"
    limited: NDArray[np.bool_]  # (m,) which of them are undecided only because a limit was met
    limit: str  # which limit; "" when none was


def agree(
    X: ArrayLike,
    y: ArrayLike,
    X_new: Untyped,
    fit_intercept: bool = True,
    *,
    time_limit: float | None = None,
    max_nodes: int | None = 100_000,
) -> Agreement:
    """Return "yes", "no" or "undecided" for each new row, over all lines that separate X, y.

    ``agree(...).labels`` are the same in the labels of y, None where undecided.

    "yes": w.(1, x) > 0 for every separating line w, because (1, x) is a combination of the z_n
    with multipliers >= 0; "no" likewise; "undecided": two lines that separate answer differently,
    so the data do not decide. Each answer has been checked in exact arithmetic.

    Where no line separates, the same over all lines that make the fewest mistakes, once that number
    is proven: with x added on the other side every line makes more, and a certificate shows it.

    Parameters
    ----------
    X : table (N, d); y : N labels of two kinds, the second in sorted order is "yes"
    X_new : table (m, d) of new rows
    fit_intercept : whether the lines may miss the origin; without, a row of zeros is a "no"
    time_limit : seconds for all new rows, or None; where it falls depends on the machine
    max_nodes : where no line separates, boxes of lines to search for the fewest mistakes, and
        again for each new row; None for as many as it takes

    Raises
    ------
    InputError
        When X, y or X_new cannot be used.

    Warns
    -----
    SeparatrixWarning
        "undecided: limit" when a limit was met: then rows are called undecided that may not be.

    Examples
    --------
    >>> agree([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], [[0.5], [2.0], [3.5]]).tolist()
    ['no', 'undecided', 'yes']
    >>> agree([[1], [3]], ["bad", "good"], [[0.5], [2.0], [3.5]]).labels.tolist()
    ['bad', None, 'good']
    >>> agree([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 1], [[-1], [1.5], [5]]).tolist()
    ['no', 'undecided', 'yes']
    """
    sample = with_constant(read_arrays(X, y), 1.0 if fit_intercept else 0.0)
    points = dense(to_points(X_new), "the new rows")
    if points.shape[1] != sample.d:
        raise InputError(
            f"X_new has {points.shape[1]} columns and X has {sample.d}: they must be the same ones."
        )
    found = agree_of(sample, points, Limits.of(time_limit, max_nodes))
    if found.limit:
        warnings.warn(
            f"undecided: limit: {int(found.limited.sum()):,} of {len(points):,} new rows may have "
            f"an answer all the same, but {found.limit}",
            SeparatrixWarning,
            stacklevel=2,
        )
    return found.answers


def agree_of(sample: Sample, points: NDArray[np.float64], limits: Limits) -> Agreed:
    """Return what `agree` does, for a checked sample and new rows (m, d)."""
    deadline = math.inf if limits.seconds is None else work_clock() + limits.seconds
    found = separability_of(sample)
    lines: SeparatingLines | FewestMistakeLines
    if found.separable and found.line is not None:
        with one_blas_thread():
            lines = SeparatingLines(SignedRows(sample), found.line, deadline)
            sides = lines.sides(homogeneous(points, sample.x0))
    else:
        lines = FewestMistakeLines(sample, limits, deadline)
        sides = lines.sides(points)
    answers = ANSWERS[sides + 1].view(Agreement)
    answers.classes = sample.classes
    return Agreed(answers, lines.limited, lines.limit)


FAST = 64  # lines kept, on which a point is tried first


class SeparatingLines:
    """The separating lines of a sample, by some of them: which points are on one side of all.

    For q != 0 and an open cone of lines w (Zw > 0): some line has q.w < 0 exactly when the rows and
    -q can be separated, and then the line that does it is the proof; otherwise a combination with
    lambda >= 0 gives q = sum lambda_n z_n, and no separating line has q.w <= 0 (Farkas 1902). A
    line with q.w = 0 has others on both sides around it. Lines and working rows found for one point
    serve the next; each answer is checked exactly.
    """

    def __init__(
        self, table: SignedRows, weights: Sequence[Fraction], deadline: float = math.inf
    ) -> None:
        self.table = table
        self.deadline = deadline
        self.lines = [list(table.columns_of(weights))]
        self.rows = first_rows(table)
        self.limit, self.limited = "", np.zeros(0, dtype=np.bool_)

    def sides(self, points: Floats) -> Indices:
        """Return whether q.w > 0 on every line (+1), < 0 or q = 0 (-1), or neither (0), (m,)."""
        distinct, where = np.unique(points, axis=0, return_inverse=True)
        sides, limited = np.zeros(len(distinct), dtype=np.int64), np.zeros(len(distinct), np.bool_)
        up, down = self._signs(distinct, self.lines)
        zero = ~distinct.any(axis=1)
        sides[zero] = -1
        open_ = ~(up & down) & ~zero
        while open_.any():
            place = int(np.argmax(open_))
            open_[place] = False
            side = 1 if up[place] else -1
            line, cone = self._beyond(distinct[place], side)
            limited[place] = line == []
            others = np.flatnonzero(open_ & (up if side > 0 else down))
            if line is None:
                sides[place] = side
                if cone is not None:
                    same = others[surely_inside(side * cone, distinct[others])]
                    sides[same] = side
                    open_[same] = False
            elif line:
                self.lines = [*self.lines[-FAST + 1 :], line]
                others = np.flatnonzero(open_)
                more_up, more_down = self._signs(distinct[others], [line])
                up[others] |= more_up
                down[others] |= more_down
                open_[others] = ~(up[others] & down[others])
        self.limited = np.asarray(limited[where.ravel()])
        return np.asarray(sides[where.ravel()])

    def _signs(self, points: Floats, lines: Sequence[Sequence[Fraction]]) -> tuple[Truths, Truths]:
        """Return where some line has q.w > 0, and some q.w < 0; near q.w = 0 both hold."""
        up = np.zeros(len(points), dtype=np.bool_)
        down = up.copy()
        for line in lines:
            signs = exact_signs(points, line)
            up |= signs >= 0
            down |= signs <= 0
        return up, down

    def _beyond(self, q: Floats, side: int) -> tuple[list[Fraction] | None, Floats | None]:
        """Return a separating line with q.w on the other side, or None: there is none, proven."""
        if work_clock() > self.deadline:
            self.limit = TIME_SPENT
            return [], None
        working = WorkingSet(self.table, self.rows, (-float(side) * q)[None, :])
        try:
            answer = line_or_refusal(working)
        finally:
            self.rows = working.rows
        if isinstance(answer, Undecided):
            self.limit = answer.reason
            return [], None
        if isinstance(answer, list):
            return answer, None
        few = np.array([n for n in answer.rows if n < self.table.n], dtype=np.int64)
        cone = self.table.floats(few)
        shows = few.size == q.size and surely_inside(cone, -working.extra).all()
        return None, cone if shows else None


class FewestMistakeLines:
    """The lines with k mistakes, the fewest, proven.

    Some of them says yes to x exactly when k is also the fewest with x added as a yes, since a line
    that has x on it can be moved a little off it: its right rows stay right. So the lines known to
    make k are tried first, and then whether k holds with x on the other side: a line that shows it
    is kept for the rows to come, a bound above k refutes it.
    """

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
