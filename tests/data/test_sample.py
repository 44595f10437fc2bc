"""What arrays and labels get at the door, through a real learner: values, shapes, layouts.

Two labels of any kind and no others; what is masked is missing.
"""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

import separatrix as sx
from separatrix.data import as_rows, read_arrays, read_labels, read_sample, read_weight, to_points
from separatrix.data.points import FLOATS, SMALL

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [3.0, 3.0]])
Y = np.array([0, 0, 0, 1])
TEXT = {"a": [1.0, 2, 3, 4], "sex": list("mfmf")}


def refused(X, y, *words, learner=None):
    model = sx.Perceptron() if learner is None else learner
    with pytest.raises(sx.InputError) as caught:
        model.fit(X, y)
    for word in words:
        assert word in str(caught.value)
    assert not hasattr(model, "coef_")


def same_line(X_other, y=Y):
    """The learner sees the same numbers in X_other as in X."""
    expected = sx.Perceptron().fit(X, Y)
    got = sx.Perceptron().fit(X_other, y)
    assert got.coef_.tobytes() == expected.coef_.tobytes()
    assert got.intercept_.tobytes() == expected.intercept_.tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nonfinite_values_are_placed_and_counted(value):
    bad = X.copy()
    bad[2, 1] = bad[3, 0] = value
    refused(bad, Y, "row 2, column 1", "2 such values", "Drop", "fill")
    refused(pd.DataFrame(bad, columns=["age", "pay"]), Y, "row 2, column 'pay'")
    refused(sp.csr_matrix(bad), Y, "row 2, column 1")


def test_the_same_row_with_both_labels_is_legal():
    with pytest.warns(sx.SeparatrixWarning, match="not done"):
        model = sx.Perceptron(max_iter=10).fit([[1.0], [1.0], [2.0]], [0, 1, 1])
    assert model.n_iter_ == 10


@pytest.mark.parametrize(
    ("bad", "y", "words"),
    [
        (np.empty((0, 2)), [], ["0 sample"]),
        (np.empty((4, 0)), Y, ["0 feature"]),
        ([[1.0, 2.0]], [1], ["one class"]),
        ([["1", "2"]] * 4, Y, ["holds text"]),
        ([[0, 0], [1, "a"], [2, 2], [3, 3]], Y, ["column 1 holds text ('a' in row 1)"]),
        (X + 0j, Y, ["Complex data not supported"]),
        (X.astype("datetime64[s]"), Y, ["dates"]),
        (pd.DataFrame({"when": pd.date_range("2026-01-01", periods=4)}), Y, ["'when'", "dates"]),
        (pd.DataFrame(TEXT), Y, ["'sex'", "read_table"]),
        (pl.DataFrame(TEXT), Y, ["'sex'"]),
        (np.float64(3), Y, ["shape ()", "2-d"]),
        (np.arange(4.0), Y, ["shape (4,)", "2-d"]),
        (np.zeros((2, 2, 2)), Y, ["shape (2, 2, 2)", "2-d"]),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(bad, y, words):
    refused(bad, y, *words)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1e200])
def test_huge_and_tiny_values_are_answered_by_exact_signs(size):
    model = sx.LinearRegressionClassifier().fit(X * size, Y)
    assert model.predict(X * size).tolist() == [0, 0, 0, 1]
    assert np.isfinite(model.coef_).all()


def test_pla_walks_the_same_rows_when_products_overflow():
    moved = np.add(X[1:], [1, 0])
    plain = sx.Perceptron(fit_intercept=False, max_iter=50).fit(moved, [0, 1, 1])
    scaled = sx.Perceptron(fit_intercept=False, max_iter=50).fit(np.ldexp(moved, 990), [0, 1, 1])
    assert scaled.trace_.rows.tolist() == plain.trace_.rows.tolist()
    assert np.array_equal(scaled.coef_, np.ldexp(plain.coef_, 990))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int64, np.float16, ">f8", ">f4", np.float32, object]
)
def test_numbers_of_any_width_give_the_same_line(dtype):
    same_line(X.astype(dtype))
    assert np.array_equal(to_points((X * 40).astype(dtype)), X * 40)


def test_integers_that_change_are_named():
    ids = np.array([[2**53 + 1], [5], [7], [9]])
    with pytest.warns(sx.SeparatrixWarning, match=r"column 0 .*row 0: 9007199254740993"):
        to_points(ids)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_points(np.array([[2**60], [5]]))  # a power of two does not change


def test_decimals_are_the_doubles_that_they_are():
    X = [[0.1 + 0.2], [0.3]]  # one ulp apart, and so separable
    proof = sx.separability(X, ["yes", "no"])
    assert proof.verdict == "separable"
    assert (
        sx.Perceptron(max_iter=None, max_updates=1, init=proof.weights)
        .fit(X, ["yes", "no"])
        .n_updates_
        == 0
    )


