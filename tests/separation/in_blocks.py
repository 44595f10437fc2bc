"""Small tables cut into blocks of any number of rows."""

import dask.array as da

from separatrix.data import dense, read_arrays
from separatrix.scale import ArraySource, Rows
from separatrix.scale.opening import CollectionSource


class FarSource(ArraySource):
    """Rows of which none is read without the many around it, as in a compressed file."""

    seeks = False


def collected(sample):
    """The same rows as a Dask collection, in chunks that are no blocks."""
    X = dense(sample.X, "a collection")
    return CollectionSource(da.from_array(X, (333, X.shape[1])), da.from_array(sample.y, 333))


def in_blocks(X, y, rows, weight=None, *, source=ArraySource, budget=0):
    """The table in blocks of so many rows (the public ones are whole tiles), and little memory."""
    table = Rows(source(read_arrays(X, y, weight)))
    table.ranges = [(a, min(a + rows, table.n)) for a in range(0, table.n, rows)]
    table.budget, table._block = budget, None  # no pass takes all rows at once
    return table


def answers(found):
    """All that is found of a table, margin and diverging coefficients included."""
    margin, way = found.maximum_margin, found.divergence
    return (
        (found.verdict, found.separable, found.line, found.reason, found.x0),
        (found.witness.rows.tolist(), found.witness.multipliers, found.refusal),
        (found.rank, found.aliased, found.divergent, found.radius, found.radius_squared),
        None if margin is None else (margin.weights, margin.rho_squared, margin.proof),
        None if way is None else (way.indices, way.lines, way.bounds, way.support),
        (found.mistake_bound, found.diverging, found.directionless),
    )
