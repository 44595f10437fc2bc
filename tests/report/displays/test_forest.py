"""The forest plot: what is drawn where, which ends are arrows, and which are marked as proven."""

import math

import numpy as np
import pytest

from separatrix import coefficient_table
from separatrix.report.displays.forest import forest_bytes
from tests.report.displays.drawn import new_axes

RNG = np.random.default_rng(2)
N = 80
X = np.column_stack((RNG.standard_normal((N, 2)), np.arange(N) < 4))
Y = np.where(X[:, 2] > 0, 1, X[:, 0] + RNG.logistic(size=N) > 0).astype(int)
NAMES = ["age", "cost in $x$", "新藥"]


@pytest.fixture(scope="module")
def table():
    return coefficient_table(X, Y, feature_names=NAMES)


def marks(ax, label):
    return [tuple(v[0] for v in line.get_data()) for line in ax.lines if line.get_label() == label]


def test_odds_ratios_on_a_logarithmic_axis(table):
    ax = new_axes()
    assert table.plot(ax) is ax
    assert ax.get_xscale() == "log"
    names = [text.get_text().replace(r"\$", "$") for text in ax.get_yticklabels()]
    assert names == NAMES
    assert marks(ax, "estimate") == [
        (pytest.approx(table["age"].odds_ratio), 0),
        (pytest.approx(table[NAMES[1]].odds_ratio), 1),
    ]
    ends = [at for at, place in marks(ax, "_end") if place == 0]
    assert ends == pytest.approx([table["age"].odds_ratio_lower, table["age"].odds_ratio_upper])


def test_an_infinite_end_is_an_arrow_and_proven_ends_are_marked(table):
    ax = table.plot(new_axes(), proven=table.verify(X, Y))
    ((right, place),) = marks(ax, "infinite (proven)")
    assert (right, place) == (pytest.approx(ax.get_xlim()[1]), 2)
    assert len(marks(ax, "proven end")) == 5
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said == ["estimate", "infinite (proven)", "proven end"]
    assert marks(table.plot(new_axes()), "proven end") == []


def test_ends_far_away_are_open_arrows():
    x = np.column_stack((X[:, 0], 1e-4 * X[:, 1]))
    x[:, 0] *= 0.01
    ax = coefficient_table(x, Y, method="wald").plot(new_axes())
    low, high = ax.get_xlim()
    assert all(low * 0.999 <= at <= high * 1.001 for at, _ in marks(ax, "goes on beyond the axis"))
    assert all(math.isfinite(at) for at, _ in marks(ax, "goes on beyond the axis"))


def test_what_has_no_interval_says_so():
    x = np.column_stack((X, X[:, 0]))
    ax = coefficient_table(x, Y, method="wald").plot(new_axes())
    assert [text.get_text().strip() for text in ax.texts] == [
        "not determined", "infinite, no interval", "not determined",
    ]  # fmt: skip


def test_a_linear_regression_has_a_linear_axis():
    ax = coefficient_table(X, X[:, 0], method="least squares").plot(new_axes())
    assert ax.get_xscale() == "linear"


def test_large_tables_show_their_clearest_rows():
    x = np.hstack((X[:, :1], RNG.standard_normal((N, 120))))
    ax = coefficient_table(np.vstack((x, x + 0.1, x, -x)), np.tile(Y, 4), method="wald").plot(
        new_axes()
    )
    assert len(ax.get_yticklabels()) == 100


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf"])
def test_files_have_the_same_bytes_and_warn_of_nothing(table, name, recwarn):
    first = forest_bytes(table, name, proven=False)
    assert first == forest_bytes(table, name, proven=False)
    assert not recwarn.list
