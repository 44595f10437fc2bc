"""The rows of a sample as `verify.py` has them, for certificates that it checks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import scipy.sparse as sp

from separatrix import verify
from separatrix.certificates.statement import Claim
from separatrix.data import Sample
from separatrix.verify import A_CLAIM, Asking, Part, Points, Table, fits

Found = TypeVar("Found")


@dataclass
class InMemory:
    """The rows of a sample, as a source of a table."""

    sample: Sample

    def __post_init__(self) -> None:
        X = self.sample.X
        self.names: list[str] = []
        self.files: Sequence[verify.File] = ()
        self.unit, self.first, self.n = "line", 1, self.sample.n
        self.n_numbers = self.n + int(X.nnz if sp.issparse(X) else X.size)

    def keep(self) -> None:
        """Keep nothing: the numbers are there."""

    def points(self, rows: Sequence[int], x0: float) -> Points:
        """Return the points of some rows."""
        if not sp.issparse(self.sample.X):
            return [[x0, *row] for row in self.sample.X[rows].tolist()], None
        X = self.sample.X[rows]
        found: list[dict[int, float]] = []
        for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            places, values = X.indices[start:stop] + 1, X.data[start:stop]
            there = {0: x0} | dict(zip(places.tolist(), values.tolist(), strict=True))
            found.append({j: a for j, a in there.items() if a})
        return [[*one.values()] for one in found], [[*one] for one in found]


def rows_of(sample: Sample) -> Table:
    """Return the rows, all of which have a weight."""
    weights = [] if (sample.weight == 1.0).all() else [*map(Fraction, sample.weight.tolist())]
    names = ["intercept", *(f"x{j}" for j in range(1, sample.d + 1))]
    y = [int(s) for s in sample.y.tolist()]
    return Table(names, bool(sample.x0), y, weights, InMemory(sample), range(sample.n))


def part_of(claim: Claim) -> Part:
    """Return a claim as `verify.py` reads it."""
    told = json.loads(json.dumps(claim, allow_nan=False))
    fits(told, A_CLAIM)
    return Part(told)


def answered(table: Table, asking: Asking[Found]) -> Found:
    """Return what a check of `verify.py` comes to, which asks all rows now and then."""
    while True:
        try:
            asked = next(asking)
        except StopIteration as stop:
            found: Found = stop.value
            return found
        table.observed(*asked)
