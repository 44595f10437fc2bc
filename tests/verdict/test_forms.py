"""A table and the same table: dense, sparse, with its categories as texts, as 0/1 columns."""

import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import SeparatrixWarning, judge, minimum_errors, read_table
from separatrix.data import is_sparse
from separatrix.model import text_of
from separatrix.model.lines import LEARNERS, learner_called
from separatrix.proving.asking import fewest_mistakes_of, prove_separability
from separatrix.report.as_json import to_json
from tests.hostile.profile import cases
from tests.verdict.tables import timeless, write


def categories(levels, n, numbers=2, flip=0.2, seed=0):
    """Codes (n, categories), numbers (n, numbers), answers (n,)."""
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.permutation(np.arange(n) % count) for count in levels])
    values = random.normal(size=(n, numbers)).round(2)
    score = values.sum(axis=1) + (codes % 5 - 2).sum(axis=1)
    return codes, values, np.where((score > 0) ^ (random.random(n) < flip), "yes", "no")


def one_hot(codes, values):
    blocks = [(column[:, None] == np.unique(column)[1:]).astype(np.float64) for column in codes.T]
    return np.hstack([*blocks, values])


def mostly_zeros(n, d, seed=0):
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, d)) < 0.04, random.normal(size=(n, d)), 0.0)
    return X, np.where(X[:, :30].sum(axis=1) + 0.3 * random.normal(size=n) > 0.05, "yes", "no")


def judged(X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparatrixWarning)
        return judge(X, y, fewest_nodes=1, **options)


def text(verdict):
    """The verdict as JSON without the times, and the model."""
    return json.dumps(timeless(json.loads(to_json(verdict)))), text_of(verdict.model)


ONE_HOT = categories([131], 280)
TABLES = {
    "600 levels": (one_hot(*categories([600], 1300)[:2]), categories([600], 1300)[2]),
    "131 levels": (one_hot(*ONE_HOT[:2]), ONE_HOT[2]),
    "5 levels": (one_hot(*categories([5], 60)[:2]), categories([5], 60)[2]),
    "fewer rows than columns": mostly_zeros(30, 130),
}


@pytest.mark.parametrize("name", TABLES)
def test_dense_and_sparse_arrays_give_the_same_bytes(name):
    X, y = TABLES[name]
    assert text(judged(X, y)) == text(judged(sp.csr_array(X), y))


def rare_levels(seed):
    """One-hot columns of many rare levels, or of a few, with numbers or without, and answers."""
    random = np.random.default_rng((17, seed))
    levels = [[140], [90, 60], [6, 3]][seed % 3]
    n = int(random.integers(150, 220))
    codes = np.column_stack([
        np.append(random.permutation(count), random.integers(0, count, n - count))
        for count in levels
    ])  # fmt: skip
    values = random.integers(-4, 5, (n, seed % 2 + 1)) / 4
    return one_hot(codes, values), np.where(random.random(n) < 0.5, "yes", "no")


FEW_STEPS = {  # and one order of the rows
    "max_iter": 3, "max_updates": 50, "max_passes": 2, "max_nodes": 1, "random_state": 0,
}  # fmt: skip


def fitted(name, X, y):
    learner = learner_called(name)()
    learner.set_params(**{k: v for k, v in FEW_STEPS.items() if k in learner.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(X, y if name != "LinearRegression" else np.where(y == "yes", 1.0, -1.0))
    found = {k: v for k, v in vars(learner).items() if k.endswith("_") and "seconds" not in k}
    return {
        k: v.tobytes() if isinstance(v, np.ndarray) else v
        for k, v in found.items()
        if isinstance(v, np.ndarray | float | int | str)
    }


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_find_the_same_bytes_in_dense_and_sparse_arrays(name):
    # each step of Firth's penalty takes a determinant: a few levels are enough
    for seed in [2] if name.startswith("Firth") else range(cases(3, 30)):
        X, y = rare_levels(seed)
        found = [fitted(name, points, y) for points in (X, sp.csr_array(X), sp.csc_array(X))]
        assert len(found[0]) > 1
        assert found[0] == found[1] == found[2], seed


def test_the_fewest_mistakes_of_dense_and_sparse_arrays_have_the_same_proof():
    for seed in range(cases(3, 30)):
        X, y = rare_levels(seed)
        found = [minimum_errors(points, y, max_nodes=20) for points in (X, sp.csr_array(X))]
        claims = [json.dumps(fewest_mistakes_of(one)) for one in found]
        assert found[0].weights.tobytes() == found[1].weights.tobytes()
        assert claims[0] == claims[1], seed
        assert found[0].certificate.verify(X, y)


def columns_of(codes, values, y):
    """The rows of a CSV with its categories as texts, and of one with them as 0/1 columns."""
    levels = [[f"L{code:04d}" for code in row] for row in codes.tolist()]
    texts = [[*row, *v, a] for row, v, a in zip(levels, values.tolist(), y, strict=True)]
    points = one_hot(codes, values)
    return texts, [[*x, a] for x, a in zip(points.tolist(), y, strict=True)]


@pytest.mark.parametrize("count", [20, 131])
def test_categories_and_their_columns_give_the_same_lines_and_claims(count, tmp_path):
    codes, values, y = categories([count], 2 * count)
    texts, numbers = columns_of(codes, values, y)
    header = [f"x{j}" for j in range(len(numbers[0]) - 1)]
    paths = (
        write(tmp_path / "texts.csv", ["c", "a", "b", "label"], texts),
        write(tmp_path / "numbers.csv", [*header, "label"], numbers),
    )
    found, claims = [], []
    for path in paths:
        table = read_table(path, "label")
        found.append(judged(table, None))
        assert sp.issparse(found[-1].question.sample.X) == is_sparse(len(y), count + 1, 3 * len(y))
        claims.append(json.loads(prove_separability(table, path.read_bytes()).text)["claims"])
    arrays = judged(one_hot(codes, values), y)
    for verdict in found:
        for result, other in zip(verdict.results, arrays.results, strict=True):
            assert result.weights.tobytes() == other.weights.tobytes(), result.name
    assert claims[0] == claims[1]
