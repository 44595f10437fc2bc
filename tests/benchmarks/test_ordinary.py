"""The benchmark of whole commands: its tables, what a process used, and a small run."""

import json
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec

import numpy as np

from tests.benchmarks.tiny import ROOT


def test_a_table_is_the_same_each_time_and_has_levels_with_one_label(tmp_path):
    import pyarrow.csv as pacsv
    from benchmarks.ordinary import Ordinary

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
    from benchmarks.ordinary import measured

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
    command = [sys.executable, "-m", "benchmarks.ordinary", "--size", "tiny", "--turns", "1"]
    done = subprocess.run(
        [*command, "--only", "400,000", "--json", str(written),
         *(word for who in sorted(wanted) for word in ("--what", who))],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    rows = [json.loads(line) for line in written.read_text().splitlines()]
    assert {row["line"] for row in rows} == {f"400,000 x 8 + 3, {who}" for who in wanted}
    assert all(set(row["figures"]) == {"wall", "cpu", "peak"} for row in rows)
    printed = [line for line in done.stdout.splitlines() if line.startswith("400,000 x 8 + 3  ")]
    assert len(printed) == len(wanted) == len(rows)
    compared = [len(line.split("MiB")[1].split()) for line in printed]
    assert sorted(compared) == [0, *[3] * (len(wanted) - 1)]
