"""The rows that stay where a likelihood has no maximum, and the directions in which the rest go.

Along a direction of recession w (Zw >= 0) the rows with z.w > 0 get a likelihood of 1 in the limit:
the supremum of the log-likelihood is that over the rows with z.w = 0, for the w with the fewest of
these (Albert & Anderson 1984). With coefficient j fixed the same holds of the w with w_j = 0, and
those are the directions of the table without column j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Floats, Sample
from separatrix.exact.integers import primitive, whole_multiples
from separatrix.exact.signed_rows import SignedRows
from separatrix.learners.least_squares.least_squares import augmented
from separatrix.learners.logistic.cross_entropy import SMALL, least_cross_entropy
from separatrix.learners.logistic.newton import CompiledObjective
from separatrix.learners.logistic.newton_coordinates import OrthonormalColumns, PlainColumns
from separatrix.learners.logistic.problem import LogisticFit, Problem
from separatrix.separation.decide import Separability, separability_of

TOL = 1e-10  # relative gap of the fit from which profiles start
MAX_ITER = 100


@dataclass(frozen=True)
class Face:
    """Rows that stay along a direction of recession."""

    keep: NDArray[np.bool_]  # (N,) which rows stay
    direction: tuple[int, ...] | None  # (1+d,) whole numbers, positive on exactly the rows that go
    sample: Sample  # the rows that stay
    x0: float  # 1.0 with an intercept, 0.0 without

    @cached_property
    def table(self) -> Floats:
        """These rows (x0, x), dense."""
        return augmented(self.sample.X, self.x0)

    @cached_property
    def basis(self) -> OrthonormalColumns | PlainColumns:
        """Columns of these rows: orthonormal, but for long tables of well-conditioned ones."""
        n, d = self.sample.X.shape
        if n * (d + 1) > SMALL and not sp.issparse(self.sample.X):
            found = PlainColumns.of(self.sample.X, self.x0)
            if found is not None:
                return found
        return OrthonormalColumns(self.table, self.x0)

    @cached_property
    def objective(self) -> CompiledObjective:
        """Minus the log-likelihood, in coordinates of that basis."""
        return CompiledObjective(self.sample, self.basis)


class Faces:
    """The faces of a table's likelihood, each found when first asked for."""

    def __init__(self, sample: Sample, x0: float, fit: LogisticFit) -> None:
        self.sample, self.x0, self.fit = sample, x0, fit
        self._known: dict[bytes, Face] = {}

    @cached_property
    def separability(self) -> Separability | None:
        """What is decided of the rows; None where the fit's dual point shows that they overlap."""
        if self.fit.divergent or self.fit.gap > TOL or self.fit.doubtful:
            return self.fit.separability or separability_of(self.sample, self.x0)
        return None

    @property
    def verdict(self) -> str:
        """The verdict on the rows: "overlapping" where a maximum exists."""
        return "overlapping" if self.separability is None else self.separability.verdict

    @cached_property
    def aliased(self) -> tuple[int, ...]:
        """Indices (1+d,) of columns that are collinear, exactly."""
        if self.separability is not None:
            return self.separability.aliased
        if not self.whole or not self.whole.basis.rank_in_doubt:
            return ()
        return SignedRows(self.sample, self.x0).aliased

    @cached_property
    def whole(self) -> Face | None:
        """The face of all lines; None where a line separates the rows, so that none stays."""
        return self._of(self.separability, None)

    def without(self, j: int) -> Face | None:
        """Return the face of lines with any fixed w_j; None where no row stays."""
        sample, x0 = self.sample, self.x0
        if j == 0:
            x0 = 0.0
        else:
            sample = without_columns(sample, (j,))
        if sample.d == 0 and not x0:  # nothing is left to choose: every row stays
            return self._of(None, j)
        found = separability_of(sample, x0)
        if found.verdict == "undecided":
            raise Undecided(found.reason)
        return self._of(found, j)

    def _of(self, found: Separability | None, j: int | None) -> Face | None:
        """Return the face that a verdict on all columns, or on all but one, shows."""
        if found is not None and found.verdict == "separable":
            return None
        keep, direction = np.ones(self.sample.n, dtype=np.bool_), None
        if found is not None and found.verdict == "touching":
            assert found.line is not None  # noqa: S101  # touching tables have one
            line = list(found.line)
            if j:
                line.insert(j, Fraction(0))
            direction = tuple(primitive(whole_multiples(line)[0]))
            rows = SignedRows(self.sample, self.x0)
            exact = [Fraction(w) for w in direction]
            keep = rows.signs(rows.columns_of(exact)) == 0
        made = Face(keep, direction, self.sample.only(keep), self.x0)
        return self._known.setdefault(keep.tobytes(), made)


class Undecided(Exception):  # noqa: N818  # an answer, not an error
    """A limit was met before it was decided which rows stay."""


def fitted(sample: Sample, x0: float, *, independent: bool = False) -> LogisticFit:
    """Return the most likely line of rows with positive weights, or that there is none."""
    start = np.zeros(sample.d + 1)
    return least_cross_entropy(
        Problem(sample, x0, np.inf, TOL, MAX_ITER, start, independent=independent)
    )


def without_columns(sample: Sample, columns: Sequence[int]) -> Sample:
    """Return the sample without some columns, by their indices in (1+d,)."""
    kept = np.delete(np.arange(sample.d), np.array(columns, dtype=np.intp) - 1)
    X = sample.X[:, kept] if sp.issparse(sample.X) else sample.X.take(kept, axis=1)
    return replace(sample, X=X)


def scores_of(sample: Sample, x0: float, line: Floats) -> Floats:
    """Return the agreements y (x0, x).w (N,) of a line (1+d,)."""
    return np.asarray(sample.y * (sample.X @ line[1:] + x0 * line[0]))
