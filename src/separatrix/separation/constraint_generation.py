"""Constraint generation: few rows stand for all of them, and rows that a solution violates join.

What floats propose is the least point of the hull of rows: a line, or the rows of a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

import numpy as np
import scipy.linalg

from separatrix.exact.cone import Cone
from separatrix.exact.integers import Floats, Indices, fractions_of
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.kernels.error_bound import LEAST
from separatrix.kernels.separation.min_norm_point import least_point
from separatrix.separation.rounding import (
    KEPT,
    as_fractions,
    as_whole_doubles,
    few_digits,
    normalised,
)

FIRST = 60  # rows to begin with, for each column
FEWEST_FIRST = 3  # the same of wide tables, where more are many numbers
FIRST_NUMBERS = 1 << 20
NEAR = 4  # rows for each column on which rounded weights are tried
NOTHING = 1e-12  # the size of a least point that may be the origin
SLACK = 0.5  # of the level of the rows in use, by which others may fall short
NONE = np.zeros(0, dtype=np.int64)


@dataclass
class WorkingSet:
    """Rows that stand for all of a table, and extra ones on which a line must be positive."""

    table: SignedRows  # all rows
    rows: Indices  # distinct indices of some of them
    extra: Floats  # (m, D) more rows that are like them
    signed: Floats = field(init=False)  # the rows z_n, then the extra ones
    used: Indices = field(init=False)  # which of them the last least point uses

    def __post_init__(self) -> None:
        self.signed = np.vstack([self.table.floats(self.rows), self.extra])
        self.used = NONE

    @classmethod
    def of(cls, table: SignedRows, rows: Indices) -> WorkingSet:
        return cls(table, rows, np.zeros((0, table.width)))

    def lacks(self, rows: Indices) -> Indices:
        return np.setdiff1d(np.unique(rows), self.rows, assume_unique=True)

    def add(self, new: Indices) -> None:
        m, n = self.rows.size, new.size
        self.signed = np.vstack([self.signed[:m], self.table.floats(new), self.signed[m:]])
        self.used = np.where(self.used >= m, self.used + n, self.used)
        self.rows = np.append(self.rows, new)

    def index(self, place: Indices) -> Indices:
        """Return indices into X of working rows; the extra ones follow from N on."""
        m = self.rows.size
        named = np.append(self.rows, self.table.n + np.arange(len(self.extra)))
        return np.asarray(named[place]) if m else np.asarray(place + self.table.n)

    def of_few_digits(self, line: Floats) -> Floats:
        """Return a line of few digits that keeps most of the margin on the working rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            near = np.argsort(self.signed @ line, kind="stable")[: NEAR * line.size]
        for candidate in islice(few_digits(self.signed[near], line, KEPT), 1):
            doubles = as_whole_doubles(*candidate)
            if doubles is None:
                doubles = doubles_of(normalised(as_fractions(*candidate)))
            return line if doubles is None else doubles
        return line

    def least_point(self, slack: float = SLACK) -> tuple[Floats, bool]:
        """Return the least point (D,) as weights on the rows, and whether it is the origin."""
        size = np.frexp(np.abs(self.signed).max(axis=0))[1]
        unit = np.ldexp(self.signed, -size)
        length = np.sqrt(np.einsum("nj,nj->n", unit, unit))
        unit /= np.where(length > 0.0, length, 1.0)[:, None]
        point, self.used, vanishes = least_of(unit, slack, self.used)
        largest = np.abs(point).max()
        with np.errstate(over="ignore"):  # the caller bounds the size of weights
            return np.ldexp(point / (largest if largest > 0.0 else 1.0), -size), vanishes


def least_of(points: Floats, slack: float, used: Indices) -> tuple[Floats, Indices, bool]:
    """Return the least point (k,) of the hull, the rows it uses, and whether it is the origin."""
    k = points.shape[1]
    places = np.zeros(k + 2, dtype=np.int64)
    places[: used.size] = used
    weights, r = np.ones(k + 2), np.zeros(k + 1)
    p = least_point(points, np.ones(len(points)), 1.0, slack, places, weights, used.size, r)
    vanishes = bool(p == k + 1 or np.abs(r[:k]).max() <= NOTHING)
    weights = weights[:p]
    return -r[:k], places[:p][weights > NOTHING * weights.max(initial=0.0)], vanishes


