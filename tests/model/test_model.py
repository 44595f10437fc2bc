"""Model files: bit-identical after a round trip, and safe to load."""

from __future__ import annotations

import hashlib
import json
import time
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.dummy import DummyClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from separatrix import (
    AveragedPerceptron,
    CoordinateDescent01,
    DualPerceptron,
    InputError,
    LinearRegression,
    LinearRegressionClassifier,
    LogisticRegression,
    MarginPerceptron,
    NoFiniteOptimumWarning,
    NotConvergedWarning,
    PassiveAggressive,
    Perceptron,
    Pocket,
    RatchetPocket,
    VotedPerceptron,
    judge,
    load,
    read_table,
    save,
)
from separatrix.learners.baseline import Baseline
from separatrix.model.checksum import sealed
from separatrix.model.kinds import LEARNERS
from separatrix.model.writing import as_data


def noisy(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1e-3, 1.0, 1e5]
    y = np.where(X @ [1e3, 1.0, -1e-5] + rng.normal(size=n) > 0, "yes", "no")
    return X, y


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(max_iter=20, sign_of_zero=-1),
        Pocket(max_updates=100, random_state=0),
        RatchetPocket(max_updates=100, random_state=0),
        CoordinateDescent01(max_updates=20, random_state=0),
        AveragedPerceptron(learning_rate=0.1),
        MarginPerceptron(margin=2.5, max_iter=20),
        PassiveAggressive(variant="PA-II"),
        LinearRegressionClassifier(),
        LogisticRegression(),
        LogisticRegression(C=0.5),
        Baseline(answer=-1),
        VotedPerceptron(max_iter=3),
        VotedPerceptron(init="regression", fit_intercept=False, visit="permuted"),
        VotedPerceptron(max_updates=0),
        DualPerceptron(max_iter=5),
        DualPerceptron(kernel="polynomial", degree=2, gamma=0.5, coef0=2.0, max_iter=5),
        DualPerceptron(kernel="rbf", max_iter=5),
    ],
    ids=lambda m: type(m).__name__,
)
def test_a_round_trip_predicts_bit_for_bit(learner, tmp_path):
    X, y = noisy()
    learner.fit(X, y)
    save(learner, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert type(again) is type(learner)
    assert again.get_params() == learner.get_params()
    assert again.decision_function(X).tobytes() == learner.decision_function(X).tobytes()
    assert again.predict(X).tolist() == learner.predict(X).tolist()
    assert again.table_ is None
    if hasattr(learner, "predict_proba"):
        assert again.predict_proba(X).tobytes() == learner.predict_proba(X).tobytes()
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


KEEP_ROWS = [VotedPerceptron(max_iter=3), DualPerceptron(kernel="rbf", gamma=0.1, max_iter=5)]


@pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")
@pytest.mark.parametrize("learner", KEEP_ROWS, ids=lambda m: type(m).__name__)
def test_votes_and_kernels_keep_sparse_rows_sparse(learner, tmp_path):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 500), density=0.01, random_state=rng, format="csr")
    y = np.where(X.sum(axis=1) > np.median(X.sum(axis=1)), "yes", "no")
    learner.fit(X, y)
    save(learner, tmp_path / "m")
    rows = json.loads((tmp_path / "m").read_text())["further"]["rows"]
    assert rows["columns"] == 500
    assert sum(map(len, rows["values"])) < 10 * 60
    again = load(tmp_path / "m")
    for new in (X, X.toarray()):
        assert again.decision_function(new).tobytes() == learner.decision_function(new).tobytes()


def test_a_kernel_that_is_a_program_is_refused(tmp_path):
    X, y = noisy()
    model = DualPerceptron(kernel=lambda a, b: a @ b.T, max_updates=5, max_iter=None)
    with pytest.warns(NotConvergedWarning):
        model.fit(X, y)
    with pytest.raises(InputError, match="Python function for a kernel"):
        save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_load_would_not_read_is_not_written(tmp_path, monkeypatch):
    X, y = noisy()
    model = VotedPerceptron(max_iter=1).fit(X, y)
    save(model, tmp_path / "m")
    size = (tmp_path / "m").stat().st_size
    monkeypatch.setattr("separatrix.model.writing.LARGEST_FILE", size - 1)
    with pytest.raises(InputError, match=f"takes {size:,} bytes.*at most {size - 1:,}"):
        save(model, tmp_path / "n")


