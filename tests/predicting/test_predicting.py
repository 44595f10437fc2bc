"""Answers for a table by a model file."""

from __future__ import annotations

import csv
import io
import json
import warnings

import numpy as np
import pytest

from separatrix import (
    InputError,
    LogisticRegression,
    Perceptron,
    SeparatrixWarning,
    agree,
    judge,
    load,
    read_classes,
    read_table,
    save,
)
from separatrix.model import TableModel
from separatrix.model.checksum import sealed
from separatrix.predicting import agreeing as agreeing_rows
from separatrix.predicting import answers_csv
from separatrix.predicting.agreeing import learned_table
from separatrix.tables import Encoding, NumberEncoding, fit_encoding

TABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n,m,yes\n58,f,no\n23,f,no\n"


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    table = read_table(tmp_path / "t.csv", label="pays", missing="fill")
    encoding = fit_encoding(table.columns, "fill")
    X = encoding.encode(table.columns, table.lines)
    model = LogisticRegression().fit(X, np.where(table.y > 0, "yes", "no"))
    model.table_ = TableModel(encoding, table.label, table.extra)
    save(model, tmp_path / "m.json")
    return tmp_path, model, X


def test_probabilities_and_scores_read_back_to_the_same_doubles(saved):
    folder, model, X = saved
    rows = list(csv.DictReader(io.StringIO(answers_csv(folder / "m.json", folder / "t.csv"))))
    assert list(rows[0]) == ["line", "answer", "score", "probability_of_yes"]
    assert [float(r["score"]) for r in rows] == model.decision_function(X).tolist()
    assert [float(r["probability_of_yes"]) for r in rows] == model.predict_proba(X)[:, 1].tolist()
    assert [r["answer"] for r in rows] == model.predict(X).tolist()


def test_missing_values_are_filled_as_in_training(saved):
    folder = saved[0]
    median = 31  # of the ages in training
    (folder / "new.csv").write_text(f"age,sex\n?,f\n{median},f\n")
    rows = list(csv.DictReader(io.StringIO(answers_csv(folder / "m.json", folder / "new.csv"))))
    assert rows[0]["score"] == rows[1]["score"]


def test_a_model_of_arrays_knows_no_columns(tmp_path):
    save(Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="learned from arrays"):
        answers_csv(tmp_path / "m.json", tmp_path / "t.csv")


def explained(folder, table="t.csv", **options):
    text = answers_csv(folder / "m.json", folder / table, explain=True, **options)
    return list(csv.DictReader(io.StringIO(text)))


def test_the_parts_of_a_score_add_up_biggest_first(saved):
    folder, model, X = saved
    rows = explained(folder)
    assert list(rows[0])[-3:] == ["intercept", "part_1", "part_2"]
    for row, score, x in zip(rows, model.decision_function(X), X, strict=True):
        parts = [row[f"part_{k}"].split(" -> ") for k in (1, 2)]
        points = [float(p) for _, p in parts]
        assert float(row["intercept"]) == model.intercept_[0]
        assert float(row["intercept"]) + sum(points) == pytest.approx(score, rel=1e-15, abs=1e-15)
        assert abs(points[0]) >= abs(points[1])
        by_column = {name.split(":")[0]: p for (name, _), p in zip(parts, points, strict=True)}
        assert by_column == {"'age'": x[0] * model.coef_[0, 0], "'sex'": x[1] * model.coef_[0, 1]}
    words = {row[f"part_{k}"].split(" -> ")[0] for row in rows for k in (1, 2)}
    assert {"'age': 20", "'sex': 'f'", "'age': missing, taken as 31"} <= words
    # the other columns are as without parts
    assert answers_csv(folder / "m.json", folder / "t.csv").splitlines()[3] == ",".join(
        list(rows[2].values())[:4]
    )


