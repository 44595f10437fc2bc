"""The maximum likelihood of a logistic regression whose rows are read in blocks.

`Maximum` (`maximum.py`) by reads instead of arrays: one or two where a fit is at hand, which give
the value, the Hessian and the mean probabilities. Rows that a direction of recession decides have
likelihood 1 in the limit; the others are read as if these had a weight of 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from separatrix.data import Floats, InputError, Sample, SeparatrixWarning
from separatrix.inference.design import Spread
from separatrix.inference.figures import LogisticFigures
from separatrix.learners.logistic.no_optimum import diverging_line, sides
from separatrix.learners.logistic.reads import GapInBlocks, Optimum, optimum_in_blocks
from separatrix.learners.logistic_regression import Certificate, LogisticRegression
from separatrix.scale import Block, Rows, Source
from separatrix.scale.view import View, seen_as
from separatrix.separation.decide import Separability
from separatrix.tiles import stack_of_tiles, tiles

if TYPE_CHECKING:  # loaded where they are asked for
    from separatrix.inference.intervals.profile import LikelihoodIntervals


@dataclass(frozen=True)
class MaximumInBlocks:
    """The supremum of the log-likelihood and what is known of where it is."""

    sample: Rows  # all rows
    x0: float  # 1.0 with an intercept, 0.0 without
    weight: Floats  # (2,) of no rows and of yes rows
    optimum: Optimum | None  # of the rows whose likelihood stays below 1; None where there are none
    n_parameters: int  # how many coefficients can be chosen freely
    infinite: dict[int, int]
    undetermined: frozenset[int]  # indices in (1+d,) of coefficients that the rows do not determine
    certificate: Certificate  # that of the fit, or the proof that there is no optimum
    line: Floats | None = None

    @classmethod
    def of(cls, table: Rows, learner: LogisticRegression) -> MaximumInBlocks:
        """Return the maximum of the likelihood of a table, from an unpenalised fit of its rows."""
        with table.journal.part("maximum likelihood"):
            return cls._of(table, learner)

    @classmethod
    def _of(cls, table: Rows, learner: LogisticRegression) -> MaximumInBlocks:
        x0, proof = 1.0 if learner.fit_intercept else 0.0, learner.certificate_
        if not isinstance(proof, Separability):
            # of a table that is so small that its fit is one in memory no place is known
            place = proof.place if isinstance(proof, GapInBlocks) else None
            best = optimum_in_blocks(table, x0, place)
            return cls(table, x0, best.read.weight, best, best.rank, {}, best.undetermined, proof)
        line, limit, open_ones = None, None, frozenset(proof.aliased)
        if proof.verdict == "touching":
            line = diverging_line(proof)
            limit = optimum_in_blocks(rows_on(table, line), x0)
            open_ones |= limit.left_out
        weight = table.sum(label_weights)
        infinite = dict.fromkeys(proof.divergent, 0) | proof.diverging
        return cls(table, x0, weight, limit, proof.rank, infinite, open_ones, proof, line)

    def without(self, columns: Iterable[int]) -> MaximumInBlocks:
        """Return the maximum over the lines on which these coefficients of (1+d,) are 0."""
        fewer, x0 = without_columns_in_blocks(self.sample, columns, self.x0)
        return self.of(fewer, fitted_in_blocks(fewer, x0))

    @property
    def log_likelihood(self) -> float:
        """The supremum l* of the log-likelihood."""
        return 0.0 if self.optimum is None else 0.0 - self.optimum.value

    def estimates(self) -> Floats:
        """Return the estimates (1+d,): +-inf where infinite, NaN where not determined."""
        found = np.full(self.sample.d + 1, np.nan)
        if self.optimum is not None:
            found[:] = self.optimum.weights
        if not self.x0:
            found[0] = 0.0
        found[list(self.undetermined)] = np.nan
        for j, way in self.infinite.items():
            found[j] = way * np.inf if way else np.nan
        return found

    def standard_errors(self, spread: Spread) -> Floats:
        """Return standard errors (1+d,); NaN where the estimate is infinite or not determined."""
        if not spread.usual:
            raise InputError("robust errors of rows in blocks are not available.")
        if self.optimum is None:
            return np.full(self.sample.d + 1, np.nan)
        found = self.optimum.standard_errors.copy()
        found[[*self.undetermined, *self.infinite]] = np.nan
        return found

    def intervals(self, level: float) -> LikelihoodIntervals:
        """Return likelihood intervals of the coefficients that do not diverge."""
        from separatrix.inference.intervals.in_blocks import intervals_in_blocks

        return intervals_in_blocks(self, level)

    def figures(self) -> LogisticFigures:
        no, yes = self.weight.tolist()
        level = float(np.log(yes / no)) if self.x0 else 0.0
        null = no * np.logaddexp(0.0, level) + yes * np.logaddexp(0.0, -level)
        misses = np.zeros(2) if self.optimum is None else self.optimum.read.misses
        of_no, of_yes = (misses / self.weight).tolist()
        return LogisticFigures(
            no + yes,
            yes,
            self.n_parameters,
            int(self.x0),
            self.log_likelihood,
            0.0 - float(null),
            1.0 - of_yes - of_no,
        )


def rows_on(table: Rows, line: Floats | None) -> Rows:
    """Return the rows on a line (m, 1+d), the others with a weight of 0; all where it is None."""
    return table if line is None else seen_as(table, RowsOnALine(table.source, line))


def without_columns_in_blocks(table: Rows, columns: Iterable[int], x0: float) -> tuple[Rows, float]:
    """Return a table without some columns, by their indices in (1+d,), and x0 without them."""
    away = set(columns)
    kept = [j for j in range(table.d) if j + 1 not in away]
    return seen_as(table, SomeColumns(table.source, kept)), 0.0 if 0 in away else x0


class SomeColumns(View):
    """Rows with some of their columns only."""

    def __init__(self, base: Source, kept: list[int]) -> None:
        super().__init__(base)
        self.kept, self.d = kept, len(kept)
        self.names = tuple(self.names[j] for j in kept)

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1."""
        rows = self.base.read(start, stop, check=check)
        return replace(rows, X=np.ascontiguousarray(rows.X[:, self.kept]))

    def _key(self) -> tuple[list[int]]:
        return (self.kept,)


