"""Claims on fits: how far they are from the optimum at most, and where likelihood intervals end.

For logistic errors, with a penalty or without, `verify.py` says what shows both and checks it: a
line (the fit itself, or one nearer to the optimum; one for each end of an interval), and rows whose
shares are moved until the sums of these balance. They are found in floats, and nothing is trusted
of them. The gap of least squares is a rational number, which is worked out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.special import expit

from separatrix._later import flint
from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import whole_number
from separatrix.certificates.statement import Claim, doubles, null_space, numbers, unless_odd
from separatrix.data import Floats, Labels, Points, Sample, dense, read_arrays, read_numbers
from separatrix.exact.integers import (
    column_exponents,
    exact_scores,
    fractions_of,
    independent_columns,
    integer_rows,
    nearest_double,
    whole_multiples,
)
from separatrix.exact.signed_block import homogeneous
from separatrix.exact.span import LEAST_PIVOTS, independent
from separatrix.tiles import one_blas_thread
from separatrix.verify import (
    LOGISTIC,
    SQUARES,
    CannotCheck,
    Columns,
    Errors,
    Part,
    Question,
    Refuted,
    Source,
    Table,
    bounds_of_optimum,
    checked,
    constant,
)


@dataclass
class InMemory(Source):
    """The rows of a sample, as a source of a table."""

    sample: Sample

    def __post_init__(self) -> None:
        X = self.sample.X
        self.names, self.n = [], self.sample.n
        self.n_numbers = self.n + int(X.nnz if sp.issparse(X) else X.size)

    def columns(self, rows: Sequence[int], x0: float) -> Columns:
        """Return the columns of some rows."""
        n, X = len(rows), self.sample.X[rows]
        found = constant(x0, n)
        if not sp.issparse(X):
            return found | {j: (range(n), x) for j, x in enumerate(X.T.tolist(), 1)}
        X = X.tocsc()
        for j in np.flatnonzero(np.diff(X.indptr)).tolist():
            part = slice(X.indptr[j], X.indptr[j + 1])
            found[j + 1] = X.indices[part].tolist(), X.data[part].tolist()
        return found


def rows_of(sample: Sample) -> Table:
    """Return the rows, all of which have a weight."""
    weights = [] if (sample.weight == 1.0).all() else [*map(Fraction, sample.weight.tolist())]
    names = ["intercept", *(f"x{j}" for j in range(1, sample.d + 1))]
    y = [int(s) for s in sample.y.tolist()]
    return Table(names, bool(sample.x0), y, weights, InMemory(sample), range(sample.n))


def part_of(claim: Claim) -> Part:
    """Return a claim as `verify.py` reads it."""
    return Part(json.loads(json.dumps(claim, allow_nan=False)))


STEPS = 3  # of Newton's method, from a line to the optimum near it
MOST_COLUMNS = 2048  # of a table of which a step is taken
NEAR = Fraction(1, 10**12)  # a relative gap at which no nearer line is looked for
SMALL = 1e-12  # likewise where that saves no larger part of the gap
MANY = 4096  # rows of a long table that are tried first


@dataclass(frozen=True, slots=True)
class LogisticGap:
    """The claim that P(w), the sum of errors, is at most gap P(w) above its minimum.

    Parameters
    ----------
    weights : (1+d,)
        The fit, w_0 first.
    sample_weight : (N,)
    C : float
        inf for no penalty.
    gap : float
        (P - least) / P as bounded in floats.
    x0 : float
        1.0 with an intercept, else 0.0.
    left_out : tuple of int
        Indices in (1+d,) of columns of weight 0, in this line and in all that it is compared with.
    """

    weights: Floats
    sample_weight: Floats
    C: float
    gap: float
    x0: float = 1.0
    left_out: tuple[int, ...] = ()

    def proven_gap(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return an upper bound of (P - least possible) / P, proven from scratch; inf if none.

        Costs some hundredths of a millisecond per row.
        """
        return self.proven_gap_of(read_arrays(X, y))

    @unless_odd(math.inf)
    def proven_gap_of(self, sample: Sample) -> float:
        """Return the same for data already checked; the weights are those of the certificate."""
        weights, mass = doubles(self.weights, sample.d + 1), doubles(self.sample_weight, sample.n)
        left_out = [whole_number(j) for j in self.left_out]
        if self.x0 not in (0.0, 1.0) or not (mass >= 0.0).all() or not self.C > 0.0:
            return math.inf
        if any(not 0 < j <= sample.d or weights[j] for j in left_out):
            return math.inf
        if left_out:
            kept = np.delete(np.arange(sample.d), np.subtract(left_out, 1))
            sample, weights = replace(sample, X=sample.X[:, kept]), weights[[0, *(kept + 1)]]
        present = replace(sample, weight=mass, x0=self.x0).only(mass > 0.0)
        found = optimum(present, LOGISTIC, weights, self.C)
        return math.inf if found is None else found.gap

    @unless_odd(False)
    def verify(self, X: ArrayLike, y: ArrayLike, tol: float = 1e-8) -> bool:
        """Whether P(w) is proven to exceed the least error by at most max(gap, tol) times P(w)."""
        sample, claimed = read_arrays(X, y), max(self.gap, tol)
        return claimed < math.inf and self.proven_gap_of(sample) <= claimed * (1.0 + 1e-6)


