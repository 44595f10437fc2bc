"""What is run to be killed: a learner over blocks of files, with a checkpoint or on a cluster."""

import hashlib
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.scale import NpySource, Rows
from separatrix.scale.checkpoint import Checkpoint
from separatrix.tiles import TILE

MEMORY = "512MB"  # too little for the rows: none of them are read whole
PAUSE = 0.005  # seconds that a block takes longer, so that a kill meets all of a run


def of_line(model: Any) -> bytes:
    counted = [getattr(model, name, None) for name in ("n_updates_", "n_iter_", "n_errors_")]
    return model.coef_.tobytes() + model.intercept_.tobytes() + repr(counted).encode()


def of_verdict(table: Rows) -> bytes:
    found = sx.separability(table)
    return repr((found.verdict, found.refusal, found.line, found.rank)).encode()


RUNS: dict[str, Callable[[Rows], bytes]] = {
    "linear": lambda table: of_line(sx.LinearRegressionClassifier().fit(table)),
    "logistic": lambda table: of_line(sx.LogisticRegression().fit(table)),
    "descent": lambda table: of_line(sx.GradientDescent(max_updates=6).fit(table)),
    "pla": lambda table: of_line(sx.Perceptron(max_iter=4).fit(table)),
    "pocket": lambda table: of_line(sx.Pocket(max_updates=6, random_state=0).fit(table)),
    "separability": of_verdict,
    "coefficients": lambda table: sx.coefficient_table(table).to_json().encode(),
}


def learned(name: str, table: Rows) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of limits that end a run
        return hashlib.sha256(RUNS[name](table)).hexdigest()


class SlowSource(NpySource):
    """Files that take their time."""

    def read(self, start: int, stop: int) -> Any:
        time.sleep(PAUSE)
        return super().read(start, stop)


def save(folder: Any, seed: int = 0) -> list[str]:
    """Save rows that no line separates; return the paths of X and y."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(24 * TILE + 9, 10)).astype(np.float32)
    y = X[:, :3] @ [1.0, -2.0, 0.5] + random.normal(size=len(X)) > 0.1
    for letter, array in zip("Xy", (X, y), strict=True):
        np.save(folder / f"{letter}.npy", array)
    return [str(folder / "X.npy"), str(folder / "y.npy")]


def run(which: str, rows: str, labels: str, path: str, told: Connection) -> None:
    """Learn with a checkpoint; send "begun", and at the end the SHA-256 of what was learned."""
    source = SlowSource([rows], [labels])
    journal = Checkpoint(path, source.fingerprint, every=0.0, share=0)
    told.send("begun")
    table = Rows(source, rows_in_block=TILE, journal=journal, memory=MEMORY)
    told.send(learned(which, table))
    journal.remove()
