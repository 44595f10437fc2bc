"""Tables of more than two labels on the command line."""

import csv
import io
import json

import numpy as np
import pytest


@pytest.mark.parametrize(("rule", "questions"), [("ova", 3), ("ovo", 3)])
def test_many_labels_are_judged_saved_and_answered(run, tmp_path, iris, rule, questions):
    model = tmp_path / "m.json"
    options = ["learn", iris, "--label", "species", "--multiclass", rule]
    code, out, err = run(*options, "--json", "--model", model)
    separable = 1 if rule == "ova" else 2
    size = "separatrix: 150 rows, 4 features"
    assert (code, err) == (0, f"{size}\n{size}, {separable} of 3 separable\n")
    verdict = json.loads(out)
    assert verdict["format"] == "separatrix multiclass verdict"
    assert verdict["table"]["labels"] == ["setosa", "versicolor", "virginica"]
    assert len(verdict["questions"]) == questions
    assert verdict["questions"][0]["separability"]["separable"] is True
    assert verdict["questions"][-1]["separability"]["separable"] is False
    best = next(r for r in verdict["learners"] if r["name"] == verdict["winner"])
    assert best["cv_error"] < 0.1
    code, answers, _ = run("predict", model, iris, "--match-names")
    rows = list(csv.DictReader(io.StringIO(answers)))
    species = [line.rsplit(",", 1)[1] for line in iris.read_text().splitlines()[1:]]
    wrong = sum(r["answer"] != k for r, k in zip(rows, species, strict=True))
    assert (code, wrong) == (0, best["mistakes"])
    assert list(rows[0])[:5] == [
        "line", "answer", "score_of_setosa", "score_of_versicolor", "score_of_virginica",
    ]  # fmt: skip
    if rule == "ova":
        for r in rows:
            scores = [float(r[f"score_of_{k}"]) for k in verdict["table"]["labels"]]
            assert verdict["table"]["labels"][int(np.argmax(scores))] == r["answer"]
    code, text, _ = run(*options)
    assert code == 0
    assert "setosa" in text
    code, text, _ = run(*options, "--full")
    assert code == 0
    assert "Linearly separable, proven: setosa or" in text
    assert "file lines" in text
    for r in verdict["learners"]:
        assert f"{r['name']} *" if r is best else r["name"] in text


@pytest.mark.parametrize("rule", ["ova", "ovo"])
def test_many_labels_are_proven_and_verified(run, tmp_path, iris, rule):
    asked = [iris, "--label", "species", "--multiclass", rule]
    proof, model = tmp_path / "p.json", tmp_path / "m.json"
    code, _, err = run("learn", *asked, "--proof", proof, "--model", model)
    assert (code, model.exists()) == (0, True)
    assert f"separatrix verify {proof} {iris}" in err
    code, out, err = run("verify", proof, iris)
    assert (code, err) == (0, "")
    assert out.startswith("VERIFIED\nThe classes: column 'species'")
    rest = "the rest (no, 100" if rule == "ova" else "class 'setosa' (no, 50"
    assert f"class 'versicolor' (yes, 50 rows) against {rest} rows)" in out
    code, alone, err = run("prove", *asked, "-o", tmp_path / "s.json")
    assert (code, alone.count("Question ")) == (0, 3)
    assert f"VERIFIED\n{alone}" == run("verify", tmp_path / "s.json", iris)[1]
    code, out, _ = run("prove", *asked, "--degree", 2, "--drop", "sl", "-o", tmp_path / "d.json")
    assert code == 0
    assert run("verify", tmp_path / "d.json", tmp_path / "d.table.csv")[1] == f"VERIFIED\n{out}"
