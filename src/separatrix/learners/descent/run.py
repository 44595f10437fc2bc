"""The run of gradient descent: batch, mini-batch and online, and its learning rate.

L is a certified bound on how fast the gradient of E_in changes (Nesterov 2004, section 1.2.3).
Where err'' <= c, L = c lambda_max(mean z z'), z = (x0, x); no step with eta <= 2 / L goes uphill.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, InputError
from separatrix.errors import Differentiable
from separatrix.kernels.smooth import gradient as kernel
from separatrix.learners._parameters import positive
from separatrix.learners._stopping import Stopped
from separatrix.learners.descent.mean_error import Gradients, GramGradients, MeanError, Order, Step

SAFE = "safe"
NOISE = 1e-9  # of E_in, or of the first gradient: less may be rounding


@dataclass
class Descent:
    """Descent under way: v in units of `scale`, so that w = scale v."""

    step: Step
    v: Floats
    tol: float
    max_updates: int
    scale: float = 1.0
    updates: int = 0
    passes: int = 0
    norm: float = math.nan
    stopped: Stopped = Stopped.INTERRUPTED  # until the run says otherwise
    bounces: bool = False  # the last step of all rows turned back and did not shorten the gradient

    @property
    def weights(self) -> Floats:
        return self.scale * self.v

    def by_all_rows(self, of: Gradients) -> None:
        """Step along the full gradient until it is short, or the updates are spent."""
        g = of.gradient(self.v)
        first = least = float(kernel.length(g))
        while not self._done(g):
            after = self.step.taken(self.v, g)
            self.passes += 1
            if not np.isfinite(after).all():
                self.stopped = Stopped.OVERFLOW
                return
            self.v = after
            self.updates += 1
            before, g = g, of.gradient(self.v)
            norm = float(kernel.length(g))
            self.bounces = bool(norm > max(0.99 * least, NOISE * first) and before @ g < 0.0)
            least = min(least, norm)

    def by_batches(self, of: MeanError, batch: int, order_of_pass: Callable[[], Order]) -> None:
        """Step along the gradients of batches; before every pass take the full one."""
        while not self._done(of.gradient(self.v)):
            rows = order_of_pass()
            self.passes += 1
            before, order = self.v.copy(), rows[: (self.max_updates - self.updates) * batch]
            of.descend(self.v, order, batch, self.step)
            if self._overflown():
                self.v = before
                self.updates += self._up_to_overflow(of, order, batch)
                self.norm = float(kernel.length(of.gradient(self.v)))
                self.stopped = Stopped.OVERFLOW
                return
            self.updates += -(-len(order) // batch)

    def _up_to_overflow(self, of: MeanError, order: Order, batch: int) -> int:
        """Make those of a pass's updates after which w is finite, found by halving."""
        done, size = 0, 1 << len(order).bit_length()
        while size:
            kept = self.v.copy()
            of.descend(self.v, order[done * batch : (done + size) * batch], batch, self.step)
            if self._overflown():
                self.v = kept
            else:
                done += size
            size //= 2
        return done

    def _overflown(self) -> bool:
        return not np.isfinite(self.weights.sum()) and not np.isfinite(self.weights).all()

    def _done(self, g: Floats) -> bool:
        """Return whether the full gradient at w ends the run, and note why."""
        self.norm = float(kernel.length(g))
        if self.norm <= self.tol:
            self.stopped = Stopped.SMALL_GRADIENT
        elif self.updates >= self.max_updates:
            self.stopped = Stopped.UPDATES_SPENT
        else:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Rate:
    eta: float
    largest: float | None  # eta_max = 2 / L; None where there is no bound L

    @classmethod
    def of(cls, asked: object, lipschitz: float | None) -> Rate:
        """Return the rate given: a number, or 1 / L for "safe"."""
        largest = None
        if lipschitz is not None:
            largest = 2.0 / lipschitz if lipschitz > 0.0 else math.inf
        if asked != SAFE:
            return cls(checked_rate(asked), largest)
        if largest is None:
            raise InputError(
                "learning_rate='safe' is 1 / L, L a bound on how fast the gradient changes. There "
                "is none for the perceptron error, whose slope jumps at 0 (online, every rate "
                "gives the same path from w = 0), for unit steps, and for an error measure "
                "without `largest_curvature`. Give a number."
            )
        if largest == 0.0 or lipschitz is None:
            raise InputError(
                "learning_rate='safe' is 1 / L, and L overflows here: divide large columns of X "
                "by a power of two."
            )
        return cls(1.0 / lipschitz if 0.0 < largest / 2.0 < math.inf else 1.0, largest)

    def sentence(self) -> str:
        """Return the rate, the largest that is safe, and what to do."""
        if self.largest is None:
            return f"Lower learning_rate ({self.eta!r})."
        return (
            f"Lower learning_rate ({self.eta!r}): eta_max = 2 / L is {self.largest:.6g} here, and "
            "learning_rate='safe' takes 1 / L."
        )


