"""Writes down why every line makes so many mistakes: the search again, with a log.

The log of the kernel becomes the proof that `verify.py` reads; what is added here
are the lemmas on rows that can vanish together, each with a proof of its own, and the exact
multipliers of cores that vanish.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpz_mat

from separatrix.exact.integers import Floats, IntegerRow, nullspace
from separatrix.kernels.zero_one import boxes
from separatrix.zero_one.branch_and_bound import ALL, CubeSearch, Knowledge, Lemma, scaled_line
from separatrix.zero_one.coordinates import chart, chart_of
from separatrix.zero_one.core_packing import PARTS, Cases, Packing
from separatrix.zero_one.presolve import CountedRows

ROOM = 1 << 14

Proof = list[Any]
Reduction = tuple[list[int], list[IntegerRow]]  # columns, and why the others are not needed


class Unproven(Exception):  # noqa: N818
    """Raised when the search does not show what it is said to have shown."""


def write_proof(
    reduction: Reduction, rows: CountedRows, line: Floats, goal: int, known: Knowledge
) -> Proof:
    """Return a proof that every line makes mistakes of weight `goal` on these rows.

    Parameters
    ----------
    reduction : of the table
    rows : in the columns of the reduction
    line : (D,) a good line, around which the chart is drawn
    """
    writer = _Writer(known)
    writer.add([], (list(range(rows.dimension)), []), rows, (line, goal))
    return [*reduction, writer.lemmas]


def packed_proof(packing: Packing | Cases, reduction: Reduction) -> Proof:
    """Return the proof that cores of all rows give."""
    return [*reduction, [[packing.bound, PARTS, _cases(packing)]]]


def _cases(packing: Packing | Cases) -> Proof:
    if isinstance(packing, Cases):
        return [packing.row, _cases(packing.wrong), _cases(packing.right)]
    cores: list[list[int]] = []
    for amount, rows, multipliers in packing.cores:
        pairs = zip(rows, multipliers, strict=True)
        cores.append([amount, *(a for pair in pairs for a in pair)])
    return cores


def relations_of(integers: list[IntegerRow], columns: list[int]) -> list[IntegerRow]:
    """Return for each column not chosen a vector b with z.b = 0 for rows of full rank in columns.

    Parameters
    ----------
    integers : rows that span all rows, in all columns
    """
    width = len(integers[0])
    others = [j for j in range(width) if j not in columns]
    order = [*columns, *others]
    basis, _ = nullspace([[row[j] for j in order] for row in integers], width)
    place = [order.index(j) for j in range(width)]
    return [[v[k] for k in place] for v in basis]


class _Writer:
    """The lemmas written so far."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.lemmas: list[list[Any]] = []
        self.places: dict[int, int] = {}  # of lemmas, by identity

    def place(self, lemma: Lemma) -> int:
        """Return the number of a lemma, written down first if it is not yet."""
        if id(lemma) not in self.places:
            self.places[id(lemma)] = self.add(
                lemma.ids.tolist(),
                (lemma.columns, lemma.relations),
                lemma.part,
                (lemma.line, lemma.bound),
            )
        return self.places[id(lemma)]

    def add(
        self, ids: list[int], reduction: Reduction, rows: CountedRows, aim: tuple[Floats, int]
    ) -> int:
        """Prove the bound once more, with a log; return the number of the lemma."""
        line, goal = aim
        drawn = chart(rows, scaled_line(rows, line))
        matrix, power = drawn.whole_matrix()
        product = fmpz_mat(rows.integers(np.arange(rows.n))) * fmpz_mat(matrix)
        bits = [max(abs(int(a)) for a in row).bit_length() for row in product.tolist()]
        exact = chart_of(rows, drawn.matrix, np.array(bits, dtype=np.int64) + power)
        search = CubeSearch(rows, exact, goal, self.known, ROOM)
        search.run(ALL)
        if search.proven() < goal:
            raise Unproven(f"a bound of {goal} was claimed, and {search.proven()} is what holds")
        numbers = [self.place(lemma) for lemma in search.uses]
        faces = [list(self._steps(iter(log.tolist()), rows, bits, numbers)) for log in search.logs]
        self.lemmas.append([ids, *reduction, matrix, goal, faces])
        return len(self.lemmas) - 1

    def _steps(
        self, log: Iterator[int], rows: CountedRows, bits: list[int], numbers: list[int]
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
        self, positions: list[int], rows: CountedRows, bits: list[int]
    ) -> list[tuple[int, int]]:
        """Return the rows of positive multipliers that cancel them, once scaled to one length."""
        found = self.known.vanishing(rows.rows[positions].tolist())
        if found is None:
            raise Unproven("rows said to cancel do not")
        least = min(bits[i] for i in positions)
        scaled = [a << bits[i] - least for i, a in zip(positions, found, strict=True)]
        divisor = math.gcd(*scaled)
        return [(i, a // divisor) for i, a in zip(positions, scaled, strict=True) if a]
