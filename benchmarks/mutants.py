"""Random one-place mutants of a room of `src`, and whether tests notice: the net under a rebuild.

A comparison is turned, + put for -, a condition negated, an `and` made an `or`, ... in a copy of
the tree, never in the tree itself. Its tests run in stages until one fails: *near* (those of the
room that mirror the file or import what it defines), *room* (all of the room), *named* (all others
that do, and those that mirror a module that imports it) and *whole*. A test that kills has to pass
on the code as it is.

    python -m benchmarks.mutants inference/intervals --count 20 --json F
    python -m benchmarks.mutants learners --until near --seconds 60 --json F
    python -m benchmarks.mutants learners --until named --json F   # goes on with the survivors

A file of rows that exists is gone on with. Where a mutant is in `kernels`, all that its tests call
is compiled anew: that takes about a minute. What survives is an equal program, changes speed alone,
or shows that a law is missing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path

from benchmarks.journal import ROOT, Journal, Row, run_whole, stop_as_by_ctrl_c

SOURCE = Path("src/separatrix")
STAGES = ("near", "room", "named", "whole")
MEMORY = 8 << 30  # bytes of a process of tests: a mutant may ask for any number
TURNED: dict[type, tuple[str, tuple[str, ...]]] = {  # of an operator: its text, and others
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/", "+")),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*",)),
    ast.Mod: ("%", ("*",)),
    ast.Pow: ("**", ("*",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)),
}
TYPES = ("annotation", "returns", "decorator_list", "type_params", "bases")  # fields left alone


@dataclass(frozen=True)
class Mutant:
    """One place of a file, where `now` is put for the bytes from `start` to `end`."""

    path: Path  # below the root
    line: int
    start: int
    end: int
    now: str

    def applied(self, text: bytes) -> bytes:
        """Return the text of the file with the mutant in it."""
        return text[: self.start] + self.now.encode() + text[self.end :]

    def diff(self, text: bytes) -> list[str]:
        """Return the lines taken out and put in."""
        both = (t.decode().splitlines() for t in (text, self.applied(text)))
        return [line for line in unified_diff(*both, n=0, lineterm="") if line[:3] not in HEADS]


HEADS = {"---", "+++"}


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file."""
    text = (ROOT / path).read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def ends(node: ast.expr) -> tuple[int, int]:
        last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        return starts[node.lineno - 1] + node.col_offset, last

    def between(left: ast.expr, operator: ast.AST, right: ast.expr) -> Iterator[Mutant]:
        was, others = TURNED.get(type(operator), ("", ()))
        a, b = ends(left)[1], ends(right)[0]
        words = rb"\s+".join(re.escape(word).encode() for word in was.split())
        found = re.search(words, text[a:b])
        if found and b"#" not in text[a:b]:
            for now in others:
                yield Mutant(path, right.lineno, a + found.start(), a + found.end(), now)

    for node in _expressions(ast.parse(text)):
        match node:
            case ast.Compare(left=left, ops=operators, comparators=rest):
                for a, operator, b in zip([left, *rest], operators, rest, strict=False):
                    yield from between(a, operator, b)
            case ast.BinOp(left=left, op=operator, right=right):
                yield from between(left, operator, right)
            case ast.BoolOp(op=operator, values=values):
                for a, b in pairwise(values):
                    yield from between(a, operator, b)
            case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
                yield Mutant(path, node.lineno, ends(node)[0], ends(operand)[0], "")
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                start, end = ends(test)
                negated = f"not ({text[start:end].decode()})"
                yield Mutant(path, test.lineno, start, end, negated)


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree that are no types, nor what only type checkers read."""
    for name, value in ast.iter_fields(node):
        if name in TYPES:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.AST):
                yield child
                yield from _expressions(child)


def drawn(room: str, seed: int, count: int) -> list[Mutant]:
    """Return so many mutants of the files of a room: a folder, or one file."""
    inside = SOURCE / room
    file = inside.with_suffix(".py")
    paths = [file] if (ROOT / file).is_file() else sorted((ROOT / inside).rglob("*.py"))
    every = [m for path in paths for m in mutants_of(ROOT.joinpath(path).relative_to(ROOT))]
    if not every:
        raise SystemExit(f"{inside}: no such room, or nothing to change in it")
    random.Random(seed).shuffle(every)  # noqa: S311
    return list(islice(filter(_is_code, every), count))


def _is_code(mutant: Mutant) -> bool:
    """Whether it can be read: places inside of f-strings are not always where the parser says."""
    with suppress(SyntaxError, ValueError):
        return bool(ast.parse(mutant.applied((ROOT / mutant.path).read_bytes())))
    return False


# ---------------------------------------------------------------------- tests


def tests_of(path: Path) -> dict[str, list[Path]]:
    """Return the test files of each stage for a file of `src`, none in two of them."""
    every = sorted(p.relative_to(ROOT) for p in (ROOT / "tests").rglob("test_*.py"))
    room = Path("tests", path.relative_to(SOURCE).with_suffix("").parts[0])
    here = [p for p in every if room in p.parents]
    names, sources = _defined(path), sorted((ROOT / SOURCE).rglob("*.py"))
    users = [p.relative_to(ROOT) for p in sources if names & _imported(p)]
    importing = [p for p in every if names & _imported(ROOT / p)]
    about = [*_mirrors_of(path, every), *importing]
    near = [p for p in about if p in here]
    named = [*about, *(p for user in users for p in _mirrors_of(user, every))]
    found: dict[str, list[Path]] = {}
    for stage, files in zip(STAGES, (near, here, named, every), strict=True):
        before = {p for of in found.values() for p in of}
        found[stage] = [p for p in dict.fromkeys(files) if p not in before]
    return found


@cache
def _defined(path: Path) -> set[str]:
    """Return the dotted name of a module, and the public names that it defines."""
    names = {getattr(node, "name", "_") for node in ast.parse((ROOT / path).read_bytes()).body}
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    return {module, *(name for name in names if not name.startswith("_"))}


@cache
def _imported(path: Path) -> set[str]:
    """Return the modules of ours that a file imports, and the names that it takes of them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("separatrix"):
            names = [alias.name for alias in node.names]
            found |= {str(node.module), *names, *(f"{node.module}.{name}" for name in names)}
    return found


