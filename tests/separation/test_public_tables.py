"""The real tables, against verdicts proven elsewhere."""

import csv
from functools import cache

import numpy as np
import pytest

from separatrix.separation.decide import separability
from tests.shared_data import DATA, manifest, needs_shared

KINDS = {"complete": "separable", "quasi-complete": "touching", "overlap": "overlapping"}


def table(name):
    return next(t for t in manifest() if t["name"] == name)


@cache
def load(name):
    """X, y and the names of the columns, as the manifest says they were encoded."""
    about = table(name)
    if about["file"].endswith(".dat"):
        numbers = np.loadtxt(DATA / about["file"])
        return numbers[:, :-1], numbers[:, -1], [f"x{j + 1}" for j in range(numbers.shape[1] - 1)]
    with (DATA / about["file"]).open(newline="") as file:
        rows = [r for r in csv.DictReader(file) if not {"?", ""} & set(r.values())]
    columns = {}
    for name_ in (c for c in rows[0] if c != "label"):
        texts = [r[name_] for r in rows]
        if name_ in about["categorical"]:
            for level in sorted(set(texts))[1:]:
                columns[f"{name_}={level}"] = [float(t == level) for t in texts]
        else:
            columns[name_] = [float(t) for t in texts]
    y = np.array([1.0 if r["label"] == "yes" else -1.0 for r in rows])
    return np.array(list(columns.values())).T, y, list(columns)


@needs_shared
@pytest.mark.parametrize("name", [t["name"] for t in manifest()])
def test_verdict_rank_and_proof_of_every_table(name):
    X, y, _ = load(name)
    about = table(name)
    found = separability(X, y)
    assert X.shape == (about["n"], about["d"])
    assert found.verdict == KINDS[about["separation_type"].split(" ")[0]]
    assert found.separable is about["separable"]
    assert found.rank == about["rank_with_intercept"]
    assert found.verify(X, y)
    assert isinstance(found.diverging, dict)
    assert found.verify(X, y)
    if found.separable:
        assert 0 < found.margin[0] <= found.margin[1] <= found.radius
        assert found.margin[0] > 0.5 * found.margin[1]  # a decent line, not just any


@needs_shared
@pytest.mark.parametrize("name", [t["name"] for t in manifest()])
def test_the_other_labels_and_other_rows_are_refuted(name):
    X, y, _ = load(name)
    found = separability(X, y)
    assert not found.verify(X, -y) or found.verdict == "overlapping"
    moved = X.copy()
    moved[found.witness.rows[:1], 0] += 1.0
    if found.verdict == "overlapping":
        assert not found.verify(moved, y)
    assert not found.verify(X[:, ::-1] * 2.0, y)


@needs_shared
def test_diverging_coefficients_by_name():
    for name in ("endometrial", "crx_raw"):
        about = table(name)
        X, y, names = load(name)
        keep = [j for j, c in enumerate(names) if c not in about["dropped_dependent_columns"]]
        found = separability(X[:, keep], y)
        named = {names[keep[j - 1]]: a for j, a in found.diverging.items()}
        expected = about["quasi"]["recession_cone_coefficients"]
        assert named == {c: {"+": 1, "-": -1}[s] for c, s in expected.items()}
        assert found.aliased == ()
    assert separability(*load("lizards")[:2]).diverging == {}
    assert separability(*load("iris_setosa_vs_rest")[:2]).diverging == dict.fromkeys(range(5), 0)


@needs_shared
def test_endometrial_is_shown_by_its_one_column():
    found = separability(*load("endometrial")[:2])
    assert found.weights.tolist() == [0.0, 1.0, 0.0, 0.0]


@needs_shared
def test_xor_needs_all_four_rows():
    found = separability(*load("xor")[:2])
    assert found.witness.rows.tolist() == [0, 1, 2, 3]
    assert found.witness.multipliers == (1, 1, 1, 1)


@needs_shared
@pytest.mark.parametrize("name", [t["name"] for t in manifest() if "margin" in t])
def test_the_margin_bracket_holds_the_best_line_known(name):
    about = table(name)
    X, y, names = load(name)
    found = separability(X, y)
    w = np.array([about["margin"]["unit_w_b"].get(c, 0.0) for c in ["(intercept)", *names]])
    w /= np.linalg.norm(w)
    rho = (y * (X @ w[1:] + w[0])).min()
    assert rho <= found.margin[1] * (1 + 1e-9)