class Optimum(NamedTuple):
    """What a proof file says of a line, and the relative gap that it proves."""

    claim: Claim
    gap: float


def optimum(sample: Sample, errors: str, weights: Floats, C: float = math.inf) -> Optimum | None:
    """Return what shows how far a line is from the optimum, as `verify.py` finds it; or None.

    Parameters
    ----------
    sample : rows with a weight
    errors : `verify.LOGISTIC` or `verify.SQUARES`
    weights : (1+d,)
    """
    table, line, best = rows_of(sample), fractions_of(weights), None
    seen: list[Errors] = []
    for step in range(STEPS + 1):
        seen.append(Errors(errors, line))
        table.observed(seen[-1])
        told = (_proven(table, claim, seen) for claim in _claims(sample, errors, weights, line, C))
        found = next(filter(None, told), None)
        if step and found is None:
            break
        if best is None or (found and found.gap < best.gap):
            best = found
        if (best and best.gap <= NEAR) or step == STEPS or table.width > MOST_COLUMNS:
            break
        moved, saved = _newton(sample, seen[-1], C)
        if best and saved <= SMALL * best.gap * nearest_double(seen[0].above):
            break
        line = [a + Fraction(b) for a, b in zip(line, moved.tolist(), strict=True)]
    return best


def _proven(table: Table, claim: Claim, seen: Sequence[Errors]) -> Optimum | None:
    """Return what a claim proves, given what all rows say of its lines; None if it proves none."""
    known = {tuple(errors.weights): vars(errors) for errors in seen}
    asking = bounds_of_optimum(table, part_of(claim))
    try:
        for asked in next(asking):
            vars(asked).update(known[tuple(asked.weights)])
        next(asking)
    except StopIteration as stop:
        attained, least = stop.value
    except (Refuted, CannotCheck):
        return None
    gap = nearest_double((attained - least) / attained) if attained else 0.0
    return Optimum(claim, gap and math.nextafter(gap, math.inf))


