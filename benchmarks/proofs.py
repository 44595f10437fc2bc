"""How large proofs are, and how long `verify.py`, run as a plain script, takes to check them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

import separatrix
from benchmarks.data import Table
from separatrix.proving import Proof, prove_fewest_mistakes, prove_separability, write

PROOFS: dict[str, tuple[Table, Callable[[separatrix.Table, bytes], Proof]]] = {
    "fewest 1000x5, 10 %": (Table(1_000, 5, noise=0.1), prove_fewest_mistakes),
    "fewest 1000x8, 2 %": (Table(1_000, 8, noise=0.02), prove_fewest_mistakes),
    "separability 2e4x20": (Table(20_000, 20, margin=0.05), prove_separability),
}


def sizes(seed: int) -> dict[str, dict[str, float]]:
    """Return kilobytes of each proof and the seconds of a process that finds it VERIFIED."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (table, prover) in PROOFS.items():
            random = np.random.default_rng([seed, zlib.crc32(name.encode())])
            data, proof = Path(folder) / "table.csv", Path(folder) / "proof.json"
            _write_csv(data, table, random)
            write(prover(separatrix.read_table(data, label="label"), data.read_bytes()), proof)
            found[name] = {
                "kilobytes": proof.stat().st_size / 1e3,
                "seconds": _checked(proof, data),
            }
    return found


def _write_csv(path: Path, table: Table, random: np.random.Generator) -> None:
    problem = table.draw(random)
    lines = [",".join([*(f"x{j}" for j in range(table.d)), "label"])]
    for x, answer in zip(problem.X.tolist(), problem.y, strict=True):
        lines.append(",".join([*map(repr, x), "yes" if answer > 0 else "no"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _checked(proof: Path, data: Path) -> float:
    command = [sys.executable, separatrix.verify.__file__, str(proof), str(data)]
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began
