"""Tables with a known target, drawn anew from the seed: nothing is tuned to one draw."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from separatrix.data import as_rows
from separatrix.kernels.exact import count_mistakes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its target line, and whether a line separates it.

    Parameters
    ----------
    X : (N, d), dense or CSR
    y : (N,) of -1 and +1; any numbers for least squares
    target : (1+d,) w_0 first
    separable : True has been counted exactly with the target; False is by construction
    C : inverse strength of the penalty |w|^2 / (2 C), w_0 not counted; inf for none
    converted : how many of the last columns are others in another unit, but for rounding
    categories : (N, c) the codes behind the first columns of a one-hot table, 0 for the baseline
    """

    X: Floats | sp.csr_array
    y: Floats
    target: Floats
    separable: bool
    C: float = field(default=np.inf)
    converted: int = 0
    categories: NDArray[np.int64] | None = None

    @cached_property
    def unconverted(self) -> Problem:
        """The table without those columns, whose least error is that of the whole; made once."""
        width = self.X.shape[1] - self.converted
        X = np.ascontiguousarray(self.X[:, :width]) if self.converted else self.X
        return replace(self, X=X, target=self.target[: width + 1], converted=0)

    @property
    def z(self) -> Floats:
        """The rows y_n (1, x_n): (N, 1+d), as linear programs want them."""
        return np.column_stack([self.y, self.X * self.y[:, None]])

    @cached_property
    def with_ones(self) -> Floats:
        """The rows (1, x_n): (N, 1+d), columns contiguous as LAPACK wants them; made once."""
        Z = np.empty((self.X.shape[0], self.X.shape[1] + 1), order="F")
        Z[:, 0] = 1.0
        Z[:, 1:] = self.X.toarray() if sp.issparse(self.X) else self.X
        return Z

    @cached_property
    def by_columns(self) -> Floats:
        """The points with contiguous columns, for those who prefer them; made once."""
        return np.asfortranarray(self.X)

    @cached_property
    def zero_one(self) -> Floats:
        """The labels as 0 and 1, for those who want them so; made once."""
        return (self.y > 0.0).astype(np.float64)

    def scores(self, weights: Floats) -> Floats:
        """Return w.x of every row (N,), in floats."""
        return weights[0] + self.X @ weights[1:]


class Draws(Protocol):
    """How to draw a table: each class below is one kind."""

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table."""
        ...


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
class Cascade:
    """How to draw whole numbers up to 2^53 whose verdict one unit decides, where doubles see none.

    Rows w_0 > 0, w_1 > 2 w_0, w_2 > 2 w_1, ... ask for weights that double from column to column,
    and the last row, (2^(d-1) + room) w_0 > w_(d-1), leaves them so much room: with 1 there is a
    line, with 0 one that touches, with -1 none. Whole positive combinations of these rows change
    nothing, nor does adding columns to each other. Every row is a yes and its mirror image a no, so
    an intercept is no way out.

    Parameters
    ----------
    d : columns, at most 50
    room : 1, 0 or -1
    more : combinations beside the d + 1 rows
    """

    d: int
    room: int
    more: int = 0

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table of 2 (d + 1 + more) rows; its lines are no doubles, so it has none."""
        rows = np.eye(self.d + 1, self.d, dtype=np.int64)
        rows[np.arange(1, self.d), np.arange(self.d - 1)] = -2
        rows[self.d, [0, self.d - 1]] = 2 ** (self.d - 1) + self.room, -1
        times = np.zeros((self.more, self.d + 1), dtype=np.int64)
        for combination in times:  # of the rows that are not large
            combination[random.choice(self.d, 3, replace=False)] = random.integers(1, 4, 3)
        Z = np.vstack([rows, times @ rows])
        Z = Z[random.permutation(len(Z))][:, random.permutation(self.d)]
        for _ in range(self.d):
            i, j = random.choice(self.d, 2, replace=False)
            column = Z[:, j] + random.choice([-1, 1]) * Z[:, i]
            if np.abs(column).max() <= 2**53:
                Z[:, j] = column
        X = np.vstack([Z, -Z]).astype(np.float64)
        y = np.repeat([1.0, -1.0], len(Z))
        return Problem(X, y, np.zeros(self.d + 1), separable=self.room > 0)


@dataclass(frozen=True)
class BreastCancer:
    """The table of scikit-learn by that name (569 x 30), in a random order of rows."""

    def draw(self, random: np.random.Generator) -> Problem:
        """Return the table; a line through it is known to the test that counts its mistakes."""
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True)
        order = random.permutation(y.size)
        return Problem(X[order], 2.0 * y[order] - 1.0, np.zeros(X.shape[1] + 1), separable=True)


