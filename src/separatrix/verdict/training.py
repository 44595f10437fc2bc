"""Rows to learn from, and what several learners ask of them: each found once, when asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import scipy.sparse as sp

from separatrix.cached import cached_property
from separatrix.data import Sample
from separatrix.learners.least_squares.collinear import collinear_columns
from separatrix.scale import Rows
from separatrix.scale.together import Begun, begin
from separatrix.scale.view import seen_as
from separatrix.separation.decide import Separability, separability_of
from separatrix.verdict.columns import Columns, standardisation
from separatrix.verdict.scaling import Scaling, Standardised


@dataclass(frozen=True)
class TrainingRows:
    """Rows to learn from."""

    rows: Rows  # with an intercept, and every weight positive
    sample: Sample | None = None  # all of them, where learners take them from memory at once
    proof: Begun[Separability] | None = None  # whether they are separable, where it is asked

    @classmethod
    def of(cls, sample: Sample, proof: Separability | None = None) -> TrainingRows:
        """Return the rows of a sample in memory."""
        return cls(Rows.of(sample), sample, None if proof is None else Begun(proof))

    @property
    def _in_memory(self) -> Sample:
        assert self.sample is not None  # noqa: S101  # what is below is asked for in memory alone
        return self.sample

    @cached_property
    def separability(self) -> Separability:
        """Whether they are separable; of rows in memory."""
        if self.proof is not None:
            return self.proof.result()
        return separability_of(self._in_memory, 1.0)

    @cached_property
    def collinear(self) -> dict[int, tuple[int, ...]]:
        """The columns that others make up but for rounding; of rows in memory."""
        return collinear_columns(self._in_memory.X, 1.0)

    @cached_property
    def _columns(self) -> Begun[Columns]:
        return begin(self.rows, partial(Columns.of, self.rows))

    @property
    def columns(self) -> Columns:
        """What one read says of their columns."""
        return self._columns.result()

    @cached_property
    def scaling(self) -> Scaling:
        """How their columns are standardised."""
        if self.sample is not None and sp.issparse(self.sample.X):
            return standardisation(self.sample.X, self.sample.weight)
        return self.columns.scaling

    @cached_property
    def standardised(self) -> TrainingRows:
        """The rows with standardised columns."""
        if self.sample is not None:
            return TrainingRows.of(replace(self.sample, X=self.scaling.apply(self.sample.X)))
        return TrainingRows(seen_as(self.rows, Standardised(self.rows.source, self.scaling)))
