"""Tables that are drawn, and how both sides are run on them."""

import warnings

import numpy as np
from hypothesis import strategies as st

from separatrix import NotConvergedWarning
from separatrix.learners._parameters import generator
from separatrix.plain import visits
from tests.as_plain import floats

RULES = st.sampled_from([-1, 1, "mistake"])

ORDERS = ("cyclic", "permuted", "naive", "random")

MEASURES = ("perceptron", "squared", "cross_entropy")

SEEDS = st.integers(0, 999)

UPDATES = 40


SMALL = ("integers", "eighths", "doubles", "opposite")  # at most 8 rows


@st.composite
def tables(draw, kinds=(*SMALL, "orthogonal", "orthogonal")):
    """X (N, d) and y in -1, +1, both present."""
    kind, seed = draw(st.sampled_from(kinds)), draw(SEEDS)
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    if kind == "eighths":
        X = rng.integers(-24, 25, (n, d)) / 8.0
    elif kind == "doubles":
        X = rng.normal(size=(n, d)) / 3.0
    elif kind == "opposite":  # but for the last digits
        X = rng.normal(size=(n, d)) / 3.0
        X[n // 2 :] = X[: n - n // 2] * (1.0 + rng.choice([0.0, 2.0**-52, -(2.0**-52)]))
    elif kind == "orthogonal":  # to the first row, so that scores are all rounding error
        X, n = rng.normal(size=(12, d)) / 3.0, 12
        X[1:, -1] = -(1.0 + X[1:, :-1] @ X[0, :-1]) / X[0, -1]
    elif kind == "scaled":
        X, n = (
            rng.normal(size=(70, d)) * 10.0 ** (rng.choice([6, 200]) * rng.integers(-1, 2, d)),
            70,
        )
    elif kind == "tall":  # with few mistakes, so that walks pass many rows
        n = int(rng.integers(60, 140))
        X = rng.integers(-4, 5, (n, d)).astype(float) if seed % 2 else rng.normal(size=(n, d))
    y = rng.choice([-1.0, 1.0], n)
    if kind == "tall":
        y = np.where(X @ rng.normal(size=d) + 0.2 * rng.normal() > 0, 1.0, -1.0)
        y[rng.integers(n)] *= -1.0
    y[0], y[1] = 1.0, -1.0
    return X, y


def last_weights(model):
    return np.append(model.last_intercept_, model.last_coef_)


def same_bits(found, expected):
    assert found.tobytes() == floats(expected).tobytes()


def visit_of(name, n, seed):
    """The visits that a learner of this seed makes."""
    random = generator(seed)
    if name == "random":
        return visits.random(n, iter(random.random, None))
    if name == "naive":
        return visits.naive(n)
    return visits.in_turn(random.permutation(n).tolist() if name == "permuted" else range(n))


def passes_of(name, n, seed, passes):
    """The rows that so many passes visit in turn."""
    order = generator(seed).permutation(n).tolist() if name == "permuted" else list(range(n))
    return order * passes


def fitted(model, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(X, y, **options)
