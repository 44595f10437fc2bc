"""The visited rows of a run, as data: enough to replay every w_t bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Sample, read_arrays
from separatrix.kernels.exact import count_mistakes
from separatrix.kernels.rows import add_row
from separatrix.notebook import Summarised, Summary, data_frame, figure, places

CAPACITY = 2**20  # updates kept: 8 MiB of row numbers


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Summarised):
    """A run of PLA, update by update.

    Parameters
    ----------
    start : array (1+d,)
        v_0 = w_0 / eta, in units of the learning rate.
    learning_rate : float
        eta: w_t = eta v_t.
    rows : int array (min(T, CAPACITY),)
        The row added at each update.
    n_updates : int
        T; larger than ``rows.size`` when the trace was capped.
    end : float64 array (1+d,)
        v_T, so that a replay on other data is noticed.
    x0 : float
        The constant of every row: 1.0 with an intercept, else 0.0.
    """

    start: Floats
    learning_rate: float
    rows: NDArray[np.int64]
    n_updates: int
    end: Floats
    x0: float = 1.0

    def _summary(self) -> Summary:
        facts = [
            ("different rows", figure(np.unique(self.rows).size)),
            ("first rows", places(self.rows[:8].tolist())),
            ("learning rate", figure(self.learning_rate)),
        ]
        kept = [("kept", f"the first {self.rows.size:,}")] if self.capped else []
        return Summary(f"{self.n_updates:,} updates", [*facts, *kept])

    def to_frame(self) -> Untyped:
        """Return the updates as a data frame: t = 1, 2, ... and the row added."""
        return data_frame({"t": np.arange(1, self.rows.size + 1), "row": self.rows})

    @property
    def capped(self) -> bool:
        """Whether updates were made after the last one kept here."""
        return self.n_updates > self.rows.size

    def walk(self, X: ArrayLike, y: ArrayLike) -> Iterator[Floats]:
        """Yield w_0, w_1, ..., w_T (a fresh array (1+d,) each), from the data of the run."""
        return self.walk_sample(read_arrays(X, y))

    def walk_sample(self, sample: Sample) -> Iterator[Floats]:
        """Yield w_0, w_1, ..., w_T for data already checked.

        Raises
        ------
        InputError
            When these are not the data of the run: at once where the shape tells, else at the end.
        """
        if sample.d + 1 != self.start.size or (self.rows >= sample.n).any():
            raise InputError(
                f"these are not the data of this run: it had {self.start.size - 1} columns and "
                f"visited row {int(self.rows.max(initial=0))}; X has {sample.d} columns and "
                f"{sample.n} rows."
            )
        v = self.start.copy()
        yield self.learning_rate * v
        for i in self.rows:
            add_row(sample.rows, i, sample.y[i], v, self.x0)
            yield self.learning_rate * v
        if not self.capped and v.tobytes() != self.end.tobytes():
            raise InputError(
                "these are not the data of this run: the same rows lead to other weights here. "
                "Pass the X and y of the fit, in the same order."
            )

    def growth(self, X: ArrayLike, y: ArrayLike, target: Floats) -> Growth:
        """Return the two curves of the convergence proof against a target line w_f (1+d,).

        The inner product w_f.w_t grows by at least eta rho |w_f| at every update and |w_t|^2 by at
        most eta^2 R^2, where rho = min_n z_n.w_f / |w_f|: that is why PLA stops (Novikoff 1962;
        lecture 2). From w_0 != 0 both start at their values there. An update does *not* always turn
        w towards w_f: only the inner product always grows. The lower line of the cosine is the
        quotient of the two, sqrt(t) rho / R from w_0 = 0: where it reaches 1, PLA has stopped.
        """
        sample = read_arrays(X, y)
        w_f = np.asarray(target, dtype=np.float64)
        z_length = float(np.linalg.norm(w_f))
        agreements = sample.y * (sample.X @ w_f[1:] + self.x0 * w_f[0])
        rho = float(agreements.min()) / z_length
        path = np.array(list(self.walk_sample(sample)))
        t = np.arange(len(path))
        inner = path @ w_f
        length_squared = (path * path).sum(axis=1)
        eta, radius = self.learning_rate, replace(sample, x0=self.x0).radius
        inner_lower = inner[0] + t * eta * rho * z_length
        length_squared_upper = length_squared[0] + t * eta**2 * radius**2
        return Growth(
            inner=inner,
            inner_lower=inner_lower,
            length_squared=length_squared,
            length_squared_upper=length_squared_upper,
            cosine=_quotient(inner, np.sqrt(length_squared) * z_length),
            cosine_lower=np.where(
                inner_lower < 0.0,  # then a longer w would not make the cosine smaller
                -1.0,
                _quotient(inner_lower, np.sqrt(length_squared_upper) * z_length),
            ),
        )

    def mistakes(self, X: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """Return how many rows each w_t gets wrong, t = 0 .. T: int64 array (T+1,), signs exact.

        Divided by N they are E_in(w_t); their running minimum is the pocket's.
        """
        return self.mistakes_in(read_arrays(X, y))

    def mistakes_in(self, sample: Sample) -> NDArray[np.int64]:
        """Return the mistakes of each w_t on data already checked."""
        path = self.walk_sample(sample)
        return np.array([count_mistakes(sample.rows, sample.y, w, self.x0) for w in path])


@dataclass(frozen=True, slots=True)
class Growth:
    """The curves of the convergence proof, one value per t = 0 .. T: arrays (T+1,)."""

    inner: Floats
    inner_lower: Floats
    length_squared: Floats
    length_squared_upper: Floats
    cosine: Floats
    cosine_lower: Floats


def _quotient(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)
