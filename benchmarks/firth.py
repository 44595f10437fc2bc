"""Firth's regression beside `firthmodels`: the fit, the test of each coefficient, all profile ends.

Both do the same work in turn, on the same table of normal columns. What they found stands beside
the times: the penalised likelihood of either fit, the largest difference of an end, and how many
tests and ends the peer leaves undecided.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.measuring import Spread
from benchmarks.timing import timed

ROWS = 1000
SHAPES = {f"firth {ROWS}x{k}": k for k in (5, 20, 50)}
TURNS = 7


def drawn(k: int, seed: int) -> tuple[Any, Any]:
    """Return rows (1000, k) and labels 0 / 1 of a logistic model with weights of length 1."""
    random = np.random.default_rng([seed, k])
    X, w = random.normal(size=(ROWS, k)), random.normal(size=k) / np.sqrt(k)
    return X, (random.random(ROWS) < 1.0 / (1.0 + np.exp(-X @ w))).astype(int)


def of_ours(X: Any, y: Any) -> Any:  # noqa: ANN401
    """Return estimates, tests and ends; not enclosed, as the peer's are not."""
    from separatrix.data import read_arrays
    from separatrix.inference.priors import firth_estimates
    from separatrix.scale import Rows

    return firth_estimates(Rows.of(read_arrays(X, y)), 0.95, {"enclose": False})


def of_peer(X: Any, y: Any) -> Any:  # noqa: ANN401
    """Return the peer's model, its p-values found, and its ends, the intercept's last."""
    from firthmodels import FirthLogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it gives up on, which is counted
        model = FirthLogisticRegression().fit(X, y).lrt()
        return model, model.conf_int(method="pl")


def timings(seed: int, turns: int = TURNS) -> dict[str, dict[str, Any]]:
    """Return what is measured of each shape; nothing where the peer is absent."""
    try:
        import firthmodels  # noqa: F401
    except ImportError:
        return {}
    found = {}
    for name, k in SHAPES.items():
        X, y = drawn(k, seed)
        of_ours(X, y)
        of_peer(X, y)  # both are compiled
        ours, peers = [], []
        for _ in range(turns):
            estimates, seconds = timed(of_ours, X, y)
            ours.append(seconds)
            (model, ends), seconds = timed(of_peer, X, y)
            peers.append(seconds)
        ends = np.roll(ends, 1, axis=0)
        mine = np.column_stack((estimates.lower, estimates.upper))
        found[name] = {
            "ours": _spread(ours),
            "peer": _spread(peers),
            "to_ours": _spread([b / a for a, b in zip(ours, peers, strict=True)]),
            "objective": estimates.log_likelihood,
            "peer_objective": float(model.loglik_),
            "largest_difference": float(np.nanmax(np.abs(ends - mine))),
            "peer_undecided": int(np.isnan(ends).sum() + np.isnan(model.lrt_pvalues_).sum()),
        }
    return found


def _spread(values: Iterable[float]) -> dict[str, float]:
    return asdict(Spread.of(values))
