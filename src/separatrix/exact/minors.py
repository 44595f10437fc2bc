"""A few rows by all their minors: which of them contradict each other, and a line for the others.

Any r + 1 rows of rank r have one relation, whose coefficients are their r x r minors with
alternating signs (Bjorner et al. 1999); every least core (a set with sum lambda_n z_n = 0,
lambda >= 0) is the support of one. Rows without a core can all be right (Gordan 1873).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from separatrix.cached import cached_property
from separatrix.exact.integers import IntegerRow, primitive, sign

ZERO = fmpz(0)


def members(rows: int) -> list[int]:
    """Return the positions of the bits that are set."""
    return [i for i in range(rows.bit_length()) if rows >> i & 1]


def bits_of(rows: Iterable[int]) -> int:
    return sum(1 << i for i in rows)


class Minors:
    def __init__(self, rows: Sequence[IntegerRow]) -> None:
        self.rows, self.n, self.rank = rows, len(rows), len(rows[0])
        minors = {0: fmpz(1)}
        table = [[fmpz(a) for a in row] for row in rows]
        for j in range(self.rank):  # expanded along column j, from those of the columns before it
            grown: dict[int, fmpz] = {}
            for some, minor in minors.items():
                for i, row in enumerate(table):
                    if row[j] and not some >> i & 1:
                        term = minor * row[j]
                        behind = (some >> i).bit_count()
                        key = some | 1 << i
                        grown[key] = grown.get(key, ZERO) + (-term if behind & 1 else term)
            minors = {some: minor for some, minor in grown.items() if minor}
        self.minors = minors

    @cached_property
    def cores(self) -> dict[int, int]:
        """The least cores: the rows of each, and rank + 1 rows whose relation it is."""
        found: dict[int, int] = {}
        for chosen in combinations(range(self.n), self.rank + 1):
            every = bits_of(chosen)
            signs = [sign(a) for a in self._relation(every)]
            if any(signs) and not (1 in signs and -1 in signs):
                core = bits_of(i for i, s in zip(chosen, signs, strict=True) if s)
                found.setdefault(core, every)
        return found

    def _relation(self, rows: int) -> list[fmpz]:
        """Return the coefficients of rank + 1 rows with which they cancel; zeros for more such."""
        minors = [self.minors.get(rows ^ 1 << i, ZERO) for i in members(rows)]
        return [-a if k & 1 else a for k, a in enumerate(minors)]

    def multipliers(self, core: int) -> list[int]:
        """Return positive integers that cancel the rows of a core."""
        return primitive([abs(int(a)) for a in self._relation(self.cores[core]) if a])

    @cached_property
    def separable(self) -> NDArray[np.bool_]:
        """For each of the 2^n sets of rows whether some line has all of them on its right side."""
        contradicts = np.zeros(1 << self.n, dtype=np.bool_)
        contradicts[list(self.cores)] = True
        for i in range(self.n):
            halves = contradicts.reshape(-1, 2, 1 << i)
            halves[:, 1] |= halves[:, 0]
        return ~contradicts

    def line(self, right: int) -> IntegerRow:
        """Return a line (r,) with these rows on its right side and all others on its wrong one."""
        sides = [1 if right >> i & 1 else -1 for i in range(self.n)]
        edges = list(self._edges(sides))
        sizes = [max(map(abs, edge)).bit_length() for edge in edges]
        shifts = [max(sizes) - size for size in sizes]  # all edges count about alike
        scaled = [[a << e for a in edge] for edge, e in zip(edges, shifts, strict=True)]
        total = [sum(column, ZERO) for column in zip(*scaled, strict=True)]
        basis = members(next(iter(self.minors)))
        system = fmpz_mat([self.rows[i] for i in basis])
        answer: Any = system.solve(fmpz_mat([[total[i]] for i in basis]))
        solved, _ = answer.numer_denom()
        return primitive([int(a) for a in solved.entries()])

    def _edges(self, sides: Sequence[int]) -> Iterator[list[fmpz]]:
        """Yield the scores (n,) of the edges of the cone of lines with rows on these sides."""
        for chosen in combinations(range(self.n), self.rank - 1):
            on_it = bits_of(chosen)
            scores = [ZERO if on_it >> i & 1 else self._score(on_it, i) for i in range(self.n)]
            signs = {sign(a) * s for a, s in zip(scores, sides, strict=True)} - {0}
            if len(signs) == 1:
                (turn,) = signs
                yield [turn * a for a in scores]

    def _score(self, on_it: int, i: int) -> fmpz:
        """Return the score of a row on the line that rank - 1 rows lie on."""
        minor = self.minors.get(on_it | 1 << i, ZERO)
        return -minor if (on_it >> i).bit_count() & 1 else minor
