"""Bounds on E_out in the verdict: their values, what they take for granted, when there are none."""

import dataclasses
import json

import numpy as np
import pytest

from separatrix import Perceptron, judge, make_separable, read_table, to_json, to_text
from separatrix.theory import compression_bound, vc_bound
from separatrix.verdict.bounds import COLUMN_BITS, bounds_of
from separatrix.verdict.columns import standardisation


@pytest.fixture(scope="module")
def separable():
    made = make_separable(400, 2, margin=0.1)
    X, y = made.X, made.y
    return X, y, judge(X, y)


def test_the_vc_bound_is_that_of_the_winner(separable):
    X, _, verdict = separable
    bound = verdict.bounds[0]
    assert bound.about == verdict.winner.name
    assert bound.value == verdict.winner.e_in + vc_bound(*X.shape)
    assert bound.vacuous == (bound.value >= 1.0)


def test_pla_made_again_from_what_the_compression_bound_counts(separable):
    X, y, verdict = separable
    pla, bound = verdict.result("PLA"), verdict.bounds[1]
    support = pla.learner.counts_ > 0
    scaling = standardisation(X, None)
    again = Perceptron(max_iter=None).fit(scaling.apply(X)[support], y[support])
    line = scaling.undo(np.concatenate((again.intercept_, again.coef_[0])))
    assert line.tobytes() == pla.weights.tobytes()
    k = int(support.sum())
    assert bound.value == compression_bound(400, k, 0, bits=COLUMN_BITS * 2)
    assert (bound.about, verdict.bounds[2].value) == ("PLA", k / 400)


def test_no_bound_of_pla_without_a_clean_pass(separable):
    X = np.arange(8.0)[:, None]
    assert [b.name for b in judge(X, [0, 1] * 4).bounds] == ["VC bound"]
    verdict = separable[-1]  # cut short, though no row is wrong
    cut = [
        dataclasses.replace(r, stopped="limit") if r.name == "PLA" else r for r in verdict.results
    ]
    found = bounds_of(verdict.table, 2, cut, verdict.winner)
    assert [b.name for b in found] == ["VC bound"]


def test_vacuous_bounds_are_called_so_and_json_has_all(separable):
    verdict = separable[2]
    few = judge([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert "no information (> 100 %)" in to_text(few)
    assert few.bounds[0].vacuous
    shown = json.loads(to_json(verdict))["bounds"]
    assert shown == [dataclasses.asdict(bound) for bound in verdict.bounds]
    assert all(bound.assumptions in to_text(verdict).replace("\n", " ") for bound in verdict.bounds)


@pytest.mark.parametrize("option", ["weight", "group"])
def test_rows_that_are_no_independent_draws_have_no_bound(tmp_path, option):
    rows = "\n".join(f"{k},{'yes' if k > 9 else 'no'},{1 + k % 5}" for k in range(20))
    (tmp_path / "t.csv").write_text(f"x,label,extra\n{rows}\n")
    verdict = judge(read_table(str(tmp_path / "t.csv"), label="label", **{option: "extra"}))
    assert verdict.bounds == ()
    assert f"No bound holds: {verdict.unbounded}." in to_text(verdict)
