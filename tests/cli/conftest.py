"""Files that the command line has written, and machine code that lacks a kernel."""

import csv
import shutil
from pathlib import Path

import pytest

from separatrix.kernels import _cache
from separatrix.kernels.warm_up import compile_all
from tests.cli.shell import GOOD


@pytest.fixture(scope="session")
def iris(tmp_path_factory):
    from sklearn.datasets import load_iris

    data = load_iris()
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["sl", "sw", "pl", "pw", "species"])
        for row, k in zip(data.data.tolist(), data.target, strict=True):
            rows.writerow([*row, data.target_names[k]])
    return path


@pytest.fixture
def model(run, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    path = tmp_path / "m.json"
    assert run("learn", tmp_path / "t.csv", "--label", "pays", "--model", path, "-q")[0] == 0
    return path


@pytest.fixture(scope="session")
def warm() -> Path:
    done = compile_all()
    assert done.folder is not None
    assert done.failed == ()
    return done.folder


LACKING = "exact.signed_scores-*.nbc"  # that each fit calls


@pytest.fixture
def nearly(warm, tmp_path, monkeypatch):
    """Make a cache in which one kernel is missing."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_cache.config, "CACHE_DIR", str(tmp_path / "cache"))
    (folder,) = _cache.folders()
    shutil.copytree(warm, folder, ignore=shutil.ignore_patterns("*.pyc", LACKING))
    return folder
