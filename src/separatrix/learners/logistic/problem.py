"""The problem that every method for the cross-entropy solves, and the fit it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.cached import cached_property
from separatrix.data import Floats, Points, Sample, in_full
from separatrix.learners.least_squares.collinear import collinear_of
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of

LeftOut = Mapping[int, tuple[int, ...]]


def others(sample: Sample, left_out: LeftOut) -> list[int]:
    """Return the indices in (1+d,) of the intercept and of the columns that are not left out."""
    return [j for j in range(sample.d + 1) if j not in left_out]


def without(sample: Sample, left_out: LeftOut) -> Sample:
    columns = np.array(others(sample, left_out)[1:], dtype=np.intp) - 1
    X = sample.X[:, columns] if sp.issparse(sample.X) else sample.X.take(columns, axis=1)
    return replace(sample, X=X)


class Known(Protocol):
    """What is found out about the rows of a fit elsewhere, each when first asked for."""

    @property
    def separability(self) -> Separability:
        """Whether they are separable, with x0."""

    @property
    def collinear(self) -> dict[int, tuple[int, ...]]:
        """Columns that others make up but for rounding, as `collinear_of` gives them."""


@dataclass(frozen=True)
class Problem:
    """Minimise sum weight ln(1 + e^-a) + |w|^2 / (2 C), w_0 not penalised."""

    rows: Rows
    C: float  # inverse strength of the penalty, inf for none
    tol: float  # relative gap at which to stop
    max_iter: int  # steps
    start: Floats  # (1+d,) weights, w_0 first
    independent: bool = False
    known: Known | None = None  # what is found out about the rows elsewhere; else None
    overlap_rank: int | None = None
    in_memory: bool = True  # rows of arrays, with room for a number of each; False for a table
    factors: Floats = field(default_factory=lambda: np.ones(2))  # of the weights of either label

    @property
    def x0(self) -> float:
        return self.rows.x0

    @cached_property
    def sample(self) -> Sample:
        """The rows in memory that have a weight above 0."""
        of = self.rows.in_memory
        assert of is not None  # noqa: S101  # asked for in memory alone
        return of.only(of.weight > 0.0)

    @property
    def penalised(self) -> bool:
        return bool(np.isfinite(self.C))

    @cached_property
    def separability(self) -> Separability:
        """Whether the rows are separable: decided exactly, when first asked for."""
        return self.known.separability if self.known else separability_of(self.some)

    @cached_property
    def collinear(self) -> LeftOut:
        """Columns that others make up but for rounding, found when first asked for."""
        if self.independent:
            return {}
        return self.known.collinear if self.known else collinear_of(self.some)

    @cached_property
    def some(self) -> Rows:
        """The rows, in memory without those that have no weight."""
        if not self.in_memory or self.sample is self.rows.in_memory:
            return self.rows
        return Rows.of(self.sample)


def no_minimiser(decided: Separability) -> bool:
    """Whether it is proven that no most likely line exists."""
    return decided.verdict in ("separable", "touching")


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """Where a method for the cross-entropy ended."""

    weights: Floats  # (1+d,), w_0 first
    gap: float
    n_steps: int
    standard_errors: Floats | None = None
    information: Untyped = None  # what has standard errors, (1+d,), when first asked for
    doubtful: bool = False
    separability: Separability | None = None
    left_out: LeftOut = field(default_factory=dict)
    claim: Untyped = None  # of rows that were read: `newton.GapInBlocks`

    @property
    def divergent(self) -> bool:
        return self.separability is not None and no_minimiser(self.separability)

    def of_all(self, sample: Sample, left_out: LeftOut) -> LogisticFit:
        """Return a fit of the other columns of a sample as one of all of them."""
        places = others(sample, left_out)
        weights = np.zeros(sample.d + 1)
        weights[places] = self.weights
        errors, known = self.standard_errors, self.information
        if isinstance(known, _OfOthers):
            errors, known = known.standard_errors(), None
        if known is not None:
            known = _OfOthers(sample, left_out, replace(known, table=None))
        if errors is not None:
            of_others, errors = errors, np.full(sample.d + 1, np.nan)
            errors[places] = of_others
        return replace(
            self, weights=weights, standard_errors=errors, information=known, left_out=left_out
        )


@dataclass(frozen=True, slots=True)
class _OfOthers:
    """Standard errors where columns are left out; what is kept are all of them, not a copy."""

    sample: Sample
    left_out: LeftOut
    known: Untyped  # information, less its table

    def standard_errors(self) -> Floats:
        errors = np.full(self.sample.d + 1, np.nan)
        table = Rows.of(without(self.sample, self.left_out))
        known = replace(self.known, table=table)
        errors[others(self.sample, self.left_out)] = known.standard_errors()
        return errors


# ---------------------------------------------------------------------- columns far from 0

EPS = float(np.finfo(np.float64).eps)
ROUNDINGS = 4.0  # of a product w_j x_j: of the weight, its sum, and the steps that found it
SHARE = 1e-4  # of tol, that rounding may take: a dual point loses more than a line
NARROW = 1e-6  # (largest - least) / size, below which a column is far from 0


@np.errstate(over="ignore", invalid="ignore")
def score_rounding(ends: Floats, weights: Floats) -> Floats:
    """Return by how much the rounding of each weight (1+d,) may move a score."""
    sizes = np.append(1.0, np.abs(ends).max(axis=0))
    return np.asarray(ROUNDINGS * EPS * np.abs(weights) * sizes)


@np.errstate(over="ignore", invalid="ignore")
def matters(rounding: Floats, tol: float) -> bool:
    """Whether moving scores by e may cost more than tol: below e^2 / 2 times the sum of errors."""
    return bool(0.5 * rounding.sum() ** 2 > SHARE * max(tol, EPS))


@np.errstate(over="ignore", invalid="ignore")
def narrow(ends: Floats) -> bool:
    """Whether some column is far from 0 compared with its range."""
    least, largest = ends
    far = np.minimum(np.abs(least), np.abs(largest)) * NARROW
    return bool(((largest > least) & (largest - least < far)).any())


def ends_of(X: Points) -> Floats:
    """Return the least and the largest value of each column (2, d)."""
    return np.array([in_full(end).ravel() for end in (X.min(axis=0), X.max(axis=0))])
