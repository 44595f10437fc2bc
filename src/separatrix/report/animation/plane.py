"""Which two directions of a table a film shows: two columns, or the two principal directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from separatrix.data import Floats, InputError, Sample, dense
from separatrix.report.displays._reading import Column, two_columns

STANDARDISED = ", standardised"  # behind the name of a column


class Plane(NamedTuple):
    """Points (N, 2) and what their two columns are."""

    points: Floats
    names: tuple[str, str]


def plane_for(
    sample: Sample, names: Sequence[str], columns: Sequence[Column] | None, standardise: bool
) -> Plane:
    if sample.d < 2:
        raise InputError("the film shows a plane: it needs two columns, and X has one.")
    if columns is None and sample.d > 2:
        return _principal(sample)
    a, b = two_columns((0, 1) if columns is None else columns, names)
    points = np.asarray(dense(sample.X[:, [a, b]], "The film"), dtype=np.float64)
    if not standardise:
        return Plane(points, (names[a], names[b]))
    return Plane(_standardised(points), (names[a] + STANDARDISED, names[b] + STANDARDISED))


def _principal(sample: Sample) -> Plane:
    """Return the two directions in which the standardised columns vary most."""
    columns = _standardised(np.asarray(dense(sample.X, "The film"), dtype=np.float64))
    variances, directions = np.linalg.eigh(columns.T @ columns / sample.n)
    best = directions[:, ::-1][:, :2]
    best = best * np.where(best[np.abs(best).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
    total = max(float(variances.sum()), 5e-324)
    shares = variances[::-1][:2] / total
    first, second = (
        f"principal direction {k} ({share:.0%} of the variance)"
        for k, share in enumerate(shares, start=1)
    )
    return Plane(np.ascontiguousarray(columns @ best), (first, second))


def _standardised(points: Floats) -> Floats:
    """Return columns of mean 0 and standard deviation 1; a constant one becomes 0."""
    largest = np.abs(points).max(axis=0)
    scaled = points / np.where(largest > 0.0, largest, 1.0)  # squares must not overflow
    centred = scaled - scaled.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    constant = np.ptp(points, axis=0) == 0.0
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))
