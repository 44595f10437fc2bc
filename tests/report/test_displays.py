"""Pictures: what is drawn is what is so."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import separatrix as sx
from separatrix.report.displays import _style as style
from separatrix.report.displays._window import window_around
from separatrix.report.displays.scores import bar_heights, edges_at

HOSTILE = [
    "$x^2_i$",
    r"a\$b $\frac{",
    "<script>alert(1)</script>",
    "\u202eabc",
    "n\n" * 50,
    "_",
    "€漢字",
]


@pytest.fixture
def ax():
    return new_axes()


def new_axes(**how):
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure.add_subplot(**how)


def rendered(display):
    """Draw it for real; no warning of ours or of numpy's on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Glyph")  # a font without Chinese is no mistake
        display.figure_.canvas.draw()
    return display


@pytest.fixture(scope="module")
def iris():
    X, y, names = sx.load_demo("iris_versicolor_virginica")
    return X, y, names


@pytest.fixture(scope="module")
def separated():
    made = sx.make_separable(60, 2, margin=0.02, seed=21)
    return made.X, made.y, made.target


def of_line(model):
    return np.append(model.intercept_, model.coef_[0])


# ---------------------------------------------------------------- the plane


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
        foot, tip = ax.transData.transform([display.arrow_.xyann, display.arrow_.xy])
        along, arrow = ends[1] - ends[0], tip - foot
        assert abs(along @ arrow) < 1e-6 * np.linalg.norm(along) * np.linalg.norm(arrow)
        data = np.subtract(display.arrow_.xy, display.arrow_.xyann)
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


def test_a_score_of_zero_is_a_mistake():
    X, y = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [0, 1, 1]
    display = sx.PlaneDisplay.from_predictions(X, y, [-1.0, 1.0, 0.0], ax=new_axes())
    assert display.mistakes.tolist() == [False, True, False]


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
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
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
    _, units, window = display.seen()
    at = window.low + np.random.default_rng(0).random((300, 2)) * window.size
    points = np.column_stack([units[k].back(at[:, k]) for k in (0, 1)])
    yes = model.predict(points) == 1
    if yes.all() or not yes.any():
        assert display.boundary_ is None
        assert any("misses this window" in t.get_text() for t in ax.texts)
        return
    (boundary,) = display.boundary_.get_paths()
    step = (window.size / 240).max() * 2.0
    for vertex in boundary.vertices[:: max(1, len(boundary.vertices) // 50)]:
        around = vertex + step * np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 6.2, 40)])
        back = np.column_stack([units[k].back(around[:, k]) for k in (0, 1)])
        assert len(set(model.predict(back))) == 2  # both answers are close to it
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
    arrows = {k: np.subtract(a.xy, a.xyann) for k, a in display.vectors_.items()}
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


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("shift", [0.0, 1e7])
def test_every_scale_can_be_drawn(scale, shift):
    r = np.random.default_rng(0)
    X = (r.uniform(-1, 1, (30, 2)) + shift) * scale
    y = (X[:, 0] > shift * scale).astype(int)
    w = np.array([-shift * scale, 1.0, 0.0])
    display = rendered(sx.PlaneDisplay.from_predictions(X, y, w, ax=new_axes()))
    assert display.line_ is not None
    points, units, window = display.seen()
    across, here = display.line_.get_xydata()[:, 0], units[0].of(np.array([shift * scale]))
    assert np.allclose(across, here, rtol=0.0, atol=1e-6 * window.size[0])
    assert ((points >= window.low) & (points <= window.low + window.size)).all()


@pytest.mark.parametrize(
    ("scales", "exponents"),
    [([3e6, 1.2e6], [6, 6]), ([3e6, 8e5], [6, 6]), ([1e12, 2.0], [12, 0])],
)
def test_columns_alike_in_size_have_the_same_units(scales, exponents):
    X = np.linspace(0.0, 1.0, 21)[:, np.newaxis] * scales
    display = sx.PlaneDisplay.from_predictions(
        X, X[:, 0] > X[10, 0], [-X[10, 0], 1.0, 0.0], ax=new_axes()
    )
    _, units, window = display.seen()
    assert [unit.exponent for unit in units] == exponents
    assert window.equal  # in the units of the axes


