"""Made points: the target, the margin and the noise are exactly what was asked for."""

import hashlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.course.datasets import points_table
from separatrix.course.datasets.demos import BREAST_CANCER, QUESTIONS
from separatrix.kernels.exact import count_mistakes
from separatrix.plain.score import exact_score
from separatrix.tables import fit_encoding
from tests.as_plain import labels, rows
from tests.hostile.profile import examples
from tests.shared_data import first_level_as_baseline


def least_margin_squared(X, y, w):
    """(min_n y (1, x).w)^2 / |w|^2 in fractions, row by row; negative on the wrong side."""
    exact = [Fraction(float(a)) for a in w]
    least = min(c * exact_score(exact, x) for x, c in zip(rows(X), labels(y), strict=True))
    return least * abs(least) / exact_score(exact, exact)


@examples(120)
@given(
    n=st.integers(2, 30),
    d=st.integers(1, 5),
    margin=st.one_of(st.just(0.0), st.floats(0, 3), st.floats(0, 1e200)),
    seed=st.integers(0, 10**9),
)
def test_the_margin_holds_exactly_and_both_labels_occur(n, d, margin, seed):
    X, y, w = sx.make_separable(n, d, margin, seed=seed)
    assert X.shape == (n, d)
    assert (y.dtype, w.shape) == (np.int64, (d + 1,))
    assert set(y.tolist()) == {-1, 1}
    least = least_margin_squared(X, y, w)
    assert least > 0
    assert least >= Fraction(margin) ** 2


@examples(80)
@given(
    target=st.tuples(*[st.floats(-1e6, 1e6)] * 3),
    scale=st.sampled_from([1.0, 1e-200, 1e200]),
    margin=st.sampled_from([0.0, 0.1, 2.0]),
)
def test_the_target_may_be_given(target, scale, margin):
    target = np.array(target) * scale
    assume(np.abs(target[1:]).max() > 1e-100 * np.abs(target[0]))  # else refused: below
    X, y, w = sx.make_separable(20, 2, margin, target=target)
    assert np.array_equal(w, target)
    assert least_margin_squared(X, y, w) >= Fraction(margin) ** 2


@examples(40)
@given(seed=st.integers(0, 10**6), flip=st.floats(0, 1))
def test_noise_turns_labels_round_and_says_which(seed, flip):
    X, y, w, flipped = sx.make_noisy(60, 3, flip=flip, seed=seed)
    clean = sx.make_separable(60, 3, seed=seed)
    assert np.array_equal(X, clean.X)
    assert np.array_equal(w, clean.target)
    assert np.array_equal(y != clean.y, flipped)
    assert count_mistakes(X, y.astype(float), w, 1.0) == flipped.sum()


def test_the_flipping_probability_is_one():
    flipped = sx.make_noisy(20_000, flip=0.3, seed=1).flipped
    assert flipped.mean() == pytest.approx(0.3, abs=0.015)  # four standard deviations and more
    first, second = flipped[:-1], flipped[1:]
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.0, abs=0.03)
    assert not sx.make_noisy(50, flip=0.0).flipped.any()
    assert sx.make_noisy(50, flip=1.0).flipped.all()


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def test_the_same_seed_makes_the_same_bytes():
    assert digest(*sx.make_noisy(500, 4, seed=7)) == digest(*sx.make_noisy(500, 4, seed=7))
    assert digest(*sx.make_noisy(500, 4, seed=7)) != digest(*sx.make_noisy(500, 4, seed=8))
    for maker in (sx.make_credit, sx.make_graduation):
        twice = [maker(200, 7, flip=0.1, missing=0.1) for _ in range(2)]
        assert twice[0].to_csv() == twice[1].to_csv()
        assert twice[0].to_parquet() == twice[1].to_parquet()
        assert twice[0].to_csv() != maker(200, 8, flip=0.1, missing=0.1).to_csv()
    # numpy integers are integers
    assert digest(*sx.make_separable(np.int64(9), seed=np.int32(7))) == digest(
        *sx.make_separable(9, seed=7)
    )