def test_a_row_without_an_answer_has_no_parts(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE.replace("\n,m,yes", ""))
    table = read_table(tmp_path / "t.csv", label="pays")
    encoding = fit_encoding(table.columns, "drop")
    X = encoding.encode(table.columns, table.lines)
    model = LogisticRegression(C=1.0).fit(X, table.y)
    model.table_ = TableModel(encoding, table.label, table.extra)
    save(model, tmp_path / "m.json")
    (tmp_path / "new.csv").write_text("age,sex\n?,f\n30,m\n")
    rows = explained(tmp_path, "new.csv", missing="blank")
    assert rows[0] == {**dict.fromkeys(rows[0], ""), "line": "2"}
    assert rows[1]["part_1"] != ""


def test_products_are_parts(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n")
    table = read_table(tmp_path / "t.csv", label="y")
    encoding = fit_encoding(table.columns, "drop", 2)
    X = encoding.encode(table.columns, table.lines)
    model = Perceptron().fit(X, np.where(table.y > 0, "y", "n"))
    model.table_ = TableModel(encoding, table.label, table.extra)
    save(model, tmp_path / "m.json")
    rows = explained(tmp_path)
    assert [r["answer"] for r in rows] == ["n", "y", "y", "n"]
    last = sorted(rows[3][f"part_{k}"].split(" -> ")[0] for k in (1, 2, 3))
    assert last == ["'a b': 1", "'a': 1", "'b': 1"]


def test_of_many_labels_the_score_of_the_answer_is_explained(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{k},{'uvw'[k // 4]}\n" for k in range(12)))
    classes = read_classes(tmp_path / "t.csv", label="y")
    save(judge(classes, multiclass="ova").model, tmp_path / "m.json")
    for row in explained(tmp_path):
        score = float(row[f"score_of_{row['answer']}"])
        part = float(row["part_1"].split(" -> ")[1])
        assert float(row["intercept"]) + part == pytest.approx(score, rel=1e-12)
    with pytest.raises(InputError, match="answers many labels"):
        explained(tmp_path, learned_from=tmp_path / "t.csv")
    save(judge(classes, multiclass="ovo").model, tmp_path / "m.json")
    with pytest.raises(InputError, match=r"votes of 3 lines .*--multiclass ova"):
        explained(tmp_path)


def test_hostile_names_and_values_are_no_formulas(tmp_path):
    names = ["=cmd()", "+1", "@x", "\u202e"]
    rows = [[k, k % 3, "=1+1" if k > 2 else "-", k % 2] for k in range(8)]
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [[*names, "y"], *([*r, "no" if r[0] < 4 else "yes"] for r in rows)]
        )
    save(judge(read_table(tmp_path / "t.csv", label="y")).model, tmp_path / "m.json")
    for row in explained(tmp_path, missing="blank"):
        for k in range(1, 5):
            assert row[f"part_{k}"][:1] in ("'", '"', "")
            assert "\u202e" not in row[f"part_{k}"]


SEPARABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,no\n40,m,yes\n44,f,yes\n52,m,yes\n"


def learned_file(folder, content=SEPARABLE, /, **options):
    (folder / "t.csv").write_text(content)
    table = read_table(folder / "t.csv", label="pays", **options)
    save(judge(table).model, folder / "m.json")
    return table


def agreeing(folder, new, **options):
    (folder / "new.csv").write_text(new)
    options = {"learned_from": folder / "t.csv", **options}
    text = answers_csv(folder / "m.json", folder / "new.csv", **options)
    return [row["separating_lines"] for row in csv.DictReader(io.StringIO(text))]


def test_whether_all_separating_lines_agree(tmp_path):
    table = learned_file(tmp_path)
    new = "age,sex\n10,f\n22,f\n31,f\n35,f\n44,f\n60,f\n46,m\n"
    found = agreeing(tmp_path, new)
    X = fit_encoding(table.columns, "drop").encode(table.columns, table.lines)
    points = [[22.0, 0], [31, 0], [35, 0], [44, 0], [46, 1]]
    words = {"yes": "all say yes", "no": "all say no", "undecided": "the data do not decide"}
    want = [words[a] for a in agree(X, table.y, points)]
    assert [found[1], found[2], found[3], found[4], found[6]] == want
    assert len(set(found)) == 3


def test_whether_lines_agree_is_said_in_the_words_of_the_labels(tmp_path):
    new = "age,sex\n10,f\n35,f\n60,m\n"
    for rows in ("", "20,f,good\n"):
        content = SEPARABLE.replace("yes", "good").replace("no", "bad") + rows
        table = learned_file(tmp_path, content)
        assert (table.no, table.yes) == ("bad", "good")
        who = "all with the fewest mistakes" if rows else "all"
        undecided = "the data do not decide"
        assert agreeing(tmp_path, new) == [f"{who} say bad", undecided, f"{who} say good"]


def test_lines_are_asked_of_the_table_that_was_learned_from_and_of_no_other(tmp_path):
    learned_file(tmp_path)
    (tmp_path / "u.csv").write_text(SEPARABLE.replace("31", "32"))
    with pytest.raises(InputError, match=r"is not the table.*SHA-256 is .* the model remembers"):
        agreeing(tmp_path, "age,sex\n10,f\n", learned_from=tmp_path / "u.csv")
    # a model that does not remember it
    data = json.loads((tmp_path / "m.json").read_text())
    del data["table"]["origin"]
    (tmp_path / "m.json").write_text(json.dumps(sealed(data)))
    with pytest.warns(SeparatrixWarning, match="taken on trust"):
        assert agreeing(tmp_path, "age,sex\n22,f\n") == ["all say no"]


def test_on_overlapping_data_lines_with_the_fewest_mistakes_are_asked(tmp_path):
    learned_file(tmp_path, SEPARABLE + "20,f,yes\n")
    # one mistake is the fewest: the row added, whose twin says no; lines between 31 and 40
    asked = agreeing(tmp_path, "age,sex\n20,f\n60,m\n35,f\n")
    assert asked == [
        "all with the fewest mistakes say no",
        "all with the fewest mistakes say yes",
        "the data do not decide",
    ]


def test_a_row_left_undecided_by_a_limit_is_not_called_undecided_by_the_data(tmp_path, monkeypatch):
    r = np.random.default_rng(0)
    X, y = r.standard_normal((40, 5)).round(3), r.integers(0, 2, 40)
    lines = [",".join(map(str, [*x, "yn"[k]])) for x, k in zip(X.tolist(), y, strict=True)]
    learned_file(tmp_path, "\n".join(["a,b,c,d,e,pays", *lines]), yes="y")
    monkeypatch.setattr(agreeing_rows, "MOST_NODES", 1)
    with pytest.warns(SeparatrixWarning, match="undecided: limit: .*is open"):
        assert agreeing(tmp_path, "a,b,c,d,e\n1,2,3,4,5\n") == ["undecided: limit"]


def test_where_the_fewest_mistakes_are_open_that_is_said(tmp_path):
    learned_file(tmp_path, SEPARABLE + "20,f,yes\n")
    many = "age,sex\n" + "10,f\n" * 201
    with pytest.warns(SeparatrixWarning, match="open for every row: 201 rows would take long"):
        assert agreeing(tmp_path, many) == ["open"] * 201


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SEPARABLE.replace(",", ";").replace(";f", ",5;f"), {"decimal": ",", "delimiter": ";"}),
        (SEPARABLE.replace("40,m", "?,m"), {"missing": "fill"}),
        (SEPARABLE.replace("40,m", "?,m"), {"missing": "drop"}),
        (SEPARABLE + "33,m,\n", {"unlabelled": "drop"}),
        (SEPARABLE.replace("44,f,yes", "44,f,Yes"), {"fold_labels": True}),
        (SEPARABLE + "70,m,perhaps\n", {"yes": "yes"}),
        (SEPARABLE.replace("f,", "1,").replace("m,", "2,"), {"text": ["sex"]}),
    ],
    ids=["dialect", "fill", "drop", "unlabelled", "folded", "rest", "text"],
)
def test_the_table_is_read_again_as_it_was_read_then(tmp_path, text, options):
    table = learned_file(tmp_path, text, **options)
    model = load(tmp_path / "m.json")
    again = learned_table(model, tmp_path / "t.csv", {})
    assert again.y.tolist() == table.y.tolist()
    assert again.lines.tolist() == table.lines.tolist()
    encode = model.table_.encoding.encode
    assert (encode(again.columns, again.lines) == encode(table.columns, table.lines)).all()


