"""Made people: the target decides, and noise is what was said."""

import numpy as np
import pytest

from separatrix import (
    InputError,
    make_credit,
    make_graduation,
    make_noisy,
    make_separable,
    read_table,
)
from separatrix.course.datasets import points_table
from separatrix.kernels.exact import count_mistakes
from separatrix.tables import fit_encoding
from tests.tables_of_manifest import first_level_as_baseline

PEOPLE = pytest.mark.parametrize("maker", [make_credit, make_graduation])


def features_of(made, path, **options):
    """The features that read_table makes of the table's file, y, and the target's weights."""
    as_parquet = path.suffix == ".parquet"
    path.write_bytes(made.to_parquet() if as_parquet else made.to_csv().encode())
    table = read_table(path, label=made.label, **options)
    encoding = first_level_as_baseline(fit_encoding(table.columns, table.missing))
    X = encoding.encode(table.columns, table.lines)
    assert (table.no, table.yes) == ("no", "yes")
    assert sorted(encoding.feature_names) == sorted(made.weights)
    return table, X, np.array([made.intercept, *map(made.weights.get, encoding.feature_names)])


@PEOPLE
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("seed", range(8))
def test_the_target_makes_no_mistake_on_the_file(maker, suffix, seed, tmp_path):
    made = maker([10, 11, 13, 20, 50, 200, 500, 5000][seed], seed)
    table, X, w = features_of(made, tmp_path / f"t.{suffix}")
    assert count_mistakes(X, table.y, w, 1.0) == 0
    assert set(table.y.tolist()) == {-1.0, 1.0}
    assert table.n_dropped == 0
    assert not made.flipped.any()
    scores = X @ w[1:] + w[0]  # no rounding decides an answer
    assert np.abs(scores).min() >= (50.0 if maker is make_credit else 0.249)
    assert maker is make_graduation or (scores == np.rint(scores)).all()


@PEOPLE
def test_with_noise_it_makes_exactly_the_mistakes_told(maker, tmp_path):
    made = maker(400, 3, flip=0.1)
    table, X, w = features_of(made, tmp_path / "t.csv")
    wrong = np.sign(X @ w[1:] + w[0]) != table.y
    assert np.array_equal(wrong, made.flipped)
    assert 20 <= made.flipped.sum() <= 60
    assert made.columns == maker(400, 3).columns


@PEOPLE
def test_missing_cells_leave_features_and_answers_as_they_were(maker, tmp_path):
    whole, made = maker(400, 4), maker(400, 4, missing=0.1)
    table, X, w = features_of(made, tmp_path / "t.csv")
    cells = [cell for column in made.columns.values() for cell in column]
    assert 0.07 < cells.count(None) / len(cells) < 0.13
    assert 0 < table.n_dropped < 400
    assert count_mistakes(X, table.y, w, 1.0) == 0
    assert made.labels == whole.labels
    assert made.weights == whole.weights
    for name, column in made.columns.items():
        pairs = zip(column, whole.columns[name], strict=True)
        assert all(cell is None or cell == full for cell, full in pairs)
    # all cells missing but for the rows that keep every level
    bare = maker(60, 4, missing=1.0)
    table, X, w = features_of(bare, tmp_path / "bare.csv", missing="drop")
    assert 3 <= len(X) <= 9


@PEOPLE
def test_people_are_plausible_and_both_answers_are_common(maker):
    made = maker(2000, 5)
    assert 0.3 < made.labels.count("yes") / 2000 < 0.7
    columns = {name: np.array(column) for name, column in made.columns.items()}
    if maker is make_credit:
        assert columns["age"].min() >= 18
        assert (columns["years_in_job"] <= columns["age"] - 18).all()
        assert (columns["years_in_residence"] <= columns["age"]).all()
        assert (columns["current_debt"] <= columns["annual_salary"]).all()
        assert (columns["current_debt"] == 0).mean() > 0.2
    else:
        assert columns["gpa"].min() >= 1.0
        assert columns["gpa"].max() <= 4.0
        assert columns["failed_courses"].min() >= 0
        assert np.corrcoef(columns["gpa"], columns["failed_courses"])[0, 1] < -0.3
        assert columns["attendance_percent"].max() <= 100


@pytest.mark.parametrize(
    ("maker", "seed"), [(make_credit, 454), (make_credit, 883), (make_graduation, 579)]
)
def test_both_answers_occur_where_the_first_draw_has_one(maker, seed):
    assert set(maker(10, seed).labels) == {"no", "yes"}


def test_what_the_target_says_in_words():
    made = make_credit(50, flip=0.1)
    assert made.target.startswith("approved is yes if 100 age + annual_salary")
    assert "- 2 current_debt + 8000 [home=own]" in made.target
    assert made.target.endswith("> 43050, else no")
    assert "does not look at gender=male" in made.about
    rows = [int(k) for k in made.about.rsplit("in row ", 1)[1].rstrip(".").split(", ")]
    assert rows == (np.flatnonzero(made.flipped) + 1).tolist()
    assert "and 80 more" in make_credit(100, flip=1.0).about
    points = points_table(*make_separable(10, 2, target=[0.5, -1.0, 0.1]))
    assert points.target == "label is yes if -x1 + 0.1 x2 > -0.5, else no"
    assert "turned round" not in points.about


def test_points_read_back_to_the_same_doubles(tmp_path):
    for seed in range(5):
        points = make_noisy(200, 3, margin=[0.0, 1e-300, 0.1, 1e9, 1e150][seed], seed=seed)
        made = points_table(*points)
        for suffix in ("csv", "parquet"):
            table, X, w = features_of(made, tmp_path / f"p.{suffix}")
            assert np.array_equal(X, points.X)
            assert np.array_equal(table.y, points.y)
            assert np.array_equal(w, points.target)


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({"n": 9}, "--rows"), ({"missing": -0.1}, "^missing must"),
        ({"missing": 1.1}, "^missing must"),
        ({"flip": 2}, "--flip"), ({"seed": None}, "--seed"), ({"n": 10**12}, "memory"),
    ],
)  # fmt: skip
@PEOPLE
def test_people_that_cannot_be_are_refused(maker, how, word):
    with pytest.raises(InputError, match=word):
        maker(**how)
