"""The rows of a sample as `verify.py` has them, for certificates that it checks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from separatrix import verify
from separatrix.certificates.statement import Claim
from separatrix.data import Sample
from separatrix.verify import Asking, Columns, Part, Table, constant

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

    def columns(self, rows: Sequence[int], x0: float) -> Columns:
        """Return the columns of some rows."""
        n, X = len(rows), self.sample.X[rows]
        found = constant(x0, n)
        if not sp.issparse(X):
            return found | {j: (range(n), x) for j, x in enumerate(X.T.tolist(), 1)}
        X = X.tocsc()
        for j in np.flatnonzero(np.diff(X.indptr)).tolist():
            part = slice(X.indptr[j], X.indptr[j + 1])
            found[j + 1] = X.indices[part].tolist(), X.data[part].tolist()
        return found


def rows_of(sample: Sample) -> Table:
    """Return the rows, all of which have a weight."""
    weights = [] if (sample.weight == 1.0).all() else [*map(Fraction, sample.weight.tolist())]
    names = ["intercept", *(f"x{j}" for j in range(1, sample.d + 1))]
    y = [int(s) for s in sample.y.tolist()]
    return Table(names, bool(sample.x0), y, weights, InMemory(sample), range(sample.n))


def part_of(claim: Claim) -> Part:
    """Return a claim as `verify.py` reads it."""
    return Part(json.loads(json.dumps(claim, allow_nan=False)))


def answered(table: Table, asking: Asking[Found]) -> Found:
    """Return what a check of `verify.py` comes to, which asks all rows now and then."""
    while True:
        try:
            asked = next(asking)
        except StopIteration as stop:
            found: Found = stop.value
            return found
        table.observed(*asked)
