"""A change of basis w = M v, |v_j| <= 1, in which boxes of weights fit the rows; M is exact.

The first column of M is the incumbent. The other columns span the rest such that the rows near that
line, which are the ones that stay undecided, look the same in all directions. Entries of M are
integers of 14 bits times powers of two, so M is known exactly and a proof can hold it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import nmod_mat

from separatrix.exact.integers import PRIME, Floats, Indices, IntegerRow
from separatrix.kernels.error_bound import score_error
from separatrix.kernels.zero_one.boxes import Instance, rounding
from separatrix.zero_one.presolve import MergedRows

BITS = 14
NEAR = 0.1  # the part of the rows that defines "near the line"
FAR_ROWS = 0.02  # weight of a row far from the line
ENOUGH_ROWS = 20_000  # to see what is near the line
FLATTEST = 1e-4  # of the largest spread


@dataclass(frozen=True, eq=False)
class ChangeOfBasis:
    """Rows in coordinates v, each row scaled by its own power of two."""

    source: MergedRows  # the rows as given
    matrix: Floats  # (D, D) M, for the rows with columns scaled as in `MergedRows.scaled`
    rows: Floats  # (D, n) one row of the table per column, entries of at most 1
    slack: Floats

    @property
    def instance(self) -> Instance:
        """The same rows as the kernels read them."""
        return Instance(self.rows, self.slack, self.source.weight)

    @np.errstate(over="ignore")
    def weights(self, v: Floats) -> Floats:
        """Return the weights (D,) of the point v, for the rows as given."""
        w = self.matrix @ v
        exponent = np.frexp(np.abs(w).max())[1]
        scaled: Floats = np.ldexp(w, -exponent - self.source.line_shift)
        return scaled

    def whole_matrix(self) -> tuple[list[IntegerRow], int]:
        """Return integers and e: M = integers 2^e, for rows as `MergedRows.integers`."""
        shift = self.source.exponents - self.source.column_shift
        return whole(self.matrix, shift)


def whole(matrix: Floats, row_shift: Indices) -> tuple[list[IntegerRow], int]:
    """Return the least integers and the e with matrix[i, j] 2^row_shift[i] = integers[i][j] 2^e."""
    fraction, exponent = np.frexp(matrix)
    digits = np.ldexp(fraction, 53).astype(np.int64).astype(object)
    power = exponent.astype(np.int64) - 53 + row_shift[:, None]
    lowest = int(power[matrix != 0].min())
    table = [
        [int(a) << int(e) - lowest if a else 0 for a, e in zip(line, powers, strict=True)]
        for line, powers in zip(digits, power, strict=True)
    ]
    spare = min((a & -a).bit_length() - 1 for line in table for a in line if a)
    return [[a >> spare for a in line] for line in table], lowest + spare


def basis_around(rows: MergedRows, w: Floats) -> ChangeOfBasis:
    """Return the change of basis around the line w (D,), given for the scaled columns."""
    matrix = _few_digits(_frame(rows, w))
    if not _regular(matrix):
        matrix = np.eye(rows.dimension)
    return in_basis(rows, matrix)


def in_basis(rows: MergedRows, matrix: Floats, exponent: Indices | None = None) -> ChangeOfBasis:
    """Return the rows in the basis of a given matrix; `exponent` (n,) scales them, if given."""
    scaled = rows.scaled
    product = scaled @ matrix
    if exponent is None:
        exponent = np.frexp(np.abs(product).max(axis=1))[1].astype(np.int64)
    magnitude = (np.abs(scaled) @ np.abs(matrix)).sum(axis=1)
    off = score_error(rows.dimension + 2, magnitude)
    slack = np.ldexp(off, -exponent) + rounding(rows.dimension)
    return ChangeOfBasis(rows, matrix, np.ascontiguousarray(np.ldexp(product.T, -exponent)), slack)


@np.errstate(over="ignore", invalid="ignore")  # `_regular` refuses what is not finite
def _frame(rows: MergedRows, w: Floats) -> Floats:
    """Return w and a basis of the rest that whitens the rows near it."""
    dimension = rows.dimension
    if dimension == 1:
        return np.ones((1, 1))
    few = slice(None, None, 1 + rows.n // ENOUGH_ROWS)
    scaled = rows.of_unit_length[few]
    weight = rows.weight[few] / rows.weight.max()
    w = w / np.abs(w).max()
    w = w / np.sqrt((w * w).sum())
    s = scaled @ w
    near = np.quantile(np.abs(s), max(NEAR, min(1.0, 5.0 * dimension / len(scaled))))
    share = weight * (np.exp(-0.5 * np.square(s / max(near, 1e-9))) + FAR_ROWS)
    moments = (scaled * share[:, None]).T @ scaled / share.sum()
    others = np.eye(dimension)[:, np.argsort(np.abs(w), kind="stable")[: dimension - 1]]
    orthogonal, _ = np.linalg.qr(np.column_stack([w, others]))
    basis = orthogonal[:, 1:]
    spread, turn = np.linalg.eigh(basis.T @ moments @ basis)
    basis = basis @ turn / np.sqrt(np.maximum(spread, max(spread.max(), 1e-300) * FLATTEST))
    along = np.sqrt(np.square(s).mean())
    across = np.sqrt(np.square(scaled @ basis).mean())
    return np.column_stack([w * (across / max(along, 1e-12)), basis])


def _few_digits(matrix: Floats) -> Floats:
    """Round every column to integers of BITS bits times a power of two."""
    exponent = np.frexp(np.abs(matrix).max(axis=0))[1] - BITS
    rounded: Floats = np.ldexp(np.rint(np.ldexp(matrix, -exponent)), exponent)
    return rounded


def _regular(matrix: Floats) -> bool:
    """Return whether the matrix has an inverse, which its determinant modulo a prime shows."""
    if not np.isfinite(matrix).all():
        return False
    n = len(matrix)
    table = [a % PRIME for line in whole(matrix, np.zeros(n, dtype=np.int64))[0] for a in line]
    return int(nmod_mat(n, n, table, PRIME).det()) != 0
