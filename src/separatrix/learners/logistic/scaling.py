"""Coordinates in which neither the units of columns nor their offsets matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats


@dataclass(frozen=True, slots=True)
class Scaling:
    """Coordinates c (1+d,) with scores c_0 + sum c_j scale_j (x_j - centre_j).

    Without an intercept c_0 stays 0 and nothing is centred.

    Parameters
    ----------
    centre, scale : (1+d,), 0 and 1 for the constant column
    penalty : (1+d,) p of the penalty sum p c^2 / 2
    """

    centre: Floats
    scale: Floats
    penalty: Floats

    @classmethod
    def identity(cls, width: int, x0: float, C: float) -> Scaling:
        """Return the coordinates that are the weights (width,) themselves."""
        penalty = np.full(width, 1.0 / C)
        penalty[0] = _penalty_of_constant(x0)
        return cls(np.zeros(width), np.ones(width), penalty)

    @classmethod
    def of(cls, rows: Floats, x0: float, C: float) -> Scaling:
        """Return coordinates in which the rows (n, d) have a mean near 0 and a spread near 1."""
        centre = rows.mean(axis=0) if x0 else np.zeros(rows.shape[1])
        largest = np.maximum(rows.max(axis=0) - centre, centre - rows.min(axis=0))
        _, exponent = np.frexp(largest)
        size = np.ldexp(1.0, np.clip(exponent, -1000, 1000))  # squares of the rest do not overflow
        rest = (rows - centre) / size
        spread = size * np.sqrt(np.einsum("nj,nj->j", rest, rest) / len(rest))
        scale = 1.0 / np.where((spread > 0.0) & np.isfinite(spread), spread, size)
        penalty = np.concatenate(([_penalty_of_constant(x0)], scale * scale / C))
        return cls(np.concatenate(([0.0], centre)), np.concatenate(([1.0], scale)), penalty)

    @property
    def penalised(self) -> bool:
        """Whether columns are."""
        return bool((self.penalty[1:] > 0.0).any())

    def weights(self, c: Floats) -> Floats:
        """Return the weights (1+d,) of the table's own columns."""
        w = c * self.scale
        w[0] -= w[1:] @ self.centre[1:]
        return np.asarray(w)

    def coordinates(self, weights: Floats) -> Floats:
        """Return c for weights (1+d,)."""
        c = weights / self.scale
        c[0] += weights[1:] @ self.centre[1:]
        return np.asarray(c)

    def combination(self, of_rows: Floats) -> Floats:
        """Return in these coordinates a sum (1+d,) of multiples of the rows (x0, x)."""
        moved = (of_rows - of_rows[0] * self.centre) * self.scale
        moved[0] = of_rows[0]
        return np.asarray(moved)


def _penalty_of_constant(x0: float) -> float:
    """Return 0 for an intercept; without one its coordinate stays 0, which 1 makes well-posed."""
    return 0.0 if x0 else 1.0
