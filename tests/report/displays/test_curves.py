"""Curves: PLA's growth and trace, errors, residuals, rates and learning curves."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from tests.report.displays.drawn import new_axes, of_line, rendered


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
        flat = new_axes()
        figure, place = flat.figure, flat.get_position().bounds
        solid = rendered(sx.ResidualsDisplay.from_estimator(model, X, y, ax=flat))
        assert solid.ax_.name == "3d"
        assert figure.axes == [solid.ax_]
        assert solid.ax_.get_subplotspec().get_position(figure).bounds == place
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
    display = rendered(sx.ProjectionDisplay.from_estimator(model, X, y, ax=new_axes()))
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
    exact = sx.ProjectionDisplay.from_predictions(y, y, ax=new_axes())
    assert rendered(exact).r_squared == 1.0


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
