"""Two threads make the walk of one: the same rows, counts, passes and bytes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix import MarginPerceptron, Perceptron
from separatrix.learners.walks import pla
from separatrix.learners.walks.tuning import Tuning

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotConvergedWarning")


def table(n, d, seed, *, contradiction):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    X = rng.normal(size=(n, d))
    y = np.where(X @ w > 0.3, 1.0, -1.0)
    X += 0.05 * y[:, None] * w / np.linalg.norm(w)
    if contradiction:
        X, y = np.vstack([X, X[:1]]), np.append(y, -y[0])
    return X, y


def everything(model):
    return (
        model.trace_.rows.tobytes(),
        model.coef_.tobytes(),
        model.intercept_.tobytes(),
        model.counts_.tobytes(),
        (model.n_updates_, model.n_iter_, model.stopped_),
    )


def wide(X):
    """The same rows with so many columns of zeros that they stay sparse."""
    return sp.csr_array(np.hstack([X, np.zeros((len(X), 200))]))


@pytest.mark.parametrize("contradiction", [False, True])
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(max_iter=40),
        Perceptron(max_iter=40, visit="permuted", random_state=0, sign_of_zero=-1),
        Perceptron(max_iter=None, max_updates=300, visit="naive"),
        MarginPerceptron(max_iter=40),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", [np.asarray, wide])
def test_two_threads_walk_as_one(model, kind, contradiction, filtered, monkeypatch):
    scans, passes = [], 1 if filtered else 10**6
    model._tuning = Tuning(scan_multiplications=1, loading=1, filter_passes=passes)
    whole = pla.scan_ahead
    monkeypatch.setattr(pla, "scan_ahead", lambda *a: scans.append(a[1].size > 0) or whole(*a))
    for seed in range(3):
        X, y = table(700, 3, seed, contradiction=contradiction)
        found = []
        for threads in ("1", "2", "3"):
            monkeypatch.setenv("OMP_NUM_THREADS", threads)
            found.append(everything(model.fit(kind(X), y)))
            assert bool(scans) == (threads != "1")
        scans_of_filters, _ = any(scans), scans.clear()
        assert found[0] == found[1] == found[2]
        if kind is wide or not filtered:
            assert not scans_of_filters
