"""The command line as a process of its own: start, help, interrupts, pipes."""

import json
import os
import re
import resource
from fractions import Fraction

import pytest

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
    quiet = separatrix("learn", "-", "--label", "pays", "--quiet", input=GOOD)
    assert quiet.stderr == ""


def test_help_is_quick_and_lists_the_commands():
    separatrix("--help")  # byte code present
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = separatrix("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert all(name in done.stdout for name in ("demo", "learn", "make", "predict"))
    assert "numba" not in separatrix("--help", env={**os.environ, "PYTHONVERBOSE": "1"}).stderr
    assert min(times) < 5.0  # the bound of 0.15 s is measured in benchmarks; this catches a blunder


@pytest.mark.filterwarnings("ignore")
def test_demo(run):
    code, out, _ = run("demo")
    assert code == 0
    assert "Separable     yes (proven)" in out
    assert "of the selected model   -                              5 (pocket)\n" in out
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
