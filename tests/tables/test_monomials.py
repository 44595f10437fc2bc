"""The feature transform: scikit-learn's monomials, less those that say nothing."""

import itertools
import math

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from separatrix import InputError, judge, load, read_table, save, separability
from separatrix.tables import NumberColumn, fit_encoding

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def columns_of(X):
    return tuple(NumberColumn("abcdefgh"[j], X[:, j].copy()) for j in range(X.shape[1]))


def encoded(X, degree):
    columns = columns_of(X)
    encoding = fit_encoding(columns, "drop", degree)
    return encoding, encoding.encode(columns, np.arange(len(X)))


def test_every_boolean_function_of_three_is_separable_in_products_of_three():
    X = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    _, products = encoded(X, 3)
    assert products.shape == (8, 7)  # all products of distinct variables, and no copies of them
    for answers in range(1, 255):
        y = [(answers >> k) & 1 for k in range(8)]
        assert separability(products, y).separable


@pytest.mark.parametrize(("d", "degree"), [(1, 4), (2, 2), (3, 3), (4, 2)])
def test_names_order_and_values_are_scikit_learns_bit_for_bit(d, degree):
    X = np.random.default_rng(d).normal(size=(20, d))
    encoding, products = encoded(X, degree)
    peer = PolynomialFeatures(degree, include_bias=False).fit(X)
    names = peer.get_feature_names_out(list("abcdefgh")[:d])
    assert encoding.feature_names == tuple(names)
    assert products.tobytes() == peer.transform(X).tobytes()
    assert products.flags["C_CONTIGUOUS"]


def test_products_that_say_nothing_are_left_out(tmp_path):
    rows = ["x,c,two,y"] + [f"{x},{'pqr'[x % 3]},2,{'ny'[x % 2]}" for x in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    table = read_table(tmp_path / "t.csv", label="y")
    encoding = fit_encoding(table.columns, "drop", 2)
    assert encoding.plain_names == ("x", "c=q", "c=r", "two")
    assert encoding.feature_names == (
        "x", "c=q", "c=r", "two", "x^2", "x c=q", "x c=r", "x two", "c=q two", "c=r two",
    )  # fmt: skip
    assert encoding == fit_encoding(table.columns, "drop", 2)
    # what was left out stays out, whatever the new rows are
    new = table.take(np.arange(2))
    assert encoding.encode(new.columns, new.lines).shape == (2, 10)


@pytest.mark.parametrize(
    "names", [("a", "b", "a b"), ("a", "a^2", "c"), ("a", "b", "(a) (b)", "a b", "(a)^2")]
)
def test_no_product_has_the_name_of_another(names):
    X = np.random.default_rng(9).normal(size=(20, len(names)))
    columns = [NumberColumn(name, values) for name, values in zip(names, X.T, strict=True)]
    encoding = fit_encoding(columns, "drop", 2)
    found = encoding.feature_names
    assert found[: len(names)] == names
    assert len(set(found)) == len(found) == len(encoding.monomials.terms)


def test_degree_one_is_the_table_itself():
    encoding, X = encoded(XOR, 1)
    assert encoding.monomials is None
    assert X.tolist() == XOR.tolist()


@pytest.mark.parametrize("degree", [0, -1, 1.5, "2", True])
def test_a_degree_is_a_whole_number(degree):
    with pytest.raises(InputError, match="whole number"):
        fit_encoding(columns_of(XOR), "drop", degree)


def test_too_many_products_are_refused_with_their_number():
    X = np.random.default_rng(0).normal(size=(5, 8))
    count = math.comb(8 + 7, 7) - 1
    with pytest.raises(InputError, match=f"{count:,} features of 8.*smaller degree.*drop"):
        fit_encoding(columns_of(X), "drop", 7)


def test_a_product_beyond_doubles_is_refused_by_line_and_column():
    X = np.array([[1.0, 2.0], [3e200, 5.0], [4e200, 5e200]])
    columns = columns_of(X)
    encoding = fit_encoding(columns, "drop", 2)
    with pytest.raises(InputError, match=r"line 12, column 'a': the product 'a\^2' of 3e\+200"):
        encoding.encode(columns, np.array([11, 12, 13]))


def test_a_verdict_with_a_degree_and_its_model(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    inside = (X**2).sum(axis=1) < 1.2
    lines = [
        f"{a!r},{b!r},{'in' if k else 'out'}" for (a, b), k in zip(X.tolist(), inside, strict=True)
    ]
    (tmp_path / "t.csv").write_text("a,b,where\n" + "\n".join(lines))
    table = read_table(tmp_path / "t.csv", label="where", yes="in")
    assert not judge(table).separability.separable
    verdict = judge(table, degree=2)
    assert verdict.features == ("a", "b", "a^2", "a b", "b^2")
    assert verdict.separability.separable
    products = PolynomialFeatures(2, include_bias=False).fit_transform(X)
    assert verdict.separability.verify(products, inside)
    assert verdict.winner.cv_error < 0.15
    save(verdict.model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.table_.encoding == verdict.encoding
    save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_arrays_are_told_to_use_scikit_learns_transform():
    with pytest.raises(InputError, match=r"PolynomialFeatures\(2, include_bias=False\)"):
        judge(XOR, [0, 1, 1, 0], degree=2)
