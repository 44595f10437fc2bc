"""`--memory` bounds the whole process, seen from outside."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

N, D = 1_000_000, 20  # 160 MB of doubles, beside modules and kernels of 300
MEMORY = 512


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    random = np.random.default_rng(0)
    for k in range(4):
        X = random.normal(size=(N // 4, D))
        noisy = X[:, 0] - X[:, 1] + random.logistic(size=len(X)) > 0
        columns = {f"x{j}": X[:, j] for j in range(D)} | {"y": np.where(noisy, "yes", "no")}
        pq.write_table(pa.table(columns), folder / f"{k}.parquet", use_dictionary=["y"])
    return folder


@pytest.mark.parametrize("command", ["prove {} -o p.json", "infer {}"])
def test_no_more_is_taken_than_was_given(rows, command):
    words = command.format(f"*.parquet --label y --memory {MEMORY}MB").split()
    with subprocess.Popen(
        [sys.executable, "-m", "separatrix", *words],
        cwd=rows, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_maxrss * 1024 <= MEMORY * 10**6
