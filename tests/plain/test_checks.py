"""Checks of the course answer as plain forms do, and `separatrix.plain` is ordinary Python."""

import ast
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix.plain
from separatrix import error_table, mistake_bound, separability
from separatrix.plain import error_measures, score
from separatrix.plain import pla as bounds
from separatrix.plain import separability as lines
from tests.as_plain import labels, rows
from tests.hostile.profile import examples
from tests.plain.drawn import SEEDS, SMALL, tables


@examples(30)
@given(table=tables(kinds=SMALL))
def test_separability_is_decided_as_by_elimination(table):
    X, y = table
    Z = lines.signed_rows(rows(X), labels(y))
    answer, found = lines.separability(Z), separability(X, y)
    assert found.separable == (answer.line is not None)
    if answer.line is None:
        assert lines.contradict(Z, answer.multipliers)
    else:
        assert min(score.exact_score(answer.line, z) for z in Z) > 0
    if X.shape[1] == 2:
        yes, no = X[y > 0].tolist(), X[y < 0].tolist()
        assert lines.separable_in_the_plane(yes, no) == found.separable


@examples(30)
@given(table=tables(kinds=SMALL), start=st.sampled_from([None, -3.0, 0.5]))
def test_the_mistake_bound_is_the_formula(table, start):
    X, y = table
    line = lines.separability(lines.signed_rows(rows(X), labels(y))).line
    if line is None:
        return
    if start is None:
        assert mistake_bound(X, y, line) == bounds.mistake_bound(rows(X), labels(y), line)
        return
    w_0 = [start] * len(line)
    expected = bounds.mistake_bound_from(rows(X), labels(y), line, w_0)
    assert mistake_bound(X, y, line, w_0) == expected


@examples(40)
@given(table=tables(kinds=SMALL), seed=SEEDS)
def test_the_errors_of_a_line_are_the_definitions(table, seed):
    X, y = table
    w = np.random.default_rng(seed).integers(-3, 4, 1 + X.shape[1]).astype(float)
    plain = {
        name: error_measures.E_in(w.tolist(), rows(X), labels(y), name)
        for name in error_measures.ERROR
    }
    assert error_table(w, X, y) == pytest.approx(plain, rel=1e-12, abs=1e-12)
    assert Fraction(error_table(w, X, y)["zero_one"]) == Fraction(plain["zero_one"])


PAGE = Path(__file__).parents[2] / "docs" / "reference" / "plain.md"
FILES = sorted(Path(separatrix.plain.__file__).parent.glob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_imported_but_the_standard_library_and_plain_files(path):
    for module in imported(path):
        ours = module.startswith("separatrix.plain.")
        assert ours or module.split(".")[0] in sys.stdlib_module_names, module


def test_the_reading_order_names_every_file_once():
    listed = re.findall(r"^    (\w+)  +\S", separatrix.plain.__doc__, re.MULTILINE)
    assert sorted(listed) == [path.stem for path in FILES if path.stem != "__init__"]


def test_a_file_needs_nothing_that_stands_below_it():
    order = re.findall(r"^    (\w+)  +\S", separatrix.plain.__doc__, re.MULTILINE)
    for path in FILES:
        for module in imported(path):
            if module.startswith("separatrix.plain."):
                assert order.index(module.split(".")[-1]) < order.index(path.stem), path.stem


def test_the_handbook_shows_every_file_in_reading_order():
    order = re.findall(r"^    (\w+)  +\S", separatrix.plain.__doc__, re.MULTILINE)
    shown = re.findall(r"/plain/(\w+)\.py$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown == order
