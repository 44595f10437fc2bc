"""Normal equations of one-hot tables, the columns of the widest categorical variable eliminated.

Their block is diagonal; its Schur complement of k columns is solved densely: O(nnz k + k^3)
instead of O(N d^2) (Golub & Van Loan 2013, section 4.5.4). What decides whether it pays are the
rows alone, and every sum goes on from block to block: the same bytes wherever the rows are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from separatrix._types import Untyped
from separatrix.data import Floats, Points, Sample, as_rows, disjoint_runs, runs_between
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.smooth import elimination as kernel
from separatrix.learners.least_squares.normal_equations import MODERATE, doubles
from separatrix.scale import Block, Rows
from separatrix.scale.source import Source, joined_samples
from separatrix.scale.view import SameRows, seen_as
from separatrix.tiles import in_threads, one_blas_thread, tiles

Indices = NDArray[np.int64]

LEAST_RUN = 16  # columns that are worth eliminating
# columns beside them, whose equations are solved densely: with a penalty conjugate gradients take
# less time from there on, without one all columns would be dense
MOST_REST, MOST_UNPENALISED = 1500, 4000
LARGE = 1 << 16  # numbers in a dense table that is worth counting zeros in
MOST_PER_ROW = 64  # columns: a run of which many have no row is not worth its room
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

    n: int  # rows that have a weight
    at: Indices  # (k + m,) index in (1+d,) of each
    scale: Floats
    centre: Floats
    filled: int  # the first of them have a number in every row
    width: int  # 1 + d
    k: int  # how many are not eliminated
    nnz: int  # numbers of M, at most
    ends: Floats  # (2, d) the least and the largest number of each column of the table
    largest_y: float
    one_sided: bool  # whether some column of the run has rows of one label only
    null: Floats  # (1+d, any) lines without a score

    @classmethod
    def of(cls, rows: Rows, most: int) -> tuple[EliminatedColumns, Rows] | None:
        """Return the columns of rows with a wide run, and M; None where elimination does not pay.

        At most so many columns may be beside the run. Rows without a weight do not count.
        """
        if rows.d > MOST_PER_ROW * rows.n:
            return None
        if not _promising(rows.source.read(0, min(rows.n, FIRST_ROWS)).X, most):
            return None
        if (held := rows.in_memory) is not None and not sp.issparse(held.X):
            if held.X.size < LARGE or np.count_nonzero(held.X) > MOST_NUMBERS * held.X.size:
                return None
            rows = Rows.of(replace(held, X=_sparse(held.X)))
        found = _surveyed(rows, most)
        return None if found is None else (found, found.over(rows))

    @property
    def m(self) -> int:
        return int(self.at.size - self.k)

    def over(self, rows: Rows) -> Rows:
        """Return M of a table, in memory where it takes little."""
        if (held := rows.in_memory) is not None:
            return Rows.of(self.arranged(held))
        read = seen_as(rows, _Arranged(rows.source, self))
        return Rows.of(joined_samples(read.map(_copied))) if read.fits_in_memory else read

    def arranged(self, of: Sample) -> Sample:
        """Return M of some rows; those without a weight are empty."""
        X, centre = _sparse(of.X), self.centre[: self.filled]
        centre = np.where(self.at[: self.filled] == 0, -1.0, centre)  # the constant is 0 - (-1)
        place = np.full(self.width, self.at.size, dtype=np.uint32)
        place[self.at] = np.arange(self.at.size)
        room = X.nnz + of.n * centre.size
        kind = np.int32 if room <= np.iinfo(np.int32).max else np.int64
        made = np.empty(room), np.empty(room, dtype=kind), np.zeros(of.n + 1, dtype=kind)
        there = tuple(a.view(f"u{a.dtype.itemsize}") for a in made[1:])
        rows = as_rows(X), of.weight
        kernel.arrange(*rows, place[1:], centre, self.scale, self.k, (made[0], *there))
        used = int(made[2][-1])
        M = sp.csr_array((made[0][:used], made[1][:used], made[2]), shape=(of.n, self.at.size))
        return replace(of, X=M)

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

    def independent(self, sums: Sums, table: Rows) -> tuple[EliminatedColumns, Sums] | None:
        """Return them, and sums, without those that others of the table make up exactly.

        None where that is not clear.
        """
        S, _ = sums.reduced(np.zeros(self.at.size))
        root = np.sqrt(np.diag(sums.G))
        L, pivot, rank, _ = lapack.dpstrf(S / root / root[:, np.newaxis], tol=DEPENDENT, lower=1)
        rank = int(np.count_nonzero(np.diag(L)[:rank] ** 2 > DEPENDENT))  # the first is not asked
        if rank and L[rank - 1, rank - 1] ** 2 < INDEPENDENT:
            return None
        kept, others = np.sort(pivot[:rank] - 1), np.sort(pivot[rank:] - 1)
        if not others.size:
            return self, sums
        places = np.append(kept, np.arange(self.k, self.at.size))
        fewer = replace(
            self, k=kept.size, filled=int(np.count_nonzero(kept < self.filled)),
            at=self.at[places], scale=self.scale[places], centre=self.centre[places],
        )  # fmt: skip
        left = sums.of(kept, places)
        made, G = Elimination.of(fewer, left, np.zeros(places.size)), sums.G + np.tril(sums.G, -1).T
        null = [self.null]
        for j in others:
            products = np.concatenate((G[kept, j], sums.cross[:, [j]].toarray().ravel()))
            v = self.unshifted(np.eye(1, self.at.size, j)[0]) - fewer.unshifted(
                made.solve(products)
            )
            if fewer.at.size < self.n:  # independent columns that many make up every other one
                v = np.round(v / v[np.abs(v).argmax()], ROUND_TO)
                if any(table.map(_has_scores, v)):
                    return None
            null.append(v[:, np.newaxis])
        return replace(fewer, null=np.hstack(null)), left


class _Arranged(SameRows):
    """Eliminated columns of a source."""

    def __init__(self, base: Source, columns: EliminatedColumns) -> None:
        of = {"d": columns.at.size, "dtype": np.dtype(np.float64), "nnz": columns.nnz}
        super().__init__(base, columns.arranged, **of)

    @property
    def bytes_at_work(self) -> float:
        """Beside a row what it is made of; no products of tiles are kept."""
        return self.row_bytes + self.base.row_bytes


def _copied(block: Block) -> Sample:
    of = block.sample
    return replace(of, y=of.y.copy(), weight=of.weight.copy())


def _has_scores(block: Block, v: Floats) -> bool:
    """Whether a line (1+d,) has a score on some row with a weight."""
    of = block.sample
    return bool(signed_scores(as_rows(doubles(of.X)), of.n, v, of.x0)[of.weight > 0.0].any())


def _promising(first: Points, most: int) -> bool:
    """Whether the first rows of a table let it have a run that is worth eliminating."""
    d = first.shape[1]
    if d < LEAST_RUN:
        return False
    if not sp.issparse(first) and np.count_nonzero(first) > MOST_NUMBERS * first.size:
        return False
    # runs from the left may be cut in two
    widest = max(map(len, disjoint_runs(_sparse(first))), default=0)
    return bool(2 * widest >= max(LEAST_RUN, d - most))


def _sparse(X: Points) -> sp.csr_array:
    """Return rows by their nonzeros, with indices of 32 bits where they fit, as compiled for."""
    X = sp.csr_array(X, dtype=np.float64)
    kind = np.int32 if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max else np.int64
    parts = X.data, X.indices.astype(kind, copy=False), X.indptr.astype(kind, copy=False)
    return sp.csr_array(parts, shape=X.shape)


def _surveyed(rows: Rows, most: int) -> EliminatedColumns | None:
    """Return all columns of a table but the zero ones, those of the widest run to be eliminated."""
    (n, d), nnz = rows.shape, rows.source.nnz
    dense = nnz is None
    if n * d < LARGE if nnz is None else d > nnz:  # columns without a number take no room
        return None
    limit = MOST_NUMBERS * n * d if dense else np.inf
    columns = np.full(d, -1), np.zeros((2, d), dtype=np.int64), np.full((2, d), np.inf), np.zeros(d)
    columns[2][1] *= -1.0
    start = *columns, np.array([0.0, 0.0, np.inf, -np.inf])
    known = rows.fold(_survey, start, done=lambda known: bool(known[-1][1] > limit))
    nearest, counts, ends, sums, (n_there, numbers, *ends_y) = known
    run = max(runs_between(nearest), key=len, default=range(0))
    if numbers > limit or d > numbers or len(run) < max(LEAST_RUN, d - most):
        return None
    count = counts.sum(axis=0)
    ends[0], ends[1] = (
        np.where(count < n_there, f(e, 0.0), e)
        for f, e in zip((np.minimum, np.maximum), ends, strict=True)
    )
    within = np.zeros(d, dtype=bool)
    within[run.start : run.stop] = True
    full = (
        np.flatnonzero(~within & (count > FULL * n_there))
        if rows.x0
        else np.zeros(0, dtype=np.int64)
    )
    varying = ends[0][full] < ends[1][full]
    null = np.zeros((1 + d, np.count_nonzero(~varying)))
    null[0] = -ends[0][full[~varying]]
    null[1 + full[~varying], np.arange(null.shape[1])] = 1.0
    within[full] = True
    others, of_run = np.flatnonzero(~within & (count > 0)), np.flatnonzero(count[run]) + run.start
    full = full[varying]
    at = np.concatenate((np.zeros(int(rows.x0), dtype=np.int64), 1 + full, 1 + others, 1 + of_run))
    centre, filled = np.zeros(at.size), int(rows.x0) + full.size
    centre[int(rows.x0) : filled] = sums[full] / n_there
    size = np.abs(np.column_stack((np.ones(2), ends))[:, at] - centre).max(axis=0)
    no, yes = counts[:, of_run]
    return EliminatedColumns(
        n=int(n_there), at=at, scale=np.ldexp(1.0, -np.frexp(size)[1]), centre=centre,
        filled=filled, width=1 + d, k=at.size - of_run.size, nnz=int(numbers) + n * filled,
        ends=ends, largest_y=float(np.abs(ends_y).max()), null=null,
        one_sided=bool(((no == 0) != (yes == 0)).any()),
    )  # fmt: skip


def _survey(block: Block, known: Untyped) -> Untyped:
    """Return what is known of columns, and numbers of rows, of nonzeros, and the ends of y."""
    of = block.sample
    nearest, counts, ends, sums, (n, numbers, low, high) = (part.copy() for part in known)
    X, y = _sparse(of.X), of.y[of.weight > 0.0]
    kernel.survey(as_rows(X), of.y, of.weight, nearest, counts, ends, sums)
    low, high = y.min(initial=low), y.max(initial=high)
    return nearest, counts, ends, sums, np.array([n + y.size, numbers + X.nnz, low, high])


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the rows z of M, times factors d and f."""

    values: Floats  # of further numbers of each row, tile by tile
    right: Floats  # (k + m,) of f z
    G: Floats  # (k, k) the lower half of the products d z z' of the columns that stay
    D: Floats  # (m,) of d z^2 of the run
    cross: sp.csr_array  # (m, k) the products of the run and of those that stay

    @classmethod
    def over(cls, M: Rows, columns: EliminatedColumns, n_values: int, *asked: Untyped) -> Sums:
        """Return the sums of rows M; asked[0](block, ...) gives d, f and values (any, n)."""
        k, m = columns.k, columns.m
        nothing = np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(m + 1, dtype=np.int64)
        start = np.zeros(n_values), np.zeros(k + m), np.zeros((k, k)), np.zeros(m), *nothing
        values, right, G, D, *cross = M.fold(_summed, start, *asked)
        return cls(values, right, G, D, sp.csr_array(tuple(cross), shape=(m, k)))

    def of(self, kept: Indices, places: Indices) -> Sums:
        """Return those of some of the columns that stay, and of all of the run."""
        G, cross = self.G[np.ix_(kept, kept)], sp.csr_array(self.cross[:, kept])
        return replace(self, right=self.right[places], G=G, cross=cross)

    def reduced(self, penalty: Floats) -> tuple[Floats, Floats]:
        """Return the lower half of the Schur complement (k, k), and of the run the diagonal."""
        k = len(self.G)
        S, D = self.G + np.diag(penalty[:k]), self.D + penalty[k:]
        cross = self.cross.data, self.cross.indices, self.cross.indptr
        kernel.eliminate(_unsigned(cross), D, S)
        return S, D


