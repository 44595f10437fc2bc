"""Corrupted claims on likelihood intervals, of which none may verify what is false."""

from __future__ import annotations

import random

from tests.hostile.profile import cases
from tests.proving.interval_claims import spoilt, tables


def test_corrupted_claims_on_intervals_verify_nothing_false():
    draw, made = random.Random(20261122), tables()
    answers = {"same": 0, "another truth": 0, "not verified": 0}
    for case in made:
        assert case.answer(case.claim) is not None
        case.must_be_true(case.claim)
    for k in range(cases(2_000, 100_000)):
        case = made[k % len(made)]
        claim = spoilt(case.claim, draw)
        if claim is None or case.answer(claim) is None:
            answers["not verified"] += 1
            continue
        same = claim["ends"] == case.claim["ends"] and claim["infinite"] == case.claim["infinite"]
        answers["same" if same else "another truth"] += 1
        case.must_be_true(claim)
    assert min(answers.values()) > 0
