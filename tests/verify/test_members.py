"""Members of a proof by themselves, and what files do."""

from fractions import Fraction

import pytest

from separatrix import verify
from separatrix.verify import CannotCheck, Refuted, floor_of_root
from tests.verify.by_hand import AND, SEPARABLE, XOR, csv_of, proof_of, run, said


@pytest.mark.parametrize("value", [True, None, [], "", "F", "1/0", "1.5", "f" * 2**16 + "f"])
def test_what_is_no_number_is_not_read_as_one(value):
    assert verify.Part({"q": "f" * 2**16}).number("q") == 16**2**16 - 1
    with pytest.raises(CannotCheck):
        verify.Part({"q": value}).number("q")


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 0, 7, True, "6", None])
def test_other_formats_are_refused_by_name(version):
    why = "the proof's version is not 6"
    if version in (1, 2, 3, 4, 5) and version is not True:
        why = f"of format {version}, which is no longer read. Make it again: separatrix prove TABLE"
    with pytest.raises(verify.Malformed, match=why):
        said(AND, {**proof_of(AND, [SEPARABLE]), "version": version})


@pytest.mark.parametrize(("path", "why"), [(".", "is no file"), ("x" * 5000, "cannot be read")])
def test_what_is_no_file_cannot_be_checked(path, why):
    code, answer = verify.check_files(path, path)
    assert code == verify.CANNOT_CHECK
    assert why in answer


# cyclic PLA on AND from zero: rows 0, 3, 0, 1, ... until a whole pass is clean; see the test below
START = [0, 0, 0]


def test_a_run_of_pla_is_replayed_and_bounded():
    text = said(AND, proof_of(AND, [run()]))
    assert f"PLA from zero made {len(run()['visited'])} updates" in text
    target = {"target": [-3, 2, 2]}  # squared margin 1 / 17, squared radius 3
    text = said(AND, proof_of(AND, [run(**target)]))
    assert "ended without any mistake" in text
    assert "at most 51:" in text
    assert len(run()["visited"]) <= 51


@pytest.mark.parametrize("start", [(5, 1, -3), (-7, 5, 4), (0, 0, 1), (-3, 2, 2)])
def test_the_bound_from_another_start_is_the_formula_of_the_specification(start):
    w, R2, rho2 = [-3, 2, 2], 3, Fraction(1, 17)
    along = sum(a * b for a, b in zip(w, start, strict=True))
    a2, rho_a = Fraction(along**2, 17), Fraction(along, 17)
    p = R2 - 2 * rho_a
    root = float(p * p + 4 * rho2 * (sum(v * v for v in start) - a2)) ** 0.5
    written = (float(p) + root) / float(2 * rho2)
    text = said(AND, proof_of(AND, [run(start, target=w)]))
    if len(run(start)["visited"]):
        assert "from the start of claim 1" in text
    assert f"at most {int(written + 1e-9):,}:" in text
    assert len(run(start)["visited"]) <= written + 1e-9


def test_floors_of_roots_are_exact_on_both_sides_of_a_whole_number():
    third = Fraction(1, 3)
    assert floor_of_root(Fraction(1), Fraction(4), Fraction(1)) == 3
    assert floor_of_root(Fraction(1), 4 - Fraction(1, 10**40), Fraction(1)) == 2
    assert floor_of_root(Fraction(1), 4 + Fraction(1, 10**40), Fraction(1)) == 3
    assert floor_of_root(third, third * third, third) == 2
    assert floor_of_root(Fraction(-3), Fraction(2), Fraction(5)) == -1


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"visited": [0, 0]}, Refuted, "update 2 of PLA was made on a row that was no mistake"),
        ({"visited": [4]}, CannotCheck, "lacks"),
        ({"visited": [True]}, CannotCheck, "'visited'"),
        ({"visited": [0.5]}, CannotCheck, "'visited'"),
        ({"start": [0, 0]}, CannotCheck, "2 numbers where 3"),
        ({"target": [-2, 1, 1]}, Refuted, "does not separate"),
        ({"columns": []}, CannotCheck, "'columns'"),
        ({"columns": [{"exponent": 0, "mean": 0, "spread": 0}] * 2}, CannotCheck, "standardised"),
        ({"columns": [{"exponent": -9999, "mean": 0, "spread": 1}] * 2}, CannotCheck, "standard"),
        ({"columns": [{"exponent": 0, "mean": 0, "spread": 5e-324}] * 2}, CannotCheck, "standard"),
        ({"columns": [{"exponent": 0, "mean": 0, "spread": 1}]}, CannotCheck, "every feature"),
        ({"start": ["1" + "0" * 300, 0, 0]}, CannotCheck, "range of doubles"),
    ],
)
def test_a_run_that_was_none_is_not_accepted(change, error, reason):
    with pytest.raises(error, match=reason):
        said(AND, proof_of(AND, [{**run(), **change}]))


def test_a_run_that_ends_with_a_weight_of_zero_has_ended():
    data = csv_of([(-1, "n"), (1, "y")])  # (-1, 1), then (0, 2)
    text = said(data, proof_of(data, [{"kind": "PLA", "start": [0, 0], "visited": [0, 1]}]))
    assert "2 updates, each on a row that was a mistake then, and ended without any" in text


def test_a_run_cut_short_bounds_every_margin():
    visited = [0, 1, 2, 3]
    text = said(XOR, proof_of(XOR, [{"kind": "PLA", "start": START, "visited": visited[:2]}]))
    # z_0 = -(1, 0, 0), then z_1 = (1, 0, 1): half of their sum (0, 0, 1) has length 1 / 2
    assert "2 updates" in text
    assert "cut short with" in text
    assert "squared margin above about 0.25" in text
    none = said(XOR, proof_of(XOR, [{"kind": "PLA", "start": START, "visited": []}]))
    assert "made 0 updates" in none
    assert "cut short with 4 mistakes left." in none


def test_multipliers_alone_bound_every_margin_and_standardised_columns_are_made_again():
    claim = {"kind": "margin at most", "rows": [1, 2, 3], "multipliers": ["1", "1", "2"]}
    assert "squared margin above about 0.125" in said(AND, proof_of(AND, [claim]))
    columns = [{"exponent": 1, "mean": 0.25, "spread": 0.25}] * 2  # 0, 1 become -1, 1
    text = said(AND, proof_of(AND, [{**claim, "columns": columns}]))
    # -(1,-1,1) - (1,1,-1) + 2 (1,1,1) = (0, 2, 2): 8 / 16
    assert "squared margin above about 0.5" in text
    assert "standardised by the means and spreads of claim 1" in text


@pytest.mark.parametrize("start", [["1/3", 0, 0], ["20000000000001", 0, 0]])
def test_a_start_that_is_not_in_doubles_is_not_rounded(start):
    with pytest.raises(CannotCheck, match="not in doubles"):
        said(XOR, proof_of(XOR, [{"kind": "PLA", "start": start, "visited": []}]))
