"""Normal equations of one-hot tables, the columns of the widest categorical variable eliminated.

Their block is diagonal; its Schur complement of k columns is solved densely: O(nnz k + k^3)
instead of O(N d^2) (Golub & Van Loan 2013, section 4.5.4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix.data import Floats, Points, as_rows, disjoint_runs
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.smooth import elimination as kernel
from separatrix.tiles import one_blas_thread, tiles

Indices = NDArray[np.int64]

LEAST_RUN = 16  # columns that are worth eliminating
# columns beside them, whose equations are solved densely: with a penalty conjugate gradients take
# less time from there on, without one all columns would be dense
MOST_REST, MOST_UNPENALISED = 1500, 4000
LARGE = 1 << 16  # numbers in a dense table that is worth counting zeros in
FIRST_ROWS = 64  # that tell most other tables from those of categories
MOST_NUMBERS = 0.25  # share of a dense table that may differ from zero
FULL = 0.5  # share of the rows from which on a column is centred: it has few zeros to keep

# Of a column's sum of squares: what the columns before it leave of one that depends on them, and
# of one that does not. Between the two, sums of products cannot say.
DEPENDENT, INDEPENDENT = 1e-12, 1e-10
ROUND_TO = 9  # decimals of what one column contributes to another, before it is checked exactly
ROUNDINGS = 8.0  # of the scores: smaller corrections are rounding
LARGEST_SPREAD = 1e4  # root of a column's sum of squares over what is left of it


@dataclass(frozen=True, slots=True)
class EliminatedColumns:
    """Columns M (N, k + m) of a table: k others, then m of a run, scaled, the full ones centred."""

    M: sp.csr_array
    rest: sp.csr_array
    M_transposed: sp.csc_array
    rest_transposed: sp.csc_array
    at: Indices  # (k + m,) index in (1+d,) of each
    scale: Floats
    centre: Floats
    width: int  # 1 + d
    k: int  # how many are not eliminated
    entry: Floats  # (N,) a row's number in the run, 0 for none
    level: Indices  # (N,) its column in the run, m for none
    order: Indices
    starts: Indices
    null: Floats

    @classmethod
    def of(cls, X: Points, x0: float, weight: Floats | None) -> EliminatedColumns | None:
        """Return the columns of a table with a wide run; None where elimination does not pay."""
        most = MOST_UNPENALISED if weight is not None else MOST_REST
        found = with_wide_run(X, most)
        if found is None:
            return None
        X, run = found
        columns = _columns(X, x0, run)
        return columns if weight is None else columns.independent(X, x0, weight)

    @property
    def m(self) -> int:
        return int(self.at.size - self.k)

    def coordinates(self, weights: Floats) -> Floats:
        """Return c (k + m,) for weights (1+d,); those of columns left out are lost."""
        c = weights[self.at] / self.scale
        if self.at[0] == 0:
            c[0] += (weights[self.at] @ self.centre) / self.scale[0]
        return np.asarray(c)

    def weights(self, c: Floats) -> Floats:
        """Return the shortest weights (1+d,) with the scores M c."""
        w = self.unshifted(c)
        if self.null.shape[1]:
            w -= self.null @ np.linalg.lstsq(self.null, w, rcond=None)[0]
        return w

    def unshifted(self, c: Floats) -> Floats:
        """Return some weights (1+d,) with the scores M c: 0 for the columns left out."""
        w = np.zeros(self.width)
        w[self.at] = c * self.scale
        w[0] -= (c * self.scale) @ self.centre
        return w

    def combination(self, factors: Floats) -> Floats:
        return np.asarray(self.M_transposed @ factors)

    def factorised(self, d: Floats, penalty: Floats) -> Elimination:
        """Return the factors of M' diag(d) M + diag(penalty), for d (N,), penalty (k + m,)."""
        S, D, squares = self._reduced(d, penalty)
        ridge, largest = 0.0, float(squares.max(initial=0.0)) or 1.0
        while True:
            L, failed = lapack.dpotrf(S + ridge * np.eye(self.k), lower=1) if self.k else (S, 0)
            if not failed:
                break
            ridge = max(1e-16 * largest, 10.0 * ridge)
        left = (np.diag(L) ** 2 * LARGEST_SPREAD**2 >= squares).all()
        return Elimination(self, d, L, D, ridge > 0.0 or not left or not (D > 0.0).all())

    def _reduced(self, d: Floats, penalty: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the lower half of the Schur complement (k, k), and both diagonals: (m,), (k,)."""
        squares, D = penalty[: self.k].copy(), penalty[self.k :].copy()
        S = np.diag(squares)
        kernel.eliminate(as_rows(self.M), self.order, self.starts, d, S, D, squares)
        return S, D, squares

    def independent(self, X: Points, x0: float, weight: Floats) -> EliminatedColumns | None:
        """Return them without those that others make up exactly; None where that is not clear."""
        S, _, squares = self._reduced(weight, np.zeros(self.at.size))
        root = np.sqrt(squares)
        L, pivot, rank, _ = lapack.dpstrf(S / root / root[:, np.newaxis], tol=DEPENDENT, lower=1)
        if rank and L[rank - 1, rank - 1] ** 2 < INDEPENDENT:
            return None
        kept, others = np.sort(pivot[:rank] - 1), np.sort(pivot[rank:] - 1)
        if not others.size:
            return self
        places = np.append(kept, np.arange(self.k, self.at.size))
        M, rest = _narrow(self.M[:, places]), sp.csr_array(self.rest[:, kept])
        fewer = replace(
            self, M=M, rest=rest, M_transposed=M.T, rest_transposed=rest.T, k=kept.size,
            at=self.at[places], scale=self.scale[places], centre=self.centre[places],
        )  # fmt: skip
        made = fewer.factorised(weight, np.zeros(fewer.at.size))
        null = [self.null]
        for j in others:
            column = self.M[:, [j]].toarray().ravel()
            v = -fewer.unshifted(made.solve(fewer.combination(weight * column)))
            v += self.unshifted(np.eye(1, self.at.size, j)[0])
            if fewer.at.size < X.shape[0]:  # independent columns that many make up every other one
                v = np.round(v / v[np.abs(v).argmax()], ROUND_TO)
                if signed_scores(as_rows(X), X.shape[0], v, x0).any():
                    return None
            null.append(v[:, np.newaxis])
        return replace(fewer, null=np.hstack(null))


def promising(first: Points, most: int = MOST_UNPENALISED) -> bool:
    """Whether the first rows of a table let it have a run that is worth eliminating."""
    d = first.shape[1]
    if d < LEAST_RUN:
        return False
    if not sp.issparse(first):
        if np.count_nonzero(first) > MOST_NUMBERS * first.size:
            return False
        first = sp.csr_array(first)
    # runs from the left may be cut in two
    return bool(2 * len(_widest_run(first)) >= max(LEAST_RUN, d - most))


def with_wide_run(X: Points, most: int = MOST_UNPENALISED) -> tuple[sp.csr_array, range] | None:
    """Return a table by its nonzeros, and its widest run; None where elimination does not pay."""
    if sp.issparse(X) and X.shape[1] > X.nnz:  # columns without a number take no room
        return None
    if not promising(X[:FIRST_ROWS], most):
        return None
    X = X if sp.issparse(X) else _mostly_zeros(X)
    if X is None or X.shape[1] > X.nnz:
        return None
    run = _widest_run(X)
    return None if len(run) < max(LEAST_RUN, X.shape[1] - most) else (X, run)


def one_sided(X: sp.csr_array, run: range, y: Floats) -> bool:
    """Whether some column of a run has rows of one label only: no finite weight is best."""
    at = np.flatnonzero((X.indices >= run.start) & (X.indices < run.stop))
    agree = X.data[at] * y[np.searchsorted(X.indptr, at, side="right") - 1] > 0.0
    counts = np.bincount(2 * (X.indices[at] - run.start) + agree, minlength=2 * len(run))
    no, yes = counts.reshape(-1, 2).T
    return bool(((no == 0) != (yes == 0)).any())


def _mostly_zeros(X: Floats) -> sp.csr_array | None:
    """Return a large dense table of many zeros as a sparse one; None for any other."""
    if X.size < LARGE or np.count_nonzero(X) > MOST_NUMBERS * X.size:
        return None
    return sp.csr_array(X)


def _narrow(M: sp.csr_array) -> sp.csr_array:
    """Return the array with indices of 32 bits where they fit: the kernel is compiled for these."""
    kind = np.int32 if max(M.nnz, *M.shape) <= np.iinfo(np.int32).max else np.int64
    return sp.csr_array((M.data, M.indices.astype(kind), M.indptr.astype(kind)), shape=M.shape)


def _widest_run(X: sp.csr_array) -> range:
    return max(disjoint_runs(X), key=len, default=range(0))


def _columns(X: sp.csr_array, x0: float, run: range) -> EliminatedColumns:
    """Return all columns of a table but the zero ones, those of the run to be eliminated."""
    n, d = X.shape
    counts = np.bincount(X.indices, minlength=d)
    within = np.zeros(d, dtype=bool)
    within[run.start : run.stop] = True
    full = np.flatnonzero(~within & (counts > FULL * n)) if x0 else np.zeros(0, dtype=np.int64)
    within[full] = True
    others = np.flatnonzero(~within & (counts > 0))
    run_columns = np.flatnonzero(counts[run.start : run.stop]) + run.start
    dense = X[:, full].toarray()
    centre = dense.mean(axis=0)
    varying = (dense != dense[:1]).any(axis=0)
    null = np.zeros((1 + d, np.count_nonzero(~varying)))
    null[0] = -dense[0, ~varying]
    null[1 + full[~varying], np.arange(null.shape[1])] = 1.0
    full, centre, dense = full[varying], centre[varying], dense[:, varying] - centre[varying]
    sparse = np.concatenate((others, run_columns))
    left = sp.csr_array(np.column_stack((np.full((n, int(x0)), 1.0), dense)))
    M = _narrow(sp.hstack((left, X[:, sparse]), format="csr"))
    M.sort_indices()
    size = np.zeros(M.shape[1])
    np.maximum.at(size, M.indices, np.abs(M.data))
    scale = np.ldexp(1.0, -np.frexp(size)[1])
    M.data *= scale[M.indices]
    k = M.shape[1] - run_columns.size
    by_level = sp.csc_array(M[:, k:])
    level, entry = np.full(n, run_columns.size), np.zeros(n)
    level[by_level.indices] = np.repeat(np.arange(run_columns.size), np.diff(by_level.indptr))
    entry[by_level.indices] = by_level.data
    order = np.append(by_level.indices, np.flatnonzero(level == run_columns.size)).astype(np.int64)
    rest = sp.csr_array(M[:, :k])
    constant = np.zeros(int(x0), dtype=np.int64)
    at = np.concatenate((constant, 1 + full, 1 + sparse)).astype(np.int64)
    zeros = np.zeros(at.size)
    zeros[constant.size : constant.size + full.size] = centre
    starts = by_level.indptr.astype(np.int64)
    return EliminatedColumns(
        M, rest, M.T, rest.T, at, scale, zeros, 1 + d, k, entry, level, order, starts, null
    )


@dataclass(frozen=True, slots=True)
class Elimination:
    """The factors of M' diag(d) M + diag(penalty): L of the Schur complement, D of the run."""

    of: EliminatedColumns  # the columns
    d: Floats  # (N,)
    L: Floats
    D: Floats  # (m,)
    ill_conditioned: bool  # whether rounding decides what it solves

    def solve(self, right: Floats) -> Floats:
        """Return (M' diag(d) M + diag(penalty))^-1 right (k + m,)."""
        columns, k = self.of, self.of.k
        cross = self.d * columns.entry
        of_run = self._inverse * right[k:]
        rest = right[:k] - columns.rest_transposed @ (cross * np.append(of_run, 0.0)[columns.level])
        found = lapack.dpotrs(self.L, rest, lower=1)[0] if k else rest
        moved = np.bincount(columns.level, cross * (columns.rest @ found), self.D.size + 1)[:-1]
        return np.concatenate((found, of_run - self._inverse * moved))

    @property
    def _inverse(self) -> Floats:
        return np.divide(1.0, self.D, out=np.zeros_like(self.D), where=self.D > 0.0)

    def spread(self) -> Floats:
        """Return the root of the diagonal of the inverse in (1+d,) weights."""
        columns, k = self.of, self.of.k
        inverse = lapack.dpotri(self.L, lower=1)[0]
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        stop = columns.starts[-1]
        rows = columns.order[:stop]
        levels = sp.csr_array(
            (columns.entry[rows] * self.d[rows], rows, columns.starts),
            shape=(self.D.size, len(columns.level)),
        )
        cross = sp.csr_array(levels @ columns.rest)
        cross.data *= np.repeat(self._inverse, np.diff(cross.indptr))
        squares = np.concatenate((np.diag(inverse), self._inverse))
        for tile in tiles(self.D.size):
            part = cross[tile]
            squares[k:][tile] += part.multiply(part @ inverse).sum(axis=1)
        errors = np.full(columns.width, np.nan)
        errors[columns.at] = np.sqrt(squares) * columns.scale
        if columns.at[0] == 0:
            back = -(columns.centre * columns.scale)[:k]
            back[0] += columns.scale[0]
            errors[0] = np.sqrt(back @ inverse @ back)
        errors[columns.null.any(axis=1)] = np.nan
        return errors


def least_squares_by_elimination(
    X: Points, y: Floats, weight: Floats, x0: float
) -> tuple[Floats, int] | None:
    """Return the shortest minimiser w (1+d,) and the rank; None where elimination will not do."""
    there = weight > 0.0
    if not there.all():
        X, y, weight = X[there], y[there], weight[there]
    with one_blas_thread(), np.errstate(all="ignore"):
        columns = EliminatedColumns.of(X, x0, weight)
        if columns is None:
            return None
        factors = columns.factorised(weight, np.zeros(columns.at.size))
        if factors.ill_conditioned:
            return None
        c, left, last = np.zeros(columns.at.size), y, np.inf
        enough = ROUNDINGS * float(np.finfo(np.float64).eps) * float(np.sqrt(weight @ y**2))
        while True:
            step = factors.solve(columns.combination(weight * left))
            moved = float(np.sqrt(weight @ (columns.M @ step) ** 2))
            if not moved <= last / 4.0:
                break
            c, last = c + step, moved
            if moved <= enough:
                break
            left = y - columns.M @ c
        return columns.weights(c), int(columns.at.size)