def _summed(
    block: Block, sums: Untyped, of_rows: Callable[..., Untyped], *asked: Untyped
) -> Untyped:
    """Return the sums and those of a further block, row by row."""
    of, M = block.sample, as_rows(block.sample.X)
    total, right, G, D = (part.copy() for part in sums[:4])
    d, f, values = of_rows(of, *asked)
    for tile in tiles(of.n):
        total += values[:, tile].sum(axis=1)
    known = _unsigned(sums[4:])
    room = known[0].size + of.X.nnz
    made = np.empty(room), np.empty(room, dtype=np.uint32), np.zeros(D.size + 1, dtype=np.int64)

    def levels() -> None:
        kernel.combine(M, f, right)
        kernel.add_levels(M, len(G), d, D, known, made)

    def products() -> None:
        kernel.add_products(M, d, G)

    for _ in in_threads([products, levels]):
        pass
    used = int(made[2][-1])
    return total, right, G, D, made[0][:used].copy(), made[1][:used].view(np.int32).copy(), made[2]


def _unsigned(rows: Sequence[NDArray[Any]]) -> Untyped:
    """Return sums of levels as the kernels take them."""
    data, indices, indptr = rows
    return (
        data,
        indices.astype(np.int32, copy=False).view(np.uint32),
        indptr.astype(np.int64, copy=False),
    )