class RowsOnALine(View):
    """Rows of which those that are not on a line, exactly, have a weight of 0."""

    def __init__(self, base: Source, line: Floats) -> None:
        super().__init__(base)
        self.line = line

    def read(self, start: int, stop: int, *, check: bool = True) -> Sample:
        """Return rows start, ..., stop - 1."""
        rows = self.base.read(start, stop, check=check)
        on_it = np.empty(rows.n, dtype=np.bool_)
        for tile in tiles(rows.n):
            X = np.ascontiguousarray(rows.X[tile], dtype=np.float64)
            on_it[tile] = sides(X, self.line, 1.0) == 0.0
        return Sample(rows.X, rows.y, rows.classes, rows.weight * on_it)

    def _key(self) -> tuple[list[list[float]]]:
        return (self.line.tolist(),)


def fitted_in_blocks(table: Rows, x0: float) -> LogisticRegression:
    """Return the most likely line of a table, or that there is none."""
    learner = LogisticRegression(fit_intercept=bool(x0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparatrixWarning)
        return learner.fit(table)


def label_weights(block: Block) -> Floats:
    """Return the weight of no rows and of yes rows of each tile: (tiles, 2)."""
    yes, weight = block.sample.y > 0.0, block.sample.weight

    def part(tile: slice) -> Floats:
        return np.array([weight[tile][~yes[tile]].sum(), weight[tile][yes[tile]].sum()])

    return stack_of_tiles(block.n, part)