def test_nullable_frames_are_read_and_their_gaps_refused():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    same_line(frame.astype("Float64"))
    same_line(frame.astype("Int64"))
    same_line(pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}))
    with_hole = frame.astype("Int64")
    with_hole.iloc[1, 1] = pd.NA
    refused(with_hole, Y, "row 1, column 'b'")
    refused(pl.DataFrame({"a": [0, 0, 1, 3], "b": [0, None, 0, 3]}), Y, "row 1, column 'b'")
    names = sx.Perceptron().fit(frame, Y).feature_names_in_
    assert names.tolist() == ["a", "b"]


def test_long_doubles_warn():
    if np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("long double is double on this machine")
    with pytest.warns(sx.SeparatrixWarning, match="rounded to float64"):
        to_points(X.astype(np.longdouble))


def test_layouts_are_read_and_never_written(tmp_path):
    frozen = X.copy()
    frozen.flags.writeable = False
    same_line(frozen)
    same_line(np.asfortranarray(X))
    same_line(X[::-1][::-1])
    same_line(np.repeat(X, 2, axis=1)[:, ::2])
    np.save(tmp_path / "x.npy", X)
    same_line(np.load(tmp_path / "x.npy", mmap_mode="r"))
    before = X.copy()
    sx.Perceptron().fit(X, Y)
    assert np.array_equal(X, before)


def test_sparse_tables_of_every_kind_give_the_same_line():
    messy = sp.coo_matrix(
        ([1.0, 2.0, 3.0, 0.0, 1.0, 1.0], ([3, 3, 3, 0, 2, 1], [0, 0, 1, 1, 0, 1])), shape=(4, 2)
    )
    kept = messy.data.copy()
    same_line(messy)
    same_line(sp.csr_array(messy))
    wide = sp.csc_matrix(messy)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    same_line(wide)
    unsorted = sp.csr_matrix(messy)
    unsorted.indices, unsorted.data = unsorted.indices[::-1].copy(), unsorted.data[::-1].copy()
    unsorted = sp.csr_matrix((unsorted.data, unsorted.indices, unsorted.indptr), shape=(4, 2))
    snapshot = unsorted.indices.copy()
    to_points(unsorted)
    assert np.array_equal(unsorted.indices, snapshot)
    assert np.array_equal(messy.data, kept)


def test_lengths_that_differ_are_refused_and_a_column_of_labels_is_read():
    refused(X, Y[:3], "4 rows", "3 labels")
    with pytest.warns(DataConversionWarning):
        sx.Perceptron().fit(X, Y[:, np.newaxis])


def test_columns_that_are_not_those_of_the_fit_are_refused():
    model = sx.Perceptron().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    for columns in (["a", "c"], ["b", "a"]):
        with pytest.raises(ValueError, match=r"feature names|order"):
            model.predict(pd.DataFrame(X, columns=columns))
    with pytest.raises(ValueError, match="3 features"):
        sx.Perceptron().fit(X, Y).predict(np.ones((1, 3)))


@pytest.mark.parametrize("bad", [[1, -1, 1, 1], [1, np.nan, 1, 1], [0, 0, 0, 0], [1, 1]])
def test_weights_that_are_not_weights_are_refused(bad):
    with pytest.raises(sx.InputError, match="sample_weight"):
        read_weight(bad, 4)


def test_a_dense_copy_that_does_not_fit_is_refused_with_its_size():
    wide = sp.csr_array(([1.0, 1.0], ([0, 1], [0, 5])), shape=(2, 2**45))
    with pytest.raises(sx.InputError, match="562,949,953,421,312 bytes"):
        sx.LinearRegressionClassifier().fit(wide, [0, 1])


def test_a_sample_knows_its_radius():
    assert read_arrays(X, Y).radius == pytest.approx(np.sqrt(19))
    assert replace(read_arrays(sp.csr_array(X), Y), x0=0.0).radius == pytest.approx(np.sqrt(18))


def in_csr(table, index):
    csr = sp.csr_array(table)
    return sp.csr_array(
        (csr.data, csr.indices.astype(index), csr.indptr.astype(index)), shape=csr.shape
    )


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
def test_walks_take_large_csr_and_float32_without_a_copy(index, value):
    table, y = np.ones((SMALL, 2), value), np.arange(SMALL) % 2
    assert np.shares_memory(read_sample(sx.Perceptron(), table, y, kept=FLOATS).X, table)
    assert read_sample(sx.Perceptron(), table, y).X.dtype == np.float64
    csr = in_csr(sp.hstack([table, sp.csr_array((SMALL, 200), dtype=value)]), index)
    parts = as_rows(read_sample(sx.Perceptron(), csr, y, kept=FLOATS).X)
    for part, own in zip(parts, (csr.data, csr.indices, csr.indptr), strict=True):
        assert np.shares_memory(part, own)
    assert parts[1].dtype.kind == parts[2].dtype.kind == "u"


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.int8, np.float32, np.float64])
def test_small_tables_come_in_the_kinds_that_kernels_are_compiled_for(index, value):
    table = X.astype(value)
    table.flags.writeable = False
    points = read_sample(sx.Perceptron(), table, Y, kept=FLOATS).X
    assert (points.dtype, points.flags.writeable) == (np.float64, True)
    assert np.shares_memory(read_sample(sx.Perceptron(), X, Y, kept=FLOATS).X, X)
    csr = in_csr(table, index)
    for part in (csr.data, csr.indices, csr.indptr):
        part.flags.writeable = False
    parts = as_rows(to_points(csr, FLOATS))
    assert [part.dtype for part in parts] == [np.float64, np.uint32, np.uint32]
    assert all(part.flags.writeable for part in parts)
    assert np.array_equal(to_points(csr).toarray(), X)


