"""Likelihood intervals and likelihood-ratio tests, also where no finite optimum exists.

l(b) is the log-likelihood, l* its supremum, l_j(v) that of all b with b_j = v: the likelihood
interval of b_j is {v : 2 (l* - l_j(v)) <= q}, q the chi-square quantile of one degree of freedom.
l_j is concave, so it is an interval. Its upper end is +infinite exactly where some direction of
recession has w_j > 0, its lower end -infinite where some has w_j < 0; exact arithmetic decides
that, as it does which coefficients diverge (`separation/divergence.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.stats import chi2 as chi_square

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample
from separatrix.exact.integers import sign
from separatrix.inference.intervals.brackets import Brackets
from separatrix.inference.intervals.faces import (
    Face,
    Faces,
    Undecided,
    fitted,
    scores_of,
    without_columns,
)
from separatrix.inference.intervals.many_ends import InMemory
from separatrix.inference.intervals.profile_newton import (
    Step,
    Target,
    climbed,
    climbed_at,
    joint,
    nested,
    wald_end,
)
from separatrix.tiles import one_blas_thread

SIDES = (-1, 1)
NEAR = 4.0  # the fall of a likelihood from which a search along a direction of recession begins
PRECISION = "rounding of the table's doubles decides it"


@dataclass(frozen=True)
class LikelihoodIntervals:
    """The likelihood interval of each coefficient, w_0 first."""

    level: float  # such as 0.95
    q: float  # 2 (l* - l_j) at the ends
    maximum: float  # l*, the supremum of the log-likelihood
    estimates: Floats  # (1+d,)
    lower: Floats
    upper: Floats
    brackets: Floats
    chi2: Floats
    undecided: tuple[int, ...] = ()  # indices of coefficients of which not all was found
    reasons: dict[int, str] = field(default_factory=dict)  # {index: why}
    not_determined: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    certificate: Untyped = None


def likelihood_intervals(
    sample: Sample, x0: float, level: float = 0.95, columns: Sequence[int] | None = None
) -> LikelihoodIntervals:
    """Return estimates, likelihood intervals and likelihood-ratio statistics of coefficients."""
    q = quantile(level)
    asked = _asked(sample, x0, columns)
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        return _Intervals(sample, x0).found(level, q, asked)


def quantile(level: float) -> float:
    """Return the chi-square quantile of one degree of freedom."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as 0.95.")
    return float(chi_square.ppf(level, 1))


def _asked(sample: Sample, x0: float, columns: Sequence[int] | None) -> tuple[int, ...]:
    """Return the indices that are asked for, checked."""
    every = range(0 if x0 else 1, sample.d + 1)
    if columns is None:
        return tuple(every)
    for j in columns:
        if j not in every:
            raise InputError(f"columns={columns!r}: there is no coefficient {j!r} among {every}.")
    return tuple(dict.fromkeys(int(j) for j in columns))


