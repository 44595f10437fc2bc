"""Angles and distances, against exact arithmetic and at every scale."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix import InputError, angle, distance
from tests.hostile.profile import examples

whole = st.integers(-9, 9)
vectors = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.lists(whole, min_size=k, max_size=k).filter(any)] * 2)
)


@examples(100)
@given(pair=vectors)
def test_an_angle_is_the_arc_cosine_and_its_laws_hold(pair):
    w, v = (np.array(x, dtype=float) for x in pair)
    cosine = w @ v / np.linalg.norm(w) / np.linalg.norm(v)
    assert angle(w, v) == pytest.approx(math.acos(min(1.0, max(-1.0, cosine))), abs=1e-7)
    assert angle(w, v) == angle(v, w) == angle(3.0 * w, v)
    assert angle(w, -v) == pytest.approx(math.pi - angle(w, v), abs=1e-15)
    assert angle(w, w) == 0.0
    assert angle(w, -7.0 * w) == math.pi


@pytest.mark.parametrize("small", [1e-3, 1e-9, 1e-17, 1e-160, 1e-300, 5e-324])
def test_small_angles_keep_their_digits(small):
    assert angle([1.0, small], [1.0, 0.0]) == pytest.approx(math.atan(small), rel=1e-15)
    assert angle([1.0, small], [1.0, 2 * small]) == pytest.approx(
        math.atan(2 * small) - math.atan(small), rel=1e-15 if small < 1e-5 else 1e-9
    )
    assert angle([-1.0, small], [1.0, 0.0]) == pytest.approx(math.pi - math.atan(small), rel=1e-15)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e308])
def test_no_scale_matters_to_an_angle(scale):
    assert angle([scale, scale], [0.0, 1.0]) == math.pi / 4
    assert angle([scale, scale], [scale, -scale]) == math.pi / 2


@examples(100)
@given(
    X=st.lists(st.tuples(whole, whole), min_size=1, max_size=6),
    w=st.tuples(whole, whole, whole).filter(lambda w: any(w[1:])),
    k=st.sampled_from([0, -900, -200, 200, 900]),
)
def test_a_distance_is_that_of_the_nearest_point_of_the_line(X, w, k):
    points, weights = np.ldexp(np.array(X, dtype=float), k), np.array(w, dtype=float)
    weights[0] = math.ldexp(weights[0], k)
    far = distance(points, weights)
    assert far.tolist() == distance(sp.csr_array(points), weights).tolist()
    assert far.shape == (len(X),)
    for x, d in zip(X, far, strict=True):
        s = w[0] + w[1] * x[0] + w[2] * x[1]
        assert math.ldexp(d, -k) == pytest.approx(abs(s) / math.hypot(*w[1:]), rel=1e-12, abs=0.0)


def test_distances_where_scores_cancel_overflow_and_underflow():
    w = [-1.0, 1.0, 1e-17]
    (d,) = distance([[1.0, 1.0]], w)
    assert d == pytest.approx(1e-17, rel=1e-12)
    assert distance([[0.1, 0.2]], [-0.3, 1.0, 1.0])[0] == pytest.approx(
        float(abs(Fraction(0.1) + Fraction(0.2) - Fraction(0.3))) / math.sqrt(2), rel=1e-12
    )
    assert distance([[1e308, 1e308]], [0.0, 1e308, 1e308])[0] == pytest.approx(
        math.sqrt(2) * 1e308, rel=1e-12
    )
    assert distance([[1e308, 1e308, 1e308, 1e308]], [0.0, 1, 1, 1, 1])[0] == math.inf
    assert distance([[3e-320]], [0.0, 1e-320])[0] == 3e-320
    assert distance([[1e300, 0.0]], [0.0, 1e-320, 1.0])[0] == pytest.approx(
        float(Fraction(1e300) * Fraction(1e-320)), rel=1e-12
    )
    assert distance([[2.0, 1.0]], [-2.0, 1.0, 0.0]).tolist() == [0.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: angle([0, 0], [1, 0]), "w is zero"),
        (lambda: angle([1, 0], [0, 0]), "v is zero"),
        (lambda: angle([1, 0], [1]), "2 components"),
        (lambda: angle([[1, 0]], [1, 0]), r"shape \(1, 2\)"),
        (lambda: angle([math.nan], [1]), "finite"),
        (lambda: angle(["a"], [1]), "numbers"),
        (lambda: distance([[1.0]], [1.0, 0.0]), "no line"),
        (lambda: distance([[1.0]], [1.0, 0.0, 1.0]), "w_0 first"),
        (lambda: distance([[1.0]], [1.0, math.inf]), "finite"),
        (lambda: distance([[math.nan]], [1.0, 1.0]), "NaN|missing"),
    ],
)
def test_what_has_no_angle_and_no_distance(call, words):
    with pytest.raises(InputError, match=words):
        call()
