"""Whether all separating lines, or all with the fewest mistakes, give a new row the same answer."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
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
from separatrix.exact.signed_block import homogeneous
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import with_constant
from separatrix.separation.decide import separability_of
from separatrix.tiles import one_blas_thread
from separatrix.version_space.fewest_mistake_lines import FewestMistakeLines
from separatrix.version_space.separating_lines import SeparatingLines
from separatrix.zero_one.limits import Limits

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
