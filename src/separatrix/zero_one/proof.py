"""Writes proofs of lower bounds for `verify.py`: the search is made again, with a log."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix._later import flint
from separatrix.exact.integers import Floats, IntegerRow, independent_rows, nullspace
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one.branch_and_bound import BranchAndBound, Knowledge, Lemma
from separatrix.zero_one.core_packing import PARTS, Disjunction, Packing
from separatrix.zero_one.limits import ALL
from separatrix.zero_one.local_search import basis_around, in_basis
from separatrix.zero_one.problem import MergedRows, Problem

LOG_ROOM = 1 << 14

Proof = list[Any]
Reduction = tuple[list[int], list[IntegerRow]]  # columns, and why the others are not needed


class Unproven(Exception):  # noqa: N818
    """Raised when the search with a log does not show the bound that was claimed."""


def search_proof(
    reduction: Reduction, rows: MergedRows, line: Floats, bound: int, known: Knowledge
) -> Proof:
    """Return a proof by branch and bound that every line makes mistakes of weight `bound`."""
    writer = _Writer(known)
    writer.add([], (list(range(rows.dimension)), []), rows, line, bound)
    return [*reduction, writer.lemmas]


def packed_proof(packing: Packing | Disjunction, reduction: Reduction) -> Proof:
    return [*reduction, [[packing.bound, PARTS, _cores(packing)]]]


def with_multipliers(packing: Packing | Disjunction, known: Knowledge) -> Packing | Disjunction:
    """Return the packing with the multipliers of cores that are known to be some, only."""
    if isinstance(packing, Disjunction):
        return packing
    cores = [(a, rows, m or tuple(known.vanishing(rows) or ())) for a, rows, m in packing.cores]
    return Packing(packing.bound, tuple(cores))


def _cores(packing: Packing | Disjunction) -> Proof:
    if isinstance(packing, Disjunction):
        return [packing.row, _cores(packing.wrong), _cores(packing.right)]
    cores: list[list[int]] = []
    for amount, rows, multipliers in packing.cores:
        pairs = zip(rows, multipliers, strict=True)
        cores.append([amount, *(a for pair in pairs for a in pair)])
    return cores


def reduction_of(problem: Problem) -> Reduction:
    """Return the columns of a problem that span, and for each other one a vector b with z.b = 0."""
    table, columns = problem.table, problem.columns
    if len(columns) == table.width:
        return columns, []
    integers = table.integers(np.arange(table.n))
    spanning = independent_rows([[row[j] for j in columns] for row in integers])
    order = [*columns, *(j for j in range(table.width) if j not in columns)]
    basis, _ = nullspace([[integers[i][j] for j in order] for i in spanning], table.width)
    place = [order.index(j) for j in range(table.width)]
    return columns, [[v[k] for k in place] for v in basis]


class _Writer:
    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.lemmas: list[list[Any]] = []
        self.places: dict[int, int] = {}  # of lemmas, by identity

    def place(self, lemma: Lemma) -> int:
        """Return the number of a lemma, written down first if it is not yet."""
        if id(lemma) not in self.places:
            reduction = (lemma.columns, lemma.relations)
            self.places[id(lemma)] = self.add(
                lemma.ids.tolist(), reduction, lemma.part, lemma.line, lemma.bound
            )
        return self.places[id(lemma)]

    def add(
        self, ids: list[int], reduction: Reduction, rows: MergedRows, line: Floats, bound: int
    ) -> int:
        """Prove the bound once more, with a log; return the number of the lemma."""
        basis = basis_around(rows, rows.scaled_line(line))
        matrix, power = basis.whole_matrix()
        product = flint.fmpz_mat(rows.integers(np.arange(rows.n))) * flint.fmpz_mat(matrix)
        bits = [max(abs(int(a)) for a in row).bit_length() for row in product.tolist()]
        exact = in_basis(rows, basis.matrix, np.array(bits, dtype=np.int64) + power)
        search = BranchAndBound(exact, bound, self.known, LOG_ROOM)
        search.run(ALL)
        if search.bound() < bound:
            raise Unproven(f"a bound of {bound} was claimed, and {search.bound()} is what holds")
        numbers = [self.place(lemma) for lemma in search.lemmas]
        faces = [list(self._steps(iter(log.tolist()), rows, bits, numbers)) for log in search.logs]
        self.lemmas.append([ids, *reduction, matrix, bound, faces])
        return len(self.lemmas) - 1

    def _steps(
        self, log: Iterator[int], rows: MergedRows, bits: list[int], numbers: list[int]
    ) -> Iterator[int]:
        """Yield the log with the numbers of lemmas and the multipliers of cores that vanish."""
        for what in log:
            j, cells = next(log), next(log)
            yield from (what, numbers[j] if what == boxes.LEMMA else j, cells)
            if what != boxes.PACKED:
                continue
            while size := next(log):
                core = [(next(log), next(log)) for _ in range(size)]
                if not any(a for _, a in core):
                    core = self._vanishing([i for i, _ in core], rows, bits)
                yield len(core)
                for pair in core:
                    yield from pair
            yield 0

    def _vanishing(
        self, positions: list[int], rows: MergedRows, bits: list[int]
    ) -> list[tuple[int, int]]:
        """Return the rows of positive multipliers that cancel them, once scaled to one length."""
        found = self.known.vanishing(rows.ids[positions].tolist())
        if found is None:
            raise Unproven("rows said to cancel do not")
        least = min(bits[i] for i in positions)
        scaled = [a << bits[i] - least for i, a in zip(positions, found, strict=True)]
        divisor = math.gcd(*scaled)
        return [(i, a // divisor) for i, a in zip(positions, scaled, strict=True) if a]
