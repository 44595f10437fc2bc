"""Model files, written and tampered with."""

import json
import warnings

import numpy as np

import separatrix as sx
from separatrix.model.strict import sealed
from separatrix.model.writing import as_data


def noisy(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1e-3, 1.0, 1e5]
    y = np.where(X @ [1e3, 1.0, -1e-5] + rng.normal(size=n) > 0, "yes", "no")
    return X, y


def kept(name, **changes):
    """The file of a voted or dual perceptron, its `further` changed."""

    def change(_):
        X, y = noisy()
        learner = {
            "voted": sx.VotedPerceptron(max_iter=1),
            "dual": sx.DualPerceptron(kernel="rbf"),
        }[name]
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


def written(tmp_path, change=lambda data: data, text=None):
    X, y = noisy()
    sx.save(sx.LinearRegressionClassifier().fit(X, y), tmp_path / "m")
    if text is None:
        changed = change(json.loads((tmp_path / "m").read_text()))
        text = json.dumps(sealed(changed) if isinstance(changed, dict) else changed)
    (tmp_path / "m").write_text(text)
    return tmp_path / "m"


def replaced(**values):
    return lambda data: {**data, **values}


THREE = [{"name": name, "kind": "number", "fill": None} for name in "abc"]

DIALECT = {"delimiter": ";", "encoding": "utf-8", "header": True, "quote": "", "decimal": ","}


def origin(**changes):
    """A model that remembers the table it was learned from."""
    kept = {"sha256": "0a" * 32, "format": "csv", "dialect": DIALECT, **changes}
    return replaced(table={"label": "y", "extra": ["y"], "columns": THREE, "origin": kept})


def from_a_table(tmp_path, **changes):
    """The file of a model of a table with products, as JSON."""
    (tmp_path / "t.csv").write_text("a,s,y\n1,u,no\n2,v,yes\n3,w,no\n4,u,yes\n5,v,yes\n7,w,no\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = sx.judge(sx.read_table(tmp_path / "t.csv", "y"), degree=2, **changes)
    sx.save(verdict.model, tmp_path / "m")
    return json.loads((tmp_path / "m").read_text())
