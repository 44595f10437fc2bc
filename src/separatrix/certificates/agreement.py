"""Whether all separating lines give a new applicant the same answer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates.lines import SeparatingLines
from separatrix.certificates.separability import separability_of
from separatrix.data import InputError, Sample, SeparatrixWarning, dense, read_arrays, to_points
from separatrix.tiles import one_blas_thread

ANSWERS = np.array(["no", "undecided", "yes"])


def agree(X: Any, y: Any, X_new: Any, fit_intercept: bool = True) -> NDArray[np.str_]:  # noqa: ANN401
    """Return "yes", "no" or "undecided" for each new row, over all lines that separate X, y.

    "yes": w.(1, x) > 0 for every separating line w, because (1, x) is a combination of the z_n
    with multipliers >= 0; "no" likewise; "undecided": two lines that separate answer differently,
    so the data do not decide. Each answer has been checked in exact arithmetic.

    Parameters
    ----------
    X : table (N, d); y : N labels of two kinds, the second in sorted order is "yes"
    X_new : table (m, d) of new rows
    fit_intercept : whether the lines may miss the origin; without, a row of zeros is a "no"

    Raises
    ------
    InputError
        When no line separates X, y; when X, y or X_new cannot be used.

    Examples
    --------
    >>> agree([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], [[0.5], [2.0], [3.5]]).tolist()
    ['no', 'undecided', 'yes']
    """
    sample = read_arrays(X, y)
    points = dense(to_points(X_new), "the new rows")
    if points.shape[1] != sample.d:
        raise InputError(
            f"X_new has {points.shape[1]} columns and X has {sample.d}: they must be the same ones."
        )
    x0 = 1.0 if fit_intercept else 0.0
    return agree_of(sample, x0, np.hstack([np.ones((len(points), int(x0))), points]))


def agree_of(sample: Sample, x0: float, points: NDArray[np.float64]) -> NDArray[np.str_]:
    """Return what `agree` does, for a checked sample and points (x0, x): (m, D)."""
    found = separability_of(sample, x0)
    if found.verdict == "undecided":
        raise InputError(
            f"whether a line separates these data is not decided ({found.reason}), so there is "
            "nothing to agree."
        )
    if not found.separable or found.line is None:
        raise InputError(
            f"no line separates these data (they are {found.verdict}), so there are no separating "
            "lines to agree. Whether all lines with the fewest mistakes agree is an open question "
            "here: minimum errors would have to be proven first."
        )
    with one_blas_thread():
        lines = SeparatingLines(sample, x0, found.line)
        sides = lines.sides(points)
    if lines.limit:
        warnings.warn(
            f"some rows are called undecided because {lines.limit}", SeparatrixWarning, stacklevel=3
        )
    return ANSWERS[sides + 1]
