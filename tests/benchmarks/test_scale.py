"""The benchmarks of large tables and of whole commands: files, times, exponents, small runs."""

import json
import sys
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pytest
from benchmarks.ordinary import Ordinary, measured

from benchmarks import scale
from tests.benchmarks.tiny import ROOT
from tests.processes import python


def test_an_exponent_is_that_of_the_sizes_from_the_least_on():
    points = [(1, 5.0), *((n, 2e-3 * n**1.5) for n in (10, 100, 1000))]
    assert scale.exponent(points, 10) == pytest.approx(1.5)


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


def test_a_child_reports_load_and_fit_apart_from_the_process(tmp_path):
    scale.make(tmp_path, 20_000, 3, margin=0.0, parquet=True)
    command = ["-m", "benchmarks.scale", "child", tmp_path, "linear", "separatrix"]
    done = python(*command, cwd=ROOT)
    found = json.loads(done.stdout.splitlines()[-1])
    assert 0.0 < found["load and fit"] <= found["seconds"] + 0.01
    assert len(found["weights"]) == 4


def test_pictures_have_both_axes(tmp_path):
    points = [(10**k, 0.1 * 10.0**k) for k in range(5, 8)]
    wide = [(d, 0.1 * d) for d in (20, 100)]
    scale.draw({"rows": {"pla": points}, "columns": {"pla": wide}}, tmp_path / "g.svg")
    drawn = (tmp_path / "g.svg").read_text()
    assert "pla: exponent 1.00" in drawn
    assert "100,000 rows" in drawn


def test_a_table_is_the_same_each_time_and_has_levels_with_one_label(tmp_path):
    import pyarrow.csv as pacsv

    table = Ordinary(2000, 3, (20,), one_sided=5)
    for name in ("a.csv", "b.csv"):
        table.write(tmp_path / name, 2000)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    read = pacsv.read_csv(tmp_path / "a.csv").to_pydict()
    assert list(read) == ["x1", "x2", "x3", "c1", "y"]
    labels = Counter(level for level, _ in set(zip(read["c1"], read["y"], strict=True)))
    one = {level for level, n in labels.items() if n == 1}
    assert one == {f"level {k}" for k in range(5)}
    assert len(labels) == 20
    assert 0.3 < np.mean([label == "yes" for label in read["y"]]) < 0.7


def test_a_process_is_measured_with_its_memory_and_its_failure(tmp_path):
    work = "a = bytearray(200 << 20); a[::4096] = bytes(len(a[::4096])); sum(range(2_000_000))"
    used = measured([sys.executable, "-c", work], tmp_path)
    assert 200 < used.peak < 300
    assert 0.0 < used.cpu <= 2 * used.wall
    assert not used.failed
    assert measured([sys.executable, "-c", ""], tmp_path).peak < 30
    failed = measured([sys.executable, "-c", "raise SystemExit('no such table')"], tmp_path)
    assert failed.failed == "exit 1: no such table"


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
