"""What is known of rows that are no longer kept: each lies in one of a few circular cones.

Rows z are let go while some unit line w has z.w >= c |z| > 0 on each of them: they lie in the cone
around w of half-angle arccos c. A line u with |w - t u| < c for some t > 0 is right on all of it,
for t z.u >= z.w - |z| |w - t u| > 0; and no other line is. So the lines that are proven right on
the rows let go are those in an intersection of circular cones, and the proof needs no row.

Everything here is in columns divided by fixed powers of two, which is exact.
"""

from __future__ import annotations

import numpy as np

from separatrix.data import Floats

MOST = 128  # cones; beyond that two are made one
OFF = 2.0**-50  # of rounding, for each column: 4 units in the last place of a unit vector's numbers
SHARPER = 1.0 - 2.0**-10  # a row at the edge of a cone is put this much inside of it

COSINE, SCORE, SHORTEST, LONGEST = range(4)


class Cones:
    """Circular cones around unit lines that hold the rows let go."""

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
