"""Are the rows of a stream still separable? Proven, in bounded memory, as far as that goes.

A line is kept that is proven right on every row so far. Rows on its right side need nothing more.
When rows come that it is wrong on, a new line is sought that is right on the rows kept, and on
everything that the rows let go can be (`Cones`). There are three ends to that:

- such a line is found: the rows so far are separable, proven;
- rows kept cancel with positive multipliers, checked in integers: no line separates the rows so
  far (Gordan 1873), and none ever will;
- neither: that would take the rows let go. Whether the rows are separable is then not known, until
  rows come that cancel.

The rows kept are those nearest to the line, by angle: they decide how far it can turn. As long as
no row has been let go, every answer is that of `separability`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, InputError, Sample
from separatrix.exact.integers import Indices, exact_combination
from separatrix.exact.signed_block import signed
from separatrix.exact.signed_rows import doubles_of
from separatrix.kernels.exact import signed_scores
from separatrix.separation.constraint_generation import NONE, least_of
from separatrix.separation.decide import separability_of
from separatrix.tiles import one_blas_thread

MOST = 128  # cones; beyond that two are made one
OFF = 2.0**-50  # of rounding, for each column: 4 units in the last place of a unit vector's numbers
SHARPER = 1.0 - 2.0**-10  # a row at the edge of a cone is put this much inside of it
COSINE, SCORE, SHORTEST, LONGEST = range(4)
ROUNDS = 100
NEAR = 4  # rows for each column that join a search at once
SLACK = 0.1  # of the level of the rows in use, by which others may fall short
LOST = 0.5  # of a line's least cosine: then one is sought that has more
KEPT = 100  # rows for each column
NUMBERS = 1 << 22  # in the rows kept (32 MiB): where columns are many, fewer rows for each
SHORT, LONG = 1e-140, 1e140  # rows between them have squares that neither vanish nor overflow
JUST_RIGHT = 5e-324  # stands for a cosine that is known to be above 0 and nothing else
UP = 1.0 + 2.0**-40  # makes up for the rounding of a sum
DOWN = 1.0 - 2.0**-40
PASSES = 40
NOT_THE_SAME = "these are not the rows of the stream: they are fewer, or others."
NOTHING = np.array([np.inf, np.inf, np.inf, 0.0])  # known of no rows


class Cones:
    """Circular cones around unit lines that hold the rows let go: what is known of these.

    Rows z are let go while some unit line w has z.w >= c |z| > 0 on each of them: they lie in the
    cone around w of half-angle arccos c. A line u with |w - t u| < c for some t > 0 is right on all
    of it, for t z.u >= z.w - |z| |w - t u| > 0; and no other line is. So the lines that are proven
    right on the rows let go are those in an intersection of circular cones, and the proof needs no
    row. Everything here is in columns divided by fixed powers of two, which is exact.
    """

    def __init__(self, width: int) -> None:
        self.lines = np.zeros((0, width))  # (k, D), of length about 1
        # (k, 4) of the rows in each: c and the least score z.w, both rounded down; bounds on |z|
        self.known = np.zeros((0, 4))
        self.off = OFF * (width + 8)

    def add(self, line: Floats, known: Floats) -> None:
        """Add the cone of the rows of which this is known with this unit line."""
        self.lines = np.vstack([self.lines, line])
        self.known = np.vstack([self.known, known])
        if len(self.lines) > MOST:
            self._merge()

    def _apart(self, u: Floats) -> tuple[Floats, Floats]:
        """Return t = w.u (k,) and bounds (k,) on |w - t u| from above, 1 or more for t <= 0."""
        along = self.lines @ u
        across = self.lines - along[:, None] * u
        length = np.sqrt((across * across).sum(axis=1))
        return along, np.where(along > 0.0, length, 1.0) + self.off

    def hold(self, u: Floats) -> bool:
        """Return whether a line u of length about 1 is right on every row let go, proven."""
        return bool((self._apart(u)[1] < self.known[:, COSINE]).all())

    def least_score(self, u: Floats) -> float:
        """Return a lower bound on z.u over the rows let go, for a line that is right on them."""
        if not len(self.lines):
            return np.inf
        along, apart = self._apart(u)
        cosine, score, shortest, longest = self.known.T
        bound = np.maximum((cosine - apart) * shortest, score - apart * longest)
        return float((bound / along).min()) * (1.0 - 2.0**-40)

    def violated(self, u: Floats) -> Floats:
        """Return the row of each cone (m, D) that u is most wrong on, where it is wrong on some."""
        wrong = self._apart(u)[1] >= self.known[:, COSINE]
        if not wrong.any():
            return self.lines[:0]
        w, c = self.lines[wrong], np.minimum(self.known[wrong, COSINE] * SHARPER, 1.0)[:, None]
        across = u - (w @ u)[:, None] * w
        length = np.sqrt((across * across).sum(axis=1))[:, None]
        return np.asarray(c * w - np.sqrt(1.0 - c * c) * across / np.maximum(length, 1e-300))

    def _merge(self) -> None:
        """Put one cone into the cone of the next line: that which loses least by it."""
        first, second = self.known[:-1], self.known[1:]
        # z.w2 >= z.w1 - |z| |w1 - w2|
        apart = np.sqrt(((self.lines[:-1] - self.lines[1:]) ** 2).sum(axis=1)) + self.off
        cosine = np.minimum(first[:, COSINE] - apart, second[:, COSINE])
        k = int(np.argmax(cosine / second[:, COSINE]))
        score = min(first[k, SCORE] - apart[k] * first[k, LONGEST], second[k, SCORE])
        shortest = min(first[k, SHORTEST], second[k, SHORTEST])
        longest = max(first[k, LONGEST], second[k, LONGEST])
        self.known[k + 1] = cosine[k], score, shortest, longest
        self.lines = np.delete(self.lines, k, axis=0)
        self.known = np.delete(self.known, k, axis=0)


@dataclass(frozen=True)
class Contradiction:
    """Rows of a stream that cancel with positive multipliers: no line is right on all of them."""

    rows: tuple[int, ...]  # their numbers in the stream, from 0, unless others were given
    multipliers: tuple[int, ...]  # integers > 0, one for each
    signed: Floats  # (k, D) the rows y (x0, x), or y x without an intercept
    fewest: int  # first rows of the stream that hold all of them

    def verify(self) -> bool:
        positive = bool(self.rows) and min(self.multipliers) > 0
        return positive and not any(exact_combination(self.signed, list(self.multipliers)))


class Placed(NamedTuple):
    """Signed rows of a stream, and how they lie to the line in use."""

    z: Floats  # (m, D)
    numbers: Indices  # (m,) their numbers in the stream, from 0
    names: Indices  # (m,) integers that they are called by in a contradiction
    lengths: Floats  # (m,) |z|, columns scaled
    cosines: Floats  # (m,) of the angle with the line, rounded down

    def take(self, chosen: Indices | NDArray[np.bool_] | slice) -> Placed:
        return Placed._make(part[chosen] for part in self)

    def and_others(self, others: Placed) -> Placed:
        return Placed._make(np.concatenate(both) for both in zip(self, others, strict=True))

    def distinct(self) -> Placed:
        """Return them without repetitions, the first of equal rows, where there are many."""
        if 2 * np.unique(self.cosines).size > self.cosines.size:
            return self
        records = self.z.view([("", self.z.dtype)] * self.z.shape[1])[:, 0]
        _, first = np.unique(records, return_index=True)
        return self if first.size == len(self.z) else self.take(np.sort(first))

    def known(self) -> Floats:
        """Return what a cone notes of them (4,)."""
        if not self.numbers.size:
            return NOTHING
        shortest, longest = self.lengths.min() * DOWN, self.lengths.max() * UP
        scores = np.where(self.cosines == JUST_RIGHT, 0.0, self.cosines * self.lengths)
        score = scores.min() * DOWN
        return np.array([self.cosines.min(), score, shortest, longest])


class Monitor:
    """Whether the rows so far are separable: the first `proven` are, the first `refused` not."""

    def __init__(self, width: int, keep: int | None = None) -> None:
        self._usual = max(KEPT, min(KEPT * width, NUMBERS // width))
        self.keep = self._usual if keep is None else max(1, keep)
        self.n = self.proven = 0
        self._is_open = False  # whether no line is known to be right on all rows
        self.refused: int | None = None
        self.contradiction: Contradiction | None = None
        self.line = np.zeros(width)
        self._scale = np.ones(width)  # powers of two (D,) that columns are multiplied by
        self._kept = Placed(np.zeros((0, width)), NONE, NONE, np.zeros(0), np.zeros(0))
        self._gone = NOTHING  # of the rows let go since the line is in use
        self._cones = Cones(width)  # of those before
        self._reach = np.inf  # rows of a smaller cosine are kept
        self._level = 0.0  # the least cosine at which a line with more was last sought
        self._longest = 0.0
        self._digest = self._digested = 0  # a checksum of the first rows, and how many those are

    @property
    def separable(self) -> bool | None:
        """Whether the rows so far are separable; None where that is not known."""
        return False if self.refused is not None else None if self._is_open else True

    @property
    def radius(self) -> float:
        """R = max |z| of the rows so far, rounded up."""
        return float(np.sqrt(self._longest) * UP)

    @property
    def margin(self) -> float:
        """A lower bound on min z.w / |w| of the line in use; 0 where nothing is known."""
        if self.separable is not True or not self.n:
            return 0.0
        of_kept = self._kept.known()[1]
        score = min(of_kept, self._gone[1], self._cones.least_score(self._unit_of(self.line)))
        with np.errstate(over="ignore", under="ignore"):
            length = np.linalg.norm(self._unit_of(self.line) * self._scale) * UP
        return max(0.0, float(score / length) * DOWN) if 0.0 < length < np.inf else 0.0

    def take(self, sample: Sample, names: Indices | None = None) -> None:
        """Read a batch of rows; the caller bounds its size.

        Parameters
        ----------
        names : integers (m,) that rows are called by in a contradiction; None for their numbers
        """
        if self.refused is None:
            z = _signed(sample)
            self._digest, self._digested = zlib.crc32(z.data, self._digest), self.n + len(z)
            called = np.arange(self.n, self.n + len(z)) if names is None else names
            with one_blas_thread(), np.errstate(all="ignore"):
                self._take(z, called)
        self.n += sample.n

    def _take(self, z: Floats, names: Indices) -> None:
        self._longest = max(self._longest, float(np.einsum("ij,ij->i", z, z).max()))
        if not self.n:
            self._scale = _scale_of(z)
        new = self._placed(z, np.arange(self.n, self.n + len(z)), names, self.line)
        wrong = np.flatnonzero(new.cosines <= 0.0)
        if not wrong.size:
            self._keep(new)
            self._centre()
        elif self._is_open:
            self._refuse(new, 0)
        else:
            self._turn(new, int(wrong[0]))
        if not self._is_open:
            self.proven = self.n + len(z)

    def _turn(self, new: Placed, right: int) -> None:
        """Find a line for rows the line in use is wrong on, or with how many none is known."""
        self._close()
        line = self._decide(self._kept.and_others(new), self._cones)
        if isinstance(line, np.ndarray):
            self._adopt(line, self._kept.and_others(new))
            return
        most = len(new.z)  # none is known for the first `most`, one is for the first `right`
        while most > right + 1:
            middle = (right + most) // 2
            some = self._kept.and_others(new.take(slice(middle)))
            if isinstance(self._decide(some, self._cones), np.ndarray):
                right = middle
            else:
                most = middle
        self._is_open, self.proven = True, self.n + right
        self._refuse(new, right)

    def _refuse(self, new: Placed, open_: int) -> None:
        """Find the fewest of the new rows, more than `open_`, that the rows kept contradict."""
        whole = self._kept.and_others(new)
        found = self._decide(whole, None)
        if not isinstance(found, Contradiction):
            self._adopt(self.line if found is None else found, whole)
            return
        fewest = len(new.z)
        while fewest > open_ + 1:
            middle = (open_ + fewest) // 2
            answer = self._decide(self._kept.and_others(new.take(slice(middle))), None)
            if isinstance(answer, Contradiction):
                fewest, found = middle, answer
            else:
                open_ = middle
        self.refused, self.contradiction = self.n + fewest, found

    def settle(self, read: Callable[[], Iterable[tuple[Sample, Indices]]]) -> None:
        """Find out by reading the rows again, often, if and with which row they cease to be."""
        self.keep = max(self.keep, self._usual)
        if self.separable is not None and (self.refused or 0) <= self.proven + 1:
            return
        self._refuse_others(read)
        with one_blas_thread(), np.errstate(all="ignore"):
            while self.separable is None or (self.refused or 0) > self.proven + 1:
                end = self.n if self.refused is None else (self.proven + self.refused) // 2
                found = self._settled(read, end)
                if isinstance(found, Contradiction):
                    self.refused, self.contradiction = found.fewest, found
                elif found is None:
                    return
                else:
                    self.proven = end
                    if self.refused is None:
                        self._is_open, self._cones = False, Cones(self.line.size)

    def _settled(
        self, read: Callable[[], Iterable[tuple[Sample, Indices]]], end: int
    ) -> Floats | Contradiction | None:
        """Return a line that is right on the first `end` rows, or that they contradict."""
        self._gone = NOTHING
        earlier = self._kept.take(self._kept.numbers < end)
        found = self._decide(earlier, None) if len(earlier.z) else self.line
        if not isinstance(found, np.ndarray):
            return found
        self._adopt(found, earlier)
        right = 0  # rows in turn on which the line in use is
        for _ in range(PASSES):
            for rows in self._again(read, end):
                new = rows.take(~np.isin(rows.numbers, self._kept.numbers))
                if (new.cosines <= 0.0).any():
                    whole = self._kept.and_others(new)
                    found = self._decide(whole, None)
                    if not isinstance(found, np.ndarray):
                        self._kept = whole if found is not None else self._kept
                        return found
                    self._gone, right = NOTHING, 0
                    self._adopt(found, whole)
                else:
                    self._keep(new)
                right += len(rows.z)
                if right >= end:
                    return self.line
        return None

    def _again(
        self, read: Callable[[], Iterable[tuple[Sample, Indices]]], end: int
    ) -> Iterator[Placed]:
        """Yield the first `end` rows once more, as they lie to the line in use."""
        start = 0
        for sample, names in read():
            z = _signed(sample)[: end - start]
            numbers = np.arange(start, start + len(z))
            start += len(z)
            yield self._placed(z, numbers, names[: len(z)], self.line)
            if start == end:
                return
        raise InputError(NOT_THE_SAME)

    def _refuse_others(self, read: Callable[[], Iterable[tuple[Sample, Indices]]]) -> None:
        n = digest = 0
        for sample, _ in read():
            z = _signed(sample)
            digest = zlib.crc32(z[: max(0, self._digested - n)].data, digest)
            n += len(z)
        if n != self.n or digest != self._digest:
            raise InputError(NOT_THE_SAME)

    def _keep(self, new: Placed) -> None:
        """Keep the rows that are near to the line; note what is known of the others."""
        near = new.cosines < self._reach
        if not near.all():
            self._let_go(new.take(~near))
        if near.any():
            self._kept = self._kept.and_others(new.take(near))
        if len(self._kept.z) > 2 * self.keep:
            self._kept = self._kept.distinct()
        if len(self._kept.z) > 2 * self.keep:
            order = np.argsort(self._kept.cosines, kind="stable")
            self._reach = float(self._kept.cosines[order[self.keep]])
            self._let_go(self._kept.take(order[self.keep :]))
            self._kept = self._kept.take(np.sort(order[: self.keep]))

    def _let_go(self, rows: Placed) -> None:
        least, most = self._gone, rows.known()
        self._gone = np.append(np.minimum(least[:3], most[:3]), max(least[3], most[3]))

    def _close(self) -> None:
        """Make a cone of what is known of the rows let go since the line is in use."""
        if self._gone[0] < np.inf:
            self._cones.add(self._unit_of(self.line), self._gone)
            self._gone = NOTHING

    def _centre(self) -> None:
        """Take a line that is further from the rows where that in use has come close to some."""
        least = self._kept.cosines.min(initial=np.inf)
        if least >= LOST * self._level or self._is_open:
            return
        self._close()
        self._level = least
        line = self._search(self._kept, self._cones)
        if line is not None and self._cones.hold(self._unit_of(line)):
            kept = self._against(self._kept, line)
            if kept.cosines.min() * LOST > least:
                self._adopt(line, kept)

    def _adopt(self, line: Floats, rows: Placed) -> None:
        """Use another line, which is right on these rows and on those let go."""
        self.line = line
        placed = self._against(rows, line)
        self._kept, self._reach = placed.take(slice(0)), np.inf
        self._level = float(placed.cosines.min())
        self._keep(placed)

    def _decide(self, rows: Placed, cones: Cones | None) -> Floats | Contradiction | None:
        """Return a line (D,) right on the rows and in the cones, or that the rows contradict."""
        line = self._search(rows, cones)
        if line is not None and self._is_proven(line, rows, cones):
            return line
        ones, labels = np.ones(len(rows.z)), np.array([-1.0, 1.0])
        found = separability_of(Sample(rows.z, ones, labels, ones, 0.0))
        if found.separable is False and found.refusal is not None:
            places = list(found.refusal.rows)
            names, fewest = tuple(rows.names[places].tolist()), int(rows.numbers[places].max()) + 1
            return Contradiction(
                tuple(names), tuple(found.refusal.multipliers), rows.z[places], fewest
            )
        exact = None if found.line is None else doubles_of(found.line[1:])
        return exact if exact is not None and self._is_proven(exact, rows, cones) else None

    def _is_proven(self, line: Floats, rows: Placed, cones: Cones | None) -> bool:
        right = bool((self._against(rows, line).cosines > 0.0).all())
        return right and (cones is None or cones.hold(self._unit_of(line)))

    def _search(self, rows: Placed, cones: Cones | None) -> Floats | None:
        """Return a line (D,) that floats find right on rows and cones, far from them; or None."""
        points = rows.z * self._scale / rows.lengths[:, None]
        if not np.isfinite(points).all():
            return None
        near = NEAR * points.shape[1]
        waiting = np.ones(len(points), dtype=bool)
        chosen = np.argsort(rows.cosines, kind="stable")[: 2 * near]
        working = points[chosen]
        used = NONE
        for _ in range(ROUNDS):
            waiting[chosen] = False
            line, used, vanishes = least_of(working, SLACK, used)
            if vanishes:
                return None
            unit = line / np.linalg.norm(line)
            scores = points @ unit
            low = np.flatnonzero(waiting & (scores < (1.0 - SLACK) * (working @ unit).min()))
            chosen = low[np.argsort(scores[low], kind="stable")[:near]]
            edges = working[:0] if cones is None else cones.violated(unit)
            if not chosen.size and not len(edges):
                return np.asarray(unit * self._scale)
            working = np.vstack([working, points[chosen], edges])
        return None

    def _placed(self, z: Floats, numbers: Indices, names: Indices, line: Floats) -> Placed:
        scaled = z * self._scale
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
        cosines = scaled @ self._unit_of(line) / lengths
        sure = (lengths > SHORT) & (lengths < LONG) & (np.abs(cosines) > self._cones.off)
        cosines -= self._cones.off
        doubtful = np.flatnonzero(~sure)
        if doubtful.size:
            weights = np.append(0.0, line)
            signs = signed_scores(z[doubtful], doubtful.size, weights, 0.0) if line.any() else 0.0
            cosines[doubtful] = np.where(np.greater(signs, 0.0), JUST_RIGHT, -1.0)
        return Placed(z, numbers, names, lengths, cosines)

    def _against(self, rows: Placed, line: Floats) -> Placed:
        return self._placed(rows.z, rows.numbers, rows.names, line)

    def _unit_of(self, line: Floats) -> Floats:
        """Return a line in scaled columns, of length 1 up to rounding."""
        unit = line / self._scale
        largest = np.abs(unit).max()
        if not SHORT < largest < LONG:
            return np.full(line.size, np.nan)  # with which nothing is proven but sign by sign
        unit = np.ldexp(unit, -int(np.frexp(largest)[1]))
        return np.asarray(unit / np.linalg.norm(unit))


def _signed(sample: Sample) -> Floats:
    """Return the signed rows (m, D), with no -0.0: equal rows have equal bytes."""
    return np.asarray(signed(sample) + 0.0)


def _scale_of(z: Floats) -> Floats:
    """Return powers of two (D,) that give the columns a usual size of 1."""
    usual = [np.median(sizes[sizes > 0.0]) if sizes.any() else 1.0 for sizes in np.abs(z.T)]
    exponents = np.frexp(usual)[1]
    return np.asarray(np.ldexp(1.0, -exponents.clip(-1000, 1000)))
