"""The verifier on diverging coefficients: claims made by hand."""

import pytest

from separatrix.verify import CannotCheck, Refuted
from tests.verify.by_hand import TOUCHING, XOR, csv_of, proof_of, said
from tests.verify.fits_by_hand import DIVERGING, EITHER, ONE_WAY


def test_coefficients_that_diverge_and_where_to():
    text = said(TOUCHING, proof_of(TOUCHING, [DIVERGING]))
    assert "penalty: 'intercept' (downwards), 'x1' (upwards)." in text
    silent = said(TOUCHING, proof_of(TOUCHING, [{**DIVERGING, "directions": []}]))
    assert "'intercept' (direction not shown), 'x1' (direction not shown)." in silent


UP = DIVERGING["directions"][0]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"lines": []}, Refuted, "it is open whether 'intercept' diverges"),
        ({"lines": [["1", "-1"]]}, Refuted, "line 2 is on the wrong side"),
        ({"free": []}, Refuted, "do not span"),
        ({"free": [["1", "1"]]}, Refuted, "does not"),
        ({"multipliers": ["1", "2"]}, Refuted, "cancel"),
        ({"rows": [], "multipliers": [], "free": []}, Refuted, "do not bound"),
        ({"independent": [1, 2]}, Refuted, "do not span"),
        ({"null_space": [["-1", "1"]]}, Refuted, "does not"),
        ({"directions": [{**UP, "direction": -1}]}, Refuted, "do not bound"),
        ({"directions": [{**UP, "times": ["-1"]}]}, Refuted, "not positive"),
        # row 1 vanishes on all that is free: 0 = -0 w_j bounds nothing
        ({"directions": [{**UP, "rows": [1], "direction": -1, "times": [0]}]}, Refuted, "positive"),
        ({"directions": [{**UP, "times": ["2"]}]}, Refuted, "do not bound"),
        ({"directions": [{**UP, "multipliers": ["-1"]}]}, CannotCheck, "'multipliers'"),
        ({"directions": [{**UP, "index": 2}]}, CannotCheck, "does not exist"),
        ({"directions": [{**UP, "direction": 0}]}, CannotCheck, "'direction'"),
        ({"independent": [0, 9]}, CannotCheck, "lacks"),
    ],
)
def test_what_does_not_show_it_is_not_accepted(change, error, reason):
    with pytest.raises(error, match=reason):
        said(TOUCHING, proof_of(TOUCHING, [{**DIVERGING, **change}]))


def test_of_a_separable_table_everything_diverges_and_collinear_columns_are_told_apart():
    line = csv_of([(0, 3, "n"), (2, 3, "y")])  # x2 is constant: collinear with the intercept
    claim = {
        **DIVERGING, "null_space": [["3", "0", "-1"]], "rows": [], "multipliers": [],
        "free": [], "lines": [["-1", "1", "0"]],
        "directions": [
            {"index": 1, "direction": 1, "rows": [0, 1], "multipliers": ["1", "1"], "times": ["2"]}
        ],
    }  # fmt: skip
    text = said(line, proof_of(line, [claim]))
    assert "penalty: 'x1' (upwards)." in text
    assert "no score determines: 'intercept', 'x2'." in text
    both = {**claim, "lines": [["-1", "1", "0"], ["-1/2", "1/2", "0"]], "directions": []}
    assert "'x1' (direction not shown)" in said(line, proof_of(line, [both]))


def test_coefficients_that_diverge_stand_apart_from_those_that_do_not():
    """Rows 1 to 3 overlap in x2, where x1 = 1; all others are beyond that."""
    data = csv_of([(0, 0, "n"), (1, 0, "n"), (1, 1, "y"), (1, 2, "n"), (2, 0, "y")])
    claim = {
        **DIVERGING, "independent": [0, 1, 2], "rows": [1, 2, 3], "multipliers": ["1", "2", "1"],
        "free": [["-1", "1", "0"]], "lines": [["-1", "1", "0"]], "directions": [],
    }  # fmt: skip
    assert said(data, proof_of(data, [claim])).endswith(
        "penalty: 'intercept' (direction not shown), 'x1' (direction not shown). The others do "
        "not: 'x2'."
    )
    none = {
        **claim, "rows": [0, 1, 2, 3], "multipliers": ["1", "1", "1", "1"], "free": [],
        "lines": [],
    }  # fmt: skip
    assert said(XOR, proof_of(XOR, [none])).endswith("without a penalty: none.")
    both = {**ONE_WAY, "lines": [["-1", "2", "1/2"], ["-1", "2", "-1/2"]]}
    assert said(EITHER, proof_of(EITHER, [both])).endswith(
        "penalty: 'intercept' (direction not shown), 'x1' (upwards), 'x2' (either way)."
    )


def test_without_an_intercept_the_only_coefficient_may_diverge():
    data = csv_of([(-1, "n"), (1, "y")])
    claim = {
        **DIVERGING, "independent": [0], "rows": [], "multipliers": [], "free": [], "lines": [],
        "directions": [],
    }  # fmt: skip
    with pytest.raises(Refuted, match="it is open whether 'x1' diverges"):
        said(data, proof_of(data, [claim], intercept=False))
    found = said(data, proof_of(data, [{**claim, "lines": [[0, 1]]}], intercept=False))
    assert "penalty: 'x1' (direction not shown)." in found


def test_a_direction_shown_of_one_coefficient_says_nothing_of_another():
    text = said(EITHER, proof_of(EITHER, [ONE_WAY]))
    assert "'x1' (upwards), 'x2' (direction not shown)" in text
    (told,) = ONE_WAY["directions"]
    claim = {**ONE_WAY, "directions": [{**told, "index": 2}]}
    with pytest.raises(Refuted, match="do not bound"):
        said(EITHER, proof_of(EITHER, [claim]))
