"""Proofs of the fewest mistakes, of real tables and of small ones."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix import judge, read_table, verify
from separatrix.plain.fewest_mistakes import fewest_mistakes
from separatrix.proving import asking
from separatrix.proving.asking import prove_verdict
from separatrix.proving.files import write
from separatrix.zero_one import strategy
from separatrix.zero_one.limits import NO_LIMITS
from separatrix.zero_one.problem import Costs
from separatrix.zero_one.proof import Unproven
from tests.proving.checking import checked
from tests.proving.fewest_mistakes import claim_in, csv_of, proof_of
from tests.shared_data import DATA, manifest, needs_shared
from tests.verify.by_hand import without_zeros
from tests.zero_one.breaking import drop_rows, stop_early
from tests.zero_one.tables import beside_a_plane, noisy, sizes_far_apart
from tests.zero_one.test_enumeration import ONE_FRACTION


@pytest.mark.parametrize("rows", [beside_a_plane, sizes_far_apart])
def test_rows_that_only_exact_fractions_separate(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(strategy, "better_lines", None)  # what searches begin with
    path = csv_of(tmp_path / "t.csv", *rows())
    proof = proof_of(path)
    assert any("makes no mistake on the" in statement for statement in proof.statements)
    assert isinstance(claim_in(proof)["weights"][1], str)
    write(proof, tmp_path / "p.json")
    assert "makes no mistake on the" in checked(tmp_path / "p.json", path)


PUBLISHED = {
    "voicepath": 19, "haberman": 66, "caesarian": 18, "cryotherapy": 4, "acute_inflammation": 0,
    "acute_nephritis": 0, "transfusion": 151,
}  # fmt: skip

# the manifest states upper bounds of some; what is proven here is at most that
PROVEN = {
    "titanic_survival": 200, "lizards": 133, "ntu_hw1_18_test": 49, "ntu_hw1_18_train": 46,
}  # fmt: skip


@needs_shared
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables_have_proofs_that_a_stranger_checks(name, tmp_path):
    path = DATA / "published_01" / f"{name}.csv"
    proof = proof_of(path, yes="yes")
    write(proof, tmp_path / "p.json")
    n = read_table(path, label="label").y.size
    assert told(proof, PUBLISHED[name], n) in checked(tmp_path / "p.json", path)


def line_in(proof) -> str:
    kinds = [claim["kind"] for claim in json.loads(proof.text)["claims"]]
    return f"the line of claim {1 + kinds.index('fewest mistakes')}"


def told(proof, fewest, n):
    line = line_in(proof)
    if fewest == 0:
        return f"{line.capitalize()} makes no mistake on the {n:,} rows"
    many = f"{fewest} mistake{'s' if fewest > 1 else ''} on the {n:,} rows"
    return f"at least {many}, and {line} makes {fewest}: no line has less"


def stated(entry):
    if entry["name"] in PROVEN:
        return PROVEN[entry["name"]]
    proved = entry.get("min_errors_proved") or "proved" in str(entry.get("min_errors"))
    return entry["best_known_errors"] if proved else None


@needs_shared
@pytest.mark.parametrize(
    "entry",
    [e for e in manifest() if stated(e) is not None and e["n"] * e["d"] < 15_000],
    ids=lambda e: e["name"],
)
def test_public_tables_have_proofs_that_a_stranger_checks(entry, tmp_path):
    path = DATA / entry["file"]
    lecture = path.suffix == ".dat"
    options = {"label": "last", "yes": "1", "header": False} if lecture else {"yes": "yes"}
    proof = proof_of(path, **options)
    write(proof, tmp_path / "p.json")
    assert stated(entry) <= entry["best_known_errors"]
    assert told(proof, stated(entry), entry["n"]) in checked(tmp_path / "p.json", path)


def test_a_verdict_is_proven_with_the_bracket_it_has(tmp_path):
    path = csv_of(tmp_path / "t.csv", *noisy(150, 7, 0.25, 1))
    verdict = judge(read_table(path, label="label"), fewest_nodes=2000)
    found = verdict.fewest_mistakes
    assert not found.proven
    write(prove_verdict(verdict, path.read_bytes()), tmp_path / "p.json")
    text = checked(tmp_path / "p.json", path)
    assert f"Every line makes at least {found.lower:.0f} mistakes on the 150 rows" in text
    assert f"makes {found.upper:.0f}: the least of all lines is open" in text


def test_weights_and_costs_are_counted_exactly(tmp_path):
    X, y = noisy(40, 2, 0.2, 3)
    w = np.random.default_rng(0).integers(1, 40, 40) / 10  # tenths are no doubles
    path = csv_of(tmp_path / "t.csv", X, y, w)
    proof = proof_of(path, NO_LIMITS, Costs(3.0, 0.7), weight="w0")
    text = "\n".join(proof.statements)
    rows = [[int(s) * Fraction(v) for v in (1, *x)] for x, s in zip(X, y, strict=True)]
    cost = [Fraction(float(a * (0.7 if s > 0 else 3.0))) for a, s in zip(w, y, strict=True)]
    best = verify.short(fewest_mistakes(rows, cost))
    assert f"weigh at least {best}, and those of {line_in(proof)} {best}" in text
    assert "a wrong yes counts 3-fold, a wrong no about 0.700000-fold" in text


@pytest.mark.parametrize(
    "rows",
    [
        zip(*ONE_FRACTION, strict=True),
        [([1e-5 * a], a % 2) for a in range(5)] + [([2.8e-160], 1), ([1.07e301], 0), ([5e-324], 0)],
    ],
)
def test_small_tables_of_any_numbers_have_proofs(rows, tmp_path):
    X, y = zip(*rows, strict=True)
    X, w = np.array(X), 10.0 ** np.random.default_rng(0).uniform(-12, 12, len(y))
    path = csv_of(tmp_path / "t.csv", X, 2 * np.array(y) - 1, w)
    write(proof_of(path, weight="w0"), tmp_path / "p.json")
    assert "no line has less" in checked(tmp_path / "p.json", path)


@pytest.mark.parametrize(
    ("bound", "cores", "holds"),
    [
        (1, [0, [], [[1, 0, 2, 1, 1, 2, 1]]], True),
        (1, [0, [], [1, [], [2, [], [[3, 0, 2, 1, 1, 2, 1]]]]], True),  # 3 times, by no line
        (1, [0, [], []], False),
        (2, [0, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
        (2, [0, [0, [], []], [[1, 0, 2, 1, 1, 2, 1]]], False),  # wrong twice over
        (2, [0, [[1, 0, 2, 1, 1, 2, 1]], [[1, 0, 2, 1, 1, 2, 1]]], False),  # wrong, and pays again
        (2, [0, [], [[2, 0, 2, 1, 1, 2, 1]]], False),  # rows 1 and 2 pay twice
        (1, [-1, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
        (1, [3, [], [[1, 0, 2, 1, 1, 2, 1]]], False),
    ],
)
def test_cases_count_a_row_once_and_let_others_pay_once(bound, cores, holds):
    rows = [[1, 0], [-1, 1], [-1, -1]]  # twice the first and the others cancel: 1 mistake
    proof = [[0, 1], [], [[bound, 1, cores]]]
    if holds:
        assert verify.mistakes_shown(without_zeros(rows), [1, 1, 1], proof, 2) == 1
    else:
        with pytest.raises(verify.Refuted):
            verify.mistakes_shown(without_zeros(rows), [1, 1, 1], proof, 2)


def bound_too_high(monkeypatch):
    whole = asking.fewest_mistakes

    def more(*arguments, **named):
        found = whole(*arguments, **named)
        return replace(found, exact_lower=found.exact_lower + 1)

    monkeypatch.setattr(asking, "fewest_mistakes", more)


def wrong_sign(monkeypatch):
    """The line of the claim is turned round: its mistakes are counted, not believed."""
    whole = asking.fewest_mistakes

    def turned(*arguments, **named):
        found = whole(*arguments, **named)
        return replace(found, weights=-found.weights)

    monkeypatch.setattr(asking, "fewest_mistakes", turned)


@pytest.mark.parametrize("break_it", [stop_early, drop_rows, bound_too_high, wrong_sign])
def test_a_broken_solver_is_caught_before_a_claim_is_printed(break_it, tmp_path, monkeypatch):
    X, y = noisy(60, 3, 0.2, 4)
    path = csv_of(tmp_path / "t.csv", X, y)
    honest = "\n".join(proof_of(path).statements)
    assert "no line has less" in honest
    break_it(monkeypatch)
    try:
        said = "\n".join(proof_of(path).statements)
    except (Unproven, verify.Refuted, verify.CannotCheck):
        return
    assert "no line has less" not in said