@dataclass(frozen=True, slots=True)
class Elimination:
    """The factors of M' diag(d) M + diag(penalty): L of the Schur complement, D of the run."""

    columns: EliminatedColumns
    sums: Sums
    penalty: Floats
    L: Floats
    D: Floats  # (m,)
    ill_conditioned: bool  # whether rounding decides what it solves

    @classmethod
    def of(cls, columns: EliminatedColumns, sums: Sums, penalty: Floats) -> Elimination:
        S, D = sums.reduced(penalty)
        k, squares = len(S), np.diag(sums.G) + penalty[: len(S)]
        ridge, largest = 0.0, float(squares.max(initial=0.0)) or 1.0
        while True:
            L, failed = lapack.dpotrf(S + ridge * np.eye(k), lower=1) if k else (S, 0)
            if not failed:
                break
            ridge = max(1e-16 * largest, 10.0 * ridge)
        left = (np.diag(L) ** 2 * LARGEST_SPREAD**2 >= squares).all()
        ill_conditioned = ridge > 0.0 or not left or not (D > 0.0).all()
        return cls(columns, sums, penalty, L, D, bool(ill_conditioned))

    def solve(self, right: Floats) -> Floats:
        """Return (M' diag(d) M + diag(penalty))^-1 right (k + m,)."""
        cross, k = self.sums.cross, len(self.L)
        of_run = self._inverse * right[k:]
        rest = right[:k] - cross.T @ of_run
        found = lapack.dpotrs(self.L, rest, lower=1)[0] if k else rest
        return np.concatenate((found, of_run - self._inverse * (cross @ found)))

    def product(self, c: Floats) -> Floats:
        """Return (M' diag(d) M + diag(penalty)) c (k + m,)."""
        G, cross, k = self.sums.G, self.sums.cross, len(self.L)
        of_rest = G @ c[:k] + np.tril(G, -1).T @ c[:k] + cross.T @ c[k:]
        return np.concatenate((of_rest, cross @ c[:k] + self.sums.D * c[k:])) + self.penalty * c

    @property
    def _inverse(self) -> Floats:
        return np.divide(1.0, self.D, out=np.zeros_like(self.D), where=self.D > 0.0)

    def standard_errors(self) -> Floats:
        """Return the root of the diagonal of the inverse in (1+d,) weights; NaN where collinear."""
        columns, k = self.columns, len(self.L)
        inverse = lapack.dpotri(self.L, lower=1)[0]
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        cross = self.sums.cross.copy()
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