def test_levels_never_seen_are_left_blank_when_asked(tmp_path):
    learned_file(tmp_path)
    (tmp_path / "n.csv").write_text("age,sex\n10,f\n11,x\n60,m\n")
    with pytest.raises(InputError, match=r"line 3.*'x' is not among .*--unknown blank"):
        answers_csv(tmp_path / "m.json", tmp_path / "n.csv")
    lines = answers_csv(tmp_path / "m.json", tmp_path / "n.csv", unknown="blank").splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == ["no", "", "yes"]


def test_probabilities_of_a_model_without_an_optimum_are_no_certainties(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n0,no\n1,no\n3,yes\n4,yes\n")
    verdict = judge(read_table(tmp_path / "t.csv", "y"))
    model = verdict.result("logistic regression").learner
    model.table_, model.classes_ = verdict.model.table_, np.array(["no", "yes"])
    save(model, tmp_path / "m.json")
    (tmp_path / "n.csv").write_text("x\n-5\n9\n")
    with pytest.warns(SeparatrixWarning, match="no certainties"):
        text = answers_csv(tmp_path / "m.json", tmp_path / "n.csv")
    assert [line.split(",")[3] for line in text.splitlines()[1:]] == ["0.0", "1.0"]


def test_a_probability_rounded_to_one_is_not_taken_for_a_missing_optimum(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n0,no\n1,yes\n2,no\n3,yes\n")
    verdict = judge(read_table(tmp_path / "t.csv", "y"))
    model = verdict.result("logistic regression").learner
    model.table_, model.classes_ = verdict.model.table_, np.array(["no", "yes"])
    save(model, tmp_path / "m.json")
    (tmp_path / "n.csv").write_text("x\n1e6\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = answers_csv(tmp_path / "m.json", tmp_path / "n.csv")
    assert text.splitlines()[1].split(",")[3] == "1.0"


def answers_with(labels, tmp_path):
    """What `predict` writes for two labels, and its warnings."""
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    model.classes_ = np.array(labels)
    encoding = Encoding((NumberEncoding("x", None),))
    model.table_ = TableModel(encoding, "y", ("y",))
    save(model, tmp_path / "m.json")
    (tmp_path / "n.csv").write_text("x\n-5\n5\n5\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = answers_csv(tmp_path / "m.json", tmp_path / "n.csv", explain=True)
    return [row["answer"] for row in csv.DictReader(io.StringIO(text, newline=""))], caught


@pytest.mark.parametrize(
    "label", ["=1+1", "+a", "-a", "@a", "\ta", "\ra", "--1", "+", "'=1", "-1 2"]
)
def test_trap_66_labels_that_a_spreadsheet_would_run_are_quoted_and_said_once(tmp_path, label):
    answers, caught = answers_with([label, "yes"], tmp_path)
    assert answers == [f"'{label}", "yes", "yes"]
    assert len(caught) == 1
    assert "quote mark" in str(caught[0].message)


@pytest.mark.parametrize("label", ["-1", "+1", "-1.5e3", "a=b", "yes", "'yes", "", " =1", "-.5"])
def test_trap_66_other_labels_stay_as_they_are(tmp_path, label):
    answers, caught = answers_with([label, "no"], tmp_path)
    assert (answers, caught) == ([label, "no", "no"], [])
