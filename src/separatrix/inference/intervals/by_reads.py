"""The claim that ends of likelihood intervals lie in brackets, which a few reads show again."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.linalg

from separatrix.data import Floats
from separatrix.inference.intervals.bounds import CHECKED, WIDEST, Beside, Bounds
from separatrix.inference.intervals.faces import Going
from separatrix.inference.maximum import rows_on
from separatrix.learners.logistic.newton import Place, Read
from separatrix.learners.logistic.no_optimum import sides
from separatrix.scale import Block, Rows
from separatrix.tiles import one_blas_thread, tiles


@dataclass(frozen=True)
class EndInBlocks:
    """A finite end of the interval of a coefficient."""

    index: int  # in (1+d,)
    side: int  # -1 for the lower end, +1 for the upper
    line: Floats  # (k,) in the coordinates of the proof, whose coefficient is inside
    inside: float
    outside: float
    # of one that diverges beside others: how often each of the face's lines is in the direction
    # along which rows stay, and which of them are coordinates
    beside: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    def is_shown(self, bounds: Bounds, value: float, pulls: Floats, q: float) -> bool:
        """Whether bounds show its bracket, or a narrower one, by what rows say of its line."""
        found = bounds.bracket(
            self.index, self.side, self.line, value, pulls, q, WIDEST * q, CHECKED
        )
        if found is None:
            return False
        short, over = self.inside - found[0], self.outside - found[1]
        return bool(short * self.side <= 0.0 <= over * self.side)


@dataclass(frozen=True)
class EndsOnFace:
    """Ends that lines near a place show, of the rows that stay along a direction of recession."""

    place: Place  # where the Hessian is taken: near the maximum, or near the end
    direction: Floats | None  # (m, 1+d) doubles; None where all rows stay
    ends: tuple[EndInBlocks, ...]
    top: Floats | None = None  # (k,) the maximum, where they are around it
    lines: tuple[tuple[Fraction, ...], ...] = ()  # (1+d,) that vanish on the rows that stay

    def bounds(self, table: Rows, at_top: Bounds | None) -> Bounds | None:
        """Return what bounds the likelihood of rows that stay; None for one on the wrong side."""
        if self.direction is not None and any(table.map(_against, self.direction)):
            return None
        rows = rows_on(table, self.direction)
        read = Read.of(rows, self.place)
        if self.top is None:
            return Bounds.below(rows, read, at_top)
        return Bounds.at_top(rows, read, self.top)

    def are_shown(self, table: Rows, bounds: Bounds, q: float) -> bool:
        """Whether the rows show them again; those that go have other sides of the direction."""
        if not self.ends:
            return True
        going, k = None, bounds.near.base.size
        if self.lines and self.direction is not None:
            going = Going.of(table, self.direction, self.lines)
        values, slopes = bounds.near.read(np.column_stack([end.line[:k] for end in self.ends]))
        for i, end in enumerate(self.ends):
            on, value, pulls = bounds, float(values[i]), slopes[:, i]
            if end.beside is not None:
                beside = None if going is None else Beside.of(bounds, going, *end.beside)
                if beside is None:
                    return False
                on = beside
                own, pulls = beside.more.at(end.line)
                pulls[:k] += slopes[:, i]
                value += own
            if not end.is_shown(on, value, pulls, q):
                return False
        return True


@dataclass(frozen=True)
class IntervalsInBlocks:
    """The claim that ends of likelihood intervals lie in brackets, shown in floats."""

    q: float  # 2 (l* - l_j) at the ends
    faces: tuple[EndsOnFace, ...]  # that of the maximum, if there is one, and those of single ends

    def verify(self, table: Rows, y: None = None) -> bool:  # noqa: ARG002
        """Whether a few reads of a table show every end again. The table brings its labels."""
        with one_blas_thread(), np.errstate(all="ignore"):
            try:
                return self._holds(table)
            except scipy.linalg.LinAlgError:
                return False

    def _holds(self, table: Rows) -> bool:
        at_top = None
        for face in self.faces:
            bounds = face.bounds(table, at_top)
            if bounds is None or not face.are_shown(table, bounds, self.q):
                return False
            if face.top is not None:
                at_top = bounds
        return True


def _against(block: Block, direction: Floats) -> bool:
    """Return whether a row of a block is on the wrong side of a direction, exactly."""
    of = block.sample
    return any((of.y[tile] * sides(of.X[tile], direction) < 0.0).any() for tile in tiles(block.n))
