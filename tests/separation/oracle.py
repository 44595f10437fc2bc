"""A second opinion on the lines with Zw >= 0: an exact simplex method in whole numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np


def signed(X, y, x0):
    """The rows z_n as Fractions."""
    head = [Fraction(1)] if x0 else []
    return [
        [int(s) * a for a in head + [Fraction(float(v)) for v in x]]
        for x, s in zip(X, y, strict=True)
    ]


def combination(X, y, rows, multipliers, x0):
    """sum of multipliers times z, column by column."""
    z = signed(X, y, x0)
    return [
        sum(m * z[n][j] for n, m in zip(rows, multipliers, strict=True)) for j in range(len(z[0]))
    ]


def scores(X, y, weights, x0):
    """y w.(x0, x) for every row."""
    exact = [Fraction(w) if isinstance(w, Fraction) else Fraction(float(w)) for w in weights]
    exact = exact if x0 else exact[1:]
    return [sum(a * b for a, b in zip(z, exact, strict=True)) for z in signed(X, y, x0)]


def separates(rows):
    """Whether some w has z.w > 0 for every row."""
    return truth(rows).verdict == "separable"


@dataclass(frozen=True)
class Truth:
    """What is true of all lines w with Zw >= 0."""

    rank: int  # of the rows
    strict: frozenset[int]  # rows positive on one of these lines; others vanish on each
    aliased: frozenset[int]  # the coefficients that are not 0 on some w with Zw = 0
    ways: dict[int, set[int]]  # of each other coefficient that is not always 0, its signs
    n: int

    @property
    def verdict(self) -> str:
        """Separable, touching or overlapping."""
        if len(self.strict) == self.n:
            return "separable"
        return "touching" if self.strict else "overlapping"

    @property
    def diverging(self) -> dict[int, int]:
        """{index: +1, -1, or 0 for either way}."""
        return {j: sum(signs) for j, signs in sorted(self.ways.items())}


@dataclass
class Dictionary:
    """Scores (0 .. N-1, not negative) and free weights (N .. N+D-1); Bland's rule."""

    table: np.ndarray
    basic: list[int]
    nonbasic: list[int]
    n: int
    rays: list[dict[int, int]] = field(default_factory=list)

    def pivot(self, i: int, k: int) -> None:
        """Let the variables of row i and column k change places."""
        T, way = self.table, 1 if self.table[i, k] > 0 else -1
        size, column, row = abs(T[i, k]), T[:, k].copy(), T[i].copy()
        for a in np.flatnonzero(column).tolist():
            if a != i:
                T[a] = size * T[a] - way * column[a] * row
                T[a, k] = way * column[a]
                T[a] //= math.gcd(*T[a]) or 1
        T[i] = -way * row
        T[i, k] = way
        T[i] //= math.gcd(*T[i]) or 1
        self.basic[i], self.nonbasic[k] = self.nonbasic[k], self.basic[i]

    def can_be_positive(self, variable: int, sign: int = 1) -> bool:
        """Whether sign times a variable is positive on some line of the cone; the ray is kept."""
        while True:
            if variable in self.nonbasic:
                entering = self.nonbasic.index(variable)
            else:
                objective = sign * self.table[self.basic.index(variable)]
                rising = np.flatnonzero(objective > 0).tolist()
                if not rising:
                    return False
                entering = min(rising, key=self.nonbasic.__getitem__)
            falling = np.flatnonzero(self.table[:, entering] < 0).tolist()
            bounded = [i for i in falling if self.basic[i] < self.n]
            if not bounded:
                values = dict(zip(self.basic, self.table[:, entering].tolist(), strict=True))
                self.rays.append({**values, self.nonbasic[entering]: 1})
                return True
            self.pivot(min(bounded, key=self.basic.__getitem__), entering)


def truth(Z: Sequence[Sequence[Fraction]]) -> Truth:
    """Return what is true of the lines with Zw >= 0."""
    rows = [_whole(z) for z in Z]
    different = list(dict.fromkeys(rows))
    n, width = len(different), len(rows[0])
    found = Dictionary(
        np.array(different, dtype=object), list(range(n)), list(range(n, n + width)), n
    )
    for k in range(width):  # weights become basic as long as a score depends on them
        scores = [i for i, v in enumerate(found.basic) if v < n and found.table[i, k]]
        if scores:
            found.pivot(scores[0], k)
    silent = [k for k, v in enumerate(found.nonbasic) if v >= n]
    aliased = {found.nonbasic[k] - n for k in silent}
    aliased |= {found.basic[i] - n for i in np.flatnonzero(found.table[:, silent].any(axis=1))}
    kept = [k for k in range(width) if k not in silent]
    found.table = np.ascontiguousarray(found.table[:, kept])
    found.nonbasic = [found.nonbasic[k] for k in kept]
    strict: set[int] = set()
    for m in range(n):
        if m not in strict and found.can_be_positive(m):
            strict |= {v for v, a in found.rays[-1].items() if v < n and a > 0}
    ways: dict[int, set[int]] = {}
    for j in sorted(set(range(width)) - aliased):
        for sign in (1, -1):
            known = any(ray.get(n + j, 0) * sign > 0 for ray in found.rays)
            if known or found.can_be_positive(n + j, sign):
                ways.setdefault(j, set()).add(sign)
    place = {row: i for i, row in enumerate(different)}
    positive = frozenset(m for m, row in enumerate(rows) if place[row] in strict)
    return Truth(len(kept), positive, frozenset(aliased), ways, len(rows))


def _whole(z: Sequence[Fraction]) -> tuple[int, ...]:
    """Return a row times the positive number that makes it whole and primitive."""
    denominator = math.lcm(*(Fraction(a).denominator for a in z))
    row = [int(a * denominator) for a in z]
    return tuple(a // (math.gcd(*row) or 1) for a in row)
