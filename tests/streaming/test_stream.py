"""A stream: the learner walks as `partial_fit` does, however rows come, in memory that is flat."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.plain.score import score as plain_score
from separatrix.streaming import stream as module
from separatrix.streaming.stream import batches_of
from separatrix.theory import online_to_batch_bound
from tests.hostile.profile import examples
from tests.strategies import labelled_grids
from tests.streaming.test_monitor import drawn

LEARNERS = [sx.Perceptron, sx.AveragedPerceptron, sx.MarginPerceptron, sx.PassiveAggressive]


def weights(model):
    return np.concatenate((model.intercept_, model.coef_[0]))


@pytest.fixture
def short_batches(monkeypatch):
    monkeypatch.setattr(module, "BATCH", 16)


@pytest.mark.parametrize("learner", LEARNERS)
@examples(60)
@given(table=labelled_grids(max_rows=20), cuts=st.sets(st.integers(1, 19)))
def test_the_learner_is_that_of_partial_fit(learner, *, table, cuts):
    X, y = table
    stream = sx.Stream(learner(), classes=[-1, 1])
    for rows in np.split(np.arange(len(y)), sorted(c for c in cuts if c < len(y))):
        stream.partial_fit(X[rows], y[rows])
    whole = learner().partial_fit(X, y)
    model = stream.learner
    assert weights(model).tobytes() == weights(whole).tobytes()
    assert model.n_updates_ == whole.n_updates_
    assert model.n_mistakes == whole.n_mistakes
    assert model.counts_.size == 0
    assert model.certificate_ is None


@examples(100)
@given(table=labelled_grids(max_rows=20), learner=st.sampled_from(LEARNERS))
def test_mistakes_are_those_of_answering_before_learning(table, learner):
    X, y = table
    model, mistakes = learner(), 0
    for k in range(len(y)):
        if k == 0:
            mistakes += 1  # w_0 = 0
        else:
            line = weights(model)
            if learner is sx.AveragedPerceptron:  # whose mean does not walk
                line = np.concatenate((model.last_intercept_, model.last_coef_[0]))
            score = plain_score(line.tolist(), [1.0, *X[k].tolist()])
            mistakes += 1.0 - y[k] * score >= 1.0  # as doubles: a score of rounding is a mistake
        model.partial_fit(X[[k]], y[[k]], classes=[-1, 1])
    assert sx.Stream(learner()).partial_fit(X, y).verdict.mistakes == mistakes


@pytest.mark.parametrize("learner", [
    sx.Perceptron(), sx.Perceptron(sign_of_zero=1, learning_rate=0.1),
    sx.AveragedPerceptron(fit_intercept=False), sx.MarginPerceptron(margin=3.0, learning_rate=0.5),
    sx.PassiveAggressive(variant="PA"), sx.PassiveAggressive(C=0.01),
    sx.PassiveAggressive(variant="PA-II", C=0.1),
])  # fmt: skip
def test_mistakes_stay_within_the_bound_of_the_margin(learner):
    for seed in range(5):
        X, y = drawn(500, 3, seed, gap=0.3)
        X, y = (X, y) if learner.fit_intercept else (np.abs(X) * y[:, None], y)
        verdict = sx.Stream(learner).partial_fit(X, y).verdict
        assert verdict.separable is True
        assert 0 < verdict.mistakes <= verdict.mistake_bound
        squared = (verdict.radius / verdict.margin) ** 2
        if isinstance(learner, sx.Perceptron):
            assert verdict.mistake_bound == int(squared)
        assert verdict.risk_bound == online_to_batch_bound(500, verdict.mistakes)


@pytest.mark.usefixtures("short_batches")
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("step", [1, 7, 16, 100, 1000])
def test_it_does_not_matter_how_rows_come(learner, step):
    X, y = drawn(1000, 3)
    y[700] = -y[700]

    def read(step):
        stream = sx.Stream(learner(), keep=20)
        for start in range(0, 1000, step):
            stream.partial_fit(X[start : start + step], y[start : start + step])
            if start >= 100:
                _ = stream.verdict  # which changes nothing
        return stream, stream.verdict

    (one, found), (other, same) = read(1000 // 2), read(step)
    for verdict in (found, same):
        assert verdict.separable is False
    assert weights(one.learner).tobytes() == weights(other.learner).tobytes()
    assert vars(found) | {"contradiction": None} == vars(same) | {"contradiction": None}
    assert found.contradiction.rows == same.contradiction.rows
    assert found.ceased_at == 700


def test_every_form_of_rows_is_read():
    X, y = drawn(300, 2)
    words = np.where(y > 0, "yes", "no")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": words})
    sources = [
        [(X, words)], zip(X, words, strict=True), frame.to_dict("records"), [frame],
        [pl.from_pandas(frame)],
        pa.Table.from_pandas(frame).to_batches(max_chunksize=70),
    ]  # fmt: skip
    found = [list(sx.watch(source, label="label"))[-1] for source in sources]
    assert {(v.n, v.mistakes, v.margin) for v in found} == {
        (300, found[0].mistakes, found[0].margin)
    }
    assert all(v.separable for v in found)


def test_verdicts_come_every_so_many_rows():
    X, y = drawn(100, 2)
    rows = zip(X, y, strict=True)
    assert [v.n for v in sx.watch(rows, every=30)] == [30, 60, 90, 100]
    assert [v.n for v in sx.watch([(X[:50], y[:50]), (X[50:], y[50:])], every=1000)] == [100]
    assert list(sx.watch([])) == []


def test_names_of_columns_are_kept_and_compared():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0]})
    stream = sx.Stream().partial_fit(frame, [0, 1])
    assert stream.learner.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(sx.InputError, match="same names"):
        stream.partial_fit(frame[["b", "a"]], [0, 1])
    with pytest.raises(sx.InputError, match="3 columns and those before had 2"):
        stream.partial_fit([[1, 2, 3]], [1])
    assert stream.verdict.n == 2


def test_labels_may_come_late(monkeypatch):
    monkeypatch.setattr(module, "ONE_LABEL", 5)
    stream = sx.Stream().partial_fit([[1.0], [2.0]], ["b", "b"])
    with pytest.raises(sx.InputError, match="one label, 'b'"):
        _ = stream.verdict
    assert stream.partial_fit([[-1.0]], ["a"]).verdict.n == 3
    assert stream.learner.classes_.tolist() == ["a", "b"]
    with pytest.raises(sx.InputError, match="y holds 'c' in row 1"):
        stream.partial_fit([[1.0], [1.0]], ["a", "c"])
    assert stream.verdict.n == 3
    late = sx.Stream().partial_fit([[1.0]] * 5, [1] * 5)
    with pytest.raises(sx.InputError, match="the first 6 rows have one label"):
        late.partial_fit([[1.0]], [1])
    given = sx.Stream(classes=["a", "b"]).partial_fit([[1.0]], ["b"])
    assert given.verdict.separable is True


@pytest.mark.parametrize(("learner", "message"), [
    (sx.LogisticRegression(), "cannot read a stream"),
    (sx.Perceptron(visit="naive"), "cannot read a stream"),
    (sx.MarginPerceptron(init="regression"), "cannot read a stream"),
    (sx.Perceptron(max_updates=5), "no budget"),
    (sx.Perceptron().fit([[0], [1]], [0, 1]), "has been fitted"),
])  # fmt: skip
def test_learners_that_cannot_are_refused(learner, message):
    with pytest.raises(sx.InputError, match=message):
        sx.Stream(learner)


def test_a_stream_is_settled_by_reading_it_again():
    X, y = drawn(20_000, 4)
    order = np.argsort(y, kind="stable")
    X, y = X[order], np.array(["no", "yes"])[(y[order] > 0).astype(int)]
    stream = sx.Stream(keep=200)
    open_ = list(stream.follow([(X, y, 10 * np.arange(len(y)))]))[-1]
    assert open_.separable is None
    assert "then not known" in repr(open_)
    halves = [(X[:7000], y[:7000], np.arange(7000)), (X[7000:], y[7000:], np.arange(7000, 20_000))]
    found = stream.settle(lambda: halves)
    assert found.separable is True
    assert found.mistakes == open_.mistakes
    assert found.mistakes <= found.mistake_bound
    assert stream.settle(list).separable is True  # nothing is open: nothing is read
    again = sx.Stream(keep=200).partial_fit(X, y)
    for other in (halves[:1], [(X[:, :2], y)], [(X + 1.0, y)], [(X[::-1], y[::-1])]):
        with pytest.raises(sx.InputError, match="not the rows of the stream"):
            again.settle(lambda other=other: other)


def test_bad_streams_are_refused():
    with pytest.raises(sx.InputError, match="no rows yet"):
        _ = sx.Stream().verdict
    with pytest.raises(sx.InputError, match="between 0 and 1"):
        sx.Stream(delta=0.0)
    with pytest.raises(sx.InputError, match="say which column"):
        list(sx.watch([{"x": 1, "y": 2}]))
    with pytest.raises(sx.InputError, match="a row has no 'z'; it has 'x', 'y'"):
        list(sx.watch([{"x": 1, "y": 2}], label="z"))
    with pytest.raises(sx.InputError, match="row 1 has 'x'; the first row has 'x', 'y'"):
        list(sx.watch([{"x": 1, "y": 2}, {"x": 1}], label="y"))
    with pytest.raises(sx.InputError, match="yields pairs"):
        list(sx.watch(["abc"]))
    with pytest.raises(sx.InputError, match="a batch has no 'z'; it has 'x'"):
        list(sx.watch([pd.DataFrame({"x": [1.0]})], label="z"))


def test_after_a_stream_a_learner_goes_on_and_is_saved(tmp_path):
    X, y = drawn(400, 3)
    stream = sx.Stream(sx.AveragedPerceptron()).partial_fit(X[:300], y[:300])
    model = stream.learner
    whole = sx.AveragedPerceptron().partial_fit(X, y)
    assert weights(model.partial_fit(X[300:], y[300:])).tobytes() == weights(whole).tobytes()
    assert model.trace_.capped  # it does not have the first updates
    sx.save(stream.learner, tmp_path / "m.json")
    assert (sx.load(tmp_path / "m.json").predict(X) == stream.learner.predict(X)).all()


def test_memory_is_flat_and_the_row_of_a_contradiction_is_named():
    def batches(n, row):
        rng = np.random.default_rng(1)
        w = rng.normal(size=6)
        for start in range(0, n, 10_000):
            X = rng.normal(size=(10_000, 5))
            y = X @ w[1:] + w[0] > 0.0
            if start <= row < start + 10_000:
                X[row - start] = 3.0 * w[1:]
                y[row - start] = False
            yield X, y

    tracemalloc.start()
    sizes, stream = {}, sx.Stream()
    for verdict in stream.follow(batches(300_000, 287_654), every=10_000):
        sizes[verdict.n] = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert verdict.ceased_at == 287_654
    assert verdict.contradiction.verify()
    assert sizes[280_000] < sizes[50_000] + 300_000  # bytes: updates of 230,000 rows take 1.8 MB
    assert "not separable from row 287,654 on" in repr(verdict)


def test_batches_with_columns_in_another_order_are_put_in_that_of_the_first():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    frame["y"] = frame["a"] - 2.0 * frame["b"] > 0.0
    for kind in (lambda part: part, pa.Table.from_pandas, pl.from_pandas):
        parts = [frame.iloc[:20], frame.iloc[20:][["y", "b", "a"]]]
        found = list(batches_of(map(kind, parts), "y"))
        X = np.vstack([part for part, _ in found])
        np.testing.assert_array_equal(X, frame[["a", "b"]].to_numpy())
        other = [frame.iloc[:20], frame.iloc[20:].rename(columns={"b": "c"})]
        with pytest.raises(sx.InputError, match="batch 1 has 'a', 'c', 'y'; the first batch"):
            list(batches_of(map(kind, other), "y"))
