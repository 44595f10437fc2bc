"""Corrupted proofs and broken searches never show more than the truth."""

import copy
import random
from dataclasses import replace

import numpy as np
import pytest

from separatrix import minimum_errors, verify
from separatrix.exact.integers import column_exponents, integer_rows
from separatrix.zero_one import local_search, proof
from separatrix.zero_one.branch_and_bound import BranchAndBound
from separatrix.zero_one.proof import Unproven
from tests.verify.by_hand import without_zeros
from tests.verify.corruption import change
from tests.zero_one.breaking import drop_rows
from tests.zero_one.tables import noisy


def whole_rows(X, y):
    Z = np.column_stack([np.ones(len(X)), X]) * np.where(y > 0, 1.0, -1.0)[:, None]
    return integer_rows(Z, column_exponents(Z))


def check(rows, weights, proof, claimed):
    """Whether the proof shows mistakes of the claimed weight; anything else is an answer too."""
    try:
        return verify.mistakes_shown(without_zeros(rows), weights, proof, len(rows[0])) >= claimed
    except (verify.Refuted, verify.CannotCheck):
        return False


def test_no_corrupted_proof_shows_more_than_the_truth():
    X, y = noisy(40, 2, 0.15, 5)
    found = minimum_errors(X, y)
    truth, rows = int(found.upper), whole_rows(X, y)
    proof = found.certificate.proof
    assert check(rows, [1] * 40, proof, truth)
    r = random.Random(0)  # no secret
    for _ in range(1000):
        bad = copy.deepcopy(proof)
        change(bad, r)
        for claim in (truth + 1, truth + 2):
            assert not check(rows, [1] * 40, bad, claim)


def turn_rows(monkeypatch):
    def turned(rows, matrix, exponent=None):
        basis = whole(rows, matrix, exponent)
        basis.rows[:, :20] *= -1.0
        return basis

    whole = local_search.in_basis
    monkeypatch.setattr(proof, "in_basis", turned)


def skip_a_face(monkeypatch):
    def next_face(search):
        if search.face < 0:
            search.face = 0
            search.logs.append(np.empty(0, dtype=np.int32))
        return whole(search)

    whole = BranchAndBound._next_face
    monkeypatch.setattr(BranchAndBound, "_next_face", next_face)


@pytest.mark.parametrize("break_it", [turn_rows, skip_a_face, drop_rows])
def test_a_broken_search_is_caught_by_its_certificate(break_it, monkeypatch):
    X, y = noisy(60, 3, 0.2, 4)
    honest = minimum_errors(X, y)
    break_it(monkeypatch)
    false = replace(honest, exact_lower=honest.exact_upper + 2)
    assert not false.certificate.verify(X, y)  # the broken search believes it


def test_a_bound_that_does_not_hold_has_no_certificate():
    X, y = noisy(60, 3, 0.2, 4)
    honest = minimum_errors(X, y)
    with pytest.raises(Unproven):
        _ = replace(honest, exact_lower=honest.exact_upper + 1).certificate


@pytest.mark.parametrize("seed", range(12))
def test_ties_do_not_prove_more_than_holds(seed):
    """The incumbent is not the cutoff here: what ties prune is all that counts."""
    r = np.random.default_rng(seed)
    X, y = r.integers(-1, 2, (24, 2)).astype(float), r.choice([-1, 1], 24)
    honest = minimum_errors(X, y, r.integers(1, 4, 24), None)
    assert honest.proven
    assert honest.enumeration is None
    with pytest.raises(Unproven):
        _ = replace(honest, packing=None, exact_lower=honest.exact_upper + 1).certificate
