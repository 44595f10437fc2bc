"""Proofs built by hand to deceive or to exhaust: none is verified, and every limit holds."""

import subprocess
import sys
from pathlib import Path

import pytest

from separatrix import verify
from tests.hostile.attacks import ATTACKS, NO, REFUSED
from tests.hostile.profile import cases

LIMIT = cases(0.5, 2.0)  # seconds
MOST_MEMORY = 300 * 2**20
CODES = {NO: (verify.REFUTED,), REFUSED: (verify.CANNOT_CHECK,)}
SHORT = [name for name in ATTACKS if not name.startswith("exhausts")]
LONG = [name for name in ATTACKS if name.startswith("exhausts")]


def files_of(name: str, folder: Path) -> tuple[str, str, tuple[int, ...]]:
    """The files of an attack, and the codes that it may be answered by."""
    table, proof, answer = ATTACKS[name]()
    (folder / "t.csv").write_bytes(table)
    (folder / "p.json").write_bytes(proof)
    codes = CODES.get(answer, (verify.REFUTED, verify.CANNOT_CHECK))
    return str(folder / "p.json"), str(folder / "t.csv"), codes


@pytest.mark.parametrize("name", SHORT)
def test_what_deceives_is_not_verified(name, tmp_path):
    proof, table, codes = files_of(name, tmp_path)
    code, answer = verify.check_files(proof, table)
    assert code in codes, answer
    assert "Traceback" not in answer


# a small process in between: what starts a process lends it its own peak of memory
LAUNCH = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stdout.write(f"{done.returncode} {used.ru_utime + used.ru_stime} {used.ru_maxrss} ")
sys.stdout.flush()
sys.stdout.buffer.write(done.stdout)
"""


def run_within(proof: str, table: str) -> tuple[int, str, float, int]:
    """Exit code, output, seconds of processor and bytes at the most of the plain script."""
    python = [sys.executable, "-I", "-S"]
    command = [*python, verify.__file__, proof, table, "--time-limit", str(LIMIT)]
    done = subprocess.run([*python, "-c", LAUNCH, *command], stdout=subprocess.PIPE, check=True)
    code, seconds, memory, answer = done.stdout.decode().split(" ", 3)
    return int(code), answer, float(seconds), int(memory) * 1024


@pytest.mark.parametrize("name", LONG)
def test_what_exhausts_ends_within_the_limits(name, tmp_path):
    proof, table, codes = files_of(name, tmp_path)
    code, answer, seconds, memory = run_within(proof, table)
    assert code in codes, answer
    assert "Traceback" not in answer
    assert seconds < LIMIT + 0.5
    assert memory < MOST_MEMORY
