"""The real tables, against verdicts proven elsewhere."""

import numpy as np
import pytest

from separatrix.separation.decide import separability
from tests.shared_data import manifest, needs_shared
from tests.tables_of_manifest import public_table

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