def kept(name, **changes):
    """The file of a voted or dual perceptron, its `further` changed."""

    def change(_):
        X, y = noisy()
        learner = {"voted": VotedPerceptron(max_iter=1), "dual": DualPerceptron(kernel="rbf")}[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = as_data(learner.fit(X, y))
        for key, value in changes.items():
            if key in data:
                data[key] = value
            else:
                data["further"][key] = value
        return data

    return change


ROW = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (kept("voted", weights=[1.0, 2.0, 3.0, 4.0]), "has no weights"),
        (kept("voted", votes=[1]), "votes has 1 numbers"),
        (kept("voted", visited=[10**6]), "visited is no list of whole numbers"),
        (kept("voted", visited=[-1]), "visited is no list of whole numbers"),
        (kept("voted", visited=[0], votes=[2**53 - 1, 2**53 - 1]), "too many votes"),
        (kept("voted", signs=[2]), "signs"),
        (kept("voted", start=[0.0]), "start has 1 numbers"),
        (kept("voted", intercept=1), "no truth value"),
        (kept("voted", surprise=1), "'surprise'"),
        (kept("dual", rows={"columns": 3, "values": [ROW]}), "'places'"),
        (kept("dual", rows={"columns": 0, "values": [], "places": None}), "no count of columns"),
        (kept("dual", rows={"columns": 2, "values": [ROW], "places": None}), "a row has 3"),
        (
            kept("dual", rows={"columns": 9, "values": [ROW], "places": [[2, 1, 3]]}),
            "ascending",
        ),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2]]}), "a row has 3"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2, 9]]}), "from 0 to 8"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": []}), "places"),
        (kept("dual", updates=[1]), "updates has 1 numbers"),
        (kept("dual", signs=[0]), "signs"),
        (kept("dual", parameters={"kernel": "exec"}), "kernel='exec'"),
        (kept("dual", parameters={"gamma": "wide"}), "kernel cannot be used"),
    ],
)
def test_votes_and_kernels_that_are_none_are_refused(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, change))


def three(**changes):
    """The file of three lines joined, changed."""

    def change(_):
        X, _ = noisy()
        return {
            **as_data(OneVsRestClassifier(LinearRegressionClassifier()).fit(X, np.arange(80) % 3)),
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
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, change))


