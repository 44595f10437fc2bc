"""Which columns move a score most: by the standard deviation of what each adds to the score."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp

from separatrix.data import Floats, Points
from separatrix.tables import Encoding

STRONGEST_FIRST = (
    "Strongest column first: |weight| times its standard deviation, the levels of a category "
    "together (the standard deviation of what the column adds to the score)."
)


def features_of(encoding: Encoding) -> list[slice]:
    """Return the features of each column, or of each product of columns."""
    if encoding.monomials is not None:
        return [slice(j, j + 1) for j in range(len(encoding.feature_names))]
    ends = itertools.accumulate((len(c.feature_names) for c in encoding.columns), initial=0)
    return [slice(*pair) for pair in itertools.pairwise(ends)]


def strengths(
    encoding: Encoding, weights: Floats, X: Points, row_weight: Floats | None = None
) -> Floats:
    """Return the strength of each of `features_of`, for weights (d,) and rows X (N, d)."""
    parts = features_of(encoding)
    if not sp.issparse(X):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.array([_deviation(X[:, part] @ weights[part], row_weight) for part in parts])
    owner = np.repeat(np.arange(len(parts)), [part.stop - part.start for part in parts])
    spread_out = (weights, (np.arange(weights.size), owner))
    added = X @ sp.csr_array(spread_out, shape=(weights.size, len(parts)))
    size = abs(added).max(axis=0).toarray().ravel()
    scaled = added.multiply(1.0 / np.where(size > 0.0, size, 1.0)).tocsr()
    of_rows = np.ones(X.shape[0]) if row_weight is None else row_weight
    mean, square = ((of_rows @ m) / of_rows.sum() for m in (scaled, scaled.multiply(scaled)))
    return np.asarray(size * np.sqrt(np.maximum(square - mean**2, 0.0)))


def strongest_first(
    encoding: Encoding, weights: Floats, X: Points, row_weight: Floats | None = None
) -> dict[int, list[int]]:
    """Return {column: its features}, the strongest column and its largest weight first."""
    found = strengths(encoding, weights, X, row_weight)
    parts = features_of(encoding)
    return {
        k: sorted(range(parts[k].start, parts[k].stop), key=lambda j: -abs(weights[j]))
        for k in np.argsort(-found, kind="stable").tolist()
    }


def _deviation(added: Floats, row_weight: Floats | None) -> float:
    """Return the standard deviation; divided first, as squares may leave float64's range."""
    size = float(np.abs(added).max(initial=0.0))
    if size == 0.0 or not np.isfinite(size):
        return size
    mean = np.average(added / size, weights=row_weight)
    return size * float(np.sqrt(np.average((added / size - mean) ** 2, weights=row_weight)))
