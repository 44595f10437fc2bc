"""The same rows as arrays in memory and in blocks, for laws that hold wherever rows are."""

import numpy as np

from separatrix.data import Sample
from separatrix.scale import ArraySource, Rows
from separatrix.tiles import TILE

SOURCES = {"memory": None, "blocks of 1 tile": 1, "blocks of 2 tiles": 2}


def rows_from(source, X, y, weight=None, classes=None):
    """Return rows X (N, d) with numbers y, or with labels -1 and +1 where there are classes."""
    sample = Sample(X, y, classes, np.ones(len(y)) if weight is None else weight)
    tiles = SOURCES[source]
    if tiles is None:
        return Rows.of(sample)
    return Rows(ArraySource(sample), rows_in_block=tiles * TILE)
