"""The plane: lines, arrows, points and mistakes are where they are."""

import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import separatrix as sx
from separatrix.report.drawing import style
from separatrix.report.drawing.window import window_around
from tests.report.displays.drawn import new_axes, of_line, rendered


def test_the_line_is_where_the_answers_change(iris, ax):
    X, y, names = iris
    model = sx.LinearRegressionClassifier().fit(X[:, 2:], y)
    display = rendered(sx.PlaneDisplay.from_estimator(model, X[:, 2:], y, names=names[2:], ax=ax))
    ends = display.line_.get_xydata()
    assert np.abs(model.decision_function(ends)).max() < 1e-12
    w = model.coef_[0] / np.linalg.norm(model.coef_)
    for part in (0.25, 0.5, 0.75):
        point = ends[0] + part * (ends[1] - ends[0])
        assert (model.predict([point + 1e-6 * w, point - 1e-6 * w]) == model.classes_[::-1]).all()
    assert ax.get_xlabel() == names[2]


def test_the_arrow_is_the_normal_on_the_screen_whatever_the_units(iris):
    X, y, _ = iris
    for scale in ([1.0, 1.0], [1.0, 1e4], [1e-6, 1.0]):
        points = X[:, 2:] * scale
        model = sx.LinearRegressionClassifier().fit(points, y)
        ax = new_axes()
        display = rendered(sx.PlaneDisplay.from_estimator(model, points, y, ax=ax))
        ends = ax.transData.transform(display.line_.get_xydata())
        foot, tip = ax.transData.transform(display.arrow_)
        along, arrow = ends[1] - ends[0], tip - foot
        assert abs(along @ arrow) < 1e-6 * np.linalg.norm(along) * np.linalg.norm(arrow)
        data = display.arrow_[1] - display.arrow_[0]
        assert data @ model.coef_[0] > 0.0  # towards yes
        if scale == [1.0, 1.0]:  # there it is the vector of the weights itself
            across = data[0] * model.coef_[0, 1] - data[1] * model.coef_[0, 0]
            assert abs(across) < 1e-9


def test_marked_mistakes_are_those_of_e_in(iris, ax):
    X, y, names = iris
    model = sx.LinearRegressionClassifier().fit(X, y)
    display = rendered(
        sx.PlaneDisplay.from_estimator(model, X, y, columns=("petal length (cm)", 3), names=names,
                                       ax=ax)
    )  # fmt: skip
    wrong = model.predict(X) != y
    assert (
        len(display.mistakes_.get_offsets())
        == wrong.sum()
        == round(sx.error_table(of_line(model), X, y)["zero_one"] * len(y))
    )
    assert np.allclose(display.mistakes_.get_offsets(), X[wrong][:, [2, 3]])
    # the line is the cut at the means of the columns that are not shown
    for a, b in display.line_.get_xydata():
        at = np.append(X[:, :2].mean(axis=0), [a, b])
        assert abs(model.decision_function([at])[0]) < 1e-9
    assert "2 columns at their means" in " ".join(t.get_text() for t in ax.texts)


@pytest.mark.parametrize(("rule", "right"), [(1, 1), (-1, 1), ("mistake", 0)])
def test_mistakes_that_the_learner_answers_right_are_counted_apart(rule, right):
    X, y = np.array([[-1.0, 0.0], [1.0, 0.0]]), [0, 1]
    model = sx.Perceptron(sign_of_zero=rule).fit(X, y)
    ax = new_axes()
    display = sx.PlaneDisplay.from_estimator(model, X, y, ax=ax)
    assert display.n_answered_right == right == display.mistakes.sum()
    said = "mistakes: 1 of 2 (1 for a score of 0 alone)" if right else "mistakes: 0 of 2"
    assert said in [text.get_text() for text in ax.get_legend().get_texts()]


XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize("scale", [1.0, 1e-100, 1e100])
@pytest.mark.parametrize(
    "learner",
    [
        sx.DualPerceptron(kernel="polynomial", degree=2),
        sx.DualPerceptron(kernel="rbf", sign_of_zero=1),
        sx.VotedPerceptron(max_iter=3),
        sx.VotedPerceptron(max_updates=0, sign_of_zero=1),
    ],
)
def test_what_is_no_line_is_drawn_where_its_answers_change(learner, scale):
    scale = scale if isinstance(learner, sx.VotedPerceptron) else 1.0  # kernels would overflow
    X, y = XOR * scale, [0, 1, 1, 0]
    model, ax = clone(learner).fit(X, y), new_axes()
    display = sx.PlaneDisplay.from_estimator(model, X, y, ax=ax)
    assert display.line_ is None
    assert display.arrow_ is None
    assert display.weights is None
    signs = np.array([-1, 1, 1, -1])
    assert display.mistakes.tolist() == (signs * model.decision_function(X) <= 0).tolist()
    window = window_around(display.points)
    at = window.low + np.random.default_rng(0).random((300, 2)) * window.size
    yes = model.predict(at) == 1
    if yes.all() or not yes.any():
        assert display.boundary_ is None
        assert any("misses this window" in t.get_text() for t in ax.texts)
        return
    (boundary,) = display.boundary_.get_paths()
    step = (window.size / 240).max() * 2.0
    for vertex in boundary.vertices[:: max(1, len(boundary.vertices) // 50)]:
        around = vertex + step * np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 6.2, 40)])
        assert len(set(model.predict(around))) == 2  # both answers are close to it
    (tinted,) = [c for c in ax.collections if c.get_zorder() == 0]
    inside = np.array([tinted.get_paths()[0].contains_point(p) for p in at])
    near = np.array([np.hypot(*(boundary.vertices - p).T).min() < step for p in at])
    assert (inside == yes)[~near].all()


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
def test_a_kernel_on_many_columns_and_with_names_is_cut_at_the_means(iris):
    X, y = pd.DataFrame(iris[0], columns=list("abcd")), iris[1]
    model = sx.DualPerceptron(kernel="rbf", max_iter=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = sx.PlaneDisplay.from_estimator(model, X, y, columns=("b", "d"), ax=new_axes())
    mean = X.to_numpy().mean(axis=0)
    mean[[1, 3]] = [3.0, 2.0]
    at = pd.DataFrame([mean], columns=list("abcd"))
    shown = display.region.scores(np.array([[3.0, 2.0]]))
    assert shown == pytest.approx(model.decision_function(at), rel=1e-12)
    assert "Region: cut with" in " ".join(t.get_text() for t in display.ax_.texts)


def test_a_correction_adds_the_row_to_w(separated, ax):
    X, y, _ = separated
    w, row = np.array([0.3, 1.0, -2.0]), 7
    display = rendered(sx.PlaneDisplay.from_predictions(X, y, w, correcting=row, ax=ax))
    arrows = {k: tip - foot for k, (foot, tip) in display.vectors_.items()}
    assert np.allclose(arrows["w"] + arrows["x"], arrows["sum"])
    scale = np.linalg.norm(arrows["w"]) / np.linalg.norm(w[1:])
    assert np.allclose(arrows["x"], scale * y[row] * X[row])
    assert np.allclose(arrows["w"], scale * w[1:])
    with pytest.raises(sx.InputError, match="is no row"):
        sx.PlaneDisplay.from_predictions(X, y, w, correcting=60)


def test_the_pocket_is_a_second_line(iris, ax):
    X, y, _ = iris
    X = X[:, 2:]
    pocket = sx.Pocket(max_updates=200, random_state=0).fit(X, y)
    model = sx.LinearRegressionClassifier().fit(X, y)
    display = sx.PlaneDisplay.from_estimator(model, X, y, pocket=pocket, ax=ax)
    ends = display.pocket_line_.get_xydata()
    assert np.abs(pocket.decision_function(ends)).max() < 1e-9
    far = sx.PlaneDisplay.from_estimator(model, X, y, pocket=[-1e3, 1.0, 1.0], ax=new_axes())
    assert far.pocket_line_ is None
    assert "misses" in " ".join(t.get_text() for t in far.ax_.get_legend().get_texts())


@pytest.mark.parametrize(
    ("w", "line"),
    [
        ([0.0, 0.0, 0.0], False),  # no line at all
        ([1.0, 0.0, 0.0], False),  # everything is yes
        ([-1.0, 0.0, 0.0], False),
        ([-100.0, 1.0, 1.0], False),  # it misses the window
        ([-0.5, 1.0, 0.0], True),  # upright
        ([-0.5, 0.0, 1.0], True),  # level
        ([-0.5e-12, 1e-12, 0.0], True),
        ([-0.5e300, 1e300, 0.0], True),
        ([-0.5e-300, 0.0, 1e-300], True),
    ],
)
def test_lines_that_are_none_and_lines_that_stand(w, line):
    X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 1, 0, 1]
    display = rendered(sx.PlaneDisplay.from_predictions(X, y, w, ax=new_axes()))
    assert (display.line_ is not None) == line
    assert len(display.mistakes_.get_offsets()) == display.mistakes.sum()
    said = " ".join(text.get_text() for text in display.ax_.texts)
    assert ("line" in said) == (not line)
    if line:
        ends = display.line_.get_xydata()
        assert np.allclose(ends @ np.divide(w, max(np.abs(w)))[1:] + w[0] / max(np.abs(w)), 0.0)


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1.0, 1e12, 1e100])
@pytest.mark.parametrize("shift", [0.0, 1e7])
def test_every_scale_can_be_drawn(scale, shift):
    r = np.random.default_rng(0)
    X = (r.uniform(-1, 1, (30, 2)) + shift) * scale
    y = (X[:, 0] > shift * scale).astype(int)
    w = np.array([-shift * scale, 1.0, 0.0])
    display = rendered(sx.PlaneDisplay.from_predictions(X, y, w, ax=new_axes()))
    assert display.line_ is not None
    window = window_around(X)
    across = display.line_.get_xydata()[:, 0]
    assert np.allclose(across, shift * scale, rtol=0.0, atol=1e-6 * window.size[0])
    assert ((window.low <= X) & (window.low + window.size >= X)).all()


