"""Names as they are, windows, figures, and what cannot be drawn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import separatrix as sx
from separatrix.report.drawing import style
from separatrix.report.drawing.window import window_around
from tests.report.displays.drawn import new_axes, rendered

HOSTILE = [
    "$x^2_i$",
    r"a\$b $\frac{",
    "<script>alert(1)</script>",
    "\u202eabc",
    "n\n" * 50,
    "_",
    "€漢字",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_drawn_as_they_are(name):
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], ["no", "no", name]
    display = rendered(
        sx.PlaneDisplay.from_predictions(
            X, y, [-1.0, 1.0, 0.0], names=[name, name * 1000], ax=new_axes()
        )
    )
    from matplotlib.cbook import is_math_text

    label = display.ax_.get_xlabel()
    assert not is_math_text(label)
    assert len(label) < 100
    assert label.isprintable()
    if len(name) < 30 and name.isprintable():
        assert label.replace(r"\$", "$") == name


def test_what_cannot_be_drawn_is_refused():
    X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    for columns, match in (
        ((0, 2), "does not exist"),
        ((0, 0), "twice"),
        (("a", 1), "is no column"),
    ):
        with pytest.raises(sx.InputError, match=match):
            sx.PlaneDisplay.from_predictions(X, y, [0.0, 1.0, 1.0], columns=columns)
    with pytest.raises(sx.InputError, match="shape"):
        sx.PlaneDisplay.from_predictions(X, y, [0.0, 1.0])
    with pytest.raises(sx.InputError, match="finite"):
        sx.PlaneDisplay.from_predictions(X, y, [0.0, np.nan, 1.0])
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(sx.InputError, match="no coef_"):
        sx.PlaneDisplay.from_estimator(tree, X, y)
    with pytest.raises(sx.InputError, match="columns"):
        sx.PlaneDisplay.from_predictions([[0.0], [1.0]], y, [0.0, 1.0])


def test_windows_contain_their_points_and_keep_right_angles():
    r = np.random.default_rng(1)
    for a, b in itertools.product([1e-12, 1.0, 1e12], repeat=2):
        points = r.normal(size=(20, 2)) * [a, b]
        for equal in (False, True):
            window = window_around(points, equal=equal)
            assert ((points >= window.low) & (points <= window.low + window.size)).all()
            assert window.equal or not equal


def test_a_new_figure_is_made_where_no_axes_are_given_and_nothing_global_is_set():
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("agg")
    before = dict(mpl.rcParams)
    display = sx.ScoresDisplay.from_predictions([0, 1], [-1.0, 1.0])
    assert display.ax_.figure is display.figure_
    assert display.plot(new_axes()) is display
    assert dict(mpl.rcParams) == before
    plt.close("all")


@pytest.mark.parametrize("layout", ["constrained", "tight", None])
def test_a_title_stands_over_the_legend(layout):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    X = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
    found = sx.experiment("learning-curve", rows=(10, 20), columns=1, repeats=2)
    for draw in (
        lambda ax: sx.PlaneDisplay.from_predictions(X, [0, 1, 1], [-1.0, 1.0, 0.0], ax=ax),
        lambda ax: sx.ScoresDisplay.from_predictions([0, 1, 1], [-1.0, 1.0, 0.0], ax=ax),
        lambda ax: sx.ExperimentDisplay.from_experiment(found, ax=ax),
    ):
        figure = Figure(layout=layout)
        canvas = FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        draw(ax)
        ax.set_title("A title\nof two lines")
        canvas.draw()
        title, legend = ax.title.get_window_extent(), ax.get_legend().get_window_extent()
        assert title.y0 >= legend.y1 - 1.0


@pytest.mark.parametrize("margins", [(0.5, 0.2), (0.5, 0.2, 0.05), (0.3, 0.001)])
def test_ticks_of_an_experiment_do_not_meet(margins):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    found = sx.experiment("bound", margins=margins, repeats=1)
    display = sx.ExperimentDisplay.from_experiment(found, ax=new_axes())
    FigureCanvasAgg(display.figure_).draw()
    low, high = display.ax_.get_xlim()
    shown = sorted(
        (text.get_window_extent() for text in display.ax_.get_xticklabels(which="both")
         if text.get_text() and low <= text.get_position()[0] <= high),
        key=lambda box: box.x0,
    )  # fmt: skip
    assert len(shown) >= 2
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(shown))


def test_a_class_called_yes_is_not_named_twice():
    assert style.class_name(1, ("no", "yes")) == "yes"
    assert style.class_name(-1, ("No", "1")) == "No"
    assert style.class_name(-1, ("-1", "1")) == "no: -1"
    assert style.class_name(1, ("yes", "no")) == "yes: no"


def test_plain_text_is_printable_and_short():
    assert style.plain("a$b") == r"a\$b"
    assert style.plain("x\u200fy\n") == "x\N{REPLACEMENT CHARACTER}y\N{REPLACEMENT CHARACTER}"
    assert len(style.plain("z" * 10_000)) == 32
