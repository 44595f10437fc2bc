"""Checks of the learners' parameters: numbers, budgets, starts and orders of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Sample, constant_of
from separatrix.kernels.walks.perceptron import FROM_HERE, Question
from separatrix.learners.least_squares.least_squares import least_squares
from separatrix.scale import Rows

T = TypeVar("T")
Integers = NDArray[np.int64]

# sign(0) as the walk sees it: -1, +1, or neither, so that a zero score is a mistake whatever y is
TIES: Mapping[object, float] = {-1: -1.0, 1: 1.0, "mistake": 0.0}

NO_LIMIT = 2**62

NONE = np.empty(0, dtype=np.int64)


def one_of(choices: Mapping[object, T], value: object, name: str) -> T:
    """Return what `value` stands for, or refuse it with the choices."""
    try:
        return choices[value]
    except (KeyError, TypeError):
        known = ", ".join(repr(c) for c in choices)
        raise InputError(f"{name}={value!r} is not known; choose one of {known}.") from None


def number_of(value: Untyped, name: str) -> float:
    """Return a parameter as a float, or refuse it by name."""
    try:
        if isinstance(value, str):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}={value!r} must be a number.") from None


def limit(value: Untyped, name: str) -> int:
    """Return a budget as an integer: None (or inf) means none."""
    if type(value) is int and 0 <= value < NO_LIMIT:
        return value
    if value is None or number_of(value, name) >= NO_LIMIT:
        return NO_LIMIT
    if isinstance(value, bool) or not number_of(value, name).is_integer() or value < 0:
        raise InputError(
            f"{name}={value!r} must be a whole number, 0 or more, or None for no limit."
        )
    return int(value)


def positive(value: Untyped, name: str) -> float:
    """Return a positive finite number, or refuse it by name."""
    number = number_of(value, name)
    if not 0.0 < number < np.inf:
        raise InputError(f"{name}={value!r} must be a positive finite number.")
    return number


def not_negative(value: Untyped, name: str) -> float:
    """Return a finite number of 0 or more, or refuse it by name."""
    number = number_of(value, name)
    if not 0.0 <= number < np.inf:
        raise InputError(f"{name}={value!r} must be a finite number, 0 or more.")
    return number


def generator(random_state: Untyped) -> np.random.Generator:
    """Return the random numbers of a run, from anything that scikit-learn takes as a seed."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def start_weights(init: ArrayLike, sample: Sample | Rows) -> Floats:
    """Return w_0 (1+d,): zero, the least-squares line on y = -1 / +1, or the given array."""
    if init is None:
        return np.zeros(sample.d + 1)
    if isinstance(init, str):
        if init != "regression":
            raise InputError(f"init={init!r} is not known; choose None, 'regression' or an array.")
        rows = sample if isinstance(sample, Rows) else Rows.of(sample)
        return least_squares(rows).weights
    weights = np.array(init, dtype=np.float64)
    if weights.shape != (sample.d + 1,) or not np.isfinite(weights).all():
        raise InputError(
            f"init has shape {weights.shape}; it must be {sample.d + 1} finite numbers, w_0 first."
        )
    if sample.x0 == 0.0 and weights[0] != 0.0:
        raise InputError(
            f"init starts with w_0 = {weights[0]}, but fit_intercept=False: make it 0."
        )
    return weights


def question_of(
    learner: Untyped, order: Integers = NONE, *, margin: float = 0.0, rule: int = FROM_HERE
) -> Question:
    """Return what a learner's parameters ask of a walk, without rows."""
    tie = one_of(TIES, getattr(learner, "sign_of_zero", "mistake"), "sign_of_zero")
    updates = limit(getattr(learner, "max_updates", None), "max_updates")
    passes = limit(getattr(learner, "max_iter", None), "max_iter")
    rows, none = np.empty((0, 1)), np.empty(0)
    x0 = constant_of(learner)
    return Question(rows, none, order, x0, tie, margin, none, rule, updates, passes)


def order_of(learner: Untyped, table: Rows, random: np.random.Generator | None = None) -> Integers:
    """Return the order of the visits: one fixed random cycle for "permuted", else empty."""
    if learner.visit != "permuted":
        check_random_state(learner.random_state)
        return NONE
    if len(table.ranges) > 1:
        raise InputError(
            "visit='permuted' visits the rows along one random cycle, which would read a block for "
            "each row, and this table is read in blocks. Use visit='cyclic' on rows that were "
            "shuffled once, or fit arrays."
        )
    return (random or generator(learner.random_state)).permutation(table.n)


def in_walk_units(start: Floats, learning_rate: float) -> Floats:
    """Return v_0 = w_0 / eta, or refuse a start that float64 cannot hold in these units."""
    if learning_rate == 1.0:
        return start
    with np.errstate(over="ignore"):
        v = start / learning_rate
    if not np.isfinite(v).all():
        raise InputError("init / learning_rate overflows float64: use a larger learning_rate.")
    return v


def column_sizes(X: ArrayLike) -> Floats:
    largest = abs(X).max(axis=0)
    return np.asarray(largest.toarray().ravel() if sp.issparse(largest) else largest)


def refuse_overflow() -> InputError:
    """Return what is raised when weights leave float64's range."""
    return InputError(
        "the weights overflow float64: some values of X are near 1e308. Divide those columns by a "
        "power of two (exact, and the same question)."
    )


def visit_of_rows(visit: object) -> str:
    """Return an order that visits rows one by one, or refuse the others with the reason."""
    if visit in ("naive", "random"):
        raise InputError(
            f"visit={visit!r} searches all rows for a mistake instead of visiting them in turn, so "
            "weights survive no countable visits; choose 'cyclic' or 'permuted'."
        )
    return one_of({"cyclic": "cyclic", "permuted": "permuted"}, visit, "visit")
