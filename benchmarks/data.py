"""Tables with a known target, drawn anew from the seed: nothing is tuned to one draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import Points, as_rows
from separatrix.kernels.exact import count_mistakes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its target line, and whether a line separates it.

    Parameters
    ----------
    X : (N, d), dense or CSR
    y : (N,) of -1 and +1
    target : (1+d,) w_0 first
    separable : True has been counted exactly with the target; False is by construction
    """

    X: Points
    y: Floats
    target: Floats
    separable: bool

    @property
    def z(self) -> Floats:
        """The rows y_n (1, x_n): (N, 1+d), as linear programs want them."""
        return np.column_stack([self.y, self.X * self.y[:, None]])


class Drawn(Protocol):
    """A way to draw tables."""

    def draw(self, random: np.random.Generator) -> Problem: ...


@dataclass(frozen=True)
class Table:
    """How to draw a table of gaussian rows.

    Parameters
    ----------
    n, d : rows and columns
    margin : every row is moved this far off the target, to its own side
    noise : share of labels turned over afterwards
    pinned : share of rows put at exactly the margin, so that no line has much more of it
    contradiction : the first row comes again at the end with the other label
    """

    n: int
    d: int
    margin: float = 0.0
    noise: float = 0.0
    pinned: float = 0.0
    contradiction: bool = False

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table; a contradiction is one row more than n."""
        normal, offset = _target(random, self.d)
        X = random.normal(size=(self.n, self.d))
        scores = X @ normal + offset
        y = np.where(scores > 0.0, 1.0, -1.0)
        onto_the_line = np.where(random.random(self.n) < self.pinned, scores, 0.0)
        X += (self.margin * y - onto_the_line)[:, None] * normal
        y[random.random(self.n) < self.noise] *= -1.0
        if self.contradiction:
            X, y = np.vstack([X, X[:1]]), np.append(y, -y[0])
        target = np.append(offset, normal)
        # noise on gaussian rows, many more of them than columns, leaves no line
        separable = bool(count_mistakes(X, y, target, 1.0) == 0)
        assert separable or self.noise or self.contradiction, "the margin is lost in rounding"
        return Problem(X, y, target, separable)


@dataclass(frozen=True)
class SparseTable:
    """How to draw a table as words make it: few columns hold much of what there is.

    The target has no offset. The first row comes again at the end with the other label, so that no
    line separates.

    Parameters
    ----------
    n, d : rows and columns
    per_row : entries drawn per row, gaussian; two in the same place become one
    """

    n: int
    d: int
    per_row: int

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table: CSR with 32-bit indices."""
        normal, _ = _target(random, self.d)
        columns = (self.d * random.random((self.n, self.per_row)) ** 2).astype(np.int32)
        rows = np.repeat(np.arange(self.n, dtype=np.int32), self.per_row)
        values = random.normal(size=columns.size)
        X = sp.csr_array((values, (rows, columns.ravel())), shape=(self.n, self.d))
        y = np.where(X @ normal > 0.0, 1.0, -1.0)
        X, y = sp.csr_array(sp.vstack([X, X[:1]])), np.append(y, -y[0])
        target = np.append(0.0, normal)
        return Problem(X, y, target, bool(count_mistakes(as_rows(X), y, target, 1.0) == 0))


def _target(random: np.random.Generator, d: int) -> tuple[Floats, float]:
    """Return a unit normal in a random direction, and an offset that leaves both labels common."""
    normal = random.normal(size=d)
    return normal / np.linalg.norm(normal), float(random.uniform(-0.5, 0.5))
