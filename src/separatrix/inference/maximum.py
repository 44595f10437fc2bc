"""The maximum likelihood of a logistic regression: attained, or approached along a direction.

Rows off the direction have likelihood 1 in the limit; the rows on it have a finite optimum.
Standard errors are those of B M B with B = (A' V A)^-1 and M = A' V A itself, A' diag(w e^2) A with
the corrections HC0 to HC3 (White 1980; MacKinnon & White 1985), or sums of w e a over clusters
(Liang & Zeger 1986).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.data import Floats, InputError, Sample, constant_of, dense, quiet
from separatrix.inference.figures import LogisticFigures
from separatrix.learners.least_squares.least_squares import power_of_two_scale
from separatrix.learners.logistic.newton import Optimum, Place, optimum_in_blocks, place_of
from separatrix.learners.logistic.no_optimum import direction_of, on_line, rows_on
from separatrix.learners.logistic_regression import Certificate, LogisticRegression
from separatrix.scale import Block, Rows
from separatrix.scale.view import SameRows, seen_as, with_constant
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread, stack_of_tiles

ROBUST = ("HC0", "HC1", "HC2", "HC3")

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Spread:
    """How uncertain coefficients are: by the model, or by the residuals of rows or clusters."""

    robust: str | None = None  # None, "HC0", "HC1", "HC2" or "HC3"
    groups: Indices | None = None  # (N,) codes of clusters, or None

    @classmethod
    def of(cls, robust: str | None, groups: Indices | None) -> Spread:
        if robust is not None and robust not in ROBUST:
            raise InputError(f"robust must be one of {', '.join(ROBUST)}; it is {robust!r}.")
        if robust is not None and groups is not None:
            raise InputError("robust (rows) and groups (clusters of rows) exclude each other.")
        if groups is not None and np.unique(groups).size < 2:
            raise InputError("groups holds one group: clustered errors need two or more.")
        return cls(robust, groups)

    @property
    def usual(self) -> bool:
        """Whether the model is taken at its word."""
        return self.robust is None and self.groups is None

    def only(self, keep: NDArray[np.bool_]) -> Spread:
        return self if self.groups is None else Spread(self.robust, self.groups[keep])

    def __str__(self) -> str:
        if self.groups is not None:
            return f"clustered in {np.unique(self.groups).size:,} groups"
        return self.robust or ""


def columns_at(place: Place, sample: Sample) -> tuple[Floats, Floats]:
    """Return the independent columns A (N, k) of rows at a place, and what makes weights of c."""
    own = slice(0 if place.basis is None and place.x0 else 1, None)
    A = place.columns(dense(sample.X, "a covariance of coefficients"))[:, own]
    return np.ascontiguousarray(A), place.back[:, own]


def standard_errors(
    place: Place,
    sample: Sample,
    curvature: Floats,  # of rows, weights included
    residual: Floats,  # of rows, without
    spread: Spread,
    *,
    n: float,  # the weight of all rows
    parameters: int,
    variance: float = 1.0,  # by which the usual ones are multiplied
) -> Floats:
    """Return standard errors (1+d,), NaN of columns left out at the place."""
    (A, back), weight = columns_at(place, sample), sample.weight
    k = A.shape[1]
    if k == 0:
        return np.full(sample.d + 1, np.nan)
    with one_blas_thread():
        half = A * np.sqrt(curvature)[:, np.newaxis]
        R = scipy.linalg.qr(half, mode="r", check_finite=False)[0][:k]
    half = scipy.linalg.solve_triangular(R, np.eye(k), check_finite=False)  # R^-1
    to_table = back @ half
    size = power_of_two_scale(to_table.T)  # squares of tiny ones would be 0
    to_table *= size[:, np.newaxis]
    if spread.usual:
        meat = np.eye(k) * variance
    elif spread.groups is not None:
        A = A @ half  # rows of A R^-1
        groups = np.unique(spread.groups, return_inverse=True)[1]
        sums = np.zeros((int(groups.max(initial=0)) + 1, k))
        np.add.at(sums, groups, A * (residual * weight)[:, np.newaxis])
        many = len(sums)
        factor = many / (many - 1.0) * (n - 1.0) / (n - parameters)
        meat = factor * (sums.T @ sums)
    else:
        A = A @ half
        scale = np.sqrt(weight)
        if spread.robust in ("HC2", "HC3"):
            share = curvature / weight  # of one copy of the row
            leverage = share * (A * A).sum(axis=1)
            scale *= (1.0 - leverage) ** (-0.5 if spread.robust == "HC2" else -1.0)
        scores = A * (residual * scale)[:, np.newaxis]
        meat = scores.T @ scores
        if spread.robust == "HC1":
            meat = meat * n / (n - parameters)
    errors = np.sqrt(np.diag(to_table @ meat @ to_table.T)) / size
    return np.where(back.any(axis=1), errors, np.nan)


@dataclass(frozen=True)
class Maximum:
    """The supremum of the log-likelihood and what is known of where it is."""

    rows: Rows  # in memory those that have a weight
    weight: Floats  # (2,) of no rows and of yes rows
    optimum: Optimum | None  # of the rows whose likelihood stays below 1; None where there are none
    n_parameters: int  # how many coefficients can be chosen freely
    infinite: dict[int, int]
    undetermined: frozenset[int]  # indices in (1+d,) of coefficients that the rows do not determine
    certificate: Certificate  # that of the fit, or the proof that there is no optimum
    line: Floats | None = None  # (m, 1+d) on which the rows are whose likelihood stays below 1
    given: Floats | None = None  # (N,) all weights of rows that exact arithmetic is to check

    @classmethod
    def of(cls, sample: Sample) -> Maximum:
        return cls.fitted(Rows.of(sample.only(sample.weight > 0.0)), sample.weight)

    @classmethod
    def fitted(cls, rows: Rows, given: Floats | None = None) -> Maximum:
        learner = LogisticRegression(fit_intercept=bool(rows.x0))
        with quiet():
            if given is None:
                learner.fit(rows)
            else:
                learner.fit_sample(rows.whole())
        return cls.near(rows, learner, given)

    @classmethod
    def near(cls, rows: Rows, learner: LogisticRegression, given: Floats | None = None) -> Maximum:
        """Return it from an unpenalised fit of the rows."""
        with rows.journal.part("maximum likelihood"):
            proof, rows = learner.certificate_, with_constant(rows, constant_of(learner))
            if not isinstance(proof, Separability):
                place = getattr(proof, "place", None)
                if not isinstance(place, Place):
                    place = place_of(rows, learner.finite_weights_)
                best = optimum_in_blocks(rows, place)
                weight, open_ones = best.read.weight, best.undetermined
                return cls(rows, weight, best, best.rank, {}, open_ones, proof, given=given)
            line, limit, open_ones = None, None, frozenset(proof.aliased)
            if proof.verdict == "touching":
                line = direction_of(proof)
                some = rows_on(rows, line)
                limit = optimum_in_blocks(some)
                open_ones |= limit.left_out
            infinite = dict.fromkeys(proof.divergent, 0) | proof.diverging
            weight = rows.sum(label_weights)
            return cls(rows, weight, limit, proof.rank, infinite, open_ones, proof, line, given)

    def without(self, columns: Iterable[int]) -> Maximum:
        """Return the maximum over the lines on which these coefficients of (1+d,) are 0."""
        return self.fitted(without_columns(self.rows, columns), self.given)

    @cached_property
    def finite(self) -> Rows:
        """All rows, those whose likelihood becomes 1 with a weight of 0."""
        return rows_on(self.rows, self.line)

    @property
    def log_likelihood(self) -> float:
        """The supremum l* of the log-likelihood."""
        return 0.0 if self.optimum is None else 0.0 - self.optimum.value

    @property
    def open_ones(self) -> frozenset[int]:
        """Coefficients that the rows do not determine, or of which no sign is known."""
        return self.undetermined | {j for j, way in self.infinite.items() if not way}

    def estimates(self) -> Floats:
        """Return the estimates (1+d,): +-inf where infinite, NaN where not determined."""
        found = np.full(self.rows.d + 1, np.nan)
        if self.optimum is not None:
            found[:] = self.optimum.weights
        if not self.rows.x0:
            found[0] = 0.0
        found[list(self.undetermined)] = np.nan
        for j, way in self.infinite.items():
            found[j] = way * np.inf if way else np.nan
        return found

    def standard_errors(self, spread: Spread) -> Floats:
        """Return standard errors (1+d,); NaN where the estimate is infinite or not determined."""
        found = np.full(self.rows.d + 1, np.nan)
        if self.optimum is None:
            return found
        found[:] = self.optimum.standard_errors if spread.usual else self._robust_errors(spread)
        found[[*self.undetermined, *self.infinite]] = np.nan
        return found

    def _robust_errors(self, spread: Spread) -> Floats:
        sample, best = self.rows.in_memory, self.optimum
        assert sample is not None and best is not None  # noqa: S101, PT018  # its callers'
        finite = on_line(sample, self.line) & (sample.weight > 0.0)
        rows, place = sample.only(finite), best.place
        yes = expit(rows.X @ place.weights[1:] + rows.x0 * place.weights[0])
        misses = np.where(rows.y > 0.0, 1.0 - yes, -yes)
        return standard_errors(
            place, rows, rows.weight * yes * (1.0 - yes), misses, spread.only(finite),
            n=float(self.weight.sum()), parameters=self.n_parameters,
        )  # fmt: skip

    def figures(self) -> LogisticFigures:
        no, yes = self.weight.tolist()
        level = float(np.log(yes / no)) if self.rows.x0 else 0.0
        null = no * np.logaddexp(0.0, level) + yes * np.logaddexp(0.0, -level)
        misses = np.zeros(2) if self.optimum is None else self.optimum.read.misses
        of_no, of_yes = (misses / self.weight).tolist()
        return LogisticFigures(
            no + yes, yes, self.n_parameters, int(self.rows.x0), self.log_likelihood,
            0.0 - float(null), 1.0 - of_yes - of_no,
        )  # fmt: skip


def without_columns(rows: Rows, columns: Iterable[int]) -> Rows:
    away = set(columns)
    kept = [j for j in range(rows.d) if j + 1 not in away]
    if rows.in_memory is not None:
        fewer = Rows.of(_with_columns(rows.in_memory, kept))
    else:
        change, names = partial(_with_columns, kept=kept), tuple(rows.names[j] for j in kept)
        fewer = seen_as(rows, SameRows(rows.source, change, d=len(kept), names=names))
    return with_constant(fewer, 0.0 if 0 in away else rows.x0)


def _with_columns(sample: Sample, kept: list[int]) -> Sample:
    X = sample.X[:, kept]
    return replace(sample, X=X if sp.issparse(X) else np.ascontiguousarray(X))


def label_weights(block: Block) -> Floats:
    """Return the weight of no rows and of yes rows of each tile: (tiles, 2)."""
    yes, weight = block.sample.y > 0.0, block.sample.weight

    def part(tile: slice) -> Floats:
        return np.array([weight[tile][~yes[tile]].sum(), weight[tile][yes[tile]].sum()])

    return stack_of_tiles(block.n, part)
