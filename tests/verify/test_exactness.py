"""Signs, ranks and lengths that floats confuse are decided exactly."""

import json
import random
from fractions import Fraction

import pytest

from separatrix import verify
from tests.verify import by_hand
from tests.verify.by_hand import csv_of, in_memory, proof_of, said


def test_numbers_too_long_to_write_down_are_no_crash(tmp_path):
    data = csv_of([(0, "n"), (1, "y")])
    close = "-1/1" + "0" * 20_000  # a squared margin of about 16^-40000
    text = said(data, proof_of(data, [{"kind": "separable", "weights": [close, "1"]}]))
    assert "makes at most about" in text
    # a line with an agreement beyond what decimals reach by default
    claim = {**by_hand.PENALISED, "weights": ["1" + "0" * 900_000, 0]}
    (tmp_path / "t.csv").write_bytes(data)
    (tmp_path / "p.json").write_text(json.dumps(proof_of(data, [claim])))
    code, _ = verify.check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
    assert code in (verify.VERIFIED, verify.CANNOT_CHECK)


def exact_sign(w, x, y) -> int:
    s = y * sum(Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=True))
    return (s > 0) - (s < 0)


def test_signs_are_those_of_fractions_however_the_numbers_are_made():
    draw = random.Random(1)
    for _ in range(300):
        d = draw.randint(1, 4)
        spread = draw.choice([0, 3, 30, 300])
        rows = []
        for _ in range(6):
            size = [2.0 ** draw.randint(-spread, spread) for _ in range(d)]
            rows.append([1.0, *(draw.randint(-3, 3) * s for s in size)])
        table = in_memory(rows, [draw.choice([-1, 1]) for _ in rows])
        # a line through one of the points, so that exact zeros and near zeros occur
        w = [Fraction(draw.randint(-5, 5), draw.randint(1, 7)) for _ in range(d + 1)]
        through = draw.choice(rows)
        w[0] -= sum(a * Fraction(b) for a, b in zip(w, through, strict=True))
        if not any(w):
            continue
        scores, below = table.agreements(w)
        assert [(a > 0) - (a < 0) for a in scores] == [
            exact_sign(w, x, y) for x, y in zip(rows, table.y, strict=True)
        ]
        agreements = [
            y * sum(a * Fraction(b) for a, b in zip(w, x, strict=True))
            for x, y in zip(rows, table.y, strict=True)
        ]
        survey = verify.Survey(table, w)
        table.observed(survey)
        if min(agreements) > 0:
            assert survey.least() == min(agreements)
        assert [Fraction(a, below) for a in scores] == agreements
        lengths = [sum(Fraction(v) ** 2 for v in x) for x in rows]
        assert verify.largest_squared_length(table) == max(lengths)


def test_a_difference_far_below_a_doubles_reach_decides():
    # 1e16 + 1 - 1e16 - 1 + 2^-60, which floats cancel to nothing or worse
    data = csv_of([(1e16, 1, "y"), (-1e16, 1, "n")])
    tiny = Fraction(1, 2**60)
    weights = ["-1", "1", "1"]  # agreements: 1e16 - 1 + 1 and 1e16 + 1 - 1
    assert "separable" in said(data, proof_of(data, [{"kind": "separable", "weights": weights}]))
    close = csv_of([(0.1, "y"), (0.1, "n")]).replace(b"0.1,n", b"0.09999999999999999,n")
    middle = -(Fraction(0.1) + Fraction(0.09999999999999999)) / 2 - tiny * 0
    claim = {"kind": "separable", "weights": [f"{middle.numerator:x}/{middle.denominator:x}", "1"]}
    assert "separable" in said(close, proof_of(close, [claim]))


@pytest.mark.parametrize("seed", range(20))
def test_the_rank_modulo_a_prime_is_the_rank_of_small_integers(seed):
    import numpy as np

    draw = np.random.default_rng(seed)
    low = draw.integers(-3, 4, size=(6, 2)) @ draw.integers(-3, 4, size=(2, 5))
    assert verify.rank_at_least(low.astype(float).tolist()) == np.linalg.matrix_rank(low)
