"""Rows to learn from, and what several learners ask of them: each found once, when asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from separatrix.cached import cached_property
from separatrix.data import Sample
from separatrix.learners.least_squares.collinear import collinear_columns
from separatrix.scale import Rows
from separatrix.scale.together import Begun, begin
from separatrix.scale.view import seen_as
from separatrix.separation.decide import Separability, separability_of
from separatrix.verdict.columns import Columns
from separatrix.verdict.scaling import Scaling, standardised_rows


@dataclass(frozen=True)
class TrainingRows:
    rows: Rows  # with an intercept, and every weight positive
    sample: Sample | None = None  # all of them, where learners take them from memory at once
    proof: Begun[Separability] | None = None  # whether they are separable, where it is asked

    @classmethod
    def of(cls, sample: Sample, proof: Separability | None = None) -> TrainingRows:
        return cls(Rows.of(sample), sample, None if proof is None else Begun(proof))

    @cached_property
    def separability(self) -> Separability:
        """Whether they are separable; of rows in memory."""
        if self.proof is not None:
            return self.proof.result()
        return separability_of(self.sample)  # type: ignore[arg-type]  # likewise below

    @cached_property
    def collinear(self) -> dict[int, tuple[int, ...]]:
        """The columns that others make up but for rounding; of rows in memory."""
        return collinear_columns(self.sample)  # type: ignore[arg-type]

    @cached_property
    def begun_columns(self) -> Begun[Columns]:
        return begin(self.rows, partial(Columns.of, self.rows))

    @property
    def columns(self) -> Columns:
        return self.begun_columns.result()

    @cached_property
    def scaling(self) -> Scaling:
        return self.columns.scaling(self.rows)

    @cached_property
    def standardised(self) -> TrainingRows:
        if self.sample is not None:
            return TrainingRows.of(replace(self.sample, X=self.scaling.apply(self.sample.X)))
        return TrainingRows(seen_as(self.rows, standardised_rows(self.rows.source, self.scaling)))
