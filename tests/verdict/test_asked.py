"""Tables that are read in blocks: folds, scaling, findings, mistakes and verdicts of memory."""

import json

import numpy as np
import pytest

import separatrix
from separatrix import InputError, judge, open_table, read_table
from separatrix.data import Sample
from separatrix.model import text_of
from separatrix.report.as_json import to_json
from separatrix.scale import ArraySource, Rows
from separatrix.verdict import candidates, fewest
from separatrix.verdict.columns import Columns, same_columns, standardisation, standardised_rows
from separatrix.verdict.comparison import Mistakes
from separatrix.verdict.folds import Dealt, FoldRows, dealt
from tests.hostile.profile import cases
from tests.verdict.tables import timeless, write

N = 9001


def table_of(X, y, weight=None, rows=4096):
    weight = np.ones(len(y)) if weight is None else weight
    sample = Sample(X, y, np.array(["no", "yes"]), weight)
    return Rows(ArraySource(sample), rows_in_block=rows)


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 4)) * [1.0, 1e6, 1e-9, 1.0] + [0.0, 5.0, 0.0, 0.0]
    X[:, 3] = 2.0
    y = np.where(X[:, 0] + rng.normal(size=N) > 0, 1.0, -1.0)
    return X, y, rng.integers(1, 4, N).astype(float)


@pytest.mark.parametrize(("size", "of_yes"), [(4096, 1), (8192, 1), (4096, 0)])
def test_folds_are_those_of_memory_and_any_range_is_the_same_rows(rows, size, of_yes):
    X, y, weight = rows
    table = table_of(X, y, weight, size)
    classes = ["no", "yes"] if of_yes else ["yes", "no"]
    deal = Dealt(Columns.of(table).before, 5, classes)
    fold_of = dealt(((y > 0) == of_yes).astype(np.int64), 5)
    for k in range(5):
        for held in (False, True):
            view = FoldRows(table.source, deal, k, held=held)
            there = (fold_of == k) == held
            assert view.n == there.sum()
            for start, stop in [(0, view.n), (0, 1), (1, 7), (view.n - 2, view.n), (640, 1281)]:
                part = view.read(start, stop)
                assert np.array_equal(part.X, X[there][start:stop])
                assert np.array_equal(part.y, y[there][start:stop])
                assert np.array_equal(part.weight, weight[there][start:stop])


def test_scaling_is_that_of_memory_whatever_the_blocks(rows):
    X, y, weight = rows
    scalings = []
    for size in (4096, 8192, 16384):
        table = table_of(X, y, weight, size)
        found = Columns.of(table).scaling(table)
        scalings.append(b"".join(a.tobytes() for a in (found.exponent, found.mean, found.spread)))
    assert len(set(scalings)) == 1
    whole = standardisation(X, weight)
    for name in ("exponent", "mean", "spread"):
        assert np.array_equal(getattr(found, name), getattr(whole, name))
    seen = np.ldexp(X, -found.exponent)
    mean = np.average(seen, axis=0, weights=weight)
    spread = np.sqrt(np.average((seen - mean) ** 2, axis=0, weights=weight))
    assert np.allclose(found.mean[:3], mean[:3], rtol=1e-12, atol=1e-15)
    assert np.allclose(found.spread[:3], spread[:3], rtol=1e-12)
    seen = standardised_rows(table.source, found).read(10, 20)
    assert np.array_equal(seen.X, found.apply(X[10:20]))


def test_ranges_mistakes_and_duplicates_are_exact(rows):
    X, y, weight = rows
    weight = weight / 3.0
    X = np.column_stack([X, X[:, 1], -X[:, 1]])
    X[5000, 4] += 1.0
    X = np.column_stack([X, X[:, 0]])
    table = table_of(X, y, weight)
    ranges = Columns.of(table)
    assert np.array_equal(ranges.low, [X[y < 0].min(axis=0), X[y > 0].min(axis=0)])
    assert ranges.rows.tolist() == [(y < 0).sum(), (y > 0).sum()]
    line = np.array([0.1, 1.0, 0, 0, 0, 0, 0, 0])
    found = Mistakes.of(table, [line, -line])
    wrong = y * (0.1 + X[:, 0]) <= 0
    assert found.rows.tolist() == [wrong.sum(), (~wrong).sum()]
    assert found.share == pytest.approx(np.average([wrong, ~wrong], axis=1, weights=weight))
    for step in (1, 7):
        scored = Mistakes.of(table, [line, -line], [False, True], step).scores
        assert scored[0] is None
        assert scored[1].scores == pytest.approx(-(0.1 + X[::step, 0]))
        assert np.array_equal(scored[1].weight, weight[::step])
    assert same_columns(table, X[:100]) == [(6, 0)]


