"""What a fit can take instead of arrays: a table in blocks, or what one can be opened from."""

from __future__ import annotations

import os
from collections.abc import Sequence

from separatrix._types import ArrayLike, Untyped
from separatrix.data import InputError
from separatrix.scale.collection import CollectionSource
from separatrix.scale.npy import NpySource
from separatrix.scale.table import BlockedTable


def is_beyond_memory(X: Untyped) -> bool:
    """Whether X is a table in blocks, a path, or a collection of Dask's."""
    return isinstance(X, BlockedTable | str | os.PathLike) or hasattr(X, "__dask_graph__")


def table_in_blocks(X: Untyped, y: ArrayLike = None, *, numbers: bool = False) -> BlockedTable:
    """Return what `fit` was given as a table in blocks.

    Parameters
    ----------
    X : BlockedTable; or an array or data frame of Dask's; or the path of an .npy file (n, d)
    y : nothing for a BlockedTable; likewise of Dask's, or the name of a column of the data frame;
        for a path that of another .npy file (n,)
    numbers : whether y are numbers to fit, and no labels

    Raises
    ------
    InputError
        When it cannot be opened.
    """
    if isinstance(X, BlockedTable):
        if y is not None:
            raise InputError("a table in blocks brings its labels: leave y out.")
        return X
    if hasattr(X, "__dask_graph__"):
        return BlockedTable(CollectionSource(X, y, numbers=numbers))
    return BlockedTable(NpySource(_paths(X), _paths(y), numbers=numbers))


def _paths(given: Untyped) -> Sequence[str]:
    if isinstance(given, str | os.PathLike):
        return [os.fspath(given)]
    raise InputError(f"{given!r} is no path of an .npy file.")