def test_one_point_of_each_class_and_equal_points():
    for X in ([[0.0, 0.0], [1.0, 1.0]], [[2.0, 2.0], [2.0, 2.0]], [[0.0, 5.0], [1.0, 5.0]]):
        rendered(sx.PlaneDisplay.from_predictions(X, [0, 1], [0.0, 1.0, 1.0], ax=new_axes()))


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


# ---------------------------------------------------------------- scores


def test_mistakes_fill_bars_of_their_own(iris, ax):
    X, y, _ = iris
    model = sx.LinearRegressionClassifier().fit(X, y)
    display = rendered(sx.ScoresDisplay.from_estimator(model, X, y, ax=ax))
    wrong = {}
    for sign, bars in display.bars_.items():
        heights = np.array([abs(bar.get_height()) for bar in bars])
        hatched = np.array([bool(bar.get_hatch()) for bar in bars])
        assert heights.sum() == 50
        wrong[sign] = heights[hatched].sum()
    assert sum(wrong.values()) == display.n_mistakes == (model.predict(X) != y).sum()
    assert 0.0 in display.edges_
    assert display.threshold_line_.get_xdata()[0] == 0.0


@pytest.mark.parametrize(
    "scores",
    [
        [0.0, 0.0, 0.0, 0.0],
        [7.0, 7.0, 7.0, 7.0],
        [1e-300, -1e-300, 0.0, 2e-300],
        [1e300, -1e300, 1.7e308, 0.0],
        [1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3],
        [0.5, 0.5, -0.5, 1e9],
    ],
)
def test_any_scores_can_be_drawn_and_none_is_lost(scores):
    y = ["a", "b", "a", "b"]
    display = rendered(sx.ScoresDisplay.from_predictions(y, scores, ax=new_axes()))
    for sign, bars in display.bars_.items():
        heights = np.array([abs(bar.get_height()) for bar in bars])
        hatched = np.array([bool(bar.get_hatch()) for bar in bars])
        rows = display.y == sign
        assert heights.sum() == 2
        assert heights[hatched].sum() == display.wrong[rows].sum()


def test_weights_count_and_the_threshold_moves():
    y, scores = [0, 0, 1, 1], [0.0, 2.0, 1.0, 3.0]
    display = sx.ScoresDisplay.from_predictions(
        y, scores, threshold=1.0, sample_weight=[1.0, 2.0, 4.0, 8.0], ax=new_axes()
    )
    assert display.n_mistakes == 6.0  # 2 above, and the yes row on the threshold itself
    assert display.ax_.get_ylabel().startswith("weight")
    for bad in ([0.0, np.nan, 1.0, 2.0], [[0.0]] * 4):
        with pytest.raises(sx.InputError):
            sx.ScoresDisplay.from_predictions(y, bad)


def test_edges_hold_the_threshold_and_all_scores():
    r = np.random.default_rng(2)
    for threshold in (-5.0, 0.0, 0.3, 100.0):
        scores = r.normal(size=200)
        edges = edges_at(scores, threshold)
        assert threshold in edges
        assert edges[0] <= scores.min() and scores.max() <= edges[-1]  # noqa: PT018
        for sign in (1, -1):
            assert bar_heights(scores, np.ones(200), edges, sign).sum() == 200


# ---------------------------------------------------------------- PLA's curves


@pytest.mark.parametrize("start", [None, [0.5, -1.0, 2.0]])
@pytest.mark.parametrize("eta", [1.0, 0.25])
def test_growth_never_crosses_its_lines(separated, start, eta):
    X, y, target = separated
    model = sx.Perceptron(init=start, learning_rate=eta).fit(X, y)
    display = rendered(
        sx.GrowthDisplay.from_estimator(model, X, y, target=target, ax=new_axes(label="frame"))
    )
    lines = {k: (display.curves_[k].get_ydata(), display.lines_[k].get_ydata())
             for k in display.curves_}  # fmt: skip
    slack = 1e-9 * np.abs(lines["inner"][0]).max()
    assert (lines["inner"][0] >= lines["inner"][1] - slack).all()
    assert (lines["length"][0] <= lines["length"][1] * (1 + 1e-12)).all()
    assert (lines["cosine"][0] >= lines["cosine"][1] - 1e-9).all()
    assert all(len(curve) == model.n_updates_ + 1 for curve, _ in lines.values())
    assert np.isclose(lines["length"][0][-1], of_line(model) @ of_line(model))
    assert np.isclose(lines["inner"][0][-1], of_line(model) @ target)
    if start is None:
        growth, t = display.growth, np.arange(model.n_updates_ + 1)
        rho = growth.inner_lower[1] / eta / np.linalg.norm(target)
        radius = np.sqrt((1.0 + (X**2).sum(axis=1)).max())
        assert np.allclose(growth.cosine_lower, np.sqrt(t) * rho / radius)