@pytest.fixture
def few_passes(monkeypatch):
    monkeypatch.setattr(candidates, "HOPELESS_PASSES", (2, 3))
    monkeypatch.setattr(candidates, "POCKET_UPDATES", (4, 6))
    monkeypatch.setattr(fewest, "MOST_NODES", 3)
    monkeypatch.setattr(fewest, "TILE_MULTIPLICATIONS", 1 << 18)


def drawn(seed):
    """X, y and weights of a table that is noisy, separable, touching, rare, collinear or far."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([17, 1500, 4096, 4097, 24_577])), int(rng.integers(1, 5))
    X = rng.integers(-3, 4, (n, d)).astype(float) if seed % 3 else rng.normal(size=(n, d))
    score = X @ rng.normal(size=d) + [rng.normal(size=n), 0.0, -3.0 * np.sqrt(d)][seed % 3]
    if seed % 4 == 1:
        X[:, -1] = 3.0 - 2.0 * X[:, 0]
    if seed % 4 == 2:
        X = X * 10.0 ** rng.integers(-6, 7, d) + 10.0 ** rng.integers(0, 5, d)
    y = np.where(score > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if seed % 5 == 3:
        X[:40], y[:40] = 0.0, np.tile([1.0, -1.0], 20)[: len(y[:40])]
    return X, y, rng.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)


def said_of(verdict):
    """All that a verdict and its model say but for seconds, names and where rows stand."""
    gone = ("seconds", "notes", "table", "sha256", "name", "features", "lines", "in_words")
    told = to_json(verdict), text_of(verdict.model)
    return [timeless(json.loads(text), gone) for text in told]


@pytest.mark.parametrize("seed", range(cases(10, 100)))
def test_a_verdict_is_that_of_memory_whatever_the_blocks(seed, few_passes, monkeypatch):
    X, y, weight = drawn(seed)
    weighted = {"sample_weight": weight} if seed % 2 else {}
    memory = said_of(judge(X, np.where(y > 0, "yes", "no"), **weighted))
    if len(y) <= 4096:  # any of this budget is read whole: small ones show it
        assert said_of(judge(table_of(X, y, weight))) == memory
    monkeypatch.setattr("separatrix.scale.rows.IN_MEMORY", 1 << 40)
    size = (40960, 81920)[seed % 4 // 2]  # runs that share reads see blocks of half as many rows
    assert said_of(judge(table_of(X, y, weight, size))) == memory


@pytest.mark.parametrize("missing", ["drop", "fill", "level"])
def test_folds_of_a_file_are_those_of_memory(missing, few_passes, tmp_path, monkeypatch):
    rng = np.random.default_rng(4)
    level = np.tile(["a", "b"], 60)  # as common: folds differ in which is commonest
    numbers, more = rng.normal(size=(2, 120)).round(2)
    y = np.where(numbers + more + (level == "a") + rng.normal(size=120) > 0.5, "yes", "no")
    cells = np.column_stack([level, numbers, more]).astype(object)
    cells[rng.random(cells.shape) < [0.1, 0.2, 0.0]] = ""
    odd = np.array([5, 6, 50, 70])
    cells[odd, 0], cells[odd, 1:] = ["alone", "lonely", "without weight", "alone"], 1.5
    weight = rng.integers(0, 4, 120)
    weight[odd] = 1, 1, 0, 0
    cells = np.column_stack([cells, weight, y])
    path = write(tmp_path / "t.csv", ["c", "x", "z", "w", "y"], cells)
    how = {"missing": missing, "weight": "w"}
    memory = judge(read_table(path, "y", **how))
    assert "2 rows left out have a level that no row of the other folds has" in memory.notes[-1]
    for share in (12, 1 << 40):
        monkeypatch.setattr("separatrix.scale.rows.IN_MEMORY", share)
        table = open_table(path, "y", **how)
        assert (table.whole().weight > 0.0).all()
        found = judge(table)
        assert said_of(found) == said_of(memory)
        assert found.notes[: len(memory.notes)] == memory.notes


@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_sparse_rows_stay_sparse_in_blocks_and_walks_are_those_of_memory(
    missing, few_passes, tmp_path, monkeypatch
):
    rng = np.random.default_rng(8)
    codes, x, z = rng.integers(0, 140, 9000), *rng.normal(size=(2, 9000)).round(2)
    y = np.where(x - z + rng.normal(size=140)[codes] + rng.logistic(size=9000) > 0.0, "yes", "no")
    cells = np.column_stack([np.char.add("L", codes.astype(str)), x, z]).astype(object)
    cells[rng.random(cells.shape) < [0.01, 0.02, 0.0]] = ""
    path = write(tmp_path / "t.csv", "cxzy", np.column_stack([cells, y]))
    how = {"learners": "pla,pocket", "fewest_nodes": 1}
    memory = judge(read_table(path, "y", missing=missing), **how)
    monkeypatch.setattr("separatrix.scale.rows.IN_MEMORY", 1 << 40)
    monkeypatch.setattr("separatrix.scale.budget.BLOCKS", 500)  # a block is a tile
    table = open_table(path, "y", missing=missing, memory="512MB")
    assert len(table.ranges) == 3
    assert table.source.nnz == memory.question.sample.X.nnz
    blocks = judge(table, **how)
    assert blocks.separability.verdict == memory.separability.verdict
    for of, same in zip(memory.results, blocks.results, strict=True):
        assert (of.name, of.n_errors, of.fold_errors) == (
            same.name,
            same.n_errors,
            same.fold_errors,
        )
        assert of.weights.tobytes() == same.weights.tobytes()
    some = np.array([8000, 3, 4500])
    found, whole = table.take(some).X.toarray(), table.whole().X.toarray()
    assert np.array_equal(found, whole[some])
    if missing == "fill":
        assert np.array_equal(whole, memory.question.sample.X.toarray())


def test_what_a_verdict_over_blocks_lacks_is_refused(rows):
    X, y, _ = rows
    table = table_of(X, y)
    for how in ({"degree": 2}, {"multiclass": "ova"}, {"sample_weight": y}):
        with pytest.raises(InputError, match="blocks"):
            judge(table, **how)


def test_learners_share_reads_and_only_those_named_read(few_passes, monkeypatch):
    monkeypatch.setattr("separatrix.scale.rows.IN_MEMORY", 1 << 40)
    rng = np.random.default_rng(6)
    X = rng.normal(size=(50_001, 2))  # three blocks: one would be read once
    y = np.where(X[:, 0] + rng.logistic(size=len(X)) > 0.0, 1.0, -1.0)
    reads = {}
    for learners in (None, ("logistic", "linear"), ("linear",), ("pla", "pocket")):
        table = table_of(X, y)
        verdict = judge(table, learners=learners)
        reads[learners] = table.reads.done
        assert f"Read {table.reads.done:.0f} times" in " ".join(verdict.notes)
        if learners is None:
            whole = verdict
            continue
        named = [r.name for r in verdict.results if not r.constant]
        assert len(named) == len(learners)
        for r in verdict.results:
            assert r.weights.tobytes() == whole.result(r.name).weights.tobytes()
            assert r.fold_errors == whole.result(r.name).fold_errors
        assert (verdict.coefficients is None) == ("logistic" not in learners)
        assert "linear regression" in separatrix.to_text(verdict) or "linear" not in learners
    together = reads.pop(None)  # with all of them: the reads of the one that reads most often
    assert reads["linear",] < max(reads.values()) <= together <= max(reads.values()) + 1
