"""A run that was killed goes on from its checkpoint, and ends with the same bytes."""

import hashlib
import json
import math
import os
from fractions import Fraction

import numpy as np
import pytest

from separatrix import GradientDescent, InputError, minimum_errors, open_table
from separatrix.data import read_arrays
from separatrix.scale import ArraySource, Block, Rows
from separatrix.scale.checkpoint import Checkpoint, from_bytes, to_bytes
from separatrix.tiles import TILE, stack_of_tiles
from separatrix.zero_one import disjoint_cores

N = 6 * TILE + 5
BLOCKS = 7 + 7 + 15  # of the three passes


class StopError(Exception):
    """What a kill leaves: nothing after this is done."""


def sample():
    rng = np.random.default_rng(1)
    return read_arrays(rng.normal(size=(N, 2)), rng.random(N) < 0.5)


def sums(block: Block, calls: list) -> np.ndarray:
    spend(calls)
    return stack_of_tiles(block.n, lambda tile: block.sample.X[tile].sum(axis=0))


def longest(block: Block, calls: list) -> tuple[float, int]:
    spend(calls)
    return float(block.sample.X.max()), block.start


def walk(block: Block, state: dict, calls: list) -> dict:
    spend(calls)
    return {"v": state["v"] * 0.5 + block.sample.X[0], "n": state["n"] + block.n}


def spend(calls: list) -> None:
    """Count a block that is read; stop the run when none is left."""
    calls[0] -= 1
    if calls[0] < 0:
        raise StopError


def run(table: Rows, calls: list) -> bytes:
    """Three kinds of passes, each of which depends on the one before."""
    with table.journal.part("the run"):
        return three_passes(table, calls)


def until_the_third_time(state: dict, done: int) -> int | None:
    return None if state["n"] > 2 * N else done % 7


def three_passes(table: Rows, calls: list) -> bytes:
    total = table.sum(sums, calls)
    found = table.map(longest, calls)
    state = {"v": total * found[0][0], "n": 0}
    state, _ = table.walk(walk, state, until_the_third_time, None, lambda *_: None, calls)
    return total.tobytes() + state["v"].tobytes() + repr((found, state["n"])).encode()


def table_with(path, calls_of=sample) -> Rows:
    source = ArraySource(calls_of())
    return Rows(
        source,
        rows_in_block=TILE,
        journal=Checkpoint(str(path), repr(source.sample.X[0]), every=0.0, share=0),
    )


def test_a_run_that_stops_at_any_block_goes_on_to_the_same_bytes(tmp_path):
    expected = run(Rows(ArraySource(sample()), rows_in_block=TILE), [1000])
    for stop in range(BLOCKS):
        path = tmp_path / f"checkpoint{stop}"
        with pytest.raises(StopError):
            run(table_with(path), [stop])
        read = [1000]
        assert run(table_with(path), read) == expected
        # what was done is not done again: all but the blocks that were not written
        assert 1000 - read[0] == BLOCKS - stop
        assert run(table_with(path), [0]) == expected


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = tmp_path / "checkpoint"
    run(table_with(path), [1000])

    def other():
        of = sample()
        return read_arrays(of.X + 1.0, of.y)

    with pytest.raises(InputError, match="is of other data"):
        table_with(path, other)
    table = table_with(path)
    refused = pytest.raises(InputError, match="it was asked the run, and this one is asked b")
    with refused, table.journal.part("b"):
        pass
    content = path.read_bytes()
    for broken in (content[:-1], content[:40], b"", content.replace(b"the run", b"The run")):
        path.write_bytes(broken)
        with pytest.raises(InputError, match="is not a checkpoint, or it is broken"):
            table_with(path)


@pytest.mark.parametrize("stop", [1, 3, 6])
def test_the_fewest_mistakes_go_on_from_any_round(tmp_path, monkeypatch, stop):
    path = tmp_path / "checkpoint"
    monkeypatch.setattr(disjoint_cores, "ROUND", 1)
    monkeypatch.setattr("separatrix.scale.rows.IN_MEMORY", math.inf)
    expected = minimum_errors(table_with(tmp_path / "another"), time_limit=None)
    rounds, of_tiles = iter(range(stop)), disjoint_cores.of_tiles

    def stopping(*given, **kept):
        if next(rounds, None) is None:
            raise StopError
        return of_tiles(*given, **kept)

    monkeypatch.setattr(disjoint_cores, "of_tiles", stopping)
    with pytest.raises(StopError):
        minimum_errors(table_with(path), time_limit=None)
    monkeypatch.setattr(disjoint_cores, "of_tiles", of_tiles)
    content = path.read_bytes()
    found = minimum_errors(table_with(path), time_limit=None)
    assert (found.lower, found.upper) == (expected.lower, expected.upper)
    assert found.lower > 0
    path.write_bytes(content)
    monkeypatch.setattr(disjoint_cores, "ROUND", 3)
    with pytest.raises(InputError, match="cannot go on from the checkpoint"):
        minimum_errors(table_with(path), time_limit=None)


def fingerprint(*table, **how):
    return open_table(*table, **how).source.fingerprint


