"""The command line as a process of its own: start, help, interrupts, pipes, what it compiles."""

import json
import os
import pty
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from separatrix.kernels.entry_points import entry_points
from tests.cli.shell import GOOD
from tests.processes import python, separatrix


def test_the_command_separatrix(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    done = separatrix("learn", "-", "--label", "pays", "--json", input=GOOD)
    assert done.returncode == 0
    assert json.loads(done.stdout)["table"]["name"] == "stdin"
    refused = separatrix("learn", tmp_path / "absent.csv", "--label", "pays", check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Traceback" not in refused.stderr


@pytest.mark.usefixtures("nearly")
def test_compilation_is_announced_once_and_then_never_again():
    first = separatrix("learn", "-", "--label", "pays", input=GOOD)
    assert first.stderr.count("compiling kernels") == 1
    again = separatrix("learn", "-", "--label", "pays", input=GOOD)
    assert "compiling" not in again.stderr
    runs = [re.sub(r"[0-9.]+ m?s\b", "", done.stdout).split() for done in (first, again)]
    assert runs[0] == runs[1]  # but for times, and columns as wide as times are


def test_help_lists_the_commands_and_loads_no_compiler():
    done = separatrix("--help", env={**os.environ, "PYTHONVERBOSE": "1"})
    assert all(name in done.stdout for name in ("demo", "learn", "make", "predict"))
    assert "numba" not in done.stderr  # how long it takes is measured in benchmarks


@pytest.mark.filterwarnings("ignore")
def test_demo(run):
    code, out, _ = run("demo")
    assert code == 0
    assert "Separable     yes (proven)" in out
    assert re.search(r"of the selected model +- +5 \(pocket\)\n", out)
    assert max(map(len, out.splitlines())) <= 80
    assert out.splitlines()[-1].strip().startswith("separatrix ")
    code, out, _ = run("demo", "--json")
    proof = json.loads(out)["separability"]
    assert (
        Fraction(proof["radius_squared"]) // Fraction(proof["rho_squared"])
        == proof["mistake_bound"]
    )


def test_a_command_loads_no_library_that_it_does_not_use(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    command = ["-X", "importtime", "-m", "separatrix", "learn", "t.csv", "--label", "pays"]
    done = python(*command, cwd=tmp_path)
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "separatrix.verdict" in loaded
    unused = {"pandas.core", "scipy.stats._stats_py", "scipy.optimize._optimize"}
    unused |= {"sklearn.model_selection", "matplotlib", "joblib.parallel", "narwhals.dataframe"}
    assert not loaded & unused


def test_what_only_reads_and_shows_loads_no_compiler_and_no_learner(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    for command, unused in (
        ("check t.csv --label pays", {"numba", "sklearn", "flint", "scipy.linalg", "matplotlib"}),
        ("verify p.json p.table.csv", {"numpy", "pyarrow"}),
    ):
        if command.startswith("verify"):
            separatrix("prove", "t.csv", "--label", "pays", "-o", "p.json", cwd=tmp_path)
            kept = (tmp_path / "p.table.csv").exists()
            command = command if kept else "verify p.json t.csv"  # noqa: PLW2901
        done = python("-X", "importtime", "-m", "separatrix", *command.split(), cwd=tmp_path)
        loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
        assert "separatrix.cli" in loaded
        assert not loaded & unused, command


def test_what_is_deferred_is_there_when_it_is_used():
    program = (
        "from separatrix._loading import load_lean; load_lean(); import sklearn.base, sys;"
        "print('scipy.stats._stats_py' in sys.modules);"
        "from scipy.stats import rankdata, rv_continuous; import scipy;"
        "print('scipy.stats._stats_py' in sys.modules);"
        "print(rankdata([3, 1, 2]), rankdata.__name__);"
        "print(isinstance(scipy.stats.norm, rv_continuous));"
        "print(scipy.stats.rankdata([3, 1, 2]));\n"
        "class Own(rv_continuous): pass\n"
        "print(Own.__mro__[1] is scipy.stats.rv_continuous)"
    )
    assert python("-c", program).stdout.splitlines() == [
        "False", "False", "[3. 1. 2.] rankdata", "True", "[3. 1. 2.]", "True",
    ]  # fmt: skip


def test_a_release_that_cannot_be_imported_lean_is_imported_as_it_is():
    program = (
        "from separatrix import _loading;"
        "refuse = lambda self, name: 1 / 0;"
        "_loading._Deferred.__getattr__ = refuse; _loading.load_lean();"
        "from sklearn.linear_model import Perceptron; import pandas, scipy.stats;"
        "print(Perceptron().fit([[0.0], [1.0]], [0, 1]).predict([[2.0]]));"
        "print(scipy.stats.rankdata([3, 1, 2]))"
    )
    assert python("-c", program).stdout == "[1]\n[3. 1. 2.]\n"


# commands in one process; then what was compiled, Numba's own functions too
COMMANDS = """
import contextlib, io, json, os, sys
from numba.core import event
from separatrix.cli.commands import commands

class Compiled(event.Listener):
    def __init__(self): self.names = []
    def on_start(self, started): self.names.append(str(started.data["dispatcher"]))
    def on_end(self, _): pass

compiled = Compiled()
event.register("numba:compile", compiled)
for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        commands.main(line.split(), prog_name="separatrix", standalone_mode=False)
    print(line.split()[0], compiled.names, flush=True)
os._exit(0)
"""
LINES = """demo
make noisy --rows 300 --columns 3 --flip 0.1 -o t.csv
make separable --rows 6000 --columns 8 -o s.csv
make noisy --rows 3000 --columns 40 --flip 0.05 -o w.csv
learn t.csv --label label --model m.json --report r.html --proof p.json
learn s.csv --label label --model s.json --report q.html --proof q.json
learn w.csv --label label --fewest-nodes 10
learn far.csv --label label
learn t.csv --label label --memory 512MB
make noisy --rows 25500 --columns 40 --flip 0.1 -o n.csv
learn n.csv --label label --memory 512MB --learner linear --model n.json
predict n.json n.csv --memory 512MB -o c.csv
prove n.csv --label label --memory 512MB -o n.proof.json
learn X.npy --label y.npy --memory 512MB
prove t.csv --label label --fewest --fewest-nodes 200 -o f.json
predict m.json t.csv --explain -o a.csv
predict s.json s.csv -o b.csv
infer t.csv --label label --csv i.csv
infer s.csv --label label
infer far.csv --label label
export m.json --scorecard t.csv -o c.txt
animate --demo -o f.gif --visit random --frames 5
animate --demo -o g.gif --frames 5
experiment learning-curve
experiment bound
experiment noise
experiment noise --updates 10
experiment warm-start
experiment pocket-cost
experiment eta
"""


@pytest.mark.timeout(900)
def test_after_a_warm_up_no_command_compiles_anything(warm, tmp_path):
    (tmp_path / "far.csv").write_text("x,label\n0,no\n4,no\n5,yes\n700000,yes\n")
    X = np.random.default_rng(0).normal(size=(25_500, 40)).astype(np.float32)
    np.save(tmp_path / "X.npy", X)  # too large to be kept in memory
    np.save(tmp_path / "y.npy", X[:, 0] > 0.1 * X[:, 1] ** 2)
    done = python("-c", COMMANDS, input=LINES, cwd=tmp_path)
    assert done.stdout.splitlines() == [f"{line.split()[0]} []" for line in LINES.splitlines()]


# the kernels whose code a command asks for, loaded or compiled
ASKED_FOR = """
import contextlib, io, sys
from numba.core import event
from separatrix.cli.commands import commands
from separatrix.kernels._cache import EVENT

class AskedFor(event.Listener):
    def __init__(self): self.names = set()
    def on_start(self, started): self.names.add(started.data["dispatcher"]._cache.name)
    def on_end(self, _): pass

asked_for = AskedFor()
event.register(EVENT, asked_for)
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    commands.main(sys.argv[1:], standalone_mode=False)
print(*asked_for.names)
"""


@pytest.mark.usefixtures("warm")
def test_the_first_entry_points_are_those_that_the_demo_calls():
    first, others = ({point.name for point in points} for points in entry_points())
    called = set(python("-c", ASKED_FOR, "demo").stdout.split())
    assert (first - called, called & (others - first)) == (set(), set())


def test_a_folder_that_takes_nothing_is_an_error(tmp_path):
    (tmp_path / "cache").write_text("a file")
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = separatrix("warm-up", env=settings, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "NUMBA_CACHE_DIR" in done.stderr


@pytest.mark.usefixtures("nearly")
def test_a_warm_up_on_a_terminal_shows_a_bar_and_leaves_nothing_to_compile():
    command = [sys.executable, "-m", "separatrix", "warm-up"]
    shown, end = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=end) as process:
        os.close(end)
        said = b""
        while chunk := _read(shown):
            said += chunk
    assert process.returncode == 0
    assert b"compiling" in said
    assert re.search(rb"(\d)/\1", said)  # all of those that were missing
    assert "nothing to compile" in separatrix("warm-up").stdout


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""
