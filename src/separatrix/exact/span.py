"""The span of integer rows: its exact rank, by way of a few of them, and what it leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpz_mat

from separatrix.exact.integers import (
    IntegerRow,
    columns_by_themselves,
    independent_columns,
    independent_rows,
    nullspace,
)

if TYPE_CHECKING:
    from separatrix.exact.signed_rows import SignedRows


@dataclass(frozen=True)
class Span:
    """The span of all rows, of rank r."""

    columns: list[int]  # r columns in which the rows keep their rank
    aliased: list[int]  # columns j with w_j != 0 for some w that gives every row the score 0


def span(rows: SignedRows) -> Span:
    """Return the exact rank of all rows, by way of a few."""
    width = rows.width
    few = rows.spread(3 * width)
    if not few:
        return Span([], list(range(width)))
    chosen = _independent(rows, few)
    while len(chosen) < width:
        integers = rows.integers(chosen)
        columns = independent_columns(integers)
        if len(columns) < len(chosen):  # of rows that are dependent modulo the primes alone
            columns = nullspace(integers, width)[1]
        outside = _outside(rows, chosen, integers, columns)
        if not outside:
            return Span(columns, _aliased(integers, columns))
        grown = _independent(rows, chosen + outside)
        # the first one outside is independent whatever it is modulo the prime
        chosen = grown if len(grown) > len(chosen) else chosen + outside[:1]
    return Span(list(range(width)), [])


def spread(n: int, most: int) -> list[int]:
    """Return up to `most` of the indices below n, evenly spread."""
    indices: list[int] = np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()
    return indices


def _independent(rows: SignedRows, candidates: Sequence[int]) -> list[int]:
    return [int(candidates[i]) for i in independent_rows(rows.integers(candidates))]


def _outside(
    rows: SignedRows, chosen: Sequence[int], integers: Sequence[IntegerRow], columns: Sequence[int]
) -> list[int]:
    """Return some rows outside the span of the chosen ones, exactly; none if all are inside."""
    # fewer vectors to be orthogonal to than rows to solve for
    if rows.n - len(set(chosen)) > rows.width - len(chosen):
        basis = [{j: a for j, a in enumerate(v) if a} for v in nullspace(integers, rows.width)[0]]
        return rows.not_vanishing(basis, 2 * rows.width)
    others = sorted(set(range(rows.n)) - set(chosen))
    inside = combinations(integers, columns, rows.integers(others))
    return [n for n, is_in in zip(others, inside, strict=True) if not is_in]


def combinations(
    integers: Sequence[IntegerRow], columns: Sequence[int], targets: Sequence[IntegerRow]
) -> list[bool]:
    """Return for each target whether it is a combination of the rows, exactly."""
    if not targets:
        return []
    system = fmpz_mat([[row[j] for row in integers] for j in columns])
    right = fmpz_mat([[target[j] for target in targets] for j in columns])
    solved: Any = system.solve(right)
    weights, q = solved.numer_denom()
    sums = (weights.transpose() * fmpz_mat([list(row) for row in integers])).tolist()
    return [
        all(a == q * b for a, b in zip(total, target, strict=True))
        for total, target in zip(sums, targets, strict=True)
    ]


def _aliased(integers: Sequence[IntegerRow], columns: Sequence[int]) -> list[int]:
    """Return the columns j for which the j-th unit vector is outside the span of the rows."""
    width = len(integers[0])
    kept = columns_by_themselves(integers)
    units = [[int(i == j) for i in range(width)] for j in kept]
    inside = combinations(integers, columns, units)
    alone = {j for j, is_in in zip(kept, inside, strict=True) if is_in}
    return [j for j in range(width) if j not in alone]
