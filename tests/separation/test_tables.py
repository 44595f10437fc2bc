"""`separability` and `minimum_errors` take what `judge` takes: tables and data frames."""

import numpy as np
import pandas as pd
import pytest

from separatrix import InputError, minimum_errors, read_frame, separability
from separatrix.tables.frames import read_classes_of_frame

FRAME = pd.DataFrame(
    {
        "age": [20, 25, 31, 40, 44, 52, 58, 23],
        "sex": list("fmfmfmfm"),
        "pays": ["no", "no", "yes", "no", "yes", "yes", "yes", "no"],
    }
)


def test_a_table_brings_its_labels():
    table = read_frame(FRAME, "pays")
    X = np.column_stack([FRAME.age, FRAME.sex == "m"]).astype(float)
    for found, expected in (
        (separability(table), separability(X, FRAME.pays)),
        (separability(FRAME[["age", "sex"]], FRAME.pays), separability(X, FRAME.pays)),
    ):
        assert found.verdict == expected.verdict
        assert found.weights.tolist() == expected.weights.tolist()
    assert minimum_errors(table).upper == minimum_errors(X, FRAME.pays).upper == 0.0


def test_a_table_brings_its_weights():
    frame = FRAME.assign(w=[1, 2, 3, 0, 1, 1, 1, 1], sex="f", age=[1, 1, 1, 2, 1, 1, 1, 1])
    found = minimum_errors(read_frame(frame, "pays", weight="w"))
    assert (found.lower, found.upper) == (4.0, 4.0)  # no: 1 + 2 + 1, yes: 3 + 1 + 1 + 1


def test_what_cannot_be_used_names_the_way_out():
    table = read_frame(FRAME, "pays")
    for call in (separability, minimum_errors):
        with pytest.raises(InputError, match="brings its own labels"):
            call(table, FRAME.pays)
        with pytest.raises(InputError, match=r"read_frame\(frame, 'pays'\)"):
            call(FRAME, "pays")
        with pytest.raises(InputError, match="labels y are missing"):
            call(FRAME[["age"]])
        with pytest.raises(InputError, match="row 2 of the data frame lacks a value"):
            call(FRAME[["age"]].assign(b=[True, False, None] + [True] * 5), FRAME.pays)
        with pytest.raises(InputError, match=r'judge\(table, multiclass="ova"\)'):
            call(read_classes_of_frame(FRAME.assign(pays=list("abcabcab")), "pays"))
