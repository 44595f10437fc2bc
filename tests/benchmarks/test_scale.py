"""The benchmark of large tables: files as they are asked for, times and exponents."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.benchmarks.tiny import ROOT


def test_an_exponent_is_that_of_the_sizes_from_the_least_on():
    from benchmarks import scale

    points = [(1, 5.0), *((n, 2e-3 * n**1.5) for n in (10, 100, 1000))]
    assert scale.exponent(points, 10) == pytest.approx(1.5)


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_files_have_labels_of_a_line(tmp_path, margin):
    from benchmarks import scale

    scale.make(tmp_path, 3000, 2, margin=margin, parquet=True)
    X, y = np.load(tmp_path / "X.npy"), np.load(tmp_path / "y.npy")
    assert (X.shape, X.dtype, len(list((tmp_path / "parquet").iterdir()))) == (
        (3000, 2), np.float32, 16
    )  # fmt: skip
    found = scale.separability(tmp_path, "512MB")
    assert found["verdict"] == ("separable" if margin else "overlapping")
    assert 0.2 < y.mean() < 0.8


def test_a_child_reports_load_and_fit_apart_from_the_process(tmp_path):
    from benchmarks import scale

    scale.make(tmp_path, 20_000, 3, margin=0.0, parquet=True)
    command = [sys.executable, "-m", "benchmarks.scale", "child", str(tmp_path), "linear"]
    done = subprocess.run(
        [*command, "separatrix"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert 0.0 < found["load and fit"] <= found["seconds"] + 0.01
    assert len(found["weights"]) == 4


def test_pictures_have_both_axes(tmp_path):
    from benchmarks import scale

    points = [(10**k, 0.1 * 10.0**k) for k in range(5, 8)]
    wide = [(d, 0.1 * d) for d in (20, 100)]
    scale.draw({"rows": {"pla": points}, "columns": {"pla": wide}}, tmp_path / "g.svg")
    drawn = (tmp_path / "g.svg").read_text()
    assert "pla: exponent 1.00" in drawn
    assert "100,000 rows" in drawn