def test_joined_models_that_cannot_be_saved(tmp_path):
    X, _ = noisy()
    y = np.arange(80) % 3
    with pytest.raises(InputError, match="not fitted yet"):
        save(OneVsRestClassifier(Perceptron()), tmp_path / "m")
    with pytest.raises(InputError, match="cannot save a DummyClassifier"):
        save(OneVsOneClassifier(DummyClassifier()).fit(X, y), tmp_path / "m")
    several = OneVsRestClassifier(LinearRegressionClassifier()).fit(X, np.eye(3, dtype=int)[y])
    with pytest.raises(InputError, match="several labels at once"):
        save(several, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rule", [OneVsRestClassifier, OneVsOneClassifier])
def test_two_labels_may_be_joined_too(rule, tmp_path):
    X, y = noisy()
    model = rule(LinearRegressionClassifier()).fit(X, y)
    save(model, tmp_path / "m")
    assert load(tmp_path / "m").predict(X).tolist() == model.predict(X).tolist()


def test_numbers_as_labels_and_names_of_columns_survive(tmp_path):
    X, y = noisy()
    frame = pd.DataFrame(X, columns=["a", "<script>", "=cmd()"])
    model = LinearRegressionClassifier().fit(frame, np.where(y == "yes", 1, 0))
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.predict(frame).dtype.kind == "i"
    assert again.feature_names_in_.tolist() == ["a", "<script>", "=cmd()"]


def test_regression_and_limits_survive(tmp_path):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    line = LinearRegression().fit(X, [1.0, 2.0, 3.5, 3.0])
    save(line, tmp_path / "line")
    assert load(tmp_path / "line").predict(X).tobytes() == line.predict(X).tobytes()
    with pytest.warns(NoFiniteOptimumWarning):
        limit = LogisticRegression().fit(X, [0, 0, 1, 1])
    save(limit, tmp_path / "limit")
    assert load(tmp_path / "limit").predict_proba(X)[:, 1].tolist() == [0, 0, 1, 1]


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(InputError, match="not fitted"):
        save(Perceptron(), tmp_path / "m")
    with pytest.raises(InputError, match="cannot save a dict"):
        save({}, tmp_path / "m")
    X, y = noisy()
    with pytest.raises(InputError, match="does not exist"):
        save(LinearRegressionClassifier().fit(X, y), tmp_path / "no" / "m")
    assert list(tmp_path.iterdir()) == []


def written(tmp_path, change=lambda data: data, text=None):
    X, y = noisy()
    save(LinearRegressionClassifier().fit(X, y), tmp_path / "m")
    if text is None:
        changed = change(json.loads((tmp_path / "m").read_text()))
        text = json.dumps(sealed(changed) if isinstance(changed, dict) else changed)
    (tmp_path / "m").write_text(text)
    return tmp_path / "m"


def replaced(**values):
    return lambda data: {**data, **values}


THREE = [{"name": name, "kind": "number", "fill": None} for name in "abc"]


def products(terms, degree=2, **more):
    """Two columns whose products are the features."""
    monomials = {"degree": degree, "terms": terms, **more}
    return replaced(
        table={"label": "y", "extra": ["y"], "columns": THREE[:2], "monomials": monomials}
    )


DIALECT = {"delimiter": ";", "encoding": "utf-8", "header": True, "quote": "", "decimal": ","}


def origin(**changes):
    """A model that remembers the table it was learned from."""
    kept = {"sha256": "0a" * 32, "format": "csv", "dialect": DIALECT, **changes}
    return replaced(table={"label": "y", "extra": ["y"], "columns": THREE, "origin": kept})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (replaced(format="pickle"), "format"),
        (replaced(version=1), "version is 1, not 2: learn the model again"),
        (replaced(version=True), "version is True"),
        (replaced(learner="os.system"), "not known"),
        (replaced(learner="LinearRegression", labels=7), "a regression has no labels"),
        (replaced(version=1.0), "version is 1.0"),
        (replaced(version="x" * 1000), "version is 'xxx"),
        (
            replaced(
                learner="LinearRegression",
                table={"label": "y", "extra": ["y"], "columns": [THREE[0], THREE[1], THREE[2]]},
            ),
            "no yes / no answers",
        ),
        (
            replaced(
                table={
                    "label": "y",
                    "extra": ["y"],
                    "columns": [{**THREE[0], "fill": 10**400}, *THREE[1:]],
                }
            ),
            "too large",
        ),
        (
            replaced(
                learner="LogisticRegression",
                further={"direction_": None, "finite_weights_": None},
                parameters={},
            ),
            "finite_weights_",
        ),
        (products([[0], [1], [0, 1]]), None),
        (products([[0], [1]]), "2 features, not 3"),
        (products([[0], [1], [0, 2]]), "from 0 to 1"),
        (products([[0], [1], []]), "0 factors"),
        (products([[0], [1], [0, 0, 1]]), "3 factors"),
        (products([[0], [1], [0, 1]], degree=0), "degree"),
        (products([[0], [1], [0, 1]], more=1), "'more'"),
        (origin(), None),
        (origin(dialect=None, format="parquet"), None),
        (origin(sha256="0" * 63), "no SHA-256"),
        (origin(sha256=7), "no SHA-256"),
        (origin(format="exec"), "'exec'"),
        (origin(format=["csv"]), "of format"),
        (origin(dialect={"delimiter": ","}), "dialect has unknown or missing keys"),
        (origin(dialect={**DIALECT, "header": 1}), "dialect is not as it should be"),
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
        (replaced(table={"label": "y", "extra": ["y"], "columns": []}), "0 features"),
        (replaced(table={"label": "y", "extra": ["y"], "columns": [{"kind": "exec"}]}), "'exec'"),
        (lambda _: [1, 2], "format"),
    ],
)
def test_files_that_are_no_models_are_refused(tmp_path, change, words):
    path = written(tmp_path, change)
    if words is None:  # products and origins that are right
        load(path)
        return
    with pytest.raises(InputError, match=words):
        load(path)


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
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, text=text))


