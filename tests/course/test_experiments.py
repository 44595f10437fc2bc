"""Experiments: theorems hold in them, one seed gives one table, bad requests are refused."""

import numpy as np
import pytest

from separatrix import ExperimentDisplay, InputError, experiment
from separatrix.course.experiments import EXPERIMENTS
from separatrix.report.course import experiment_json

SMALL = {
    "learning-curve": {"rows": (12, 30), "repeats": 20},
    "bound": {"margins": (0.5, 0.1), "repeats": 3},
    "noise": {"flips": (0.0, 0.1), "rows": 60, "updates": 50, "repeats": 2},
    "warm-start": {"flips": (0.0, 0.1), "rows": 60, "repeats": 2},
    "pocket-cost": {"rows": (30, 60), "repeats": 2},
    "eta": {"etas": (0.1, 1.0), "updates": (0, 5, 20), "rows": 60},
}


def test_every_experiment_is_tried_here():
    assert set(SMALL) == set(EXPERIMENTS)


def test_the_simulated_curve_lies_within_three_standard_errors_at_ten_sizes():
    for seed in range(3):
        found = experiment("learning-curve", seed=seed)
        assert len(found.rows) == 10
        for value, error, formula in (
            ("E_in", "its standard error", "s^2 (1 - (d+1)/N)"),
            ("E_out", "standard error of it", "s^2 (1 + (d+1)/N)"),
        ):
            off = np.abs(found.column(value) - found.column(formula)) / found.column(error)
            assert off.max() <= 3.0


def test_noise_scales_the_curve():
    one, three = (experiment("learning-curve", noise=s, repeats=5, rows=(20,)) for s in (1.0, 3.0))
    np.testing.assert_allclose(three.column("E_in"), 9.0 * one.column("E_in"))


def test_updates_stay_below_their_bound():
    found = experiment("bound", repeats=5)
    assert not found.column("above its bound").any()
    assert (found.column("largest T") <= found.column("best bound")).all()
    assert (found.column("best bound") <= found.column("bound of the target")).all()


def test_the_target_makes_the_mistakes_of_the_flipping_and_the_pocket_fewer_than_pla():
    found = experiment("noise", flips=(0.0, 0.2), repeats=4)
    assert found.column("target E_in")[0] == found.column("pocket E_in")[0] == 0.0
    assert abs(found.column("target E_in")[1] - 0.2) < 0.06
    assert found.column("pocket E_in")[1] < found.column("PLA E_in")[1]
    assert found.column("pocket E_out")[1] >= 0.2  # nobody beats the target


def test_the_pocket_keeps_a_start_that_is_good():
    found = experiment("warm-start", **SMALL["warm-start"])
    from_regression, alone = (
        found.column("pocket from regression"),
        found.column("regression alone"),
    )
    assert (from_regression <= alone).all()
    assert np.isnan(found.column("T from zero")).tolist() == [False, True]


def test_descent_comes_near_the_certified_least():
    found = experiment("eta", etas=(1.0,), updates=(0, 10, 3000))
    least = found.settings["least E_in"]
    end = found.column("after 3000")
    assert (end >= least * (1 - 1e-12)).all()
    assert end[1] < least * (1 + 1e-3)  # in proportion to |grad|
    np.testing.assert_allclose(found.column("after 0"), np.log(2.0))


def test_progress_is_told_to_the_end():
    told = []
    experiment("bound", progress=lambda *parts: told.append(parts), **SMALL["bound"])
    assert told[0] == (0, 6)
    assert told[-1] == (6, 6)


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("tides", {}, "no experiment 'tides'"),
        ("bound", {"flips": (0.1,)}, "no parameter 'flips'"),
        ("bound", {"margins": ()}, "at least"),
        ("bound", {"margins": (float("nan"),)}, "--margins"),
        ("bound", {"rows": 2.5}, "--rows"),
        ("bound", {"seed": -1}, "--seed"),
        ("noise", {"flips": (1.5,)}, "from 0 to 1"),
        ("learning-curve", {"rows": (5,)}, "10 or more"),
    ],
)
def test_wishes_that_mean_nothing(name, asked, words):
    with pytest.raises(InputError, match=words):
        experiment(name, **asked)


def test_a_column_that_is_not_there():
    found = experiment("bound", margins=(0.5,), repeats=1)
    with pytest.raises(InputError, match="largest T"):
        found.column("smallest T")


def test_the_command_line_prints_a_table_and_json(run):
    asked = ("experiment", "bound", "--margins", "0.5,0.1", "--repeats", "3")
    (code, table, said), (other, data, err) = run(*asked), run(*asked, "--json")
    assert (code, other) == (0, 0), said + err
    assert "T exceeded floor(R^2 / rho^2) in 0 of 6 runs" in table
    expected = experiment("bound", margins=(0.5, 0.1), repeats=3)
    assert data == experiment_json(expected)


@pytest.mark.parametrize("name", SMALL)
def test_pictures_draw_the_figures(name):
    from matplotlib.figure import Figure

    found = experiment(name, **SMALL[name])
    picture = ExperimentDisplay.from_experiment(found, ax=Figure().subplots())
    for curve, line in picture.lines_.items():
        drawn = line.get_ydata()
        if name == "eta":
            row = next(r for r in found.rows if curve.startswith(f"eta = {r[1]:g}"))
            assert len(drawn) == len(row) - 2
        else:
            np.testing.assert_array_equal(drawn, found.column(curve))
