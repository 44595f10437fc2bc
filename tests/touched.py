"""`pytest --touched [REF]`: in a minute, the tests that a change touches, the nearest first.

A changed module is nearest to the tests of its own name, then to those of its room, then to those
that import it. What has not begun after a minute is skipped, and said to be: the whole suite runs
it.
"""

import re
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS, SRC = ROOT / "tests", ROOT / "src"
SECONDS = 60.0
ELSEWHERE = {  # what is no module of ours, and the tests that read it
    "docs": "test_handbook.py",
    "benchmarks": "benchmarks",
    "src/separatrix/lab": "lab",
    "src/separatrix/proof.schema.json": "proving/test_schema.py",
}


class OneMinute:
    """Skips what is not begun in time."""

    def __init__(self) -> None:
        self.end: float | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Count from the first test: kernels are compiled by then."""
        now = time.monotonic()
        self.end = self.end or now + SECONDS
        if now > self.end:
            pytest.skip(f"{SECONDS:.0f} s are over: left to the whole suite")


def touched(ref: str) -> list[str]:
    """Return the test files that a change since `ref` touches, the nearest first."""
    commands = ["diff", "--name-only", ref, "--"], ["ls-files", "--others", "--exclude-standard"]
    found: dict[Path, None] = {}
    for tests in zip(*(near(name) for words in commands for name in _git(*words)), strict=True):
        found |= dict.fromkeys(path for some in tests for path in some)
    return list(map(str, found))


def near(name: str) -> tuple[list[Path], list[Path], list[Path]]:
    """Return the test files of a changed file: the nearest, those of its room, and others."""
    path = ROOT / name
    for start, tests in ELSEWHERE.items():
        if name.startswith(start) and (path.suffix != ".py" or not name.startswith("src/")):
            return _tests_in(TESTS / tests), [], []
    if path.suffix != ".py":
        return [], [], []
    if path.is_relative_to(TESTS):
        room = path.parent if path.name == "conftest.py" and path.parent != TESTS else path
        return _tests_in(room), [], _importers_of(path.relative_to(ROOT))
    if not path.is_relative_to(SRC):
        return [], [], []
    module = path.relative_to(SRC)
    own = TESTS.joinpath(*module.with_suffix("").parts[1:])
    room = _tests_in(own.parent) if own.parent != TESTS else []
    named = [*_tests_in(own.with_name(f"test_{own.name}.py")), *_tests_in(own)]
    return named, room, _importers_of(module)


def _tests_in(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.rglob("test_*.py"))
    return [path] if path.is_file() and path.name.startswith("test_") else []


def _importers_of(module: Path) -> list[Path]:
    """Return the test files that import a module, or something of it."""
    *package, name = module.with_suffix("").parts
    imported = rf"import (\([^)]*|[^\n(]*)\b{name}\b"
    words = re.escape(".".join(package)) + rf"(\.{name}\b| {imported})"
    return [path for path in _tests_in(TESTS) if re.search(words, path.read_text("utf-8"))]


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise pytest.UsageError(done.stderr.strip())
    return done.stdout.splitlines()
