"""Ends of likelihood intervals that a few reads of the rows show, with room for rounding."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.linalg

from separatrix._types import Untyped
from separatrix.data import Floats
from separatrix.inference.intervals.beside import Beside, EndsBeside, free_lines, rows_that_go
from separatrix.inference.intervals.bounds import FOUND, WIDEST, Bounds, EndInBlocks, EndsOnFace
from separatrix.inference.intervals.faces import PRECISION, Faces, Going, Line
from separatrix.inference.intervals.search import MOST_READS, Near, Search
from separatrix.inference.maximum import Maximum
from separatrix.learners.logistic.no_optimum import in_doubles
from separatrix.scale import Rows
from separatrix.separation.decide import Separability
from separatrix.tiles import one_blas_thread

FAR = "its search did not converge within the reads that all ends share"


@dataclass(frozen=True)
class IntervalsInBlocks:
    """The claim that ends of likelihood intervals lie in brackets, shown in floats."""

    q: float  # 2 (l* - l_j) at the ends
    faces: tuple[EndsOnFace, ...]  # that of the maximum, if there is one, and those of single ends
    beside: EndsBeside | None = None  # of others that diverge

    def verify(self, table: Rows, y: None = None) -> bool:  # noqa: ARG002
        """Whether a few reads of a table show every end again. The table brings its labels."""
        with one_blas_thread(), np.errstate(all="ignore"):
            try:
                return self._holds(table)
            except scipy.linalg.LinAlgError:
                return False

    def _holds(self, table: Rows) -> bool:
        at_top, direction = None, None
        for face in self.faces:
            bounds = face.bounds(table, at_top)
            if bounds is None or not face.are_shown(bounds, self.q):
                return False
            if face.top is not None:
                at_top, direction = bounds, face.direction
        if self.beside is None:
            return True
        if at_top is None or direction is None:
            return False
        return self.beside.are_shown(table, direction, at_top, self.q)


@dataclass
class ByReads:
    """What bounds of the likelihood show, of rows that are read or are many."""

    of: Maximum
    q: float
    faces: Faces
    ends: dict[tuple[int, int], EndInBlocks] = field(default_factory=dict)
    ends_beside: list[Untyped] = field(default_factory=list)  # as `EndsBeside` has them
    ends_alone: dict[tuple[int, int], EndsOnFace] = field(default_factory=dict)

    most, most_fits = MOST_READS, 8

    @cached_property
    def bounds(self) -> Bounds | None:
        """Those around the maximum; None where there is none, and where its Hessian is singular."""
        if (best := self.of.optimum) is None:
            return None
        place = replace(best.read.place, before=None, step=None)
        try:
            return Bounds.at_top(self.of.finite, place, best.place.c, best.read.hessian)
        except scipy.linalg.LinAlgError:
            return None

    @property
    def near(self) -> Near | None:
        return None if self.bounds is None else self.bounds.near

    @property
    def widest(self) -> float:
        return WIDEST * self.q

    @cached_property
    def rounding(self) -> float:
        assert self.bounds is not None  # noqa: S101  # it is asked for near a maximum
        return min(self.widest, self.bounds.margin(self.bounds.near.base, self.q)) / 8.0

    def far(self, j: int) -> str:
        wide = self.bounds is not None and self.margins(j).max() > self.widest
        return PRECISION if wide else FAR

    def margins(self, j: int) -> Floats:
        assert self.bounds is not None  # noqa: S101  # it is asked for near a maximum
        return self.bounds.margins(j, self.q)

    def accept(  # noqa: PLR0917  # one end
        self, j: int, side: int, c: Floats, value: float, pulls: Floats, margin: float, _: bool,
        *, on: Untyped = None,
    ) -> tuple[float, float] | None:  # fmt: skip
        """Return the values beside an end, where a line that is at hand shows them."""
        bounds = on or self.bounds
        assert bounds is not None  # noqa: S101  # it is asked for near a maximum
        if on is None and margin > self.widest:
            return np.nan, np.nan
        most = min(2.0 * margin, self.widest)
        try:
            found = bounds.bracket(j, side, c, value, pulls, self.q, most, FOUND)
        except scipy.linalg.LinAlgError:
            return None
        if found is None:
            return None
        end = EndInBlocks(j, side, c.copy(), *found)
        if on is None:
            self.ends[j, side] = end
        else:
            self.ends_beside.append((on.direction, on.own, end))
        return found

    # ------------------------------------------------------------------ coefficients that diverge

    @cached_property
    def going(self) -> Going | None:
        """The rows that go; None where they are too many, or columns are left out."""
        of, bounds, proof = self.of, self.bounds, self.of.certificate
        basis = None if bounds is None else bounds.near.place.basis
        if not isinstance(proof, Separability) or proof.recession is None or proof.table is None:
            return None
        if of.line is None or basis is None or of.undetermined:
            return None
        lines = [proof.table.weights(line) for line in proof.recession.basis(proof.table)]
        free = free_lines(lines, np.flatnonzero(~basis.any(axis=1)).tolist())
        return rows_that_go(of.rows, of.line, free, known=True)

    def beside(self, j: int) -> Beside | None:
        """Return the face of a coefficient; None where it has to be looked at by itself."""
        going, bounds = self.going, self.bounds
        if going is None or bounds is None:
            return None
        times, kinds = going.least_direction(j)
        direction = tuple(times.get(i, 0) for i in range(len(going.lines)))
        return Beside.of(bounds, going, direction, tuple(going.own(kinds)))

    def alone(self, near: Near, line: Line | None, *_: Untyped) -> tuple[Search, float] | None:
        """Return the search for the end of a coefficient that diverges, and its room."""
        q, top = self.q, self.bounds
        direction = None if line is None else in_doubles(self.faces.wide(line))

        def accept(  # noqa: PLR0917  # one end
            j: int, side: int, c: Floats, value: float, pulls: Floats, margin: float, _: bool
        ) -> tuple[float, float] | None:
            if not abs(2.0 * (near.short - value) - q) <= 2.0 * margin:
                return None
            place = replace(near.place, c=c.copy())
            there, most = Bounds.below(near.table, place, top), min(2.0 * margin, self.widest)
            found = there.bracket(j, side, place.c, 0.0, pulls, q, most, FOUND)
            if found is not None:
                ends = (EndInBlocks(j, side, place.c, *found),)
                self.ends_alone[j, side] = EndsOnFace(place, direction, ends)
            return found

        room = Bounds.below(near.table, near.place, top).margin(near.base, q)
        if room > self.widest:
            return None
        return Search(near, q, accept, room / 8.0, self.widest, 2 * self.most, always=True), room

    def certificate(self, _: object) -> IntervalsInBlocks | None:
        best, bounds, beside = self.of.optimum, self.bounds, None
        faces = [self.ends_alone[at] for at in sorted(self.ends_alone)]
        if best is not None and bounds is not None:
            ends = tuple(self.ends[at] for at in sorted(self.ends))
            faces.insert(0, EndsOnFace(bounds.near.place, self.of.line, ends, best.place.c))
        if self.ends_beside and self.going is not None:
            beside = EndsBeside(self.going.weights, tuple(self.ends_beside))
        if beside is None and not any(face.ends for face in faces):
            return None
        return IntervalsInBlocks(self.q, tuple(faces), beside)