HOSTILE = [
    "$x^2_i$",
    r"a\$b $\frac{",
    "<script>alert(1)</script>", "\u202eabc", "n\n" * 50, "_", "€漢字",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_drawn_as_they_are(name):
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], ["no", "no", name]
    display = rendered(
        sx.PlaneDisplay.from_predictions(
            X, y, [-1.0, 1.0, 0.0], names=[name, name * 1000], ax=new_axes()
        )
    )
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


def test_a_new_figure_is_made_where_no_axes_are_given_and_nothing_global_is_set():
    mpl.use("agg")
    before = dict(mpl.rcParams)
    display = sx.ScoresDisplay.from_predictions([0, 1], [-1.0, 1.0])
    assert display.ax_.figure is display.figure_
    assert display.plot(new_axes()) is display
    assert dict(mpl.rcParams) == before
    plt.close("all")


@pytest.mark.parametrize("layout", ["constrained", "tight", None])
def test_a_title_stands_over_the_legend(layout):
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


def test_a_class_called_yes_is_not_named_twice():
    assert style.class_name(1, ("no", "yes")) == "yes"
    assert style.class_name(-1, ("No", "1")) == "No"
    assert style.class_name(-1, ("-1", "1")) == "no: -1"
    assert style.class_name(1, ("yes", "no")) == "yes: no"


def test_plain_text_is_printable_and_short():
    assert style.plain("a$b") == r"a\$b"
    assert style.plain("x\u200fy\n") == r"x\u200fy\u000a"
    assert len(style.plain("z" * 10_000)) == 32
