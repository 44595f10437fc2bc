"""Files that are not models are refused, and soon."""

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.multiclass import OneVsRestClassifier

from separatrix import InputError, LinearRegressionClassifier, load, save
from separatrix.model.writing import as_data
from tests.model.files import DIALECT, THREE, kept, noisy, origin, replaced, written


def products(terms, degree=2, **more):
    """Two columns whose products are the features."""
    monomials = {"degree": degree, "terms": terms, **more}
    return replaced(
        table={"label": "y", "extra": ["y"], "columns": THREE[:2], "monomials": monomials}
    )


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
ROW = [1.0, 2.0, 3.0]
TABLE = {"label": "y", "extra": ["y"], "columns": THREE}
LARGE = {**THREE[0], "fill": 10**400}
NONE = {"direction_": None, "finite_weights_": None}


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
        (replaced(learner="LinearRegression", table=TABLE), "no yes / no answers"),
        (
            replaced(table={**TABLE, "columns": [{**THREE[0], "fill": 10**400}, *THREE[1:]]}),
            "large",
        ),
        (replaced(learner="LogisticRegression", further=NONE, parameters={}), "finite_weights_"),
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
        (origin(sha256=7), "sha256 is not as"),
        (origin(format="exec"), "'exec'"),
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
        (replaced(table={"label": "y", "extra": ["y"], "columns": []}), "0 features"),
        (replaced(table={"label": "y", "extra": ["y"], "columns": [{"kind": "exec"}]}), "'exec'"),
        (lambda _: [1, 2], "format"),
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
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[2, 1, 3]]}), "ascending"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2]]}), "a row has 3"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2, 9]]}), "from 0 to 8"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": []}), "places"),
        (kept("dual", updates=[1]), "updates has 1 numbers"),
        (kept("dual", signs=[0]), "signs"),
        (kept("dual", parameters={"kernel": "exec"}), "kernel='exec'"),
        (kept("dual", parameters={"gamma": "wide"}), "kernel cannot be used"),
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
