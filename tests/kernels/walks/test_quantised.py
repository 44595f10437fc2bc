"""Quantised rows: its scores stay inside their band, and its flags are never wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest

from separatrix.kernels.walks import quantised
from separatrix.kernels.walks.perceptron import plain
from separatrix.plain.score import exact_score
from tests.as_plain import rows as plain_rows

TABLES = {
    "gaussian": lambda rng, n, d: rng.normal(size=(n, d)),
    "mixed units": lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, d),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy(size=(n, d)) ** 3,
    "whole numbers": lambda rng, n, d: rng.integers(-9, 10, (n, d)).astype(float),
    "least doubles": lambda rng, n, d: rng.normal(size=(n, d)) * 1e-310,
    "largest doubles": lambda rng, n, d: rng.uniform(-1, 1, (n, d)) * 1.7e308,
    "a column of zeros": lambda rng, n, d: rng.normal(size=(n, d)) * (np.arange(d) > 0),
}


def copied(X, y, order, x0, n_tiles=2):
    n, d = X.shape
    size = math.ceil(n / n_tiles / 64) * 64
    columns = math.ceil((d + 1) / 3) * 3
    tiles = quantised.Tiles(
        np.zeros((n_tiles, columns, size), np.int16),
        np.zeros((n_tiles, columns)),
        np.zeros((n_tiles, columns)),
        False,
    )
    return tiles, quantised.fill_tiles(X, y, order, x0, plain(tiles))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("x0", [0.0, 1.0])
def test_no_row_is_outside_its_band(kind, x0):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(66, 100)), int(rng.integers(1, 9))
        X, y = TABLES[kind](rng, n, d), rng.choice([-1.0, 1.0], n)
        order = rng.permutation(n)
        tiles, whole = copied(X, y, order, x0)
        assert whole == bool((np.rint(X) == X).all())
        sizes = np.abs(X).max(axis=0)
        sizes[sizes < 1e-200] = 1.0
        w = rng.normal(size=d + 1) / np.append(1.0, sizes) * 2.0 ** rng.integers(-40, 40)
        steps, scale, slack, _ = tiles
        weights = np.zeros(steps.shape[1], np.float32)
        scores = np.empty(steps.shape[2], np.float32)
        flags = np.empty(steps.shape[2], np.uint8)
        for t in range(2):
            band = quantised.tile_weights(w, scale, slack, t, weights)
            wrong, doubtful = quantised.score_tile(steps, t, weights, band, scores, flags)
            assert wrong == (flags == quantised.TO_CORRECT).sum()
            assert doubtful == (flags == quantised.DOUBTFUL).sum()
            top = max(abs(Fraction(a) * Fraction(b)) for a, b in zip(w, scale[t], strict=False))
            assert band > 0.0
            places = range(t * steps.shape[2], min(n, (t + 1) * steps.shape[2]))
            rows = plain_rows(X[order[places]], x0)
            for r, (z, i) in enumerate(zip(rows, order[places], strict=True)):
                a = int(y[i]) * exact_score(w.tolist(), z)
                if np.isfinite(band):
                    assert abs(Fraction(float(scores[r])) - a / top) <= Fraction(band)
                if flags[r] != quantised.DOUBTFUL:
                    assert (a < 0) == (flags[r] == quantised.TO_CORRECT)
            if kind in ("gaussian", "whole numbers"):
                assert (flags[: len(places)] == quantised.DOUBTFUL).mean() < 0.3


def test_weights_without_size_leave_every_row_in_doubt():
    X = np.ones((70, 2))
    tiles, _ = copied(X, np.ones(70), np.arange(70), 1.0)
    weights = np.zeros(3, np.float32)
    for w in (np.zeros(3), np.full(3, 1e-250), np.full(3, 1e250)):
        assert quantised.tile_weights(w, tiles.scale, tiles.slack, 0, weights) == np.inf
        assert not weights.any()
