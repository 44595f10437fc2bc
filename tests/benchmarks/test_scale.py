"""The benchmarks of large tables and of whole commands: their files, and a small run."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks import scale
from tests.benchmarks.tiny import ROOT
from tests.processes import python


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_files_have_labels_of_a_line(tmp_path, margin):
    scale.make(tmp_path, 3000, 2, margin=margin, parquet=True)
    X, y = np.load(tmp_path / "X.npy"), np.load(tmp_path / "y.npy")
    assert (X.shape, X.dtype, len(list((tmp_path / "parquet").iterdir()))) == (
        (3000, 2), np.float32, 16
    )  # fmt: skip
    found = scale.separability(tmp_path, "512MB")
    assert found["verdict"] == ("separable" if margin else "overlapping")
    assert 0.2 < y.mean() < 0.8


def test_a_small_run_has_every_command_beside_its_peers(tmp_path):
    written, peers = tmp_path / "found.jsonl", {"scikit-learn"}
    if find_spec("statsmodels"):  # of the extra `bench`
        peers.add("statsmodels")
    wanted = {"learn", "predict --explain", *peers}
    words = [word for who in sorted(wanted) for word in ("--what", who)]
    command = ["-m", "benchmarks.ordinary", "--size", "tiny", "--turns", "1", "--only", "400,000"]
    done = python(*command, "--json", written, *words, cwd=ROOT)
    rows = [json.loads(line) for line in written.read_text().splitlines()]
    assert {row["line"] for row in rows} == {f"400,000 x 8 + 3, {who}" for who in wanted}
    assert all(set(row["figures"]) == {"wall", "cpu", "peak"} for row in rows)
    printed = [line for line in done.stdout.splitlines() if line.startswith("400,000 x 8 + 3  ")]
    assert len(printed) == len(wanted) == len(rows)
    compared = [len(line.split("MiB")[1].split()) for line in printed]
    assert sorted(compared) == [0, *[3] * (len(wanted) - 1)]
