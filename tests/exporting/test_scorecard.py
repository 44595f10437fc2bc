"""Cards of whole points: every changed decision is counted, by Fractions here."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.multiclass import OneVsRestClassifier

import separatrix as sx
from separatrix.exporting import card_for_file
from tests.exporting.databases import learned, public
from tests.shared_data import needs_shared


def naive_total(card, row):
    """What a person adds up: row maps columns to values, as text for levels."""
    total = Fraction(0)
    for entry in card.entries:
        if entry.level is None:
            total += entry.points * Fraction(row[entry.column]) / entry.step
        elif row[entry.column] == entry.level:
            total += entry.points
    return total


def cells(table):
    columns = [
        c.values.tolist() if hasattr(c, "values") else [c.levels[k] for k in c.codes]
        for c in table.columns
    ]
    names = [c.name for c in table.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@needs_shared
@pytest.mark.parametrize("points", [1, 5, 100])
@pytest.mark.parametrize("name", ["crx_raw", "titanic_survival", "lizards", "wdbc", "endometrial"])
def test_changed_decisions_are_all_of_them(name, points):
    path, options, *_ = public(name)
    model, table, X = learned(path, sx.LogisticRegression(C=1.0), **options)
    card = sx.scorecard(model, table, points)
    says = [naive_total(card, row) > card.threshold for row in cells(table)]
    model_says = model.predict(X) == "yes"
    wrong = [
        int(line)
        for line, a, b in zip(table.lines, says, model_says, strict=True)
        if a != b
    ]  # fmt: skip
    assert list(card.changed) == wrong
    assert card.n_changed == len(wrong)
    assert card.n_rows == len(X)
    assert card.decide(X).tolist() == says
    assert max(abs(e.points) for e in card.entries) <= points
    assert all(type(e.points) is int for e in card.entries)


def test_a_total_on_the_threshold_is_a_no_exactly():
    X = np.array([[0.1 * k] for k in range(1, 11)])
    model = sx.LinearRegressionClassifier().fit(X, [0] * 5 + [1] * 5)
    card = sx.scorecard(model, X)
    assert card.n_changed == 0
    exact = [Fraction(x) * card.weights[1] + card.weights[0] > 0 for x in X[:, 0].tolist()]
    assert card.decide(X).tolist() == exact


@pytest.mark.parametrize("seed", range(8))
def test_no_scale_and_no_threshold_changes_fewer(seed):
    """By trying them all, in Fractions, on tenths: many totals fall on whole numbers."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, size=(25, 3)) / 10
    y = np.arange(25) % 2
    model = sx.LinearRegressionClassifier().fit(X, y)
    card = sx.scorecard(model, X, 4)
    steps = [entry.step for entry in card.entries]
    assert all(step < 1 for step in steps)
    weights = [Fraction(w) * step for w, step in zip(model.coef_[0].tolist(), steps, strict=True)]
    fewest = []
    for size in range(1, 5):
        points = [round(size * w / max(map(abs, weights))) for w in weights]
        totals = [
            sum(p * Fraction(x) / s for p, x, s in zip(points, row, steps, strict=True))
            for row in X.tolist()
        ]
        fewest += [
            sum((t > k) != (a == 1) for t, a in zip(totals, model.predict(X), strict=True))
            for k in range(-60, 61)
        ]
    assert card.n_changed == min(fewest)


def test_text_and_json_say_the_same(tmp_path):
    (tmp_path / "t.csv").write_text(
        "age,sex,y\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n,m,yes\n58,f,yes\n23,f,no\n"
    )
    model, table, _ = learned(tmp_path / "t.csv", sx.LogisticRegression(C=1.0), label="y")
    card = sx.scorecard(model, table)
    data = json.loads(card.to_json())
    assert data["format"] == "separatrix scorecard"
    assert data["threshold"] == card.threshold
    assert data["points"][0] == {"column": "age", "step": "2", "points": card.entries[0].points}
    assert data["points"][1] == {"column": "sex", "level": "f", "points": 0}
    assert data["changed"] == len(data["changed_lines"])
    text = card.to_text()
    assert f"'yes' if the points add up to more than {card.threshold}, else 'no'" in text
    assert "'age'" in text
    assert "for every 2" in text
    assert "On 7 rows every decision is the model's (counted exactly)." in text
    # rows need no label, and those without a value are left out
    assert card_for_file(model, tmp_path / "t.csv", 100) == card


