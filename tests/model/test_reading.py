"""Files that are not models are refused, and soon."""

import hashlib
import json
import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import separatrix as sx
from separatrix.model.strict import KEY, checksum, sealed
from separatrix.model.writing import as_data
from tests.model.files import DIALECT, THREE, from_a_table, noisy, origin, replaced, written

NO_FURTHER = {"direction_": None, "finite_weights_": None}


def columns(*of, monomials=None, **more):
    table = {"label": "y", "extra": ["y"], "columns": list(of)}
    return replaced(table=table | ({"monomials": monomials} if monomials else {}), **more)


def products(terms, degree=2, **more):
    """Two columns whose products are the features."""
    return columns(*THREE[:2], monomials={"degree": degree, "terms": terms, **more})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (replaced(format="pickle"), "format"),
        (replaced(version=1), "version is 1, not 2: learn the model again"),
        (replaced(version=True), "version is True"),
        (replaced(learner="os.system"), "not known"),
        (replaced(learner="LinearRegression", labels=7), "a regression has no labels"),
        (replaced(version="x" * 1000), "version is 'xxx"),
        (columns(*THREE, learner="LinearRegression"), "no yes / no answers"),
        (columns({**THREE[0], "fill": 10**400}, *THREE[1:]), "too large"),
        (replaced(learner="LogisticRegression", further=NO_FURTHER, parameters={}), "finite_weig"),
        (products([[0], [1], [0, 1]]), None),
        (products([[0], [1]]), "2 features, not 3"),
        (products([[0], [1], [0, 2]]), "from 0 to 1"),
        (products([[0], [1], []]), "0 factors"),
        (products([[0], [1], [0, 0, 1]]), "3 factors"),
        (products([[0], [1], [0, 1]], degree=0), "degree"),
        (products([[0], [1], [0, 1]], more=1), "'more'"),
        (origin(), None),
        (origin(dialect=None, format="parquet"), None),
        (origin(sha256=7), "sha256 is not as"),
        (origin(format=["csv"]), "format is not as"),
        (origin(dialect={"delimiter": ","}), "dialect has unknown or missing keys"),
        (origin(dialect={**DIALECT, "header": 1}), "header is not as it should be"),
        (origin(more=1), "'more'"),
        (replaced(surprise=1), "'surprise'"),
        (lambda d: {k: v for k, v in d.items() if k != "labels"}, "'labels'"),
        (replaced(weights=[1, "2"]), "no list of numbers"),
        (replaced(weights=[]), "0 numbers"),
        (replaced(weights=[10**400, 1, 2, 3]), "too large"),
        (replaced(weights={"a": 1}), "no list of numbers"),
        (replaced(labels={"kind": "text", "values": ["a"]}), "not two"),
        (replaced(labels={"kind": "text", "values": ["a", "a"]}), "not two"),
        (replaced(labels={"kind": "code", "values": ["a", "b"]}), "not two"),
        (replaced(features=["a"]), "1 features"),
        (replaced(parameters={"evil": 1}), "parameters"),
        (replaced(parameters={"fit_intercept": [1]}), "plain value"),
        (replaced(further={"direction_": [1.0]}), "'direction_'"),
        (columns(), "0 features"),
        (columns({"kind": "exec"}), "'exec'"),
        (lambda _: [1, 2], "format"),
    ],
)
def test_files_that_are_no_models_are_refused(tmp_path, change, words):
    path = written(tmp_path, change)
    if words is None:  # products and origins that are right
        sx.load(path)
        return
    with pytest.raises(sx.InputError, match=words):
        sx.load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "1e999"),
        ("[" * 100_000, "deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "deep"),
        ('{"a": ' + "9" * 10_000 + "}", "not JSON"),
        ("gASVKAAAAA==", "not JSON"),
        ('{"a": "\\ud800"}', "half a character"),
    ],
)
def test_text_that_is_no_safe_json_is_refused(tmp_path, text, words):
    with pytest.raises(sx.InputError, match=words):
        sx.load(written(tmp_path, text=text))