def _mirrors_of(path: Path, tests: Sequence[Path]) -> list[Path]:
    """Return tests/a/b/test_c.py and those in tests/a/b/c and tests/a/b_c, for a/b/c.py."""
    own = "_".join(path.relative_to(SOURCE).with_suffix("").parts)
    said = ("_".join((*p.parts[1:-1], p.stem.removeprefix("test_"))) for p in tests)
    return [p for p, flat in zip(tests, said, strict=True) if f"{flat}_".startswith(f"{own}_")]


class Copy:
    """A copy of the tree in which tests run; the code that kernels were compiled to comes along."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / ROOT.name
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout
        compiled = [str(p.relative_to(ROOT)) for p in (ROOT / "src").rglob("*.nbc")]
        for name in [*names.decode().split("\0"), *compiled]:
            if name and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        shared = ROOT.parent / "shared"
        if shared.exists():
            (folder / shared.name).symlink_to(shared)

    def run(self, tests: Sequence[str], seconds: float, kernels: Path | None) -> tuple[str, str]:
        """Run tests until one fails: (passed, failed or timeout; which failed)."""
        settings = os.environ | {"PYTHONPATH": str(self.root / "src")}
        settings |= {"PYTHONDONTWRITEBYTECODE": "1"}
        if kernels is not None:
            settings["NUMBA_CACHE_DIR"] = str(kernels)
        command = [sys.executable, "-m", "pytest", "-x", "-rfE", "--tb=no", "--no-header", *tests]
        with tempfile.TemporaryFile("w+") as said:  # a process that is left over may hold a pipe
            try:
                code = run_whole(
                    command, seconds, cwd=self.root, env=settings, preexec_fn=_limit,
                    stdout=said, stderr=said,
                ).returncode  # fmt: skip
            except subprocess.TimeoutExpired:
                return "timeout", ""
            said.seek(0)
            named = re.search(r"^(?:FAILED|ERROR) (\S+)", said.read(), re.MULTILINE)
        if code in (0, 5):  # 5: nothing to run
            return "passed", ""
        return "failed", named[1] if named else f"exit {code}"


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


# ---------------------------------------------------------------------- runs


def judged(mutant: Mutant, copy: Copy, stages: Sequence[str], seconds: float) -> Row:
    """Return what the tests of some stages say of a mutant."""
    text, file = (ROOT / mutant.path).read_bytes(), copy.root / mutant.path
    tests, began = tests_of(mutant.path), time.perf_counter()
    found: Row = {"verdict": "survived", "by": "", "diff": mutant.diff(text)}
    with tempfile.TemporaryDirectory() as folder:
        kernels = Path(folder) if SOURCE / "kernels" in mutant.path.parents else None
        file.write_bytes(mutant.applied(text))
        try:
            for stage in stages:
                files = [str(p) for p in tests[stage]]
                said, by = copy.run(files, seconds, kernels) if files else ("passed", "")
                if said != "passed":
                    found |= {"verdict": "timeout" if said == "timeout" else "killed", "by": by}
                    break
        finally:
            file.write_bytes(text)
            shutil.copystat(ROOT / mutant.path, file)
    if "::" in found["by"] and copy.run([found["by"].split("[")[0]], seconds, None)[0] != "passed":
        found["verdict"] = "unclear"  # the test does not pass on the code as it is
    return found | {"seconds": round(time.perf_counter() - began, 1)}


def judge_all(mutants: Sequence[Mutant], journal: Journal, until: str, seconds: float) -> list[Row]:
    """Judge what is not in the journal, or survived stages before `until`; print each."""
    stages, rows = STAGES[: STAGES.index(until) + 1], []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        for mutant in mutants:
            text = (ROOT / mutant.path).read_bytes()
            place = f"{mutant.path}:{mutant.line}"
            name = f"{place} {sha256(mutant.applied(text)).hexdigest()[:8]}"
            row = journal.done(name)
            past = [] if row is None else row["stages"]
            left = [stage for stage in stages if stage not in past]
            if row is None or (row["verdict"] == "survived" and left):
                found = judged(mutant, copy, left, seconds)
                row = journal.add(name, found | {"stages": [*past, *left]})
                show(row)
            rows.append(row)
    return rows


def show(row: Row) -> None:
    """Print a mutant and what became of it."""
    by = f" by {row['by']}" if row["by"] else ""
    changed = "".join(f"\n    {line}" for line in row["diff"] if line[:2] != "@@")
    print(
        f"{row['verdict']}{by}: {row['row'].split()[0]} ({row['seconds']} s){changed}", flush=True
    )


def main() -> None:
    """Read the command line, judge, and count."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("room", help="a folder or file of src/separatrix: learners, tables/arrays")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--until", choices=STAGES, default="room", help="the last stage of tests")
    parser.add_argument("--seconds", type=float, default=300.0, help="that a stage may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="rows, each when it is done")
    asked = parser.parse_args()
    stop_as_by_ctrl_c()
    mutants = drawn(asked.room, asked.seed, asked.count)
    try:
        rows = judge_all(mutants, Journal(asked.json), asked.until, asked.seconds)
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    for verdict in ("killed", "timeout", "unclear", "survived"):
        print(f"{verdict}: {sum(row['verdict'] == verdict for row in rows)}")


if __name__ == "__main__":
    main()