def _claims(
    sample: Sample, errors: str, weights: Floats, line: list[Fraction], C: float
) -> Iterator[Claim]:
    """Yield what may show it: rows whose shares have room, as many as columns that balance."""
    x0 = sample.x0
    claim: Claim = {"kind": "optimum", "errors": errors, "weights": np.asarray(weights).tolist()}
    if math.isfinite(C):
        claim["C"] = float(C)
    if line != fractions_of(weights):
        claim["line"] = numbers(line)
    room = sample.weight * _room(sample, errors, line)
    if math.isfinite(C):
        rows = [int(np.argmax(room))] if x0 else []
        yield {**claim, "columns": [0] * len(rows), "rows": rows, "null_space": []}
        return
    for step, least in product({1 + sample.n // MANY: 0, 1: 0}, LEAST_PIVOTS):
        points = homogeneous(dense(sample.X[::step], "the rows that correct a proof"), x0)
        found, own = independent(points, room[::step], least)
        rows, columns = [n * step for n in found], [j if x0 else j + 1 for j in own]
        null = null_space(sample, rows) if len(own) < points.shape[1] else []
        yield {**claim, "columns": columns, "rows": rows, "null_space": null}


def _room(sample: Sample, errors: str, line: list[Fraction]) -> Floats:
    """Return by how much the share of each row may move, about."""
    if errors == SQUARES:
        return np.ones(sample.n)
    w = np.array([nearest_double(a) for a in line])
    return np.asarray(expit(-np.abs(sample.X @ w[1:] + w[0])))


def _newton(sample: Sample, at: Errors, C: float) -> tuple[Floats, float]:
    """Return a step (1+d,) towards the optimum, and how much less the errors are there, about.

    It is made of exact sums of the shares at a line.
    """
    errors, line = at.kind, [*at.weights]
    wanted = [a / Fraction(C) if k and math.isfinite(C) else 0 for k, a in enumerate(line)]
    gaps = (at.sums.get(k, 0) - a for k, a in enumerate(wanted))
    gradient = np.array([nearest_double(Fraction(a)) for a in gaps])
    room = _room(sample, errors, line)
    curvature = room if errors == SQUARES else room * (1.0 - room)
    A = homogeneous(dense(sample.X, "a step of Newton's method"), 1.0)
    A[:, 0] = sample.x0
    A *= np.sqrt(sample.weight * curvature)[:, np.newaxis]
    if math.isfinite(C):
        A = np.vstack((A, np.diag([0.0, *[C**-0.5] * sample.d])))
    size = np.abs(A).max(axis=0)
    scale = 1.0 / np.where(size > 0.0, size, 1.0)
    with one_blas_thread():
        _, R, order = scipy.linalg.qr(A * scale, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > diagonal[0] * LEAST_PIVOTS[1]).sum())
        own = order[:rank]
        half = scipy.linalg.solve_triangular(R[:rank, :rank], (gradient * scale)[own], trans="T")
        step = np.zeros(len(line))
        step[own] = scipy.linalg.solve_triangular(R[:rank, :rank], half) * scale[own]
    step = np.where(np.isfinite(step), step, 0.0)
    return step, float(gradient @ step) / 2.0


@dataclass(frozen=True, slots=True)
class LeastSquaresGap:
    """The claim that RSS(w) exceeds the least sum of squared residuals by at most a tolerance.

    Parameters
    ----------
    weights : (1+d,), w_0 first
    sample_weight : (N,)
    classes : the two labels that stand for -1 and +1; None when y are numbers
    x0 : 1.0 with an intercept, 0.0 without
    """

    weights: Floats
    sample_weight: Floats
    classes: Labels | None = None
    x0: float = 1.0

    def proven_gap(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return (RSS(w) - least) / sum m y^2, rounded up, from scratch; inf if none is proven.

        Raises
        ------
        InputError
            When X, y cannot be used.
        """
        if self.classes is None:
            points, target = read_numbers(X, y)
        else:
            sample = read_arrays(X, y)
            if sample.classes.tolist() != np.asarray(self.classes).tolist():
                return math.inf
            points, target = sample.X, sample.y
        return self.proven_gap_of(points, target)

    def verify(self, X: ArrayLike, y: ArrayLike, tol: float = 1e-9) -> bool:
        """Whether RSS(w) is proven to be at most tol sum m y^2 above the least of all lines."""
        return self.proven_gap(X, y) <= tol

    @unless_odd(math.inf)
    def proven_gap_of(self, X: Points, target: Floats) -> float:
        """Return what `proven_gap` does for data already checked, target (N,) numbers."""
        n, d = X.shape
        weights, mass = doubles(self.weights, d + 1), doubles(self.sample_weight, n)
        if self.x0 not in (0.0, 1.0) or (mass < 0.0).any():
            return math.inf
        rows = homogeneous(dense(X, "an exact look at a sparse table"), self.x0)
        scores = exact_scores(rows, fractions_of(weights[0 if self.x0 else 1 :]))
        answers, masses = fractions_of(target.tolist()), fractions_of(mass.tolist())
        residuals = [t - s for t, s in zip(answers, scores, strict=True)]
        gap = _excess(rows, masses, residuals)
        size = sum((m * t * t for m, t in zip(masses, answers, strict=True)), Fraction(0))
        if gap == 0:
            return 0.0
        return math.nextafter(nearest_double(gap / size), math.inf) if size else math.inf


def _excess(rows: Floats, mass: list[Fraction], residuals: list[Fraction]) -> Fraction:
    """Return sum m r^2 less the least of all lines, for rows (N, D): g'G^-1 g by the gradient g."""
    table = flint.fmpz_mat(integer_rows(rows, column_exponents(rows)))
    weights, p = whole_multiples(mass)
    pulls, q = whole_multiples([m * r for m, r in zip(mass, residuals, strict=True)])
    weighed = flint.fmpz_mat(
        [[m * int(a) for a in row] for m, row in zip(weights, table.tolist(), strict=True)]
    )
    gram, gradient = table.transpose() * weighed, flint.fmpz_mat([pulls]) * table
    own = independent_columns([[int(a) for a in row] for row in gram.tolist()])
    if not own:
        return Fraction(0)
    wanted: Any = gradient.entries()
    system = flint.fmpz_mat([[gram[i, j] for j in own] for i in own])
    solved: Any = system.solve(flint.fmpz_mat([[wanted[i]] for i in own]))
    moves, below = solved.numer_denom()
    found = [int(a) for a in moves.entries()]
    of_all = (flint.fmpz_mat([found]) * flint.fmpz_mat([gram.tolist()[i] for i in own])).entries()
    if of_all != [below * a for a in wanted]:
        raise ArithmeticError("columns independent modulo a prime do not span all")
    value = sum(a * int(wanted[i]) for a, i in zip(found, own, strict=True))
    return Fraction(value * p, int(below) * q * q)


KIND = "likelihood intervals"


@dataclass(frozen=True)
class LikelihoodIntervalProof:
    """The claim that ends of likelihood intervals lie in brackets, or are infinite."""

    x0: float  # 1.0 with an intercept, else 0.0
    sample_weight: Floats  # (N,)
    claim: Claim  # as in a proof file, of the rows that have a weight

    @property
    def shown(self) -> set[tuple[int, int]]:
        """The ends (index in (1+d,), side) of which something is claimed."""
        return {(e["index"], e["side"]) for e in (*self.claim["ends"], *self.claim["infinite"])}

    def but_for(self, **members: Sequence[Claim]) -> LikelihoodIntervalProof:
        """Return it with other members of the claim."""
        return replace(self, claim={**self.claim, **members})

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether every end is shown; some microseconds for each row and end."""
        return self.holds(read_arrays(X, y))

    @unless_odd(False)
    def holds(self, sample: Sample) -> bool:
        """Return the same of a sample already checked; its weights are those of the certificate."""
        weight = doubles(self.sample_weight, sample.n)
        if self.x0 not in (0.0, 1.0) or not (weight >= 0.0).all():
            return False
        table = rows_of(replace(sample, weight=weight, x0=self.x0).only(weight > 0.0))
        try:
            checked(Question("", [], table, [part_of(self.claim).data]))
        except (Refuted, CannotCheck):
            return False
        return True
