"""Coefficients of a linear regression: t intervals and tests on N - k degrees, sigma, R^2, F."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.special import stdtr, stdtrit

from separatrix.data import Sample
from separatrix.inference.design import Design, Spread, standard_errors
from separatrix.inference.estimates import Estimates
from separatrix.inference.figures import LinearFigures
from separatrix.learners.least_squares.least_squares import least_squares
from separatrix.scale import Rows

NOTE = (
    "Intervals and tests of a linear regression are exact under independent normal errors of one "
    "variance."
)


def linear_estimates(
    sample: Sample, level: float, spread: Spread
) -> tuple[Estimates, LinearFigures]:
    """Return estimates with t intervals and tests, and the figures of the model."""
    keep = sample.weight > 0.0
    sample, spread = sample.at(keep), spread.only(keep)
    y, weight, x0 = sample.y, sample.weight, sample.x0
    solution = least_squares(Rows.of(sample))
    design, n = Design.of(sample), float(weight.sum())
    squares = float(weight @ solution.residuals**2)
    centre = float(np.average(y, weights=weight)) if x0 else 0.0
    figures = LinearFigures(n, design.rank, int(x0), squares, float(weight @ (y - centre) ** 2))
    estimate, errors = np.full((2, sample.d + 1), np.nan)
    if not x0:
        estimate[0] = 0.0
    open_ones = design.undetermined()
    if not open_ones:
        estimate[design.columns] = solution.weights[design.columns]
    else:
        half = design.A * np.sqrt(weight)[:, np.newaxis]
        c = scipy.linalg.lstsq(half, y * np.sqrt(weight), check_finite=False)[0]
        estimate[design.columns] = design.back @ c
    with np.errstate(all="ignore"):
        errors[design.columns] = standard_errors(
            design, weight, solution.residuals, spread, n=n, parameters=design.rank,
            variance=figures.sigma**2,
        )  # fmt: skip
        estimate[list(open_ones)] = errors[list(open_ones)] = np.nan
        degrees = figures.degrees
        if spread.groups is not None:
            degrees = float(np.unique(spread.groups).size - 1)
        t = estimate / errors
        far = (
            float(stdtrit(degrees, 0.5 + level / 2.0)) * errors if degrees > 0 else errors * np.nan
        )
        p = 2.0 * stdtr(degrees, -np.abs(t)) if degrees > 0 else t * np.nan
    made = Estimates(
        estimate, errors, estimate - far, estimate + far, t * t, p, figures.log_likelihood,
        notes=() if not spread.usual else (NOTE,),
    )  # fmt: skip
    return made, figures