def test_the_card_says_what_missing_values_count_as_and_since_when(tmp_path):
    rng = np.random.default_rng(4)
    start = np.datetime64("2024-05-01")
    lines = ["day,rate,town,y"]
    for k in range(120):
        rate, day, gone = round(rng.normal(5, 1), 1), int(rng.integers(0, 300)), k % 4 == 0
        yes = rng.random() < (0.8 if gone else 0.5 + 0.4 * np.sign(rate - 5) * (day > 100))
        when, town = start + day * (k > 0), "" if k % 5 == 0 else "ab"[k % 2]
        lines.append(f"{when},{'' if gone else rate},{town},{'yes' if yes else 'no'}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    table = sx.read_table(tmp_path / "t.csv", "y", parse=["dates"], missing="level")
    model = sx.judge(table).model
    card = card_for_file(model, tmp_path / "t.csv", 100)
    fills = dict(card.taken_as)
    assert set(fills) == {"day (days)", "rate"}
    assert card.days_since == (("day (days)", "2024-05-01"),)
    text, data = card.to_text(), json.loads(card.to_json())
    assert "'day (days)' counts the days since 2024-05-01.\n" in text
    assert f"'rate' missing: taken as {fills['rate']}, and 'rate (missing)' is 1 (oth" in text
    assert data["missing_taken_as"] == fills
    assert data["days_since"] == {"day (days)": "2024-05-01"}
    rows = [
        {name: fills[name] if v != v else v for name, v in row.items()}  # noqa: PLR0124  # NaN
        for row in cells(table)
    ]
    said = np.array([naive_total(card, row) > card.threshold for row in rows])
    del model.feature_names_in_  # the rows are arrays
    answers = model.predict(model.table_.encoding.encode(table.columns, table.lines)) == "yes"
    wrong = table.lines[said != answers]
    assert list(card.changed) == wrong.tolist()


@needs_shared
def test_the_text_names_the_rows_that_changed():
    path, options, *_ = public("titanic_survival")
    model, table, _ = learned(path, sx.LogisticRegression(C=1.0), **options)
    card = sx.scorecard(model, table, 2)
    assert card.n_changed > 12
    text = card.to_text()
    assert f"{card.n_changed} decisions changed" in text
    assert f"line {card.changed[0]}, {card.changed[1]}, " in text
    assert f"and {card.n_changed - 12} more" in text


def test_columns_of_any_size_and_none_that_matters():
    X = np.array([[1e-200, 1e200, 7.0], [3e-200, 2e200, 7.0], [5e-200, -1e200, 7.0]])
    card = sx.scorecard(sx.Perceptron(max_iter=2000).fit(X, [0, 0, 1]), X)
    assert card.n_changed == 0
    always = sx.LinearRegressionClassifier().fit(X, [0, 1, 1])
    always.coef_, always.intercept_ = np.zeros((1, 3)), np.array([1.0])
    assert sx.scorecard(always, X).decide(X).all()


def test_refusals(tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    model = sx.LinearRegressionClassifier().fit(X, [0, 1] * 3)
    for points in (0, 1.5, True, 10**6):
        with pytest.raises(sx.InputError, match="whole number from 1"):
            sx.scorecard(model, X, points)
    with pytest.raises(sx.InputError, match="many labels"):
        sx.scorecard(OneVsRestClassifier(sx.LinearRegressionClassifier()).fit(X, [0, 1, 2] * 2), X)
    with pytest.raises(sx.InputError, match="rows have 1 columns and the model has 2"):
        sx.scorecard(model, X[:, :1])
    with pytest.raises(sx.InputError, match="knows no columns"):
        card_for_file(model, tmp_path / "t.csv", 10)
    frame = pd.DataFrame(X, columns=["a", "b"])
    card = sx.scorecard(sx.LinearRegressionClassifier().fit(frame, [0, 1] * 3), frame)
    assert [e.column for e in card.entries] == ["a", "b"]


def test_steps_of_whole_numbers_are_whole(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("children,height,y\n0,1.6,no\n1,1.7,no\n3,1.9,yes\n2,1.8,yes\n")
    model, table, _ = learned(path, sx.LogisticRegression(C=1.0), label="y", yes="yes")
    assert [e.step for e in sx.scorecard(model, table, 5).entries] == [1, Fraction(1, 50)]


def test_points_for_a_missing_value_are_warned_of_with_their_rows(tmp_path):
    for label, warned in (("yes", True), ("no", False)):
        other = "no" if label == "yes" else "yes"
        rows = [f"{k % 5},{k},{label if k % 5 == 1 else other}" for k in range(20)]
        text = "rate,x,y\n" + "\n".join(r.removeprefix("1") if r[0] == "1" else r for r in rows)
        (tmp_path / "t.csv").write_text(text + "\n")
        table = sx.read_table(tmp_path / "t.csv", "y", yes="yes", missing="level")
        card = sx.scorecard(sx.judge(table, learner="linear", fewest_nodes=50).model, table)
        found = "Warning: a missing value adds " in card.to_text()
        assert found is warned is bool(card.blank_earns)
        if warned:
            assert card.blank_earns[0][2] == (3, 8, 13, 18)
            assert "4 rows of 20 (line 3, 8, 13, 18)" in card.to_text()