def test_a_checkpoint_of_other_labels_weights_or_cells_is_refused(tmp_path):
    text = ["a,w,y\n", *(f"{k},{k % 7 + 1},{k % 2}\n" for k in range(20_000))]
    array = np.random.default_rng(0).integers(0, 2, size=(N, 3))

    def fingerprints(written: int) -> list[str]:
        (tmp_path / "t.csv").write_text("".join(text))
        np.save(tmp_path / "t.npy", array)
        for name in ("t.csv", "t.npy"):  # some file systems count in seconds
            os.utime(tmp_path / name, ns=(1, written))
        found = [fingerprint(tmp_path / "t.npy", k) for k in (0, 1, 2)]
        assert found[2] == fingerprint(tmp_path / "t.npy", -1)
        weighed = fingerprint(tmp_path / "t.csv", "y", weight="w")
        return [*found, weighed, fingerprint(tmp_path / "t.csv", "y", drop=["w"])]

    before = fingerprints(1)
    assert before == fingerprints(1)
    assert len(set(before)) == 5
    text[9] = text[9].replace(",2,", ",5,")
    array[0] = 1 - array[0]
    assert not set(before) & set(fingerprints(2))


def forged(content: bytes, change_head, change_value=lambda value: value) -> bytes:
    """Return a checkpoint with another head, another first value, and the digest of those."""
    head, _, values = content.partition(b"\n")[2].partition(b"\n")
    about = json.loads(head)
    size = about["passes"][0][1]
    value = change_value(values[:size])
    about["passes"][0][1] = len(value)
    about = change_head(about)
    body = json.dumps(about).encode() + b"\n" + value + values[size:]
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def with_(**fields):
    return lambda about: about | fields


def without(name):
    return lambda about: {key: value for key, value in about.items() if key != name}


def first_pass(*change):
    return lambda about: about | {"passes": [list(change), *about["passes"][1:]]}


HEADS = {
    "no object": lambda _: [1], "format": with_(format=3), "no version": without("version"),
    "no parts": without("parts"), "no seconds": without("seconds"),
    "parts of numbers": with_(parts=[1]), "no passes": without("passes"),
    "passes of text": with_(passes="x"), "a pass of one": first_pass(1),
    "a negative count": first_pass(-1, 10), "nan": first_pass(float("nan"), 10),
    "too long": first_pass(7, 10**9), "too short": first_pass(7, 1), "true": first_pass(True, 10),
}  # fmt: skip
VALUES = {
    "empty": b"",
    "no line": b"[1]",
    "no JSON": b"{]\n",
    "text": b'"x"\n',
    "deep": b"[" * 20_000 + b"\n",
    "an unknown kind": b'{"object":1}\n',
    "two kinds": b'{"tuple":[],"dict":[]}\n',
    "a fraction by zero": b'{"fraction":"1/0"}\n',
    "objects": b'{"array":["|O",[1]]}\n' + bytes(8),
    "too few bytes": b'{"array":["<f8",[2]]}\n' + bytes(8),
    "a negative length": b'{"array":["<f8",[-1]]}\n' + bytes(16),
    "too many numbers": b'{"array":["<f8",[1000000000000000]]}\n',
    "integers": b'{"array":["<i8",[2]]}\n' + bytes(16),
    "no dimension": b'{"array":["<f8",[]]}\n' + bytes(8),
    "another length": b'{"array":["<f8",[3]]}\n' + bytes(24),
}


@pytest.mark.parametrize("change", HEADS)
def test_a_forged_head_with_the_right_digest_is_refused(tmp_path, change):
    path = tmp_path / "checkpoint"
    run(table_with(path), [1000])
    path.write_bytes(forged(path.read_bytes(), HEADS[change]))
    with pytest.raises(InputError, match="checkpoint"):
        run(table_with(path), [1000])


@pytest.mark.parametrize("change", VALUES)
def test_a_forged_value_with_the_right_digest_is_refused(tmp_path, change):
    path = tmp_path / "checkpoint"

    def learned() -> bytes:
        table = table_with(path)
        return GradientDescent(max_updates=3).fit(table).coef_.tobytes()

    learned()
    path.write_bytes(forged(path.read_bytes(), dict, lambda _: VALUES[change]))
    with pytest.raises(InputError, match=r"checkpoint.*(do not fit it|it is broken)"):
        learned()


def test_the_errors_of_a_run_that_has_no_checkpoint_are_its_own(tmp_path):
    table = table_with(tmp_path / "checkpoint")
    with pytest.raises(ZeroDivisionError), table.journal.part("a"):
        table.map(lambda block: block.n / 0)


WRITTEN = [
    None, True, 10**30, "Größe\n", -np.inf, np.nan, Fraction(-1, 3), np.array([np.nan, -0.0]),
    (1, [0.1, (None,)], {"a": np.arange(6.0).reshape(2, 3), "b": (np.float64(0.1), np.int64(-3))}),
    [np.array([True, False]), np.zeros((0, 4)), np.array(["no", "yes"]), np.array(2.0)],
]  # fmt: skip


def same(a, b) -> bool:
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and repr(a) == repr(b)  # nan is nan


@pytest.mark.parametrize("value", WRITTEN, ids=repr)
def test_what_is_written_is_read_back(value):
    assert same(value, from_bytes(to_bytes(value)))


@pytest.mark.parametrize("value", [
    object(), {1: 2}, np.array([None]), {1, 2}, b"x",
], ids=["object", "dict", "objects", "set", "bytes"])  # fmt: skip
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match="is not written"):
        to_bytes([value])
