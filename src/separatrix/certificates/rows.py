"""The rows of a sample as `verify.py` has them, for certificates that it checks."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TypeVar

import scipy.sparse as sp

from separatrix.certificates.statement import Claim
from separatrix.data import Sample
from separatrix.verify import NO_LIMITS, Asking, Part, Rows, Table, is_a_claim

Found = TypeVar("Found")


def rows_of(sample: Sample) -> Table:
    """Return the rows, all of which have a weight."""
    table = Table(
        names=["intercept", *(f"x{j}" for j in range(1, sample.d + 1))],
        intercept=bool(sample.x0),
        y=[int(s) for s in sample.y.tolist()],
        weights=[] if (sample.weight == 1.0).all() else [*map(Fraction, sample.weight.tolist())],
        lines=range(1, sample.n + 1),
        points=[],
        limits=NO_LIMITS,
        unit="line",
    )
    if not sp.issparse(sample.X):
        table.points = [[sample.x0, *row] for row in sample.X.tolist()]
        return table
    table.places = []
    for start, stop in zip(sample.X.indptr[:-1], sample.X.indptr[1:], strict=True):
        places, values = sample.X.indices[start:stop] + 1, sample.X.data[start:stop]
        there = {0: sample.x0} | dict(zip(places.tolist(), values.tolist(), strict=True))
        table.places.append([j for j, a in there.items() if a])
        table.points.append([a for a in there.values() if a])
    return table


def part_of(claim: Claim) -> Part:
    """Return a claim as `verify.py` reads it."""
    told = json.loads(json.dumps(claim, allow_nan=False))
    is_a_claim(told)
    return Part(told)


def answered(table: Rows, asking: Asking[Found]) -> Found:
    """Return what a check of `verify.py` comes to, which asks all rows now and then."""
    while True:
        try:
            asked = next(asking)
        except StopIteration as stop:
            found: Found = stop.value
            return found
        table.observed(*asked)