def test_columns_that_32_bits_cannot_number_keep_their_indices():
    wide = sp.csr_array(([1.0, 1.0], ([0, 1], [0, 2**40])), shape=(2, 2**45))
    assert to_points(wide).indices.tolist() == [0, 2**40]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 0, None, 1], ["1 missing label", "row 2"]),
        ([0.0, 0.0, np.nan, 1.0], ["1 missing label", "row 2"]),
        (pd.array([0, 0, pd.NA, 1], dtype="Int64"), ["1 missing label", "row 2"]),
        (["yes"] * 4, ["one class only, 'yes'"]),
        (["a", "b", "c", "a"], ["3 labels", "'a' (2 rows)", 'multiclass="ova"']),
        ([" yes", "Yes", "no", "no"], ["' yes'", "'Yes'", "fold_labels=True"]),
        ([1, "1", True, 0], ["mixes"]),
        ([1, 0, True, 0], ["mixes"]),
        ([0.5, 1.25, 3.0, 0.1], ["continuous", "LinearRegression"]),
        ([0.5, 1.0, 1.0, 1.0], ["continuous"]),
        ([np.inf, 1.0, 1.0, 1.0], ["y holds inf"]),
    ],
)
def test_labels_that_are_not_two_are_refused_with_the_way_out(y, words):
    refused(X, y, *words)


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no"], [0, 1, 1, 0], [1, 0, 0, 1], [-1.0, 1.0, 1.0, -1.0],
        [True, False, True, True], [2**62, 2**62 + 1, 2**62, 2**62],
        np.array([7, 200, 7, 7], dtype=np.uint8),
        np.array([3.0, -4.0, 3.0, 3.0], dtype=">f4"),
    ],
)  # fmt: skip
def test_two_labels_are_what_sorting_says(y):
    y = np.asarray(y)
    classes, signs = read_labels(y)
    expected, positions = np.unique(y, return_inverse=True)
    assert classes.dtype == expected.dtype
    assert classes.tolist() == expected.tolist()
    assert signs.tolist() == np.where(positions == 1, 1.0, -1.0).tolist()


def masked(values, *places, dtype=None):
    array = np.ma.array(values, dtype=dtype)
    for place in places:
        array[place] = np.ma.masked
    return array


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint64, bool, object])
def test_what_is_masked_is_missing(dtype):
    bad = masked(X, (2, 1), (3, 0), dtype=dtype)
    refused(bad, Y, "NaN (a missing value)", "row 2, column 1", "2 such values")
    refused(list(bad), Y, "row 2, column 1", "2 such values")
    model = sx.Perceptron().fit(X, Y)
    with pytest.raises(sx.InputError, match="row 2, column 1"):
        model.predict(bad)


@pytest.mark.parametrize("y", [[0, 0, 0, 1], [0.0, 0.0, 0.0, 1.0], list("nnny"), [True] * 3 + [0]])
def test_a_masked_label_is_missing(y):
    for bad in (masked(y, 1), list(masked(y, 1)), masked(y, 1).reshape(-1, 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (DataConversionWarning, UserWarning))
            refused(X, bad, "y has 1 missing labels", "row 1")


def test_masked_numbers_and_weights_are_missing():
    refused(X, masked([0.0, 1.0, 2.0, 3.0], 1), "row 1 of y", learner=sx.LinearRegression())
    with pytest.raises(sx.InputError, match="row 3 of sample_weight"):
        read_weight(masked([1, 2, 3, 4], 3), 4)
    model = sx.LinearRegressionClassifier().fit(X, Y)
    for y, weight, word in (
        (masked(Y, 1), None, "y has 1 missing labels"),
        (Y, masked([1, 2, 3, 4], 3), "row 3 of sample_weight"),
    ):
        with pytest.raises(sx.InputError, match=word):
            model.score(X, y, sample_weight=weight)
    with pytest.raises(sx.InputError, match="the first in row 1"):
        sx.LinearRegression().fit(X, Y).score(X, masked([0.0, 1.0, 2.0, 3.0], 1))


def test_an_array_that_masks_nothing_is_its_data():
    same_line(np.ma.array(X), np.ma.array(Y))
    same_line(np.ma.array(X, mask=np.zeros(X.shape, bool)))
