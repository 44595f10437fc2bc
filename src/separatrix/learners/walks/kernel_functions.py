"""Kernels by name: one row of K(left, right) at a time, summed in the order of the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Points, as_rows
from separatrix.kernels.rows import squared_lengths
from separatrix.kernels.walks.dual import products
from separatrix.learners._parameters import one_of, positive

# K from x.x', |x|^2, |x'|^2 and (degree, gamma, coef0)
Formula = Callable[[Floats, float, Floats, tuple[int, float, float]], Floats]


def _polynomial(xx: Floats, _left: float, _right: Floats, p: tuple[int, float, float]) -> Floats:
    return (p[2] + p[1] * xx) ** p[0]


KERNELS: Mapping[object, Formula] = {
    "linear": lambda xx, _l, _r, p: p[2] + xx,
    "polynomial": _polynomial,
    "poly": _polynomial,  # scikit-learn's name
    "rbf": lambda xx, left, right, p: np.exp(-p[1] * np.maximum(0.0, left + right - 2.0 * xx)),
}


def _whole(degree: Untyped) -> int:
    if isinstance(degree, bool) or int(degree) != degree or degree < 1:
        raise InputError(f"degree={degree!r} must be a whole number, 1 or more.")
    return int(degree)


class KernelRows:
    """A kernel with its left argument (N, d) given."""

    def __init__(
        self, kernel: Untyped, left: Points, degree: int, gamma: float | None, coef0: float
    ) -> None:
        self.left, self.kernel = left, kernel
        if callable(kernel):
            return
        self.formula = one_of(KERNELS, kernel, "kernel")
        slope = 1.0 / left.shape[1] if gamma is None else positive(gamma, "gamma")
        if not np.isfinite(float(coef0)):
            raise InputError(f"coef0={coef0!r} must be a finite number.")
        self.parameters = _whole(degree), slope, float(coef0)
        self.left_rows = as_rows(left)
        self.left_lengths = squared_lengths(self.left_rows, left.shape[0], 0.0)

    def against(self, right: Points) -> Callable[[int], Floats]:
        """Return the function from i to K(left_i, right): (M,)."""
        if callable(self.kernel):
            return lambda i: self._checked(self._called(i, right), i)
        rows, (m, d) = as_rows(right), right.shape
        lengths = squared_lengths(rows, m, 0.0)

        def row(i: int) -> Floats:
            xx = products(self.left_rows, i, rows, m, d)
            with np.errstate(over="ignore", invalid="ignore"):
                values = self.formula(xx, float(self.left_lengths[i]), lengths, self.parameters)
            return self._checked(values, i)

        return row

    def _called(self, i: int, right: Points) -> Floats:
        values = np.asarray(self.kernel(self.left[i : i + 1], right), dtype=np.float64)
        if values.shape != (1, right.shape[0]):
            raise InputError(
                f"kernel returned shape {values.shape} for tables of 1 and {right.shape[0]} rows; "
                f"it must be (1, {right.shape[0]})."
            )
        row: Floats = values[0]
        return row

    @staticmethod
    def _checked(values: Floats, i: int) -> Floats:
        if not np.isfinite(values).all():
            raise InputError(
                f"the kernel of row {i} is {values[~np.isfinite(values)][0]} with some row: scale "
                "the columns, or choose a smaller degree."
            )
        return values
