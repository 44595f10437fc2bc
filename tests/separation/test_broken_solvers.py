"""Float solvers that are broken on purpose are caught; public tables are decided."""

import sys

import numpy as np
import pytest

from separatrix.separation import constraint_generation as few
from separatrix.separation.constraint_generation import Proposal
from separatrix.separation.decide import separability
from tests.separation import oracle
from tests.separation.checks import check
from tests.separation.draws import rng
from tests.shared_data import manifest, needs_shared, public_table

BROKEN = {
    "wrong sign": lambda _, line, used, nothing: (-line, used, nothing),
    "dropped row": lambda _, line, used, nothing: (line, used[1:], nothing),
    "a float's no": lambda _, line, used, __: (line, used, True),
    "never no": lambda _, line, used, __: (line, used, False),
    "early stop": lambda points, *_: (points[0], np.array([0]), False),
    "another row": lambda points, line, used, nothing: (line, (used + 1) % len(points), nothing),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_float_solver_is_caught(broken, monkeypatch):
    solve = few.least_of
    tables = []
    for seed in range(25):
        r = rng(seed)
        X = r.integers(-3, 4, (12, 2)).astype(float) if seed % 2 else r.standard_normal((60, 3))
        y = np.where(X.sum(axis=1) + (0.0 if seed % 3 else r.standard_normal(len(X))) > 0.3, 1, -1)
        if len(set(y)) == 2:
            tables.append((X, y, separability(X, y).verdict, separability(X, y).margin))

    def spoiled(points, slack, used):
        return BROKEN[broken](points, *solve(points, slack, used))

    monkeypatch.setattr(few, "least_of", spoiled)
    for X, y, verdict, margin in tables:
        found = check(X, y, verdict)
        assert found.margin[0] <= margin[1]
        assert margin[0] <= found.margin[1]


@pytest.mark.parametrize("kind", ["sign", "rows", "nothing"])
def test_a_broken_linear_program_is_caught(kind, monkeypatch):
    exact_part = sys.modules["separatrix.separation.exact_simplex"]
    solve = exact_part.propose

    def spoiled(rows):
        proposal = solve(rows)
        if kind == "sign":
            return Proposal(-proposal.line, proposal.rows)
        if kind == "rows":
            return Proposal(proposal.line, proposal.rows[1:])
        return Proposal(np.zeros(rows.shape[1]), np.zeros(0, dtype=np.int64))

    monkeypatch.setattr(exact_part, "propose", spoiled)
    monkeypatch.setattr(
        sys.modules["separatrix.separation.decide"], "decided_by_few_rows", lambda *_: None
    )
    for seed in range(25):
        X = rng(seed).integers(-2, 3, (9, 2)).astype(float)
        y = np.where(X[:, 0] + 0.5 > 0, 1, -1)
        if seed % 2:
            y[:2] = -y[:2]
        if len(set(y)) == 2:
            check(X, y, oracle.truth(oracle.signed(X, y, True)).verdict)


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch):
    r = rng(8)
    X = r.standard_normal((120_000, 9))  # large enough to be read by several
    s = X @ r.standard_normal(9)
    clean, noisy = np.where(s > 0, 1, -1), np.where(s + r.standard_normal(len(s)) > 0, 1, -1)
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found, other = separability(X, clean), separability(X, noisy)
        answers.append((found.line, found.maximum_margin, found.radius, other.witness.multipliers))
    assert answers[0] == answers[1]
    assert answers[0][3]


KINDS = {"complete": "separable", "quasi-complete": "touching", "overlap": "overlapping"}


def table(name):
    return next(t for t in manifest() if t["name"] == name)


@needs_shared
@pytest.mark.parametrize("name", [t["name"] for t in manifest()])
def test_every_table_has_the_verdict_the_rank_and_the_margin_of_the_manifest(name):
    (X, y, names), about = public_table(name), table(name)
    found = separability(X, y)
    assert X.shape == (about["n"], about["d"])
    assert found.verdict == KINDS[about["separation_type"].split(" ")[0]]
    assert found.separable is about["separable"]
    assert found.rank == about["rank_with_intercept"]
    assert found.verify(X, y)
    if found.separable:
        assert 0 < found.margin[0] <= found.margin[1] <= found.radius
        assert found.margin[0] > 0.5 * found.margin[1]  # a decent line, not just any
    if "margin" in about:  # no larger than that of the best line known
        w = np.array([about["margin"]["unit_w_b"].get(c, 0.0) for c in ["(intercept)", *names]])
        rho = (y * (X @ w[1:] + w[0])).min() / np.linalg.norm(w)
        assert rho <= found.margin[1] * (1 + 1e-9)
    assert not found.verify(X[:, ::-1] * 2.0, y)
    if found.verdict != "overlapping":
        assert not found.verify(X, -y)
    else:
        moved = X.copy()
        moved[found.witness.rows[:1], 0] += 1.0
        assert not found.verify(moved, y)


@needs_shared
def test_diverging_coefficients_by_name():
    for name in ("endometrial", "crx_raw"):
        about = table(name)
        X, y, names = public_table(name)
        keep = [j for j, c in enumerate(names) if c not in about["dropped_dependent_columns"]]
        found = separability(X[:, keep], y)
        named = {names[keep[j - 1]]: a for j, a in found.diverging.items()}
        expected = about["quasi"]["recession_cone_coefficients"]
        assert named == {c: {"+": 1, "-": -1}[s] for c, s in expected.items()}
        assert found.aliased == ()
    assert separability(*public_table("lizards")[:2]).diverging == {}
    assert separability(*public_table("iris_setosa_vs_rest")[:2]).diverging == dict.fromkeys(
        range(5), 0
    )


@needs_shared
def test_endometrial_is_shown_by_its_one_column():
    found = separability(*public_table("endometrial")[:2])
    assert found.weights.tolist() == [0.0, 1.0, 0.0, 0.0]


@needs_shared
def test_xor_needs_all_four_rows():
    found = separability(*public_table("xor")[:2])
    assert found.witness.rows.tolist() == [0, 1, 2, 3]
    assert found.witness.multipliers == (1, 1, 1, 1)