def test_files_that_are_no_files(tmp_path):
    for path, words in ((tmp_path, "regular|directory"), (tmp_path / "absent", "No such file")):
        with pytest.raises(sx.InputError, match=words):
            sx.load(path)
    (tmp_path / "latin").write_bytes(b"\xff\xfe{}")
    with pytest.raises(sx.InputError, match="not UTF-8 text, at byte 0"):
        sx.load(tmp_path / "latin")


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 200_000,
        '{"a": "' + '\\"' * 200_000,
        "[" + "[]," * 5_000_000,
        "[" + "1," * 10_000_000 + "1]",
        "1" * 2**24 + "e9",
        "[0." + "1" * 2**24 + "]",
    ],
    ids=["quotes", "a string without an end", "lists", "numbers", "digits", "decimals"],
)
def test_large_files_that_are_no_models_are_refused_soon(tmp_path, text):
    (tmp_path / "m").write_text(text)
    before = time.process_time()
    with pytest.raises(sx.InputError, match="no model file"):
        sx.load(tmp_path / "m")
    assert time.process_time() - before < 5.0


CHANGES = {
    "weight": lambda d: d["weights"].__setitem__(1, d["weights"][1] + 1.0),
    "level": lambda d: d["table"]["columns"][1]["levels"].__setitem__(2, "x"),
    "version of the checksum": lambda d: d.update(sha256=d["sha256"].upper()),
    "checksum of another kind": lambda d: d.update(sha256=7),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(tmp_path, name):
    data = from_a_table(tmp_path)
    CHANGES[name](data)
    (tmp_path / "m").write_text(json.dumps(data))
    with pytest.raises(sx.InputError, match="changed after it was written"):
        sx.load(tmp_path / "m")


def test_a_file_of_another_layout_is_the_same_file(tmp_path):
    data = from_a_table(tmp_path)
    before = sx.load(tmp_path / "m")
    backwards = dict(reversed(data.items()))
    for layout in ({"indent": 7}, {"separators": (",", ":")}, {"ensure_ascii": True}):
        (tmp_path / "m").write_text(json.dumps(backwards, **layout))
        assert sx.load(tmp_path / "m").coef_.tolist() == before.coef_.tolist()


def test_the_checksum_is_what_the_handbook_says(tmp_path):
    data = from_a_table(tmp_path)
    said = data.pop("sha256")
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == said


TABLE = "since;pay;home;x;y\n" + "".join(
    f"{1 + k % 28:02d}.01.2025;€ {k},5;{['yes', 'Yes', 'NO', 'no'][k % 4]};{k if k % 5 else ''};"
    f"{'no' if (k * 7) % 11 < 5 else 'yes'}\n"
    for k in range(40)
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "t.csv").write_text(TABLE)
    table = sx.read_table(
        folder / "t.csv", "y", parse=["money", "dates"], fold_case=True, missing="level"
    )
    verdict = sx.judge(table, fewest_nodes=5)
    sx.save(verdict.model, folder / "m.json")
    return table, (folder / "m.json").read_text()


def test_recipes_come_back_as_they_were(saved, tmp_path):
    table, text = saved
    (tmp_path / "m.json").write_text(text)
    assert [recipe.column for recipe in table.recipes] == ["since", "pay", "home", "x"]
    assert sx.load(tmp_path / "m.json").table_.recipes == table.recipes


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, {"first": "2025-13-01"}), (0, {"first": 5}), (0, {"first": "20250101"}),
        (0, {"order": "any"}), (0, {"parts": []}), (0, {"column": "pay"}), (0, {"column": "other"}),
        (0, {"kind": "other"}), (0, {"more": 1}), (1, {"decimal": ";"}), (1, {"unit": None}),
        (1, {"kind": "levels"}), (2, {"fold": 1}), (2, {"kept": 5}), (2, {"column": "x"}),
        (3, {"indicator": False}), (3, {"indicator": "yes"}),
    ],
)  # fmt: skip
def test_recipes_that_no_table_has_are_refused(saved, tmp_path, place, change):
    data = json.loads(saved[1])
    data["table"]["recipes"][place] |= change
    data[KEY] = checksum(data)
    (tmp_path / "m.json").write_text(json.dumps(data))
    with pytest.raises(sx.InputError, match="no model file that this version can use"):
        sx.load(tmp_path / "m.json")


