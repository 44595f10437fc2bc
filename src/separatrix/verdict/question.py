"""One yes / no question about the rows of a table, and whether a line answers it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Labels, Points, Sample
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables import Encoding, Table
from separatrix.tables.wording import counted
from separatrix.tiles import one_blas_thread


@dataclass(frozen=True, repr=False)
class Question:
    """A question, its rows as features, and the proof of whether a line answers it."""

    table: Table
    encoding: Encoding  # how its columns became features
    classes: Labels  # the labels as the user has them, no first
    named: bool  # whether the columns had names, or were given x1, x2,
    sample: Sample
    separability: Separability  # checked exactly

    def __repr__(self) -> str:
        size = f"{counted(self.sample.n, 'row')}, {counted(self.sample.d, 'feature')}"
        about = f"{self.table.yes} or {self.table.no}"
        return f"<Question: {about}, {size}, {self.separability.verdict}>"

    @property
    def points(self) -> Points:
        """The features (N, d)."""
        return self.sample.X

    @property
    def witness_lines(self) -> tuple[int, ...]:
        """Where the rows of the refusal stand in the file."""
        return tuple(self.table.lines[self._of_refusal].tolist())

    @property
    def witness_files(self) -> tuple[str, ...]:
        """The file of each of them; "" where the table is one file."""
        return tuple(map(self.table.file_of, self._of_refusal.tolist()))

    @property
    def _of_refusal(self) -> NDArray[np.int64]:
        refusal = self.separability.refusal
        return self.table.positions(() if refusal is None else refusal.rows)


@dataclass(frozen=True, slots=True)
class BestOfPla:
    """The line of best margin known on the standardised columns that PLA sees."""

    weights: tuple[Fraction, ...]  # (1+d,) exact, w_0 first
    mistake_bound: int  # floor(R^2 / rho^2): what PLA's updates do not exceed there

    @classmethod
    def of(cls, standardised: Sample | Rows) -> BestOfPla | None:
        """Return it; None where standardising left no separating line."""
        proof = decided(standardised)
        bound, weights = proof.mistake_bound, proof.exact_weights
        return None if bound is None or weights is None else cls(weights, bound)


def decided(rows: Sample | Rows) -> Separability:
    """Return whether rows are separable, proven: nothing unchecked is reported."""
    with one_blas_thread() if isinstance(rows, Rows) else nullcontext():
        proof = separability_of(rows)
        against = (rows, None) if isinstance(rows, Rows) else (rows.X, rows.y)
        if proof.verdict != "undecided" and not proof.verify(*against):
            raise RuntimeError(
                "separability: the certificate did not verify; please report this table"
            )
    return proof
