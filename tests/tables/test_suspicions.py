"""Columns that are read and yet look wrong."""

import warnings

import numpy as np
import pytest

from separatrix.data import typed
from separatrix.tables import read_table
from separatrix.tables.columns import CategoryColumn, NumberColumn
from separatrix.tables.labels import LabelColumn
from separatrix.tables.suspicions import decides
from tests.shared_data import DATA, manifest, needs_shared


def suspected(path, **options):
    """The warnings of a table that is read all the same, each also a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path, "label", **options)
    said = [typed(w.message) for w in caught]
    assert set(said) <= set(table.notes)
    return said


def test_levels_that_differ_in_case_are_suspected(write):
    path = write("f,g,label\nyes,a,no\nYes,b,yes\nY ,c,no\nNO,a,yes\nY,b,no\nno,c,yes\n")
    (said,) = suspected(path)
    assert "'f' has levels that differ in case only" in said
    assert "'NO' and 'no'" in said
    assert "'Yes' and 'yes'" in said
    assert "or use --fold-case" in said
    assert suspected(path, drop=["f"]) == []


def column_of(write, name, values):
    rows = "".join(f"{v},{k % 7 / 7!r},{'yes' if k % 3 else 'no'}\n" for k, v in enumerate(values))
    return write(f"{name},x,label\n{rows}")


@pytest.mark.parametrize(("name", "values", "why"), [
    ("a", ["01234", "99999", "10115"], "5 digits, and some begin with 0"),
    ("zip", [10115 + 37 * k % 8000 for k in range(12)], "its name, and all values have 5"),
    ("PLZ", [1011, 1230, 1011], "4 digits"),
    ("homePhone", [4930123456, 493012345678, 4930123456], "7 digits or more"),
    ("patient_id", range(7, 47), "no value twice"),
    ("customerId", [k * k for k in range(30)], "no value twice"),
    ("a", [10**9 + 7919 * k for k in range(30)], "whole numbers of 10 digits, none twice"),
    ("", range(30), "rows are numbered"),
])  # fmt: skip
def test_codes_read_as_numbers_are_suspected(write, name, values, why):
    path = column_of(write, name, values)
    name = name or "column 1"
    (said,) = suspected(path)
    assert f"Column {name!r} looks like a code" in said
    assert why in said
    assert f"--text {name!r}" in said
    assert suspected(path, drop=[name]) == suspected(path, text=[name])[1:] == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [34, 51, 28]),
        ("grams", [2500 + 13 * k for k in range(40)]),  # no value twice, and no name of a code
        ("zip", [1.5, 2.5, 3.5]),
        ("id", [1, 2, 3, 4]),  # few rows
        ("id", [1, 2] * 20),  # values that recur
        ("width", range(30)),
        ("idle", [k * k for k in range(30)]),
        ("month", ["01", "02", "12"]),
        ("phone", [0, 1, 1]),
        ("debt", [-123456789012 - k for k in range(30)]),
        ("zipped", [12345, 12346, 12347]),
    ],
)
def test_numbers_that_are_amounts_are_not_suspected(write, name, values):
    assert suspected(column_of(write, name, values)) == []


@needs_shared
def test_no_public_table_has_suspicious_columns_but_post_codes():
    for entry in manifest():
        if entry["file"].endswith(".csv"):
            said = suspected(DATA / entry["file"])
            assert len(said) == (entry["name"] == "crx_raw"), said  # A14


def test_free_text_is_suspected(write):
    values = [f"comment {k if k < 314 else 7 * k % 314}" for k in range(400)]
    (said,) = suspected(column_of(write, "remark", values))
    assert "'remark' is text with 314 different values in 400 rows" in said
    assert "separable for that reason alone" in said
    assert suspected(column_of(write, "town", [f"t{k % 150}" for k in range(400)])) == []


@pytest.mark.parametrize("seed", range(40))
def test_a_column_decides_where_its_values_or_a_threshold_have_one_label_each(seed):
    random = np.random.default_rng(seed)
    n, n_labels = int(random.integers(4, 12)), int(random.integers(2, 4))
    values = random.integers(0, int(random.integers(2, 12)), n).astype(float)
    codes = random.integers(0, n_labels, n)
    if seed % 4 == 0:  # a threshold, from either side
        codes = (values > np.median(values)).astype(int) ^ (seed // 4 % 2)
    elif seed % 4 == 1:
        codes = values.astype(int) % n_labels
    labels = LabelColumn("label", codes, ("a", "b", "c")[:n_labels], numeric=False)
    of_value = all(len(set(codes[values == v])) == 1 for v in values)
    few = len(set(values)) <= n / 2
    cuts = [{*codes[values <= v]} & {*codes[values > v]} for v in set(values) - {max(values)}]
    by_threshold = len(set(codes)) == 2 and any(not both for both in cuts)
    expected = len(set(codes)) > 1 and (by_threshold or (few and of_value))
    assert decides(NumberColumn("x", values), labels) == expected
    assert decides(typed_levels(values), labels) == (len(set(codes)) > 1 and of_value)


def typed_levels(values):
    levels, codes = np.unique(values, return_inverse=True)
    return CategoryColumn("x", codes, tuple(map(str, levels)))