def test_growth_finds_a_target_or_says_that_there_is_none(separated, iris):
    X, y, _ = separated
    model = sx.Perceptron().fit(X, y)
    display = sx.GrowthDisplay.from_estimator(model, X, y, ax=[new_axes() for _ in range(3)])
    assert display.growth.inner_lower[-1] > 0.0
    X, y, _ = iris
    model = sx.Pocket(max_updates=5).fit(X[:, :2], y)
    with pytest.raises(sx.InputError, match="no line is known to separate"):
        sx.GrowthDisplay.from_estimator(model, X[:, :2], y)
    with pytest.raises(sx.InputError, match="trace_"):
        sx.GrowthDisplay.from_estimator(sx.LinearRegressionClassifier().fit(X, y), X, y)


def test_the_trace_counts_the_mistakes_of_every_step(iris, ax):
    X, y, _ = iris
    model = sx.Pocket(max_updates=40, random_state=3).fit(X, y)
    display = rendered(sx.ErrorTraceDisplay.from_estimator(model, X, y, ax=ax))
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    by_hand = [int((signs * (X @ w[1:] + w[0]) <= 0.0).sum()) for w in model.trace_.walk(X, y)]
    assert display.mistakes.tolist() == by_hand
    assert display.pocket_.get_ydata()[-1] * len(y) == model.n_errors_
    assert (np.diff(display.e_in_of_pocket) <= 0.0).all()


# ---------------------------------------------------------------- errors, residuals, curves


@pytest.mark.parametrize("d", [1, 2, 4])
def test_residuals_are_drawn_from_the_prediction_to_y(d):
    r = np.random.default_rng(d)
    X = r.normal(size=(25, d))
    y = X @ np.arange(1.0, d + 1) + r.normal(size=25)
    model = sx.LinearRegression().fit(X, y)
    ax = new_axes(projection="3d") if d == 2 else new_axes()
    display = rendered(sx.ResidualsDisplay.from_estimator(model, X, y, ax=ax))
    assert np.allclose(display.residuals, model.residuals_)
    if d == 2:
        with pytest.raises(sx.InputError, match="3d"):
            sx.ResidualsDisplay.from_estimator(model, X, y, ax=new_axes())
        return
    for segment, residual in zip(display.segments_.get_segments(), display.residuals, strict=True):
        assert segment[0][0] == segment[1][0]
        assert np.isclose(segment[1][1] - segment[0][1], residual)
    ends = display.line_.get_xydata()
    drawn = ends[:, 0] if d > 1 else model.predict(ends[:, :1])
    assert np.allclose(drawn, ends[:, 1])


def test_residuals_of_constant_columns_and_predictions(ax):
    X, y = np.column_stack([np.ones(4), np.arange(4.0)]), np.array([0.0, 1.0, 1.0, 2.0])
    model = sx.LinearRegression().fit(X, y)
    rendered(sx.ResidualsDisplay.from_estimator(model, X, y, ax=new_axes(projection="3d")))
    display = rendered(sx.ResidualsDisplay.from_predictions(y, [1.0, 1.0, 1.0, 1.0], ax=ax))
    assert display.residuals.tolist() == [-1.0, 0.0, 0.0, 1.0]


def test_stems_are_the_likelihoods(iris, ax):
    X, y, _ = iris
    model = sx.LogisticRegression().fit(X, y)
    display = rendered(sx.SigmoidDisplay.from_estimator(model, X, y, ax=ax))
    lengths = np.concatenate(
        [[abs(s[1][1] - s[0][1]) for s in display.stems_[sign].get_segments()] for sign in (1, -1)]
    )
    own = model.predict_proba(X)[np.arange(len(y)), (y == model.classes_[1]).astype(int)]
    assert np.allclose(np.sort(lengths), np.sort(own))
    assert np.isclose(display.log_likelihood, np.log(own).sum())
    e_in = sx.error_table(of_line(model), X, y)["cross_entropy"]
    assert np.isclose(-display.log_likelihood / 100, e_in)


