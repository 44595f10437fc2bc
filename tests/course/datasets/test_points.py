"""Made points: the target, the margin and the noise are exactly what was asked for."""

import hashlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import (
    InputError,
    Perceptron,
    make_credit,
    make_graduation,
    make_noisy,
    make_separable,
    mistake_bound,
)
from separatrix.certificates import Separation
from separatrix.kernels.exact import count_mistakes
from separatrix.plain.score import exact_score
from tests.as_plain import labels, rows
from tests.hostile.profile import examples


def least_margin_squared(X, y, w):
    """(min_n y (1, x).w)^2 / |w|^2 in fractions, row by row; negative on the wrong side."""
    exact = [Fraction(float(a)) for a in w]
    least = min(c * exact_score(exact, x) for x, c in zip(rows(X), labels(y), strict=True))
    return least * abs(least) / exact_score(exact, exact)


@examples(120)
@given(
    n=st.integers(2, 30),
    d=st.integers(1, 5),
    margin=st.one_of(st.just(0.0), st.floats(0, 3), st.floats(0, 1e200)),
    seed=st.integers(0, 10**9),
)
def test_the_margin_holds_exactly_and_both_labels_occur(n, d, margin, seed):
    X, y, w = make_separable(n, d, margin, seed=seed)
    assert X.shape == (n, d)
    assert (y.dtype, w.shape) == (np.int64, (d + 1,))
    assert set(y.tolist()) == {-1, 1}
    least = least_margin_squared(X, y, w)
    assert least > 0
    assert least >= Fraction(margin) ** 2


@examples(80)
@given(
    target=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    scale=st.sampled_from([1.0, 1e-200, 1e200]),
    margin=st.sampled_from([0.0, 0.1, 2.0]),
)
def test_the_target_may_be_given(target, scale, margin):
    target = np.array(target) * scale
    if np.abs(target[1:]).max() <= 1e-100 * np.abs(target[0]):
        return  # they vanish beside w_0: refused below
    X, y, w = make_separable(20, 2, margin, target=target)
    assert np.array_equal(w, target)
    assert least_margin_squared(X, y, w) >= Fraction(margin) ** 2


def test_the_margin_bounds_what_pla_needs():
    X, y, w = make_separable(100, 2, margin=0.2)
    radius_squared = 1.0 + (X * X).sum(axis=1).max()
    assert mistake_bound(X, y, w) <= radius_squared / 0.2**2
    assert Perceptron().fit(X, y).n_updates_ <= mistake_bound(X, y, w)
    assert Separation(w).verify(X, y)
    assert Separation(w).rho_squared(X, y) >= Fraction(0.2) ** 2


def test_the_margin_asked_for_is_not_far_from_the_one_there_is():
    X, y, w = make_separable(5000, 2, margin=0.25, seed=3)
    assert 0.25 <= float(Separation(w).rho_squared(X, y)) ** 0.5 < 0.26


@examples(40)
@given(seed=st.integers(0, 10**6), flip=st.floats(0, 1))
def test_noise_turns_labels_round_and_says_which(seed, flip):
    X, y, w, flipped = make_noisy(60, 3, flip=flip, seed=seed)
    clean = make_separable(60, 3, seed=seed)
    assert np.array_equal(X, clean.X)
    assert np.array_equal(w, clean.target)
    assert np.array_equal(y != clean.y, flipped)
    assert count_mistakes(X, y.astype(float), w, 1.0) == flipped.sum()


def test_the_flipping_probability_is_one():
    flipped = make_noisy(20_000, flip=0.3, seed=1).flipped
    assert flipped.mean() == pytest.approx(0.3, abs=0.015)  # four standard deviations and more
    first, second = flipped[:-1], flipped[1:]
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.0, abs=0.03)
    assert not make_noisy(50, flip=0.0).flipped.any()
    assert make_noisy(50, flip=1.0).flipped.all()


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def test_the_same_seed_makes_the_same_bytes():
    assert digest(*make_noisy(500, 4, seed=7)) == digest(*make_noisy(500, 4, seed=7))
    assert digest(*make_noisy(500, 4, seed=7)) != digest(*make_noisy(500, 4, seed=8))
    for maker in (make_credit, make_graduation):
        twice = [maker(200, 7, flip=0.1, missing=0.1) for _ in range(2)]
        assert twice[0].to_csv() == twice[1].to_csv()
        assert twice[0].to_parquet() == twice[1].to_parquet()
        assert twice[0].to_csv() != maker(200, 8, flip=0.1, missing=0.1).to_csv()
    # numpy integers are integers
    assert digest(*make_separable(np.int64(9), seed=np.int32(7))) == digest(
        *make_separable(9, seed=7)
    )


BAD = [
    ({"n": 1}, "--rows"), ({"n": 2.0}, "--rows"), ({"n": True}, "--rows"),
    ({"d": 0}, "--columns"), ({"margin": -0.1}, "--margin"), ({"margin": np.nan}, "--margin"),
    ({"margin": np.inf}, "--margin"), ({"margin": "0.1"}, "--margin"),
    ({"seed": -1}, "--seed"), ({"seed": 0.5}, "--seed"), ({"flip": 1.5}, "--flip"),
    ({"flip": np.nan}, "--flip"), ({"target": [1.0, 2.0]}, "target"),
    ({"target": [1.0, 0.0, 0.0]}, "target"), ({"target": [1.0, np.inf, 1.0]}, "target"),
    ({"target": "line"}, "target"), ({"n": 10**12}, "memory"),
    ({"target": [1e300, 1e-300, 0.0]}, "float64"), ({"margin": 1.7e308}, "float64"),
]  # fmt: skip


@pytest.mark.parametrize(("how", "word"), BAD)
def test_points_that_cannot_be_are_refused(how, word):
    with pytest.raises(InputError, match=word):
        make_noisy(**how)