@dataclass(frozen=True)
class Likely:
    """How to draw labels that a logistic target makes likely: overlapping, the optimum is finite.

    Parameters
    ----------
    n, d : rows and columns, neighbouring columns correlated
    C : see Problem
    scaled : columns times 1e-4 .. 1e4 in random order
    converted : how many of the columns come a second time, in another unit
    """

    n: int
    d: int
    C: float = np.inf
    scaled: bool = False
    converted: int = 0

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table."""
        X = _correlated(random, self.n, self.d)
        target = _with_spread(random, X, 2.0)
        y = _likely_labels(random, target[0] + X @ target[1:])
        if self.scaled:
            scales = random.permutation(np.logspace(-4.0, 4.0, self.d))
            X *= scales
            target[1:] /= scales
        if self.converted:
            X = np.hstack([X, 1.8 * X[:, : self.converted] + 32.0])
            target = np.append(target, np.zeros(self.converted))
        return Problem(X, y, target, False, self.C, self.converted)


@dataclass(frozen=True)
class Words:
    """How to draw a sparse table as texts give it: few words in a text, few words common.

    Parameters
    ----------
    n, d : rows and columns; per_row : entries of a row before repeated words fall together
    """

    n: int
    d: int
    per_row: int
    C: float = 1.0

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table of rows of length 1."""
        columns = (self.d * random.random(self.n * self.per_row) ** 3).astype(np.int32)
        values = 1.0 + random.exponential(size=columns.size)
        starts = np.arange(0, columns.size + 1, self.per_row, dtype=np.int32)
        X = sp.csr_array((values, columns, starts), shape=(self.n, self.d))
        X.sum_duplicates()
        X.data /= np.repeat(np.sqrt(X.power(2).sum(axis=1)), np.diff(X.indptr))
        target = _with_spread(random, X, 3.0)
        return Problem(X, _likely_labels(random, target[0] + X @ target[1:]), target, False, self.C)


@dataclass(frozen=True)
class OneHot:
    """How to draw a table of categories and numbers: CSR, a level of each its baseline.

    Every level has rows of both labels, so that the optimum is finite without a penalty too.

    Parameters
    ----------
    n : rows
    levels : of each category, equally likely
    numbers : gaussian columns behind them
    """

    n: int
    levels: tuple[int, ...]
    numbers: int = 2
    C: float = np.inf

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table."""
        codes = [random.permutation(np.arange(self.n) % m) for m in self.levels]
        parts = []
        for m, code in zip(self.levels, codes, strict=True):
            rows = np.flatnonzero(code)
            places = (np.ones(rows.size), (rows, code[rows] - 1))
            parts.append(sp.csr_array(places, shape=(self.n, m - 1)))
        parts.append(sp.csr_array(random.normal(size=(self.n, self.numbers))))
        X = sp.csr_array(sp.hstack(parts, format="csr"))
        target = _with_spread(random, X, 1.0)
        y = _likely_labels(random, target[0] + X @ target[1:])
        for code in sorted(codes, key=np.max):  # rare levels last: they have no other rows
            order = np.argsort(code, kind="stable")
            ends = np.flatnonzero(np.diff(code[order], prepend=-1, append=-2))
            y[order[ends[:-1]]], y[order[ends[1:] - 1]] = 1.0, -1.0
        problem = Problem(X, y, target, False, self.C)
        return replace(problem, categories=np.column_stack(codes))


@dataclass(frozen=True)
class SplitOneHot(OneHot):
    """How to draw the same with labels that a line gives."""

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table; no row has the score 0."""
        problem = super().draw(random)
        y = np.where(problem.scores(problem.target) > 0.0, 1.0, -1.0)
        return replace(problem, y=y, separable=True)


@dataclass(frozen=True)
class RareOneHot(OneHot):
    """How to draw the same with one level that has one label only: its weight has no bound."""

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table, quasi-separated by that level."""
        problem = super().draw(random)
        assert problem.categories is not None
        y = np.where(problem.categories[:, 0] == self.levels[0] - 1, 1.0, problem.y)
        return replace(problem, y=y)


@dataclass(frozen=True)
class Wide:
    """How to draw fewer gaussian rows than columns, of which ten matter: a line separates them."""

    n: int
    d: int
    C: float = np.inf

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table; its line is known to nobody beforehand."""
        X = random.normal(size=(self.n, self.d))
        target = np.zeros(self.d + 1)
        target[1:11] = 1.0
        return Problem(X, _likely_labels(random, X @ target[1:]), target, True, self.C)


@dataclass(frozen=True)
class Numbers:
    """How to draw numbers to regress on: a line plus noise of a tenth of its spread."""

    n: int
    d: int

    def draw(self, random: np.random.Generator) -> Problem:
        """Return one table; its columns are correlated and not centred."""
        X = _correlated(random, self.n, self.d) + random.normal(size=self.d)
        target = _with_spread(random, X, 1.0)
        y = target[0] + X @ target[1:] + 0.1 * random.normal(size=self.n)
        return Problem(X, y, target, False)


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


def _correlated(random: np.random.Generator, n: int, d: int, with_next: float = 0.5) -> Floats:
    """Return gaussian rows of variance 1, each column correlated with the next."""
    X = random.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] = with_next * X[:, j - 1] + np.sqrt(1.0 - with_next**2) * X[:, j]
    return X


def _with_spread(random: np.random.Generator, X: Floats | sp.csr_array, spread: float) -> Floats:
    """Return a random target (1+d,) whose scores vary by so much."""
    w = random.normal(size=X.shape[1] + 1)
    w[1:] *= spread / (X[:2000] @ w[1:]).std()
    w[0] *= 0.5
    return w


def _likely_labels(random: np.random.Generator, scores: Floats) -> Floats:
    """Return +1 with probability 1 / (1 + e^-s), else -1."""
    return np.where(random.random(scores.size) * (1.0 + np.exp(-scores)) < 1.0, 1.0, -1.0)
