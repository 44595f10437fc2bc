"""The primal heuristic: 0/1 coordinate descent from many starts (Li & Lin 2007), in floats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from separatrix._later import flint
from separatrix.exact.integers import PRIME, Floats, Indices, IntegerRow
from separatrix.kernels.error_bound import score_error
from separatrix.kernels.zero_one.boxes import Instance, rounding
from separatrix.kernels.zero_one.local_search import descend
from separatrix.tiles import in_threads
from separatrix.zero_one.problem import MergedRows

STEPS_A_START = 400
STARTS_A_TEAM = 4  # descend side by side, all from what the team before them found
ENOUGH_ROWS = 20_000  # for the first line


def best_line(rows: MergedRows, start: Floats | None, steps: int, seed: int) -> Floats:
    """Return the best line (D,) that this number of steps finds, in scaled columns."""
    best = np.zeros(rows.dimension)
    for best in better_lines(rows, start, steps, seed):  # noqa: B007  # the last is the best
        pass
    return best


def better_lines(rows: MergedRows, start: Floats | None, steps: int, seed: int) -> Iterator[Floats]:
    """Yield after each team of starts the best line (D,) so far, in scaled columns."""
    scaled = rows.of_unit_length
    total = int(rows.weight.sum())
    share = rows.weight / total
    if start is None:
        few = slice(None, None, 1 + rows.n // ENOUGH_ROWS)
        logistic = _logistic_line(scaled[few], share[few] / share[few].sum())
        starts = [logistic, scaled.T @ share]
    else:
        starts = [start]
    fewest, best, k = total + 1, starts[0], 0
    while steps > 0 and fewest > 0:
        team = []
        for _ in range(min(STARTS_A_TEAM, -(-steps // STEPS_A_START))):
            random = np.random.default_rng((seed, k))
            w = starts[k].copy() if k < len(starts) else _perturbed(best, random, k)
            most = min(steps, STEPS_A_START)
            team.append(partial(_descent, scaled, rows.weight, w, most, random))
            steps, k = steps - STEPS_A_START, k + 1
        for mistakes, w in in_threads(team):
            if mistakes < fewest:
                fewest, best = mistakes, w
        yield best


def _descent(
    rows: Floats, weight: Indices, w: Floats, steps: int, random: np.random.Generator
) -> tuple[int, Floats]:
    """Return the mistakes and the line after some steps from w, which changes in place."""
    if not np.isfinite(w).all() or np.abs(w).max() < 1e-12:
        w = random.standard_normal(w.size)
    scales = 10.0 ** random.uniform(-3.0, 0.5, steps)
    return int(descend(rows, weight, w, _directions(rows, steps, random), scales)), w


def _perturbed(best: Floats, random: np.random.Generator, k: int) -> Floats:
    step: Floats = random.standard_normal(best.size)
    return step if k % 3 == 0 else best + step * 10.0 ** random.uniform(-2.5, -0.3)


def _directions(rows: Floats, steps: int, random: np.random.Generator) -> Floats:
    """Return directions (steps, D): at random, along an axis, along a row, between two rows."""
    n, dimension = rows.shape
    directions = random.standard_normal((steps, dimension))
    directions[1::4] = np.eye(dimension)[random.integers(dimension, size=len(directions[1::4]))]
    directions[2::4] = rows[random.integers(n, size=len(directions[2::4]))]
    pairs = random.integers(n, size=(2, len(directions[3::4])))
    directions[3::4] = rows[pairs[0]] - rows[pairs[1]]
    return directions


def _logistic_line(rows: Floats, share: Floats) -> Floats:
    """Return the line (D,) of a slightly regularised logistic regression after ten Newton steps."""
    w = np.zeros(rows.shape[1])
    ridge = 1e-6 * np.eye(w.size)
    for _ in range(10):
        p = 1.0 / (1.0 + np.exp(np.clip(rows @ w, -30.0, 30.0)))
        slope = rows.T @ (share * p) - 1e-6 * w
        curvature = (rows * (share * p * (1.0 - p))[:, None]).T @ rows + ridge
        w = w + np.linalg.solve(curvature, slope)
    return w


BITS = 14
NEAR = 0.1  # the part of the rows that defines "near the line"
FAR_ROWS = 0.02  # weight of a row far from the line
NEAR_ROWS = 20_000  # to see what is near the line
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
    few = slice(None, None, 1 + rows.n // NEAR_ROWS)
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
    return int(flint.nmod_mat(n, n, table, PRIME).det()) != 0
