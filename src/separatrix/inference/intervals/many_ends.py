"""All ends of a long table at once: every read of the rows serves all lines.

With many rows an interval is short, and the information at the maximum serves on all of it: steps
with that one Hessian shrink by a factor of about a hundred each (Venzon & Moolgavkar's step, chord
form). What does not converge so is left to the search end by end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.special import expit

from separatrix.data import Floats
from separatrix.inference.intervals.brackets import WIDEN, Brackets
from separatrix.inference.intervals.faces import Face, Faces
from separatrix.inference.intervals.profile_newton import Step
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.learners.logistic.newton_coordinates import DenseHessian, PlainColumns
from separatrix.tiles import tiled_sum

SIDES = (-1, 1)
MOST_READS = 12
MARGIN = 16.0  # roundings of the log-likelihood, between an end and the value inside
PATIENCE = 5  # reads after which brackets are widened
BLOCK = 512  # rows of a tile at a time: what stands in the cache
FEWEST = 4096  # rows that an approximate Hessian is made of
GUESSES = 3  # steps by some rows alone, before all are read
SMALL_GAIN = 1e-7  # of a log-likelihood: what is left of it after a statistic counts it in


@dataclass(frozen=True)
class _Read:
    """What the rows say of several lines.

    Parameters
    ----------
    value : (T,) log-likelihoods
    pulls : (k, T) gradients
    """

    value: Floats
    pulls: Floats


class Together:
    """The ends and statistics of coefficients of a long table that has a maximum.

    Parameters
    ----------
    face : of all rows, in columns as they are
    top : its maximum
    wanted : indices of the coefficients
    """

    def __init__(self, face: Face, top: Step, wanted: Iterable[int]) -> None:
        self.face, self.top, self.wanted = face, top, list(wanted)
        M, sample = face.basis.M, face.sample
        self.M, self.y, self.weight = M, sample.y, sample.weight
        _, curvature = face.objective.shares(top.a)
        self.hessian = DenseHessian(M, sample.weight * curvature, face.basis.penalty).values
        self.factor = scipy.linalg.cho_factor(self.hessian)
        self.f = face.basis.scale[self.wanted]  # b_k = f c_k
        unit = np.zeros((M.shape[1], len(self.wanted)))
        unit[self.wanted, np.arange(len(self.wanted))] = self.f
        self.F = unit
        self.U = scipy.linalg.cho_solve(self.factor, unit)
        self.s = (unit * self.U).sum(axis=0)

    @classmethod
    def of(cls, faces: Faces, top: Step | None, wanted: Iterable[int]) -> Together | None:
        """Return it where the table is long and has a maximum; else None."""
        if top is None or faces.verdict != "overlapping" or faces.whole is None:
            return None
        if not isinstance(faces.whole.basis, PlainColumns):
            return None
        return cls(faces.whole, top, wanted)

    def ends(self, proof: Brackets) -> dict[tuple[int, int], tuple[float, float]]:
        """Return the brackets of ends by coefficient and side, of those that are found so."""
        number = np.repeat(np.arange(len(self.wanted)), 2)
        side = np.tile(np.array(SIDES, dtype=np.float64), len(self.wanted))
        root = side * np.sqrt(proof.q / self.s[number])
        C = self.top.c[:, np.newaxis] + root * self.U[:, number]
        for _ in range(GUESSES):
            step = self._joint(self._guess(C), number, side, proof.q)
            C = np.where(np.isfinite(step).all(axis=0), C + step, C)
        found: dict[tuple[int, int], tuple[float, float]] = {}
        margin, scale = MARGIN * proof.rounding, self.face.basis.scale
        for reads in range(MOST_READS):
            if reads >= PATIENCE:
                margin *= WIDEN
            read = self._read(C)
            for i, n in enumerate(number):
                pulls = read.pulls[:, i] / scale
                k, way = self.wanted[n], int(side[i])
                beside = proof.accept(
                    k, self.face, way, C[:, i], float(read.value[i]), pulls, margin
                )
                if beside is not None:
                    found[k, way] = beside
            pairs = zip(number, side, strict=True)
            left = np.array([(self.wanted[n], int(w)) not in found for n, w in pairs])
            if not left.any():
                break
            step = self._joint(read, number, side, proof.q - margin)
            left &= np.isfinite(step).all(axis=0)
            C, number, side = (C + step)[:, left], number[left], side[left]
        return found

    def _joint(self, read: _Read, number: NDArray[np.intp], side: Floats, aim: float) -> Floats:
        """Return Venzon & Moolgavkar's step of each line, with the Hessian at the maximum."""
        towards, slope, gain = self._towards(read, number)
        fall = 2.0 * (-self.top.value - read.value) - gain
        root = np.sqrt(np.maximum(fall, 0.0))
        dv = side * (np.sqrt(aim) - root) * root / np.abs(slope)
        return np.asarray(towards + dv / self.s[number] * self.U[:, number])

    def _towards(self, read: _Read, number: NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
        """Return the steps to maxima with coefficients fixed, the slopes there, and the gains."""
        newton = scipy.linalg.cho_solve(self.factor, read.pulls)
        slope = (self.F[:, number] * newton).sum(axis=0) / self.s[number]
        towards = newton - slope * self.U[:, number]
        return towards, slope, (towards * read.pulls).sum(axis=0)

    def statistics(self, rounding: float) -> dict[int, float]:
        """Return 2 (l* - l_k(0)) of the coefficients for which that is found so.

        They are farther from the maximum than ends are: each has a Hessian of its own, of some
        rows, corrected by what the same rows miss at the maximum.
        """
        number = np.arange(len(self.wanted))
        C = self.top.c[:, np.newaxis] - self.f * self.top.c[self.wanted] / self.s * self.U
        found: dict[int, float] = {}
        best = np.full(number.size, -np.inf)
        lower = np.asarray(scipy.linalg.cholesky(self.hessian, lower=True))
        factors = [lower] * number.size
        for reads in range(GUESSES + MOST_READS):
            read = self._guess(C) if reads < GUESSES else self._read(C)
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
                    fall = 2.0 * (-self.top.value - float(read.value[i])) - gain
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
        near = self.hessian + (self._of_some(c) - self._some_at_top)
        try:
            return np.asarray(scipy.linalg.cholesky(near, lower=True))
        except scipy.linalg.LinAlgError:
            return np.asarray(scipy.linalg.cholesky(self.hessian, lower=True))

    def _guess(self, C: Floats) -> _Read:
        """Return about what all rows say of lines C (k, T), by some of them.

        The quadratic model at the maximum is that of all rows; some show what it misses.
        """
        every = max(1, self.y.size // FEWEST)
        moved = C - self.top.c[:, np.newaxis]
        some = self._read(np.column_stack((C, self.top.c)), every)
        share, H = self._share(every), self._some_at_top
        rest = H @ moved
        pulls = share * (some.pulls[:, :-1] - some.pulls[:, -1:]) + rest - self.hessian @ moved
        value = share * (some.value[:-1] - some.value[-1] - some.pulls[:, -1] @ moved)
        value += 0.5 * ((rest - self.hessian @ moved) * moved).sum(axis=0) - self.top.value
        return _Read(value, pulls)

    def _share(self, every: int) -> float:
        return float(self.weight.sum() / self.weight[::every].sum())

    @cached_property
    def _some_at_top(self) -> Floats:
        return self._of_some(self.top.c)

    def _of_some(self, c: Floats) -> Floats:
        """Return the Hessian of every so-many-th row, times as much."""
        every = max(1, self.y.size // FEWEST)
        M, weight = self.M[::every], self.weight[::every]
        sigma = expit(M @ c)
        share = self._share(every)
        return np.asarray((M * (share * weight * sigma * (1.0 - sigma))[:, np.newaxis]).T @ M)

    def _read(self, C: Floats, every: int = 1) -> _Read:
        """Return what all rows, or every so-many-th, say of lines C (k, T)."""
        M, y, weight = self.M[::every], self.y[::every], self.weight[::every]

        def part(tile: slice) -> Floats:
            total = np.zeros((C.shape[0] + 1, C.shape[1]))
            for start in range(tile.start, tile.stop, BLOCK):
                block = slice(start, min(start + BLOCK, tile.stop))
                a = M[block] @ C
                a *= y[block, np.newaxis]
                sigma, curvature, error = np.empty((3, a.size))
                logistic_parts(a.ravel(), sigma, curvature, error)
                signed = sigma.reshape(a.shape)
                signed *= (weight[block] * y[block])[:, np.newaxis]
                total[:-1] += M[block].T @ signed
                total[-1] -= weight[block] @ error.reshape(a.shape)
            return total

        total = tiled_sum(y.size, part)
        return _Read(total[-1], total[:-1])
