"""Separable tables of small integers, where scores of zero are common, under sign(0) = +1 and -1.

A clean pass under a sign(0) is a score of 1.0 under it: in Python, after a round trip through a
file, in databases and in ONNX, and as the answers that `predict` writes.
"""

import csv
import io

import numpy as np
import onnxruntime
import pytest

from separatrix import Perceptron, load, save, scorecard, to_onnx, to_sql
from separatrix.model import TableModel
from separatrix.predicting import answers_csv
from separatrix.tables import fit_encoding, read_table
from tests.exporting.databases import WAYS
from tests.hostile.profile import cases

N_TABLES = cases(10, 200)


def separable_by(rule, seed):
    """Rows (N, d) of small integers and answers that some line gives with zero scores counted."""
    rng = np.random.default_rng([seed, rule + 1])
    while True:
        n, d = int(rng.integers(4, 40)), int(rng.integers(1, 5))
        w = rng.integers(-2, 3, d + 1)
        X = rng.integers(-3, 4, (n, d))
        scores = X @ w[1:] + w[0]
        yes = scores >= 0 if rule == 1 else scores > 0
        if (scores == 0).any() and 0 < yes.sum() < n:
            return X.astype(float), np.where(yes, "yes", "no")


def learned_from_a_file(folder, rule, seed):
    """A learner fitted on a file as `learn` would, with the labels of the rows."""
    X, y = separable_by(rule, seed)
    names = [f"c{j}" for j in range(X.shape[1])]
    rows = [",".join([*map(str, map(int, x)), label]) for x, label in zip(X, y, strict=True)]
    (folder / "t.csv").write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    table = read_table(folder / "t.csv", label="y", text=[])
    encoding = fit_encoding(table.columns, "drop")
    points = encoding.encode(table.columns, table.lines)
    model = Perceptron(sign_of_zero=rule, max_iter=None).fit(points, y)
    model.table_ = TableModel(encoding, "y", table.extra)
    return model, X, y


@pytest.mark.parametrize("rule", [1, -1])
def test_a_clean_pass_is_a_score_of_one_wherever_it_is_asked(rule, tmp_path):
    zeros = 0
    for seed in range(N_TABLES):
        model, X, y = learned_from_a_file(tmp_path, rule, seed)
        zeros += int(((model.decision_function(X) == 0) & (y == "yes")).sum())
        assert model.score(X, y) == 1.0, seed
        save(model, tmp_path / "m.json")
        again = load(tmp_path / "m.json")
        assert again.score(X, y) == 1.0, seed
        written = csv.DictReader(
            io.StringIO(answers_csv(tmp_path / "m.json", tmp_path / "t.csv", explain=True))
        )
        assert [row["answer"] for row in written] == y.tolist(), seed
        names = [c.name for c in model.table_.encoding.columns]
        for dialect, make in WAYS.values():
            con = make(["line", *names], [range(len(X)), *X.T.tolist()], "t", ["INTEGER", *names])
            got = dict(con.execute(answers_of("t", again, dialect)).fetchall())
            assert [got[k] for k in range(len(X))] == y.tolist(), (seed, dialect)
            con.close()
        to_onnx(again, tmp_path / "m.onnx")
        session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
        answers, _ = session.run(None, dict(zip(names, X.T[:, :, None], strict=True)))
        assert answers.tolist() == y.tolist(), seed
        card = scorecard(again, X)
        said = np.where(card.decide(X), "yes", "no")
        assert card.n_changed == (said != y).sum(), seed
    assert (zeros > N_TABLES / 4) == (rule == 1)  # rows that only sign(0) = +1 answers yes


def answers_of(table, model, dialect):
    """The SELECT of a model, with its rows in order and without the score."""
    inner = to_sql(model, table, dialect=dialect, keep=["line"])
    return f'SELECT "line", "answer" FROM ({inner}) AS "all" ORDER BY "line"'  # noqa: S608
