"""Parts of a file that contradict each other."""

import json

import pytest

from separatrix import InputError, load
from separatrix.model.checksum import sealed
from tests.model.files import from_a_table


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
        (of_table(["columns", 1, "levels"], ["u", "w", "v"]), "ascending order, each once"),
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
