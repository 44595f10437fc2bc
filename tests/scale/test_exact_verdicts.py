"""Verdicts and their proofs over files: on a cluster, and after a run that stopped."""

import numpy as np
import pytest

from separatrix import separability
from separatrix.scale import NpySource, Rows
from separatrix.scale.checkpoint import Checkpoint
from separatrix.scale.on_dask import OnDask
from separatrix.tiles import TILE
from tests.separation.in_blocks import answers

N, D = 5 * TILE + 7, 3
KINDS = "separable", "touching", "overlapping"


class StopError(Exception):
    """What a kill leaves: nothing after this is done."""


class StoppingSource(NpySource):
    """Files of which no more than some blocks can be read."""

    left = 10**9

    def read(self, start, stop, *, check=True):
        self.left -= 1
        if self.left < 0:
            raise StopError
        return super().read(start, stop, check=check)


def saved(folder, kind):
    rng = np.random.default_rng(7)
    X = rng.integers(-9, 10, size=(N, D)).astype(np.float32)
    y = X @ [2.0, -1.0, 0.0] + 0.5 > 0
    if kind != "separable":
        y ^= rng.random(N) < 0.05
    if kind == "touching":
        X[:, 2] = y & (rng.random(N) < 0.01)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    return [str(folder / "X.npy")], [str(folder / "y.npy")]


def of_little_memory(source, **more):
    table = Rows(source, rows_in_block=TILE, **more)
    table.budget = 0
    return table


def all_of(found):
    assert found.table.table.in_memory is None
    return answers(found)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cluster_gives_the_verdict_of_the_loop(tmp_path, client, kind):
    source = NpySource(*saved(tmp_path, kind))
    alone = separability(of_little_memory(source))
    table = of_little_memory(source, back_end=OnDask(client))
    together = separability(table)
    assert alone.verdict == kind
    assert all_of(together) == all_of(alone)
    assert together.verify(table, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_stops_goes_on_to_the_same_verdict(tmp_path, kind):
    source = StoppingSource(*saved(tmp_path, kind))
    expected = all_of(separability(of_little_memory(source)))
    stops, left = 0, 3
    while True:
        source.left = left
        journal = Checkpoint(str(tmp_path / "c"), source.fingerprint, every=0.0, share=0)
        try:
            found = all_of(separability(of_little_memory(source, journal=journal)))
            break
        except StopError:
            stops, left = stops + 1, 3 + 5 * stops
    assert stops > 1
    assert found == expected
