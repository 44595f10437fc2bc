"""Results in a terminal are a few lines, in a notebook a small table; rows become data frames."""

import importlib
import sys

import numpy as np
import pandas as pd
import pytest

import separatrix as sx
from separatrix.notebook import Summarised, Summary
from separatrix.tables.frames import read_classes_of_frame, table_of
from tests.report.pages import HOSTILE, Read, credit, flowers, hostile

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def some():
    learner = sx.Perceptron().fit(X, AND)
    proof = sx.separability(X, AND)
    bracket = sx.minimum_errors(X, XOR)
    rough = np.random.default_rng(3).normal(size=(60, 9)) * 1e-3
    margin = sx.separability(rough, rough[:, 0] > 0)
    return [
        proof, sx.separability(X, XOR), bracket, bracket.certificate, learner.trace_,
        proof.maximum_margin, proof.margin_proof, margin, margin.maximum_margin,
        sx.minimum_errors(rough, np.arange(60) % 2, max_nodes=5),
    ]  # fmt: skip


@pytest.mark.parametrize("k", range(10))
def test_a_result_is_at_most_five_short_lines_without_fractions(k, some):
    found = some[k]
    lines = repr(found).split("\n")
    assert 1 <= len(lines) <= 5
    assert max(map(len, lines)) <= 120
    assert "Fraction" not in repr(found)
    assert "array(" not in repr(found)
    assert type(found).__name__ in lines[0]
    (table,) = Read.of(found._repr_html_()).tables[""]
    assert len(table) >= len(lines) - 1


def test_what_is_said_is_what_was_found():
    assert "linearly separable, proven" in repr(sx.separability(X, AND))
    text = repr(sx.separability(X, XOR))
    assert "not separable, proven" in text
    assert "0, 1, 2, 3" in text
    assert "no line makes fewer than 1 mistake, proven" in repr(sx.minimum_errors(X, XOR))
    rows = [[0.0], [0.0], [1.0], [1.0]]
    assert "given" in repr(table_of(X, AND, [1, 2, 1, 1])[0])  # weights without a column
    assert "infinite coefficients" in repr(sx.separability([[0.0], [1.0], [2.0]], [0, 0, 1]))
    assert "no line makes fewer than 2 mistakes" in repr(sx.minimum_errors(rows, [0, 1, 0, 1]))


def test_what_a_user_wrote_is_text():
    class Told(Summarised):
        def _summary(self):
            return Summary(HOSTILE[0], [(HOSTILE[1], HOSTILE[2])])

    page = Told()._repr_html_()
    assert set(Read.of(page).tags) == {"div", "strong", "table", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize("make", [credit, hostile, flowers])
def test_a_verdict_shows_the_first_screen_of_its_report(make, folder):
    verdict = make(folder)
    page = verdict._repr_html_()
    read = Read.of(page)
    assert len(page) < 20_000
    assert not {"script", "img", "iframe", "link", "form"} & set(read.tags)
    assert not [key for key, _ in read.attributes if key.startswith("on") or key == "src"]
    assert f"{100 * verdict.winner.cv_error:.1f} %" in " ".join(read.text)
    for line in read.whole["style"][0].split("}"):
        assert not line.strip() or line.strip().startswith((".separatrix-verdict", "@media"))


def test_rows_become_data_frames(folder):
    learner = sx.Perceptron().fit(X, AND)
    assert learner.trace_.to_frame()["row"].tolist() == learner.trace_.rows.tolist()
    proof = sx.separability(X, XOR)
    frame = proof.to_frame()
    assert frame["row"].tolist() == list(proof.refusal.rows)
    assert frame["multiplier"].tolist() == list(proof.refusal.multipliers)
    assert len(sx.separability(X, AND).to_frame()) == 0
    verdict = credit(folder)
    frame = verdict.to_frame()
    assert frame["name"].tolist() == [r.name for r in verdict.results]
    assert frame.loc[frame["selected"], "name"].tolist() == [verdict.winner.name]
    found = sx.experiment("bound", margins=(0.5, 0.1), repeats=2)
    assert found.to_frame().shape == (len(found.rows), len(found.columns))
    card = sx.scorecard(verdict.model, verdict.table)
    assert card.to_frame()["points"].tolist() == [entry.points for entry in card.entries]


def test_without_pandas_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sx.InputError, match="pip install pandas"):
        sx.separability(X, XOR).to_frame()
    assert importlib.import_module("separatrix.notebook")


def test_tables_and_results_are_a_few_lines():
    names = [f"column {k}" for k in range(30)]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 30)), columns=names)
    frame["kind"] = np.repeat(["a", "b", "c"], 30)
    classes = read_classes_of_frame(frame, "kind")
    table = sx.read_frame(frame.iloc[:60], "kind")
    verdict = sx.judge(table, fewest_nodes=0)
    several = sx.judge(classes, multiclass="ova", fewest_nodes=0)
    for shown in (table, classes, *verdict.results, verdict.selection, verdict.question,
                  *several.results, several.selection):  # fmt: skip
        lines = repr(shown).splitlines()
        assert len(lines) <= 5
        assert max(map(len, lines)) <= 200
        assert "array(" not in repr(shown)
    assert len(repr(verdict.results)) <= 5 * 80
    assert "60 rows" in repr(table)
    assert "'column 0', 'column 1', 'column 2' and 27 more" in repr(table)
    assert "<table>" in table._repr_html_()
    assert f"<pocket: {verdict.result('pocket').n_errors} mistake" in repr(verdict.results)
    assert repr(verdict.selection).startswith(f"<Selection: {verdict.winner.name} (")