def first_rows(table: SignedRows) -> Indices:
    """Return rows evenly spread over the table."""
    each = min(FIRST, max(FEWEST_FIRST, FIRST_NUMBERS // (table.d + 1) ** 2))
    few = each * (table.d + 1)
    step = max(1.0, table.n / few)  # 1 or more: the rows are distinct
    return np.asarray((np.arange(min(few, table.n)) * step).astype(np.int64))


LARGE = 1 << 16  # numbers in a table, below which few rows decide at once
LARGEST_EXPONENT = 400  # of a row's length, whose square is in float64's range


def interpolating_line(table: SignedRows) -> list[Fraction] | None:
    """Return a line (D,) that separates, proven; None where rows are dependent, or nearly so."""
    if table.n > table.width or table.n * table.width < LARGE:
        return None
    values = table.floats()
    exponents = np.frexp(np.abs(values).max(axis=1, initial=0.0))[1]
    if not (np.abs(exponents) < LARGEST_EXPONENT).all():
        return None
    unit = np.ldexp(values, -exponents[:, np.newaxis])
    try:
        factor = scipy.linalg.cho_factor(unit @ unit.T, check_finite=False)
    except scipy.linalg.LinAlgError:
        return None
    multipliers = scipy.linalg.cho_solve(factor, np.ones(table.n), check_finite=False)
    line = np.asarray(multipliers @ unit)
    if not np.isfinite(line).all() or table.scan(table.float_weights(line))[0]:
        return None
    return fractions_of(line)


def triangular(points: Floats) -> Floats:
    """Return (n, min(n, k)) rows with the inner products of the points (n, k), up to rounding."""
    if len(points) >= points.shape[1]:
        return points
    triangle = scipy.linalg.qr(points.T, mode="r", check_finite=False)[0]
    return np.ascontiguousarray(triangle[: len(points)].T)


IN_SPAN = 1e-9  # of the length of a row, may be rounding of nothing


@dataclass(frozen=True)
class Proposal:
    """What floats found."""

    line: Floats  # (k,) weights on the cone's float rows
    rows: Indices  # (m,) rows that make up the least point


def propose(rows: Floats) -> Proposal:
    """Return the least point of the hull of rows (n, k) as a line, and the rows that make it up."""
    unit = np.divide(rows, np.linalg.norm(rows, axis=1)[:, None], order="C")
    line, used, vanishes = least_of(unit, SLACK, NONE)
    largest = 0.0 if vanishes else np.abs(line).max()
    return Proposal(line / largest if largest > 0.0 else np.zeros_like(line), used)


def implicit_equalities(cone: Cone) -> Indices:
    """Return the rows on which, as far as floats see, every w with Zw >= 0 vanishes."""
    basis = np.eye(cone.k)
    left = np.arange(cone.n)
    length = np.linalg.norm(cone.floats, axis=1)
    while basis.shape[1]:
        images = cone.floats[left] @ basis
        size = np.linalg.norm(images, axis=1)
        outside = size > IN_SPAN * length[left]
        left, images = left[outside], images[outside] / size[outside, None]
        if left.size == 0:
            break
        proposal = propose(images)
        if (images @ proposal.line > 0.0).all():
            return np.setdiff1d(np.arange(cone.n), left)
        if proposal.rows.size == 0:  # floats know neither a line nor a refusal
            return np.zeros(0, dtype=np.int64)
        _, sizes, turned = np.linalg.svd(images[proposal.rows])
        rank = int((sizes > IN_SPAN * sizes[0]).sum())
        basis = basis @ turned[rank:].T
    return np.arange(cone.n)


def balancing_rows(cone: Cone, among: Indices, base: Indices) -> Indices | None:
    """Return rows whose positive combination cancels the sum of the `base` rows, at most k."""
    target = -cone.floats[base].sum(axis=0)
    size = np.linalg.norm(target)
    if not size > 0.0:
        return None
    mirror = target / size  # the reflection that takes the target to the last axis
    mirror[-1] -= 1.0
    mirror /= max(np.linalg.norm(mirror), LEAST)
    rows = cone.floats[among]
    turned = rows - np.outer(2.0 * (rows @ mirror), mirror)
    points, last = np.ascontiguousarray(turned[:, :-1]), np.ascontiguousarray(turned[:, -1])
    used, weights, rest = np.zeros(cone.k + 1, np.int64), np.ones(cone.k + 1), np.zeros(cone.k)
    p = least_point(points, last, 1.0, 0.0, used, weights, 0, rest)
    if p == 0 or (p < cone.k and np.abs(rest).max() > NOTHING):
        return None
    chosen: Indices = among[used[:p][weights[:p] > IN_SPAN * weights[:p].max()]]
    return chosen


def spanning_rows(cone: Cone, among: Indices) -> Indices:
    """Return some of the rows that span, as far as floats see, what all of them span."""
    step = max(1, among.size // (4 * cone.k))
    chosen = among[::step]
    while True:
        _, sizes, turned = np.linalg.svd(cone.floats[chosen])
        rank = int((sizes > IN_SPAN * sizes[0]).sum())
        outside = np.linalg.norm(cone.floats[among] @ turned[rank:].T, axis=1)
        new = np.setdiff1d(among[np.argsort(-outside, kind="stable")[: cone.k]], chosen)
        new = new[np.isin(new, among[outside > IN_SPAN])]
        if rank == cone.k or new.size == 0:
            return np.sort(chosen)
        chosen = np.append(chosen, new)