def checked_rate(asked: object) -> float:
    if isinstance(asked, str):
        raise InputError(f"learning_rate={asked!r} must be a positive number or 'safe'.")
    return positive(asked, "learning_rate")


WIDEST_GRAM = 1000  # weights, constant included: d^2 doubles and ten products of such matrices
SQUARINGS = 10
ROUNDOFF = 2.0**-52  # twice the unit roundoff
LEAST_DOUBLE = 2.0**-1074


def lipschitz_of_rows(error: MeanError) -> float | None:
    """Return a bound on L of the error of every single row, and so of every batch."""
    size = error.radius**2 * (1.0 + (error.width + 7) * ROUNDOFF)
    return _with_curvature(error.measure, size)


def lipschitz_of_mean(error: MeanError, of: Gradients, max_updates: int) -> float | None:
    """Return a bound on L of E_in over all rows, which rounding cannot have made too small."""
    return _with_curvature(error.measure, _largest_eigenvalue_of_gram(error, of, max_updates))


def _with_curvature(measure: Differentiable, size: float) -> float | None:
    curvature = getattr(measure, "largest_curvature", None)
    if curvature is None:
        return None
    bound = float(curvature) * size * (1.0 + ROUNDOFF) + (LEAST_DOUBLE if size > 0.0 else 0.0)
    return bound if math.isfinite(bound) else math.inf


def _largest_eigenvalue_of_gram(of_rows: MeanError, of: Gradients, max_updates: int) -> float:
    """Return an upper bound on lambda_max(mean z z')."""
    n, width, top, total = of_rows.n, of_rows.width, of_rows.top, of_rows.total
    if top == 0.0:
        return 0.0
    trace = of_rows.rows.x0 + of_rows.squares / total
    underflow = 8.0 * (n * width * (1.0 + top) / total + 1.0) * LEAST_DOUBLE
    error = (n + width + 8) * ROUNDOFF * trace + width * underflow
    gram = of if isinstance(of, GramGradients) else None
    if gram is None and of_rows.dense and width <= min(WIDEST_GRAM, max_updates):
        gram = of_rows.gram()
    return trace + error if gram is None else min(trace, largest_eigenvalue_bound(gram.G)) + error


def largest_eigenvalue_bound(G: Floats, squarings: int = SQUARINGS) -> float:
    """Return an upper bound on |lambda| of a symmetric G: |G^(2^k)|^(1 / 2^k) after k squarings."""
    d = G.shape[0]
    largest = float(np.abs(G).max())
    if largest == 0.0:
        return 0.0
    B = G / largest
    length = float(np.linalg.norm(B)) * (1.0 + (d * d + 8) * ROUNDOFF)
    norm: float = largest * length
    if squarings == 0:
        return norm
    B /= length
    square = largest_eigenvalue_bound(B @ B, squarings - 1)
    return norm * math.sqrt(square + (d + 8) * ROUNDOFF)
