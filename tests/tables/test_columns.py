"""From columns to numbers: encodings that are fitted, taken and applied."""

import numpy as np
import pytest

from separatrix.data import InputError
from separatrix.tables import (
    CategoryColumn,
    CategoryEncoding,
    NumberColumn,
    NumberEncoding,
    fit_encoding,
    take,
)

COLUMNS = (
    NumberColumn("a", np.array([1.0, np.nan, 3.0, 10.0])),
    CategoryColumn("c", np.array([2, 0, -1, 2], dtype=np.int32), ("u", "v", "w")),
)


def test_take_keeps_the_levels_that_occur():
    number, category = take(COLUMNS, np.array([3, 2, 0]))
    assert number.values.tolist() == [10, 3, 1]
    assert category.codes.tolist() == [0, -1, 0]
    assert category.codes.dtype == np.int32
    assert category.levels == ("w",)


def test_fit_encoding():
    filled = fit_encoding(COLUMNS, "fill")
    assert filled.columns == (NumberEncoding("a", 3.0), CategoryEncoding("c", ("w", "u"), "w"))
    assert filled.feature_names == ("a", "c=u")
    assert fit_encoding(COLUMNS, "drop").columns[0].fill is None
    with pytest.raises(InputError, match="missing must be drop or fill"):
        fit_encoding(COLUMNS, "guess")


def test_the_baseline_is_the_commonest_level_and_the_first_on_a_tie():
    def levels(codes):
        column = CategoryColumn("c", np.array(codes, dtype=np.int32), ("u", "v", "w", "x"))
        return fit_encoding((column,), "drop").columns[0].levels

    assert levels([0, 2, 2, 3, 1]) == ("w", "u", "v", "x")
    assert levels([3, 1, 3, 1, 0]) == ("v", "u", "x")
    assert levels([0, 1, 3]) == ("u", "v", "x")


def test_encode_fills_and_refuses():
    lines = np.array([2, 3, 4, 5])
    filled = fit_encoding(COLUMNS, "fill").encode(COLUMNS, lines)
    assert filled.tolist() == [[1, 0], [3, 1], [3, 0], [10, 0]]
    strict = fit_encoding(COLUMNS, "drop")
    with pytest.raises(InputError, match=r"line 3, column 'a': the value is missing.*missing"):
        strict.encode(COLUMNS, lines)
    rows = np.array([0, 3])
    fold = fit_encoding(take(COLUMNS, rows), "drop")
    unseen = take(COLUMNS, np.array([0, 1]))
    unseen = (NumberColumn("a", np.array([1.0, 2.0])), unseen[1])
    with pytest.raises(InputError, match=r"row 9, column 'c': 'u' is not among .*'w'"):
        fold.encode(unseen, np.array([8, 9]), "row")
    assert fold.encode(unseen, lenient=True).tolist() == [[1.0], [2.0]]
    with pytest.raises(InputError, match="must be 'a', 'c', in this order"):
        fold.encode(unseen[::-1], np.array([8, 9]))
    with pytest.raises(InputError, match="'a' holds categories here"):
        fold.encode((CategoryColumn("a", unseen[1].codes, ("u", "w")), unseen[1]), lines[:2])


def test_a_fold_without_any_value_still_encodes():
    empty = (
        NumberColumn("a", np.array([np.nan])),
        CategoryColumn("c", np.array([-1], dtype=np.int32), ()),
    )
    encoding = fit_encoding(empty, "fill")
    assert encoding.feature_names == ("a",)
    assert encoding.encode(COLUMNS, lenient=True)[:, 0].tolist() == [1, 0, 3, 10]