BAD = [
    ({"n": 1}, "--rows"), ({"n": 2.0}, "--rows"), ({"n": True}, "--rows"),
    ({"d": 0}, "--columns"), ({"margin": -0.1}, "--margin"), ({"margin": np.nan}, "--margin"),
    ({"margin": np.inf}, "--margin"), ({"margin": "0.1"}, "--margin"),
    ({"seed": -1}, "--seed"), ({"seed": 0.5}, "--seed"), ({"flip": 1.5}, "--flip"),
    ({"flip": np.nan}, "--flip"), ({"target": [1.0, 2.0]}, "target"),
    ({"target": [1.0, 0.0, 0.0]}, "target"), ({"target": [1.0, np.inf, 1.0]}, "target"),
    ({"target": "line"}, "target"), ({"n": 10**12}, "memory"),
    ({"target": [1e300, 1e-300, 0.0]}, "float64"), ({"margin": 1.7e308}, "float64"),
]  # fmt: skip


@pytest.mark.parametrize(("how", "word"), BAD)
def test_points_that_cannot_be_are_refused(how, word):
    with pytest.raises(sx.InputError, match=word):
        sx.make_noisy(**how)


PEOPLE = pytest.mark.parametrize("maker", [sx.make_credit, sx.make_graduation])


def features_of(made, path, **options):
    """The features that read_table makes of the table's file, y, and the target's weights."""
    as_parquet = path.suffix == ".parquet"
    path.write_bytes(made.to_parquet() if as_parquet else made.to_csv().encode())
    table = sx.read_table(path, label=made.label, **options)
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
    assert np.abs(scores).min() >= (50.0 if maker is sx.make_credit else 0.249)
    assert maker is sx.make_graduation or (scores == np.rint(scores)).all()


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


@pytest.mark.parametrize(
    ("maker", "seed"), [(sx.make_credit, 454), (sx.make_credit, 883), (sx.make_graduation, 579)]
)
def test_both_answers_occur_where_the_first_draw_has_one(maker, seed):
    assert set(maker(10, seed).labels) == {"no", "yes"}


def test_what_the_target_says_in_words():
    made = sx.make_credit(50, flip=0.1)
    assert made.target.startswith("approved is yes if 100 age + annual_salary")
    assert "- 2 current_debt + 8000 [home=own]" in made.target
    assert made.target.endswith("> 43050, else no")
    assert "does not look at gender=male" in made.about
    rows = [int(k) for k in made.about.rsplit("in row ", 1)[1].rstrip(".").split(", ")]
    assert rows == (np.flatnonzero(made.flipped) + 1).tolist()
    assert "and 80 more" in sx.make_credit(100, flip=1.0).about
    points = points_table(*sx.make_separable(10, 2, target=[0.5, -1.0, 0.1]))
    assert points.target == "label is yes if -x1 + 0.1 x2 > -0.5, else no"
    assert "turned round" not in points.about


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
    with pytest.raises(sx.InputError, match=word):
        maker(**how)


SHAPES = {
    "breast_cancer": ((569, 30), "benign", "malignant", 212),
    "iris_setosa": ((150, 4), "another species", "setosa", 50),
    "iris_versicolor_virginica": ((100, 4), "versicolor", "virginica", 50),
    "wine_0": ((178, 13), "another wine", "wine 0", 59),
    "wine_1_2": ((119, 13), "wine 1", "wine 2", 48),
    "digits_8": ((1797, 64), "another digit", "digit 8", 174),
    "digits_3_8": ((357, 64), "digit 3", "digit 8", 174),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_demonstration_table_is_the_real_one(name):
    shape, no, yes, n_yes = SHAPES[name]
    X, y, names = sx.load_demo(name)
    assert X.shape == shape
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert len(y) == len(X)
    assert len(names) == X.shape[1]
    assert np.unique(y).tolist() == [no, yes]  # in sorted order: the second is yes
    assert (y == yes).sum() == n_yes
    assert name == BREAST_CANCER or name in QUESTIONS


@pytest.mark.parametrize("name", ["digits_3_3", "digits_8_3", "iris", "", "wine_3", None])
def test_an_unknown_name_is_refused_with_the_list(name):
    with pytest.raises(sx.InputError, match="breast_cancer, iris_setosa") as refusal:
        sx.load_demo(name)
    assert "digits_0_1, digits_0_2, digits_0_3" in str(refusal.value)
