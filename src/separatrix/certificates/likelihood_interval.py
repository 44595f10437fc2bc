"""Ends of likelihood intervals lie in stated brackets: a line for each end shows both sides.

A line b whose log-likelihood l(b), rounded down, is not below an upper bound of l* - q / 2 shows
that b_j is inside the interval of coefficient j. The shares theta(-a_n) at that same line, moved
on a few rows until they balance in all columns but j, are a dual point: it bounds l_j(v) by a
function that is linear in v, which shows that a value further out is outside. Where rows go to
infinity along a direction of recession w with w_j = 0 the line is b + t w, and the bound is about
the rows that stay. An end is infinite where a direction of recession moves the coefficient that
way.

`verify.py` says how all of that is checked; nothing else checks it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from separatrix._types import ArrayLike
from separatrix.certificates.rows import part_of, rows_of
from separatrix.certificates.statement import (
    Claim,
    doubles,
    number,
    numbers,
    unless_odd,
    vector,
)
from separatrix.data import Floats, Sample, read_arrays
from separatrix.verify import CannotCheck, Question, Refuted, checked

KIND = "likelihood intervals"


@dataclass(frozen=True)
class Face:
    """Rows that stay along a direction of recession, and what spans their columns."""

    direction: tuple[int, ...] | None  # (1+d,) or None where all rows stay
    columns: tuple[int, ...]  # independent ones that make up all others on the rows that stay
    rows: tuple[int, ...]  # as many independent rows
    # (1+d,) each: lines that vanish on the rows that stay
    null_space: tuple[tuple[Fraction, ...], ...] = ()


@dataclass(frozen=True)
class Attained:
    """A line b + times direction."""

    # its index among the faces; None for a multiple of a line that separates the rows
    face: int | None
    line: tuple[Fraction, ...]  # (1+d,)
    # of the direction of the face, or of the line where there is no face
    times: Fraction = Fraction(0)


@dataclass(frozen=True)
class End:
    """A finite end of the interval of a coefficient."""

    index: int  # in (1+d,)
    side: int  # -1 for the lower end, +1 for the upper
    at: Attained  # a line whose coefficient is inside the interval
    outside: Fraction  # a value that is not
    rows: tuple[int, ...] | None = None  # those that correct the shares; None for those of the face


@dataclass(frozen=True)
class LikelihoodIntervalProof:
    """The claim that ends of likelihood intervals lie in brackets, or are infinite."""

    q: float  # twice the log-likelihood falls by this much at an end
    x0: float  # 1.0 with an intercept, else 0.0
    sample_weight: Floats  # (N,)
    # faces, fit, ends: the line `fit` shows l* from below, and its shares from above
    faces: tuple[Face, ...]
    fit: Attained
    ends: tuple[End, ...]
    recessions: tuple[tuple[Fraction, ...], ...] = ()  # (1+d,) each, with z.w >= 0 on all rows
    infinite: tuple[tuple[int, int, int], ...] = ()  # (index, side, which recession)
    left_out: tuple[int, ...] = ()  # indices in (1+d,) of columns of weight 0, in all lines

    def claim(self) -> Claim:
        """Return what a proof file says of it, of a sample whose rows all have a weight."""
        faces = [
            {
                "direction": [] if face.direction is None else [vector(face.direction)],
                "columns": list(face.columns), "rows": list(face.rows),
                "null_space": [vector(v) for v in face.null_space],
            }
            for face in self.faces
        ]  # fmt: skip
        ends = [
            {
                "index": end.index,
                "side": end.side,
                **_attained(end.at),
                "outside": number(end.outside),
            }
            | ({} if end.rows is None else {"rows": list(end.rows)})
            for end in self.ends
        ]
        infinite = [{"index": j, "side": side, "recession": k} for j, side, k in self.infinite]
        return {
            "kind": KIND, "q": self.q, "left_out": list(self.left_out), "faces": faces,
            "fit": _attained(self.fit), "ends": ends,
            "recessions": [vector(v) for v in self.recessions], "infinite": infinite,
        }  # fmt: skip

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
            checked(Question("", [], table, [part_of(self.claim()).data]))
        except (Refuted, CannotCheck):
            return False
        return True


def _attained(at: Attained) -> dict[str, Any]:
    return {"face": at.face, "line": numbers(at.line), "times": number(at.times)}