def least_squares_by_elimination(table: Rows) -> tuple[Floats, int] | None:
    """Return the shortest minimiser w (1+d,) and the rank; None where elimination will not do."""
    with one_blas_thread(), np.errstate(all="ignore"):
        found = EliminatedColumns.of(table, MOST_UNPENALISED)
        if found is None:
            return None
        columns, M = found
        if abs(int(np.frexp(columns.largest_y)[1])) >= MODERATE:
            return None
        sums = Sums.over(M, columns, 1, _weighed_squares)
        independent = columns.independent(sums, table)
        if independent is None:
            return None
        if independent[0] is not columns:
            columns, sums = independent
            M = columns.over(table)
        factors = Elimination.of(columns, sums, np.zeros(columns.at.size))
        if factors.ill_conditioned:
            return None
        enough = ROUNDINGS * float(np.finfo(np.float64).eps) * float(np.sqrt(sums.values[0]))
        c, right, last = np.zeros(columns.at.size), sums.right, np.inf
        while True:
            step = factors.solve(right)
            moved = math.sqrt(max(0.0, float(step @ right)))  # the scores' weighted length
            if not moved <= last / 4.0:
                break
            c, last = c + step, moved
            if moved <= enough:
                break
            right = M.fold(_left, np.zeros(c.size), c)
        return columns.weights(c), int(columns.at.size)


def _weighed_squares(of: Sample) -> tuple[Floats, Floats, Floats]:
    return of.weight, of.weight * of.y, (of.weight * of.y**2)[np.newaxis]


def _left(block: Block, right: Floats, c: Floats) -> Floats:
    """Return the sum and that of weight residual z over a further block."""
    of, right = block.sample, right.copy()
    kernel.combine(as_rows(of.X), of.weight * (of.y - of.X @ c), right)
    return right
