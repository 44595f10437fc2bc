"""Why a row is answered as it is."""

import csv
import io

import pytest

import separatrix as sx
from separatrix.predicting import answers_csv
from tests.exporting.databases import learned
from tests.predicting.files import TABLE


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
    model, *_ = learned(tmp_path / "t.csv", sx.LogisticRegression(C=1.0), label="pays")
    sx.save(model, tmp_path / "m.json")
    (tmp_path / "new.csv").write_text("age,sex\n?,f\n30,m\n")
    rows = explained(tmp_path, "new.csv", missing="blank")
    assert rows[0] == {**dict.fromkeys(rows[0], ""), "line": "2"}
    assert rows[1]["part_1"] != ""


def test_products_are_parts(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n")
    model, *_ = learned(tmp_path / "t.csv", sx.Perceptron(), degree=2, label="y")
    sx.save(model, tmp_path / "m.json")
    rows = explained(tmp_path)
    assert [r["answer"] for r in rows] == ["n", "y", "y", "n"]
    last = sorted(rows[3][f"part_{k}"].split(" -> ")[0] for k in (1, 2, 3))
    assert last == ["'a b': 1", "'a': 1", "'b': 1"]


def test_of_many_labels_the_score_of_the_answer_is_explained(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{k},{'uvw'[k // 4]}\n" for k in range(12)))
    classes = sx.read_classes(tmp_path / "t.csv", label="y")
    sx.save(sx.judge(classes, multiclass="ova").model, tmp_path / "m.json")
    for row in explained(tmp_path):
        score = float(row[f"score_of_{row['answer']}"])
        part = float(row["part_1"].split(" -> ")[1])
        assert float(row["intercept"]) + part == pytest.approx(score, rel=1e-12)
    with pytest.raises(sx.InputError, match="answers many labels"):
        explained(tmp_path, learned_from=tmp_path / "t.csv")
    sx.save(sx.judge(classes, multiclass="ovo").model, tmp_path / "m.json")
    with pytest.raises(sx.InputError, match=r"votes of 3 lines .*multiclass=.ova"):
        explained(tmp_path)


def test_hostile_names_and_values_are_no_formulas(tmp_path):
    names = ["=cmd()", "+1", "@x", "\u202e"]
    rows = [[k, k % 3, "=1+1" if k > 2 else "-", k % 2] for k in range(8)]
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [[*names, "y"], *([*r, "no" if r[0] < 4 else "yes"] for r in rows)]
        )
    sx.save(sx.judge(sx.read_table(tmp_path / "t.csv", label="y")).model, tmp_path / "m.json")
    for row in explained(tmp_path, missing="blank"):
        for k in range(1, 5):
            assert row[f"part_{k}"][:1] in ("'", '"', "")
            assert "\u202e" not in row[f"part_{k}"]


def test_numbers_keep_their_sign_and_cells_their_quotes(tmp_path):
    rows = "1,a,n\n2,b,y\n1,a,y\n2,b,n\n3,a,y\n1,b,n\n3,b,n\n" * 3
    (tmp_path / "t.csv").write_text(f"x,c,y\n{rows}")
    model = sx.judge(sx.read_table(tmp_path / "t.csv", "y"), learner="logistic").model
    sx.save(model, tmp_path / "m.json")
    (tmp_path / "plain.csv").write_text("x,c\n0,a\n-0.0,b\n0,a\n")
    (tmp_path / "odd.csv").write_text('x,c\n0,a\n-0.0,"a, b"\n0,a\n')
    plain = answers_csv(tmp_path / "m.json", tmp_path / "plain.csv", explain=True)
    odd = answers_csv(
        tmp_path / "m.json", tmp_path / "odd.csv", explain=True, unknown="blank"
    ).splitlines()
    assert [odd[k] for k in (0, 1, 3)] == [plain.splitlines()[k] for k in (0, 1, 3)]
    assert odd[2] == "3" + "," * (odd[0].count(","))
    parts = [sorted(line.split(",")[-2:])[1].split(" -> ") for line in plain.splitlines()[1:]]
    assert [words for words, _ in parts] == ["'x': 0", "'x': -0", "'x': 0"]
    assert parts[0] == parts[2] != parts[1]
