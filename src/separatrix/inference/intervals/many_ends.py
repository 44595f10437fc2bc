"""All ends of a long table at once: every read of the rows serves all lines.

With many rows an interval is short, and the information at the maximum serves on all of it: steps
with that one Hessian shrink by a factor of about a hundred each (Venzon & Moolgavkar's step, chord
form). What does not converge so is left to the search end by end.

A search yields lines and is sent what all rows say of them, so that several may share a read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.data import Floats
from separatrix.inference.intervals.brackets import WIDEN, Brackets
from separatrix.inference.intervals.faces import Faces
from separatrix.inference.intervals.profile_newton import Step
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.logistic.newton_coordinates import DenseHessian, PlainColumns
from separatrix.tiles import tiled_sum

T = TypeVar("T")

SIDES = (-1, 1)
MOST_READS = 12
MARGIN = 16.0  # roundings of the log-likelihood, between an end and the value inside
PATIENCE = 5  # reads after which brackets are widened
BLOCK = 512  # rows of a tile at a time: what stands in the cache
FEWEST = 4096  # rows that an approximate Hessian is made of
GUESSES = 3  # steps by some rows alone, before all are read
SMALL_GAIN = 1e-7  # of a log-likelihood: what is left of it after a statistic counts it in


@dataclass(frozen=True)
class LinesRead:
    """What the rows say of several lines."""

    value: Floats  # (T,) log-likelihoods, those of a search less the same number
    pulls: Floats  # (k, T) gradients


Search = Generator[Floats, LinesRead, T]  # yields lines C (k, T)
Ends = dict[tuple[int, int], tuple[float, float]]
# of a coefficient, a side, a line, its value, its pulls and a margin: values inside and outside
Accept = Callable[[int, int, Floats, float, Floats, float], tuple[float, float] | None]


@dataclass(frozen=True)
class RowsInColumns:
    """Rows in memory, in the columns M (N, k) that a search works in."""

    M: Floats
    y: Floats
    weight: Floats

    def read(self, C: Floats) -> LinesRead:
        """Return what they say of lines C (k, T)."""
        total = tiled_sum(self.y.size, lambda tile: self.part(C, tile))
        return LinesRead(total[-1], total[:-1])

    def part(self, C: Floats, tile: slice) -> Floats:
        """Return the gradients of lines, and their log-likelihoods below them: (k + 1, T)."""
        total = np.zeros((C.shape[0] + 1, C.shape[1]))
        for rows, signed, error in self.parts(C, tile):
            total[:-1] += self.M[rows].T @ signed
            total[-1] -= self.weight[rows] @ error
        return total

    def parts(self, C: Floats, tile: slice) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield some rows (n,), weight y sigma(-a) and ln(1 + e^-a) of lines C, (n, T) each."""
        M, y, weight = self.M, self.y, self.weight
        for start in range(tile.start, tile.stop, BLOCK):
            block = slice(start, min(start + BLOCK, tile.stop))
            a = M[block] @ C
            a *= y[block, np.newaxis]
            sigma, curvature, error = np.empty((3, a.size))
            logistic_parts(a.ravel(), sigma, curvature, error)
            signed = sigma.reshape(a.shape)
            signed *= (weight[block] * y[block])[:, np.newaxis]
            yield block, signed, error.reshape(a.shape)

    def hessian(self, c: Floats, share: float) -> Floats:
        """Return the Hessian of the rows, each of which stands for `share` rows."""
        sigma = expit(self.M @ c)
        curvature = share * self.weight * sigma * (1.0 - sigma)
        return np.asarray((self.M * curvature[:, np.newaxis]).T @ self.M)


