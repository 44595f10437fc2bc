"""The learning curve of linear regression, simulated (lecture 9).

For y = w_f.x + noise of variance s^2, columns that stay the same and d + 1 of them independent:
E_in = s^2 (1 - (d+1)/N) and, on the same rows with fresh noise, E_out = s^2 (1 + (d+1)/N), both in
the mean over the noise. The hat matrix H makes the fit: residuals (I - H) noise, whatever w_f is.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from separatrix.course.datasets.points import stream
from separatrix.course.experiments.kind import (
    Column,
    Findings,
    Kind,
    Least,
    Runs,
    mean,
    standard_error,
)
from separatrix.data import InputError
from separatrix.learners.least_squares.pseudo_inverse import hat_matrix
from separatrix.theory import learning_curve as formula

ROWS = (12, 15, 20, 25, 35, 50, 70, 100, 140, 200)
COLUMNS = (
    Column("N", "rows"),
    Column("E_in", "mean squared error on the rows learned from"),
    Column("its standard error", "over the repeats"),
    Column("s^2 (1 - (d+1)/N)", "what the formula says"),
    Column("E_out", "mean squared error on the same rows with fresh noise"),
    Column("standard error of it", "over the repeats"),
    Column("s^2 (1 + (d+1)/N)", "what the formula says"),
)
FARTHEST = 3.0  # standard errors


def run(
    runs: Runs,
    *,
    rows: Annotated[tuple[int, ...], Least(2, "Sizes N.")] = ROWS,
    columns: Annotated[int, Least(1, "d, without the constant.")] = 9,
    noise: Annotated[float, Least(0.0, "s, the standard deviation of the noise.")] = 1.0,
    repeats: Annotated[int, Least(1, "How often noise is drawn for each N.")] = 400,
) -> Findings:
    """Draw noise over fixed rows, fit, and set E_in and E_out beside the formula."""
    if min(rows) < columns + 1:
        raise InputError(
            f"rows (--rows) must all be {columns + 1} or more, the {columns} columns and the "
            f"constant; one is {min(rows)}."
        )
    found = []
    for n, seeds in runs.each(rows):
        next(seeds)
        draw = stream(runs.seed, (n,))
        H = hat_matrix(np.column_stack((np.ones(n), draw.standard_normal((n, columns)))))
        seen, fresh = noise * draw.standard_normal((2, n, repeats))
        fitted = H @ seen
        e_in = ((seen - fitted) ** 2).mean(axis=0)
        e_out = ((fresh - fitted) ** 2).mean(axis=0)
        below, above = formula(n, columns, noise**2)
        inside = mean(e_in), standard_error(e_in), float(below)
        found.append((n, *inside, mean(e_out), standard_error(e_out), float(above)))
    return Findings(
        "Linear regression on rows that stay the same, with noise drawn anew each time; E_out "
        "is measured on the same rows with fresh noise.",
        found,
        _in_words(found),
    )


def _in_words(
    found: list[tuple[int, float, float | None, float, float, float | None, float]],
) -> str:
    off = [
        abs(seen - expected) / error
        for _, a, a_error, a_expected, b, b_error, b_expected in found
        for seen, error, expected in ((a, a_error, a_expected), (b, b_error, b_expected))
        if error
    ]
    if not off:
        return "One repeat has no standard error: ask for more."
    return (
        f"The farthest of the {len(off)} means lies {max(off):.1f} standard errors from its "
        f"formula; {sum(z > FARTHEST for z in off)} lie more than {FARTHEST:g} away."
    )


KIND = Kind(
    "learning-curve",
    "E_in and E_out of linear regression as rows grow, beside s^2 (1 -/+ (d+1)/N).",
    COLUMNS,
    run,
)
