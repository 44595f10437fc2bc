"""Runs that share reads: what each would compute alone."""

import numpy as np
import pytest

from separatrix.data import Sample
from separatrix.scale import ArraySource, Rows
from separatrix.scale.together import sharing, together
from separatrix.scale.view import seen_as
from separatrix.tiles import stack_of_tiles
from separatrix.verdict.columns import Columns
from separatrix.verdict.folds import Dealt, FoldRows

N = 90_001


def rows_of(size, *, seeks=True):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(N) < 0.3, 1.0, -1.0)
    sample = Sample(rng.normal(size=(N, 2)), y, np.array(["no", "yes"]), np.ones(N))
    source = ArraySource(sample)
    source.seeks = seeks
    return Rows(source, memory="512MB", rows_in_block=size)


def sums(block, shift):
    X = block.sample.X + shift
    return stack_of_tiles(block.n, lambda tile: X[tile].sum(axis=0))


def some_passes(rows, n):
    """Return what n passes in turn give, each made of the one before."""
    total = np.zeros(rows.d)
    for _ in range(n):
        total = rows.sum(sums, total / rows.n)
    return total


def walked(rows):
    """Return the state of a walk that begins again in the middle of a pass, twice."""

    def step(block, state):
        return {
            "sum": state["sum"] * 0.5 + float(block.sample.X[0, 0]),
            "blocks": state["blocks"] + 1,
        }

    def following(state, n_done):
        return None if n_done >= 7 else n_done % min(3, len(rows.ranges))

    return rows.walk(step, {"sum": 0.0, "blocks": 0}, following, None, lambda kept, _: kept)[0]


def parts_of(rows):
    dealt = Dealt(Columns.of(rows).before, 5, rows.classes)
    views = [(k, held) for k in range(5) for held in (False, True)]
    return [
        seen_as(rows, FoldRows(rows.source, dealt, k, held=held), 0.2 if held else 0.8)
        for k, held in views
    ]


@pytest.mark.parametrize("seeks", [False, True])
@pytest.mark.parametrize(("size", "threads"), [(4096, 2), (40960, 1), (40960, 5), (1 << 20, 2)])
def test_runs_give_what_they_give_alone(size, threads, seeks, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    alone = rows_of(1 << 20)
    wanted = [some_passes(part, 1 + k % 4) for k, part in enumerate(parts_of(alone))]
    rows = sharing(rows_of(size, seeks=seeks))
    parts = parts_of(rows)
    before = rows.reads.done
    jobs = [lambda part=part, k=k: some_passes(part, 1 + k % 4) for k, part in enumerate(parts)]
    found = together(rows, [*jobs, lambda: some_passes(rows, 2)])
    for (total, seconds), by_itself in zip(found, [*wanted, some_passes(alone, 2)], strict=True):
        assert total.tobytes() == by_itself.tobytes()
        assert seconds > 0
    assert rows.reads.done - before < 5.5  # four passes in turn, of which some begin in the middle


def test_a_walk_goes_from_block_to_block_as_alone():
    rows = sharing(rows_of(20480))
    alone = walked(rows)
    (first, _), (second, _) = together(rows, [lambda: walked(rows), lambda: walked(rows)])
    assert first == second == alone


def test_an_error_in_one_run_ends_all():
    rows = sharing(rows_of(20480))

    def wrong():
        some_passes(rows, 1)
        raise ValueError("as asked")

    ended = []

    def other():
        try:
            some_passes(rows, 9)
        finally:
            ended.append(True)

    with pytest.raises(ValueError, match="as asked"):
        together(rows, [other, wrong, other])
    assert ended == [True, True]
    assert some_passes(rows, 1).tobytes() == some_passes(rows_of(20480), 1).tobytes()