class Together:
    """The ends and statistics of coefficients of a long table that has a maximum."""

    def __init__(  # noqa: PLR0917  # two callers
        self,
        c: Floats,
        value: float,
        hessian: Floats,
        F: Floats,
        wanted: Iterable[int],
        few: RowsInColumns,
        share: float,
    ) -> None:
        self.c, self.value, self.hessian, self.F = c, value, hessian, F
        self.wanted, self.few, self.share = list(wanted), few, share
        self.factor = scipy.linalg.cho_factor(self.hessian)
        self.U = scipy.linalg.cho_solve(self.factor, F)
        self.s = (F * self.U).sum(axis=0)

    def ends(self, q: float, margin: float | Floats, accept: Accept) -> Search[Ends]:
        """Return the brackets of ends by coefficient and side, of those that are found so."""
        number = np.repeat(np.arange(len(self.wanted)), 2)
        side = np.tile(np.array(SIDES, dtype=np.float64), len(self.wanted))
        root = side * np.sqrt(q / self.s[number])
        C = self.c[:, np.newaxis] + root * self.U[:, number]
        for _ in range(GUESSES):
            step = self._joint(self._guess(C), number, side, q)
            C = np.where(np.isfinite(step).all(axis=0), C + step, C)
        found: Ends = {}
        room = np.full(number.size, margin)
        for reads in range(MOST_READS):
            if reads >= PATIENCE:
                room *= WIDEN
            read = yield C
            for i, n in enumerate(number):
                k, way, value = self.wanted[n], int(side[i]), float(read.value[i])
                beside = accept(k, way, C[:, i], value, read.pulls[:, i], float(room[i]))
                if beside is not None:
                    found[k, way] = beside
            pairs = zip(number, side, strict=True)
            left = np.array([(self.wanted[n], int(w)) not in found for n, w in pairs])
            if not left.any():
                break
            step = self._joint(read, number, side, q - room)
            left &= np.isfinite(step).all(axis=0)
            C, number, side, room = (C + step)[:, left], number[left], side[left], room[left]
        return found

    def _joint(
        self, read: LinesRead, number: NDArray[np.intp], side: Floats, aim: float | Floats
    ) -> Floats:
        """Return Venzon & Moolgavkar's step of each line, with the Hessian at the maximum."""
        towards, slope, gain = self._towards(read, number)
        fall = 2.0 * (self.value - read.value) - gain
        root = np.sqrt(np.maximum(fall, 0.0))
        dv = side * (np.sqrt(aim) - root) * root / np.abs(slope)
        return np.asarray(towards + dv / self.s[number] * self.U[:, number])

    def _towards(self, read: LinesRead, number: NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
        """Return the steps to maxima with coefficients fixed, the slopes there, and the gains."""
        newton = scipy.linalg.cho_solve(self.factor, read.pulls)
        slope = (self.F[:, number] * newton).sum(axis=0) / self.s[number]
        towards = newton - slope * self.U[:, number]
        return towards, slope, (towards * read.pulls).sum(axis=0)

    def statistics(self, rounding: float) -> Search[dict[int, float]]:
        """Return 2 (l* - l_k(0)) of the coefficients for which that is found so."""
        number = np.arange(len(self.wanted))
        at_top = (self.F * self.c[:, np.newaxis]).sum(axis=0)
        C = self.c[:, np.newaxis] - at_top / self.s * self.U
        found: dict[int, float] = {}
        best = np.full(number.size, -np.inf)
        lower = np.asarray(scipy.linalg.cholesky(self.hessian, lower=True))
        factors = [lower] * number.size
        for reads in range(GUESSES + MOST_READS):
            read = self._guess(C) if reads < GUESSES else (yield C)
            if reads == GUESSES - 1:
                factors = [self._factor_near(c) for c in C.T]
            if reads == GUESSES:
                best = np.full(number.size, -np.inf)
            worse = read.value < best - rounding
            best, step, left = read.value, np.zeros_like(C), np.zeros(number.size, dtype=np.bool_)
            for i, n in enumerate(number):
                solved = scipy.linalg.cho_solve(
                    (factors[i], True), np.column_stack((read.pulls[:, i], self.F[:, n]))
                )
                (newton, u), f = solved.T, self.F[:, n]
                step[:, i] = newton - float(f @ newton) / float(f @ u) * u
                gain = float(step[:, i] @ read.pulls[:, i])
                if abs(gain) <= max(rounding, SMALL_GAIN) and reads >= GUESSES:
                    fall = 2.0 * (self.value - float(read.value[i])) - gain
                    found[self.wanted[n]] = max(0.0, fall)
                else:
                    left[i] = np.isfinite(gain) and not worse[i]
            if not left.any():
                break
            C, number, best = (C + step)[:, left], number[left], best[left]
            factors = [factor for factor, kept in zip(factors, left, strict=True) if kept]
        return found

    def _factor_near(self, c: Floats) -> Floats:
        """Return the lower Cholesky factor of about the Hessian at c, or that at the maximum."""
        near = self.hessian + (self.few.hessian(c, self.share) - self._few_at_top)
        try:
            return np.asarray(scipy.linalg.cholesky(near, lower=True))
        except scipy.linalg.LinAlgError:
            return np.asarray(scipy.linalg.cholesky(self.hessian, lower=True))

    def _guess(self, C: Floats) -> LinesRead:
        """Return about what all rows say of lines C (k, T), by some of them."""
        moved = C - self.c[:, np.newaxis]
        some = self.few.read(np.column_stack((C, self.c)))
        share, H = self.share, self._few_at_top
        rest = H @ moved
        pulls = share * (some.pulls[:, :-1] - some.pulls[:, -1:]) + rest - self.hessian @ moved
        value = share * (some.value[:-1] - some.value[-1] - some.pulls[:, -1] @ moved)
        value += 0.5 * ((rest - self.hessian @ moved) * moved).sum(axis=0) + self.value
        return LinesRead(value, pulls)

    @cached_property
    def _few_at_top(self) -> Floats:
        return self.few.hessian(self.c, self.share)


class InMemory:
    """The search of a long table in memory that has a maximum."""

    def __init__(self, faces: Faces, top: Step, wanted: Iterable[int]) -> None:
        face = faces.whole
        assert face is not None  # noqa: S101  # `of` asks
        self.face, M, sample = face, face.basis.M, face.sample
        self.rows, wanted = RowsInColumns(M, sample.y, sample.weight), list(wanted)
        _, curvature = face.objective.shares(top.a)
        hessian = DenseHessian(M, sample.weight * curvature, face.basis.penalty).values
        F = np.zeros((M.shape[1], len(wanted)))
        F[wanted, np.arange(len(wanted))] = face.basis.scale[wanted]  # b_k = f c_k
        every = max(1, sample.n // FEWEST)
        few = RowsInColumns(M[::every], sample.y[::every], sample.weight[::every])
        share = float(sample.weight.sum() / few.weight.sum())
        self.search = Together(top.c, -top.value, hessian, F, wanted, few, share)

    @classmethod
    def of(cls, faces: Faces, top: Step | None, wanted: Iterable[int]) -> InMemory | None:
        """Return it where the table is long and has a maximum; else None."""
        if top is None or faces.verdict != "overlapping" or faces.whole is None:
            return None
        return cls(faces, top, wanted) if isinstance(faces.whole.basis, PlainColumns) else None

    def ends(self, proof: Brackets) -> Ends:
        """Return the brackets of ends by coefficient and side, of those that are found so."""
        scale = self.face.basis.scale

        def accept(  # noqa: PLR0917  # one end
            k: int, way: int, c: Floats, value: float, pulls: Floats, margin: float
        ) -> tuple[float, float] | None:
            return proof.accept(k, self.face, way, c, value, pulls / scale, margin)

        return self._found(self.search.ends(proof.q, MARGIN * proof.rounding, accept))

    def statistics(self, rounding: float) -> dict[int, float]:
        """Return 2 (l* - l_k(0)) of the coefficients for which that is found so."""
        return self._found(self.search.statistics(rounding))

    def _found(self, search: Search[T]) -> T:
        try:
            C = next(search)
            while True:
                C = search.send(self.rows.read(C))
        except StopIteration as ended:
            found: T = ended.value
            return found
