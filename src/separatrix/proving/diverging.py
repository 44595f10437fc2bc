"""Which coefficients diverge, as a claim that `verify.py` checks by itself (handbook, chapter 4).

`separation/divergence.py` finds the lines and the combinations of rows that show it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from separatrix.certificates.statement import (
    Claim,
    Vector,
    hexadecimal,
    null_space,
    vector,
    with_multipliers,
)
from separatrix.data import Sample
from separatrix.exact.integers import independent_rows
from separatrix.exact.level_elimination import spanning_rows
from separatrix.exact.signed_rows import SignedRows
from separatrix.scale import Rows, with_constant
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread

NOT_CLAIMED = "diverging coefficients: each takes a look at all of a large table"
MOST_NUMBERS = 1 << 19  # in a table (of a sparse one without zeros): each line is checked on all


def shown_diverging(found: Separability, sample: Sample | Rows) -> tuple[list[Claim], list[str]]:
    """Return the claim on diverging coefficients, or why it is left out."""
    if found.verdict == "overlapping":
        return [], []
    if not isinstance(sample, Rows):
        nonzeros = sample.X.nnz if sp.issparse(sample.X) else sample.n * sample.d
        if sample.n + nonzeros <= MOST_NUMBERS:
            return diverging_of(found, sample), []
    return [], [NOT_CLAIMED]


def diverging_of(found: Separability, sample: Sample) -> list[Claim]:
    """Return the claim for separable and touching rows; of others none diverges."""
    shown = found.divergence
    if shown is None:
        return []
    table = SignedRows(with_constant(sample, found.x0)) if found.table is None else found.table
    with one_blas_thread():
        if sp.issparse(sample.X) and table.sparse is not None:
            independent = spanning_rows(table.sparse, table.rank)
        else:
            independent = independent_rows(table.integers(np.arange(sample.n)))
        silent = null_space(sample, independent)
    free: list[Vector] = []
    if found.recession is not None:
        basis = (table.weights(v) for v in found.recession.basis(table))
        free = [*(vector(v) for v in basis), *silent]
    return [
        {
            "kind": "diverging",
            "null_space": silent,
            "independent": independent,
            **with_multipliers(found.witness.rows.tolist(), found.witness.multipliers),
            "free": free,
            "lines": [vector(line) for line in shown.lines],
            "directions": [
                {
                    "index": j,
                    "direction": told.direction,
                    **with_multipliers(told.rows, told.multipliers),
                    "times": [hexadecimal(told.times)],
                }
                for j, told in sorted(shown.bounds.items())
            ],
        }
    ]
