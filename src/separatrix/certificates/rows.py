"""The rows of a sample as `verify.py` has them, for certificates that it checks."""

from __future__ import annotations

from fractions import Fraction

import scipy.sparse as sp

from separatrix.data import Sample
from separatrix.verify import (
    Table,
)


def rows_of(sample: Sample, x0: float) -> Table:
    """Return the rows, all of which have a weight."""
    names = ["intercept", *(f"x{j}" for j in range(1, sample.d + 1))]
    table = Table(
        "y", bool(x0), names, [],
        y=[int(s) for s in sample.y.tolist()],
        weights=[Fraction(m) for m in sample.weight.tolist()],
        lines=list(range(1, sample.n + 1)),
    )  # fmt: skip
    if not sp.issparse(sample.X):
        table.points = [[x0, *row] for row in sample.X.tolist()]
        return table
    table.points, table.places = [], []
    for start, stop in zip(sample.X.indptr[:-1], sample.X.indptr[1:], strict=True):
        places, values = sample.X.indices[start:stop] + 1, sample.X.data[start:stop]
        table.add([(j, a) for j, a in zip(places.tolist(), values.tolist(), strict=True) if a])
    return table