def test_brackets_in_strings_are_not_depth(tmp_path):
    X, y = noisy()
    frame = pd.DataFrame(X, columns=["[" * 50, '"\\' + "{" * 50, "c"])
    save(LinearRegressionClassifier().fit(frame, y), tmp_path / "m")
    assert load(tmp_path / "m").feature_names_in_[0] == "[" * 50


def test_files_that_are_no_files(tmp_path):
    for path, words in ((tmp_path, "regular|directory"), (tmp_path / "absent", "No such file")):
        with pytest.raises(InputError, match=words):
            load(path)
    (tmp_path / "latin").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="UTF-8 at byte 0"):
        load(tmp_path / "latin")


def test_saving_replaces_whole_files(tmp_path):
    path = written(tmp_path, text="old")
    X, y = noisy()
    save(LinearRegressionClassifier().fit(X, y), path)
    assert load(path).predict(X).shape == (80,)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


# ---------------------------------------------------------------- what a file says of itself


def from_a_table(tmp_path, **changes):
    """The file of a model of a table with products, as JSON."""
    (tmp_path / "t.csv").write_text("a,s,y\n1,u,no\n2,v,yes\n3,w,no\n4,u,yes\n5,v,yes\n7,w,no\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = judge(read_table(tmp_path / "t.csv", "y"), degree=2, **changes)
    save(verdict.model, tmp_path / "m")
    return json.loads((tmp_path / "m").read_text())


CHANGES = {
    "weight": lambda d: d["weights"].__setitem__(1, d["weights"][1] + 1.0),
    "term": lambda d: d["table"]["monomials"]["terms"].reverse(),
    "parameter": lambda d: d["parameters"].update(fit_intercept=1),
    "dialect": lambda d: d["table"]["origin"]["dialect"].update(delimiter=";"),
    "label": lambda d: d["labels"]["values"].reverse(),
    "level": lambda d: d["table"]["columns"][1]["levels"].__setitem__(2, "x"),
    "version of the checksum": lambda d: d.update(sha256=d["sha256"].upper()),
    "checksum": lambda d: d.update(sha256="0" * 64),
    "checksum of another kind": lambda d: d.update(sha256=7),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(tmp_path, name):
    data = from_a_table(tmp_path)
    CHANGES[name](data)
    (tmp_path / "m").write_text(json.dumps(data))
    with pytest.raises(InputError, match="changed after it was written"):
        load(tmp_path / "m")


def test_a_file_of_another_layout_is_the_same_file(tmp_path):
    data = from_a_table(tmp_path)
    before = load(tmp_path / "m")
    backwards = dict(reversed(data.items()))
    for layout in ({"indent": 7}, {"separators": (",", ":")}, {"ensure_ascii": True}):
        (tmp_path / "m").write_text(json.dumps(backwards, **layout))
        assert load(tmp_path / "m").coef_.tolist() == before.coef_.tolist()


def test_the_checksum_is_what_the_handbook_says(tmp_path):
    data = from_a_table(tmp_path)
    said = data.pop("sha256")
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == said


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


def logistic(**changes):
    def change(data):
        d = len(data["weights"])
        data.update(learner="LogisticRegression", parameters={})
        data["further"] = {"direction_": None, "finite_weights_": list(data["weights"])}
        for key, value in changes.items():
            (data["parameters"] if key == "C" else data["further"])[key] = value(d)

    return change


def baseline(answer, weights):
    def change(data):
        data.update(learner="Baseline", parameters={"answer": answer}, further={})
        data["weights"] = [*weights, *[0.0] * (len(data["weights"]) - len(weights))]

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(features=["f"] * (len(d["weights"]) - 1)), "features are not those"),
        (columns_twice, "a column stands twice"),
        (of_table(["extra"], ["y", "y"]), "extra stands twice"),
        (of_table(["extra"], []), "extra must name the label"),
        (of_table(["extra"], ["y", "a"]), "no feature column"),
        (of_table(["columns", 1, "levels"], ["v", "u", "w"]), "ascending order, each once"),
        (of_table(["columns", 1, "levels"], ["u", "u", "w"]), "ascending order, each once"),
        (of_table(["monomials", "terms", 1], [0]), "a term stands twice"),
        (of_table(["monomials", "terms", -1], [2, 0]), "factors of a term"),
        (of_table(["monomials", "degree"], 10**9), "too many products"),
        (of_table(["origin", "weight"], "w"), "extra must name the column of weights"),
        (of_table(["origin", "format"], "parquet"), "the format is parquet"),
        (of_table(["origin", "dialect"], None), "the format is csv"),
        (of_table(["origin", "format"], "svmlight"), "not that of a LIBSVM file"),
        (of_table(["origin", "dialect", "delimiter"], "ab"), "one character"),
        (of_table(["origin", "dialect", "delimiter"], "."), "contradicts itself"),
        (of_table(["origin", "dialect", "decimal"], ";"), "dialect cannot be used"),
        (of_table(["origin", "dialect", "quote"], "."), "contradicts itself"),
        (of_table(["origin", "dialect", "encoding"], "no such"), "unknown encoding"),
        (of_table(["origin", "dialect", "encoding"], "rot13"), "contradicts itself"),
        (lambda d: d.update(parameters={"fit_intercept": False}), "w_0 is not 0"),
        (logistic(finite_weights_=lambda d: [1.0] * d), "finite_weights_ are not the weights"),
        (logistic(direction_=lambda d: [0.0] * d), "direction_ is 0"),
        (logistic(direction_=lambda d: [1.0] * d, C=lambda _: 1.0), "C is finite"),
        (logistic(direction_=lambda d: [1.0] * d, C=lambda _: "inf"), None),
        (baseline(1, [1.0]), None),
        (baseline(1, [-1.0]), "parameter answer"),
        (baseline(1, [1.0, 1.0]), "parameter answer"),
        (baseline(2, [2.0]), "parameter answer"),
        (lambda d: d["labels"].update(values=["no\0", "no"]), "cannot be held"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(tmp_path, change, words):
    data = from_a_table(tmp_path)
    data.update(learner="Pocket", parameters={}, further={})
    data["weights"][0] = 0.5
    data["table"]["origin"]["weight"] = "y"
    change(data)
    (tmp_path / "m").write_text(json.dumps(sealed(data)))
    if words is None:
        load(tmp_path / "m")
        return
    with pytest.raises(InputError, match=words):
        load(tmp_path / "m")


@pytest.mark.filterwarnings("ignore::separatrix.SeparatrixWarning")
@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_learner_without_an_intercept_agrees_with_its_file(tmp_path, name):
    X, y = noisy()
    if "fit_intercept" not in LEARNERS[name]().get_params():
        pytest.skip("it has no such parameter")
    numbers = name == "LinearRegression"
    learner = LEARNERS[name](fit_intercept=False).fit(X, X[:, 0] if numbers else y)
    save(learner, tmp_path / "m")
    assert load(tmp_path / "m").predict(X).tolist() == learner.predict(X).tolist()


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
    with pytest.raises(InputError, match="no model file"):
        load(tmp_path / "m")
    assert time.process_time() - before < 5.0
