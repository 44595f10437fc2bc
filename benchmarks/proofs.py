"""Proofs as strangers get them: files, checked by `verify.py` run as a plain script."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

import separatrix
from benchmarks.answer import CheckedProof
from benchmarks.data import Problem, Table
from benchmarks.ladder import at_most
from separatrix.proving.asking import fewest_mistakes_of, prove_separability
from separatrix.proving.files import Claimed, Proof, prove, write
from separatrix.tables import fit_encoding

PROOFS = {"separability 2e4x20": Table(20_000, 20, margin=0.05)}
LONGEST = 240.0  # seconds of proving, and of a check: any bar is far below
CLOSED = ("no line has less", "makes no mistake")  # what is said of a bracket that is closed


class UnprovenError(Exception):
    """A proof file that is not VERIFIED, or does not say what it should; the text says why."""


def sizes(seed: int) -> dict[str, dict[str, float]]:
    """Return what is measured of each proof of separability."""
    found = {}
    for name, table in PROOFS.items():
        random = np.random.default_rng([seed, zlib.crc32(name.encode())])
        found[name] = asdict(proven(table.draw(random), prove_separability))
    return found


def of_fewest_mistakes(bracket: separatrix.ErrorBracket, problem: Problem) -> CheckedProof:
    """Return what is measured of the proof that no line makes fewer mistakes.

    Raises
    ------
    UnprovenError
    """

    def prover(table: separatrix.Table, data: bytes) -> Proof:
        claim = fewest_mistakes_of(bracket)
        return prove(None, table, fit_encoding(table.columns, "drop"), data, [Claimed([claim])])

    return proven(problem, prover, CLOSED)


def proven(
    problem: Problem,
    prover: Callable[[separatrix.Table, bytes], Proof],
    words: tuple[str, ...] = ("",),
) -> CheckedProof:
    """Write a table and its proof, and have them checked by a process of its own.

    Parameters
    ----------
    words : one of them has to be in the verifier's answer

    Raises
    ------
    UnprovenError, TooSlowError
    """
    with tempfile.TemporaryDirectory() as folder:
        data, proof = Path(folder) / "table.csv", Path(folder) / "proof.json"
        _write_csv(data, problem)
        table = separatrix.read_table(data, label="label", yes="yes")
        began = time.perf_counter()
        with at_most(LONGEST, "the proof"):
            write(prover(table, data.read_bytes()), proof)
        written = time.perf_counter()
        answer = _checked(proof, data)
        ended = time.perf_counter()
        if not any(word in answer for word in words):
            raise UnprovenError(f"verified is another claim: {answer}")
        return CheckedProof(proof.stat().st_size / 1e3, written - began, ended - written)


def _write_csv(path: Path, problem: Problem) -> None:
    lines = [",".join([*(f"x{j}" for j in range(problem.X.shape[1])), "label"])]
    for x, answer in zip(problem.X.tolist(), problem.y, strict=True):
        lines.append(",".join([*map(repr, x), "yes" if answer > 0 else "no"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _checked(proof: Path, data: Path) -> str:
    """Return the answer of `verify.py`, alone: no site packages, nothing of ours on its path."""
    script = [sys.executable, "-I", "-S", str(separatrix.verify.__file__)]
    command = [*script, str(proof), str(data), "--time-limit", str(LONGEST)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise UnprovenError(f"{done.stdout}{done.stderr}".strip())
    return done.stdout