def of_table(path, value):
    """A change of one member of the table, found by its path."""

    def change(data):
        at = data["table"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value(at[path[-1]]) if callable(value) else value

    return change


def columns_twice(data):
    data["table"]["columns"][0]["name"] = "s"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(features=["f"] * (len(d["weights"]) - 1)), "features are not those"),
        (columns_twice, "a column stands twice"),
        (of_table(["columns", 1, "levels"], ["u", "w", "v"]), "ascending order, each once"),
        (of_table(["columns", 1, "levels"], ["u", "u", "w"]), "ascending order, each once"),
        (of_table(["monomials", "terms", -1], [2, 0]), "factors of a term"),
        (lambda d: d["labels"].update(values=["no\0", "no"]), "cannot be held"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(tmp_path, change, words):
    data = from_a_table(tmp_path)
    data.update(learner="Pocket", parameters={}, further={})
    data["weights"][0] = 0.5
    change(data)
    (tmp_path / "m").write_text(json.dumps(sealed(data)))
    with pytest.raises(sx.InputError, match=words):
        sx.load(tmp_path / "m")


def three(**changes):
    """The file of three lines joined, changed."""

    def change(_):
        X, _ = noisy()
        return {
            **as_data(
                OneVsRestClassifier(sx.LinearRegressionClassifier()).fit(X, np.arange(80) % 3)
            ),
            **changes,
        }

    return change


PART = {"learner": "Perceptron", "parameters": {}, "weights": [0.0, 1.0], "further": {}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (three(rule="vote"), "rule 'vote' is not known"),
        (three(rule=["ova"]), "not known"),
        (three(models=[]), "0 models are not those of 3 labels"),
        (three(models=7), "models is no list"),
        (three(models=[PART]), "1 models"),
        (three(models=[PART, PART, {**PART, "weights": [1.0]}]), "different columns"),
        (three(models=[PART, PART, {**PART, "learner": "LinearRegression"}]), "no yes / no"),
        (three(models=[PART, PART, {**PART, "learner": "SVC"}]), "'SVC' is not known"),
        (three(models=[PART, PART, {**PART, "learner": "Pocket"}]), "different learners"),
        (three(models=[PART, PART, {**PART, "evil": 1}]), "'evil'"),
        (three(labels={"kind": "whole", "values": [1, 2, 2]}), "not two or more of one kind"),
        (three(labels={"kind": "whole", "values": [1]}), "not two or more"),
        (three(features=["a"]), "1 features"),
        (three(weights=[1.0]), "'weights'"),
    ],
)
def test_joined_models_that_are_none_are_refused(tmp_path, change, words):
    with pytest.raises(sx.InputError, match=words):
        sx.load(written(tmp_path, change))


def test_joined_models_that_cannot_be_saved(tmp_path):
    X, _ = noisy()
    y = np.arange(80) % 3
    with pytest.raises(sx.InputError, match="not fitted yet"):
        sx.save(OneVsRestClassifier(sx.Perceptron()), tmp_path / "m")
    with pytest.raises(sx.InputError, match="cannot save a DummyClassifier"):
        sx.save(OneVsOneClassifier(DummyClassifier()).fit(X, y), tmp_path / "m")
    several = OneVsRestClassifier(sx.LinearRegressionClassifier()).fit(X, np.eye(3, dtype=int)[y])
    with pytest.raises(sx.InputError, match="several labels at once"):
        sx.save(several, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rule", [OneVsRestClassifier, OneVsOneClassifier])
def test_two_labels_may_be_joined_too(rule, tmp_path):
    X, y = noisy()
    model = rule(sx.LinearRegressionClassifier()).fit(X, y)
    sx.save(model, tmp_path / "m")
    assert sx.load(tmp_path / "m").predict(X).tolist() == model.predict(X).tolist()
