"""Names for what cannot be typed: arguments that a door reads, and objects of untyped libraries."""

from typing import Any, Protocol, TypeAlias

ArrayLike: TypeAlias = Any
"""Whatever `data.read_arrays` reads: arrays, lists, sparse matrices, data frames, series."""

Untyped: TypeAlias = Any
"""An object of a library without types, or a parameter that is validated when it is used."""


class Predictor(Protocol):
    """A fitted learner, of this library or of another one with scikit-learn's contract."""

    def predict(self, X: ArrayLike) -> Untyped:
        """Return an answer for every row."""
