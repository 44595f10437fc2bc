"""A question (a table, costs of mistakes, limits), and what presolve makes of it.

Equal rows are merged, opposite rows cancelled: rows z and -z are never both right, so of each such
pair the lesser weight is a mistake of every line, and only the difference is left to count. A row
of zeros is a mistake of every line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.certificates.fewest_mistakes import Tally
from separatrix.data import InputError, Points, Sample
from separatrix.exact.integers import (
    AT_ONCE,
    Floats,
    Indices,
    IntegerRow,
    integer_rows,
    nullspace,
)
from separatrix.kernels.exact import signed_scores
from separatrix.scale import Rows
from separatrix.zero_one.limits import NO_LIMITS, Limits, as_number

EXACT = 2**53  # whole numbers up to it are doubles


@dataclass(frozen=True, eq=False)
class MergedRows:
    """Rows of positive weight, none of them zero, no two of them equal or opposite."""

    values: Floats  # (n, D) in columns in which the rows keep their rank
    weight: Indices  # (n,) int64, or integers of any size
    ids: Indices  # (n,) their numbers among the merged rows of the whole problem
    exponents: Indices  # (D,) values[n, j] is a whole multiple of 2^exponents[j]

    @property
    def n(self) -> int:
        return int(self.values.shape[0])

    @property
    def dimension(self) -> int:
        """D, the rank."""
        return int(self.values.shape[1])

    @cached_property
    def scaled(self) -> Floats:
        """The rows with every column divided by a power of two: largest entry in [1/2, 1)."""
        return np.ldexp(self.values, -self.column_shift)

    @cached_property
    def of_unit_length(self) -> Floats:
        """The scaled rows divided by their lengths; halved or doubled first: squares underflow."""
        unit: Floats = np.ldexp(self.values, -self.column_shift)
        for rows in np.split(unit, range(AT_ONCE, self.n, AT_ONCE)):  # views
            shift = np.frexp(np.abs(rows).max(axis=1))[1]
            np.ldexp(rows, -shift[:, None], out=rows)
            length = np.sqrt(np.square(rows).sum(axis=1))
            length[length == 0.0] = 1.0  # of a row that is nothing beside the others
            np.divide(rows, length[:, None], out=rows)
        return unit

    @cached_property
    def column_shift(self) -> Indices:
        """The powers of two that `scaled` divides by."""
        largest = np.maximum(self.values.max(axis=0), -self.values.min(axis=0))
        shift: Indices = np.frexp(largest)[1].astype(np.int64)
        return shift

    @cached_property
    def line_shift(self) -> Indices:
        """(D,) powers of two by which a line for the values is less than one for `scaled`."""
        shift: Indices = self.column_shift - int(np.median(self.column_shift))
        return shift

    @np.errstate(over="ignore")  # an overflowing line is ignored: `mistakes` counts every row
    def scaled_line(self, line: Floats) -> Floats:
        """Return a line (D,) given for the values as one for the scaled columns."""
        scaled: Floats = np.ldexp(line, self.line_shift)
        return scaled

    @np.errstate(over="ignore")
    def unscaled(self, w: Floats) -> Floats:
        """Return a line (D,) given for the scaled columns as one for the values."""
        line: Floats = np.ldexp(w, -self.line_shift)
        return line

    def integers(self, rows: Indices) -> list[IntegerRow]:
        """Return rows as integers: column j divided by 2^exponents[j]."""
        return integer_rows(self.values[rows], self.exponents)

    def wrong(self, weights: Floats) -> np.ndarray:
        """Return (n,) whether z_n.w <= 0, every sign exact."""
        padded = np.concatenate(([0.0], weights))
        scores: Floats = signed_scores(np.ascontiguousarray(self.values), self.n, padded, 0.0)
        return scores <= 0.0

    def mistakes(self, weights: Floats) -> int:
        """Return the weight of the rows with z_n.w <= 0, exactly; of all if w is infinite."""
        if not np.isfinite(weights).all():
            return int(self.weight.sum())
        return int(self.weight[self.wrong(weights)].sum())

    def part(self, rows: Indices) -> tuple[MergedRows, list[int], list[IntegerRow]]:
        """Return some rows in columns that keep their rank, these, and vectors b with z.b = 0."""
        relations, columns = nullspace(self.integers(rows), self.dimension)
        chosen = np.array(columns, dtype=np.int64)
        values = np.ascontiguousarray(self.values[np.ix_(rows, chosen)])
        part = MergedRows(values, self.weight[rows], self.ids[rows], self.exponents[chosen])
        return part, columns, relations


@dataclass(frozen=True, eq=False)
class Presolved:
    rows: MergedRows | None  # the merged rows, numbered from 0; None when nothing is left to decide
    base: int  # weight of the mistakes that every line makes
    place: Indices  # (N,) of each row among the merged ones; -1 for none


def presolve(values: Floats, weight: Indices, exponents: Indices) -> Presolved:
    """Merge and cancel the rows (N, D) of whole weights (N,). Rows of weight 0 are left out."""
    present = np.flatnonzero(weight)
    zero = ~values[present].any(axis=1)
    base = int(weight[present[zero]].sum())
    present, place = present[~zero], np.full(weight.size, -1)
    if present.size == 0:
        return Presolved(None, base, place)
    z = values[present]
    first_entry = z[np.arange(present.size), (z != 0.0).argmax(axis=1)]
    sign = np.sign(first_entry)
    z *= sign[:, None]
    z += 0.0  # -0.0 and 0.0 are equal but their bits are not
    kept, net, place[present], lost = cancelled(z, sign.astype(np.int64), weight[present])
    if kept.size == 0:
        return Presolved(None, base + lost, place)
    if kept.size < len(z):  # else it is all of them, in their order
        z = z[kept]
    z *= np.sign(net).astype(np.float64)[:, None]
    merged = MergedRows(z, np.abs(net), np.arange(kept.size), exponents)
    return Presolved(merged, base + lost, place)


def cancelled(
    points: Points, side: Indices, weight: Indices
) -> tuple[Indices, Indices, Indices, int]:
    """Merge equal points, whose weights cancel where their sides, +1 or -1, differ.

    Return the first point of each group with some weight left, that weight times its side, the
    place of each point's group among these (-1 where nothing is left), and the weight that every
    line loses.
    """
    group, first = groups_of_equal(points)
    net, total = np.zeros((2, first.size), dtype=weight.dtype)
    np.add.at(net, group, weight * side.astype(weight.dtype))
    np.add.at(total, group, weight)
    left = np.flatnonzero(net)
    order = left[np.argsort(first[left])]
    place = np.full(first.size, -1)
    place[order] = np.arange(order.size)
    return first[order], net[order], place[group], int((total - np.abs(net)).sum()) // 2


def groups_of_equal(points: Points) -> tuple[Indices, Indices]:
    """Return of each row the number of its group of equal rows, and the first row of each group."""
    factors = np.random.default_rng(0).integers(1, 2**63, points.shape[1], dtype=np.uint64) | 1
    if sp.issparse(points):
        bits, of = points.data.view(np.uint64), factors[points.indices]
        mixed = (bits ^ (bits >> np.uint64(29)) ^ of) * of
        key = np.diff(np.append(np.uint64(0), np.cumsum(mixed))[points.indptr])
    else:
        parts = np.split(points.view(np.uint64), range(AT_ONCE, len(points), AT_ONCE))
        key = np.concatenate([(bits ^ (bits >> np.uint64(29))) @ factors for bits in parts])
    ordered = np.sort(key)
    if (ordered[1:] != ordered[:-1]).all():  # no two rows are equal
        return np.arange(key.size), np.arange(key.size)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    if (points[first[group]] != points).sum():  # hashes collided: compare whole rows
        X = sp.csr_array(points)
        rows = [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in pairwise(X.indptr)]
        whole = np.array(rows, dtype=object)
        _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    return group.reshape(-1), first


@dataclass(frozen=True)
class Costs:
    """What the two kinds of mistakes cost: factors of the row weights."""

    wrong_yes: float = 1.0  # of a "yes" to a row whose label is no
    wrong_no: float = 1.0  # of a "no" to a row whose label is yes

    @classmethod
    def of(cls, cost_wrong_yes: Untyped, cost_wrong_no: Untyped) -> Costs:
        given = {"cost_wrong_yes": cost_wrong_yes, "cost_wrong_no": cost_wrong_no}
        for name, cost in given.items():
            if not 0.0 < as_number(cost) < math.inf:
                raise InputError(f"{name}={cost!r} must be a positive number.")
        return cls(*map(float, given.values()))


EQUAL_COSTS = Costs()


@dataclass(frozen=True, eq=False)
class Question:
    """A table, and the limits and costs."""

    table: Sample | Rows  # Rows are packed with cores tile by tile, whatever their source
    limits: Limits = NO_LIMITS
    costs: Costs = EQUAL_COSTS

    @property
    def x0(self) -> float:
        return self.table.x0

    @property
    def sample(self) -> Sample:
        assert isinstance(self.table, Sample)  # noqa: S101  # else tiles are packed
        return self.table

    @cached_property
    def tally(self) -> Tally:
        """What weighs mistakes exactly."""
        return Tally(self.sample, self.costs.wrong_yes, self.costs.wrong_no)


class Problem:
    def __init__(self, question: Question) -> None:
        self.sample, self.x0 = question.sample, question.x0
        self.tally = question.tally
        self.units = self.tally.units
        self.table = self.tally.rows
        self.columns = self.table.span.columns
        self._places = [self.table.index(j) for j in self.columns]
        values = self.table.floats()
        if len(self.columns) < self.table.width:
            values = np.ascontiguousarray(values[:, self.columns])
        exponents = self.table.exponents[self.columns]
        presolved = presolve(values, self.units.whole, exponents)
        self.rows, self.base, self.place = presolved.rows, presolved.base, presolved.place

    def weight(self, bound: int) -> Fraction:
        """Return the weight of the mistakes of a line that loses `bound` units of merged rows."""
        return (bound + self.base) * self.units.unit

    def cutoff(self, upper: Fraction) -> int:
        """Return the bound on merged rows that mistakes of weight `upper` allow at most."""
        return math.floor(upper / self.units.unit) - self.base

    def narrowed(self, line: Floats) -> Floats:
        """Return weights (1+d,) in the columns that span: (r,)."""
        return line[self._places]

    def widened(self, line: Floats) -> Floats:
        """Return a line (r,) in the columns that span as weights (1+d,)."""
        wide = np.zeros(self.sample.d + 1)
        wide[self._places] = line
        return wide

    def counted(self) -> tuple[Sample, Indices]:
        """Return the part of the sample that weighs a unit or more, and its rows."""
        return self.sample.only(self.units.whole > 0), np.flatnonzero(self.units.whole)