class _Intervals:
    """The search for intervals: the faces of a likelihood and the maxima on them."""

    def __init__(self, sample: Sample, x0: float) -> None:
        self.sample_weight = sample.weight
        sample = sample.only(sample.weight > 0.0)
        fit = fitted(sample, x0)
        self.width, self.left_out = sample.d + 1, tuple(sorted(fit.left_out))
        self.places = np.delete(np.arange(self.width), self.left_out)
        if self.left_out:
            sample = without_columns(sample, self.left_out)
            fit = fitted(sample, x0, independent=True)
        self.faces = Faces(sample, x0, fit)
        self.sample, self.x0 = sample, x0
        self.top = self._top()
        self._profiles: dict[int, tuple[Face, Floats, Floats | None]] = {}

    def _top(self) -> Step | None:
        """Return the maximum on the face of all lines."""
        face = self.faces.whole
        if face is None:
            return None
        start = np.zeros(self.sample.d + 1)
        if self.faces.verdict == "overlapping":
            start = self.faces.fit.weights
        elif face.sample.n:
            start = fitted(face.sample, self.x0, independent=True).weights
        return climbed(face.objective, face.basis.coordinates(start), None)

    @property
    def maximum(self) -> float:
        """The supremum l* of the log-likelihood."""
        return 0.0 if self.top is None else -self.top.value

    def found(self, level: float, q: float, asked: Sequence[int]) -> LikelihoodIntervals:
        nan = np.full(self.width, np.nan)
        made = LikelihoodIntervals(
            level, q, self.maximum, nan, nan.copy(), nan.copy(),
            np.full((self.width, 2, 2), np.nan), nan.copy(),
        )  # fmt: skip
        proof = Brackets(self.faces, self.top, q, self.places, self.width)
        not_determined = {*self.left_out, *(int(self.places[k]) for k in self.faces.aliased)}
        reasons: dict[int, str] = {}
        wanted = {
            k: j for k, j in enumerate(self.places.tolist())
            if j in asked and j not in not_determined
        }  # fmt: skip
        together = InMemory.of(self.faces, self.top, wanted)
        at_ends = {} if together is None else together.ends(proof)
        statistics = {} if together is None else together.statistics(proof.rounding)
        for k, j in wanted.items():
            for side in SIDES:
                made.brackets[j, SIDES.index(side)] = at_ends.get((k, side), np.nan)
            try:
                made.estimates[j] = self._of(k, proof, made.brackets[j])
                made.chi2[j] = statistics[k] if k in statistics else self._statistic(k)
            except Undecided as why:
                reasons[j] = str(why)
        made.lower[:], made.upper[:] = made.brackets[:, 0, 0], made.brackets[:, 1, 0]
        for j in not_determined & set(asked):
            made.lower[j], made.upper[j] = -np.inf, np.inf
        return replace(
            made, undecided=tuple(reasons), reasons=reasons, left_out=self.left_out,
            not_determined=tuple(sorted(not_determined)),
            certificate=proof.certificate(self.sample_weight, self.x0),
        )  # fmt: skip

    def _of(self, k: int, proof: Brackets, ends: Floats) -> float:
        """Return the estimate of coefficient k of the columns kept."""
        ways = self._ways(k)
        for side, recession in ways.items():
            proof.no_end(k, side, recession)
            ends[SIDES.index(side)] = side * np.inf
        if len(ways) == 2:
            return np.nan
        face, f, start = self._profile(k)
        for side in SIDES:
            if np.isnan(ends[SIDES.index(side), 0]):
                ends[SIDES.index(side)] = self._end(proof, k, face, f, side, start)
        if ways:
            return sum(ways) * np.inf
        return float(f @ (self._top_of().c + self._top_of().towards))

    def _profile(self, k: int) -> tuple[Face, Floats, Floats | None]:
        """Return the face on which coefficient k has a profile, f with b_k = f.c, and a start."""
        ways = self._ways(k)
        if k in self._profiles:
            return self._profiles[k]
        face = self.faces.without(k) if ways else self.faces.whole
        f = None if face is None else face.basis.functional(k)
        if face is None or f is None:
            raise Undecided(PRECISION)
        start = None
        for side in ways:
            start = self._towards_the_limit(face, k, side)
        self._profiles[k] = face, f, start
        return self._profiles[k]

    def _ways(self, k: int) -> dict[int, int]:
        """Return the ways in which coefficient k diverges, each with a line that shows it."""
        found = self.faces.separability
        if found is None or found.verdict == "overlapping":
            return {}
        if found.verdict == "undecided":
            raise Undecided(found.reason)
        shown = found.divergence
        if shown is None or k not in shown.indices:
            return {}
        if k in shown.open:
            raise Undecided("a limit was met before its direction was decided")
        return {sign(line[k]): i for i, line in enumerate(shown.lines) if line[k]}

    def _top_of(self) -> Step:
        assert self.top is not None  # noqa: S101  # it is the face of all lines
        return self.top

    def _end(  # noqa: PLR0917  # one end
        self, proof: Brackets, k: int, face: Face, f: Floats, side: int, start: Floats | None
    ) -> tuple[float, float]:
        target = Target(self.maximum, proof.q, side)
        if start is None:
            start = wald_end(face.objective, self._top_of().c, f, side * np.sqrt(proof.q))
        for method in (joint, nested):
            c = method(face.objective, f, start, target)
            found = None if c is None else proof.bracket(k, face, f, c, target)
            if found is not None:
                return found
        raise Undecided(PRECISION)

    def _statistic(self, k: int) -> float:
        """Return 2 (l* - l_k(0))."""
        if len(self._ways(k)) == 2:
            return 0.0
        face, f, start = self._profile(k)
        found = climbed_at(face.objective, self._top_of().c if start is None else start, f, 0.0)
        if found is None:
            raise Undecided(PRECISION)
        return max(0.0, 2.0 * (self.maximum + found.value))

    def _towards_the_limit(self, face: Face, k: int, way: int) -> Floats:
        """Return c near the end of the interval, on the way to the limit: b + t w."""
        found = self.faces.separability
        assert found is not None  # noqa: S101  # something diverges
        assert found.divergence is not None  # noqa: S101
        exact = next(w for w in found.divergence.lines if w[k] * way > 0)
        largest = max(map(abs, exact))
        line = np.array([float(w / largest) for w in exact])
        line /= np.abs(scores_of(face.sample, self.x0, line)).max(initial=1e-300)
        base = np.zeros(line.size)
        if self.top is not None:
            whole = self.faces.whole
            assert whole is not None  # noqa: S101
            base = whole.basis.weights(self.top.c)
        a, ahead = (scores_of(face.sample, self.x0, w) for w in (base, line))
        t = next(t for t in _doubling() if self._falls(face, a + t * ahead) < NEAR or t > 1e6)
        return face.basis.coordinates(base + t * line)

    def _falls(self, face: Face, a: Floats) -> float:
        """Return 2 (l* - l) at some agreements."""
        return 2.0 * (self.maximum + face.objective.value(np.zeros(face.basis.M.shape[1]), a))


def _doubling() -> Iterator[float]:
    t = 0.5
    while True:
        yield t
        t *= 2.0
