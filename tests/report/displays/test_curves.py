"""Curves: the trace of PLA, errors, residuals, probabilities; forests of intervals."""

import numpy as np
import pytest

import separatrix as sx
from separatrix import coefficient_table
from separatrix.report.displays.forest import forest_bytes
from tests.report.displays.drawn import new_axes, of_line, rendered


def test_the_trace_counts_the_mistakes_of_every_step(iris, ax):
    X, y, _ = iris
    model = sx.Pocket(max_updates=40, random_state=3).fit(X, y)
    display = rendered(sx.ErrorTraceDisplay.from_estimator(model, X, y, ax=ax))
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    by_hand = [int((signs * (X @ w[1:] + w[0]) <= 0.0).sum()) for w in model.trace_.walk(X, y)]
    assert display.mistakes.tolist() == by_hand
    assert display.pocket_.get_ydata()[-1] * len(y) == model.n_errors_
    assert (np.diff(display.e_in_of_pocket) <= 0.0).all()


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
    with pytest.raises(sx.InputError, match="two dimensions"):
        sx.ResidualsDisplay.from_estimator(
            sx.LinearRegression().fit(X[:, :1], y), X[:, :1], y, ax=new_axes(projection="3d")
        )
    for segment, residual in zip(display.segments_.get_segments(), display.residuals, strict=True):
        assert segment[0][0] == segment[1][0]
        assert np.isclose(segment[1][1] - segment[0][1], residual)
    ends = display.line_.get_xydata()
    drawn = ends[:, 0] if d > 1 else model.predict(ends[:, :1])
    assert np.allclose(drawn, ends[:, 1])


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_projection_of_y_is_drawn_true_to_length(d):
    r = np.random.default_rng(d)
    X = r.normal(size=(30, d))
    y = X @ np.arange(1.0, d + 1) + r.normal(size=30) + 1.0
    model = sx.LinearRegression().fit(X, y)
    H = sx.hat_matrix(np.column_stack([np.ones(30), X]))
    display = rendered(
        sx.ProjectionDisplay.from_estimator(model, X, y, ax=new_axes(projection="3d"))
    )
    arrows = display.arrows_.items()
    lengths = {name: np.linalg.norm(end - start) for name, (start, end) in arrows}
    assert np.isclose(lengths["y"], np.linalg.norm(y))
    assert np.isclose(lengths["projection"], np.linalg.norm(H @ y))
    assert np.isclose(lengths["residual"], np.linalg.norm(y - H @ y))
    foot, tip = display.arrows_["residual"]
    assert abs(foot @ (tip - foot)) < 1e-8 * np.linalg.norm(y) ** 2
    assert np.isclose(display.r_squared, model.score(X, y))
    assert display.ax_.name == "3d"
    with pytest.raises(sx.InputError, match="no projection"):
        sx.ProjectionDisplay.from_predictions(y, model.predict(X) * 1.1)
    exact = sx.ProjectionDisplay.from_predictions(y, y, ax=new_axes(projection="3d"))
    assert rendered(exact).r_squared == 1.0


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


@pytest.mark.parametrize(
    "scores",
    [
        [0.0, 0.0, 0.0, 0.0], [7.0, 7.0, 7.0, 7.0], [1e-100, -1e-100, 0.0, 2e-100],
        [1e100, -1e100, 1.7e101, 0.0], [1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3], [0.5, 0.5, -0.5, 1e9],
    ],
)  # fmt: skip
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


def test_what_has_no_interval_says_so():
    x = np.column_stack((X, X[:, 0]))
    ax = coefficient_table(x, Y, method="wald").plot(new_axes())
    assert [text.get_text().strip() for text in ax.texts] == [
        "not determined", "infinite, no interval", "not determined",
    ]  # fmt: skip


def test_a_linear_regression_has_a_linear_axis():
    ax = coefficient_table(X, X[:, 0], method="least squares").plot(new_axes())
    assert ax.get_xscale() == "linear"


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf"])
def test_files_have_the_same_bytes_and_warn_of_nothing(table, name, recwarn):
    first = forest_bytes(table, name, proven=False)
    assert first == forest_bytes(table, name, proven=False)
    assert not recwarn.list
