"""What a fit of a table in blocks keeps: no array of all its rows."""

from __future__ import annotations

import numpy as np

from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.scale import Rows


class NotKeptError(InputError, AttributeError):
    """An attribute that takes all rows, asked of a learner that read them in blocks."""


class InBlocks:
    """A fit of a table in blocks, which keeps no array of all its rows: none of `_of_all_rows`."""

    _of_all_rows: tuple[str, ...] = ()
    _n_in_blocks: int

    def _note_blocks(self, table: Rows, *, numbers: bool = False) -> None:
        """Note the columns of a table in blocks, and forget what an earlier fit kept."""
        if numbers != (table.classes is None):
            raise InputError(
                "the table in blocks holds labels, and LinearRegression fits numbers: give it the "
                "files, as fit(path, column), or use LinearRegressionClassifier."
                if numbers
                else f"the table in blocks holds numbers, and {type(self).__name__} learns labels: "
                "use LinearRegression."
            )
        for name in (*self._of_all_rows, "_rows"):
            self.__dict__.pop(name, None)
        self.n_features_in_, self._n_in_blocks = table.d, table.n
        self.feature_names_in_ = np.array(table.names, dtype=object)

    def __getattr__(self, name: str) -> Untyped:
        if name in type(self)._of_all_rows and "_n_in_blocks" in self.__dict__:
            raise NotKeptError(
                f"{name} takes all {self._n_in_blocks:,} rows at once, and they were read in "
                "blocks. Fit arrays to have it."
            )
        return object.__getattribute__(self, name)  # raises as without this method, cause included
