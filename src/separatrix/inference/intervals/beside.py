"""Ends of coefficients that diverge, from the rows that go: each adds few of them to the others.

On the face of a coefficient stay the rows of the face of all lines, whose Hessian H is known there,
and some that go from it: in their columns, to which a few exact lines are added that vanish on all
others, the likelihood near an end is bounded as it is in `bounds`, by H with theirs at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from flint import fmpz_mat

from separatrix.data import Floats, Sample
from separatrix.exact.integers import (
    primitive,
    times_power_of_two,
    whole_multiples,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.intervals.bounds import (
    EPS,
    OPERATIONS,
    REACH,
    SPARE,
    STRETCHES,
    Bounds,
    EndInBlocks,
)
from separatrix.inference.intervals.faces import Going, Line
from separatrix.inference.intervals.search import RowsInColumns
from separatrix.learners.logistic.no_optimum import in_doubles, sides
from separatrix.scale import Block, Rows
from separatrix.tiles import tiles

MOST_GOING = 1 << 23  # numbers in rows that go, which are kept in memory


@dataclass(frozen=True, kw_only=True)
class Beside(Bounds):
    """What bounds the likelihood where some rows stay beside those of other bounds."""

    direction: tuple[int, ...]  # along which they stay: how often each line is in it
    own: tuple[int, ...]  # which lines are coordinates
    rows: Sample  # these rows
    more: RowsInColumns  # the same, in the coordinates of the others and then in `own`
    lines: Floats  # (1+d, p) what makes weights of the last coordinates
    plain_sizes: Floats  # (1+d,) sums of weight |z| over these rows, as those of the others

    @classmethod
    def of(  # type: ignore[override]
        cls, at: Bounds, going: Going, direction: tuple[int, ...], own: tuple[int, ...]
    ) -> Beside | None:
        """Return them for the rows that stay along a direction; None where one is against it."""
        product = fmpz_mat(going.scores) * fmpz_mat([[a] for a in direction])
        along = [int(row[0]) for row in product.tolist()]
        if min(along) < 0:
            return None
        members = going.members([k for k, score in enumerate(along) if not score])
        weights, scores = going.in_doubles
        rows, place = going.exact.table.whole().at(members), at.near.place
        plain = place.plain.columns(rows.X)
        columns = plain if place.basis is None else place.columns(rows.X)
        own_scores = scores[going.kind[members]][:, list(own)] * rows.y[:, np.newaxis]
        more = RowsInColumns(np.column_stack((columns, own_scores)), rows.y, rows.weight)
        known = {name: getattr(at, name) for name in ("near", "weight", "sizes", "lost", "above")}
        return cls(
            **known, direction=direction, own=own, rows=rows, more=more,
            lines=weights[list(own)].T, plain_sizes=rows.weight @ np.abs(plain),
        )  # fmt: skip

    def scores(self, recession: Floats) -> Floats:
        return np.asarray(self.rows.X @ recession[1:] + self.rows.x0 * recession[0])

    @cached_property
    def _sizes(self) -> Floats:
        """Sums of weight |z| over these rows in all coordinates."""
        k, basis, plain = self.near.base.size, self.near.place.basis, self.plain_sizes
        own = self.more.weight @ np.abs(self.more.M[:, k:])
        return np.append(plain if basis is None else np.append(0.0, np.abs(basis).T @ plain), own)

    def _parts(self, c: Floats) -> tuple[Floats, Floats]:
        k = self.near.base.size
        return c[:k], c[k:]

    def around(self, c: Floats) -> tuple[tuple[Floats, bool], float, float]:
        more, k = self.more, self.near.base.size
        H = more.hessian(c)
        H[:k, :k] += self.near.hessian
        lower = scipy.linalg.cholesky(H, lower=True)
        half = scipy.linalg.solve_triangular(lower, more.M.T, lower=True)
        squares = (half * half).sum(axis=0)
        curvature = more.curvature(c) * squares
        lost = (1.0 + SPARE) * np.array([curvature[squares > p].sum() for p in STRETCHES])
        near = np.exp(-np.sqrt(STRETCHES) * REACH)
        bend = float((np.minimum(self.bend(c[:k]), near) - near * lost).max())
        inverse = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        sizes = EPS * (more.y.size + 2.0 * OPERATIONS * c.size) * self._sizes
        return (lower, True), bend, self.doubt + float(sizes @ np.sqrt((inverse**2).sum(axis=0)))

    def functional(self, j: int) -> Floats:
        return np.append(self.near.back[j], self.lines[j])

    def coefficient(self, j: int, c: Floats) -> tuple[float, float]:
        own, e = self._parts(c)
        at, parts = super().coefficient(j, own)
        sizes = float(np.abs(self.lines[j]) @ np.abs(e))
        return at + float(self.lines[j] @ e), parts + EPS * (e.size + OPERATIONS) * sizes

    def rounding(self, c: Floats) -> float:
        own, e = self._parts(c)
        scores = float(np.abs(self.near.place.line(own)) @ self.plain_sizes)
        scores += float(np.abs(e) @ self._sizes[own.size :])
        found = (2.0 * c.size + OPERATIONS) * scores
        found += (OPERATIONS + self.more.y.size) * -self.more.at(c)[0]
        return super().rounding(own) + EPS * found


@dataclass(frozen=True)
class EndsBeside:
    """Ends of coefficients that diverge, by lines that vanish on the rows that stay for all.

    Each is on the face of the rows that stay along a direction, those of all others included.
    """

    lines: tuple[Line, ...]  # (1+d,) each
    # how often each line is in the direction, which lines are coordinates, the end
    ends: tuple[tuple[tuple[int, ...], tuple[int, ...], EndInBlocks], ...]

    def are_shown(self, table: Rows, direction: Floats, at: Bounds, q: float) -> bool:
        """Whether the rows show them again; those that go have other sides of the direction."""
        going, k = rows_that_go(table, direction, self.lines), at.near.base.size
        if going is None:
            return False
        values, slopes = at.near.read(np.column_stack([end.line[:k] for _, _, end in self.ends]))
        for i, (along, own, end) in enumerate(self.ends):
            bounds = Beside.of(at, going, along, own)
            if bounds is None:
                return False
            value, pulls = bounds.more.at(end.line)
            pulls[:k] += slopes[:, i]
            if not end.is_shown(bounds, value + float(values[i]), pulls, q):
                return False
        return True


def rows_that_go(
    table: Rows, direction: Floats, lines: Sequence[Line], *, known: bool = False
) -> Going | None:
    """Return the rows that go, by the lines that the others leave free, from one read.

    None where lines not known to vanish on the others do not, and where they are too many.
    """
    most = MOST_GOING if table.in_memory is None else np.inf
    asked = [] if known else [in_doubles(line) for line in lines]
    parts = table.map(_going, direction, asked, most)
    if any(part is None for part in parts):
        return None
    found = [part for part in parts if part is not None and part.n]
    if not found or sum(part.n for part in found) * (table.d + 1) > most:
        return None
    X = [part.X for part in found]
    points = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.concatenate(X)
    y, weight = (np.concatenate([getattr(p, name) for p in found]) for name in ("y", "weight"))
    exact = SignedRows(Sample(points, y, found[0].classes, weight, table.x0))
    exponents, vectors = exact.exponents.tolist(), []
    for line in lines:
        on_it = zip(exact.columns_of(line), exponents, strict=True)
        vectors.append(primitive(whole_multiples([times_power_of_two(a, e) for a, e in on_it])[0]))
    return Going.of(exact, np.arange(exact.n), vectors)


def free_lines(lines: Sequence[Sequence[Fraction]], first: Sequence[int]) -> list[Line]:
    """Return a basis of the same lines, each with a column by itself: of the first."""
    order = [*first, *(j for j in range(len(lines[0])) if j not in set(first))]
    table = fmpz_mat([[row[j] for j in order] for row in (whole_multiples(v)[0] for v in lines)])
    reduced, q, rank = table.rref()
    back = np.argsort(order).tolist()
    rows = [[Fraction(int(a), int(q)) for a in row] for row in reduced.tolist()[:rank]]
    return [[row[i] for i in back] for row in rows]


def _going(block: Block, direction: Floats, lines: list[Floats], most: float) -> Sample | None:
    """Return the rows of a block that go; None for a line that moves others, and too many rows."""
    of, parts = block.sample, []
    for tile in tiles(block.n):
        X, y, weighs = of.X[tile], of.y[tile], of.weight[tile] > 0.0
        side = sides(X, direction)
        if (y * side < 0.0).any():
            return None
        stay = weighs & (side == 0.0)
        if any(sides(X[stay], line).any() for line in lines):
            return None
        parts.append(np.flatnonzero(weighs & (side != 0.0)) + tile.start)
    rows = np.concatenate(parts)
    if rows.size * (of.d + 1) > most:
        return None
    found = of.at(rows)
    return found if sp.issparse(found.X) else replace(found, X=found.X.astype(np.float64))