@pytest.mark.parametrize("scores", [[0.0, 0.0], [1e-12, -1e-12], [1e12, -1e12], [1e300, 1e300]])
def test_sigmoids_of_any_scores(scores):
    rendered(sx.SigmoidDisplay.from_predictions(["$a$", "$b$"], scores, ax=new_axes()))


def test_the_bounds_are_bounds_and_the_perceptron_error_is_none():
    display = rendered(sx.ErrorMeasuresDisplay().plot([new_axes(), new_axes()]))
    drawn = {name: line.get_ydata() for name, line in display.bounds_.items()}
    assert (drawn["squared"] >= drawn["0/1"]).all()
    assert (drawn["cross-entropy / ln 2"] >= drawn["0/1"] - 1e-12).all()
    assert (drawn["perceptron"] < drawn["0/1"]).any()
    a = display.curves_["0/1"].get_xdata()
    assert (drawn["0/1"] == (a <= 0.0)).all()
    natural = display.curves_["cross-entropy"].get_ydata()
    assert np.allclose(natural, np.log1p(np.exp(-a)))


def test_error_measures_of_a_line(iris):
    X, y, _ = iris
    model = sx.LinearRegressionClassifier().fit(X, y)
    display = rendered(
        sx.ErrorMeasuresDisplay.from_estimator(model, X, y, ax=[new_axes(), new_axes()])
    )
    table = sx.error_table(of_line(model), X, y)
    said = display.curves_["squared"].get_label()
    assert f"{table['squared']:.3g}" in said
    with pytest.raises(sx.InputError):
        sx.ErrorMeasuresDisplay(lowest=1.0).plot()


def test_four_learning_rates_behave_as_they_are_called(iris, ax):
    X, y, _ = iris
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    descent = sx.GradientDescent()
    display = rendered(sx.LearningRatesDisplay.from_estimator(descent, Z, y, steps=40, ax=ax))
    runs = display.e_in
    assert descent.learning_rate == 0.1  # the learner given is left alone
    assert {len(values) for values in runs.values()} == {41}
    assert len({values[0] for values in runs.values()}) == 1
    assert (np.diff(runs["too small"]) < 0.0).all()
    assert runs["too small"][-1] > runs["right"][-1]
    assert (np.diff(runs["too large"]) > 0.0).any()
    assert (np.diff(runs["proportional to |grad|"]) < 0.0).all()
    same = sx.GradientDescent(
        learning_rate=display.rates["proportional to |grad|"], max_updates=40
    ).fit(Z, y)
    assert np.isclose(same.e_in_, runs["proportional to |grad|"][-1], rtol=1e-12)
    with pytest.raises(sx.InputError, match="four positive"):
        sx.LearningRatesDisplay.from_estimator(descent, Z, y, rates=[1.0, 2.0])


def test_rates_that_overflow_end_the_run(iris):
    X, y, _ = iris
    display = rendered(
        sx.LearningRatesDisplay.from_estimator(
            sx.GradientDescent(error="squared"), X, y, rates=[0.1, 0.1, 0.1, 1e100], ax=new_axes()
        )
    )
    assert len(display.e_in["proportional to |grad|"]) < 10


def test_the_learning_curve_is_the_formula(ax):
    n = np.array([5, 10, 50])
    inside, outside = sx.learning_curve(n, 3, 0.5)
    display = rendered(
        sx.LearningCurveDisplay.from_experiment(
            n, inside, outside, d=3, noise_variance=0.5, e_in_error=[0.1, 0.1, 0.1], ax=ax
        )
    )
    for key, values in (("e_in", inside), ("e_out", outside)):
        x, curve = display.lines_[key].get_data()
        assert np.allclose(np.interp(n, x, curve), values, rtol=0.02)
        assert np.allclose(curve, sx.learning_curve(x, 3, 0.5)[key == "e_out"])
    with pytest.raises(sx.InputError, match="shape"):
        sx.LearningCurveDisplay.from_experiment(n, inside[:2], outside, d=3)
    with pytest.raises(sx.InputError, match="must be 4 or more"):
        sx.LearningCurveDisplay.from_experiment([3], [1.0], [1.0], d=3)


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


def test_plain_text_is_printable_and_short():
    assert style.plain("a$b") == r"a\$b"
    assert style.plain("x\u200fy\n") == "x\N{REPLACEMENT CHARACTER}y\N{REPLACEMENT CHARACTER}"
    assert len(style.plain("z" * 10_000)) == 32
