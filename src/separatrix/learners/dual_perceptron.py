"""The dual perceptron: PLA in terms of how often each row was corrected, so that kernels work.

The score of x is sum_n alpha_n y_n K(x_n, x), and a row that is a mistake gets alpha_n + 1
(Aizerman, Braverman & Rozonoer 1964; Freund & Schapire 1999, section 3.3). With ``kernel="linear"``
and coef0 = 1 or 0 it is PLA with or without an intercept, update for update wherever scores are
exact in doubles, and proves what PLA proves; for other kernels scores are rounded: no proof. One
row of K(left, right) is found at a time, summed in the order of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates import Multipliers, Separation
from separatrix.data import (
    Floats,
    InputError,
    Points,
    Sample,
    as_rows,
    read_points,
    warn,
)
from separatrix.kernels.exact import count_mistakes
from separatrix.kernels.rows import add_row, squared_lengths
from separatrix.kernels.walks import dual
from separatrix.kernels.walks.dual import products
from separatrix.kernels.walks.perceptron import AT_RANDOM, GOING_ON, POSITION, Question
from separatrix.learners._linear import NotConvergedWarning
from separatrix.learners._parameters import (
    TIES,
    Integers,
    generator,
    limit,
    one_of,
    order_of,
    positive,
)
from separatrix.learners._stopping import Stopped
from separatrix.learners._weighted import InMemory
from separatrix.learners.perceptron import RULES
from separatrix.learners.walks.outcome import multipliers
from separatrix.learners.walks.run import Slices, Step
from separatrix.learners.walks.tuning import Tuning
from separatrix.scale import Rows

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


@final
@dataclass(kw_only=True, eq=False, repr=False)
class DualPerceptron(InMemory):
    """PLA on a kernel's scores.

    Plain form: `separatrix.plain.dual_perceptron`.

    Parameters
    ----------
    kernel : {"linear", "polynomial", "rbf"} or callable
        K(x, x') = coef0 + x.x', (coef0 + gamma x.x')^degree, exp(-gamma |x - x'|^2); or a callable
        of rows (k, d) and (m, d) that returns a symmetric (k, m).
    degree : int
    gamma : float or None
        None is 1 / d.
    coef0 : float
        What the constant feature is to a line: 1 counts it in, 0 leaves it out.
    visit, sign_of_zero, max_updates, max_iter, random_state : as in `Perceptron`
    memory_limit : int
        Bytes for rows of the Gram matrix (8 N each); it changes the time, never the result.

    Attributes
    ----------
    alpha_ : int array (N,)
        Updates on each row; their sum is T.
    visited_ : int array (min(T, 2^20),)
        The row of every update, in their order.
    support_ : int array
        The rows with alpha > 0, the only ones that predictions use.
    support_vectors_ : (k, d), dual_coef_ : (1, k)
        Those rows, and their alpha_n y_n.
    n_updates_, n_iter_, stopped_ : as in `Perceptron`
    certificate_ : Separation, Multipliers or None
        For the linear kernel with coef0 = 0 or 1.

    Warns
    -----
    NotConvergedWarning
        When a budget ended before a clean pass.

    Examples
    --------
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = DualPerceptron(kernel="polynomial", degree=2).fit(xor, [0, 1, 1, 0])
    >>> model.predict(xor).tolist(), int(model.alpha_.sum()) == model.n_updates_
    ([0, 1, 1, 0], True)
    """

    kernel: Untyped = "linear"
    degree: int = 3
    gamma: float | None = None
    coef0: float = 1.0
    visit: str = "cyclic"
    sign_of_zero: int | str = "mistake"
    max_updates: int | None = None
    max_iter: int | None = 1000
    memory_limit: int = 2**28
    random_state: Untyped = None

    _tuning = Tuning()
    _because = " (its scores are sums of kernel values of pairs of rows, any two of them)"

    def _learn(self, sample: Sample) -> Self:
        rule = one_of(RULES, self.visit, "visit")
        random = generator(self.random_state)
        cycle = order_of(self, Rows.of(sample), random)
        run = _GramRun(self, sample, cycle if cycle.size else np.arange(sample.n), rule)
        run.until_done(run.at_random(random) if rule == AT_RANDOM else run.in_order, self._take)
        if self.stopped_ is not Stopped.CLEAN_PASS:
            warn(
                f"PLA is not done: {self.stopped_} after {self.n_updates_} updates in "
                f"{self.n_iter_} passes. With this kernel the rows may not be separable.",
                NotConvergedWarning,
            )
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores sum_n alpha_n y_n K(x_n, x): (N,), rounded, in the order of n."""
        points = read_points(self, X)
        rows = self.kernel_of(self.support_vectors_).against(points)
        scores = np.zeros(points.shape[0])
        for k, weight in enumerate(self.dual_coef_[0]):
            scores += weight * rows(k)
        return scores

    def kernel_of(self, left: Untyped) -> KernelRows:
        """Return the kernel with its left argument (N, d) given: rows of a Gram matrix."""
        return KernelRows(self.kernel, left, self.degree, self.gamma, self.coef0)

    def _take(self, run: _GramRun) -> None:
        sample, alpha = run.sample, run.progress.counts
        self._take_labels(sample)
        self.alpha_, self.visited_ = alpha, run.visited()
        self.support_ = np.flatnonzero(alpha)
        self.support_vectors_ = sample.X[self.support_]
        self.dual_coef_ = (alpha * sample.y)[np.newaxis, self.support_]
        self.n_updates_, self.n_iter_ = run.n_updates, run.n_passes
        self.stopped_ = run.stopped
        self.certificate_ = self._certificate(sample)

    def _certificate(self, sample: Sample) -> Separation | Multipliers | None:
        """Return what PLA's counts prove about lines, when lines are what was learned."""
        x0 = float(self.coef0)
        if self.kernel != "linear" or x0 not in (0.0, 1.0):
            return None
        if self.stopped_ is not Stopped.CLEAN_PASS:
            return multipliers(self.support_, self.alpha_[self.support_], x0)
        w = np.zeros(sample.d + 1)
        for n in self.support_:
            add_row(sample.rows, int(n), float(self.alpha_[n] * sample.y[n]), w, x0)
        return Separation(w, x0) if count_mistakes(sample.rows, sample.y, w, x0) == 0 else None


class _GramRun(Slices):
    """A run on scores, and the rows of the Gram matrix that are at hand."""

    def __init__(self, learner: DualPerceptron, sample: Sample, order: Integers, rule: int) -> None:
        tie = one_of(TIES, learner.sign_of_zero, "sign_of_zero")
        budgets = limit(learner.max_updates, "max_updates"), limit(learner.max_iter, "max_iter")
        kept = limit(learner.memory_limit, "memory_limit") // (8 * sample.n)
        self.cache = np.empty((max(1, min(kept, sample.n)), sample.n))
        self.row = learner.kernel_of(sample.X).against(sample.X)
        self.slots = np.full(sample.n, -1, dtype=np.int64)
        self.holds = np.full(len(self.cache), -1, dtype=np.int64)  # the row in each slot
        self.next_slot = 0
        question = Question(self.cache, sample.y, order, 0.0, tie, 0.0, np.empty(0), rule, *budgets)
        tuning = learner._tuning
        super().__init__(sample, question, np.zeros(sample.n), tuning, tuning.slice_updates)
        self.per_slice = 1 + tuning.slice_multiplications // sample.n

    def in_order(self) -> tuple[int, int]:
        return self._with_row(*dual.walk_on_gram(*self.arguments, self.slots, self.per_slice))

    def at_random(self, random: np.random.Generator) -> Step:
        """Return the step that draws among all current mistakes."""
        n_draws = min(self.tuning.slice_updates, self.per_slice)
        draws = np.empty(0)

        def step() -> tuple[int, int]:
            nonlocal draws  # a draw waits for its row to be computed
            draws = draws if draws.size else random.random(n_draws)
            why, made = dual.walk_on_gram_at_random(*self.arguments, self.slots, draws)
            draws = draws[made:]
            return self._with_row(why, made)

        return step

    def _with_row(self, why: int, made: int) -> tuple[int, int]:
        """Return why a slice ended; where it wants a row, put it in the place of the oldest one."""
        if why == dual.ROW_WANTED:
            i, slot = int(self.question.order[self.progress.state[POSITION]]), self.next_slot
            self.cache[slot] = self.row(i)
            if self.holds[slot] >= 0:
                self.slots[self.holds[slot]] = -1
            self.holds[slot], self.slots[i] = i, slot
            self.next_slot = (slot + 1) % len(self.holds)
            why = GOING_ON
        return why, made
