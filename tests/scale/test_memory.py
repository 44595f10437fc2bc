"""`--memory` bounds the whole process, seen from outside."""

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from separatrix import InputError
from separatrix.scale import budget
from separatrix.scale.converting import Converter
from separatrix.scale.tables_of_files import first_rows, open_table
from separatrix.tables.options import Reading
from separatrix.tiles import TILE

N, D = 1_000_000, 20  # 160 MB of doubles, beside modules and kernels of 300
MEMORY = 512
LEAST = re.compile(r"--memory is 512MB; ([0-9]+)MB is the least that works for wid")
HIGH_WATER = re.compile(r"VmHWM:\s+(\d+) kB")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    random = np.random.default_rng(0)
    for k in range(4):
        X = random.normal(size=(N // 4, D))
        noisy = X[:, 0] - X[:, 1] + random.logistic(size=len(X)) > 0
        columns = {f"x{j}": X[:, j] for j in range(D)} | {"y": np.where(noisy, "yes", "no")}
        pq.write_table(pa.table(columns), folder / f"{k}.parquet", use_dictionary=["y"])
    levels = [f"k{i}" for i in random.integers(0, 300, len(X))]  # a tile of them is 10 MB
    few = pa.table({"x": X[:, 0], "z": X[:, 1], "level": levels, "y": columns["y"]})[:150_000]
    pq.write_table(few, folder / "levels.pq")
    wide = random.normal(size=(6000, 260))
    noisy = np.where(wide.sum(axis=1) + random.logistic(size=6000) > 0, "yes", "no")
    made = {f"x{j}": column for j, column in enumerate(wide.T)} | {"y": noisy}
    pq.write_table(pa.table(made), folder / "wide.pq")
    wider = pa.table({f"x{j}": wide[:, j % 260] for j in range(3000)} | {"y": noisy})[:2000]
    pq.write_table(wider, folder / "wider.pq")
    return folder


@pytest.mark.parametrize("command", [
    "prove *.parquet -o p.json", "infer *.parquet", "learn levels.pq", "learn wide.pq",
    "check wider.pq",
])  # fmt: skip
def test_no_more_is_taken_than_was_given(rows, command):
    memory = MEMORY
    if "wide" in command:
        code, said, peak = ran(command, memory, rows)
        assert (code, peak <= memory * 10**6) == (2, True)
        memory = int(LEAST.search(said)[1])
        assert memory > MEMORY
    code, _, peak = ran(command, memory, rows)
    assert code == 0
    assert 10**8 < peak <= memory * 10**6


def ran(command, memory, folder):
    """Return the exit code of a command, what it said, and the most memory that it took."""
    words = f"{command} --label y --memory {memory}MB".split()
    with subprocess.Popen(
        [sys.executable, "-m", "separatrix", *words],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        peak = 0
        while process.poll() is None:
            peak = max(peak, *map(int, HIGH_WATER.findall(status_of(process.pid))), 0)
            time.sleep(0.02)
        return process.returncode, process.stderr.read(), peak * 1024


def status_of(pid):
    """Return what the system says of a process; nothing once it has ended."""
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""


@pytest.mark.parametrize(("asked", "size"), [
    ("512MB", 512_000_000), ("1.5 GiB", 3 << 29), (10**9, 10**9), ("2gb", 2 * 10**9),
])  # fmt: skip
def test_sizes_are_read_with_their_unit(asked, size):
    assert budget.memory_in_bytes(asked) == budget.memory_budget(asked) + budget.STARTED == size


@pytest.mark.parametrize("asked", ["", "much", "-1GB", "3 GHz", "1MB", "511MB", "1e9", "nan"])
def test_other_sizes_are_refused(asked):
    with pytest.raises(InputError, match="--memory"):
        budget.memory_in_bytes(asked)


def test_processes_share_a_size():
    assert budget.memory_in_bytes("1536MB", 3) == 512 * 10**6
    with pytest.raises(InputError, match="1536MB is the least that works for 3 processes"):
        budget.memory_in_bytes("1GB", 3)


@pytest.mark.parametrize("d", [1, 20, 3000])
def test_blocks_are_whole_tiles_within_the_budget(d):
    rows = budget.rows_per_block(8 * d + 16, 10**9)
    assert rows % TILE == 0
    assert rows * (8 * d + 16) <= max(budget.LARGEST_BLOCK, TILE * (8 * d + 16))
    assert budget.memory_budget() > 10**8


def test_a_file_that_is_too_wide_is_refused_before_it_is_read_or_written(tmp_path, monkeypatch):
    names = ",".join(f"x{j}" for j in range(14_000))
    path = tmp_path / "wide.csv"
    path.write_text(f"{names}\n{names}\n")
    with pytest.raises(InputError, match=r"524MB is the least that works for wide.csv, of 14,000"):
        first_rows(path, Reading(header=True), "512MB")
    assert first_rows(path, Reading(header=True), "524MB")[0].lines.size == 1
    rows = np.arange(1.0, 20 * 1500 + 1).reshape(20, 1500)
    path.write_text(f"{','.join(names.split(',')[:1500])},y\n")
    with path.open("a") as file:
        file.writelines(f"{','.join(map(str, row))},{k % 2}\n" for k, row in enumerate(rows))
    monkeypatch.delattr(Converter, "_write")
    with pytest.raises(InputError, match=r"MB is the least that works for wide.csv, of 1,500"):
        open_table(path, "y", memory="512MB", scratch=tmp_path)
