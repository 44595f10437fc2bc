"""Proofs in the benchmarks are verified."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.answer import Answer, TooSlowError
from benchmarks.data import Table
from benchmarks.judging import judge

from benchmarks import proofs
from separatrix import minimum_errors


def test_proofs_are_measured_and_verified(monkeypatch):
    for name in proofs.PROOFS:
        monkeypatch.setitem(proofs.PROOFS, name, Table(60, 2, noise=0.1))
    found = proofs.sizes(seed=0)
    assert found.keys() == proofs.PROOFS.keys()
    assert all(of["kilobytes"] > 0.1 and of["seconds"] > 0.0 for of in found.values())


def test_a_proof_that_does_not_hold_or_is_of_something_else_fails_its_task(monkeypatch):
    """A bracket that is called proven, but is open, and a verifier that refutes."""
    problem = Table(40, 2, noise=0.2).draw(np.random.default_rng(0))
    closed = minimum_errors(problem.X, problem.y)
    assert proofs.of_fewest_mistakes(closed, problem).kilobytes > 0.1
    below = replace(closed, exact_lower=closed.exact_lower - 1, packing=None)
    with pytest.raises(proofs.UnprovenError, match="another claim"):
        proofs.of_fewest_mistakes(below, problem)
    monkeypatch.setattr(proofs, "CLOSED", ("words that are not there",))
    with pytest.raises(proofs.UnprovenError, match="VERIFIED"):
        proofs.of_fewest_mistakes(closed, problem)
    monkeypatch.setattr(proofs, "LONGEST", 1e-4)
    with pytest.raises(TooSlowError, match="the proof took more"):
        proofs.of_fewest_mistakes(closed, problem)
    slow = Answer(closed.weights, 1.0, prove=lambda: proofs.of_fewest_mistakes(closed, problem))
    found = judge(slow, problem, "perceptron error")
    assert (found.proven, found.proof) == (False, None)
    assert found.text.startswith("a line, unproven: the proof took more")
