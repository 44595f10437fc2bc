"""`pytest --touched [REF]`: in a minute, the tests that a change touches, the nearest first.

A changed module is nearest to the tests of its own name, then to those of its room, then to those
that import it, then to those of the modules that import it. What has not begun after a minute is
skipped, and said to be: the whole suite runs it.
"""

import ast
import subprocess
import time
from functools import cache
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
    distance: dict[Path, int] = {}
    for name in changed(ref):
        for path, steps in near(name).items():
            distance[path] = min(steps, distance.get(path, steps))
    return [str(path) for path in sorted(distance, key=lambda p: (distance[p], str(p)))]


def changed(ref: str) -> list[str]:
    """Return the files that differ from `ref`, new ones too."""
    commands = ["diff", "--name-only", ref, "--"], ["ls-files", "--others", "--exclude-standard"]
    return [name for words in commands for name in _git(*words).splitlines()]


def near(name: str) -> dict[Path, int]:
    """Return the test files of a changed file, each with its distance."""
    path = ROOT / name
    for start, tests in ELSEWHERE.items():
        if name.startswith(start) and (path.suffix != ".py" or not name.startswith("src/")):
            return dict.fromkeys(_tests_in(TESTS / tests), 0)
    if path.suffix != ".py" or not path.is_relative_to(TESTS):
        return _of_module(path) if path.suffix == ".py" and name.startswith("src/") else {}
    if path.name == "conftest.py":
        return dict.fromkeys(_tests_in(path.parent) if path.parent != TESTS else [], 1)
    return dict.fromkeys({*_tests_in(path), *importers_of(_module(path, ROOT))}, 0)


def _of_module(path: Path) -> dict[Path, int]:
    import grimp  # comes with import-linter, of the extra `dev`

    module = _module(path, SRC)
    graph = grimp.build_graph("separatrix", cache_dir=None)
    users = graph.find_modules_that_directly_import(module) if module in graph.modules else set()
    room = TESTS.joinpath(*module.split(".")[1:-1])
    found = {test: 3 for user in users for test in _own(user)}
    found |= dict.fromkeys(importers_of(module), 2)
    found |= dict.fromkeys(_tests_in(room) if room != TESTS else [], 1)
    found |= {test: 1 for test in importers_of(module) if room in test.parents and room != TESTS}
    return found | dict.fromkeys(_own(module), 0)


def _own(module: str) -> list[Path]:
    """Return the tests that bear the name of a module."""
    if (SRC / module.replace(".", "/")).is_dir():
        return []  # a package exports what its modules do
    path = TESTS.joinpath(*module.split(".")[1:])
    return [*_tests_in(path.with_name(f"test_{path.name}.py")), *_tests_in(path)]


def _tests_in(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.rglob("test_*.py"))
    return [path] if path.is_file() and path.name.startswith("test_") else []


def importers_of(module: str) -> list[Path]:
    """Return the test files that import a module or its names, through helpers of the tests too."""
    return [path for path in _tests_in(TESTS) if module in _imported(path)]


@cache
def _imported(path: Path) -> frozenset[str]:
    """Return the modules that a file of the tests imports, and those that its helpers import."""
    found = set()
    for name in _names_in(path):
        whole = name
        while whole in _exported():
            whole = _exported()[whole]
        found |= {name, whole, whole.rpartition(".")[0]}
        helper = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name.startswith("tests.") and helper.is_file():
            found |= _imported(helper)
    return frozenset(found)


@cache
def _exported() -> dict[str, str]:
    """Return where each name that a package exports comes from."""
    return {
        f"{_module(path, SRC)}.{name.rpartition('.')[2]}": name
        for path in SRC.rglob("__init__.py")
        for name in _names_in(path)
    }


def _names_in(path: Path) -> set[str]:
    """Return the names that a file imports, modules and what is in them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise pytest.UsageError(done.stderr.strip())
    return done.stdout
